// Failures of the wallet as the service's error objects (docs/protocol/50-wallet-service.md#16-json-rpc-error-catalogue).
import { NodeError } from "../../errors/node-error.ts";
import type { Decision, Purpose } from "../approvals/approver.ts";
import { NetworkRefusal } from "../sending/nodes.ts";
import {
  cancelledByApplication,
  connectionClosed,
  internalError,
  interrupted,
  invalidParams,
  networkError,
  notPermitted,
  RpcError,
  userCancelled,
  userRejected,
} from "./rpc.ts";

const GERUND: Readonly<Record<Purpose, string>> = { send: "sending", sign: "signing", check: "checking" };

export const rejected = {
  connection: () => userRejected("the user rejected the wallet connection"),
  keys: () => userRejected("the user rejected the access to the keys"),
  transaction: (purpose: Purpose) =>
    userRejected(`the user rejected the ${GERUND[purpose]} of the transaction`),
};

/** @throws RpcError unless the decision is an approval */
export function approvedOrThrow(decision: Decision, onRejected: () => RpcError) {
  switch (decision.outcome) {
    case "approved":
      return decision;
    case "rejected":
      throw onRejected();
    case "cancelled":
      throw userCancelled();
    case "closed":
      throw connectionClosed();
    case "interrupted":
      throw interrupted();
    case "busy":
      throw notPermitted("a request is already being processed");
  }
}

/** The names of the network's codes (docs/protocol/40-pow-spam.md#6-wallet-side-algorithm). */
const REFUSAL_TEXT: Readonly<Record<number, string>> = {
  51: "the network rejected the transaction because it's invalid",
  60: "the network rejected the transaction because it's malformed",
  70: "the network could not process the transaction",
  80: "the network does not support this transaction",
  89: "the network blocked the transaction through the spam protection",
};

/** Refusals of the wallet's own, before anything was sent. */
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  "party_banned",
  "maximum_reached",
  "quota_reached",
  "proof_late",
  "hash_function_unknown",
  "policy_limit",
]);
const NO_NODE = 1000;
/** Node unreachable or misbehaving. */
const NETWORK: ReadonlySet<string> = new Set([
  "no_healthy_node",
  "wrong_chain",
  "chain_unconfirmed",
  "last_block_unknown",
  "chain_id_unknown",
  "chain_id_unusable",
  "node_unreachable",
  "node_busy",
  "node_refused",
  "node_redirects",
  "outcome_unknown",
]);

/** @param coarse what is said of a failure that nobody expected */
export function rpcErrorOf(error: unknown, coarse: string): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof NetworkRefusal) return refusal(error);
  if (!(error instanceof NodeError)) return internalError(coarse);
  if (BEFORE_SENDING.has(error.code)) return cancelledByApplication(error.message);
  if (NETWORK.has(error.code)) return networkError(NO_NODE, error.message);
  if (error.code === "interrupted" || error.code === "cancelled") return interrupted();
  if (error.code === "command_invalid" || error.code === "command_broken")
    return invalidParams(error.message);
  return internalError(coarse);
}

/** Pages are not told where the nodes of their user are. */
export function withoutAddresses(error: RpcError): RpcError {
  if (error.code !== NO_NODE) return error;
  return networkError(NO_NODE, error.data.replace(/ ?\bhttps?:\/\/[^\s,;]*[^\s,;:.]/g, ""));
}

function refusal({ abciCode, reason }: NetworkRefusal): RpcError {
  const refusal = REFUSAL_TEXT[abciCode];
  if (refusal === undefined) {
    return networkError(1001, `the transaction failed: ${reason} (ABCI code ${abciCode})`);
  }
  return networkError(1000 + abciCode, `${refusal}: ${reason} (ABCI code ${abciCode})`);
}
