// Sending a finished transaction to a node (docs/protocol/00-interface.md#42-submit-raw-transaction). A single request:
// what may have arrived is never sent again by itself, so a failure says whether it may have.
import { NOT_SENT } from "../../engine/chain-port.ts";
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { requestAnswer } from "../../fetch/answer.ts";

export type SendingMode = "TYPE_ASYNC" | "TYPE_SYNC" | "TYPE_COMMIT";

export interface SubmissionResult {
  readonly txHash: string;
  /** 0 when the node took it. */
  readonly code: number;
  /** Why it did not; empty when it did. */
  readonly reason: string;
  /** Of the block that it is in; 0 as long as that is not known. */
  readonly height: bigint;
}

interface SubmissionOptions {
  /** Address of the node's REST interface, e.g. `http://127.0.0.1:3003`. */
  readonly node: string;
  readonly mode: SendingMode;
  readonly timeoutMs: number;
}

/** Bytes of an answer: it holds a hash and a sentence. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** In the words of a node that does not have it, or has it already. */
const REFUSED = new RegExp(`Tx too large|already exists in cache|${NOT_SENT}`);
/** Failures of a connection that was never there: nothing was sent. */
const NEVER_CONNECTED: readonly string[] = [
  "ConnectionRefused",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "FailedToOpenSocket",
  "DNSException",
];

/** @throws NodeError `node_unreachable` when it was not sent, `outcome_unknown` when it may have been, `node_busy`, `node_refused` */
export async function submitRaw(
  transaction: Uint8Array,
  options: SubmissionOptions,
): Promise<SubmissionResult> {
  const { status, text } = await post(transaction, options);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw outcomeUnknown(`the node answered ${status}, and no JSON`);
  }
  if (typeof answer !== "object" || answer === null)
    throw outcomeUnknown(`the node answered ${status} with no object`);
  const members = answer as Readonly<Record<string, unknown>>;
  if (status !== 200) throw refusedByNode(status, members);
  const code = Number(members.code ?? 0);
  // A proxy in front of a node says nothing about what the node has.
  if (!Number.isInteger(code) || (members.success === undefined && members.code === undefined)) {
    throw outcomeUnknown("its answer is not a node's");
  }
  const isAccepted = code === 0 && members.success === true;
  return {
    txHash: String(members.txHash ?? ""),
    code,
    reason: isAccepted ? "" : reasonIn(members) || "the node did not accept it",
    height: /^\d{1,19}$/.test(String(members.height)) ? BigInt(String(members.height)) : 0n,
  };
}

async function post(
  transaction: Uint8Array,
  { node, mode, timeoutMs }: SubmissionOptions,
): Promise<{ status: number; text: string }> {
  const url = submissionUrl(node);
  try {
    const answer = await requestAnswer(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ tx: transaction.toBase64(), type: mode }),
      // A redirect would send it a second time, and to an address that nobody named.
      redirect: "manual",
      keepalive: false,
      timeoutMs,
    });
    if (answer.status >= 300 && answer.status < 400) {
      await answer.discard();
      throw new NodeError(
        "tx.send",
        "node_redirects",
        "the node's address leads somewhere else",
        "say the address itself",
      );
    }
    return { status: answer.status, text: await answer.text(ANSWER_BYTES_MAX) };
  } catch (error) {
    if (error instanceof NodeError) throw error;
    const { name, code = "" } = error as { name?: string; code?: string };
    if (NEVER_CONNECTED.includes(code)) {
      throw new NodeError(
        "tx.send",
        "node_unreachable",
        `the node at ${url.origin} cannot be reached; nothing was sent`,
        "see whether it runs, then send again",
      );
    }
    const isLate = name === "TimeoutError" || name === "AbortError";
    throw outcomeUnknown(
      isLate ? `no answer within ${timeoutMs} ms` : `the connection broke: ${reasonOf(error)}`,
    );
  }
}

/** @throws NodeError with exit code 2 */
function submissionUrl(node: string): URL {
  const url = URL.parse(`${node.replace(/\/+$/, "")}/transaction/raw`);
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw new NodeError("tx.send", "usage", "a node's address is like http://127.0.0.1:3003");
}

/**
 * The words are in `log` here; the original leaves that empty, and gives them in `data`, of raw submissions as
 * hexadecimal, of typed ones as they are (docs/protocol/30-node-api-endpoints.md#51-coreservice).
 */
function reasonIn(members: Readonly<Record<string, unknown>>): string {
  if (typeof members.log === "string" && members.log !== "") return members.log;
  const data = String(members.data ?? "");
  const isHex = data.length > 0 && data.length % 2 === 0 && /^[0-9A-F]+$/.test(data);
  return isHex ? Buffer.from(data, "hex").toString("utf8") : data;
}

function refusedByNode(status: number, { message, details }: Readonly<Record<string, unknown>>): NodeError {
  const first = Array.isArray(details)
    ? (details[0] as { message?: unknown; inner?: unknown } | undefined)
    : undefined;
  const parts = [message, first?.message, first?.inner].filter(
    (part) => typeof part === "string" && part !== "",
  );
  const sentence = `the node answered ${status}: ${parts.join(": ") || "no reason"}`;
  // A transaction that waits there is "already in cache", before the node looks for room.
  if (/mempool is full/.test(sentence)) return nodeBusy(`${sentence}; it was not taken`);
  if (status === 429) return nodeBusy(`${sentence}; nothing was sent`);
  // The chain behind a node can have it although the node failed, or gave its question up.
  return (status >= 500 || status === 408) && !REFUSED.test(sentence)
    ? outcomeUnknown(sentence)
    : new NodeError("tx.send", "node_refused", sentence);
}

/** The node, or who stands in front of it, has no time for this now: retry it, or another node. */
export function nodeBusy(what: string): NodeError {
  return new NodeError("tx.send", "node_busy", what, "try again later");
}

function outcomeUnknown(what: string): NodeError {
  return new NodeError(
    "tx.send",
    "outcome_unknown",
    `${what}; the transaction may have been sent`,
    "look for its hash before sending it again; sent twice it is executed once",
  );
}
