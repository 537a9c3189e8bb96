// The port of decisions on the requests of pages. Adapters: the desk (desk.ts), where a person answers in a terminal
// or through the local socket; a policy (policies/policy-approver.ts); everything at once, on a devnet (approve-all.ts).

import { NodeError } from "../../errors/node-error.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import type { ChainStanding } from "../service/known-chains.ts";
import type { Cost } from "./costs.ts";
import type { Words } from "./formatting.ts";

interface Asked {
  readonly id: string;
  /** Host of the page, or of a program with a token. */
  readonly hostname: string;
  /** The whole origin as the caller wrote it, with its scheme: `https://dapp.example`. */
  readonly origin: string;
  /** RFC 3339. */
  readonly receivedAt: string;
}

/** A page wants to use a wallet. */
interface ConnectionRequest extends Asked {
  readonly kind: "connection";
  /** To choose from. */
  readonly wallets: readonly string[];
  /** Hash of the token that came along: an origin alone proves nothing, as every local program can write one. */
  readonly pairing?: string | undefined;
}

/** A page wants to see public keys. */
export interface KeysRequest extends Asked {
  readonly kind: "keys";
  readonly wallet: string;
  readonly keys: readonly { readonly name: string; readonly publicKey: string }[];
}

export type Purpose = "send" | "sign" | "check";

/** Where a transaction goes, as far as it is known before it is signed. */
export interface Destination {
  /** Undefined when no node answers: then nothing is signed before one does, and its chain has to be the right one. */
  readonly chainId: string | undefined;
  readonly standing: ChainStanding;
  /** Address of the node that says so. */
  readonly node: string;
}

/** The outcome of an approved transaction. */
export type Outcome =
  | {
      readonly kind: "sent";
      readonly hash: string;
      /** 0: not known. */
      readonly height: bigint;
      /** Its block is looked for: another outcome follows. */
      readonly isFollowed?: true;
    }
  /** Handed to the page, that can send it. */
  | { readonly kind: "signed" }
  /** It was signed and reached a node; anyone with its bytes can send them as long as the chain takes them. */
  | { readonly kind: "refused" | "unknown"; readonly reason: string }
  /** Nothing was signed. */
  | { readonly kind: "unsigned"; readonly reason: string };

/** A page wants a transaction signed; `words` is what it does. */
export interface TransactionRequest extends Asked {
  readonly kind: "transaction";
  /** The owner asks for it on the wallet's own page. An origin alone would not prove that: programs write any. */
  readonly isOwn?: true;
  readonly purpose: Purpose;
  readonly wallet: string;
  readonly publicKey: string;
  readonly keyName: string;
  /** Identifier of the long-living token, where one was used. */
  readonly token: string | undefined;
  readonly command: CommandInit;
  readonly words: Words;
  readonly destination: Destination;
  /** Fee, margin, balances and what is left, by a node's word. */
  readonly costs: readonly Cost[];
  /** The command as JSON: everything that is signed but nonce and height. */
  readonly raw: string;
  /** The running epoch of the network, for limits. @throws when no node can be asked */
  epoch(): Promise<bigint>;
}

/** A wallet is locked and its passphrase needed. */
interface PassphraseRequest extends Asked {
  readonly kind: "passphrase";
  readonly wallet: string;
  /** Why, in one sentence; also that the last one was wrong. */
  readonly reason: string;
}

export type ApprovalRequest = ConnectionRequest | KeysRequest | TransactionRequest | PassphraseRequest;

export interface Approved {
  readonly outcome: "approved";
  /** Of a connection: the chosen wallet. */
  readonly wallet?: string;
  /** Of a connection: it is to outlive the service. */
  readonly isKept?: boolean;
  /** Of keys: only these; all without. */
  readonly allowedKeys?: readonly string[];
  /** Of a passphrase; its receiver wipes it. */
  readonly passphrase?: Uint8Array;
  /** A person has read the request, and with it the name of the chain. */
  readonly isByPerson?: boolean;
}

export type Decision =
  | Approved
  | { readonly outcome: "rejected"; readonly reason?: string }
  /** Put aside by the user. */
  | { readonly outcome: "cancelled" }
  /** Ends all questions: the service ends. */
  | { readonly outcome: "closed" }
  /** The page went away, or nobody answered in time. */
  | { readonly outcome: "interrupted" }
  /** Too many of this page's requests wait already. */
  | { readonly outcome: "busy" };

export interface Approver {
  /** For banners and logs. */
  readonly name: string;
  /** Whether it also decides on what programs with a long-living token send; nobody does otherwise. */
  readonly decidesOnTokens?: boolean;
  decide(request: ApprovalRequest, signal: AbortSignal | undefined): Promise<Decision>;
  /**
   * Called before each signature of an approved request: anyone with a signed transaction can send it, so a second
   * signature after a refusal counts as one more. @throws NodeError when it may not be signed
   */
  signing?(request: TransactionRequest): void;
  /** Tells the outcome of an approved transaction. */
  settled?(request: TransactionRequest, outcome: Outcome): void;
}

// Approves every request. For a devnet, whose keys are public and whose money is worthless.

export class ApproveAll implements Approver {
  readonly name = "all";

  /** @throws NodeError where the chain is not a devnet of this process */
  constructor({ isDevnet }: { readonly isDevnet: boolean }) {
    if (isDevnet) return;
    throw new NodeError(
      "wallet.serve",
      "approve_all_refused",
      "a wallet approves everything only for a devnet",
      "use --wallet-approve ask, or a policy",
    );
  }

  async decide(request: ApprovalRequest): Promise<Decision> {
    if (request.kind === "connection") return { outcome: "approved", wallet: request.wallets[0]! };
    // A passphrase cannot be made up: wallets of a devnet are unlocked when it starts.
    return request.kind === "passphrase" ? { outcome: "rejected" } : { outcome: "approved" };
  }
}
