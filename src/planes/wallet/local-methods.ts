/**
 * Methods of the wallet's local socket that Lyra's own programs call, one declaration each: the handler in
 * `local-socket.ts` and the caller (`askService` in `cli/wallet-session.ts`) have their types from it. The other
 * administrative methods are the original's (`wallet/service/admin/`).
 */
import type { ApprovalRequest } from "../../wallet/approvals/approver.ts";
import type { ShownRequest } from "../../wallet/approvals/shown.ts";

interface Answer {
  /** Of the request. */
  readonly id: string;
  readonly outcome: "approved" | "rejected" | "cancelled";
  /** Of a rejection: ends what else the site, or every site, asks for. */
  readonly reach?: "site" | "all";
  readonly wallet?: string;
  /** Whether the connection outlives the service. */
  readonly keep?: boolean;
  readonly allowedKeys?: readonly string[];
  readonly passphrase?: string;
}

interface NoParams {
  readonly [name: string]: never;
}

/** Requests that wait for a person, and the state of the service. */
export interface DeskMethods {
  "approvals.list": { params: NoParams; result: { readonly requests: readonly ShownRequest[] } };
  /** The request to answer first; null without one. */
  "approvals.next": { params: NoParams; result: { readonly request: ShownRequest | null } };
  "approvals.waits": { params: { readonly id: string }; result: { readonly waits: boolean } };
  /** The outcome of an approved transaction in words; null until it has one. */
  "approvals.outcome": { params: { readonly id: string }; result: { readonly outcome: string | null } };
  "approvals.answer": {
    params: Answer;
    result: { readonly answered: boolean; readonly kind: ApprovalRequest["kind"] };
  };
  "approvals.reject_all": { params: NoParams; result: { readonly rejected: number } };
  "service.status": { params: NoParams; result: object };
}

interface WalletName {
  readonly wallet: string;
}

export interface LocalMethods extends DeskMethods {
  /** The opposite of `admin.unlock_wallet`, which the original does not have. */
  "service.lock_wallet": { params: WalletName; result: { readonly wasUnlocked: boolean } };
  "admin.unlock_wallet": { params: WalletName & { readonly passphrase: string }; result: object | null };
  "admin.remove_wallet": { params: WalletName; result: null };
  "admin.rename_wallet": { params: WalletName & { readonly newName: string }; result: null };
  "admin.list_wallets": { params: NoParams; result: { readonly wallets: readonly string[] } };
  "admin.list_connections": {
    params: NoParams;
    result: {
      readonly activeConnections: readonly { readonly hostname: string; readonly wallet: string }[];
    };
  };
  "admin.close_connection": { params: WalletName & { readonly hostname: string }; result: null };
  "admin.close_connections_to_hostname": { params: { readonly hostname: string }; result: null };
}

export type LocalMethod = keyof LocalMethods;
