/**
 * Two wallets with the same key cannot see what the other one has on its way. So that they do not fill the same block
 * together, and get the key banned, each leaves room for the other (issue 4, done when 5):
 *
 * - A wallet that just began takes half of a block's quota, until a few blocks have passed and nobody else was seen.
 * - One that is alone takes the whole quota of young blocks and half of old ones. So there is room where a newcomer
 *   looks: who finds the key in use when it begins is a guest, and uses old blocks only.
 * - While somebody else is seen, everybody takes half. Who sees the others on young blocks, which is what the original
 *   wallet uses, keeps to old ones.
 *
 * Where the quota is one, half of it is every other block. What remains: an original wallet that comes to a key in full
 * use, and two that begin within the same block where the quota is one.
 */

/** Blocks after which what was sent has arrived and is counted. */
const OLD_BLOCKS = 6n;
/** The same in time, for chains whose blocks come when they like. */
const OLD_MS = 5_000;
/** Blocks without anybody else that make a wallet sure of being alone. */
const PROBATION_BLOCKS = 3n;
const YOUNG_BLOCKS = 2n;

export interface SharedBlock {
  readonly height: bigint;
  /** When this wallet first heard of it, milliseconds. */
  readonly knownAtMs: number;
  readonly txPerBlock: bigint;
}

export interface KeySharingState {
  readonly firstSentAt: string | null;
  readonly lastSentAt: string | null;
  readonly foreignAt: string | null;
  readonly isGuest: boolean;
}

export class KeySharing {
  /** The newest block when this wallet began to send, and when it last did. */
  private firstSentAt: bigint | undefined;
  private lastSentAt: bigint | undefined;
  /** The newest block when somebody else's transaction was last seen. */
  private foreignAt: bigint | undefined;
  private isGuest = false;

  /** Somebody else's transaction was counted on a block. */
  noteForeign(height: bigint, head: bigint): void {
    if (this.lastSentAt === undefined || head - height <= YOUNG_BLOCKS) this.isGuest = true;
    this.foreignAt = head > height ? head : height;
  }

  noteSent(head: bigint, pastBlocks: bigint): void {
    // After so long a newcomer would find no trace of this wallet.
    const isTraceGone = this.lastSentAt === undefined || head - this.lastSentAt >= pastBlocks / 2n;
    if (isTraceGone) this.firstSentAt = head;
    this.lastSentAt = head;
  }

  /** Whether somebody else uses the key, as far as the last blocks tell. */
  isShared(head: bigint, pastBlocks: bigint): boolean {
    if (this.foreignAt !== undefined && head - this.foreignAt <= pastBlocks) return true;
    this.foreignAt = undefined;
    this.isGuest = false;
    return false;
  }

  /** Whether it is certain that nobody else does. */
  isAlone(head: bigint, pastBlocks: bigint): boolean {
    if (this.isShared(head, pastBlocks)) return false;
    if (this.firstSentAt === undefined || this.lastSentAt === undefined) return false;
    return head - this.firstSentAt >= PROBATION_BLOCKS && head - this.lastSentAt < pastBlocks / 2n;
  }

  /** Transactions of this wallet that a block may have at the base difficulty; the rest is left to others. */
  shareOf(block: SharedBlock, head: bigint, pastBlocks: bigint, nowMs: number): bigint {
    const { txPerBlock, height } = block;
    const isOld = head - height >= OLD_BLOCKS || nowMs - block.knownAtMs >= OLD_MS;
    const isAlone = this.isAlone(head, pastBlocks);
    if (isAlone && !isOld) return txPerBlock;
    if (this.isGuest && !isOld) return 0n;
    if (txPerBlock > 1n) return txPerBlock / 2n;
    const isCertain = isAlone || this.isShared(head, pastBlocks);
    return !isCertain || height % 2n === (this.isGuest ? 1n : 0n) ? 1n : 0n;
  }

  forget(): void {
    this.firstSentAt = undefined;
    this.lastSentAt = undefined;
    this.foreignAt = undefined;
    this.isGuest = false;
  }

  save(): KeySharingState {
    const text = (height: bigint | undefined) => height?.toString() ?? null;
    const { firstSentAt, lastSentAt, foreignAt, isGuest } = this;
    return {
      firstSentAt: text(firstSentAt),
      lastSentAt: text(lastSentAt),
      foreignAt: text(foreignAt),
      isGuest,
    };
  }

  load(state: KeySharingState): void {
    const height = (text: string | null) => (text === null ? undefined : BigInt(text));
    this.firstSentAt = height(state.firstSentAt);
    this.lastSentAt = height(state.lastSentAt);
    this.foreignAt = height(state.foreignAt);
    this.isGuest = state.isGuest;
  }
}
