// Answers that the wallet's page reads (planes/wallet/page.ts), for the server and the page alike.

/** Label and text, as terminals show them. */
type PageLine = readonly [label: string, value: string];

interface PageKeyName {
  readonly name: string;
  readonly publicKey: string;
}

/** A request that waits, in the words of the terminal. */
interface PageRequest {
  readonly id: string;
  readonly kind: "connection" | "keys" | "passphrase" | "transaction";
  readonly hostname: string;
  readonly origin: string;
  /** The origin with what it looks like. */
  readonly asker: string;
  /** To read before the answer. */
  readonly warnings: readonly string[];
  /** Likewise, and no warnings. */
  readonly notes: readonly string[];
  readonly receivedAt: string;
  /** This page asks. */
  readonly isOwn?: true;
  readonly wallet?: string;
  readonly wallets?: readonly string[];
  readonly keys?: readonly PageKeyName[];
  readonly purpose?: "send" | "sign" | "check";
  readonly key?: PageKeyName;
  readonly words?: {
    readonly title: string;
    readonly lines: readonly PageLine[];
    /** Lines that were not made, of a batch too long to read. */
    readonly left?: number;
  };
  /** Labels and texts of fee, balance and what is left. */
  readonly balances?: readonly PageLine[];
  /** Chain and node. */
  readonly place: readonly PageLine[];
  /** The command as JSON. */
  readonly raw?: string;
  readonly reason?: string;
}

export interface PageState {
  readonly version: number;
  /** The request to answer first. */
  readonly request: PageRequest | null;
  readonly queue: readonly Pick<PageRequest, "id" | "kind" | "origin">[];
  /** Number of requests that wait. */
  readonly waiting: number;
  readonly wallets: readonly { readonly name: string; readonly isUnlocked: boolean }[];
  readonly connections: readonly {
    readonly hostname: string;
    readonly wallet: string;
    readonly createdAt: string;
    readonly isKept: boolean;
  }[];
  /** Outcomes of transactions that this page approved, newest first. */
  readonly outcomes: readonly { readonly id: string; readonly text: string }[];
}

export interface PageBalance {
  readonly asset: string;
  readonly symbol: string | null;
  readonly text: string;
}

export interface PageWallet {
  readonly name: string;
  readonly keys: readonly (PageKeyName & {
    readonly isTainted: boolean;
    /** `null` where the node does not answer. */
    readonly balances: readonly PageBalance[] | null;
  })[];
}

/** A transfer in the words of `lyra wallet send`. */
export interface PageSending {
  readonly wallet: string;
  readonly key: string;
  readonly amount: string;
  readonly asset: string;
  readonly to: string;
}

/** The sending as it would be asked about. */
export interface PagePreview {
  readonly title: string;
  readonly balances: readonly PageLine[];
  readonly warnings: readonly string[];
}

/** A decision of the log. */
export interface PageActivity {
  readonly entries: readonly {
    readonly time: string;
    readonly kind: "connection" | "keys" | "transaction";
    readonly hostname: string;
    readonly wallet: string;
    readonly outcome: string;
    readonly purpose?: "send" | "sign" | "check";
    readonly publicKey?: string;
    readonly command?: unknown;
    readonly hash?: string;
  }[];
}
