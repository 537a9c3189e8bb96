/**
 * Sends transactions: finds their place (planner), proves and signs them, and gives them to a node, once (reference
 * 50, section 6). Whatever happens on the way, the same transaction is never made twice: what may have arrived is
 * sent again with the same bytes only, and a node that has it already has it.
 */
import type { Solver } from "../../admission/pow/solver.ts";
import { sha3HexOf } from "../../crypto/sha3.ts";
import { NodeError, reasonOf } from "../../errors.ts";
import type { ProofOfWork } from "../../wire/generated/commands.ts";
import type { GetSpamStatisticsResponse } from "../../wire/generated/core-api.ts";
import { transactionHash } from "../../wire/transaction.ts";
import { type CommandInit, encodeCommand } from "../../wire/transaction-build.ts";
import { type RandomBytes, randomNonce } from "../random.ts";
import type { SignedTransaction } from "../unlocked-wallet.ts";
import { BlockMemory } from "./block-memory.ts";
import type { LastBlock } from "./chain-view.ts";
import {
  NetworkRefusal,
  type NodeClient,
  type SendingMode,
  type SubmissionResult,
  sendError,
} from "./node-client.ts";
import { type NodePool, noHealthyNode, wrongChain } from "./node-pool.ts";
import { type LineOptions, PartyLine, type Place } from "./party-line.ts";
import { PlannerBook } from "./planner-book.ts";

export interface SenderOptions {
  readonly nodes: NodePool;
  readonly solver: Solver;
  readonly random: RandomBytes;
  /** A clock that only goes forward, milliseconds. */
  readonly nowMs: () => number;
  /** What people's clocks show, Unix milliseconds: for texts alone. */
  readonly wallMs: () => number;
  /** What was sent before; its own without. Senders of one process share one. */
  readonly book?: PlannerBook;
  /** How long a transaction waits for a block with room for it. */
  readonly waitMs?: number;
  /** How often the newest block is looked at while nothing is sent; 0: never. */
  readonly watchMs?: number;
}

/** One transaction to be made. */
export interface Job {
  readonly publicKey: string;
  readonly command: CommandInit;
  sign(content: {
    readonly inputData: Uint8Array;
    readonly chainId: string;
    readonly pow: ProofOfWork;
  }): SignedTransaction;
  /** The one who asked is gone: what has not left is not sent. */
  readonly signal?: AbortSignal;
}

export interface Made {
  readonly transaction: SignedTransaction;
  readonly host: string;
}

export interface Sent extends Made {
  /** Upper-case hexadecimal, as the node writes it. */
  readonly hash: string;
  /** 0 as long as the block is not known. */
  readonly height: bigint;
}

interface Prepared extends Made {
  readonly client: NodeClient;
  readonly line: PartyLine;
  readonly place: Place;
}

const WAIT_MS = 20_000;
const WATCH_MS = 1_000;
/** An answer this old still says where the chain is. */
const FRESH_MS = 5;
/** Proofs that are searched for at once: each uses every core. */
const PROOFS_MAX = 2;
/** Places that one transaction may lose to the time its proof takes, or to a node that knows another chain. */
const PLACES_MAX = 4;
const SUBMISSIONS_MAX = 3;
const RETRY_MS = 300;
/** Words of a node that has the transaction already: what was to happen has happened. */
const HAS_IT = /already exists in cache|transaction hash already used|proof of work tid already (seen|used)/;
/** Words of a node that does not know the block as it is remembered here. */
const OTHER_BLOCKS = /unknown block height|failed to verify proof of work|transaction too old/;
const TID_BYTES = 10;

export class TransactionSender {
  private readonly book: PlannerBook;
  private readonly lines = new Map<string, PartyLine>();
  private readonly blocks = new BlockMemory();
  private readonly endings: (() => void)[] = [];
  private proofs = 0;
  private readonly waitingProofs: (() => void)[] = [];

  constructor(private readonly options: SenderOptions) {
    const { watchMs = WATCH_MS, nodes, book = new PlannerBook() } = options;
    this.book = book;
    const reporting = nodes.clients.filter((client) => client.onBlock !== undefined);
    for (const client of reporting) this.endings.push(client.onBlock!((block) => this.note(block)));
    if (reporting.length === 0 && watchMs > 0) this.watch(watchMs);
  }

  /** @throws NodeError `no_healthy_node`, `chain_id_unknown` */
  async chainId(): Promise<string> {
    const { chainId } = await this.asking((client) => client.lastBlock());
    return this.checkedChain(chainId);
  }

  async lastBlock(): Promise<LastBlock> {
    return this.asking((client) => client.lastBlock());
  }

  /** The running epoch, as the network counts it. */
  async epoch(party: string): Promise<bigint> {
    const { statistics } = await this.asking((client) => client.spamStatistics(party));
    return statistics?.epochSeq ?? 0n;
  }

  /** Signs and proves. Its place stays taken: whoever gets the transaction can send it. */
  async sign(job: Job): Promise<Made> {
    return this.prepare(job);
  }

  /** @throws NetworkRefusal */
  async check(job: Job, onLeaving: (made: Made) => void = () => {}): Promise<Made> {
    const made = await this.prepare(job);
    onLeaving(made);
    try {
      const { code, reason } = await this.called(
        () => made.client.check(made.transaction.bytes),
        made.client,
      );
      if (code !== 0) throw new NetworkRefusal(code, reason);
      return made;
    } catch (error) {
      // Whoever asked does not get it, so nobody can send it.
      made.place.giveBack();
      throw error;
    }
  }

  /**
   * Sends a transaction, once.
   * @param onLeaving called just before it leaves
   * @throws NetworkRefusal, NodeError `outcome_unknown`, and why it was not sent
   */
  async send(job: Job, mode: SendingMode, onLeaving: (made: Made) => void = () => {}): Promise<Sent> {
    for (let places = 1; ; places++) {
      const made = await this.prepare(job);
      onLeaving(made);
      try {
        return { ...made, ...(await this.deliver(made, mode)) };
      } catch (error) {
        if (!(error instanceof NetworkRefusal) || !OTHER_BLOCKS.test(error.reason) || places >= PLACES_MAX)
          throw error;
        // The node has no such block: another chain, or one that lags. The next attempt builds on what it has.
        made.line.planner.forget(made.place.slot.height);
        await Bun.sleep(2 * FRESH_MS);
      }
    }
  }

  /** A finished transaction of somebody else's making, as it is. @throws NetworkRefusal */
  async sendRaw(bytes: Uint8Array, mode: SendingMode): Promise<{ hash: string; host: string }> {
    const client = await this.options.nodes.choose();
    const result = await this.submit(client, bytes, mode);
    if (result.code !== 0 || result.reason !== "") throw new NetworkRefusal(result.code, result.reason);
    return { hash: hashOf(result, bytes), host: client.host };
  }

  /** Ends what watches the chain. */
  close(): void {
    for (const end of this.endings.splice(0)) end();
  }

  private async prepare(job: Job): Promise<Prepared> {
    for (let places = 1; ; places++) {
      const client = await this.options.nodes.choose();
      const line = await this.lineOf(client, job.publicKey);
      const place = await this.called(() => line.place(job.command, job.signal), client);
      try {
        const transaction = await this.finish(job, line, place);
        if (transaction !== undefined) return { client, line, place, transaction, host: client.host };
      } catch (error) {
        place.giveBack();
        throw error;
      }
      // The proof took longer than the block is good for.
      place.giveBack();
      if (places >= PLACES_MAX) throw sendError("proof_late", "the block height is too historic");
    }
  }

  /** @returns undefined when the block went out of reach meanwhile */
  private async finish(job: Job, line: PartyLine, { slot }: Place): Promise<SignedTransaction | undefined> {
    const { random, solver } = this.options;
    const tid = sha3HexOf(random(TID_BYTES));
    const leave = await this.enterProofs();
    try {
      if (!line.planner.isTimely(slot)) return undefined;
      const { height, hash: blockHash, difficulty, hashFunction } = slot;
      const task = { blockHash, tid, difficulty, hashFunction };
      const solution = await solver.solve(task, job.signal);
      line.planner.prove(slot, solution.difficulty);
      if (!line.planner.isTimely(slot)) return undefined;
      const inputData = encodeCommand(job.command, randomNonce(random), height);
      const pow = { tid, nonce: solution.nonce };
      return job.sign({ inputData, chainId: line.chainId, pow });
    } finally {
      leave();
    }
  }

  private async deliver(
    { client, place, transaction: { bytes } }: Prepared,
    mode: SendingMode,
  ): Promise<{ hash: string; height: bigint }> {
    let result: SubmissionResult;
    try {
      result = await this.submit(client, bytes, mode);
    } catch (error) {
      // Where nobody knows, the place stays taken: it may arrive yet.
      if (!(error instanceof NodeError) || error.code !== "outcome_unknown") place.giveBack();
      throw error;
    }
    if (result.code === 0 && result.reason === "")
      return { hash: hashOf(result, bytes), height: result.height };
    // A refusal by the mempool: it is in no block. What was refused in a block has used its place.
    if (result.height === 0n) place.giveBack();
    throw new NetworkRefusal(result.code, result.reason);
  }

  /** The same bytes until a node has them for certain. */
  private async submit(client: NodeClient, bytes: Uint8Array, mode: SendingMode): Promise<SubmissionResult> {
    const nodes = [client, ...this.options.nodes.othersFirst(client)];
    let unknown: unknown;
    for (let attempt = 0; ; attempt++) {
      const node = nodes[attempt % nodes.length]!;
      try {
        const result = await node.submit(bytes, mode);
        if (unknown !== undefined && HAS_IT.test(result.reason)) return taken(result, bytes);
        return result;
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (HAS_IT.test(error.message)) return taken({ txHash: "", code: 0, reason: "", height: 0n }, bytes);
        if (error.code === "node_refused" || error.code === "usage") throw unknown ?? failed(error);
        this.options.nodes.failed(node);
        if (error.code === "outcome_unknown") unknown = failed(error);
        if (attempt + 1 >= SUBMISSIONS_MAX) throw unknown ?? failed(error);
        await Bun.sleep(RETRY_MS * 2 ** attempt);
      }
    }
  }

  private async lineOf(client: NodeClient, party: string): Promise<PartyLine> {
    const { chainId } = this.blocks.newest ?? (await this.noted(client));
    this.checkedChain(chainId);
    const key = `${party} ${chainId}`;
    const known = this.lines.get(key);
    if (known !== undefined) return known;
    const line = this.newLine(chainId, party);
    this.lines.set(key, line);
    return line;
  }

  private newLine(chainId: string, party: string): PartyLine {
    const { nowMs, waitMs = WAIT_MS } = this.options;
    const memory = this.book.of(chainId, party);
    const { planner } = memory;
    for (const block of this.blocks.ofChain(chainId)) planner.observeHead(block, planner.ask(), nowMs());
    let last: (ReturnType<LineOptions["statistics"]> & { readonly atMs: number }) | undefined;
    const ask = async (): Promise<GetSpamStatisticsResponse> => {
      const answer = await this.asking((client) => client.spamStatistics(party));
      if (answer.chainId === "")
        throw sendError("chain_id_unknown", "could not get the chain ID from the node");
      if (answer.chainId !== chainId) throw wrongChain(chainId, answer.chainId);
      return answer;
    };
    return new PartyLine({
      chainId,
      memory,
      statistics: () => {
        if (last === undefined || nowMs() - last.atMs > FRESH_MS) {
          last = { atMs: nowMs(), ticket: planner.ask(), answer: ask() };
        }
        return last;
      },
      lastBlock: async () => this.noted(await this.options.nodes.choose()),
      nowMs,
      wallMs: this.options.wallMs,
      waitMs,
    });
  }

  private async noted(client: NodeClient): Promise<LastBlock> {
    const block = await this.called(() => client.lastBlock(), client);
    this.note(block);
    return block;
  }

  private note(block: LastBlock): void {
    if (!this.blocks.note(block)) return;
    for (const line of this.lines.values()) line.hear(block);
  }

  private watch(everyMs: number): void {
    let isAsking = false;
    const timer = setInterval(async () => {
      if (isAsking) return;
      isAsking = true;
      try {
        await this.noted(await this.options.nodes.choose());
      } catch {
        // Whoever sends something is told; until then nobody needs the node.
      } finally {
        isAsking = false;
      }
    }, everyMs);
    timer.unref();
    this.endings.push(() => clearInterval(timer));
  }

  private checkedChain(chainId: string): string {
    if (chainId === "") throw sendError("chain_id_unknown", "could not get the chain ID from the node");
    const wanted = this.options.nodes.expectedChainId;
    if (wanted !== undefined && wanted !== chainId) throw wrongChain(wanted, chainId);
    return chainId;
  }

  private async asking<T>(question: (client: NodeClient) => Promise<T>): Promise<T> {
    const client = await this.options.nodes.choose();
    return this.called(() => question(client), client);
  }

  /** A node that cannot be asked is no healthy one. */
  private async called<T>(call: () => Promise<T>, client?: NodeClient): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof NodeError) || error.code !== "node_unreachable") throw error;
      if (client !== undefined) this.options.nodes.failed(client);
      throw noHealthyNode();
    }
  }

  private async enterProofs(): Promise<() => void> {
    if (this.proofs >= PROOFS_MAX) await new Promise<void>((resolve) => this.waitingProofs.push(resolve));
    else this.proofs++;
    return () => {
      const next = this.waitingProofs.shift();
      if (next === undefined) this.proofs--;
      else next();
    };
  }
}

function hashOf({ txHash }: SubmissionResult, bytes: Uint8Array): string {
  return txHash === "" ? transactionHash(bytes).toUpperCase() : txHash;
}

function taken(result: SubmissionResult, bytes: Uint8Array): SubmissionResult {
  return { txHash: hashOf(result, bytes), code: 0, reason: "", height: result.height };
}

function failed(error: NodeError): NodeError {
  if (error.code === "node_unreachable") return noHealthyNode();
  return sendError(error.code, `the transaction failed: ${reasonOf(error)}`, error.hint);
}
