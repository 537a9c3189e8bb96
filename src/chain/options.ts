// What a local chain is made of.
import type { Database } from "bun:sqlite";
import type { BlockMode, TxOutcome } from "../engine/chain-port.ts";
import type { Genesis } from "../engine/genesis.ts";
import type { FileSync } from "../store/log-sync.ts";
import type { CheckedTransaction, Verdict } from "../wire/transaction-check.ts";
import type { AdmissionRules } from "./admission/rules.ts";
import type { MakeEngine } from "./chain-engine.ts";
import type { ChainClock, ChainPart, ChainRandom } from "./doors.ts";
import type { SequencerLimits } from "./limits.ts";

export interface LocalChainOptions {
  /** The writer's connection (store/database.ts): the chain alone writes on it. */
  readonly db: Database;
  readonly genesis: Genesis;
  readonly makeEngine: MakeEngine;
  readonly clock: ChainClock;
  readonly random: ChainRandom;
  /** When the process began, Unix nanoseconds: for the status. */
  readonly startedNs: bigint;
  /** Default: instant. */
  readonly mode?: BlockMode;
  /** Checks transactions without state; default: here and now. Workers may do it. The hash is theirs, lower-case hex. */
  checkTransaction?(bytes: Uint8Array, chainId: string, hash: string): Verdict | Promise<Verdict>;
  readonly rules?: AdmissionRules;
  readonly limits?: Partial<SequencerLimits>;
  /** Saved with the chain, besides clock and randomness: the bridge simulator. */
  readonly parts?: readonly ChainPart[];
  /** Nobody comes back to the store after a crash. */
  readonly isTemporary?: boolean;
  /** How the store's log is synced; tests let it fail. */
  readonly disk?: FileSync;
  /** An event file that every block is appended to. */
  readonly recordTo?: string;
  /** Told after every commit to disk; history segments follow it. */
  onCommitted?(height: number): void;
  /** Reads the genesis of a dump; refuses one that this chain could not be opened with. */
  readGenesis?(text: string): Genesis;
  /** Told after a load: from now on the chain is opened with this genesis document. */
  onLoaded?(genesis: string): void;
  /** Called with every verdict: of a refused submission (without a command where it cannot be read), of an executed one. */
  onOutcome?(outcome: TxOutcome, tx: CheckedTransaction | undefined): void;
  /** Told after a revert or a load, when the store's head has moved back: what is beyond it must be forgotten. */
  onReverted?(height: number): void;
  /** Told when the chain halts, and with undefined when it goes on. */
  onHalt?(reason: string | undefined): void;
}

/** What a chain found in its home when it was opened. */
export interface Resumption {
  readonly height: number;
  /** Height of the state that was loaded; undefined for a new chain. */
  readonly stateHeight: number | undefined;
  readonly replayed: number;
  readonly tookMs: number;
  /** "resumed at block 812: state of block 800, 12 blocks replayed in 4 ms". */
  readonly sentence: string;
}
