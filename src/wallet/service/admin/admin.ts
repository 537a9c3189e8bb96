/**
 * The administrative methods (reference 50, section 3.2). They have no check of who asks: they are for the channel
 * that only the local user reaches, never for the HTTP port.
 */

import type { Solver } from "../../../chain/admission/pow/solver.ts";
import { NodeError } from "../../../errors/node-error.ts";
import { NetworkRefusal } from "../../sending/nodes.ts";
import type { TransactionSender } from "../../sending/sender.ts";
import type { ApiTokens } from "../api-tokens.ts";
import { rpcErrorOf } from "../failures.ts";
import type { KnownChains } from "../known-chains.ts";
import type { Networks } from "../networks.ts";
import type { OpenWallets } from "../open-wallets.ts";
import { internalError, invalidParams, notPermitted, RpcError } from "../rpc.ts";
import type { Sessions } from "../sessions.ts";
import { connectionMethods } from "./connections.ts";
import { keyMethods } from "./keys.ts";
import { messageMethods } from "./messages.ts";
import { networkMethods } from "./networks.ts";
import { permissionMethods } from "./permissions.ts";
import { transactionMethods } from "./transactions.ts";
import { walletMethods } from "./wallets.ts";

export interface AdminParts {
  readonly wallets: OpenWallets;
  readonly sessions: Sessions;
  readonly tokens: ApiTokens;
  readonly networks: Networks;
  readonly solver: Solver;
  /** Ends what a hostname has and does. */
  revokeHostname(hostname: string): Promise<number>;
  /** Ends the sessions with a wallet, of one hostname or of all, and what is asked for of it. */
  revokeWallet(wallet: string, hostname?: string): Promise<number>;
  /** Ends what is asked for of a wallet that is gone. */
  dismissWallet(wallet: string): void;
  /** The chains that these nodes are known to be of. @param chainId the one that the network's settings name */
  chainsOf(hosts: readonly string[], chainId: string | undefined): KnownChains;
  /** A sender to nodes of one's choice; whoever gets it closes it. */
  senderTo(hosts: readonly string[], chainId: string | undefined): TransactionSender;
  readonly wallMs: () => number;
}

/** @returns the result; undefined for a method without one */
export type AdminMethod = (parts: AdminParts, params: unknown) => Promise<unknown>;

export const ADMIN_METHODS: Readonly<Record<string, AdminMethod>> = {
  ...walletMethods,
  ...keyMethods,
  ...messageMethods,
  ...transactionMethods,
  ...permissionMethods,
  ...networkMethods,
  ...connectionMethods,
};

/** Refusals of what was asked for, in the original's words. */
const INVALID: ReadonlySet<string> = new Set([
  "wallet_unknown",
  "wallet_exists",
  "wrong_passphrase",
  "key_unknown",
  "network_unknown",
  "network_exists",
  "permissions_inconsistent",
  "rotation_refused",
  "command_invalid",
  "command_broken",
]);

/** Failures as error objects. Unlike those of pages they say what went wrong. */
export function adminErrorOf(error: unknown): RpcError {
  if (error instanceof RpcError || error instanceof NetworkRefusal) return rpcErrorOf(error, "");
  if (!(error instanceof NodeError)) return internalError("the request failed inside the wallet");
  if (error.code === "wallet_locked") return notPermitted("the wallet is locked");
  if (INVALID.has(error.code)) return invalidParams(error.message);
  const known = rpcErrorOf(error, "");
  return known.code === -32603 ? internalError(error.message) : known;
}
