// The transactions of one key on one chain, in a queue until each has its place on a block. A transaction without room
// waits for the next block, as long as its sender is willing to.
import { NodeError } from "../../errors/node-error.ts";
import type { VoteSubmission } from "../../wire/generated/commands.ts";
import type { GetSpamStatisticsResponse, SpamStatistics } from "../../wire/generated/core-api.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import type { Plan, Slot } from "./blocks.ts";
import { type LastBlock, proofTooHard, viewOf } from "./blocks.ts";
import { banned } from "./epoch-quota.ts";
import { isNoHealthyNode, sendError } from "./nodes.ts";
import type { ProofPlanner } from "./planner.ts";
import type { PartyMemory } from "./sent-ledger.ts";

export interface Place {
  readonly slot: Slot;
  /** For a transaction that was never sent and never will be. */
  giveBack(): void;
}

export interface SendQueueOptions {
  readonly chainId: string;
  readonly memory: PartyMemory;
  /** The party's statistics, asked for now or a moment ago, with the planner's ticket of the question. */
  statistics(): { readonly ticket: number; readonly answer: Promise<GetSpamStatisticsResponse> };
  /** The newest block, asked for now. */
  lastBlock(): Promise<LastBlock>;
  /** When the running epoch is to end; undefined where the node does not say. */
  epochEnd(): Promise<string | undefined>;
  readonly nowMs: () => number;
  /** Waits on the same clock. */
  readonly sleep: (ms: number) => Promise<void>;
  /** The time of day, Unix milliseconds. */
  readonly wallMs: () => number;
  /** Time that a transaction waits for a block with room. */
  readonly waitMs: number;
}

/** The purpose of a place. */
export interface Wanted {
  /** For the limits of an epoch; undefined for a place that is kept for later. */
  readonly command?: CommandInit;
  /** Known by it, the same transaction is found when it comes again. */
  readonly tag?: string;
  readonly signal?: AbortSignal | undefined;
  /** The block; the planner's choice without. */
  readonly choose?: (planner: ProofPlanner) => Plan;
}

interface Waiter extends Wanted {
  readonly deadlineMs: number;
  readonly resolve: (place: Place) => void;
  readonly reject: (error: unknown) => void;
}

/** Between two looks for a new block, milliseconds: the first waits, and the longest. */
const POLL_MS_MIN = 10;
const POLL_MS_MAX = 250;

/** The original's words. */
const LIMIT = "the transaction per block limit has been reached";

export class SendQueue {
  private waiters: Waiter[] = [];
  private isMoving = false;
  private lastHead = 0n;
  private headSinceMs = 0;
  private blockMs = 0;
  /** When the nodes stopped to answer; undefined while one does. */
  private awaySinceMs: number | undefined;

  constructor(private readonly options: SendQueueOptions) {}

  get planner(): ProofPlanner {
    return this.options.memory.planner;
  }

  get chainId(): string {
    return this.options.chainId;
  }

  /** Writes down what was given away. */
  remember(): void {
    this.options.memory.remember();
  }

  /** Learns of a block that was reported. */
  observeHead(block: LastBlock): void {
    const { nowMs, chainId } = this.options;
    const { planner } = this;
    if (block.chainId !== chainId) return;
    planner.observeHead(block, planner.nextTicket(), nowMs());
    this.noteHead(planner.headHeight);
  }

  /** @throws NodeError with why and until when there is no place */
  enqueue(request: Wanted): Promise<Place> {
    const { promise, resolve, reject } = Promise.withResolvers<Place>();
    const deadlineMs = this.options.nowMs() + this.options.waitMs;
    this.waiters.push({ ...request, deadlineMs, resolve, reject });
    if (!this.isMoving) this.move();
    return promise;
  }

  private async move(): Promise<void> {
    this.isMoving = true;
    try {
      for (let pauseMs = POLL_MS_MIN; this.waiters.length > 0; ) {
        try {
          const plan = await this.serveFirst();
          if (plan !== undefined) await this.nextBlock(plan);
          pauseMs = POLL_MS_MIN;
        } catch (error) {
          if (!isNoHealthyNode(error)) throw error;
          // A node that is started again is back before the patience of those who wait is at its end.
          this.dropThoseOverdue(this.noNode(error));
          await this.options.sleep(pauseMs);
          pauseMs = Math.min(pauseMs * 2, POLL_MS_MAX);
        }
      }
    } catch (error) {
      // A node would say the same to all behind the first.
      for (const waiter of this.waiters.splice(0)) waiter.reject(error);
    } finally {
      this.isMoving = false;
    }
    if (this.waiters.length > 0) this.move();
  }

  /** @returns why the first one has to wait; undefined when it is served */
  private async serveFirst(): Promise<Plan | undefined> {
    const { nowMs } = this.options;
    const { planner } = this;
    const { ticket, answer: pendingAnswer } = this.options.statistics();
    const answer = await pendingAnswer;
    const view = viewOf(answer);
    if (view === undefined) {
      throw sendError("last_block_unknown", "could not get information about the last block on the network");
    }
    this.awaySinceMs = undefined;
    planner.observe(view, ticket, nowMs());
    this.noteHead(planner.headHeight);
    this.dropThoseOverdue();
    const waiter = this.waiters[0];
    if (waiter === undefined) return undefined;
    try {
      if (view.bannedUntil !== undefined) throw banned("all transactions", view.bannedUntil);
      const takeBack = this.reserve(waiter, answer.statistics!);
      const plan = waiter.choose?.(planner) ?? planner.plan();
      if (plan.kind !== "go") {
        takeBack();
        if (canWait(plan)) return plan;
        throw this.refusal(plan);
      }
      const giveBack = () => {
        takeBack();
        planner.release(plan.slot);
      };
      try {
        this.options.memory.remember();
      } catch (error) {
        // A transaction that names its block already may have had the place before.
        if (waiter.choose === undefined) giveBack();
        throw error;
      }
      this.waiters.shift();
      waiter.resolve({ slot: plan.slot, giveBack });
    } catch (error) {
      this.waiters.shift();
      waiter.reject(await this.withTime(error));
    }
    return undefined;
  }

  /** Adds when the next epoch begins to a refusal for the limits of this one. */
  private async withTime(error: unknown): Promise<unknown> {
    if (!(error instanceof NodeError) || error.code !== "maximum_reached") return error;
    const end = await this.options.epochEnd().catch(() => undefined);
    if (end === undefined) return error;
    return sendError(error.code, `${error.message}; the next epoch begins at ${end}`, error.hint);
  }

  private reserve({ command, tag }: Waiter, statistics: SpamStatistics): () => void {
    if (command === undefined) return () => {};
    const { quota, planner } = this.options.memory;
    const { headHeight: height, beginnings } = planner;
    const use = { command: command.kind, proposal: proposalOf(command), tag };
    return quota.reserve(statistics, { ...use, height, beginnings, nowMs: this.options.nowMs() });
  }

  /** Waits for a block that is not known yet; transactions whose time has passed meanwhile are refused with the reason. */
  private async nextBlock(plan: Plan): Promise<void> {
    const { nowMs, sleep } = this.options;
    const { planner } = this;
    const before = planner.headHeight;
    for (let pauseMs = POLL_MS_MIN; this.waiters.length > 0; pauseMs = Math.min(pauseMs * 2, POLL_MS_MAX)) {
      await sleep(pauseMs);
      let failure: unknown;
      try {
        const ticket = planner.nextTicket();
        const block = await this.options.lastBlock();
        this.awaySinceMs = undefined;
        planner.observeHead(block, ticket, nowMs());
        this.noteHead(planner.headHeight);
      } catch (error) {
        // A transaction that waits for a block can wait for a node as well.
        failure = isNoHealthyNode(error) ? this.noNode(error) : error;
      }
      this.dropThoseOverdue(failure ?? this.refusal(plan));
      if (planner.headHeight !== before) return;
    }
  }

  private dropThoseOverdue(reason?: unknown): void {
    const now = this.options.nowMs();
    this.waiters = this.waiters.filter((waiter) => {
      if (waiter.signal?.aborted) waiter.reject(sendError("interrupted", "the request has been interrupted"));
      else if (now >= waiter.deadlineMs && reason !== undefined) waiter.reject(reason);
      else return true;
      return false;
    });
  }

  private noteHead(head: bigint): void {
    if (head === this.lastHead) return;
    const now = this.options.nowMs();
    const blocks = Number(head - this.lastHead);
    if (this.lastHead > 0n && blocks > 0) this.blockMs = (now - this.headSinceMs) / blocks;
    this.lastHead = head;
    this.headSinceMs = now;
  }

  /** That no node answers, and for how long. */
  private noNode({ code, message, hint }: NodeError): NodeError {
    const now = this.options.nowMs();
    this.awaySinceMs ??= now;
    const seconds = Math.round((now - this.awaySinceMs) / 1000);
    return sendError(code, `${message}: none has answered for ${seconds} s`, hint);
  }

  /** Why there is no place, and when there may be one. */
  private refusal(plan: Plan): NodeError {
    switch (plan.kind) {
      case "full":
        return sendError("quota_reached", `${LIMIT}: ${quotaText(plan)}; ${this.nextBlockText()}`);
      case "hard":
        return sendError(
          "quota_reached",
          `${LIMIT}: one more would need a proof of ${plan.difficulty} bits; ${this.nextBlockText()}`,
        );
      case "out_of_bounds":
        return proofTooHard(plan.difficulty);
      case "banned":
        return banned("all transactions", plan.until);
      case "out_of_reach":
        return outOfReach(plan);
      case "weak":
        return sendError(
          "proof_weak",
          `the next proof on this block needs ${plan.difficulty} bits, and this one shows ${plan.bits}`,
          "prove it again: lyra tx prove",
        );
      case "unknown_function":
        return sendError(
          "hash_function_unknown",
          `the network asks for proofs by ${JSON.stringify(plan.hashFunction)}`,
        );
      default:
        return sendError(
          "last_block_unknown",
          "could not get information about the last block on the network",
        );
    }
  }

  private nextBlockText(): string {
    const now = this.options.nowMs();
    const quietMs = now - this.headSinceMs;
    if (this.blockMs === 0 || quietMs > 10 * this.blockMs + 5_000) {
      return `the next block takes more, and there has been none since ${this.lastHead} for ${Math.round(quietMs / 1000)} s`;
    }
    const waitMs = Math.max(0, this.blockMs - quietMs) + this.waiters.length * this.blockMs;
    const at = new Date(this.options.wallMs() + waitMs).toISOString();
    return `try again at ${at}`;
  }
}

/** Whether the next block may change it. */
function canWait(plan: Plan): boolean {
  if (plan.kind === "out_of_reach") return plan.height > plan.head;
  return plan.kind === "full" || plan.kind === "hard" || plan.kind === "no_block";
}

function outOfReach({ height, head }: Extract<Plan, { kind: "out_of_reach" }>): NodeError {
  if (height > head) {
    const text = `the transaction names block ${height}, and the chain is at ${head}`;
    return sendError("block_unknown", text, "is the node of the same chain, and not behind?");
  }
  const text =
    `the block height is too historic: it names block ${height}, and the chain is at ${head}` as const;
  return sendError("block_too_historic", text, "sign it again with a newer block: lyra tx block");
}

function quotaText({ txPerBlock, left }: Extract<Plan, { kind: "full" }>): string {
  const quota = `${txPerBlock} for each block`;
  if (left === "nothing") return quota;
  return left === "for another wallet"
    ? `${quota}, of which half is left to another wallet that may use this key`
    : `${quota}, and another wallet that uses this key takes them: this one waits until it has been quiet for ten blocks`;
}

function proposalOf(command: CommandInit): string {
  return command.kind === "voteSubmission"
    ? ((command.payload as Partial<VoteSubmission>).proposalId ?? "")
    : "";
}
