// A chain behind a consensus engine that the test plays: it makes the calls that CometBFT makes, in its order.
import { AbciChain, type AbciChainOptions } from "../../src/abci/abci-chain.ts";
import { Application } from "../../src/abci/application.ts";
import type { Answer } from "../../src/abci/server.ts";
import { sha256HexOf } from "../../src/crypto/sha.ts";
import type { Genesis } from "../../src/engine/genesis.ts";
import { openWriter } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import type { Init } from "../../src/wire/codec.ts";
import {
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  type Request,
  type Response,
  ResponseProcessProposalProposalStatus as Status,
} from "../../src/wire/generated/abci.ts";
import { hexBytes } from "../../src/wire/identifiers.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { FakeEngine } from "../chain/fake-engine.ts";
import { newHome, rowsOf, testGenesis } from "../chain/rig.ts";
import { CometSet } from "./comet-set.ts";

export const BLOCK_NS = 1_000_000_007n;

export interface Given {
  readonly timeNs?: bigint;
  /** Hex. */
  readonly hash?: string;
  readonly proposerAddress?: Uint8Array;
}

export interface AbciRigOptions extends Partial<Omit<AbciChainOptions, "db">> {
  readonly home?: string;
  readonly retainBlocks?: number;
}

export class AbciRig {
  readonly home: string;
  readonly db: ReturnType<typeof openWriter>;
  readonly genesis: Genesis;
  readonly chain: AbciChain;
  readonly app: Application;
  engine: FakeEngine | undefined;
  /** Connections of the engine that runs now. */
  consensus: object = {};
  mempool: object = {};
  /** The validators as the engine knows them. */
  readonly set = new CometSet();
  /** Transactions that `broadcast` brought, and the check let in. */
  readonly pool: Uint8Array[] = [];

  constructor({ home, genesis = testGenesis(), retainBlocks, ...options }: AbciRigOptions = {}) {
    this.home = home ?? newHome();
    this.genesis = genesis;
    this.db = openWriter(this.home);
    this.chain = new AbciChain({
      db: this.db,
      genesis,
      makeEngine: (follower) => (this.engine = new FakeEngine(genesis, follower)),
      startedNs: 0n,
      broadcast: async (bytes) => this.broadcast(bytes),
      ...options,
    });
    this.app = new Application(this.chain, "v0", retainBlocks);
  }

  /** A call as it comes over the socket. */
  async call(request: Init<Request>, connection: object = this.consensus): Promise<Response> {
    const answer: Answer = await this.app.answer(decodeRequest(encodeRequest(request)), connection);
    return decodeResponse(encodeResponse(answer));
  }

  async info() {
    const { info } = await this.call({ info: {} }, {});
    return {
      height: Number(info!.lastBlockHeight),
      appHash: Buffer.from(info!.lastBlockAppHash).toString("hex"),
    };
  }

  async begin(appState: string = JSON.stringify(JSON.parse(this.genesis.document).app_state)) {
    const { initChain } = await this.call({
      initChain: {
        time: timeOf(this.genesis.timeNs),
        chainId: this.genesis.chainId,
        appStateBytes: Buffer.from(appState, "utf8"),
        initialHeight: 1n,
      },
    });
    this.set.begin(initChain!.validators);
    return initChain!;
  }

  /** The time of the next block, unless another is given: the first has that of the genesis. */
  headerOf(height: number, { timeNs, hash, proposerAddress }: Given = {}) {
    return {
      height: BigInt(height),
      time: timeOf(timeNs ?? this.genesis.timeNs + BigInt(height - 1) * BLOCK_NS),
      hash: hexBytes(hash ?? sha256HexOf(Buffer.from(`block ${height}`)))!,
      proposerAddress: proposerAddress ?? new Uint8Array(20),
    };
  }

  async execute(txs: readonly Uint8Array[] = [], given?: Given, height = this.chain.committed.height + 1) {
    const { finalizeBlock } = await this.call({ finalizeBlock: { ...this.headerOf(height, given), txs } });
    return {
      codes: finalizeBlock!.txResults.map(({ code }) => code),
      results: finalizeBlock!.txResults,
      appHash: Buffer.from(finalizeBlock!.appHash).toString("hex"),
      updates: finalizeBlock!.validatorUpdates,
    };
  }

  commit(): Promise<Response> {
    return this.call({ commit: {} });
  }

  /** Executes and commits; the first block after its genesis. */
  async block(txs: readonly Uint8Array[] = [], given?: Given) {
    if (this.chain.committed.height === 0) await this.begin();
    const executed = await this.execute(txs, given);
    await this.commit();
    this.set.apply(executed.updates);
    return executed;
  }

  async checkTx(tx: Uint8Array) {
    return (await this.call({ checkTx: { tx } }, this.mempool)).checkTx!;
  }

  async prepare(txs: readonly Uint8Array[], maxTxBytes = 1_000_000n) {
    return (await this.call({ prepareProposal: { txs, maxTxBytes } })).prepareProposal!.txs;
  }

  async accepts(txs: readonly Uint8Array[]): Promise<boolean> {
    const { processProposal } = await this.call({ processProposal: { txs, height: 0n } });
    return processProposal!.status === Status.ACCEPT;
  }

  /** The engine ends, and starts again with other connections. */
  reconnect(): void {
    this.app.closed(this.consensus);
    this.app.closed(this.mempool);
    this.consensus = {};
    this.mempool = {};
  }

  rows() {
    return rowsOf(digestStore(this.db));
  }

  async stop(): Promise<void> {
    await this.app.idle();
    await this.chain.stop();
    this.db.close();
  }

  /** As after `kill -9`. */
  abandon(): void {
    this.db.close();
  }

  private async broadcast(bytes: Uint8Array) {
    const { code, log: text } = await this.checkTx(bytes);
    if (code === 0) this.pool.push(bytes);
    return { code, text };
  }
}

function timeOf(ns: bigint) {
  return { seconds: ns / SECOND_NS, nanos: Number(ns % SECOND_NS) };
}
