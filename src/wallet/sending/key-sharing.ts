/**
 * Two wallets with the same key cannot see what the other one has on its way. So that they do not fill the same block
 * together, and get the key banned, each leaves room for the other:
 *
 * - At first a wallet takes half of a block's quota, and the other half when the block is a few blocks old and nobody
 *   else was seen: whatever somebody else sent on it has arrived by then, and is counted.
 * - Who may not be alone (it just began, or others were seen) takes its half on the newest block, or on blocks that are
 *   so old that nobody adds to them. In between, somebody who believes to be alone may be filling up.
 * - Who sees others take more than half of a young block, which only a wallet that knows nothing of this does, keeps to
 *   old ones.
 *
 * Where the quota is one, half of it is every other block. What remains: a wallet that knows nothing of this and comes
 * to a key in full use, and two that begin within one block where the quota is one.
 */

/** Blocks after which what was sent on a block while it was the newest has arrived. */
const ARRIVED_BLOCKS = 3n;
/** Until then who is alone may fill a block up. */
const FILLED_BLOCKS = 6n;
/** What was sent to fill it up has arrived as well. */
const OLD_BLOCKS = 10n;
/** The same in time, for chains whose blocks come when they like. */
const OLD_MS = 10_000;
/** Blocks without anybody else that make a wallet sure of being alone. */
const PROBATION_BLOCKS = 3n;

export interface SharedBlock {
  readonly height: bigint;
  /** When this wallet first heard of it, milliseconds. */
  readonly knownAtMs: number;
  readonly txPerBlock: bigint;
}

export interface ChainPlace {
  /** The newest block. */
  readonly head: bigint;
  /** Blocks back from it that may be named. */
  readonly pastBlocks: bigint;
}

export interface KeySharingState {
  readonly firstSentAt: string | null;
  readonly lastSentAt: string | null;
  readonly foreignAt: string | null;
  readonly isGuest: boolean;
  readonly side: string | null;
}

export class KeySharing {
  /** The newest block when this wallet began to send, and when it last did. */
  private firstSentAt: bigint | undefined;
  private lastSentAt: bigint | undefined;
  /** The newest block when somebody else's transaction was last seen. */
  private foreignAt: bigint | undefined;
  private isGuest = false;
  /** Where the quota is one: whether this wallet takes the even blocks, 0, or the odd ones, 1. */
  private side: bigint | undefined;

  /** Transactions of somebody else were counted on a block: so many, all told. */
  noteForeign({ height, txPerBlock }: Omit<SharedBlock, "knownAtMs">, foreign: bigint, head: bigint): void {
    const isYoung = head - height < ARRIVED_BLOCKS;
    if (isYoung && txPerBlock > 1n && 2n * foreign > txPerBlock) this.isGuest = true;
    if (this.lastSentAt === undefined) this.side = 1n - (height % 2n);
    this.foreignAt = head > height ? head : height;
  }

  noteSent(height: bigint, { head, pastBlocks }: ChainPlace): void {
    // After so long a newcomer would find no trace of this wallet.
    const isTraceGone = this.lastSentAt === undefined || head - this.lastSentAt >= pastBlocks / 2n;
    if (isTraceGone) this.firstSentAt = head;
    this.lastSentAt = head;
    this.side ??= height % 2n;
  }

  /** Whether somebody else uses the key, as far as the last blocks tell. */
  isShared({ head, pastBlocks }: ChainPlace): boolean {
    if (this.foreignAt !== undefined && head - this.foreignAt <= pastBlocks) return true;
    this.foreignAt = undefined;
    this.isGuest = false;
    return false;
  }

  /** Whether it is certain that nobody else does. */
  isAlone(place: ChainPlace): boolean {
    if (this.isShared(place) || this.firstSentAt === undefined || this.lastSentAt === undefined) return false;
    const { head, pastBlocks } = place;
    return head - this.firstSentAt >= PROBATION_BLOCKS && head - this.lastSentAt < pastBlocks / 2n;
  }

  /**
   * How many transactions of this wallet a block may have, at the base difficulty; the rest is left to others.
   * @returns `whole` for a block that nobody else uses: as many as it takes, at growing difficulty where there is one
   */
  shareOf(block: SharedBlock, place: ChainPlace, nowMs: number): bigint | "whole" {
    const age = place.head - block.height;
    if (this.isAlone(place)) {
      if (age >= ARRIVED_BLOCKS && age < FILLED_BLOCKS) return "whole";
    } else {
      const isOld = age >= OLD_BLOCKS || (this.isGuest && nowMs - block.knownAtMs >= OLD_MS);
      if (!isOld && (this.isGuest || age > 0n)) return 0n;
    }
    if (block.txPerBlock > 1n) return block.txPerBlock / 2n;
    return this.side === undefined || block.height % 2n === this.side ? 1n : 0n;
  }

  forget(): void {
    this.firstSentAt = undefined;
    this.lastSentAt = undefined;
    this.foreignAt = undefined;
    this.isGuest = false;
    this.side = undefined;
  }

  save(): KeySharingState {
    const text = (value: bigint | undefined) => value?.toString() ?? null;
    const { firstSentAt, lastSentAt, foreignAt, isGuest, side } = this;
    return {
      firstSentAt: text(firstSentAt),
      lastSentAt: text(lastSentAt),
      foreignAt: text(foreignAt),
      isGuest,
      side: text(side),
    };
  }

  load(state: KeySharingState): void {
    const value = (text: string | null) => (text === null ? undefined : BigInt(text));
    this.firstSentAt = value(state.firstSentAt);
    this.lastSentAt = value(state.lastSentAt);
    this.foreignAt = value(state.foreignAt);
    this.isGuest = state.isGuest;
    this.side = value(state.side);
  }
}
