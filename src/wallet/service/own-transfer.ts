// A transfer that the owner asks for on the wallet's own page. It waits at the desk like a request of any page, so that what
// is signed was read and approved by the same words.
import { NodeError } from "../../errors/node-error.ts";
import { costLines, costWarnings } from "../approvals/costs.ts";
import type { ApprovalDesk } from "../approvals/desk.ts";
import { type Line, named, plain } from "../approvals/formatting.ts";
import { wordsOf } from "../approvals/words.ts";
import { walletError } from "../errors.ts";
import { partiesOf } from "../sending/devnet-parties.ts";
import type { NodeClient } from "../sending/nodes.ts";
import { checkedCommand } from "../signing/transaction.ts";
import { amountInUnits, assetOf, recipientOf, transferOf } from "../units.ts";
import type { WalletService } from "./service.ts";
import { sendForOwner } from "./transactions.ts";

interface OwnParts {
  readonly service: WalletService;
  readonly desk: ApprovalDesk;
  readonly node: NodeClient | undefined;
}

interface OwnWords {
  readonly wallet: string;
  readonly key: string;
  /** As people write it. */
  readonly amount: string;
  /** Symbol, name or identifier. */
  readonly asset: string;
  /** A key, or a name: of a key of this wallet, or of a devnet's party. */
  readonly to: string;
}

interface OwnTransfer extends OwnWords {
  readonly hostname: string;
  readonly origin: string;
}

const wrong = (message: string) => new NodeError("wallet.send", "usage", message);

/** @throws NodeError for words that name nothing */
async function commandOf({ service, node }: Omit<OwnParts, "desk">, transfer: OwnWords) {
  const wallet = service.parts.wallets.get(transfer.wallet);
  if (wallet === undefined) throw walletError("wallet_locked", "the wallet is locked", "unlock it first");
  const assets = await node?.listAssets?.();
  if (assets === undefined) throw wrong("the node does not say which assets there are");
  const asset = assetOf(transfer.asset, assets, wrong);
  const amount = amountInUnits(transfer.amount, asset, wrong);
  const own = wallet.keys.map((key) => ({ ...key, origin: `the wallet ${transfer.wallet}` }));
  const parties = node === undefined ? [] : await partiesOf(node.host);
  const { publicKey: to, key: receiver } = recipientOf(transfer.to, [...own, ...parties], wrong);
  const command = checkedCommand(transferOf({ asset: asset.id, amount, to }));
  const { publicKey } = wallet.key(transfer.key);
  return { wallet, publicKey, command, receiver };
}

/** The transfer in words, with fee, balance and what is left by the node's word. @throws NodeError for words that name nothing */
export async function previewOwn(parts: Omit<OwnParts, "desk">, transfer: OwnWords) {
  const { publicKey, command, receiver } = await commandOf(parts, transfer);
  const { facts } = parts.service.parts;
  const resolved = await facts.of(command);
  const costs = await facts.costs(command, publicKey, resolved);
  const { title, warnings } = wordsOf(command, { ...resolved, publicKey });
  const meaning: Line[] =
    receiver === undefined ? [] : [["which is", `${named(receiver.name)} of ${plain(receiver.origin)}`]];
  return {
    title,
    balances: [...meaning, ...costLines(costs)],
    warnings: [...warnings, ...costWarnings(costs)],
  };
}

/** @throws NodeError for words that name nothing, for a refusal by the person, and what comes of sending */
export async function sendOwn({ desk, ...parts }: OwnParts, transfer: OwnTransfer) {
  const { wallet, publicKey, command } = await commandOf(parts, transfer);
  const { hostname, origin } = transfer;
  return sendForOwner(parts.service, desk, { wallet, publicKey, command, hostname, origin });
}
