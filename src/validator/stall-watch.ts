/**
 * Notices that this validator stands still while others go on: one whose state differs from theirs is not told so by its
 * consensus engine, which lives on and answers. So does one that lost the application in the moment before a commit, and
 * hangs for good. Reads go on then, submissions do not.
 */

import type { AbciChain } from "../abci/abci-chain.ts";
import type { CometClient } from "../comet/client.ts";
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError } from "../errors/node-error.ts";
import { StallDetector } from "./stall-detector.ts";

const LOOK_MS = 1_000;
/** Looks at the own consensus engine again and again. @returns a function that ends it */
export function watchStalls(
  chain: AbciChain,
  engine: CometClient,
  isDialled: () => boolean,
  nowMs = () => performance.now(),
): () => void {
  const detector = new StallDetector();
  let isEnded = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let before: string | undefined;
  const look = async () => {
    const facts = await factsOf(chain, engine, isDialled);
    if (isEnded) return;
    const reason = chain.haltReason === undefined ? detector.note(facts, nowMs()) : undefined;
    if (reason !== undefined && before === undefined) logFailure(differs(reason));
    if (reason === undefined && before !== undefined)
      logNotice("validator", "this validator goes on with the others");
    // The peers' height in it rises: the first sentence stays.
    if (withoutNumbers(reason) !== withoutNumbers(before)) before = reason;
    chain.bar(before);
    timer = setTimeout(look, LOOK_MS);
  };
  timer = setTimeout(look, LOOK_MS);
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}

const withoutNumbers = (text: string | undefined) => text?.replace(/\d+/g, "");

async function factsOf(chain: AbciChain, engine: CometClient, isDialled: () => boolean) {
  const facts = { peers: [] as readonly number[], engine: "away" as "dialled" | "hangs" | "away" };
  try {
    // An engine that hangs tells its status, and nothing of its peers.
    if (isDialled()) facts.peers = await engine.peerHeights();
    else await engine.status();
    facts.engine = isDialled() ? "dialled" : "hangs";
  } catch {
    // Its supervisor starts it again.
  }
  return { ...facts, height: chain.committed.height, failure: chain.failure };
}

function differs(reason: string): NodeError {
  return new NodeError(
    "validator.consensus",
    "validator_differs",
    reason,
    "reads go on, submissions do not; for the way out: lyra explain validator_differs",
  );
}
