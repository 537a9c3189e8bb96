/**
 * Hands a transaction to the nodes that were given, one after the other. Where an answer is lost the
 * transaction may have arrived: the same bytes are sent again, which the chain takes once, and "already there" is then a success.
 */
import { ChainCallError, NOT_SENT } from "../engine/chain-port.ts";
import type { CometTxResult } from "./client.ts";
import { CometError, CometUnreachable } from "./client.ts";

/** A way to a chain's mempool. */
export interface Submitter {
  /** @throws CometError with the node's own words; CometUnreachable when it may have arrived, or not */
  submit(bytes: Uint8Array): Promise<CometTxResult>;
}

const ATTEMPTS_MAX = 3;
const RETRY_MS = 200;
const KNOWN = /already exists in cache/i;
/** Nothing was sent. */
const NOT_CONNECTED = /ECONNREFUSED|ConnectionRefused|ENOTFOUND|EHOSTUNREACH/;
/** The node has it, and its first answer was lost. */
const TAKEN: CometTxResult = { code: 0, text: "" };

/**
 * @param whose the nodes, in the words of an error
 * @param isSettled whether a block holds the transaction meanwhile
 * @throws ChainCallError when no node could be asked, or one does not take it
 */
export async function handOver(
  nodes: readonly Submitter[],
  bytes: Uint8Array,
  isSettled: () => boolean = () => false,
  whose = "the followed node",
): Promise<CometTxResult> {
  let attempts = 0;
  let mayHaveArrived = false;
  for (;;) {
    const node = nodes[Math.min(Math.floor(attempts / ATTEMPTS_MAX), nodes.length - 1)]!;
    attempts++;
    try {
      const answer = await node.submit(bytes);
      if (answer.code === 0 || !mayHaveArrived) return answer;
      // Its own first arrival may be what it is refused for now.
      if (isSettled()) return TAKEN;
      throw new ChainCallError("stopped", `an answer was lost, and the node then refused: ${answer.text}`);
    } catch (error) {
      if (error instanceof CometError) {
        if (mayHaveArrived && KNOWN.test(error.message)) return TAKEN;
        throw new ChainCallError(codeOf(error.message), error.message);
      }
      if (!(error instanceof CometUnreachable)) throw error;
      mayHaveArrived ||= !NOT_CONNECTED.test(error.message);
      if (isSettled()) return TAKEN;
      if (attempts >= ATTEMPTS_MAX * nodes.length) {
        const sent = mayHaveArrived ? "" : `; ${NOT_SENT}`;
        throw new ChainCallError("stopped", `${whose} cannot be asked: ${error.message}${sent}`);
      }
      await Bun.sleep(RETRY_MS * (1 + ((attempts - 1) % ATTEMPTS_MAX)));
    }
  }
}

function codeOf(words: string): ChainCallError["code"] {
  if (KNOWN.test(words)) return "duplicate";
  if (/mempool is full/i.test(words)) return "mempool_full";
  if (/too large|too big/i.test(words)) return "too_large";
  return "stopped";
}
