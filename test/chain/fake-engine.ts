// A state machine of a few lines in the shape of the real one: balances in one asset, transfers between parties,
// votes that wait for a block, epochs of ten seconds.

import type { ChainEngine, EngineCommit, EngineFollower, EngineResult } from "../../src/chain/options.ts";
import { type BlockInfo, Core } from "../../src/engine/core.ts";
import { CommandError, ResultCode } from "../../src/engine/errors.ts";
import type { Genesis } from "../../src/engine/genesis.ts";
import type { Duty, EpochInfo } from "../../src/engine/ports.ts";
import type { Cell, Table } from "../../src/engine/state.ts";
import type { CommandText } from "../../src/errors/result-codes.ts";
import { AccountType, EpochAction } from "../../src/wire/generated/vega.ts";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";

export const ASSET = "a5".repeat(32);
export const EPOCH_NS = 10_000_000_000n;
/** A party's balance before anything happens to it. */
export const FUNDS = 1_000_000n;

interface StoredEpoch {
  readonly seq: bigint;
  readonly startNs: bigint;
  readonly expireNs: bigint;
}

export class FakeEngine implements ChainEngine {
  readonly core: Core;
  private readonly balances: Table<bigint>;
  private readonly parameters: Table<string>;
  private readonly waiting: Cell<bigint>;
  private readonly epochs: Cell<StoredEpoch>;
  /** Set by a test: the next delivery breaks the engine. */
  isBroken = false;

  constructor(
    readonly genesis: Genesis,
    private readonly follower: EngineFollower,
  ) {
    this.core = new Core(genesis.chainId);
    this.balances = this.core.state.table("fake.balances");
    this.parameters = this.core.state.table("fake.parameters");
    this.waiting = this.core.state.cell("fake.waiting", 0n);
    this.epochs = this.core.state.cell("fake.epoch", { seq: 0n, startNs: 0n, expireNs: 0n });
  }

  get chainId(): string {
    return this.genesis.chainId;
  }

  get state() {
    return this.core.state;
  }

  get epoch(): EpochInfo {
    return { ...this.epochs.get(), endNs: undefined };
  }

  get blockGasMax(): number {
    return Number(this.parameters.get("network.transactions.maxgasperblock") ?? "500000");
  }

  consensusMembers() {
    return [];
  }

  consensusUpdates() {
    return [];
  }

  consensusNodes() {
    return [];
  }

  initChain(): void {
    const { genesis, core } = this;
    core.block = { height: genesis.initialHeight, timeNs: genesis.timeNs, hash: genesis.hash };
    core.log.startBlock(genesis.hash.toUpperCase());
    core.emit("beginBlock", { height: 1n, timestamp: core.nowNs, hash: genesis.hash });
    core.emit("timeUpdate", { timestamp: core.nowNs });
    this.startEpoch(0n);
    for (const [key, value] of Object.entries(genesis.appState.network_parameters))
      this.setParameter(key, value);
  }

  beginBlock(info: BlockInfo): void {
    this.core.block = info;
    this.core.log.startBlock(info.hash.toUpperCase());
    this.core.emit("beginBlock", { height: BigInt(info.height), timestamp: info.timeNs, hash: info.hash });
    this.core.emit("timeUpdate", { timestamp: info.timeNs });
    if (info.timeNs > this.epoch.expireNs) this.startEpoch(this.epoch.seq + 1n);
    if (this.waiting.get() > 0n) this.waiting.set(this.waiting.get() - 1n);
  }

  check(tx: CheckedTransaction): EngineResult {
    const mark = this.state.mark();
    const events = this.core.log.length;
    const result = this.guarded(() => this.handle(tx));
    this.state.rollback(mark);
    this.core.log.truncate(events);
    return result;
  }

  deliver(tx: CheckedTransaction): EngineResult {
    if (this.isBroken) throw new Error("the engine is broken");
    this.core.log.setTransaction(tx.hash.toUpperCase());
    const mark = this.state.mark();
    const events = this.core.log.length;
    const result = this.guarded(() => this.handle(tx));
    if (result.code !== 0) {
      this.state.rollback(mark);
      this.core.log.truncate(events);
    }
    this.core.log.setTransaction(undefined);
    return result;
  }

  reject(tx: CheckedTransaction, text: string): void {
    this.core.log.setTransaction(tx.hash.toUpperCase());
    this.core.emit("txErrEvent", { partyId: tx.party, errMsg: text });
    this.core.log.setTransaction(undefined);
  }

  endBlock(): void {}

  commit(): EngineCommit {
    this.core.emit("endBlock", { height: BigInt(this.core.height) });
    const changes = this.state.takeChanges();
    this.state.dropJournal();
    return { block: this.core.log.blockEvents(), changes };
  }

  resume(block: BlockInfo): void {
    this.core.block = block;
  }

  wantsBlock(): boolean {
    return this.waiting.get() > 0n;
  }

  duties(): readonly Duty[] {
    return [];
  }

  checkpoint() {
    return { load_hash: "", state: "" };
  }

  haltedMarkets() {
    return [];
  }

  haltReason(): string | undefined {
    const from = Number(this.parameters.get("halt.height") ?? 0);
    return this.core.height >= from ? this.parameters.get("halt") : undefined;
  }

  upgradeStarted() {
    if (this.haltReason() === undefined) return undefined;
    this.core.log.startBlock(this.core.block.hash.toUpperCase());
    this.core.emit("protocolUpgradeStarted", { lastBlockHeight: BigInt(this.core.height) });
    return this.core.log.blockEvents();
  }

  stakeOf(party: string): bigint | undefined {
    return this.balanceOf(party) * 10n ** 18n;
  }

  balanceOf(party: string): bigint {
    return this.balances.get(party) ?? FUNDS;
  }

  setBalance(party: string, asset: string, balance: bigint): void {
    if (asset !== ASSET) throw new CommandError("no such asset" as CommandText);
    this.put(party, balance);
  }

  setParameter(key: string, value: string): void {
    if (key === "") throw new CommandError("unknown network parameter" as CommandText);
    this.parameters.set(key, value);
    this.core.emit("networkParameter", { key, value });
    this.follower.onParameter(key, value);
  }

  private handle(tx: CheckedTransaction): void {
    if (tx.kind === "voteSubmission") this.waiting.set(this.waiting.get() + 1n);
    else if (tx.kind === "transfer") this.transfer(tx.party, tx.payload.to, BigInt(tx.payload.amount));
    else throw new CommandError("not supported by this chain", { code: ResultCode.unsupported });
  }

  private transfer(from: string, to: string, amount: bigint): void {
    const available = this.balanceOf(from);
    if (available < amount) {
      throw new CommandError("not enough funds to transfer", { numbers: { available, needed: amount } });
    }
    this.put(from, available - amount);
    this.put(to, this.balanceOf(to) + amount);
  }

  private put(party: string, balance: bigint): void {
    if (!this.balances.has(party)) this.core.emit("party", { id: party });
    this.balances.set(party, balance);
    this.core.emit("account", {
      id: party,
      owner: party,
      balance: balance.toString(),
      asset: ASSET,
      marketId: "!",
      type: AccountType.ACCOUNT_TYPE_GENERAL,
    });
  }

  private startEpoch(seq: bigint): void {
    const startNs = this.core.nowNs;
    const epoch = { seq, startNs, expireNs: startNs + EPOCH_NS };
    this.epochs.set(epoch);
    const action = EpochAction.EPOCH_ACTION_START;
    this.core.emit("epochEvent", {
      seq,
      action,
      startTime: startNs,
      expireTime: epoch.expireNs,
      endTime: 0n,
    });
    this.follower.onEpochStart({ ...epoch, endNs: undefined });
  }

  private guarded(run: () => void): EngineResult {
    try {
      run();
      return { code: 0, text: "", gasWanted: 1 };
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const { code = ResultCode.failed, numbers } = error.options;
      return { code, text: error.message, gasWanted: 1, ...(numbers && { numbers }) };
    }
  }
}
