// Limits of the mempool and of blocks (reference 30, sections 2.5 and 7.4), and how often state is saved.

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

export interface SequencerLimits {
  /** Transactions in the mempool. */
  readonly mempoolTxsMax: number;
  readonly mempoolBytesMax: number;
  /** Hashes remembered, so that the same bytes are not taken twice. */
  readonly cachedHashesMax: number;
  /** Bytes of transactions in a block. */
  readonly blockBytesMax: number;
  /** How long `commit` waits for its block, milliseconds. */
  readonly commitWaitMs: number;
  /** The stored state is brought up to date after so many blocks that changed something ... */
  readonly stateBlocksMax: number;
  /** ... or so many transactions: what a restart has to replay ... */
  readonly stateTxsMax: number;
  /** ... or so many changed entries, which wait in memory until then. */
  readonly stateChangesMax: number;
  /** Blocks of one `mine`. */
  readonly mineBlocksMax: number;
  readonly snapshotsMax: number;
}

export const SEQUENCER_LIMITS: SequencerLimits = {
  mempoolTxsMax: 5_000,
  mempoolBytesMax: GIB,
  cachedHashesMax: 10_000,
  blockBytesMax: 21 * MIB,
  commitWaitMs: 10_000,
  stateBlocksMax: 1_000,
  stateTxsMax: 20_000,
  stateChangesMax: 20_000,
  mineBlocksMax: 1_000_000,
  snapshotsMax: 100,
};
