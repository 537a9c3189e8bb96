// A chain for tests of the planes: small and honest. It takes what is well-formed and signed, once; a party has a
// quota; a block comes when it is asked for. Verdicts come from the real stateless checks.

import { Admission, spamStatistics } from "../../../src/chain/admission/admission.ts";
import { statePartOf } from "../../../src/chain/state-view.ts";
import {
  ChainCallError,
  type ChainPort,
  type ChainStatus,
  NO_TRADING,
  type RefusalDetails,
  type StatePart,
  type TxOutcome,
} from "../../../src/engine/chain-port.ts";
import { SECOND_NS } from "../../../src/wire/time-text.ts";
import { TRANSACTION_BYTES_MAX, tooLargeText, transactionHash } from "../../../src/wire/transaction.ts";
import { checkTransaction } from "../../../src/wire/transaction-check.ts";

export const CHAIN_ID = "vega-devnet-0001";
const GENESIS_NS = 1_659_430_800_500_000_000n;
const BLOCK_NS = SECOND_NS;
/** Transactions of a party; one more is refused. */
export const QUOTA = 3;

export class FakeChain implements ChainPort {
  status: ChainStatus = statusAt(7, {});
  /** Makes every call fail like this. */
  failure: Error | undefined;
  /** Arguments of the calls, in order. */
  readonly calls: {
    readonly kind: "submit" | "check";
    readonly bytes: Uint8Array;
    readonly wait?: string;
  }[] = [];
  private readonly known = new Set<string>();
  private readonly counts = new Map<string, number>();
  private readonly listeners = new Set<(status: ChainStatus) => void>();
  private readonly admission = new Admission(CHAIN_ID);

  constructor() {
    for (const [key, value] of [
      ["spam.pow.numberOfPastBlocks", "100"],
      ["spam.pow.difficulty", "15"],
      ["spam.pow.hashFunction", "sha3_24_rounds"],
      ["spam.pow.numberOfTxPerBlock", "2"],
      ["spam.pow.increaseDifficulty", "1"],
    ] as const) {
      this.admission.setParameter(key, value);
    }
    this.admission.beginBlock(7n, this.status.hash, this.status.timeNs);
  }

  onBlock(listener: (status: ChainStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    this.calls.push({ kind: "submit", bytes, wait });
    const outcome = this.judge(bytes);
    if (outcome.code !== 0) return outcome;
    this.known.add(outcome.hash);
    if (wait === "check") return outcome;
    this.makeBlock();
    return { ...outcome, height: this.status.height };
  }

  async check(bytes: Uint8Array): Promise<TxOutcome> {
    this.calls.push({ kind: "check", bytes });
    return this.judge(bytes);
  }

  async statePart(table: string | undefined, prefix: string): Promise<StatePart | undefined> {
    const { state } = this.admission;
    state.takeChanges();
    return statePartOf({ state, point: this.status as never }, table, prefix);
  }

  async spamStatistics(party: string): Promise<unknown> {
    if (this.failure) throw this.failure;
    return spamStatistics(this.admission, party);
  }

  /** Sets some facts of the last block. */
  tell(facts: Partial<ChainStatus>): void {
    this.status = { ...this.status, ...facts };
  }

  makeBlock(): void {
    this.status = statusAt(this.status.height + 1, { halted: this.status.halted });
    for (const listener of this.listeners) listener(this.status);
  }

  private judge(bytes: Uint8Array): TxOutcome {
    if (this.failure) throw this.failure;
    if (bytes.length > TRANSACTION_BYTES_MAX) {
      throw new ChainCallError("too_large", tooLargeText(bytes.length));
    }
    const hash = transactionHash(bytes).toUpperCase();
    if (this.known.has(hash)) throw new ChainCallError("duplicate", "tx already exists in cache");
    const verdict = checkTransaction(bytes, CHAIN_ID);
    if (!verdict.ok) {
      const { code, text } = verdict.refusal;
      return refused(hash, code, text, { rule: "invalid_transaction", numbers: {}, sentence: text });
    }
    const { party } = verdict.transaction;
    const used = this.counts.get(party) ?? 0;
    if (used >= QUOTA) {
      const text = "party has already submitted the maximum number of transfer requests per epoch";
      return refused(hash, 89, text, {
        rule: "spam_transfer_count",
        numbers: { used: String(used), max: String(QUOTA) },
        sentence: `${used} of ${QUOTA} transfers used in epoch 2, next epoch in 42 s`,
      });
    }
    this.counts.set(party, used + 1);
    return { hash, code: 0, text: "", details: undefined, gasWanted: 1, height: 0 };
  }
}

function refused(hash: string, code: number, text: string, details: RefusalDetails): TxOutcome {
  return { hash, code, text, details, gasWanted: 0, height: 0 };
}

function statusAt(height: number, { halted }: { halted?: string | undefined }): ChainStatus {
  const timeNs = GENESIS_NS + BigInt(height) * BLOCK_NS;
  return {
    chainId: CHAIN_ID,
    height,
    hash: height.toString(16).padStart(64, "0"),
    appHash: "ab".repeat(32),
    timeNs,
    previousTimeNs: timeNs - BLOCK_NS,
    genesisTimeNs: GENESIS_NS,
    startedNs: GENESIS_NS + 1n,
    epoch: { seq: 2n, startNs: GENESIS_NS, expireNs: GENESIS_NS + 60n * BLOCK_NS },
    pow: {
      hashFunction: "sha3_24_rounds",
      difficulty: 15,
      pastBlocks: 100,
      txPerBlock: 2,
      increasingDifficulty: true,
    },
    mempool: { count: 4, bytes: 2_000 },
    totals: {
      txsLastBlock: 5,
      averageTxBytes: 371,
      events: 2n ** 60n,
      eventsLastBlock: 12,
      trading: NO_TRADING,
      tradingLastBlock: NO_TRADING,
    },
    halted,
    haltedMarkets: [],
  };
}
