/**
 * The part of a block that one wallet may use, where another wallet may use the same key: neither sees what the other
 * has on its way, and one transaction too many gets the key banned.
 *
 * A wallet takes half of a block's quota, always, so two of them never exceed it, however late the transactions of either
 * arrive. Where the quota is one, half of it is every other block: a newcomer takes the side on which it has seen
 * nothing of the other. A wallet that sees others take more than half of a young block keeps to old blocks, whose
 * transactions have arrived and are counted; so does one that has to guess its side.
 *
 * Not covered: a wallet that knows nothing of this and comes to a key in full use, and two that begin within one block
 * where the quota is one.
 */

/** Blocks behind the newest one on which others may still be adding. */
const YOUNG_BLOCKS = 3n;
/** Blocks after which everything that was sent on a block has arrived. */
const OLD_BLOCKS = 10n;
/** The same on a chain that makes blocks only now and then, milliseconds. */
const OLD_MS = 10_000;

interface SharedBlock {
  readonly height: bigint;
  /** When this wallet first heard of it, milliseconds. */
  readonly knownAtMs: number;
  readonly txPerBlock: bigint;
}

/** The chain as a wallet knows it. */
interface ChainPosition {
  /** The newest block. */
  readonly head: bigint;
  /** Blocks back from it that may be named. */
  readonly pastBlocks: bigint;
  /** The newest block that transactions were counted up to. */
  readonly countedHead: bigint;
  readonly nowMs: number;
}

export interface KeySharingState {
  readonly hasSent: boolean;
  readonly foreignAt: string | null;
  readonly isGuest: boolean;
  readonly side: string | null;
  readonly isSideGuessed: boolean;
}

export class KeySharing {
  private hasSent = false;
  /** The newest block when a transaction of another wallet was last seen. */
  private foreignAt: bigint | undefined;
  /** Another wallet takes more than its half. */
  private isGuest = false;
  /** Where the quota is one: whether this wallet takes the even blocks, 0, or the odd ones, 1. */
  private side: bigint | undefined;
  /** The other wallet's side was not seen yet. */
  private isSideGuessed = false;

  /** Another wallet's transactions, this many, were counted on a block. */
  noteForeign({ height, txPerBlock }: SharedBlock, foreign: bigint, head: bigint): void {
    const isYoung = head - height < YOUNG_BLOCKS;
    if (isYoung && txPerBlock > 1n && 2n * foreign > txPerBlock) this.isGuest = true;
    if (!this.hasSent || this.isSideGuessed) {
      // Where blocks take more than one, nothing shows which side is the other wallet's.
      if (txPerBlock === 1n) this.setSide(1n - (height % 2n), false);
      else if (!this.hasSent) this.setSide(1n, true);
    }
    this.foreignAt = head > height ? head : height;
  }

  noteSent({ height, txPerBlock }: SharedBlock): void {
    this.hasSent = true;
    if (this.side === undefined) this.setSide(txPerBlock > 1n ? 0n : height % 2n, false);
  }

  /** Whether another wallet uses the key, as far as the last blocks tell. */
  isShared({ head, pastBlocks }: Pick<ChainPosition, "head" | "pastBlocks">): boolean {
    if (this.foreignAt !== undefined && head - this.foreignAt <= pastBlocks) return true;
    this.foreignAt = undefined;
    this.isGuest = false;
    return false;
  }

  /** How many transactions of this wallet a block may have, at the base difficulty. */
  shareOf(block: SharedBlock, { countedHead, nowMs, ...reach }: ChainPosition): bigint {
    const isShared = this.isShared(reach);
    const isWary = this.isGuest || (isShared && this.isSideGuessed && block.txPerBlock === 1n);
    const isOld = countedHead - block.height >= OLD_BLOCKS || nowMs - block.knownAtMs >= OLD_MS;
    return isWary && !isOld ? 0n : this.half(block);
  }

  reset(): void {
    this.load({ hasSent: false, foreignAt: null, isGuest: false, side: null, isSideGuessed: false });
  }

  save(): KeySharingState {
    const { hasSent, foreignAt, isGuest, side, isSideGuessed } = this;
    return {
      ...{ hasSent, isGuest, isSideGuessed },
      foreignAt: foreignAt?.toString() ?? null,
      side: side?.toString() ?? null,
    };
  }

  load({ hasSent, foreignAt, isGuest, side, isSideGuessed }: KeySharingState): void {
    this.hasSent = hasSent === true;
    this.foreignAt = foreignAt === null ? undefined : BigInt(foreignAt);
    this.isGuest = isGuest;
    this.side = side === null ? undefined : BigInt(side);
    this.isSideGuessed = isSideGuessed === true;
  }

  private setSide(side: bigint, isGuessed: boolean): void {
    this.side = side;
    this.isSideGuessed = isGuessed;
  }

  private half({ height, txPerBlock }: SharedBlock): bigint {
    if (txPerBlock > 1n) return txPerBlock / 2n;
    return this.side === undefined || height % 2n === this.side ? 1n : 0n;
  }
}
