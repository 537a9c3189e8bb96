// Which of several nodes is asked. The original compares all of them before every operation (reference 50, section
// 6.2); here the newest of the right chain is kept for as long as it answers and does not fall behind.
import { NodeError } from "../../errors/node-error.ts";
import type { LastBlock } from "./chain-view.ts";
import { type NodeClient, sendError } from "./node-client.ts";

export interface NodePoolOptions {
  /** A clock that only goes forward, milliseconds. */
  readonly nowMs: () => number;
  /** The network's, where its settings say; nodes of other chains are not used. */
  readonly chainId?: string;
  /** How long a choice is good. */
  readonly choiceMs?: number;
}

const CHOICE_MS = 2_000;
/** How much later than the first node the others may answer. */
const LATER_MS = 250;
/** How long a node that failed is passed over where there are others. */
const REST_MS = 5_000;
/** Blocks that the chosen node may be behind another one before that one is taken. */
const BEHIND_MAX = 2n;
/** How long a chain is remembered to have been further than all nodes that answer. Then it began again. */
const NEWEST_MS = 60_000;

interface Probed {
  readonly client: NodeClient;
  readonly block: LastBlock;
}

/** The newest block of the chain that any node has told of, the last one to do so, and when. */
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

  constructor(
    readonly clients: readonly NodeClient[],
    private readonly options: NodePoolOptions,
  ) {
    this.wanted = options.chainId;
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
    // As long as it answers, nobody waits for news of the others.
    this.probing.catch(() => {});
    return this.chosen;
  }

  /** The node did not answer: the next question looks for another one. */
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

  /** What names this block may come too late for the chain: more than half of its time is over. */
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
          // It is none of those who answer.
        }
      }),
    );
    await Promise.race([all, first.promise.then(() => Bun.sleep(LATER_MS))]);
    if (alive.length > 0) return [...alive];
    this.chosen = undefined;
    throw noHealthyNode();
  }
}

/** @param said what the last node said, where one did */
export function noHealthyNode(said?: string): NodeError {
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

export function wrongChain(wanted: string, found: string): NodeError {
  return sendError("wrong_chain", `the node is of the chain ${found}, and ${wanted} is wanted`);
}

function mostFrequent(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}
