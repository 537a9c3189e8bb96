/**
 * Two wallets with the same key cannot see what the other one has on its way. So that they do not fill the same block
 * together, and get the key banned, each leaves room for the other:
 *
 * - At first a wallet takes half of a block's quota, and the other half when the block is a few blocks old and nobody
 *   else was seen: whatever somebody else sent on it has arrived by then, and is counted.
 * - Who may not be alone (it just began, or others were seen) takes its half on the newest block, or on blocks that are
 *   so old that nobody adds to them. In between, somebody who believes to be alone may be filling up.
 * - Who sees others take more than half of a young block, which only a wallet that knows nothing of this does, keeps to
 *   old ones. So does who cannot prove fast enough for new ones.
 * - All of it holds for what leaves in time: a place whose proof took longer is given up (`hasteOf`, `isLate`). How old
 *   a block is goes by blocks and by time, so that neither a fast chain nor a slow machine makes it untrue.
 *
 * Where the quota is one, half of it is every other block: the other wallet's turns are those of its young blocks, and
 * who has seen none of them keeps to old blocks. What remains: a wallet that knows nothing of this and comes
 * to a key in full use, two that begin within one block where the quota is one, a transaction that is signed or proven
 * here and sent much later by others, and a network that takes more than a second and three blocks to count.
 */

/** Blocks after which what was sent on a block while it was new has arrived. */
const ARRIVED_BLOCKS = 3n;
/** Until then who is alone may fill a block up. */
const FILLED_BLOCKS = 6n;
/** Until then what fills it up has to leave. */
const LEFT_BLOCKS = 8n;
/** What was sent to fill it up has arrived as well. */
const OLD_BLOCKS = 10n;
/** The same in time since the block was passed, milliseconds: for chains whose blocks come fast. */
const ARRIVED_MS = 800;
const FILLED_MS = 2_500;
const LEFT_MS = 3_500;
const OLD_MS = 5_000;
/** Blocks behind the newest one that count as new: on the next ones it is passed. */
const NEW_BLOCKS = 1n;
/** A place on a new block is good for so long, however many blocks there are meanwhile. */
const NEW_MS = 500;
/** When a guest believes what it sees of a new block, on chains whose blocks come when they like. */
const GUEST_MS = 10_000;
/** Blocks without anybody else that make a wallet sure of being alone. */
const PROBATION_BLOCKS = 3n;
const PROBATION_MS = 2_000;
/** Places on new blocks given up one after the other that make a wallet keep to old ones. */
const LATE_MAX = 2;

interface SharedBlock {
  readonly height: bigint;
  /** When this wallet first heard of it, milliseconds. */
  readonly knownAtMs: number;
  /** When this wallet first heard of the second block after it, or a later one; undefined before. */
  readonly passedAtMs: number | undefined;
  readonly txPerBlock: bigint;
}

export interface ChainPlace {
  /** The newest block. */
  readonly head: bigint;
  /** Blocks back from it that may be named. */
  readonly pastBlocks: bigint;
  /** The newest block that transactions were counted up to. */
  readonly countedHead: bigint;
  /** When they were asked for. */
  readonly countedAtMs: number;
  readonly nowMs: number;
}

/** Until when a place is good: while the block is new, before it is old, or as long as it can be named. */
export type Haste = "new" | "filling" | undefined;

export interface KeySharingState {
  readonly firstSentAt: string | null;
  readonly lastSentAt: string | null;
  readonly foreignAt: string | null;
  readonly isGuest: boolean;
  readonly side: string | null;
  readonly isSideGuessed?: boolean;
}

export class KeySharing {
  /** The newest block when this wallet began to send, and when it last did. */
  private firstSentAt: bigint | undefined;
  private firstSentAtMs: number | undefined;
  private lastSentAt: bigint | undefined;
  /** The newest block when somebody else's transaction was last seen. */
  private foreignAt: bigint | undefined;
  private isGuest = false;
  /** Places on new blocks that were given up, one after the other. */
  private lates = 0;
  /** Where the quota is one: whether this wallet takes the even blocks, 0, or the odd ones, 1. */
  private side: bigint | undefined;
  /** Nobody has shown the other side for certain yet. */
  private isSideGuessed = false;

  /** Transactions of somebody else were counted on a block: so many, all told. */
  noteForeign(
    { height, txPerBlock }: Pick<SharedBlock, "height" | "txPerBlock">,
    foreign: bigint,
    head: bigint,
  ): void {
    const isYoung = head - height < ARRIVED_BLOCKS;
    if (isYoung && txPerBlock > 1n && 2n * foreign > txPerBlock) this.isGuest = true;
    // Where blocks take more, one does not see whose turns are which.
    if (this.lastSentAt === undefined && txPerBlock > 1n) this.takeSide(1n, false);
    // Who is alone fills up the other ones when they are older, so only a young one shows the side.
    else if (this.lastSentAt === undefined || (this.isSideGuessed && isYoung && txPerBlock === 1n)) {
      if (isYoung || this.side === undefined) this.takeSide(1n - (height % 2n), isYoung);
    }
    this.foreignAt = head > height ? head : height;
  }

  noteSent(
    { height, txPerBlock }: Pick<SharedBlock, "height" | "txPerBlock">,
    { head, pastBlocks, nowMs }: ChainPlace,
  ): void {
    // After so long a newcomer would find no trace of this wallet.
    const isTraceGone = this.lastSentAt === undefined || head - this.lastSentAt >= pastBlocks / 2n;
    if (isTraceGone) {
      this.firstSentAt = head;
      this.firstSentAtMs = nowMs;
    }
    this.lastSentAt = head;
    if (this.side === undefined) this.takeSide(txPerBlock > 1n ? 0n : height % 2n, true);
  }

  private takeSide(side: bigint, isSure: boolean): void {
    this.side = side;
    this.isSideGuessed = !isSure;
  }

  /** Whether somebody else uses the key, as far as the last blocks tell. */
  isShared({ head, pastBlocks }: Pick<ChainPlace, "head" | "pastBlocks">): boolean {
    if (this.foreignAt !== undefined && head - this.foreignAt <= pastBlocks) return true;
    this.foreignAt = undefined;
    this.isGuest = false;
    return false;
  }

  /** Whether it is certain that nobody else does. */
  isAlone(place: ChainPlace): boolean {
    if (this.isShared(place) || this.firstSentAt === undefined || this.lastSentAt === undefined) return false;
    const { head, pastBlocks, countedHead, countedAtMs, nowMs } = place;
    // By the clock of another process: as if it had begun now.
    this.firstSentAtMs ??= nowMs;
    const isProven =
      countedHead - this.firstSentAt >= PROBATION_BLOCKS && countedAtMs - this.firstSentAtMs >= PROBATION_MS;
    return isProven && head - this.lastSentAt < pastBlocks / 2n;
  }

  /**
   * How many transactions of this wallet a block may have, at the base difficulty; the rest is left to others.
   * @returns `whole` for a block that nobody else uses: as many as it takes, at growing difficulty where there is one
   */
  shareOf(block: SharedBlock, place: ChainPlace): bigint | "whole" {
    const isAlone = this.isAlone(place);
    if (isAlone && isFilling(block, place)) return "whole";
    if (isAlone ? isFilled(block, place) : isOld(block, place)) return this.half(block);
    if (!isNew(block, place)) return 0n;
    const isGuessing = block.txPerBlock === 1n && this.isSideGuessed && this.isShared(place);
    const isWary = this.isGuest || isGuessing || this.lates >= LATE_MAX;
    if (isWary) return place.nowMs - block.knownAtMs >= GUEST_MS ? this.half(block) : 0n;
    return isAlone || block.height === place.head ? this.half(block) : 0n;
  }

  /** How fast the next transaction on a block has to leave, when this wallet has so many on it. */
  hasteOf(block: SharedBlock, own: bigint, place: ChainPlace): Haste {
    if (isNew(block, place)) return "new";
    // What takes more than the quota at the base difficulty comes on top of it, whoever uses that up.
    const isBeyondHalf = own >= this.half(block) && own < block.txPerBlock;
    return isBeyondHalf && this.isAlone(place) ? "filling" : undefined;
  }

  /** A transaction on a new block left in time, or did not: then nobody can have seen this wallet. */
  noteNew(isLate: boolean): void {
    this.lates = isLate ? this.lates + 1 : 0;
    if (!isLate) return;
    this.firstSentAt = undefined;
    this.lastSentAt = undefined;
  }

  private half({ height, txPerBlock }: SharedBlock): bigint {
    if (txPerBlock > 1n) return txPerBlock / 2n;
    return this.side === undefined || height % 2n === this.side ? 1n : 0n;
  }

  reset(): void {
    this.firstSentAt = undefined;
    this.lastSentAt = undefined;
    this.foreignAt = undefined;
    this.isGuest = false;
    this.lates = 0;
    this.side = undefined;
    this.isSideGuessed = false;
  }

  save(): KeySharingState {
    const text = (value: bigint | undefined) => value?.toString() ?? null;
    const { firstSentAt, lastSentAt, foreignAt, isGuest, side, isSideGuessed } = this;
    return {
      firstSentAt: text(firstSentAt),
      lastSentAt: text(lastSentAt),
      foreignAt: text(foreignAt),
      isGuest,
      side: text(side),
      isSideGuessed,
    };
  }

  load(state: KeySharingState): void {
    const value = (text: string | null) => (text === null ? undefined : BigInt(text));
    this.firstSentAt = value(state.firstSentAt);
    this.firstSentAtMs = undefined;
    this.lastSentAt = value(state.lastSentAt);
    this.foreignAt = value(state.foreignAt);
    this.isGuest = state.isGuest;
    this.side = value(state.side);
    this.isSideGuessed = state.isSideGuessed === true;
  }
}

/**
 * Whether a place has been held for long, so that it is good only if the block is still young (`isLate`).
 * @param takenAtMs when that was asked for which the place was chosen by
 */
export function isHeldLong(haste: Haste, takenAtMs: number, block: SharedBlock, nowMs: number): boolean {
  if (haste === "new") return nowMs - takenAtMs > NEW_MS;
  return haste === "filling" && nowMs - passedAt(block) > LEFT_MS;
}

/** Of a place that has been held for long. */
export function isLate(haste: Haste, { height }: SharedBlock, head: bigint): boolean {
  return head - height > (haste === "new" ? NEW_BLOCKS : LEFT_BLOCKS);
}

/** Never passed, as far as anybody knows: long after now. */
const passedAt = ({ passedAtMs }: SharedBlock) => passedAtMs ?? Number.POSITIVE_INFINITY;

function isNew({ height }: SharedBlock, { head }: ChainPlace): boolean {
  return head - height <= NEW_BLOCKS;
}

/** What others sent on it while it was new is counted, and it is not yet theirs to use as an old one. */
function isFilling(block: SharedBlock, { head, countedHead, countedAtMs, nowMs }: ChainPlace): boolean {
  const hasArrived =
    countedHead - block.height >= ARRIVED_BLOCKS && countedAtMs - passedAt(block) >= ARRIVED_MS;
  return hasArrived && (head - block.height < FILLED_BLOCKS || nowMs - passedAt(block) < FILLED_MS);
}

/** Too old to be filled up, and nobody's any more but by halves. */
function isFilled(block: SharedBlock, { head, nowMs }: ChainPlace): boolean {
  return head - block.height >= FILLED_BLOCKS && nowMs - passedAt(block) >= FILLED_MS;
}

function isOld(block: SharedBlock, { countedHead, countedAtMs }: ChainPlace): boolean {
  return countedHead - block.height >= OLD_BLOCKS && countedAtMs - passedAt(block) >= OLD_MS;
}
