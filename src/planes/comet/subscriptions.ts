/**
 * Subscriptions over websockets: what happens in a block is sent to each whose query it matches, in order of the
 * blocks. A client that does not read is cut off by the server, so that nothing piles up here.
 */
import type { ChainPort } from "../../engine/chain-port.ts";
import type { CometBlocks } from "./blocks.ts";
import { valuesOf } from "./methods.ts";
import type { Query, Values } from "./query.ts";
import { type BlockTx, deliverResult } from "./results.ts";
import { CometRpcError, type RpcId, resultText } from "./rpc.ts";

const CLIENTS_MAX = 100;
const QUERIES_MAX = 5;
/** Blocks that are handed out at one go, so that many at once do not hold up everything else. */
const BLOCKS_A_TURN = 20;

export interface Client {
  send(text: string): unknown;
}

interface Subscription {
  readonly id: RpcId;
  readonly query: Query;
}

/** The application has no events of blocks. In events of subscriptions members without a value are left out. */
const NO_RESULTS = { result_begin_block: {}, result_end_block: { validator_updates: null } };

export class Subscriptions {
  private readonly clients = new Map<Client, Map<string, Subscription>>();
  /** Of the last block that was handed out, and of the last there is. */
  private done = 0;
  private last = 0;
  private turn: ReturnType<typeof setImmediate> | undefined;
  private readonly stopListening: () => void;

  constructor(
    private readonly blocks: CometBlocks,
    chain: ChainPort,
  ) {
    this.stopListening = chain.onBlock(({ height }) => this.noteBlock(height));
  }

  /** @throws CometRpcError */
  add(client: Client, id: RpcId, query: Query): void {
    const own = this.clients.get(client) ?? new Map<string, Subscription>();
    if (own.size === 0 && this.clients.size >= CLIENTS_MAX)
      throw new CometRpcError("internal", `max_subscription_clients ${CLIENTS_MAX} reached`);
    if (own.has(query.text)) throw new CometRpcError("internal", "already subscribed");
    if (own.size >= QUERIES_MAX)
      throw new CometRpcError("internal", `max_subscriptions_per_client ${QUERIES_MAX} reached`);
    if (this.clients.size === 0) this.done = this.last = Math.max(this.last, this.blocks.range.last);
    this.clients.set(client, own.set(query.text, { id, query }));
  }

  /** @throws CometRpcError */
  remove(client: Client, query: string): void {
    const own = this.clients.get(client);
    if (!own?.delete(query)) throw new CometRpcError("internal", "subscription not found");
    if (own.size === 0) this.clients.delete(client);
  }

  removeAll(client: Client): void {
    this.clients.delete(client);
  }

  stop(): void {
    this.stopListening();
    clearImmediate(this.turn);
    this.clients.clear();
  }

  private noteBlock(height: number): void {
    // The chain took blocks back: those that follow are handed out as they come.
    if (height <= this.last) this.done = height;
    this.last = height;
    if (this.clients.size === 0) this.done = height;
    else if (this.turn === undefined) this.turn = setImmediate(() => this.handOut());
  }

  private handOut(): void {
    this.turn = undefined;
    for (let left = BLOCKS_A_TURN; left > 0 && this.done < this.last; left--) this.sendBlock(++this.done);
    if (this.done < this.last && this.clients.size > 0) this.turn = setImmediate(() => this.handOut());
  }

  private sendBlock(height: number): void {
    const kinds = ["NewBlock", "NewBlockHeader"].filter((kind) => this.isWanted(kind));
    if (kinds.length > 0) {
      const { block } = this.blocks.block(height) as { block: { header: object; data: { txs: unknown[] } } };
      const values = (kind: string) => new Map([["tm.event", [kind]]]);
      if (kinds.includes("NewBlock")) this.send(values("NewBlock"), "NewBlock", { block, ...NO_RESULTS });
      if (kinds.includes("NewBlockHeader")) {
        const num_txs = String(block.data.txs.length);
        const value = { header: block.header, num_txs, ...NO_RESULTS };
        this.send(values("NewBlockHeader"), "NewBlockHeader", value);
      }
    }
    if (!this.isWanted("Tx")) return;
    for (const [index, tx] of this.blocks.txs(height).entries())
      this.send(valuesOf(tx, height), "Tx", { TxResult: txValue(tx, height, index) });
  }

  private isWanted(kind: string): boolean {
    for (const own of this.clients.values())
      for (const { query } of own.values()) if (query.allowsEvent(kind)) return true;
    return false;
  }

  private send(values: Values, type: string, value: object): void {
    const data = { type: `tendermint/event/${type}`, value };
    const events = Object.fromEntries(values);
    for (const [client, own] of this.clients) {
      for (const { id, query } of own.values()) {
        if (!query.matches(values)) continue;
        client.send(resultText(id, { query: query.text, data, events }));
      }
    }
  }
}

function txValue(tx: BlockTx, height: number, index: number): object {
  return {
    height: String(height),
    ...(index > 0 && { index }),
    tx: Buffer.from(tx.bytes).toString("base64"),
    result: Object.fromEntries(
      Object.entries(deliverResult(tx)).filter(([, each]) => each && each !== "0" && `${each}` !== ""),
    ),
  };
}
