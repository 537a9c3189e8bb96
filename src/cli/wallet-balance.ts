// lyra wallet balance: what keys have in their general accounts, by a node's word.
import { ExitCode } from "../errors/node-error.ts";
import { amountText } from "../wallet/approvals/formatting.ts";
import { HttpNode } from "../wallet/sending/http-node.ts";
import type { AssetFacts } from "../wallet/sending/nodes.ts";
import { readArguments, usageError } from "./arguments.ts";
import { dim, say } from "./terminal.ts";
import { hostsOf, NODE_ADDRESS_FLAGS } from "./tx-online.ts";
import { meantWallet } from "./wallet-default.ts";
import { print, printable, WALLET_FLAGS, withWallet } from "./wallet-opening.ts";

interface Holder {
  readonly publicKey: string;
  readonly name: string | undefined;
}

export async function runBalance(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("wallet", argv, {
    ...WALLET_FLAGS,
    ...NODE_ADDRESS_FLAGS,
    key: { type: "string" },
  });
  if (positionals.length > 1) throw usageError("wallet", "say NAME, or --key PUBLIC_KEY");
  const { key } = values;
  if (key !== undefined && !/^[0-9a-f]{64}$/.test(key)) {
    throw usageError("wallet", "--key is a public key: 64 hexadecimal digits");
  }
  const hosts = hostsOf(values);
  const node = new HttpNode(hosts[0]!);
  const holders = key === undefined ? await keysOf() : [{ publicKey: key, name: undefined }];
  const known = new Map<string, AssetFacts | undefined>();
  const balances = [];
  for (const holder of holders) {
    const found = await node.balances(holder.publicKey);
    for (const [asset, balance] of found) {
      if (!known.has(asset)) known.set(asset, await node.asset(asset).catch(() => undefined));
      balances.push({ ...holder, asset, balance, symbol: known.get(asset)?.symbol });
    }
  }
  if (values.json) {
    print({ node: node.host, balances });
    return ExitCode.done;
  }
  for (const holder of holders) {
    process.stdout.write(
      `${holder.publicKey}${holder.name === undefined ? "" : `  ${printable(holder.name)}`}\n`,
    );
    for (const { asset, balance } of balances.filter(({ publicKey }) => publicKey === holder.publicKey)) {
      const unit = known.get(asset) === undefined ? "" : `\n    ${balance} in its smallest unit`;
      process.stdout.write(`  ${amountText(balance, asset, (id) => known.get(id))}${unit}\n`);
    }
  }
  if (balances.length === 0 && !values.quiet) say(dim(`nothing, says ${node.host}`));
  return ExitCode.done;

  async function keysOf(): Promise<readonly Holder[]> {
    const name = await meantWallet("wallet", values, positionals[0]);
    return withWallet(name, values, ({ keys }) =>
      keys.map(({ publicKey, name: title }) => ({ publicKey, name: title })),
    );
  }
}
