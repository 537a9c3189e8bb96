/**
 * Looks at a validator's own consensus engine again and again: whether it is connected, how far the others are, and what follows for
 * the validator's readiness (readiness.ts). An engine does not tell by itself that it hangs, that the others go on without it, or that
 * its state differs from theirs.
 */

import type { AbciChain } from "../abci/abci-chain.ts";
import type { CometClient } from "../comet/client.ts";
import type { ChainStatus, ConsensusReport, DoubleSigning } from "../engine/chain-port.ts";
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { ClockSkew } from "../node/clock-skew.ts";
import { MILLISECOND_NS } from "../wire/time-text.ts";
import { AHEAD_MAX, Readiness, type Unreadiness, unreadinessOf, type ValidatorFacts } from "./readiness.ts";

const LOOK_MS = 1_000;
/** The pace of blocks is the median of this number of steps. */
const PACE_STEPS = 11;
/** A start that is not ready sooner is news. */
const START_MS = 10_000;
/** A disk with less room is full: the engine writes a log in pieces of some megabytes. */
const DISK_BYTES_MIN = 4 * 1024 * 1024;

interface WatchedChain
  extends Pick<AbciChain, "committed" | "haltReason" | "failure" | "bar" | "validators"> {
  readonly status: Pick<ChainStatus, "height" | "timeNs" | "previousTimeNs">;
}

interface WatchOptions {
  readonly chain: WatchedChain;
  /** RPC of the own engine. */
  readonly engine: Pick<CometClient, "ownValidator" | "peerHeights">;
  /** Whether the engine is connected with the application. */
  isDialled(): boolean;
  isTakingState(): boolean;
  /** @param address of this validator in consensus, lower-case hex */
  doubleSigned(address: string | undefined): DoubleSigning;
  /** Room on the disk of the home, in bytes. */
  freeBytes(): number | undefined;
  /** Unix nanoseconds of a clock that never goes back. */
  nowNs(): bigint;
  /** Of the clock as the machine has it, Unix microseconds. */
  machineClockUs(): number;
  /** Called when the report has changed without a block. */
  onChange(): void;
}

/** The engine's last answer. */
interface EngineView {
  readonly version: string | undefined;
  readonly address: string | undefined;
  readonly isCatchingUp: boolean;
  readonly peers: readonly number[];
}

interface Since<T> {
  readonly value: T;
  readonly ms: number;
}

export class ReadinessWatch {
  private view: EngineView = { version: undefined, address: undefined, isCatchingUp: false, peers: [] };
  private isConnected: Since<boolean>;
  private rpcProblem: Since<string | undefined>;
  private height: number;
  private blockMs: number;
  /** Unix nanoseconds of the last blocks, the newest last. */
  private readonly times: bigint[];
  private aheadSinceMs: number | undefined;
  private diskFullMs: number | undefined;
  private readonly readiness = new Readiness();
  private readonly skew = new ClockSkew();
  private skewSeconds = 0;
  private notReady: Unreadiness | undefined = this.readiness.reason;
  private readonly startMs: number;
  /** Of the last line in the log: the code of a reason, or "ready". */
  private logged: string | undefined;
  private posted = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isEnded = false;

  constructor(private readonly options: WatchOptions) {
    const { chain } = options;
    const { timeNs, previousTimeNs } = chain.status;
    this.startMs = this.nowMs();
    this.isConnected = { value: false, ms: this.startMs };
    this.rpcProblem = { value: undefined, ms: this.startMs };
    this.height = chain.committed.height;
    this.times = this.height > 1 ? [previousTimeNs, timeNs] : [];
    // A clock that is behind the chain's has not seen the block yet.
    this.blockMs = Math.min(this.startMs, Number(timeNs / MILLISECOND_NS));
  }

  /** Looks until it is ended. */
  start(): void {
    const again = async () => {
      await this.look();
      if (!this.isEnded) this.timer = setTimeout(again, LOOK_MS);
    };
    this.timer = setTimeout(again, LOOK_MS);
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.timer);
  }

  /** To be called when a block is committed. */
  noteBlock(): void {
    const { chain } = this.options;
    const { timeNs } = chain.status;
    const { height } = chain.committed;
    // A state that was taken from others: the blocks between were not seen.
    if (height !== this.height + 1) this.times.length = 0;
    this.height = height;
    this.blockMs = this.nowMs();
    this.aheadSinceMs = undefined;
    this.diskFullMs = undefined;
    // Submissions need not wait for the next look.
    chain.bar(undefined);
    this.times.push(timeNs);
    if (this.times.length > PACE_STEPS + 1) this.times.shift();
  }

  report(): ConsensusReport {
    const { version, isCatchingUp, peers, address } = this.view;
    return {
      notReady: this.notReady?.text,
      isConnected: this.isConnected.value,
      sinceNs: BigInt(this.isConnected.ms) * MILLISECOND_NS,
      version,
      isCatchingUp: this.isConnected.value && isCatchingUp,
      peers: this.isConnected.value ? peers.length : 0,
      validators: this.options.chain.validators,
      blockNs: BigInt(this.blockMs) * MILLISECOND_NS,
      clockSkewSeconds: this.skewSeconds,
      doubleSigned: this.options.doubleSigned(address),
    };
  }

  /** Looks once, and draws the conclusions. */
  async look(): Promise<void> {
    const { chain } = this.options;
    const isDialled = this.options.isDialled();
    // An engine whose consensus waits for this application answers nothing that it is asked meanwhile.
    const isAsked = chain.haltReason === undefined;
    const answer = isAsked ? await this.ask(isDialled) : undefined;
    if (this.isEnded) return;
    this.noteConnection(this.options.isDialled());
    if (answer !== undefined) this.noteAnswer(answer);
    if (chain.committed.height !== this.height) this.noteBlock();
    this.noteOthers();
    this.judgeFacts();
  }

  private async ask(isDialled: boolean): Promise<EngineView | string> {
    const { engine } = this.options;
    try {
      // An engine that hangs tells its status, and nothing of its peers.
      const [own, peers] = await Promise.all([engine.ownValidator(), isDialled ? engine.peerHeights() : []]);
      const { version, address, isCatchingUp } = own;
      return { version, address, isCatchingUp, peers };
    } catch (error) {
      return reasonOf(error);
    }
  }

  private noteConnection(isDialled: boolean): void {
    if (isDialled === this.isConnected.value) return;
    this.isConnected = { value: isDialled, ms: this.nowMs() };
    // An engine that comes back first reports that it is with the others again.
    if (!isDialled) this.view = { ...this.view, isCatchingUp: true, peers: [] };
    // A notice alone: an orderly stop begins with the engine. An engine that stays away is an error of readiness.
    logNotice(
      "validator.engine",
      `the consensus engine ${isDialled ? "is connected" : "has closed its connections"}; the last block here is ${this.height}`,
    );
  }

  private noteAnswer(answer: EngineView | string): void {
    const problem = typeof answer === "string" ? answer : undefined;
    if ((problem === undefined) !== (this.rpcProblem.value === undefined))
      this.rpcProblem = { value: problem, ms: this.nowMs() };
    if (typeof answer !== "string") this.view = answer;
  }

  /** Facts that last: peers that go on, a disk that is full, a clock that is wrong. */
  private noteOthers(): void {
    const nowMs = this.nowMs();
    const { isCatchingUp, peers } = this.view;
    const isAhead = this.height > 0 && peers.some((peer) => peer > this.height + AHEAD_MAX);
    this.aheadSinceMs = isAhead ? (this.aheadSinceMs ?? nowMs) : undefined;
    const free = this.options.freeBytes();
    if (free !== undefined && free < DISK_BYTES_MIN) this.diskFullMs = nowMs;
    const timeNs = this.times.at(-1);
    if (timeNs === undefined || isCatchingUp || !this.isConnected.value) return;
    // A block's time is that of the votes for the block before it.
    const timeUs = Number(timeNs / 1_000n) + (this.paceMs ?? 0) * 1_000;
    const nowUs = this.options.machineClockUs;
    this.skewSeconds = this.skew.note({ height: this.height, timeUs }, { nowUs, steadyMs: () => nowMs });
  }

  private judgeFacts(): void {
    const nowMs = this.nowMs();
    const reason = unreadinessOf(this.facts(nowMs));
    this.notReady = this.readiness.note(reason, nowMs);
    this.log(nowMs);
    this.options.chain.bar(reason?.isStalled ? reason.text : undefined);
    // Blocks bring their own.
    const { blockNs: _, ...report } = this.report();
    const text = JSON.stringify(report, (_key, value) => (typeof value === "bigint" ? String(value) : value));
    if (text === this.posted) return;
    this.posted = text;
    this.options.onChange();
  }

  private facts(nowMs: number): ValidatorFacts {
    const { isConnected, rpcProblem, view } = this;
    return {
      nowMs,
      upgrade: this.options.chain.haltReason,
      failure: this.options.chain.failure,
      height: this.height,
      blockMs: this.blockMs,
      paceMs: this.paceMs,
      connection: { isOpen: isConnected.value, sinceMs: isConnected.ms },
      rpc: { problem: rpcProblem.value, sinceMs: rpcProblem.ms },
      isCatchingUp: view.isCatchingUp,
      peers: view.peers,
      aheadSinceMs: this.aheadSinceMs,
      isTakingState: this.options.isTakingState(),
      diskFullMs: this.diskFullMs,
    };
  }

  /** A line for each change; the chain itself says that it halts for an upgrade. */
  private log(nowMs: number): void {
    const { notReady } = this;
    const state = notReady === undefined ? "ready" : (notReady.code ?? "starts");
    if (state === this.logged || state === "upgrade_due") return;
    const isStart = this.logged === undefined && state !== "ready";
    if (isStart && nowMs - this.startMs < START_MS) return;
    this.logged = state;
    if (notReady === undefined)
      logNotice("validator.readiness", `ready: with the others at block ${this.height}`);
    else if (notReady.code === undefined) logNotice("validator.readiness", `not ready: ${notReady.text}`);
    else logFailure(new NodeError("validator.readiness", notReady.code, notReady.text, notReady.hint ?? ""));
  }

  /** The middle of the last steps. */
  private get paceMs(): number | undefined {
    const steps = this.times.slice(1).map((time, n) => Number((time - this.times[n]!) / MILLISECOND_NS));
    return steps.sort((a, b) => a - b)[(steps.length - 1) >> 1];
  }

  private nowMs(): number {
    return Number(this.options.nowNs() / MILLISECOND_NS);
  }
}
