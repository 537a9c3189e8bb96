/**
 * What the sequencer needs of a state machine. `engine/engine.ts` is the real one; tests have a small one of their
 * own. The calls of one block:
 *
 *   beginBlock → deliver or reject … → endBlock → commit, and check between blocks
 */
import type { CheckpointText } from "../engine/checkpoints.ts";
import type { BlockInfo } from "../engine/core.ts";
import type { EngineListener } from "../engine/domains.ts";
import type { CommittedBlock, TxResult } from "../engine/engine.ts";
import type { Duty, EpochInfo } from "../engine/ports.ts";
import type { State } from "../engine/state.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";

export type EngineResult = TxResult;
export type EngineCommit = CommittedBlock;
/** Called as things happen inside a block; admission follows them. */
export type EngineFollower = Required<EngineListener>;

export interface ChainEngine {
  readonly chainId: string;
  readonly state: State;
  readonly epoch: EpochInfo;
  /** The pseudo block of the genesis; `commit` ends it. */
  initChain(): void;
  beginBlock(header: BlockInfo & { readonly proposer?: string }): void;
  /** What the mempool asks: changes nothing. */
  check(tx: CheckedTransaction): EngineResult;
  /** Executes a transaction that admission has let through, and emits its events. */
  deliver(tx: CheckedTransaction): EngineResult;
  /** A transaction that admission refused in a block. */
  reject(tx: CheckedTransaction, text: string): void;
  endBlock(): void;
  commit(): EngineCommit;
  /** The state was loaded, or taken back, to what it was at the end of this block. */
  resume(block: BlockInfo): void;
  /** Something waits for the next block and nothing else will bring it about. */
  wantsBlock(): boolean;
  /** What the validator of a node has to do now. */
  duties(nodeId: string): readonly Duty[];
  /** Gas of the transactions of a block at the most (`network.transactions.maxgasperblock`). */
  readonly blockGasMax: number;
  /** What another chain can begin with (reference 60, section 12). */
  checkpoint(): CheckpointText;
  /** Why no further block can be made; undefined while all is well. */
  haltReason(): string | undefined;
  /** The event behind the last block of a chain that stops for an upgrade (reference 60, section 1.4, step 1). */
  upgradeStarted(): EngineCommit["block"] | undefined;
  /** Tokens in the party's staking account; undefined without one. For the spam policies. */
  stakeOf(party: string): bigint | undefined;
  /** Sets a general account's balance; inside a block, before its transactions (devnet tools). @throws CommandError */
  setBalance(party: string, asset: string, balance: bigint): void;
  /** Sets a network parameter; inside a block, before its transactions (devnet tools). @throws CommandError */
  setParameter(key: string, value: string): void;
}

/** Makes the engine of a chain; `follower` is told what happens in it. */
export type MakeEngine = (follower: EngineFollower) => ChainEngine;
