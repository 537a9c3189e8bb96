// The status of a chain of which nothing is known yet.
import { type ChainStatus, NO_TRADING } from "../engine/chain-port.ts";

/** @param startedNs when the process began, Unix nanoseconds */
export function noChain(startedNs: bigint): ChainStatus {
  return {
    chainId: "",
    height: 0,
    hash: "",
    appHash: "",
    timeNs: 0n,
    previousTimeNs: 0n,
    genesisTimeNs: 0n,
    startedNs,
    epoch: { seq: 0n, startNs: 0n, expireNs: 0n },
    pow: { hashFunction: "", difficulty: 0, pastBlocks: 0, txPerBlock: 0, increasingDifficulty: false },
    mempool: { count: 0, bytes: 0 },
    totals: {
      txsLastBlock: 0,
      averageTxBytes: 0,
      events: 0n,
      eventsLastBlock: 0,
      trading: NO_TRADING,
      tradingLastBlock: NO_TRADING,
    },
    halted: undefined,
    haltedMarkets: [],
  };
}
