// The end of every source: the bus events of one block, in order (docs/architecture.md, "Data flow").

/** Largest sequence number of an event: rows keep it in 24 bits (store/schema.ts, `ord`). */
export const SEQUENCE_MAX = 2 ** 24 - 1;

/** A bus event, as a range of the bytes it came in: nothing is decoded before it is needed. */
export interface BlockEvent {
  /** Payload field number of `vega.events.v1.BusEvent` (docs/protocol/30-node-api-events.md#92-types-and-payload-fields). */
  readonly field: number;
  /** Second part of the event id, from 1 in each block. */
  readonly seq: number;
  /** Index into `Block.txHashes`; 0 is the block's own hash. */
  readonly tx: number;
  readonly bytes: Uint8Array;
  /** Range of the payload message in `bytes`. */
  readonly start: number;
  readonly end: number;
  /** The decoded message, if the producer still has it; immutable. */
  readonly message?: object;
}

/** Position in its source at which a block begins. */
export interface BlockPlace {
  /** Number of the record, from 1. */
  readonly record: number;
  /** Bytes of the inflated stream before it. */
  readonly offset: number;
}

/** Events of a block, including its begin and end. */
export function eventCount(block: Block): number {
  return block.events.length + (block.unkept ?? 0) + 2;
}

/** A whole block: from its begin-block event to its end-block event. */
export interface Block {
  readonly chainId: string;
  readonly height: number;
  /** Unix time in nanoseconds, as the begin-block event says. */
  readonly timeNs: bigint;
  /** Trace id: the block hash in upper-case hex; for the first block of the stream the hash of the genesis state. */
  readonly hash: string;
  /** The same as bytes, if the source has them. */
  readonly hashBytes?: Uint8Array;
  /** Upper-case hex hashes that events of this block name; the first is `hash`. */
  readonly txHashes: readonly string[];
  readonly events: readonly BlockEvent[];
  /** Events of kinds that no projection keeps, left out of `events`. */
  readonly unkept?: number;
  /** Every event, including markers and those that no projection keeps; only if streams need them. */
  readonly whole?: readonly BlockEvent[];
  /** Only for a block from a file. */
  readonly place?: BlockPlace;
}

// Payload field numbers of `vega.events.v1.BusEvent` (docs/protocol/30-node-api-events.md#92-types-and-payload-fields).
export const Field = {
  ledgerMovements: 102,
  order: 104,
  account: 105,
  party: 106,
  trade: 107,
  marginLevels: 108,
  proposal: 109,
  vote: 110,
  marketData: 111,
  nodeSignature: 112,
  lossSocialization: 113,
  settlePosition: 114,
  settleDistressed: 115,
  marketCreated: 116,
  asset: 117,
  withdrawal: 119,
  deposit: 120,
  riskFactor: 122,
  networkParameter: 123,
  liquidityProvision: 124,
  marketUpdated: 125,
  oracleSpec: 126,
  oracleData: 127,
  delegationBalance: 129,
  validatorScore: 130,
  epochUpdate: 131,
  validatorUpdate: 132,
  stakeLinking: 133,
  rewardPayout: 134,
  checkpoint: 135,
  keyRotation: 136,
  networkLimits: 138,
  transfer: 139,
  validatorRanking: 140,
  multisigSignerAdded: 143,
  multisigSignerRemoved: 144,
  ethereumKeyRotation: 146,
  protocolUpgradeProposal: 147,
  beginBlock: 148,
  endBlock: 149,
  settleMarket: 151,
  transactionResult: 152,
  coreSnapshot: 153,
  distressedOrders: 155,
  expiredOrders: 156,
  distressedPositions: 157,
} as const;
