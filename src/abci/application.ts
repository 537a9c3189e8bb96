/**
 * A chain as an application of a consensus engine (ABCI 2.0): requests to calls of `abci-chain.ts`, and what they give
 * to responses. Everything here is said by the connection or by the block, so that all validators answer alike.
 */

import type { ConsensusPower } from "../engine/consensus-set.ts";
import { appStateHash, type Genesis } from "../engine/genesis.ts";
import { logFailure } from "../errors/log.ts";
import { NodeError } from "../errors/node-error.ts";
import {
  CheckTxType,
  ResponseProcessProposalProposalStatus as ProposalStatus,
  type Request,
  type RequestCheckTx,
  type RequestFinalizeBlock,
  type RequestInitChain,
  type RequestQuery,
  ResponseVerifyVoteExtensionVerifyStatus as VoteStatus,
} from "../wire/generated/abci.ts";
import type { Timestamp } from "../wire/generated/consensus.ts";
import { hexOf } from "../wire/identifiers.ts";
import { MILLISECOND_NS, SECOND_NS } from "../wire/time-text.ts";
import type { AbciChain } from "./abci-chain.ts";
import { DoubleSignings } from "./double-signings.ts";
import { BLOCK_BYTES_MAX } from "./proposals.ts";
import type { AbciHandler, Answer } from "./server.ts";
import { StateSync } from "./state-sync.ts";

/** Version of the state machine: a change of it is an upgrade that all validators make at one height. */
const APP_VERSION = 1n;
/** Gas is counted by the proposal's own rule: the engine's would hide what waits from it. */
const NO_GAS_LIMIT = -1n;
/** Blocks between two looks at what the engine may drop. */
const PRUNE_INTERVAL = 100;
/** The query's code for an entry that does not exist. */
const UNKNOWN_QUERY = 1;

export class Application implements AbciHandler {
  /** The connection that executes blocks, and the one that checks transactions. */
  private consensus: object | undefined;
  private mempool: object | undefined;

  constructor(
    private readonly chain: AbciChain,
    private readonly version: string,
    /** Blocks that the consensus engine keeps at the least; 0: all. */
    private readonly retainBlocks = 0,
    private readonly sync = new StateSync(chain),
  ) {
    this.doubleSignings = new DoubleSignings(chain);
  }

  readonly doubleSignings: DoubleSignings;

  /** Whether the state of another validator is being restored. */
  get isTakingState(): boolean {
    return this.sync.isRestoring;
  }

  answer(request: Request, connection: object): Answer | Promise<Answer> {
    if (request.info) return { info: this.info() };
    if (request.checkTx) return { checkTx: this.checkTx(request.checkTx, connection) };
    if (request.query) return this.query(request.query);
    if (request.initChain) {
      this.enterConsensus(connection);
      return { initChain: this.initChain(request.initChain) };
    }
    if (request.prepareProposal) {
      this.enterConsensus(connection);
      const { txs, maxTxBytes } = request.prepareProposal;
      if (this.chain.haltReason !== undefined) return NEVER;
      return { prepareProposal: { txs: this.chain.proposals.prepare(txs, maxTxBytes) } };
    }
    if (request.processProposal) {
      this.enterConsensus(connection);
      if (this.chain.haltReason !== undefined) return NEVER;
      return { processProposal: { status: this.statusOf(request.processProposal) } };
    }
    if (request.finalizeBlock) {
      this.enterConsensus(connection);
      return { finalizeBlock: this.finalizeBlock(request.finalizeBlock) };
    }
    if (request.commit) {
      this.enterConsensus(connection);
      this.chain.commit();
      this.sync.onCommitted();
      return { commit: { retainHeight: BigInt(this.retainHeight()) } };
    }
    if (request.extendVote) return { extendVote: {} };
    if (request.verifyVoteExtension) return { verifyVoteExtension: { status: VoteStatus.ACCEPT } };
    if (request.listSnapshots) return { listSnapshots: { snapshots: this.sync.list() } };
    if (request.loadSnapshotChunk)
      return { loadSnapshotChunk: { chunk: this.sync.load(request.loadSnapshotChunk) } };
    if (request.offerSnapshot) return { offerSnapshot: { result: this.sync.offer(request.offerSnapshot) } };
    if (request.applySnapshotChunk)
      return { applySnapshotChunk: this.sync.apply(request.applySnapshotChunk) };
    throw new NodeError(
      "validator.abci",
      "abci_order",
      "a request of the consensus engine is not one that this application serves",
      "use a version of the consensus engine that speaks ABCI 2.0",
    );
  }

  /** Settles when nothing is under way beside the blocks: the chain can be stopped then. */
  idle(): Promise<void> {
    return this.sync.idle();
  }

  closed(connection: object): void {
    if (connection === this.consensus) {
      this.consensus = undefined;
      this.chain.dropExecuted();
    }
    if (connection === this.mempool) {
      this.mempool = undefined;
      this.chain.clearMempool();
    }
  }

  /** A connection that was not there before belongs to an engine that starts: it brings unfinished blocks again. */
  private enterConsensus(connection: object): void {
    if (connection === this.consensus) return;
    if (this.consensus !== undefined) this.chain.dropExecuted();
    this.consensus = connection;
  }

  /**
   * The engine drops blocks below this height. The oldest snapshot's block stays: who takes that snapshot checks it by its header, and
   * goes on from there.
   */
  private retainHeight(): number {
    const { height } = this.chain.committed;
    if (this.retainBlocks === 0 || height % PRUNE_INTERVAL !== 0) return 0;
    return Math.max(0, Math.min(height - this.retainBlocks + 1, this.sync.oldestHeight ?? 0));
  }

  private info() {
    const { height, appHash } = this.chain.committed;
    return {
      data: "lyra",
      version: this.version,
      appVersion: APP_VERSION,
      lastBlockHeight: BigInt(height),
      lastBlockAppHash: Uint8Array.fromHex(appHash),
    };
  }

  /** @throws NodeError when the engine begins another chain than this home */
  private initChain({ chainId, appStateBytes, initialHeight }: RequestInitChain) {
    const { chain } = this;
    checkGenesis(chain.genesis, chainId, appStateBytes, initialHeight);
    if (chain.committed.height >= chain.genesis.initialHeight)
      throw new NodeError(
        "validator.genesis",
        "chain_ahead",
        `the consensus engine begins the chain, and this home is at block ${chain.committed.height}`,
        "restore the data of the consensus engine, or give an empty --home",
      );
    const { members, appHash } = chain.beginChain();
    return {
      consensusParams: {
        block: { maxBytes: BigInt(BLOCK_BYTES_MAX), maxGas: NO_GAS_LIMIT },
        version: { app: APP_VERSION },
      },
      validators: members.map(updateOf),
      appHash: Uint8Array.fromHex(appHash),
    };
  }

  private checkTx({ tx, type }: RequestCheckTx, connection: object) {
    if (connection !== this.mempool) {
      if (this.mempool !== undefined) this.chain.clearMempool();
      this.mempool = connection;
    }
    const { code, text, gasWanted } = this.chain.checkTx(tx, type === CheckTxType.RECHECK);
    return { code, data: Buffer.from(text, "utf8"), log: text, gasWanted: BigInt(gasWanted) };
  }

  private statusOf({
    txs,
    height,
  }: {
    readonly txs: readonly Uint8Array[];
    readonly height: bigint;
  }): number {
    const fault = this.chain.proposals.faultOf(txs);
    if (fault === undefined) return ProposalStatus.ACCEPT;
    logFailure(
      new NodeError(
        "validator.proposal",
        "proposal_refused",
        `a proposal for block ${height} is refused: ${fault}`,
        "its proposer runs another release, or is not honest; the next validator proposes",
      ),
    );
    return ProposalStatus.REJECT;
  }

  private finalizeBlock(request: RequestFinalizeBlock) {
    const { height, time, hash, proposerAddress, txs, misbehavior } = request;
    if (this.chain.haltReason !== undefined)
      throw new NodeError(
        "validator.execute",
        "upgrade_due",
        `block ${height} is not executed by this release: ${this.chain.haltReason}`,
        "start the next release over this home",
      );
    this.doubleSignings.note(Number(height), Number(nanosecondsOf(time) / MILLISECOND_NS), misbehavior);
    const { results, updates, appHash } = this.chain.execute({
      height: Number(height),
      timeNs: nanosecondsOf(time),
      hash: hexOf(hash),
      proposer: this.chain.nodeAt(proposerAddress) ?? "",
      txs,
    });
    return {
      txResults: results.map(({ code, text, events }) => ({
        code,
        // Data is part of what validators agree on: words are not.
        log: text,
        events,
      })),
      validatorUpdates: updates.map(updateOf),
      appHash: Uint8Array.fromHex(appHash),
    };
  }

  /** An entry of the state: `path` is the table, `data` the key. */
  private async query({ path, data }: RequestQuery): Promise<Answer> {
    const value = await this.chain.entry(path.replace(/^\//, ""), Buffer.from(data).toString("utf8"));
    const height = BigInt(this.chain.committed.height);
    if (value === undefined)
      return { query: { code: UNKNOWN_QUERY, log: "the state has no such entry", key: data, height } };
    return { query: { key: data, value: Buffer.from(value, "utf8"), height } };
  }
}

/** Parked: while nothing of the next block is agreed on, validators that are late can still catch up. */
const NEVER = new Promise<never>(() => {});

function updateOf({ key, power }: ConsensusPower) {
  return { pubKey: { ed25519: Buffer.from(key, "base64") }, power };
}

function nanosecondsOf(time: Timestamp | undefined): bigint {
  return (time?.seconds ?? 0n) * SECOND_NS + BigInt(time?.nanos ?? 0);
}

/** The engine's copy of the genesis may be written in another way: only what it says counts. @throws NodeError */
function checkGenesis(genesis: Genesis, chainId: string, appState: Uint8Array, initialHeight: bigint): void {
  let why: string | undefined;
  if (chainId !== genesis.chainId) why = `chain ${chainId} there, ${genesis.chainId} here`;
  else if (Number(initialHeight) !== genesis.initialHeight) why = `its first block is ${initialHeight}`;
  else if (appStateHash(Buffer.from(appState).toString("utf8")) !== genesis.hash) why = "app_state differs";
  if (why === undefined) return;
  throw new NodeError(
    "validator.genesis",
    "genesis_differs",
    `the consensus engine has another genesis than this home: ${why}`,
    "give both the same genesis.json",
  );
}
