/**
 * The chain itself: a deterministic state machine in the shape of an ABCI application. It is given blocks and
 * transactions that have passed admission, and answers with bus events, in the order of the network
 * (docs/protocol/60-state-engine-blocks.md#13-initchain to #18-endblock-and-commit). It knows no store, no HTTP and no
 * wall clock.
 */
import type { Init } from "../wire/codec.ts";
import type { TransactionResult, TxErrorEvent } from "../wire/generated/events.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";
import { COMMANDS, type CommandKind } from "../wire/transaction-commands.ts";
import type { Releases } from "./chain-port.ts";
import type { CheckpointText } from "./checkpoints.ts";
import { type ConsensusPower, consensusKey } from "./consensus-set.ts";
import { type BlockInfo, Core } from "./core.ts";
import { type CommandTable, Domains, type EngineListener } from "./domains.ts";
import { CommandError, commandErrorOf, ResultCode } from "./errors.ts";
import type { Genesis } from "./genesis.ts";
import type { HaltedMarket } from "./markets/records.ts";
import type { Duty, EpochInfo } from "./ports.ts";
import type { StateChange } from "./state.ts";

export interface BlockHeader extends BlockInfo {
  /** Node id of the validator that proposes the block; chosen by turns when it is left out. */
  readonly proposer?: string;
}

/** Outcome of a transaction in the engine. */
export interface TxResult {
  /** 0 or one of `ResultCode`. */
  readonly code: number;
  /** The refusal's text, word for word; empty without one. */
  readonly text: string;
  /** Of a check that passed; else 0. */
  readonly gasWanted: number;
  readonly numbers?: Readonly<Record<string, bigint | string>>;
}

export interface CommittedBlock {
  /** All events, begin-block and end-block included. */
  readonly block: ReturnType<Core["log"]["blockEvents"]>;
  readonly changes: readonly StateChange[];
}

export class Engine {
  readonly core: Core;
  readonly domains: Domains;
  /** The block in hand is the pseudo block. */
  private isGenesis = false;

  constructor(
    readonly genesis: Genesis,
    private readonly listener: EngineListener = {},
  ) {
    this.core = new Core(genesis.chainId);
    this.domains = new Domains(this.core, listener);
  }

  get chainId(): string {
    return this.genesis.chainId;
  }

  get state() {
    return this.core.state;
  }

  /** The pseudo block of the genesis (docs/protocol/60-state-engine-blocks.md#13-initchain); `commit` ends it. */
  initChain(): void {
    const { genesis, core, domains } = this;
    this.isGenesis = true;
    const hash = genesis.hash;
    core.block = { height: genesis.initialHeight, timeNs: genesis.timeNs, hash };
    core.log.startBlock(hash.toUpperCase());
    core.emit("beginBlock", { height: BigInt(core.height), timestamp: core.nowNs, hash });
    core.emit("timeUpdate", { timestamp: core.nowNs });
    domains.startFirstEpoch();
    domains.loadGenesis(genesis.appState);
  }

  beginBlock(header: BlockHeader): void {
    const { core, domains } = this;
    this.isGenesis = false;
    core.block = { height: header.height, timeNs: header.timeNs, hash: header.hash };
    core.log.startBlock(header.hash.toUpperCase());
    core.emit("beginBlock", { height: BigInt(header.height), timestamp: header.timeNs, hash: header.hash });
    core.emit("timeUpdate", { timestamp: header.timeNs });
    domains.tick();
    domains.beginBlock(header.proposer ?? domains.proposerOf(header.height));
  }

  /** CheckTx: changes nothing. */
  check(tx: CheckedTransaction): TxResult {
    const mark = this.state.mark();
    const events = this.core.log.length;
    try {
      this.inTransaction(tx, () => {
        this.domains.checkSender(tx);
        if (this.domains.handlers[tx.kind] === undefined) throw unsupported();
        run(this.domains.checks, tx);
      });
      return { code: ResultCode.ok, text: "", gasWanted: this.domains.gas.wantedBy(tx) };
    } catch (error) {
      return this.refusal(tx, error);
    } finally {
      this.state.rollback(mark);
      this.core.log.truncate(events);
    }
  }

  /** Executes a transaction that admission has let through. */
  deliver(tx: CheckedTransaction): TxResult {
    const mark = this.state.mark();
    const events = this.core.log.length;
    let result: TxResult;
    this.core.log.setTransaction(tx.hash.toUpperCase());
    try {
      result = this.inTransaction(tx, () => {
        try {
          this.domains.checkSender(tx);
          if (!run(this.domains.handlers, tx)) throw unsupported();
          this.report(tx, undefined);
          return { code: ResultCode.ok, text: "", gasWanted: 0 };
        } catch (error) {
          if (!(error instanceof CommandError) || !error.options.keepChanges) {
            this.state.rollback(mark);
            this.core.log.truncate(events);
          }
          const refusal = this.refusal(tx, error);
          // A command that is not allowed now, or has no handler, leaves no event.
          if (refusal.code === ResultCode.failed || refusal.code === ResultCode.partlyFailed) {
            this.report(tx, refusal.text);
          }
          return refusal;
        }
      });
    } finally {
      this.core.log.setTransaction(undefined);
    }
    return result;
  }

  /**
   * A transaction that admission refused in a block: one event, and no result
   * (docs/protocol/60-state-engine-blocks.md#16-transactions, step 2).
   */
  reject(tx: CheckedTransaction, text: string): void {
    this.core.log.setTransaction(tx.hash.toUpperCase());
    this.emitTxError(tx, text);
    this.core.log.setTransaction(undefined);
  }

  endBlock(): void {
    this.domains.endBlock();
  }

  /** Ends the block; the last event is its end. @throws InvariantError */
  commit(): CommittedBlock {
    const { core, domains } = this;
    // The network commits the pseudo block with the first one: nothing is due at its end.
    if (!this.isGenesis) domains.commit();
    core.emit("endBlock", { height: BigInt(core.height) });
    domains.checkInvariants();
    const changes = this.state.takeChanges();
    this.state.dropJournal();
    return { block: core.log.blockEvents(), changes };
  }

  /** Something waits for the next block and nothing else will bring it about. */
  wantsBlock(): boolean {
    return this.domains.wantsBlock();
  }

  /** Duties of this validator now. */
  duties(nodeId: string): readonly Duty[] {
    return this.domains.duties(nodeId);
  }

  /** A checkpoint for another chain. */
  checkpoint(): CheckpointText {
    return this.domains.checkpoint();
  }

  /** The release that the chain runs, and the latest that this program can run. */
  releases(): Releases {
    return this.domains.upgrades.releases;
  }

  /** Why no further block can be made: an upgrade has been agreed on. */
  haltReason(): string | undefined {
    return this.domains.upgrades.haltReason();
  }

  /**
   * Events behind the last block of a chain that stops for an upgrade, when the next block should begin
   * (docs/protocol/60-state-engine-blocks.md#14-beginblock-order, step 1); undefined while blocks can be made.
   */
  upgradeStarted(): CommittedBlock["block"] | undefined {
    if (this.haltReason() === undefined) return undefined;
    const { core } = this;
    core.log.startBlock(core.block.hash.toUpperCase());
    core.emit("protocolUpgradeStarted", { lastBlockHeight: BigInt(core.height) });
    return core.log.blockEvents();
  }

  /** The state was loaded, or taken back, to what it was at the end of this block. */
  resume(block: BlockInfo): void {
    this.core.block = block;
  }

  /** Gas of the transactions of a block at the most. */
  get blockGasMax(): number {
    return this.domains.gas.blockMax;
  }

  /** Sets a general account's balance; inside a block, before its transactions. @throws CommandError */
  setBalance(party: string, asset: string, balance: bigint): void {
    this.asTool("a balance that a tool sets", () => this.domains.setBalance(party, asset, balance));
  }

  /** Sets a network parameter; inside a block, before its transactions. @throws CommandError */
  setParameter(key: string, value: string): void {
    this.asTool("a parameter that a tool sets", () => this.domains.params.setValue(key, value));
  }

  private asTool(subject: string, command: () => void): void {
    try {
      command();
    } catch (error) {
      throw commandErrorOf(error, (unexpected) => this.listener.onCommandError?.(subject, unexpected));
    }
  }

  /** Markets that a fault of this program has stopped. */
  haltedMarkets(): readonly HaltedMarket[] {
    return this.domains.markets.faults.list();
  }

  /** Members of consensus, by key. */
  consensusMembers(): readonly ConsensusPower[] {
    return this.domains.consensus.members();
  }

  /** Those that change with the last block. */
  consensusUpdates(): readonly ConsensusPower[] {
    return this.domains.consensus.updates;
  }

  /** The nodes by their consensus keys, in the form of `consensusMembers`; members that were just taken out among them. */
  consensusNodes(): readonly { readonly key: string; readonly nodeId: string; readonly name: string }[] {
    return this.domains.validators.nodes().flatMap(({ nodeId, name, tmPubKey }) => {
      const key = consensusKey(tmPubKey);
      return key === undefined ? [] : [{ key, nodeId, name }];
    });
  }

  stakeOf(party: string): bigint | undefined {
    return this.domains.staking.balance(party);
  }

  get epoch(): EpochInfo {
    return this.domains.epochs.current;
  }

  private inTransaction<T>(tx: CheckedTransaction, run: () => T): T {
    const { party, hash, id } = tx;
    this.core.tx = { party, hash, id };
    try {
      return run();
    } finally {
      this.core.tx = undefined;
    }
  }

  private refusal({ kind, hash }: CheckedTransaction, error: unknown): TxResult {
    const { options, message } = commandErrorOf(error, (unexpected) =>
      this.listener.onCommandError?.(
        `transaction ${hash.toUpperCase()} (${COMMANDS[kind].displayName})`,
        unexpected,
      ),
    );
    const { code = ResultCode.failed, numbers } = options;
    return { code, text: message, gasWanted: 0, ...(numbers && { numbers }) };
  }

  /** The result events of docs/protocol/60-state-engine-blocks.md#16-transactions. @param failure undefined for success */
  private report(tx: CheckedTransaction, failure: string | undefined): void {
    if (!COMMANDS[tx.kind].hasResultEvent) return;
    const result: Init<TransactionResult> = {
      partyId: tx.party,
      status: failure === undefined,
      hash: tx.hash,
      [resultMember(tx.kind)]: tx.payload,
      ...(failure !== undefined && { failure: { error: failure } }),
    };
    this.core.emit("transactionResult", result);
    if (failure !== undefined) this.emitTxError(tx, failure);
  }

  private emitTxError(tx: CheckedTransaction, text: string): void {
    const event: Init<TxErrorEvent> = {
      partyId: tx.party,
      errMsg: `${COMMANDS[tx.kind].displayName} - ${text}`,
      ...(IN_TX_ERROR.has(tx.kind) && { [resultMember(tx.kind)]: tx.payload }),
    };
    this.core.emit("txErrEvent", event);
  }
}

/** @returns false when the table has nothing for such a command */
function run(table: CommandTable, { kind, payload }: CheckedTransaction): boolean {
  const handler = table[kind] as ((payload: unknown) => void) | undefined;
  handler?.(payload);
  return handler !== undefined;
}

function unsupported(): CommandError {
  return new CommandError("not supported by this chain", { code: ResultCode.unsupported });
}

/** The member of result events that repeats a command; one has another name there. */
function resultMember(kind: CommandKind): string {
  return kind === "proposalSubmission" ? "proposal" : kind;
}

/** Error events have no member for the commands that validators send as part of their work. */
const IN_TX_ERROR: ReadonlySet<CommandKind> = new Set(
  (Object.keys(COMMANDS) as CommandKind[]).filter((kind) => !COMMANDS[kind].isValidatorCommand),
);
