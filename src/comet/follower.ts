/**
 * Follows a CometBFT node's blocks into the observer, one after the other: announced by its websocket, and looked for
 * besides. Whatever the node does (it is gone, behind, another chain's, or contradicts itself) is reported and tried again.
 */
import { NodeError, reasonOf } from "../errors/node-error.ts";
import {
  type CometBlock,
  type CometClient,
  CometError,
  type CometStatus,
  type CometTxResult,
  CometUnreachable,
  cometError,
} from "./client.ts";
import type { EpochFact, Fact, StoredFacts } from "./facts.ts";
import { type GenesisEpochs, GenesisFacts } from "./genesis-facts.ts";
import {
  type Disagreement,
  isReadable,
  type ObservedBlock,
  Observer,
  type ObserverState,
} from "./observer.ts";

/** Blocks that are asked for ahead of the one that is observed. */
const AHEAD = 8;
const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 10_000;
const CONTRADICTION_MS = 30_000;
/** The whole state is saved after this many blocks, or transactions: a restart observes up to this many again. */
const SAVE_BLOCKS = 1_000;
const SAVE_TXS = 20_000;

export interface FollowerReport {
  readonly state: "waiting" | "receiving" | "stopped";
  readonly text: string;
  readonly code?: string;
  readonly height?: number;
  readonly nodeHeight?: number;
  readonly nodeTimeNs?: bigint;
  readonly isCatchingUp?: boolean;
}

/** State and blocks that an earlier run has kept. */
export interface SavedFollower {
  readonly state: ObserverState & {
    /** Of the chain's first block, Unix nanoseconds, where it was seen. */
    readonly genesisTimeNs?: string | undefined;
    /** Without events. */
    readonly epochs?: GenesisEpochs | undefined;
  };
  /** From the block of the state on; absent where it is unknown. */
  readonly blocks: readonly ObservedBlock[];
}

/** Keeps the state as blocks are observed. */
interface Keeper {
  readonly saved: SavedFollower | undefined;
  keep(block: ObservedBlock, state: () => SavedFollower["state"] | undefined, isDue: boolean): void;
  close(state: SavedFollower["state"] | undefined, block: ObservedBlock | undefined): void;
}

interface FollowerOptions {
  readonly client: CometClient;
  readonly rules: "default" | "0.71.6";
  /** Facts from the store's events; undefined where no source of events is followed. */
  readonly facts: StoredFacts | undefined;
  readonly keeper: Keeper;
  /** Chain of the home, where it has one. */
  chainId(): string | undefined;
  /** Hash of the home's block, lower-case hex, to be compared; undefined where it has none at that height. */
  storedHash(height: number): string | undefined;
  /** A node that contradicts the followed blocks for this long is believed, where no events decide; default: half a minute. */
  readonly contradictionMs?: number;
  /** Interval at which it looks for blocks that were not announced. */
  readonly lookMs: number;
  onReport(report: FollowerReport): void;
  /** A block is observed and kept. */
  onBlock(
    block: CometBlock,
    results: readonly CometTxResult[],
    observation: { readonly observed: ObservedBlock; readonly differences: readonly Disagreement[] },
  ): void;
}

type Fetched = readonly [CometBlock, readonly CometTxResult[]];

export class CometFollower {
  private observing: Observer | undefined;
  /** Whether the node is of another chain: nothing may be handed to it. */
  isForeign = false;
  private isStopped = false;
  private wake = Promise.withResolvers<void>();
  private endAnnouncements = () => {};
  private isAnnounced = false;
  /** Whether the last answers were refused, and no block was observed since. */
  private isStuck = false;
  private readonly firstPauseMs: number;
  private pauseMs: number;
  private contradictedMs: number | undefined;
  private unsavedBlocks = 0;
  private unsavedTxs = 0;
  private genesis: GenesisFacts | undefined;
  private lastBlock: ObservedBlock | undefined;
  /** Whether nothing is kept yet that these figures go on from. */
  private isUnsaved = true;
  private firstTimeNs: bigint | undefined;
  /** Blocks that are under way, by height. */
  private readonly ahead = new Map<number, Promise<Fetched>>();
  private running: Promise<void> | undefined;

  constructor(private readonly options: FollowerOptions) {
    this.firstPauseMs = Math.min(FIRST_PAUSE_MS, options.lookMs);
    this.pauseMs = this.firstPauseMs;
    try {
      this.restore();
    } catch {
      // Of another version, or not what it should be: the chain's node has the blocks.
      this.observing = undefined;
      this.genesis = undefined;
      this.lastBlock = undefined;
    }
  }

  /** Undefined before the first block. */
  get observer(): Observer | undefined {
    return this.observing?.point === undefined ? undefined : this.observing;
  }

  /** Of the chain that is followed; undefined before its node was reached. */
  get chainId(): string | undefined {
    return this.observing?.chainId;
  }

  /** The last block observed, by this run or an earlier one. */
  get block(): ObservedBlock | undefined {
    return this.lastBlock;
  }

  /** Time of the chain's first block, Unix nanoseconds, where it was seen. */
  get genesisTimeNs(): bigint | undefined {
    return this.firstTimeNs;
  }

  /** The epoch of the last block, where it is known. */
  epoch(): EpochFact | undefined {
    const height = this.observing?.point?.height;
    if (height === undefined) return undefined;
    return this.options.facts?.epochAt(height) ?? this.genesis?.epoch;
  }

  start(): void {
    this.running = this.run();
  }

  /** The store has a new block: facts that were waited for may be there. */
  notify(): void {
    this.wake.resolve();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.endAnnouncements();
    this.wake.resolve();
    await this.running;
    this.options.keeper.close(this.unsavedBlocks > 0 ? this.state() : undefined, this.lastBlock);
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      try {
        await this.round();
        this.contradictedMs = undefined;
        this.pauseMs = this.firstPauseMs;
        await this.rest(this.options.lookMs);
      } catch (error) {
        this.ahead.clear();
        if (this.isStopped) return;
        this.failed(error);
        await this.rest(this.pauseMs);
        this.pauseMs = Math.min(PAUSE_MS_MAX, this.pauseMs * 2);
      }
    }
  }

  /** Everything up to the node's head, as far as facts are available. */
  private async round(): Promise<void> {
    const status = await this.options.client.status();
    this.isForeign = true;
    this.checkChain(status.chainId);
    this.isForeign = false;
    this.listen();
    const observer = (this.observing ??= new Observer(status.chainId, this.options.rules));
    let next = (observer.point?.height ?? (await this.chooseStart(observer, status)) - 1) + 1;
    if (next < status.earliestHeight) next = await this.beginAgain(status);
    if (next > status.height + 1) {
      const text = `the node is at block ${status.height}, behind block ${next - 1}, which it or another one had`;
      this.report({ state: "waiting", text }, status);
      return;
    }
    // A block that was refused a moment ago may be refused again.
    if (next < status.height && !this.isStuck)
      this.report({ state: "receiving", text: `at block ${next - 1} of ${status.height}` }, status);
    for (; next <= status.height && !this.isStopped; next++) {
      if (!(await this.hasFacts(next, status))) return;
      await this.observe(next, status);
    }
    this.report({ state: "receiving", text: "" }, status);
  }

  private async observe(height: number, status: CometStatus): Promise<void> {
    for (let at = height; at <= Math.min(status.height, height + AHEAD); at++) this.fetchAhead(at);
    const [block, results] = await this.ahead.get(height)!;
    this.ahead.delete(height);
    this.checkBlock(block, results);
    this.isStuck = false;
    const observer = this.observing!;
    const facts = this.factsOf(block);
    const observation = observer.observe(block, results, facts);
    this.keep(observation.observed);
    this.options.onBlock(block, results, observation);
  }

  private keep(block: ObservedBlock): void {
    this.lastBlock = block;
    if (block.height === 1) this.firstTimeNs = block.timeNs;
    this.unsavedBlocks++;
    this.unsavedTxs += block.txCount;
    // The blocks that are kept follow a whole state.
    const isDue = this.isUnsaved || this.unsavedBlocks >= SAVE_BLOCKS || this.unsavedTxs >= SAVE_TXS;
    this.options.keeper.keep(block, () => this.state(), isDue);
    if (!isDue) return;
    this.isUnsaved = false;
    this.unsavedBlocks = 0;
    this.unsavedTxs = 0;
  }

  private state(): SavedFollower["state"] | undefined {
    const state = this.observer?.save();
    if (state === undefined) return undefined;
    return {
      ...state,
      genesisTimeNs: this.firstTimeNs?.toString(),
      epochs: this.genesis?.save(),
    };
  }

  private fetchAhead(height: number): void {
    if (this.ahead.has(height)) return;
    const { client } = this.options;
    const both = Promise.all([client.block(height), client.results(height)]);
    // Looked at when its turn comes.
    both.catch(() => {});
    this.ahead.set(height, both);
  }

  private factsOf(block: CometBlock): readonly Fact[] {
    const { facts } = this.options;
    const observer = this.observing!;
    if (facts) return facts.of(block.height, observer.admission.spam.epochSeq);
    return this.genesis?.of(block.height, block.timeNs) ?? [];
  }

  /** Waits for the events of a block, for a while. */
  private async hasFacts(height: number, status: CometStatus): Promise<boolean> {
    const { facts } = this.options;
    if (!facts || (facts.height ?? 0) >= height) return true;
    const text = `block ${height} waits for its events: they are at block ${facts.height ?? 0}`;
    this.report({ state: "receiving", text }, status);
    return false;
  }

  /** Goes on where an earlier run of the same chain ended. */
  private restore(): void {
    const { keeper, rules, facts } = this.options;
    const { saved } = keeper;
    const own = this.options.chainId();
    const chainId = saved?.state.chainId ?? own;
    if (saved === undefined || chainId === undefined || (own !== undefined && own !== chainId)) return;
    const { state, blocks } = saved;
    if (!isReadable(state)) return;
    if (facts === undefined && state.epochs === undefined) return;
    // A block is kept after its events are stored: what is ahead of them is of another store.
    const heightMax = facts === undefined ? Number.MAX_SAFE_INTEGER : (facts.height ?? 0);
    if (!Number.isSafeInteger(state.height) || state.height > heightMax) return;
    const observer = new Observer(chainId, rules);
    observer.load(state);
    const genesis = facts === undefined ? GenesisFacts.from(state.epochs!) : undefined;
    for (const block of blocks) {
      const { height } = observer.point!;
      if (block.height <= height) continue;
      // Behind a block that is missing there is nothing to go on with.
      if (block.height !== height + 1 || block.height > heightMax) break;
      genesis?.of(block.height, block.timeNs);
      observer.repeat(block);
    }
    const { height, hash } = observer.point!;
    const stored = this.options.storedHash(height);
    if (stored !== undefined && stored !== hash) return;
    this.observing = observer;
    this.genesis = genesis;
    this.lastBlock = blocks.find((block) => block.height === height);
    this.firstTimeNs = state.genesisTimeNs === undefined ? undefined : BigInt(state.genesisTimeNs);
    this.isUnsaved = false;
    this.unsavedBlocks = height - state.height;
    this.unsavedTxs = blocks.reduce((sum, { txCount }) => sum + txCount, 0);
  }

  /**
   * Chooses the first block: an epoch and the blocks that proofs can name should lie behind the head, not all that a node
   * has ever kept. @returns its height
   */
  private async chooseStart(observer: Observer, status: CometStatus): Promise<number> {
    const { facts } = this.options;
    const earliest = Math.max(1, status.earliestHeight);
    if (facts === undefined) {
      this.genesis = new GenesisFacts(await this.options.client.appState());
      observer.beginWith(this.genesis.parameters, earliest, earliest === 1);
      return earliest;
    }
    const first = Math.min(Math.max(earliest, facts.viewOfEpoch() ?? earliest), status.height);
    observer.beginWith(facts.upTo(Math.max(1, first - 1)), first, first === 1);
    return first;
  }

  /** The node has not kept the blocks in between. */
  private async beginAgain(status: CometStatus): Promise<number> {
    this.observing = new Observer(status.chainId, this.options.rules);
    this.isUnsaved = true;
    this.ahead.clear();
    return this.chooseStart(this.observing, status);
  }

  /**
   * Without events nothing tells which of two stories is the chain's. The one that was followed may have been a lie: then the
   * figures start from zero with what the node has, and say so.
   */
  private noteContradiction(): void {
    const { facts, rules, contradictionMs = CONTRADICTION_MS } = this.options;
    const now = performance.now();
    this.contradictedMs ??= now;
    if (facts !== undefined || now - this.contradictedMs < contradictionMs) return;
    this.contradictedMs = undefined;
    this.observing = new Observer(this.observing!.chainId, rules);
    this.isUnsaved = true;
  }

  private checkChain(chainId: string): void {
    const own = this.observing?.chainId ?? this.options.chainId();
    if (own === undefined || own === chainId) return;
    throw cometError(
      "comet_chain_differs",
      `the RPC is of chain '${chainId.slice(0, 100)}', and this node follows '${own}'`,
      "give the RPC of a node of the same chain, or another --home",
    );
  }

  private checkBlock(block: CometBlock, results: readonly CometTxResult[]): void {
    this.checkChain(block.chainId);
    const last = this.observing!.point;
    const { height } = block;
    if (last !== undefined && block.previousHash !== last.hash)
      throw contradiction(`block ${height} does not follow block ${last.height}`);
    const stored = this.options.storedHash(height);
    if (stored !== undefined && stored !== block.hash)
      throw contradiction(
        `block ${height} is ${block.hash.slice(0, 64)} there and ${stored} in the events, and one of the two is not the chain's`,
      );
    if (results.length !== block.txs.length) {
      throw contradiction(
        `block ${height} has ${block.txs.length} transactions and ${results.length} results`,
      );
    }
  }

  /** The websocket says when to look; without it the look comes after a while. */
  private listen(): void {
    if (this.isAnnounced) return;
    this.isAnnounced = true;
    this.endAnnouncements = this.options.client.announcements(
      () => this.wake.resolve(),
      () => {
        this.isAnnounced = false;
      },
    );
  }

  private async rest(ms: number): Promise<void> {
    await Promise.race([this.wake.promise, Bun.sleep(ms)]);
    this.wake = Promise.withResolvers();
  }

  private report(news: Pick<FollowerReport, "state" | "text">, status: CometStatus): void {
    const height = this.observing?.point?.height;
    this.options.onReport({
      ...news,
      ...(height !== undefined && { height }),
      nodeHeight: status.height,
      nodeTimeNs: status.timeNs,
      isCatchingUp: status.isCatchingUp,
    });
  }

  private failed(error: unknown): void {
    const { onReport, client } = this.options;
    if (error instanceof NodeError) {
      this.isStuck = true;
      if (error.code === "comet_contradiction") this.noteContradiction();
      onReport({
        state: "stopped",
        code: error.code,
        text: `${error.message}; ${error.hint}`.replace(/; $/, ""),
      });
    } else if (error instanceof CometUnreachable) {
      onReport({ state: "waiting", text: `${client.url} cannot be reached: ${error.message}` });
    } else if (error instanceof CometError) {
      onReport({ state: "waiting", text: `${client.url} answers: ${error.message}` });
    } else {
      onReport({ state: "waiting", text: reasonOf(error) });
    }
  }
}

function contradiction(text: string): NodeError {
  return cometError(
    "comet_contradiction",
    `the RPC contradicts what is known: ${text}`,
    "nothing of it is used; look at that node, or give another one",
  );
}
