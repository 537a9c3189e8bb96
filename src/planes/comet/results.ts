// Results of transactions in the forms of the consensus engine's RPC (reference 30, sections 7 and 8).
import type { TxOutcome } from "../../engine/chain-port.ts";
import { type CheckedTransaction, readTrusted } from "../../wire/transaction-check.ts";
import { COMMANDS } from "../../wire/transaction-commands.ts";
import { PropertyErrors } from "../../wire/validate/check.ts";

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

/** Indexed attributes of a transaction, each with its event's name in front: `command.type`. */
type Attributes = readonly (readonly [name: string, value: string])[];

/** The attributes of a transaction that could be read. */
export function attributesOf({ bytes, hash }: Pick<BlockTx, "bytes" | "hash">): Attributes {
  let tx: CheckedTransaction | PropertyErrors;
  try {
    tx = readTrusted(bytes, hash.toLowerCase());
  } catch {
    return [];
  }
  if (tx instanceof PropertyErrors) return [];
  const payload = tx.payload as unknown as { readonly [name: string]: unknown };
  const text = (name: string) => (typeof payload[name] === "string" ? (payload[name] as string) : "");
  const named = NAMED[tx.kind] ?? [];
  const more = named.flatMap(([name, member]): [string, string][] =>
    text(member) === "" ? [] : [[`command.${name}`, text(member)]],
  );
  return [["tx.submitter", tx.party], ["command.type", COMMANDS[tx.kind].displayName], ...more];
}

type Named = readonly (readonly [attribute: string, member: string])[];
const MARKET: Named = [["market", "marketId"]];
const REFERENCE: Named = [["reference", "reference"]];
const NAMED: { readonly [K in CheckedTransaction["kind"]]?: Named } = {
  orderSubmission: [...MARKET, ...REFERENCE],
  orderCancellation: MARKET,
  orderAmendment: MARKET,
  liquidityProvisionSubmission: [...MARKET, ...REFERENCE],
  liquidityProvisionAmendment: [...MARKET, ...REFERENCE],
  liquidityProvisionCancellation: MARKET,
  transfer: [["asset", "asset"], ...REFERENCE],
  withdrawSubmission: [["asset", "asset"]],
  proposalSubmission: REFERENCE,
  nodeVote: REFERENCE,
  voteSubmission: [["proposal", "proposalId"]],
};

function eventsOf(attributes: Attributes) {
  const types = [...new Set(attributes.map(([name]) => name.slice(0, name.indexOf("."))))];
  return types.map((type) => ({
    type,
    attributes: attributes
      .filter(([name]) => name.startsWith(`${type}.`))
      .map(([name, value]) => ({
        key: base64(name.slice(type.length + 1)),
        value: base64(value),
        index: true,
      })),
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
    events: eventsOf(attributes),
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
