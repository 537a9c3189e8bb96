/**
 * Whether a validator serves what readers and senders may expect, from facts alone: `/readyz`, `/status`, `lyra_ready` and
 * the log all say what is decided here.
 */
import type { ErrorCode } from "../errors/program-codes.ts";

/** All times in Unix milliseconds. */
export interface ValidatorFacts {
  readonly nowMs: number;
  /** Why no further block is made here: an upgrade. */
  readonly upgrade: string | undefined;
  /** Of the last block here; 0 before the first. */
  readonly height: number;
  /** When the last block came; before the first one of this process the block's own time. */
  readonly blockMs: number;
  /** Usual time between two blocks; undefined before two blocks. */
  readonly paceMs: number | undefined;
  /** Whether the consensus engine has dialled the application, and since when. */
  readonly connection: { readonly isOpen: boolean; readonly sinceMs: number };
  /** Why the engine's RPC does not answer, undefined where it does; and since when. */
  readonly rpc: { readonly problem: string | undefined; readonly sinceMs: number };
  /** Whether the engine still fetches blocks that others have, by its last answer. */
  readonly isCatchingUp: boolean;
  /** Heights that peers work on, by its last answer. */
  readonly peers: readonly number[];
  /** Since when a peer is ahead of a validator that gets no block; undefined where none is. */
  readonly aheadSinceMs: number | undefined;
  /** Whether a state from the other validators is being restored. */
  readonly isTakingState: boolean;
  /** Why the last block could not be stored; undefined where it was. */
  readonly failure: string | undefined;
  /** When the disk was last full, if it was since the last block. */
  readonly diskFullMs: number | undefined;
}

/** Why a validator is not ready. */
export interface Unreadiness {
  /** Of an error; without it the reason belongs to a start. */
  readonly code?: ErrorCode;
  /** A sentence for operators. */
  readonly text: string;
  /** The way out. */
  readonly hint?: string;
  /** A ready validator stays ready when the reason goes away within this time: a balancer need not notice a restart of its engine. */
  readonly mayLastMs?: number;
  /** Whether submissions would be lost: they are refused. */
  readonly isStalled?: boolean;
}

/** A validator that peers are ahead of, or whose engine does not dial, is stalled after this time. */
const STALL_MS = 5_000;
/** Blocks that a peer may be ahead of what is committed here: the one under way, and one more. */
export const AHEAD_MAX = 2;
/** A supervisor starts an engine again within it. */
const RESTART_MS = 5_000;
/** A busy engine answers within it. */
const SILENCE_MS = 15_000;
/** Without a block for this time, or for this number of usual times between blocks, the network stands. */
const NO_BLOCK_MS = 20_000;
const NO_BLOCK_PACES = 10;
const NO_BLOCK_MS_MAX = 600_000;
/** Blocks behind the others. */
const BEHIND_MAX = 20;

/** @returns undefined for a validator that is ready */
export function unreadinessOf(facts: ValidatorFacts): Unreadiness | undefined {
  if (facts.upgrade !== undefined) return { code: "upgrade_due", text: facts.upgrade };
  if (facts.failure !== undefined)
    return {
      code: "disk_full",
      text: `this validator stands at block ${facts.height}: ${facts.failure}`,
      hint: "it goes on by itself once there is room",
      isStalled: true,
    };
  const reason =
    facts.connection.isOpen && facts.height > 0 ? amongOthers(facts) : (unconnected(facts) ?? begins(facts));
  return reason && withDisk(reason, facts);
}

function unconnected({ connection, rpc, height, nowMs }: ValidatorFacts): Unreadiness | undefined {
  if (connection.isOpen) return undefined;
  if (rpc.problem === undefined && nowMs - connection.sinceMs >= STALL_MS)
    return {
      code: "engine_hangs",
      text: `this validator stands at block ${height}: its consensus engine answers, and has not dialled it: it hangs, and must be killed and started again`,
      hint: "reads go on, submissions do not; kill the engine with SIGKILL, and start it again",
      isStalled: true,
    };
  return {
    code: "engine_away",
    text: `no consensus engine is connected since ${timeText(connection.sinceMs)}; the last block here is ${height}`,
    hint: "see whether its process runs, and what its log ends with; its proxy_app is the address of --abci",
    mayLastMs: RESTART_MS,
  };
}

/** Before the first block. */
function begins({ isTakingState, peers, isCatchingUp, rpc }: ValidatorFacts): Unreadiness {
  if (isTakingState)
    return { text: "the chain has no block yet: the state is taken from a snapshot of the other validators" };
  const highest = Math.max(0, ...peers) - 1;
  if (highest > 0)
    return {
      text: `the chain has no block yet: its consensus engine ${isCatchingUp ? "fetches a state or blocks" : "has none"}, the others are at block ${highest}`,
    };
  const place = rpc.problem === undefined ? `its consensus engine has ${counted(peers.length)}` : rpc.problem;
  return {
    text: `the chain has no block yet: it begins once more than two thirds of the validators, by power, run; ${place}`,
  };
}

/** Connected, with a block. */
function amongOthers(facts: ValidatorFacts): Unreadiness | undefined {
  const { nowMs, height, peers, isCatchingUp, aheadSinceMs, blockMs, rpc } = facts;
  const best = Math.max(0, ...peers) - 1;
  if (aheadSinceMs !== undefined && nowMs - Math.max(aheadSinceMs, blockMs) >= STALL_MS) {
    const ahead = peers.filter((peer) => peer > height + AHEAD_MAX);
    const cause = isCatchingUp
      ? "a peer that it fetches from has gone, its state differs from theirs, or its consensus engine has failed"
      : "its state differs from theirs, or its consensus engine has failed";
    return {
      code: "validator_differs",
      text: `this validator stands at block ${height} while ${ahead.length} of its ${peers.length} peers are at block ${best}: ${cause}`,
      hint: "reads go on, submissions do not; for the way out: lyra explain validator_differs",
      isStalled: true,
    };
  }
  if (rpc.problem !== undefined)
    return {
      code: "engine_away",
      text: `the consensus engine is connected, and its RPC does not answer since ${timeText(rpc.sinceMs)} (${rpc.problem}); the last block here is ${height}`,
      hint: "it answers when it has handed over the blocks that are missing here; if none comes, see its log, and --consensus-rpc",
      mayLastMs: SILENCE_MS,
    };
  if (isCatchingUp)
    return {
      text: `it catches up with the other validators: block ${height}${best > height ? ` of ${best}` : ""}`,
      mayLastMs: RESTART_MS,
    };
  if (best - height > BEHIND_MAX)
    return {
      code: "validator_behind",
      text: `it is more than ${BEHIND_MAX} blocks behind the other validators: block ${height} of ${best}`,
      hint: "blocks come faster than this machine executes them, or its peers are slow: see its load, and the engine's peers",
      mayLastMs: RESTART_MS,
    };
  if (nowMs - blockMs < noBlockMs(facts.paceMs)) return undefined;
  return {
    code: "chain_stands",
    text: `no block has come since ${timeText(blockMs)} (block ${height}): a third of the voting power or more is away, or this validator is cut off; its consensus engine has ${counted(peers.length)}`,
    hint: "blocks go on by themselves once more than two thirds of the power are there; see which validators are down, and the network between them",
  };
}

/** A time without a block after which the network stands. */
function noBlockMs(paceMs: number | undefined): number {
  return Math.min(NO_BLOCK_MS_MAX, Math.max(NO_BLOCK_MS, NO_BLOCK_PACES * (paceMs ?? 0)));
}

/** A full disk stops the engine in ways that it does not tell. */
function withDisk(reason: Unreadiness, { diskFullMs, nowMs }: ValidatorFacts): Unreadiness {
  if (diskFullMs === undefined || reason.code === undefined) return reason;
  const isFull = nowMs - diskFullMs < STALL_MS;
  return {
    ...reason,
    code: "disk_full",
    text: `${reason.text}; its disk ${isFull ? "is full" : `was full until ${timeText(diskFullMs)}`}`,
    hint: `${isFull ? "make room, then end the consensus engine and start it again" : "end the consensus engine and start it again"}: it does not go on by itself`,
  };
}

function counted(peers: number): string {
  return peers === 0 ? "no peers" : peers === 1 ? "1 peer" : `${peers} peers`;
}

/** In whole seconds, UTC. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A validator is ready again after this time without a reason not to be. */
const WELL_MS = 3_000;

/** Readiness over time: what passes quickly changes nothing, in either direction. */
export class Readiness {
  private since: { readonly isWell: boolean; readonly ms: number } | undefined;
  /** Why it is not ready; undefined while it is. */
  reason: Unreadiness | undefined = { text: "its consensus engine has not connected yet" };

  /** @returns the reason that holds from now on */
  note(reason: Unreadiness | undefined, nowMs: number): Unreadiness | undefined {
    const isWell = reason === undefined;
    if (this.since?.isWell !== isWell) this.since = { isWell, ms: nowMs };
    const lastedMs = nowMs - this.since.ms;
    const wasReady = this.reason === undefined;
    const isSettled = lastedMs >= (isWell ? WELL_MS : wasReady ? (reason.mayLastMs ?? 0) : 0);
    if (isSettled) this.reason = reason;
    return this.reason;
  }
}
