// Who decides on what pages ask for: a narrow port. Adapters: the desk (desk.ts), where a person answers in a terminal
// or through the local socket; a policy (policies/policy-approver.ts); everything at once, on a devnet (approve-all.ts).
import type { CommandInit } from "../../wire/transaction-build.ts";
import type { Words } from "./words.ts";

interface Asked {
  readonly id: string;
  /** Host of the page, or of a program with a token. */
  readonly hostname: string;
  /** RFC 3339. */
  readonly receivedAt: string;
}

/** A page wants to use a wallet. */
export interface ConnectionRequest extends Asked {
  readonly kind: "connection";
  /** To choose from. */
  readonly wallets: readonly string[];
}

/** A page wants to see public keys. */
export interface KeysRequest extends Asked {
  readonly kind: "keys";
  readonly wallet: string;
  readonly keys: readonly { readonly name: string; readonly publicKey: string }[];
}

export type Purpose = "send" | "sign" | "check";

/** A page wants a transaction signed; `words` is what it does. */
export interface TransactionRequest extends Asked {
  readonly kind: "transaction";
  readonly purpose: Purpose;
  readonly wallet: string;
  readonly publicKey: string;
  readonly keyName: string;
  /** Identifier of the long-living token, where one was used. */
  readonly token: string | undefined;
  readonly command: CommandInit;
  readonly words: Words;
  /** The command as JSON: everything that is signed but nonce and height. */
  readonly raw: string;
  /** The running epoch of the network, for limits. @throws when no node can be asked */
  epoch(): Promise<bigint>;
}

/** A wallet is locked and its passphrase needed. */
export interface PassphraseRequest extends Asked {
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
  /** Of a passphrase; whoever takes it wipes it. */
  readonly passphrase?: Uint8Array;
}

export type Decision =
  | Approved
  | { readonly outcome: "rejected"; readonly reason?: string }
  /** Put aside by the user. */
  | { readonly outcome: "cancelled" }
  /** Nobody can answer any more: the service ends. */
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
  /** What came of a transaction that was approved. */
  settled?(request: TransactionRequest, isSent: boolean): void;
}
