/**
 * The nodes as one: questions go to another node when one does not answer, and a transaction is handed over until a
 * node has it for certain, always the same bytes.
 */
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import type { ErrorCode, MessageOf } from "../../errors/program-codes.ts";
import type { GetSpamStatisticsResponse } from "../../wire/generated/core-api.ts";
import type { Market } from "../../wire/generated/vega.ts";
import { transactionHash } from "../../wire/transaction.ts";
import type { LastBlock } from "./blocks.ts";
import type { Inclusion } from "./inclusion.ts";
import type { SendingMode, SubmissionResult } from "./raw-submission.ts";

// The wallet's way to a network: a narrow port. Adapters: HTTP (http-node.ts), and a chain in the same process
// (planes/wallet/chain-node.ts).

export type { SendingMode, SubmissionResult };

/** The facts of an asset that a person needs to read an amount of it. */
export interface AssetFacts {
  readonly symbol: string;
  readonly decimals: number;
}

/** The facts of a market that a person needs to read prices and sizes of it. */
export interface MarketFacts {
  /** Of its instrument. */
  readonly code: string;
  /** The unit of prices. */
  readonly quoteName: string;
  readonly settlementAsset: string;
  /** Of prices. */
  readonly decimals: number;
  /** Of sizes; below zero where the smallest size is ten or more. */
  readonly positionDecimals: number;
}

export interface TradedMarket {
  readonly market: Market;
  readonly markPrice: bigint;
}

export interface CheckResult {
  /** 0 when the node would take it. */
  readonly code: number;
  readonly reason: string;
}

export interface NodeClient {
  /** Its address, for people and for the `node` member of results. */
  readonly host: string;
  /** @throws NodeError `node_unreachable`, `node_busy`, `node_refused` */
  lastBlock(): Promise<LastBlock>;
  spamStatistics(party: string): Promise<GetSpamStatisticsResponse>;
  /**
   * A single request.
   * @throws NodeError `node_unreachable` and `node_busy` when nothing was sent, `outcome_unknown`, `node_refused`
   */
  submit(bytes: Uint8Array, mode: SendingMode): Promise<SubmissionResult>;
  check(bytes: Uint8Array): Promise<CheckResult>;
  /** The block of a transaction; "pending" as long as it is in none, undefined where that is not said. */
  inclusion?(hash: string): Promise<Inclusion | "pending" | undefined>;
  /** When the running epoch is to end, as people read times; undefined where that is not said. */
  epochEnd?(): Promise<string | undefined>;
  /** Undefined for an asset that the node does not know. */
  asset(id: string): Promise<AssetFacts | undefined>;
  /** All assets that can be used, with what they are called. */
  listAssets?(): Promise<readonly (AssetFacts & { readonly id: string; readonly name: string })[]>;
  /** The same of a market. */
  market?(id: string): Promise<MarketFacts | undefined>;
  /** The rules of a market and its mark price, in its decimals and 0 before there is one. */
  tradedMarket?(id: string): Promise<TradedMarket | undefined>;
  /** Balances of a party's general accounts by asset, in the smallest unit. */
  balances?(party: string): Promise<ReadonlyMap<string, string>>;
  /** The asset that is staked. */
  stakeAsset?(): Promise<string | undefined>;
  /** The release that the chain runs, where the node says it. */
  chainRelease?(): Promise<string | undefined>;
  /** The value of a network parameter. */
  parameter?(key: string): Promise<string | undefined>;
  /** Whether it is one chain that is always asked in order: a lower height then means that it went back. */
  readonly isOrdered?: boolean;
  /** Where blocks are reported rather than asked for. @returns a function that ends it */
  onBlock?(listener: (block: LastBlock) => void): () => void;
}

/** A transaction that the network did not take, with its result code (docs/protocol/30-node-api-endpoints.md#71-abci-result-codes). */
export class NetworkRefusal extends NodeError {
  constructor(
    readonly abciCode: number,
    /** The node's own words. */
    readonly reason: string,
    /** Of the block that refused it; 0 when it got into none. */
    readonly height = 0n,
  ) {
    super(
      "tx.send",
      "transaction_refused",
      `${reason} (ABCI code ${abciCode})`,
      `see: lyra explain ${PLAIN_WORDS.test(reason) ? `'${reason}'` : abciCode}`,
    );
  }
}

/** Of a reason that can stand in a shell's command: it is a node's text. */
const PLAIN_WORDS = /^[\w .:,()-]{1,100}$/;

export function sendError<Code extends ErrorCode>(
  code: Code,
  message: MessageOf<Code>,
  hint = "",
): NodeError {
  return new NodeError("tx.send", code, message, hint);
}

export interface Delivered {
  /** Upper-case hexadecimal, as the node writes it. */
  readonly hash: string;
  /** 0 as long as the block is not known. */
  readonly height: bigint;
  /** Of the node that has it. */
  readonly host: string;
  /** The node had it before it was sent. */
  readonly wasThere?: true;
}

const SUBMISSIONS_MAX = 3;
const RETRY_MS = 300;
/**
 * Words of a node that has the transaction already: what was to happen has happened. That its proof was "seen" says
 * nothing: a node says so of what it refused a moment ago as well.
 */
const HAS_IT = /already exists in cache|transaction hash already used|proof of work tid already used/;

export class Network {
  constructor(private readonly nodes: NodePool) {}

  /** @throws NodeError `no_healthy_node`, or what the last node said */
  async ask<T>(question: (client: NodeClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.nodes.choose();
      try {
        return await question(client);
      } catch (error) {
        if (!(error instanceof NodeError) || !/^node_(unreachable|busy|refused)$/.test(error.code))
          throw error;
        this.nodes.failed(client);
        if (attempt < this.nodes.clients.length) continue;
        if (error.code === "node_refused") throw error;
        throw noHealthyNode(saidBy(error));
      }
    }
  }

  /**
   * The same bytes until a node has them for certain.
   * @throws NetworkRefusal, NodeError `outcome_unknown` when it may have arrived, and why it was not sent
   */
  async deliver(first: NodeClient, bytes: Uint8Array, mode: SendingMode): Promise<Delivered> {
    const nodes = [first, ...this.nodes.othersFirst(first)];
    // Its own, whatever the node says it is.
    const hash = transactionHash(bytes).toUpperCase();
    let unknown: unknown;
    let said: string | undefined;
    for (let attempt = 0; ; attempt++) {
      const node = nodes[attempt % nodes.length]!;
      try {
        const result = await node.submit(bytes, mode);
        const isTaken = result.code === 0 && result.reason === "";
        if (isTaken || (unknown !== undefined && HAS_IT.test(result.reason))) {
          return { hash, height: result.height, host: node.host };
        }
        // A transaction that one node refuses may be at another node, whose answer was lost. In a block it is decided.
        if (unknown === undefined || result.height > 0n) {
          throw new NetworkRefusal(result.code, result.reason, result.height);
        }
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (error instanceof NetworkRefusal) throw error;
        if (HAS_IT.test(error.message)) {
          const { host } = node;
          return unknown === undefined
            ? { hash, height: 0n, host, wasThere: true }
            : { hash, height: 0n, host };
        }
        if (!/^(outcome_unknown|node_unreachable|node_busy)$/.test(error.code))
          throw unknown ?? failed(error);
        this.nodes.failed(node);
        said = saidBy(error);
        if (error.code === "outcome_unknown") unknown = failed(error);
      }
      if (attempt + 1 >= SUBMISSIONS_MAX) throw unknown ?? noHealthyNode(said);
      await this.nodes.sleep(RETRY_MS * 2 ** attempt);
    }
  }
}

/** A busy node says more than one that does not answer. */
function saidBy({ code, message }: NodeError): string | undefined {
  return code === "node_busy" ? message : undefined;
}

function failed(error: NodeError): NodeError {
  return sendError(error.code, `the transaction failed: ${reasonOf(error)}`, error.hint);
}

// The choice among several nodes. The original compares all of them before every operation
// (docs/protocol/50-wallet-transactions.md#62-grpc-calls-vegaapiv1coreservice); here the newest of the right chain is
// kept for as long as it answers and does not fall behind.

interface NodePoolOptions {
  /** A clock that only goes forward, milliseconds. */
  readonly nowMs: () => number;
  /** The network's, where its settings say; nodes of other chains are not used. */
  readonly chainId?: string;
  /** Time for which a choice is good. */
  readonly choiceMs?: number;
  /** Waits on the same clock; default: the runtime's timers. */
  readonly sleep?: (ms: number) => Promise<void>;
}

const CHOICE_MS = 2_000;
/** Delay of the other nodes behind the first one that still counts. */
const LATER_MS = 250;
/** Time for which a node that failed is passed over where there are others. */
const REST_MS = 5_000;
/** Blocks that the chosen node may be behind another node before that node is taken. */
const BEHIND_MAX = 2n;
/** Time for which a chain is remembered to have been further than all nodes that answer. Then it began again. */
const NEWEST_MS = 60_000;

interface Probed {
  readonly client: NodeClient;
  readonly block: LastBlock;
}

/** The newest block of the chain that any node reported, the last node to do so, and when. */
interface Newest extends Probed {
  readonly atMs: number;
}

export class NodePool {
  private chosen: NodeClient | undefined;
  private chosenAtMs = Number.NEGATIVE_INFINITY;
  private probing: Promise<NodeClient> | undefined;
  private readonly failedAtMs = new Map<NodeClient, number>();
  /** Of the nodes' choice; the settings' goes before it. */
  private chainId: string | undefined;
  private wanted: string | undefined;
  private newest: Newest | undefined;
  readonly sleep: (ms: number) => Promise<void>;

  constructor(
    readonly clients: readonly NodeClient[],
    private readonly options: NodePoolOptions,
  ) {
    this.wanted = options.chainId;
    this.sleep = options.sleep ?? Bun.sleep;
  }

  /** The chain that the settings name, or that was pinned. */
  get expectedChainId(): string | undefined {
    return this.wanted;
  }

  /** From now on nodes of other chains are not used. */
  pin(chainId: string): void {
    this.wanted = chainId;
  }

  /** @throws NodeError `no_healthy_node`, `wrong_chain` */
  async choose(): Promise<NodeClient> {
    const { nowMs, choiceMs = CHOICE_MS } = this.options;
    if (this.clients.length === 1) return this.clients[0]!;
    if (this.chosen !== undefined && nowMs() - this.chosenAtMs < choiceMs) return this.chosen;
    this.probing ??= this.probe().finally(() => {
      this.probing = undefined;
    });
    if (this.chosen === undefined) return this.probing;
    // As long as it answers, no question waits for news of the others.
    this.probing.catch(() => {});
    return this.chosen;
  }

  /** The node did not answer: the next question looks for another node. */
  failed(client: NodeClient): void {
    this.failedAtMs.set(client, this.options.nowMs());
    if (this.chosen === client) this.chosen = undefined;
  }

  /** The other nodes, the chosen one last: for what has to arrive. */
  othersFirst(client: NodeClient): readonly NodeClient[] {
    return [...this.clients.filter((other) => other !== client), client];
  }

  private async probe(): Promise<NodeClient> {
    const before = this.chosen;
    const alive = await this.answers();
    const chainId = this.chainOf(alive);
    const right = alive.filter(({ block }) => block.chainId === chainId);
    if (right.length === 0) {
      this.chosen = undefined;
      throw wrongChain(chainId, alive[0]!.block.chainId);
    }
    this.chainId = chainId;
    for (const one of right) this.note(one);
    const near = right.filter(({ block }) => !this.isFarBehind(block));
    if (near.length === 0) {
      this.chosen = undefined;
      throw noHealthyNode();
    }
    const sound = near.filter(({ client }) => !this.hasJustFailed(client));
    const good = sound.length > 0 ? sound : near;
    const newest = good.reduce((best, one) => (one.block.height > best.block.height ? one : best));
    const kept = good.find(({ client }) => client === before);
    const isKept = kept !== undefined && newest.block.height - kept.block.height <= BEHIND_MAX;
    this.chosen = isKept ? kept.client : newest.client;
    this.chosenAtMs = this.options.nowMs();
    return this.chosen;
  }

  /** Once there is one, it stays for as long as any node is of it. */
  private chainOf(alive: readonly Probed[]): string {
    const ids = alive.map(({ block }) => block.chainId);
    if (this.wanted !== undefined) return this.wanted;
    return this.chainId !== undefined && ids.includes(this.chainId) ? this.chainId : mostFrequent(ids);
  }

  /** Also what comes too late to be chosen says where the chain is. */
  private note({ client, block }: Probed): void {
    if (block.chainId !== (this.wanted ?? this.chainId)) return;
    const atMs = this.options.nowMs();
    const { newest } = this;
    const isOver = newest === undefined || newest.client === client || atMs - newest.atMs >= NEWEST_MS;
    if (isOver || newest.block.chainId !== block.chainId || block.height >= newest.block.height) {
      this.newest = { client, block, atMs };
    }
  }

  /** A transaction that names this block may come too late for the chain: more than half of its time has passed. */
  private isFarBehind({ chainId, height, pastBlocks }: LastBlock): boolean {
    const { newest } = this;
    if (newest?.block.chainId !== chainId || this.options.nowMs() - newest.atMs >= NEWEST_MS) return false;
    return 2n * (newest.block.height - height) > pastBlocks;
  }

  private hasJustFailed(client: NodeClient): boolean {
    const failedAtMs = this.failedAtMs.get(client);
    return failedAtMs !== undefined && this.options.nowMs() - failedAtMs < REST_MS;
  }

  /** Of those who answer, and not much later than the first one that is of use. */
  private async answers(): Promise<Probed[]> {
    const alive: Probed[] = [];
    const first = Promise.withResolvers<void>();
    const chainId = this.wanted;
    const all = Promise.all(
      this.clients.map(async (client) => {
        try {
          const block = await client.lastBlock();
          alive.push({ client, block });
          this.note({ client, block });
          const isRight = chainId === undefined || block.chainId === chainId;
          if (isRight && !this.isFarBehind(block)) first.resolve();
        } catch {
          // It does not answer.
        }
      }),
    );
    await Promise.race([all, first.promise.then(() => this.sleep(LATER_MS))]);
    if (alive.length > 0) return [...alive];
    this.chosen = undefined;
    throw noHealthyNode();
  }
}

/** @param said what the last node said, where one did */
function noHealthyNode(said?: string): NodeError {
  return sendError(
    "no_healthy_node",
    `no healthy node available${said === undefined ? "" : `: ${said}`}`,
    "see whether a node runs, and its address",
  );
}

/** Nothing was sent, and later there may be one. */
export function isNoHealthyNode(error: unknown): error is NodeError {
  return error instanceof NodeError && error.code === "no_healthy_node";
}

export function wrongChain(expected: string, actual: string): NodeError {
  return sendError("wrong_chain", `the node is of the chain ${actual}, and ${expected} is wanted`);
}

function mostFrequent(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}
