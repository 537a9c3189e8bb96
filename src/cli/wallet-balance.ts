// lyra wallet balance: balances of keys in general accounts, as a node reports them.
import { ExitCode } from "../errors/node-error.ts";
import { amountText, plain } from "../wallet/approvals/formatting.ts";
import { HttpNode } from "../wallet/sending/http-node.ts";
import type { AssetFacts } from "../wallet/sending/nodes.ts";
import { command, option } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { NETWORK, NODE_URLS } from "./flags.ts";
import { dim, say } from "./terminal.ts";
import { hostsOf } from "./tx-online.ts";
import { resolveWalletName } from "./wallet-default.ts";
import { OPTIONAL_NAME, print, printable, WALLET_FLAGS, withWallet } from "./wallet-opening.ts";

interface Holder {
  readonly publicKey: string;
  readonly name: string | undefined;
}

export const balance = command({
  words: { NAME: OPTIONAL_NAME },
  flags: {
    key: option("PUBLIC_KEY", "of this key, without opening a wallet"),
    ...NODE_URLS,
    ...NETWORK,
    ...WALLET_FLAGS,
  },
  notes: `  Without --node-url and --network the running devnet is asked.`,
  json: "{node, balances: [{publicKey, name?, asset, balance, symbol?}]}",
  wrongWords: () => "say NAME, or --key PUBLIC_KEY",
  async run({ words: { NAME }, values, typed }) {
    const { key } = values;
    if (key !== undefined && !/^[0-9a-f]{64}$/.test(key)) {
      throw usageError("wallet", "--key is a public key: 64 hexadecimal digits");
    }
    const hosts = hostsOf(values, typed);
    const node = new HttpNode(hosts[0]!);
    const holders = key === undefined ? await keysOf() : [{ publicKey: key, name: undefined }];
    const assets = new Map<string, AssetFacts | undefined>();
    const balances = [];
    for (const holder of holders) {
      const held = await node.balances(holder.publicKey);
      for (const [asset, balance] of held) {
        if (!assets.has(asset)) assets.set(asset, await node.asset(asset).catch(() => undefined));
        balances.push({ ...holder, asset, balance, symbol: assets.get(asset)?.symbol });
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
        const unit = assets.get(asset) === undefined ? "" : `\n    ${plain(balance)} in its smallest unit`;
        process.stdout.write(`  ${amountText(balance, asset, (id) => assets.get(id))}${unit}\n`);
      }
    }
    if (balances.length === 0 && !values.quiet) say(dim(`nothing, says ${node.host}`));
    return ExitCode.done;

    async function keysOf(): Promise<readonly Holder[]> {
      const name = await resolveWalletName("wallet", values, NAME);
      return withWallet(name, values, ({ keys }) =>
        keys.map(({ publicKey, name: title }) => ({ publicKey, name: title })),
      );
    }
  },
});
