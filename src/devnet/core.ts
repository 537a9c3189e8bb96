/**
 * A devnet without its HTTP planes: the chain, the simulated Ethereum, and the validators' agent. It starts first, so that
 * the first block waits for nothing else.
 */

import type { Database } from "bun:sqlite";
import { dirname } from "node:path";
import type { AdmissionRules } from "../chain/admission/rules.ts";
import { LocalChain } from "../chain/local-chain.ts";
import type { BlockSink } from "../chain/outbox.ts";
import { ChainCallError, type TxOutcome } from "../engine/chain-port.ts";
import { Engine } from "../engine/engine.ts";
import type { Genesis } from "../engine/genesis.ts";
import { marketRulesOf } from "../engine/markets/rules.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { BridgeSimulator } from "../ethereum/bridge-simulator.ts";
import { type AgentKeys, type AgentView, ValidatorAgent } from "../ethereum/validator-agent.ts";
import { EventTap } from "../store/event-feed.ts";
import { RecentEvents } from "../store/recent-events.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import type { CheckedTransaction, Verdict } from "../wire/transaction-check.ts";
import { Clock } from "./clock.ts";
import { Funding, type StartBalance } from "./funding.ts";
import { ethereumAfter, readDevnetGenesis, simulatorOptions } from "./genesis.ts";
import { type PartiesChoice, publicValidators } from "./keys.ts";
import { Random } from "./random.ts";

export interface DevnetCoreOptions {
  readonly rules?: AdmissionRules;
  /** An event file that the run is written to. */
  readonly record?: string;
  /** Seed of the chain's randomness; default: a new one each time. */
  readonly seed?: string;
  /** Keys of validators; default: the PUBLIC ones. The first is in the genesis. */
  readonly validatorKeys?: readonly AgentKeys[];
  /** Parties of a new chain. */
  readonly parties?: PartiesChoice;
  /** Balance of each of them. */
  readonly balance?: StartBalance;
  /** The system's time, Unix nanoseconds. */
  readonly nowNs?: () => bigint;
  /** The home is temporary: no write waits for the disk. */
  readonly isTemporary?: boolean;
  /** Takes the blocks for a data node. */
  readonly outbox?: BlockSink;
  /** Whether the texts of failed transactions are stored. */
  readonly keepTexts?: boolean;
  /** Blocks in a history segment. */
  readonly segmentLength?: number | undefined;
  /** Checks transactions without state; default: here and now. */
  checkTransaction?(bytes: Uint8Array, chainId: string, hash: string): Verdict | Promise<Verdict>;
  /** Called when the chain halts or resumes. */
  readonly onHalt?: () => void;
  /** The same for people: the reason of a halt, undefined on resumption; each once. */
  readonly onStanding?: (reason: string | undefined) => void;
  /** Called with every verdict: of a refused submission (without a command where it cannot be read), of an executed one. */
  onOutcome?(outcome: TxOutcome, tx: CheckedTransaction | undefined): void;
  /** Called with every failure in the background. */
  readonly onProblem?: (error: unknown) => void;
}

const WAITING: ReadonlySet<string> = new Set(["halted", "stopped", "timeout"]);

export class DevnetCore {
  readonly chain: LocalChain;
  readonly simulator: BridgeSimulator;
  readonly agent: ValidatorAgent;
  readonly funding: Funding;
  /** Events of the blocks that are committed, for streams. */
  readonly tap: EventTap;
  readonly view: AgentView;
  /** Why the chain has halted; undefined while it runs. */
  halted: string | undefined;
  /** Called when the chain was reverted. */
  onReverted: () => void = () => {};
  /** Called when the chain has stopped, before its store is closed. */
  beforeClose: () => Promise<void> = async () => {};
  private segments:
    | { onCommitted(height: number): void; idle(): Promise<void>; stop(): Promise<void> }
    | undefined;
  private readonly keys: readonly AgentKeys[];
  private isClosed = false;
  private dutyProblem: string | undefined;

  /**
   * Opens the chain of a home, or begins it: then its first block is made.
   * @param db the writer's connection
   * @param onLoaded called after a load: the chain is opened with this genesis document from now on
   */
  constructor(
    readonly genesis: Genesis,
    private readonly db: Database,
    private readonly options: DevnetCoreOptions,
    onLoaded?: (genesis: string) => void,
  ) {
    this.funding = new Funding(options.parties, options.balance);
    this.tap = new EventTap(new RecentEvents(dirname(db.filename)));
    let engine: Engine | undefined;
    const theEngine = () => engine!;
    const simulation = simulatorOptions(genesis, () => theEngine().core.nowNs / SECOND_NS);
    this.simulator = new BridgeSimulator(simulation);
    const after = ethereumAfter(genesis, this.simulator.snapshot());
    if (after !== undefined) this.simulator.load(JSON.stringify(after));
    this.view = viewOf(genesis.chainId, theEngine);
    this.keys = options.validatorKeys ?? publicValidators();
    const isAssetValid = (id: string) => isAssetOf(theEngine(), this.simulator, id);
    this.agent = new ValidatorAgent(this.view, this.simulator, this.keys, isAssetValid);
    this.chain = new LocalChain({
      db,
      genesis,
      makeEngine: (follower) =>
        (engine = new Engine(genesis, { ...follower, marketRules: marketRulesOf(options.rules) })),
      clock: new Clock(options.nowNs),
      random: new Random(options.seed),
      startedNs: BigInt(Math.round(performance.timeOrigin)) * 1_000_000n,
      mode: { kind: "manual" },
      parts: [this.simulator, this.agent, this.funding],
      tap: this.tap,
      ...(options.rules && { rules: options.rules }),
      ...(options.onOutcome && { onOutcome: options.onOutcome }),
      ...(options.record && { recordTo: options.record }),
      ...(options.outbox && { outbox: options.outbox }),
      ...(options.keepTexts && { keepTexts: true }),
      ...(options.isTemporary && { isTemporary: true }),
      onCommitted: (height) => this.segments?.onCommitted(height),
      onReverted: (height) => this.reverted(height),
      readGenesis: (text) => readDevnetGenesis(text, this.keys),
      ...(onLoaded && { onLoaded }),
      ...(options.checkTransaction && { checkTransaction: options.checkTransaction }),
      onHalt: (reason) => {
        if (reason !== this.halted) options.onStanding?.(reason);
        this.halted = reason;
        options.onHalt?.();
      },
    });
  }

  /** Starts the validators' agent: it acts after every block. */
  follow(): void {
    const work = () => {
      try {
        for (const bytes of this.agent.answerDuties()) this.submitDuty(bytes);
      } catch (error) {
        this.options.onProblem?.(error);
      }
    };
    this.chain.onBlock(work);
    work();
  }

  /** A failed duty is retried after a later block; consecutive equal reasons are reported once. */
  private submitDuty(bytes: Uint8Array): void {
    const report = (reason: string | undefined) => {
      if (reason !== undefined && reason !== this.dutyProblem)
        this.options.onProblem?.(
          new NodeError("devnet.validator", "duty_failed", `a validator's transaction failed: ${reason}`),
        );
      this.dutyProblem = reason;
    };
    this.chain.submit(bytes, "commit").then(
      ({ code, text }) => report(code === 0 ? undefined : text),
      // A halted chain or a missing block is not the transaction's fault.
      (error) => (error instanceof ChainCallError && WAITING.has(error.code)) || report(reasonOf(error)),
    );
  }

  /** Starts the segments of finished stretches of history. */
  async keepSegments(home: string): Promise<void> {
    this.startSegments = () => this.makeSegments(home);
    await this.startSegments();
  }

  private async makeSegments(home: string): Promise<void> {
    const { SegmentMaker } = await import("../history/segment-maker.ts");
    const { recordSegment } = await import("../history/segment-table.ts");
    // The chain may have been reverted twice meanwhile.
    if (this.isClosed || this.segments !== undefined) return;
    const { segmentLength, onProblem } = this.options;
    this.segments = new SegmentMaker({
      home,
      db: this.db,
      // As the chain's own parameter says (`snapshot.interval.length`), unless the flag gives a length.
      ...(segmentLength === undefined ? { mode: "network" } : { segmentLength }),
      record: (row) => recordSegment(this.db, row),
      onProblem: (error) => onProblem?.(error),
    });
    this.segments.onCommitted(this.chain.status.height);
  }

  /** Settles when every finished stretch of history is a segment. */
  async history(): Promise<void> {
    await this.restarted;
    await this.segments?.idle();
  }

  /** Current keys on the chain of the validators in its genesis, those with keys here. */
  get validators(): readonly { readonly nodeId: string; readonly vegaPubKey: string }[] {
    return this.keys.flatMap(({ nodeId }) => {
      const node = this.view.node(nodeId);
      return node === undefined ? [] : [{ nodeId, vegaPubKey: node.vegaPubKey }];
    });
  }

  /** The contract's address that bundles are bound to. */
  get collateralBridge(): string {
    return simulatorOptions(this.genesis, () => 0n).contracts.collateralBridge;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.segments?.stop();
    await this.restarted;
    await this.chain.stop();
    await this.beforeClose();
    this.tap.close();
    this.db.close();
  }

  private startSegments: () => Promise<void> = async () => {};
  /** When those that follow a revert are under way. */
  private restarted: Promise<unknown> = Promise.resolve();

  private reverted(height: number): void {
    this.tap.noteReverted(height);
    this.onReverted();
    const stopped = this.segments?.stop();
    this.segments = undefined;
    this.restarted = Promise.all([this.restarted, stopped])
      .then(() => this.startSegments())
      .catch((error) => this.options.onProblem?.(error));
  }
}

/** The chain as validators look at it. */
export function viewOf(chainId: string, engine: () => Engine): AgentView {
  return {
    chainId,
    get height() {
      return engine().core.height;
    },
    get timeNs() {
      return engine().core.nowNs;
    },
    node: (nodeId) => engine().domains.validators.node(nodeId),
    duties: (nodeId) => engine().duties(nodeId),
  };
}

/** The details of an asset without a contract are its own; those of an ERC-20 asset must match its contract. */
export function isAssetOf(engine: Engine, simulator: BridgeSimulator, id: string): boolean {
  const details = engine.domains.assets.get(id)?.details;
  if (details === undefined) return false;
  if (details.erc20 === undefined) return true;
  const { name, symbol, decimals, erc20 } = details;
  return simulator.isToken({ address: erc20.contractAddress, name, symbol, decimals: Number(decimals) });
}
