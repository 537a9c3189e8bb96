// Results of transactions in the forms of the consensus engine's RPC
// (docs/protocol/30-node-api-endpoints.md#7-checkdeliver-pipeline and #8-cometbft-rpc-underneath).
import type { TxOutcome } from "../../engine/chain-port.ts";
import { type Attributes, attributesOf, eventsOf } from "../../wire/transaction-attributes.ts";

/** Codes whose text is in `info` too; those of admission (51, 89) are in `data` alone. */
const CODES_IN_INFO: ReadonlySet<number> = new Set([60, 70, 71, 80]);
/** Where a refusal came before the transaction could be read. */
const UNREADABLE = 60;

/** A transaction in a block. */
export interface BlockTx {
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly code: number;
  /** Text of a failure, where it is known. */
  readonly text: string;
}

/** The RPC of this version has keys and values in base64. */
function rpcEventsOf(attributes: Attributes) {
  return eventsOf(attributes).map(({ type, attributes: all }) => ({
    type,
    attributes: all.map(({ key, value, index }) => ({ key: base64(key), value: base64(value), index })),
  }));
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/** The application's data of a result: the text of a failure. */
export function dataOf({ code, text }: { readonly code: number; readonly text: string }): Uint8Array {
  return code === 0 ? new Uint8Array(0) : Buffer.from(text, "utf8");
}

function resultOf(verdict: { readonly code: number; readonly text: string }, attributes: Attributes) {
  const { code, text } = verdict;
  const data = dataOf(verdict);
  return {
    code,
    data: data.length === 0 ? null : Buffer.from(data).toString("base64"),
    log: "",
    info: CODES_IN_INFO.has(code) ? text : "",
    gas_wanted: "0",
    gas_used: "0",
    events: rpcEventsOf(attributes),
    codespace: "",
  };
}

/** Result of an execution. */
export function deliverResult(tx: BlockTx) {
  return resultOf(tx, attributesOf(tx));
}

export const NO_RESULT = resultOf({ code: 0, text: "" }, []);

/** Result of the mempool's check. */
export function checkResult(outcome: TxOutcome, bytes: Uint8Array) {
  const isRead = outcome.code !== UNREADABLE;
  return {
    ...resultOf(outcome, isRead ? attributesOf({ bytes, hash: outcome.hash }) : []),
    gas_wanted: String(outcome.gasWanted),
    sender: "",
    priority: "0",
    mempoolError: "",
  };
}

/** Answer of `broadcast_tx_sync`. */
export function broadcastResult(outcome: TxOutcome) {
  const data = Buffer.from(dataOf(outcome)).toString("hex").toUpperCase();
  return { code: outcome.code, data, log: "", codespace: "", hash: outcome.hash };
}
