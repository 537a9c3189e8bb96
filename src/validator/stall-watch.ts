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
    try {
      // An engine that hangs tells its status, and nothing of its peers.
      const peers = isDialled() ? await engine.peerHeights() : [];
      if (!isDialled()) await engine.status();
      const reason =
        chain.haltReason === undefined
          ? detector.note({ height: chain.committed.height, peers, isDialled: isDialled() }, nowMs())
          : undefined;
      if (isEnded) return;
      if (reason !== undefined && before === undefined) logFailure(differs(reason));
      if (reason === undefined && before !== undefined)
        logNotice("validator", "this validator goes on with the others");
      // The peers' height in it rises: the first sentence stays.
      before = reason && (before ?? reason);
      chain.bar(before);
    } catch {
      // An engine that does not answer is started again by its supervisor; submissions fail meanwhile.
    }
    if (!isEnded) timer = setTimeout(look, LOOK_MS);
  };
  timer = setTimeout(look, LOOK_MS);
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}

function differs(reason: string): NodeError {
  return new NodeError(
    "validator.consensus",
    "validator_differs",
    reason,
    "reads go on, submissions do not; for the way out: lyra explain validator_differs",
  );
}
