/**
 * The administrative methods (docs/protocol/50-wallet-service.md#32-admin). They have no check of who asks: they are
 * for the channel that only the local user reaches, never for the HTTP port.
 */

import { NodeError } from "../../../errors/node-error.ts";
import { NetworkRefusal } from "../../sending/nodes.ts";
import { rpcErrorOf } from "../failures.ts";
import { internalError, invalidParams, notPermitted, RpcError } from "../rpc.ts";
import { networkMethods } from "./networks.ts";
import type { AdminMethod } from "./shared.ts";
import { messageMethods, transactionMethods } from "./transactions.ts";
import { connectionMethods, keyMethods, permissionMethods, walletMethods } from "./wallets.ts";

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
  const rpcError = rpcErrorOf(error, "");
  return rpcError.code === -32603 ? internalError(error.message) : rpcError;
}
