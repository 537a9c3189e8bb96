/**
 * The way of one party's transactions to a chain: each gets its place from one planner, one after the other, so that any
 * number can be sent at once. A transaction without a place waits for the next block, as in a wallet.
 */
import {
  type BlockMode,
  ChainCallError,
  type ChainPort,
  type DevnetPort,
  type TxOutcome,
} from "../engine/chain-port.ts";
import { NodeError } from "../errors/node-error.ts";
import { type Slot, viewOf } from "../wallet/sending/blocks.ts";
import { ProofPlanner } from "../wallet/sending/planner.ts";
import type { GetSpamStatisticsResponse } from "../wire/generated/core-api.ts";

/** The part of a chain that a party needs; it may be behind HTTP. */
export interface PartyChain
  extends Pick<ChainPort, "submit" | "spamStatistics">,
    Pick<DevnetPort, "proofBlocks" | "outcomesOf" | "blockMode"> {
  readonly status: Pick<ChainPort["status"], "chainId">;
  /** A text that no other draw gives, from the chain's own source of randomness. */
  drawSalt?(): string;
}

/**
 * Bits above the base: a proof of a devnet is found in a fraction of a millisecond, so that sixteen times the work is
 * still sooner than a block that a clock makes. Half again as many transactions find room on a block as with two.
 */
const EXTRA_BITS_MAX = 4;
/** Between two looks for a new block, milliseconds: the first waits, and the longest. */
const POLL_MS_MIN = 2;
const POLL_MS_MAX = 100;
/** Polls between two checks that sent transactions still exist. */
const LOOKS_PER_RELEASE = 16;
/** Where no clock makes blocks, a transaction waits for this long after the last one. */
const BY_HAND_MS = 60_000;
/** Places that one transaction may lose to another client that uses the party's key. */
const ATTEMPTS_MAX = 20;
/** Time and number of hashes of a question for outcomes. */
const OUTCOMES_MS = 4_000;
const OUTCOMES_MAX = 1_000;

const MEMPOOL_FULL = /^mempool is full/;

type Build = (slot: Slot) => Promise<{ readonly bytes: Uint8Array; readonly bits: number }>;

export interface Submitted {
  /** The mempool's verdict. */
  readonly outcome: TxOutcome;
  readonly bytes: Uint8Array;
}

export class PartyLane {
  /** A lower height means that the devnet was reverted: transactions for later blocks no longer exist. */
  private readonly planner = new ProofPlanner({
    isSoleUser: true,
    rewindMs: 0,
    keepMs: 0,
    extraBitsMax: EXTRA_BITS_MAX,
  });
  private readonly avoided = new Set<bigint>();
  /** Places of sent transactions, by hash. */
  private readonly sent = new Map<string, Slot>();
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly chain: PartyChain,
    private readonly party: string,
  ) {}

  /**
   * Finds a place for a transaction, after the earlier ones have theirs, and submits it.
   * @param build its bytes for that place
   * @throws NodeError `quota_reached`, ChainCallError
   */
  submit(build: Build): Promise<Submitted> {
    return this.inTurn(() => this.submitNow(build));
  }

  /** Only the bytes. Their place stays taken. */
  build(build: Build): Promise<Uint8Array> {
    return this.inTurn(async () => (await this.prepare(build)).bytes);
  }

  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.turn.then(run);
    this.turn = done.catch(() => {});
    return done;
  }

  private async submitNow(build: Build): Promise<Submitted> {
    const patience = new Patience(this.chain);
    for (let attempt = 1; ; ) {
      const { bytes, slot } = await this.prepare(build);
      try {
        const outcome = await this.chain.submit(bytes, "check");
        if (outcome.code === 0) {
          this.remember(outcome.hash, slot);
          return { outcome, bytes };
        }
        // Refused before any block: it never comes.
        this.planner.release(slot);
        if (!isMisplaced(outcome) || attempt++ >= ATTEMPTS_MAX) return { outcome, bytes };
        if (outcome.details?.rule === "pow_quota") this.avoid(slot.height);
        else await this.learn();
      } catch (error) {
        if (!isMempoolFull(error)) throw error;
        this.planner.release(slot);
        await this.nextBlock(patience, "the mempool has no room");
      }
    }
  }

  private async prepare(build: Build) {
    const slot = await this.place();
    const { bytes, bits } = await build(slot);
    this.planner.prove(slot, bits);
    return { bytes, slot };
  }

  private async place(): Promise<Slot> {
    const patience = new Patience(this.chain);
    for (let hasLearned = false; ; ) {
      await this.look();
      const plan = this.planner.plan();
      if (plan.kind === "go") return plan.slot;
      const canWait = plan.kind === "full" || plan.kind === "hard" || plan.kind === "no_block";
      if (!canWait) throw quotaReached("there is no place for a proof", `the plan is ${plan.kind}`);
      // Blocks made between two polls have room, too.
      if (hasLearned) await this.nextBlock(patience, "no block has room for more");
      else await this.learn();
      hasLearned = !hasLearned;
    }
  }

  /** Adopts the network's counts. Bans are left to the chain's verdict. */
  private async look(): Promise<void> {
    const ticket = this.planner.nextTicket();
    const statistics = (await this.chain.spamStatistics(this.party)) as GetSpamStatisticsResponse;
    const view = viewOf(statistics);
    if (view !== undefined) this.planner.observe({ ...view, bannedUntil: undefined }, ticket, 0);
  }

  /** Excludes a block: it has more transactions than this client sent. */
  private avoid(height: bigint): void {
    this.planner.evict(height);
    this.avoided.add(height);
  }

  private async learn(): Promise<void> {
    const blocks = await this.chain.proofBlocks();
    for (const height of this.avoided) if (height < (blocks[0]?.height ?? 0n)) this.avoided.delete(height);
    for (const block of blocks) {
      const { height, hash } = block;
      const knownHash = this.planner.hashAt(height);
      // The chain was reverted between two polls: transactions for its remaining blocks still count.
      if (knownHash !== undefined && knownHash !== hash) {
        this.planner.replaceBlock(block, 0);
        this.avoided.delete(height);
      } else if (!this.avoided.has(height)) this.planner.learn(block, 0);
    }
  }

  private remember(hash: string, slot: Slot): void {
    this.sent.set(hash, slot);
    if (this.sent.size % OUTCOMES_MAX === 0) this.forgetOld();
  }

  /** Frees the places of transactions on blocks that are too old. */
  private forgetOld(): void {
    for (const [hash, slot] of this.sent) if (!this.planner.isInTime(slot)) this.sent.delete(hash);
  }

  /**
   * Frees the places of transactions that a revert removed. The blocks alone do not show a revert if the last one is the
   * last that the planner saw.
   * @returns whether any place was freed
   */
  private async releaseLost(): Promise<boolean> {
    this.forgetOld();
    const hashes = [...this.sent.keys()];
    let isReleased = false;
    for (let from = 0; from < hashes.length; from += OUTCOMES_MAX) {
      const part = hashes.slice(from, from + OUTCOMES_MAX);
      for (const [n, state] of (await this.chain.outcomesOf(part, 0)).entries()) {
        // A revert can still remove a transaction that is in a block.
        if (state !== "unknown") continue;
        const hash = part[n]!;
        this.planner.release(this.sent.get(hash)!);
        this.sent.delete(hash);
        isReleased = true;
      }
    }
    return isReleased;
  }

  private async nextBlock(patience: Patience, reason: string): Promise<void> {
    const { planner } = this;
    const { headHeight, beginnings } = planner;
    for (let looks = 0, pauseMs = POLL_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, POLL_MS_MAX)) {
      if (looks++ % LOOKS_PER_RELEASE === 0 && (await this.releaseLost())) return;
      await pause(pauseMs);
      await this.look();
      if (planner.headHeight !== headHeight || planner.beginnings !== beginnings) return patience.renew();
      if (await patience.isOver())
        throw quotaReached(reason, `there has been none since ${headHeight} for ${BY_HAND_MS / 1_000} s`);
    }
  }
}

/** The transactions of a chain's parties that wait for their block. */
export class CommitWaiters {
  private readonly waiting = new Map<
    string,
    { resolve(outcome: TxOutcome): void; reject(error: unknown): void }
  >();
  private isAsking = false;

  constructor(private readonly chain: PartyChain) {}

  /** The outcome of a transaction that the mempool took, once it has one. @throws ChainCallError, NodeError */
  wait(hash: string): Promise<TxOutcome> {
    return new Promise((resolve, reject) => {
      this.waiting.set(hash, { resolve, reject });
      if (!this.isAsking) void this.ask();
    });
  }

  /** Polls for the waiting transactions until none is left. */
  private async ask(): Promise<void> {
    this.isAsking = true;
    const patience = new Patience(this.chain);
    try {
      while (this.waiting.size > 0) {
        const hashes = [...this.waiting.keys()].slice(0, OUTCOMES_MAX);
        const states = await this.chain.outcomesOf(hashes, OUTCOMES_MS);
        let isNews = false;
        for (const [n, state] of states.entries()) {
          if (state === "waiting") continue;
          const waiter = this.waiting.get(hashes[n]!);
          this.waiting.delete(hashes[n]!);
          isNews = true;
          if (state === "unknown") waiter?.reject(takenBack(hashes[n]!));
          else waiter?.resolve(state);
        }
        if (isNews) patience.renew();
        else if (await patience.isOver()) throw notInABlock(this.waiting.size);
      }
    } catch (error) {
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    } finally {
      this.isAsking = false;
    }
  }
}

/** The error of a wait that no block ends: no clock makes any. */
class Patience {
  private sinceMs = performance.now();

  constructor(private readonly chain: PartyChain) {}

  renew(): void {
    this.sinceMs = performance.now();
  }

  async isOver(): Promise<boolean> {
    if (performance.now() - this.sinceMs < BY_HAND_MS) return false;
    const { kind }: BlockMode = await this.chain.blockMode();
    return kind === "manual" || kind === "instant";
  }
}

/** Whether the verdict is about the block that a transaction names, or its proof, not about the transaction. */
function isMisplaced({ details }: TxOutcome): boolean {
  const rule = details?.rule ?? "";
  return rule.startsWith("pow_") && rule !== "pow_banned";
}

function isMempoolFull(error: unknown): boolean {
  const isKnown = error instanceof ChainCallError || error instanceof NodeError;
  return isKnown && MEMPOOL_FULL.test(error.message);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const BY_HAND = "no clock makes blocks: make one (mine), or set another mode";

function quotaReached(reason: string, rest: string): NodeError {
  const text = `the transaction per block limit has been reached: ${reason}; ${rest}` as const;
  return new NodeError("party.send", "quota_reached", text, BY_HAND);
}

function notInABlock(count: number): NodeError {
  const text = `${count} of the party's transactions have waited for a block for ${BY_HAND_MS / 1_000} s`;
  return new NodeError(
    "party.send",
    "outcome_unknown",
    text,
    `they are in the mempool; ${BY_HAND}, or send with { wait: "check" }`,
  );
}

function takenBack(hash: string): NodeError {
  const text = `the chain was taken back, and transaction ${hash} is not in it`;
  return new NodeError("party.send", "transaction_unknown", text, "send it again, if it is still wanted");
}
