// A transfer that the owner asks for on the wallet's own page. It waits at the desk like a request of any page, so that what
// is signed was read and approved by the same words.
import { NodeError } from "../../errors/node-error.ts";
import type { ApprovalDesk } from "../approvals/desk.ts";
import { walletError } from "../errors.ts";
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

interface OwnTransfer {
  readonly wallet: string;
  readonly key: string;
  /** As people write it. */
  readonly amount: string;
  /** Symbol, name or identifier. */
  readonly asset: string;
  /** A key, or the name of a key of this wallet. */
  readonly to: string;
  readonly hostname: string;
  readonly origin: string;
}

const wrong = (message: string) => new NodeError("wallet.send", "usage", message);

/** @throws NodeError for words that name nothing, for a refusal by the person, and what comes of sending */
export async function sendOwn({ service, desk, node }: OwnParts, transfer: OwnTransfer) {
  const wallet = service.parts.wallets.get(transfer.wallet);
  if (wallet === undefined) throw walletError("wallet_locked", "the wallet is locked", "unlock it first");
  const assets = await node?.listAssets?.();
  if (assets === undefined) throw wrong("the node does not say which assets there are");
  const asset = assetOf(transfer.asset, assets, wrong);
  const amount = amountInUnits(transfer.amount, asset, wrong);
  const own = wallet.keys.map((key) => ({ ...key, origin: `the wallet ${transfer.wallet}` }));
  const { publicKey: to } = recipientOf(transfer.to, own, wrong);
  const command = checkedCommand(transferOf({ asset: asset.id, amount, to }));
  const { key, hostname, origin } = transfer;
  const { publicKey } = wallet.key(key);
  return sendForOwner(service, desk, { wallet, publicKey, command, hostname, origin });
}
