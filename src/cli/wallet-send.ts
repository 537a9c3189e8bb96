// lyra wallet send: an amount in the units that people say, to a key or to the name of one.

import { ExitCode } from "../errors/node-error.ts";
import { type Cost, costLines, costWarnings } from "../wallet/approvals/costs.ts";
import { type Line, named, plain } from "../wallet/approvals/formatting.ts";
import { NetworkFacts } from "../wallet/approvals/network-facts.ts";
import { outcomeLine } from "../wallet/approvals/shown.ts";
import { walletError } from "../wallet/errors.ts";
import { partiesOf } from "../wallet/sending/devnet-parties.ts";
import { HttpNode } from "../wallet/sending/http-node.ts";
import { NetworkRefusal } from "../wallet/sending/nodes.ts";
import type { Job, TransactionSender } from "../wallet/sending/sender.ts";
import { checkedCommand } from "../wallet/signing/transaction.ts";
import { amountInUnits, assetOf, type NamedKey, recipientOf, transferOf } from "../wallet/units.ts";
import type { CommandInit } from "../wire/transaction.ts";
import { command, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { green, say } from "./terminal.ts";
import { AMOUNT, ASSET } from "./tx-money.ts";
import { MODES, NODE_FLAGS, online, onlineAddresses } from "./tx-online.ts";
import { commandWords, wordLines } from "./tx-output.ts";
import { resolveKey, resolveWalletName } from "./wallet-default.ts";
import { print, WALLET_FLAGS, withWallet } from "./wallet-opening.ts";
import { promptLine } from "./wallet-secrets.ts";

const wrong = (message: string) => usageError("wallet send", message);

export const send = command({
  words: { AMOUNT, ASSET, TO: { text: "a key, or a name: of this wallet, or a devnet's party" } },
  flags: {
    wallet: option("NAME", "whose key sends (default: as lyra wallet default)"),
    key: option("KEY", "the key"),
    reference: option("TEXT", "a note for the transfer"),
    type: option("TYPE", "sync (default), async or commit"),
    yes: toggle("do not ask; needed where there is no terminal"),
    ...NODE_FLAGS,
    ...WALLET_FLAGS,
  },
  notes: `  It shows the transfer with its fee and what is left, and asks. Exit codes are
  those of lyra tx send.`,
  json: "{transactionHash, height, node: {host}, chainId, publicKey, to, asset, symbol, amount, costs: [{kind, asset, amount?, label, text}]}",
  async run({ words: { AMOUNT: amount, ASSET: name, TO }, values, typed }) {
    const mode = Object.hasOwn(MODES, values.type ?? "sync") ? MODES[values.type ?? "sync"]! : undefined;
    if (mode === undefined) throw wrong("--type is sync, async or commit");
    if (values.yes !== true && !(process.stdin.isTTY === true && process.stderr.isTTY === true))
      throw wrong("there is no terminal to ask on: say --yes");
    const addresses = onlineAddresses(values, typed);
    const walletName = await resolveWalletName("wallet send", values, values.wallet);
    return online(values, addresses, async ({ sender, signal }) => {
      const { chainId, node } = await sender.destination();
      const source = new HttpNode(node);
      // Before a passphrase is asked for: a mistyped amount or asset ends here.
      const asset = assetOf(name, await source.listAssets(), wrong);
      const units = amountInUnits(amount, asset, wrong);
      const parties = await partiesOf(node);
      return withWallet(walletName, values, async (wallet) => {
        const { publicKey } = wallet.key(resolveKey("wallet send", values, wallet, values.key));
        const own = wallet.keys.map((key) => ({ ...key, origin: `the wallet ${plain(walletName)}` }));
        const { publicKey: to, key: receiver } = recipientOf(TO, [...own, ...parties], wrong);
        const { reference } = values;
        const transfer = checkedCommand(transferOf({ asset: asset.id, amount: units, to, reference }));
        const costs = await confirm(transfer, {
          ...{ publicKey, walletName, source, chainId, receiver },
          isAgreed: values.yes === true,
          isQuiet: values.quiet === true || values.json === true,
        });
        // A node that names another chain meanwhile gets no signature for it.
        sender.pin(chainId);
        const sign: Job["sign"] = (content) => wallet.signTransaction(publicKey, content);
        const { hash, height, host } = await sender.send(
          { publicKey, command: transfer, signal, sign },
          mode,
        );
        if (values.json) {
          print({
            ...{ transactionHash: hash, height: height.toString(), node: { host }, chainId, publicKey },
            ...{ to, asset: asset.id, symbol: asset.symbol, amount: units, costs },
          });
        } else {
          process.stdout.write(`${hash}\n`);
          if (!values.quiet) say(await outcomeText(sender, hash, height));
        }
        return ExitCode.done;
      });
    });
  },
});

/** As a chain takes for a block, and some: a chain may make none. */
const INCLUSION_MS = 10_000;

/** @throws NetworkRefusal where its block refused it */
async function outcomeText(sender: TransactionSender, hash: string, height: bigint): Promise<string> {
  const inclusion = height > 0n ? undefined : await sender.inclusion(hash, INCLUSION_MS);
  if (inclusion !== undefined && inclusion.code !== 0)
    throw new NetworkRefusal(inclusion.code, inclusion.reason, inclusion.height);
  return green(outcomeLine({ kind: "sent", hash, height: inclusion?.height ?? height }));
}

interface Sending {
  readonly publicKey: string;
  readonly walletName: string;
  readonly source: HttpNode;
  readonly chainId: string;
  /** Undefined for a key without a name here. */
  readonly receiver: NamedKey | undefined;
  readonly isAgreed: boolean;
  readonly isQuiet: boolean;
}

/** Shows the transfer with its costs, and asks unless it is agreed. @throws NodeError when the user declines */
async function confirm(transfer: CommandInit, sending: Sending): Promise<readonly Cost[]> {
  const { publicKey, walletName, source, chainId, receiver, isAgreed, isQuiet } = sending;
  const network = new NetworkFacts([source]);
  const facts = await network.of(transfer);
  const costs = await network.costs(transfer, publicKey, facts);
  const { title, lines, warnings } = commandWords(transfer, publicKey, facts);
  const about: Line[] = [
    ["with the key", `${publicKey} of ${plain(walletName)}`],
    ["chain", named(chainId)],
    ["node", named(source.host)],
  ];
  if (receiver !== undefined) about.unshift(["which is", `${named(receiver.name)} of ${receiver.origin}`]);
  const shown = wordLines({
    title,
    lines: [...lines, ...about, ...costLines(costs)],
    warnings: [...warnings, ...costWarnings(costs)],
  });
  if (!isAgreed || !isQuiet) say(shown.join("\n"));
  if (isAgreed) return costs;
  const answer = await promptLine("send it? yes/NO");
  if (!/^y(es)?$/i.test(answer.trim())) throw walletError("not_confirmed", "it was not signed");
  return costs;
}
