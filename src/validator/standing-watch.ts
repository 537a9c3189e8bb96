/**
 * Notices that this validator stands still while others go on: one whose state differs from theirs is not told so by its
 * consensus engine, which lives on and answers. So does one that lost the application in the moment before a commit, and
 * hangs for good. Reads go on then, submissions do not.
 */

import type { AbciChain } from "../abci/abci-chain.ts";
import type { CometClient } from "../comet/client.ts";
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError } from "../errors/node-error.ts";

const LOOK_MS = 1_000;
/** A validator that is behind for this long without a block of its own does not only come late. */
const STILL_MS = 5_000;
/** Blocks that a peer may be ahead of what is committed here: the one under way, and one more. */
const AHEAD_MAX = 2;

interface Facts {
  /** Of the last block here. */
  readonly height: number;
  /** Heights that peers work on. */
  readonly peers: readonly number[];
  /** Whether the consensus engine, which answers, has dialled this application. */
  readonly isDialled: boolean;
}

/** Judges the heights that are noted, by time. */
export class Standing {
  private height = -1;
  private isDialled = true;
  private sinceMs = 0;

  /** @returns why this validator is not with the others; undefined while it is */
  note({ height, peers, isDialled }: Facts, nowMs: number): string | undefined {
    // A validator without a block takes a state from the others, or begins.
    const ahead = height === 0 ? [] : peers.filter((peer) => peer > height + AHEAD_MAX);
    const isWell = isDialled && (height !== this.height || ahead.length === 0);
    if (isWell || isDialled !== this.isDialled) {
      this.height = height;
      this.isDialled = isDialled;
      this.sinceMs = nowMs;
      return undefined;
    }
    if (nowMs - this.sinceMs < STILL_MS) return undefined;
    if (!isDialled)
      return `this validator stands at block ${height}: its consensus engine answers, and has not dialled it: it hangs, and must be killed and started again`;
    return `this validator stands at block ${height} while ${ahead.length} of its ${peers.length} peers are at block ${Math.max(...ahead) - 1}: its state differs from theirs, or its consensus engine has failed`;
  }
}

/** Looks at the own consensus engine again and again. @returns a function that ends it */
export function watchStanding(
  chain: AbciChain,
  engine: CometClient,
  isDialled: () => boolean,
  nowMs = () => performance.now(),
): () => void {
  const standing = new Standing();
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
          ? standing.note({ height: chain.committed.height, peers, isDialled: isDialled() }, nowMs())
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
