/**
 * The nodes as one: questions go to another node when one does not answer, and a transaction is handed over until a
 * node has it for certain, always the same bytes.
 */
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { transactionHash } from "../../wire/transaction.ts";
import { NetworkRefusal, type NodeClient, type SendingMode, sendError } from "./node-client.ts";
import { type NodePool, noHealthyNode } from "./node-pool.ts";

export interface Delivered {
  /** Upper-case hexadecimal, as the node writes it. */
  readonly hash: string;
  /** 0 as long as the block is not known. */
  readonly height: bigint;
  /** Of the node that has it. */
  readonly host: string;
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
    for (let asked = 1; ; asked++) {
      const client = await this.nodes.choose();
      try {
        return await question(client);
      } catch (error) {
        if (!(error instanceof NodeError) || !/^node_(unreachable|busy|refused)$/.test(error.code))
          throw error;
        this.nodes.failed(client);
        if (asked < this.nodes.clients.length) continue;
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
        // What one node refuses, another one whose answer was lost may have all the same. In a block it is decided.
        if (unknown === undefined || result.height > 0n) {
          throw new NetworkRefusal(result.code, result.reason, result.height);
        }
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (error instanceof NetworkRefusal) throw error;
        if (HAS_IT.test(error.message)) {
          return { hash, height: 0n, host: node.host };
        }
        if (!/^(outcome_unknown|node_unreachable|node_busy)$/.test(error.code))
          throw unknown ?? failed(error);
        this.nodes.failed(node);
        said = saidBy(error);
        if (error.code === "outcome_unknown") unknown = failed(error);
      }
      if (attempt + 1 >= SUBMISSIONS_MAX) throw unknown ?? noHealthyNode(said);
      await Bun.sleep(RETRY_MS * 2 ** attempt);
    }
  }
}

/** One that has no time says more than one that does not answer. */
function saidBy({ code, message }: NodeError): string | undefined {
  return code === "node_busy" ? message : undefined;
}

function failed(error: NodeError): NodeError {
  return sendError(error.code, `the transaction failed: ${reasonOf(error)}`, error.hint);
}
