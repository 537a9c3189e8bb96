/**
 * The proof-of-work planner of one key on one chain: which block the next transaction names, and how hard its proof
 * has to be, so that the network never refuses it for its proof and never bans the key
 * (docs/protocol/40-pow-spam.md#3-the-pow-engine and #6-wallet-side-algorithm).
 *
 * It remembers the blocks it was given, and everything it gave away on them until the block leaves the window:
 * what was sent may always arrive. Nothing here asks a node or takes a time.
 *
 *   ask → (the node answers) → observe → plan → (the proof is made) → prove, or release when it was never sent
 */
import { HASH_FUNCTION } from "../../chain/admission/pow/function.ts";
import type {
  ChainView,
  GivenPlace,
  LastBlock,
  Plan,
  PlannerOptions,
  PlannerState,
  SeenBlock,
  Slot,
} from "./blocks.ts";
import {
  blockOfState,
  KeptBlocks,
  observedBits,
  type PlannedBlock,
  PROOF_BITS_MAX,
  roomBeside,
  type Sent,
  slotOf,
  stateOf,
  UNUSED,
} from "./blocks.ts";

interface Wanted {
  readonly bits: number;
  readonly tag: string | undefined;
  readonly extraBitsMax: number;
}

/** The tag of a place that is kept for whatever the key signs next. */
export const OFFERED = "offered";

/** Four times the work of the base; the next block is cheaper than more. */
const EXTRA_BITS_MAX = 2;
/** The same of a transaction that can name no other block. */
export const GIVEN_EXTRA_BITS_MAX = 8;
/** A node that says a lower height for so long is not late: its chain begins again there. Far back, it is at once. */
const REWIND_MS = 3_000;
/** Blocks that a transaction may wait for its own: a fifth of the window, and at least two. */
const MARGIN_SHARE = 5n;
const MARGIN_MIN = 2n;
/** Blocks for which another wallet that uses the key must have sent nothing, before a wallet that waits for it goes on. */
const QUIET_BLOCKS = 10n;

export class ProofPlanner {
  private head = 0n;
  private blocks = new Map<bigint, PlannedBlock>();
  private readonly kept: KeptBlocks;
  private bannedUntil: string | undefined;
  private lastId = 0;
  private asked = 0;
  private begun = 0;
  /** Questions asked from this one on are answered by a node that has had the newest block. */
  private headKnownSince = 0;
  /** Answers to questions before this one are of a chain that is gone. */
  private chainSince = 0;
  /** The lower height that a node says, and since when. */
  private lower: { readonly head: bigint; readonly sinceMs: number } | undefined;
  private readonly extraBitsMax: number;
  private readonly rewindMs: number;
  private readonly isSoleUser: boolean;

  constructor({
    extraBitsMax = EXTRA_BITS_MAX,
    rewindMs = REWIND_MS,
    keepMs,
    isSoleUser = false,
  }: PlannerOptions = {}) {
    this.isSoleUser = isSoleUser;
    this.extraBitsMax = extraBitsMax;
    this.rewindMs = rewindMs;
    this.kept = new KeptBlocks(keepMs);
  }

  /** To be called before a node is asked. @returns what goes with its answer */
  nextTicket(): number {
    return ++this.asked;
  }

  get headHeight(): bigint {
    return this.head;
  }

  /** Number of changes and restarts of the chain. */
  get beginnings(): number {
    return this.begun;
  }

  /** Takes in a party's statistics, however late they come. */
  observe(view: ChainView, ticket: number, nowMs: number): void {
    const newest = view.blocks.find(({ height }) => height === view.head)!;
    if (!this.isOfThisChain(view.blocks, view.head, ticket, nowMs)) return;
    if (view.head >= this.head) this.bannedUntil = view.bannedUntil;
    for (const seen of view.blocks) this.count(this.blockOf(seen, nowMs));
    for (const seen of view.blocks) this.update(this.blocks.get(seen.height)!, seen);
    this.noteNewest(newest, view.pastBlocks, nowMs);
  }

  /** Takes in the newest block alone: what is remembered can be built on later. */
  observeHead(block: LastBlock, ticket: number, nowMs: number): void {
    const seen: SeenBlock = { ...block, seen: 0n, expected: undefined };
    if (!this.isOfThisChain([seen], block.height, ticket, nowMs)) return;
    this.blockOf(seen, nowMs);
    this.noteNewest(seen, block.pastBlocks, nowMs);
  }

  /** Forgets everything: the chain has changed or restarted. */
  restart(): void {
    this.begun++;
    this.head = 0n;
    this.blocks.clear();
    this.bannedUntil = undefined;
    this.lower = undefined;
    this.chainSince = this.asked + 1;
    this.headKnownSince = this.chainSince;
  }

  /** Forgets a block that the network does not know as it is remembered. */
  evict(height: bigint): void {
    const block = this.blocks.get(height);
    if (block !== undefined) block.pastBlocks = undefined;
  }

  /**
   * Takes in a block from a file.
   * @returns whether it is of this chain, as far as is known
   */
  learn(block: LastBlock, nowMs: number): boolean {
    const remembered = this.blocks.get(block.height);
    if (remembered !== undefined && remembered.hash !== "" && remembered.hash !== block.hash) return false;
    this.blockOf({ ...block, seen: 0n, expected: undefined }, nowMs);
    this.blocks.get(block.height)!.pastBlocks ??= block.pastBlocks;
    return true;
  }

  /** Takes in a block in place of one of its height that was taken back. */
  replaceBlock(block: LastBlock, nowMs: number): void {
    this.blocks.delete(block.height);
    this.learn(block, nowMs);
  }

  /** The hash of a block, where it is known. */
  hashAt(height: bigint): string | undefined {
    return this.blocks.get(height)?.hash || undefined;
  }

  /** Transactions of the key that name this block and were executed, as the network counts them. */
  seenOn(height: bigint): bigint {
    return this.blocks.get(height)?.seen ?? 0n;
  }

  /** The last block that a transaction which names this one can be in. */
  lastHeightFor(height: bigint): bigint {
    return height + (this.blocks.get(height)?.pastBlocks ?? this.window) - 1n;
  }

  /**
   * Finds a place for one transaction and keeps it: the newest block with room at the base difficulty, else the one
   * that asks for the least.
   * @param tag what the place is found again by
   */
  plan(tag?: string): Plan {
    const newest = this.blocks.get(this.head);
    if (newest === undefined) return { kind: "no_block" };
    if (this.bannedUntil !== undefined) return { kind: "banned", until: this.bannedUntil };
    let best: { readonly block: PlannedBlock; readonly bits: number } | undefined;
    const others = this.othersAtWork();
    for (const block of this.candidates()) {
      const bits = this.room(block, others);
      if (bits === undefined) continue;
      if (best === undefined || bits < best.bits) best = { block, bits };
      if (best.bits <= newest.difficulty) break;
    }
    if (best === undefined) return this.full(newest, others);
    return this.reserve(best.block, { bits: best.bits, tag, extraBitsMax: this.extraBitsMax });
  }

  /** Whether a transaction that names its block already has its place there. */
  hasPlace({ height, tag }: GivenPlace): boolean {
    return this.blocks.get(height)?.sent.some((sent) => sent.tag === tag) ?? false;
  }

  /**
   * The place of a transaction that names its block already: the one that it has, the one that was kept for its key,
   * or a new one.
   */
  planOn({ height, tag, bits }: GivenPlace): Plan {
    const newest = this.blocks.get(this.head);
    if (newest === undefined) return { kind: "no_block" };
    if (this.bannedUntil !== undefined) return { kind: "banned", until: this.bannedUntil };
    // A block that no node has shown is taken to be like the newest.
    const unseen = { ...newest, height, hash: "", ...UNUSED, sent: [] };
    const block: PlannedBlock = this.blocks.get(height) ?? unseen;
    if (height > this.head || !this.isReachable(block)) {
      return { kind: "out_of_reach", height, head: this.head };
    }
    const kept = block.sent.find((sent) => sent.tag === tag) ?? block.sent.find(({ tag }) => tag === OFFERED);
    // Its own place was counted with what an earlier proof happened to show.
    const others = this.othersAtWork();
    const isLess = kept !== undefined && bits !== undefined && bits < kept.bits;
    const needed = isLess ? roomBeside(block, kept) : (kept?.bits ?? this.room(block, others));
    if (needed === undefined) return this.full(block, others);
    if (bits !== undefined && bits < needed) return { kind: "weak", difficulty: needed, bits };
    if (isLess) kept.bits = bits;
    if (kept === undefined) {
      this.blocks.set(height, block);
      const extraBitsMax = Math.max(this.extraBitsMax, GIVEN_EXTRA_BITS_MAX);
      return this.reserve(block, { bits: needed, tag, extraBitsMax });
    }
    kept.tag = tag;
    return { kind: "go", slot: slotOf(block, kept) };
  }

  /** The proof shows this many bits: all of them count. */
  prove(slot: Slot, bits: number): void {
    const sent = this.sentOf(slot);
    if (sent !== undefined) sent.bits = bits;
  }

  /** The transaction was never sent and never will be. Not for one whose fate is unknown. */
  release(slot: Slot): void {
    const block = this.blocks.get(slot.height);
    const place = block?.sent.findIndex(({ id }) => id === slot.id) ?? -1;
    if (place < 0) return;
    block!.sent.splice(place, 1);
    // A transaction counted in its place is another wallet's.
    this.count(block!);
  }

  /** Whether there is still time to prove the transaction and to get it into a block. */
  isTimely({ height, hash }: Slot): boolean {
    const block = this.blocks.get(height);
    return block?.hash === hash && this.isUsable(block);
  }

  /** Whether a transaction that names the block can still get into the next one. */
  isInTime({ height, hash }: Slot): boolean {
    const block = this.blocks.get(height);
    return block?.hash === hash && this.isReachable(block);
  }

  save(): PlannerState {
    return {
      head: this.head.toString(),
      lastId: this.lastId,
      blocks: [...this.blocks.values()].map(stateOf),
    };
  }

  load(state: PlannerState): void {
    this.restart();
    this.head = BigInt(state.head);
    this.lastId = state.lastId;
    for (const saved of state.blocks) {
      const block = blockOfState(saved);
      this.blocks.set(block.height, block);
    }
    this.begun = 0;
  }

  /** Decides whether an answer is of the chain that is remembered; restarts when the chain itself did. */
  private isOfThisChain(blocks: readonly SeenBlock[], head: bigint, ticket: number, nowMs: number): boolean {
    if (ticket < this.chainSince) return false;
    const isOther = blocks.some(({ height, hash }) => {
      const remembered = this.blocks.get(height);
      return remembered !== undefined && remembered.hash !== "" && remembered.hash !== hash;
    });
    if (isOther) this.beginAnew(nowMs);
    else if (head >= this.head) this.lower = undefined;
    else if (ticket >= this.headKnownSince) {
      this.lower = { head, sinceMs: this.lower?.sinceMs ?? nowMs };
      const isFarBack = this.head - head > this.window;
      if (isFarBack || nowMs - this.lower.sinceMs >= this.rewindMs) this.beginAnew(nowMs);
    }
    return true;
  }

  /** Transactions on their way may arrive yet, should it be the same chain after all. */
  private beginAnew(nowMs: number): void {
    for (const block of this.blocks.values()) this.kept.add(block, nowMs);
    this.restart();
  }

  private noteNewest({ height }: SeenBlock, pastBlocks: bigint, nowMs: number): void {
    const block = this.blocks.get(height)!;
    block.pastBlocks ??= pastBlocks;
    if (height < this.head || (height === this.head && this.headKnownSince > this.chainSince)) return;
    this.head = height;
    this.headKnownSince = this.asked + 1;
    for (const old of this.blocks.values()) {
      // Nothing on it can get into the next block any more.
      if (old.height + (old.pastBlocks ?? pastBlocks) <= this.head + 1n) {
        this.blocks.delete(old.height);
        this.kept.add(old, nowMs);
      }
    }
  }

  private blockOf(seen: SeenBlock, nowMs: number): SeenBlock {
    const remembered = this.blocks.get(seen.height);
    if (remembered === undefined || remembered.hash === "") {
      const { height, hash, hashFunction, difficulty, txPerBlock, increasingDifficulty } = seen;
      const brought = this.kept.restore(hash, nowMs);
      this.blocks.set(height, {
        ...{ pastBlocks: undefined, ...UNUSED },
        ...remembered,
        ...brought,
        sent: [...(brought.sent ?? []), ...(remembered?.sent ?? [])],
        ...{ height, hash, hashFunction, difficulty, txPerBlock, increasingDifficulty },
      });
    }
    return seen;
  }

  private reserve(block: PlannedBlock, { bits, tag, extraBitsMax }: Wanted): Plan {
    const { hashFunction, difficulty } = block;
    if (hashFunction !== HASH_FUNCTION) return { kind: "unknown_function", hashFunction };
    if (bits > PROOF_BITS_MAX) return { kind: "out_of_bounds", difficulty: bits };
    if (bits - difficulty > extraBitsMax) return { kind: "hard", difficulty: bits };
    const sent: Sent = { id: ++this.lastId, bits, tag };
    block.sent.push(sent);
    return { kind: "go", slot: slotOf(block, sent) };
  }

  private full(block: PlannedBlock, others: bigint): Plan {
    const { txPerBlock } = block;
    if (this.isSoleUser) return { kind: "full", txPerBlock, left: "nothing" };
    const left = this.shareOf(block, others) === 0n ? "until another wallet is quiet" : "for another wallet";
    return { kind: "full", txPerBlock, left };
  }

  /** More than this wallet sent: another wallet has the key as well. */
  private count({ height, seen }: Pick<SeenBlock, "height" | "seen">): void {
    const block = this.blocks.get(height)!;
    const foreign = seen - BigInt(block.sent.length);
    if (foreign > block.foreign) block.foreign = foreign;
  }

  /** The largest count holds: statistics may be late, and the original forgets (see `roomOn`). */
  private update(block: PlannedBlock, { seen, expected }: SeenBlock): void {
    const observed = observedBits(block, seen, expected);
    if (seen < block.seen) return;
    if (seen > block.seen || observed < block.observed) block.observed = observed;
    block.seen = seen;
  }

  private isReachable({ height, pastBlocks }: PlannedBlock): boolean {
    // The node does not know a block above its own height.
    if (pastBlocks === undefined || height > (this.lower?.head ?? this.head)) return false;
    return height + pastBlocks > this.head + 1n;
  }

  private isUsable(block: PlannedBlock): boolean {
    const { height, hash, pastBlocks } = block;
    if (hash === "" || pastBlocks === undefined || !this.isReachable(block)) return false;
    const share = pastBlocks / MARGIN_SHARE;
    const margin = share > MARGIN_MIN ? share : MARGIN_MIN;
    return height + pastBlocks > this.head + 1n + margin;
  }

  /** Newest first. */
  private candidates(): PlannedBlock[] {
    const usable = [...this.blocks.values()].filter((block) => this.isUsable(block));
    return usable.sort((a, b) => (a.height > b.height ? -1 : 1));
  }

  private room(block: PlannedBlock, others: bigint): number | undefined {
    if (this.isSoleUser) return roomBeside(block);
    const own = BigInt(block.sent.length);
    const isFree = own < this.shareOf(block, others) && own + block.foreign < block.txPerBlock;
    return isFree ? roomBeside(block) : undefined;
  }

  /**
   * Transactions of this wallet that a block may have. Another wallet may use the same key, and neither sees what the
   * other has on its way; one too many gets the key banned. So each takes half of a block. Where another takes more than
   * the other half, or there are no halves, this wallet waits until that one has been quiet for some blocks.
   */
  private shareOf({ txPerBlock }: PlannedBlock, others: bigint): bigint {
    const half = txPerBlock > 1n ? txPerBlock / 2n : 1n;
    return others > txPerBlock - half ? 0n : half;
  }

  /** The most transactions of other wallets on one of the newest blocks. */
  private othersAtWork(): bigint {
    let most = 0n;
    for (const { height, foreign } of this.blocks.values())
      if (foreign > most && this.head - height < QUIET_BLOCKS) most = foreign;
    return most;
  }

  private sentOf({ id, height }: Slot): Sent | undefined {
    return this.blocks.get(height)?.sent.find((sent) => sent.id === id);
  }

  /** Blocks that may be named, of the parameters in force. */
  private get window(): bigint {
    return this.blocks.get(this.head)?.pastBlocks ?? 0n;
  }
}
