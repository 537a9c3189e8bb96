/**
 * Sends transactions: finds their place (planner), proves and signs them, and gives them to a node, once
 * (docs/protocol/50-wallet-transactions.md#6-transaction-flow). Whatever happens on the way, the same transaction is
 * never made twice: what may have arrived is sent again with the same bytes only, and a node that has it already has
 * it.
 */
import type { ProofTask, Solution, Solver } from "../../chain/admission/pow/solver.ts";
import { sha3HexOf } from "../../crypto/sha.ts";
import { NodeError } from "../../errors/node-error.ts";
import type { ProofOfWork } from "../../wire/generated/commands.ts";
import type { GetSpamStatisticsResponse } from "../../wire/generated/core-api.ts";
import { type CommandInit, encodeCommand, transactionHash } from "../../wire/transaction.ts";
import { type RandomBytes, randomNonce } from "../random.ts";
import type { SignedTransaction } from "../unlocked-wallet.ts";
import { BlockMemory, type LastBlock, type Slot } from "./blocks.ts";
import type { Inclusion } from "./inclusion.ts";
import {
  type Delivered,
  isNoHealthyNode,
  Network,
  NetworkRefusal,
  type NodeClient,
  type NodePool,
  type SendingMode,
  sendError,
  wrongChain,
} from "./nodes.ts";
import type { ProofPlanner } from "./planner.ts";
import { type Place, SendQueue, type SendQueueOptions } from "./send-queue.ts";
import { PlannerBook } from "./sent-ledger.ts";

interface SenderOptions {
  readonly nodes: NodePool;
  readonly solver: Solver;
  readonly random: RandomBytes;
  /** A clock that only goes forward, milliseconds. */
  readonly nowMs: () => number;
  /** The time of day, Unix milliseconds: for texts alone. */
  readonly wallMs: () => number;
  /** Everything sent before; its own without. Senders of a process share one. */
  readonly book?: PlannerBook;
  /** Time that a transaction waits for a block with room for it. */
  readonly waitMs?: number;
  /** Longest search for a proof. */
  readonly searchMs?: number;
  /** Interval at which the place of a search is checked. */
  readonly searchLookMs?: number;
  /** Interval at which the newest block is looked at while nothing is sent; 0: never. */
  readonly watchMs?: number;
}

/** A transaction to be made. */
export interface Job {
  readonly publicKey: string;
  readonly command: CommandInit;
  sign(content: {
    readonly inputData: Uint8Array;
    readonly chainId: string;
    readonly pow: ProofOfWork;
  }): SignedTransaction | Promise<SignedTransaction>;
  /** The one who asked is gone: what has not left is not sent. */
  readonly signal?: AbortSignal;
}

export interface Made {
  readonly transaction: SignedTransaction;
  readonly host: string;
}

export type Sent = Made & Delivered;

interface ProofWish {
  readonly tid: string;
  /** Whether the place is still good for something, when its turn has come and when its proof is found. */
  readonly isTimely: (slot: Slot) => boolean;
  readonly signal?: AbortSignal | undefined;
}

interface Prepared extends Made {
  readonly client: NodeClient;
  readonly queue: SendQueue;
  readonly place: Place;
}

const WAIT_MS = 20_000;
const WATCH_MS = 1_000;
const SEARCH_MS = 300_000;
/** Between two looks whether the place of a search is still good. */
const SEARCH_LOOK_MS = 2_000;
/** An answer this old still says where the chain is. */
const FRESH_MS = 5;
/** Places that one transaction may lose to the time its proof takes, or to a node that knows another chain. */
const PLACES_MAX = 4;
/**
 * Signatures of one command that leave: a node that knows other blocks gets one more. Should it lie about the first,
 * both may be executed, so that there are no further ones.
 */
const SIGNATURES_MAX = 2;
/** Words of a node that does not know the block as it is remembered here. */
const OTHER_BLOCKS = /unknown block height|failed to verify proof of work|transaction too old/;
const TID_BYTES = 10;
/** Proofs that are searched for at once: each search uses every core, and the next one fills its gaps. */
const SEARCHES_MAX = 2;
/** Interval at which the block of a sent transaction is looked for. */
const INCLUSION_LOOK_MS = 500;
/** As long as an answer about the end of an epoch is good. */
const EPOCH_END_MS = 1_000;

export class TransactionSender {
  private readonly network: Network;
  private readonly book: PlannerBook;
  private readonly queues = new Map<string, SendQueue>();
  private readonly blocks = new BlockMemory();
  private readonly endings: (() => void)[] = [];
  private lastEpochEnd: { readonly atMs: number; readonly answer: Promise<string | undefined> } | undefined;
  private readonly searches = new Semaphore(SEARCHES_MAX);
  private isClosed = false;

  constructor(private readonly options: SenderOptions) {
    const { watchMs = WATCH_MS, nodes, book = new PlannerBook() } = options;
    this.network = new Network(nodes);
    this.book = book;
    const reporting = nodes.clients.filter((client) => client.onBlock !== undefined);
    for (const client of reporting) this.endings.push(client.onBlock!((block) => this.note(block)));
    if (reporting.length === 0 && watchMs > 0) this.watch(watchMs);
  }

  /** @throws NodeError `no_healthy_node`, `chain_id_unknown` */
  async chainId(): Promise<string> {
    const { chainId } = await this.lastBlock();
    return this.checkedChain(chainId);
  }

  /** The chain of the nodes as it was last seen, and which node is asked; without a question where one is known. */
  async destination(): Promise<{ readonly chainId: string; readonly node: string }> {
    const { nodes } = this.options;
    const { chainId } = this.blocks.newest ?? (await this.newestBlock());
    return { chainId: this.checkedChain(chainId), node: (await nodes.choose()).host };
  }

  /** From now on transactions are for this chain alone. */
  pin(chainId: string): void {
    this.options.nodes.pin(chainId);
  }

  async lastBlock(): Promise<LastBlock> {
    return this.network.ask((client) => client.lastBlock());
  }

  /** The answer of a node of the chain; undefined where no node answers. */
  async factsOfNode<T>(question: (client: NodeClient) => Promise<T> | undefined): Promise<T | undefined> {
    return this.network.ask(async (client) => question(client)).catch(() => undefined);
  }

  /** The running epoch, as the network counts it. */
  async epoch(party: string): Promise<bigint> {
    const { statistics } = await this.network.ask((client) => client.spamStatistics(party));
    return statistics?.epochSeq ?? 0n;
  }

  /** Signs and proves. Its place stays taken: the caller can send the transaction. */
  async sign(job: Job): Promise<Made> {
    return this.prepare(job);
  }

  /** @throws NetworkRefusal */
  async check(job: Job, onLeaving: (transaction: Made) => void = () => {}): Promise<Made> {
    const prepared = await this.prepare(job);
    onLeaving(prepared);
    try {
      const { code, reason } = await this.network.ask((client) => client.check(prepared.transaction.bytes));
      if (code !== 0) throw new NetworkRefusal(code, reason);
      return prepared;
    } catch (error) {
      // The caller does not get it, so it cannot be sent.
      prepared.place.giveBack();
      throw error;
    }
  }

  /**
   * Sends a transaction, once.
   * @param onLeaving called just before it leaves
   * @throws NetworkRefusal, NodeError `outcome_unknown`, and why it was not sent
   */
  async send(job: Job, mode: SendingMode, onLeaving: (transaction: Made) => void = () => {}): Promise<Sent> {
    let signatures = 0;
    for (let places = 1; ; places++) {
      const prepared = await this.prepare(job);
      onLeaving(prepared);
      try {
        return { ...prepared, ...(await this.deliver(prepared, mode)) };
      } catch (error) {
        // Nothing left: it is made again, when there is a node again.
        if (isNoHealthyNode(error) && places < PLACES_MAX) continue;
        if (++signatures >= SIGNATURES_MAX || !(error instanceof NetworkRefusal)) throw error;
        if (!OTHER_BLOCKS.test(error.reason)) throw error;
        // The node has no such block: another chain, or one that lags. The next attempt builds on what it has.
        prepared.queue.planner.evict(prepared.place.slot.height);
        await this.options.nodes.sleep(2 * FRESH_MS);
      }
    }
  }

  /** Sends a finished transaction as it is. @throws NetworkRefusal */
  async sendRaw(bytes: Uint8Array, mode: SendingMode): Promise<Delivered> {
    return this.network.deliver(await this.options.nodes.choose(), bytes, mode);
  }

  /** Waits for the block of what was sent. @returns undefined where no node says it, or not within the time */
  async inclusion(hash: string, waitMs: number): Promise<Inclusion | undefined> {
    const { nodes, nowMs } = this.options;
    const untilMs = nowMs() + waitMs;
    let isSaid = false;
    while (!this.isClosed) {
      const answers = await Promise.all(
        nodes.clients.map((client) => client.inclusion?.(hash).catch(() => undefined)),
      );
      const inclusion = answers.find((answer) => typeof answer === "object");
      if (inclusion !== undefined) return inclusion;
      // A node that has said it once may be away for a moment.
      isSaid ||= answers.includes("pending");
      if (!isSaid || nowMs() >= untilMs) return undefined;
      await nodes.sleep(INCLUSION_LOOK_MS);
    }
    return undefined;
  }

  /** The places of a key on the chain of the nodes. @throws NodeError `no_healthy_node`, `wrong_chain` */
  async queueOf(party: string): Promise<SendQueue> {
    const { chainId } = this.blocks.newest ?? (await this.newestBlock());
    this.checkedChain(chainId);
    const key = `${party} ${chainId}`;
    const existing = this.queues.get(key);
    if (existing !== undefined) return existing;
    const queue = this.newQueue(chainId, party);
    this.queues.set(key, queue);
    return queue;
  }

  /** The proof for a place; as many are searched for at once as the machine can bear. */
  async prove(
    queue: SendQueue,
    { slot }: Place,
    { tid, isTimely, signal }: ProofWish,
  ): Promise<ProofOfWork | undefined> {
    const release = await this.searches.acquire();
    try {
      if (!isTimely(slot)) return undefined;
      const { hash: blockHash, difficulty, hashFunction } = slot;
      const task = { blockHash, tid, difficulty, hashFunction };
      const solution = await this.search(task, () => isTimely(slot), signal);
      if (solution === undefined) return undefined;
      queue.planner.prove(slot, solution.difficulty);
      return isTimely(slot) ? { tid, nonce: solution.nonce } : undefined;
    } finally {
      release();
    }
  }

  /**
   * Searches for as long as the place is good: a proof that cannot be found would hold up all others.
   * @returns undefined when the place is good for nothing any more
   */
  private async search(
    task: ProofTask,
    isTimely: () => boolean,
    signal: AbortSignal | undefined,
  ): Promise<Solution | undefined> {
    const { solver, nowMs, searchMs = SEARCH_MS, searchLookMs = SEARCH_LOOK_MS } = this.options;
    const deadlineMs = nowMs() + searchMs;
    const given = new AbortController();
    const look = async () => {
      await this.newestBlock();
      if (!isTimely()) given.abort();
    };
    const timer = setInterval(
      () => {
        if (nowMs() >= deadlineMs) given.abort();
        // A node that does not answer says nothing about the place.
        else look().catch(() => {});
      },
      Math.min(searchLookMs, searchMs),
    );
    try {
      return await solver.solve(task, signal ? AbortSignal.any([signal, given.signal]) : given.signal);
    } catch (error) {
      if (!given.signal.aborted || signal?.aborted) throw error;
      if (nowMs() < deadlineMs) return undefined;
      const text = `no proof of ${task.difficulty} bits was found within ${searchMs / 1000} s`;
      throw sendError("proof_late", text, "the network asks for more work than this machine can do");
    } finally {
      clearInterval(timer);
    }
  }

  /** Ends what watches the chain. */
  close(): void {
    this.isClosed = true;
    for (const end of this.endings.splice(0)) end();
  }

  private async prepare(job: Job): Promise<Prepared> {
    const { nowMs, waitMs = WAIT_MS } = this.options;
    const deadlineMs = nowMs() + waitMs;
    for (let places = 1; ; places++) {
      const queue = await this.queueOf(job.publicKey);
      const place = await queue.enqueue({ command: job.command, signal: job.signal });
      try {
        const transaction = await this.finish(job, queue, place);
        if (transaction !== undefined) {
          const client = await this.options.nodes.choose();
          return { client, queue, place, transaction, host: client.host };
        }
      } catch (error) {
        place.giveBack();
        if (!isNoHealthyNode(error) || places >= PLACES_MAX) throw error;
        continue;
      }
      // The proof took longer than the place is good for.
      place.giveBack();
      if (places >= PLACES_MAX && nowMs() >= deadlineMs)
        throw sendError("proof_late", "the block height is too historic");
    }
  }

  /** @returns undefined when the block went out of reach meanwhile */
  private async finish(job: Job, queue: SendQueue, place: Place): Promise<SignedTransaction | undefined> {
    const { random } = this.options;
    const pow = await this.prove(queue, place, {
      tid: sha3HexOf(random(TID_BYTES)),
      isTimely: (slot) => queue.planner.isTimely(slot),
      signal: job.signal,
    });
    if (pow === undefined) return undefined;
    const inputData = encodeCommand(job.command, randomNonce(random), place.slot.height);
    return job.sign({ inputData, chainId: queue.chainId, pow });
  }

  private async deliver(
    { client, queue, place, transaction: { bytes } }: Prepared,
    mode: SendingMode,
  ): Promise<Delivered> {
    try {
      return await this.network.deliver(client, bytes, mode);
    } catch (error) {
      if (!isOutOfEveryBlock(error))
        throw withLastBlock(error as NodeError, bytes, queue.planner, place.slot);
      place.giveBack();
      throw error;
    }
  }

  private newQueue(chainId: string, party: string): SendQueue {
    const { nowMs, waitMs = WAIT_MS } = this.options;
    const memory = this.book.of(chainId, party);
    const { planner } = memory;
    for (const block of this.blocks.ofChain(chainId))
      planner.observeHead(block, planner.nextTicket(), nowMs());
    let last: (ReturnType<SendQueueOptions["statistics"]> & { readonly atMs: number }) | undefined;
    const ask = async (): Promise<GetSpamStatisticsResponse> => {
      const answer = await this.network.ask((client) => client.spamStatistics(party));
      if (answer.chainId === "")
        throw sendError("chain_id_unknown", "could not get the chain ID from the node");
      if (answer.chainId !== chainId) throw wrongChain(chainId, answer.chainId);
      return answer;
    };
    return new SendQueue({
      chainId,
      memory,
      statistics: () => {
        if (last === undefined || nowMs() - last.atMs > FRESH_MS) {
          last = { atMs: nowMs(), ticket: planner.nextTicket(), answer: ask() };
        }
        return last;
      },
      lastBlock: () => this.newestBlock(),
      epochEnd: () => this.epochEnd(),
      nowMs,
      sleep: this.options.nodes.sleep,
      wallMs: this.options.wallMs,
      waitMs,
    });
  }

  /** A thousand who are refused ask once. */
  private epochEnd(): Promise<string | undefined> {
    const { nowMs } = this.options;
    if (this.lastEpochEnd === undefined || nowMs() - this.lastEpochEnd.atMs > EPOCH_END_MS) {
      const answer = this.network.ask(async (client) => client.epochEnd?.());
      this.lastEpochEnd = { atMs: nowMs(), answer };
    }
    return this.lastEpochEnd.answer;
  }

  private async newestBlock(): Promise<LastBlock> {
    const block = await this.lastBlock();
    this.note(block);
    return block;
  }

  private note(block: LastBlock): void {
    if (!this.blocks.add(block)) return;
    for (const queue of this.queues.values()) queue.observeHead(block);
  }

  private watch(everyMs: number): void {
    let isAsking = false;
    const timer = setInterval(async () => {
      if (isAsking) return;
      isAsking = true;
      try {
        await this.newestBlock();
      } catch {
        // A sender reports it; until then the node is not needed.
      } finally {
        isAsking = false;
      }
    }, everyMs);
    timer.unref();
    this.endings.push(() => clearInterval(timer));
  }

  private checkedChain(chainId: string): string {
    if (chainId === "") throw sendError("chain_id_unknown", "could not get the chain ID from the node");
    const expected = this.options.nodes.expectedChainId;
    if (expected !== undefined && expected !== chainId) throw wrongChain(expected, chainId);
    return chainId;
  }
}

/** Adds to an unknown outcome the hash to look for, and until when. */
function withLastBlock(
  error: NodeError,
  bytes: Uint8Array,
  planner: ProofPlanner,
  { height }: Slot,
): unknown {
  if (error.code !== "outcome_unknown") return error;
  const hash = transactionHash(bytes).toUpperCase();
  const until = `it can be executed as ${hash} until block ${planner.lastHeightFor(height)}`;
  return sendError(error.code, `${error.message}; ${until}`, error.hint);
}

/** Whether it was refused before any block, or never left. With an unknown outcome it may arrive yet. */
export function isOutOfEveryBlock(error: unknown): boolean {
  if (error instanceof NetworkRefusal) return error.height === 0n;
  return !(error instanceof NodeError) || error.code !== "outcome_unknown";
}

class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Waits for its turn. @returns what ends it */
  async acquire(): Promise<() => void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return () => {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    };
  }
}
