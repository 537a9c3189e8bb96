/**
 * A CometBFT node's RPC as a client (docs/protocol/30-node-api-endpoints.md#8-cometbft-rpc-underneath), in the forms of
 * the lines 0.34 and 0.38: JSON-RPC by POST, and a websocket that announces blocks. Nothing of an answer is believed
 * before its form was checked.
 */
import type { EnginePeer } from "../engine/chain-port.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { ErrorCode } from "../errors/program-codes.ts";
import { AnswerTooLong, requestAnswer } from "../fetch/answer.ts";
import { nanosecondsOf } from "./time.ts";

const ATTEMPT = "sidecar.comet";
const TIMEOUT_MS = 10_000;
/** A block of the largest size in base64, with its results. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;
/** Of a genesis document with a checkpoint in it: such have some megabytes. */
const GENESIS_BYTES_MAX = 64 * 1024 * 1024;
const HASH = /^[0-9A-Fa-f]{64}$/;
const SUBSCRIBE = { jsonrpc: "2.0", id: 0, method: "subscribe", params: { query: "tm.event='NewBlock'" } };
/** The node answered with an error of its own: asking again in another way may help, waiting does not. */
const NO_SUCH_HEIGHT = /must be less than or equal to|is not available|lowest height/;

export interface CometStatus {
  readonly chainId: string;
  readonly version: string;
  readonly height: number;
  readonly timeNs: bigint;
  readonly earliestHeight: number;
  readonly isCatchingUp: boolean;
}

/** A node's status with its place among the validators. */
interface CometValidator extends CometStatus {
  readonly name: string;
  /** In consensus, lower-case hex. */
  readonly address: string;
  /** 0 of a node that is not a validator. */
  readonly power: bigint;
}

export interface CometBlock {
  readonly height: number;
  readonly chainId: string;
  /** Lower-case hex, as is the hash of the block before it; that of the first block is empty. */
  readonly hash: string;
  readonly previousHash: string;
  readonly appHash: string;
  readonly timeNs: bigint;
  readonly txs: readonly Uint8Array[];
}

export interface CometTxResult {
  readonly code: number;
  /** The text of a failure, where there is one. */
  readonly text: string;
}

/** A transaction that the node has indexed. */
interface CometIndexedTx extends CometTxResult {
  readonly height: number;
  readonly index: number;
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** `block_id_flag` of a signature for the block. */
const SIGNED = 2;

/** The most that a node gives at once. */
const PAGE_TXS = 100;

export class CometClient {
  private readonly address: string;
  private nextId = 1;

  constructor(
    readonly url: string,
    private readonly timeoutMs = TIMEOUT_MS,
    private readonly answerBytesMax = ANSWER_BYTES_MAX,
    private readonly genesisBytesMax = GENESIS_BYTES_MAX,
  ) {
    this.address = `${url}/`;
  }

  async status(): Promise<CometStatus> {
    return statusOf(await this.call("status", {}));
  }

  /** Heights that the node's peers work on, as they say. */
  async peerHeights(): Promise<readonly number[]> {
    return [...(await this.heightsByPeer()).values()];
  }

  /** The engine's status, and its own place among the validators. */
  async ownValidator(): Promise<CometValidator> {
    const result = await this.call("status", {});
    const own = record(result.validator_info, "validator_info");
    return {
      ...statusOf(result),
      name: textOf(record(result.node_info, "node_info").moniker, "moniker"),
      address: textOf(own.address, "address").toLowerCase(),
      power: numberOf(own.voting_power, "voting_power"),
    };
  }

  /** Nodes that the engine is connected with. */
  async peers(): Promise<readonly EnginePeer[]> {
    const [network, heights] = await Promise.all([this.call("net_info", {}), this.heightsByPeer()]);
    if (!Array.isArray(network.peers)) throw malformed("peers");
    return network.peers.map((peer) => {
      const {
        node_info: info,
        is_outbound: isOutbound,
        remote_ip: host,
        connection_status,
      } = record(peer, "peers");
      const node = record(info, "node_info");
      const id = textOf(node.id, "id");
      return {
        id,
        name: textOf(node.moniker, "moniker"),
        host: textOf(host, "remote_ip"),
        isOutbound: isOutbound === true,
        connectedNs: numberOf(record(connection_status, "connection_status").Duration, "Duration"),
        height: heights.get(id),
      };
    });
  }

  /** Power of all validators together, as of the last block. */
  async totalPower(): Promise<bigint> {
    let power = 0n;
    for (let page = 1, seen = 0; ; page++) {
      const { validators, total } = await this.call("validators", { page: String(page), per_page: "100" });
      if (!Array.isArray(validators)) throw malformed("validators");
      for (const each of validators)
        power += numberOf(record(each, "validators").voting_power, "voting_power");
      seen += validators.length;
      if (validators.length === 0 || seen >= Number(numberOf(total, "total"))) return power;
    }
  }

  /** Consensus addresses of the validators that signed a block. */
  async signersOf(height: number): Promise<readonly string[]> {
    const { signed_header: header } = await this.call("commit", { height: String(height) });
    const { signatures } = record(record(header, "signed_header").commit, "commit");
    if (!Array.isArray(signatures)) throw malformed("signatures");
    return signatures
      .map((each) => record(each, "signatures"))
      .filter(({ block_id_flag: flag }) => flag === SIGNED)
      .map(({ validator_address: address }) => textOf(address, "validator_address").toLowerCase());
  }

  /** @throws NodeError `comet_height_gone` for a block that the node does not have */
  async block(height: number): Promise<CometBlock> {
    const result = await this.call("block", { height: String(height) });
    const block = record(result.block, "block");
    const header = record(block.header, "header");
    const before = record(header.last_block_id ?? {}, "last_block_id");
    const txs = record(block.data ?? {}, "data").txs ?? [];
    if (!Array.isArray(txs)) throw malformed("data.txs");
    const head = {
      height: heightOf(header.height),
      chainId: textOf(header.chain_id, "chain_id"),
      hash: hashOf(record(result.block_id, "block_id").hash),
      previousHash: before.hash === undefined || before.hash === "" ? "" : hashOf(before.hash),
      appHash: textOf(header.app_hash ?? "", "app_hash").toLowerCase(),
      timeNs: nanosecondsOf(textOf(header.time, "time")),
      txs: txs.map((text) => bytesOf(text)),
    };
    if (head.height !== height) throw malformed(`block ${height} (it is block ${head.height})`);
    return head;
  }

  /** Results of a block's transactions, in their order. */
  async results(height: number): Promise<readonly CometTxResult[]> {
    const result = await this.call("block_results", { height: String(height) });
    const list = result.txs_results ?? [];
    if (!Array.isArray(list)) throw malformed("txs_results");
    return list.map((each) => txResult(record(each, "txs_results")));
  }

  /** A page of the indexed transactions that fit, newest first, and how many fit. */
  async searchTxs(query: string, page: number): Promise<{ txs: CometIndexedTx[]; total: number }> {
    const given = { query, prove: false, page: String(page), per_page: String(PAGE_TXS), order_by: "desc" };
    const result = await this.call("tx_search", given);
    const list = result.txs ?? [];
    if (!Array.isArray(list)) throw malformed("txs");
    const txs = list.map((each) => {
      const tx = record(each, "txs");
      const { code, text } = txResult(record(tx.tx_result, "tx_result"));
      const index = Number(tx.index);
      if (!Number.isSafeInteger(index)) throw malformed("index");
      return { height: heightOf(tx.height), index, hash: hashOf(tx.hash), bytes: bytesOf(tx.tx), code, text };
    });
    return { txs, total: Number(result.total_count) };
  }

  /** The genesis document's `app_state`. */
  async appState(): Promise<Record<string, unknown>> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for (let chunk = 0, total = 1; chunk < total; chunk++) {
      const result = await this.call("genesis_chunked", { chunk: String(chunk) });
      total = Number(result.total);
      if (!Number.isSafeInteger(total) || total < 1 || total > 1_000) throw malformed("genesis_chunked");
      const piece = bytesOf(result.data);
      bytes += piece.length;
      if (bytes > this.genesisBytesMax)
        throw malformed(`a genesis of more than ${this.genesisBytesMax} bytes`);
      chunks.push(piece);
    }
    const document = record(JSON.parse(Buffer.concat(chunks).toString("utf8")), "genesis");
    // Another application's may have any form, or none.
    const { app_state: state } = document;
    return typeof state === "object" && state !== null ? (state as Record<string, unknown>) : {};
  }

  /**
   * Hands a transaction over, and waits for the verdict of the node's mempool.
   * @throws CometError with the node's own words, such as those of a full mempool
   */
  async submit(bytes: Uint8Array): Promise<CometTxResult> {
    return txResult(await this.call("broadcast_tx_sync", { tx: Buffer.from(bytes).toString("base64") }));
  }

  /**
   * Announces new blocks until it ends, which it does by itself when the connection breaks.
   * @returns a function that ends it
   */
  announcements(onBlock: () => void, onEnd: () => void): () => void {
    const socket = new WebSocket(`${this.url.replace(/^http/, "ws")}/websocket`);
    socket.onopen = () => socket.send(JSON.stringify(SUBSCRIBE));
    socket.onmessage = onBlock;
    socket.onerror = () => socket.close();
    socket.onclose = onEnd;
    return () => {
      socket.onclose = null;
      socket.close();
    };
  }

  /** Heights that peers work on, by their ids. */
  private async heightsByPeer(): Promise<ReadonlyMap<string, number>> {
    const { peers } = await this.call("dump_consensus_state", {});
    if (!Array.isArray(peers)) throw malformed("peers");
    return new Map(
      peers.map((peer) => {
        const { node_address: address, peer_state: state } = record(peer, "peers");
        const round = record(record(state, "peer_state").round_state, "round_state");
        // `id@host:port`.
        return [textOf(address, "node_address").split("@")[0]!, heightOf(round.height)] as const;
      }),
    );
  }

  private async call(
    method: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown>> {
    const id = this.nextId++;
    let text: string;
    let status: number;
    try {
      const answer = await requestAnswer(this.address, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
        timeoutMs: this.timeoutMs,
      });
      text = await answer.text(this.answerBytesMax);
      status = answer.status;
    } catch (error) {
      if (error instanceof AnswerTooLong) throw malformed(`an answer of more than ${error.bytesMax} bytes`);
      throw new CometUnreachable(reasonOf(error));
    }
    return this.resultOf(text, method, status);
  }

  private resultOf(text: string, method: string, status: number): Record<string, unknown> {
    let answer: Record<string, unknown>;
    try {
      answer = record(JSON.parse(text), method);
    } catch {
      // A proxy's own answer: whether the node was asked is not known.
      if (status >= 500) throw new CometUnreachable(`status ${status}`);
      throw malformed(method);
    }
    const { error } = answer;
    if (error === undefined || error === null) return record(answer.result, method);
    const { message, data } = record(error, "error");
    const words = typeof data === "string" && data !== "" ? data : String(message);
    if (NO_SUCH_HEIGHT.test(words))
      throw cometError("comet_height_gone", `the node has no such block: ${words.slice(0, 300)}`, "");
    throw new CometError(words.slice(0, 1_000));
  }
}

/** The node answered, with an error of its own. */
export class CometError extends Error {
  override readonly name = "CometError";
}

/** No answer came: whether a call was carried out is not known. */
export class CometUnreachable extends Error {
  override readonly name = "CometUnreachable";
}

export function cometError(code: ErrorCode, message: string, hint: string): NodeError {
  return new NodeError(ATTEMPT, code, message, hint);
}

function malformed(what: string): NodeError {
  return cometError(
    "comet_invalid",
    `the RPC's answer is not one of CometBFT: ${what}`,
    "give the address of a CometBFT RPC, such as http://127.0.0.1:26657",
  );
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformed(what);
  return value as Record<string, unknown>;
}

function statusOf(result: Record<string, unknown>): CometStatus {
  const sync = record(result.sync_info, "sync_info");
  const node = record(result.node_info, "node_info");
  return {
    chainId: textOf(node.network, "network"),
    version: textOf(node.version, "version"),
    height: heightOf(sync.latest_block_height),
    timeNs: nanosecondsOf(textOf(sync.latest_block_time, "latest_block_time")),
    earliestHeight: heightOf(sync.earliest_block_height ?? "1"),
    isCatchingUp: sync.catching_up === true,
  };
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== "string" || value.length > 1_000) throw malformed(what);
  return value;
}

/** A 64-bit number, which is text in JSON. */
function numberOf(value: unknown, what: string): bigint {
  const text = String(value ?? "");
  if (!/^\d{1,20}$/.test(text)) throw malformed(what);
  return BigInt(text);
}

function heightOf(value: unknown): number {
  const text = String(value);
  if (!/^\d{1,15}$/.test(text)) throw malformed("a height");
  return Number(text);
}

function hashOf(value: unknown): string {
  const text = String(value);
  if (!HASH.test(text)) throw malformed("a hash");
  return text.toLowerCase();
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value !== "string") throw malformed("bytes");
  return Buffer.from(value, "base64");
}

/** An application's text of a failure is its data in the original, its log elsewhere. */
function txResult(result: Record<string, unknown>): CometTxResult {
  const code = Number(result.code ?? 0);
  if (!Number.isInteger(code) || code < 0 || code > 0xffffffff) throw malformed("code");
  if (code === 0) return { code, text: "" };
  const data = typeof result.data === "string" ? result.data : "";
  // Hexadecimal in the answer to a submission, base64 in a block's results.
  const isHex = /^(?:[0-9A-F]{2})+$/.test(data);
  const words = Buffer.from(data, isHex ? "hex" : "base64").toString("utf8");
  const log = typeof result.log === "string" ? result.log : "";
  return { code, text: (words || log).slice(0, 10_000) };
}
