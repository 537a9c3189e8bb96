// The follower's thread: blocks of the consensus engine through admission, and submissions to it. An extra entry point of
// the compiled executable (scripts/build.ts lists it).
/// <reference lib="webworker" />

import type { Database } from "bun:sqlite";
import type { AdmissionRules } from "../chain/admission/rules.ts";
import { CometClient, CometUnreachable } from "../comet/client.ts";
import { CoreClient } from "../comet/core-client.ts";
import { StoredFacts } from "../comet/facts.ts";
import { CometFollower, type FollowerReport } from "../comet/follower.ts";
import { SubmissionGate } from "../comet/gate.ts";
import type { Submitter } from "../comet/hand-over.ts";
import { noChain } from "../comet/no-chain.ts";
import type { Disagreement, ObservedBlock } from "../comet/observer.ts";
import { ChainCallError, type ChainStatus } from "../engine/chain-port.ts";
import type { ChainCallCode } from "../errors/detail-codes.ts";
import { reasonOf } from "../errors/node-error.ts";
import { openReader } from "../store/database.ts";
import { limitGarbage } from "../store/garbage-limit.ts";
import { readHead } from "../store/head.ts";
import { FollowerKeeper } from "./follower-file.ts";

interface FollowerOrder {
  readonly kind: "follow";
  readonly home: string;
  readonly comet: string;
  /** Takes submissions while the engine's RPC does not answer. */
  readonly core: string | undefined;
  readonly rules: AdmissionRules;
  /** Whether a source of events brings facts into the store. */
  readonly hasEvents: boolean;
  readonly lookMs: number;
  readonly startedNs: bigint;
}

export type ToFollower =
  | FollowerOrder
  | { readonly kind: "committed" }
  | { readonly kind: "spam"; readonly id: number; readonly party: string }
  | {
      readonly kind: "check" | "submit";
      readonly id: number;
      readonly bytes: Uint8Array;
      readonly wait: "check" | "commit";
    }
  | { readonly kind: "stop" };

/** Counts since the start. */
export interface FollowerCounts {
  readonly blocks: number;
  readonly txs: number;
  readonly disagreements: number;
}

export type FromFollower =
  | { readonly kind: "report"; readonly report: FollowerReport }
  | {
      readonly kind: "status";
      readonly status: ChainStatus;
      readonly counts: FollowerCounts;
      readonly completeFrom: number | undefined;
    }
  | { readonly kind: "disagreements"; readonly list: readonly Disagreement[] }
  /** News for the log. */
  | { readonly kind: "notice"; readonly text: string }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "refusal"; readonly id: number; readonly code: ChainCallCode; readonly message: string }
  | { readonly kind: "stopped" };

/** While much is caught up the main thread hears of it this often. */
const STATUS_MS = 100;
/** Without events nothing is known of stakes: what takes one is left to the chain. */
const ANY_STAKE = 2n ** 255n;

declare const self: Worker;
const post = (message: FromFollower) => self.postMessage(message);

class FollowerWorker {
  private readonly reader: Database;
  private readonly follower: CometFollower;
  private readonly gate: SubmissionGate;
  private latest: ChainStatus;
  private counts = { blocks: 0, txs: 0, disagreements: 0 };
  private toldMs = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(order: FollowerOrder) {
    this.latest = noChain(order.startedNs);
    this.reader = openReader(order.home);
    const client = new CometClient(order.comet);
    const source = `${order.rules} ${order.hasEvents ? "events" : "genesis"}`;
    const facts = order.hasEvents ? new StoredFacts(this.reader) : undefined;
    this.follower = new CometFollower({
      client,
      rules: order.rules,
      lookMs: order.lookMs,
      facts,
      keeper: new FollowerKeeper(order.home, source, (text) => post({ kind: "notice", text })),
      chainId: () => readHead(this.reader)?.chainId,
      storedHash: (height) => facts?.hashOf(height),
      onReport: (report) => {
        this.sendStatus();
        post({ kind: "report", report });
      },
      onBlock: (block, results, { observed, differences }) => {
        this.counts.blocks++;
        this.counts.txs += block.txs.length;
        this.counts.disagreements += differences.length;
        if (differences.length > 0) post({ kind: "disagreements", list: differences.slice(0, 20) });
        this.note(observed);
        this.gate.onBlock(block, results);
        this.sendStatusSoon();
      },
    });
    // Before the chain's node has answered, the last run's block is what there is.
    if (this.follower.block) this.note(this.follower.block);
    this.sendStatus();
    const core = order.core === undefined ? undefined : new CoreClient(order.core);
    this.gate = new SubmissionGate({
      nodes: [this.nodeOf(client), ...(core === undefined ? [] : [this.coreOf(core)])],
      checkAtCore: core && ((bytes) => core.check(bytes)),
      observer: () => this.follower.observer,
      chainId: () => this.follower.chainId,
      status: () => this.latest,
      nodeHeight: () =>
        client.status().then(
          ({ height }) => height,
          () => undefined,
        ),
      tokens: (party) => (facts === undefined ? ANY_STAKE : facts.stakeOf(party)),
      hasEvents: order.hasEvents,
    });
    this.follower.start();
  }

  /** The followed node, while it is of this chain. */
  private nodeOf(client: CometClient): Submitter {
    return {
      submit: async (bytes) => {
        if (this.follower.isForeign) throw new CometUnreachable("the node is of another chain");
        return client.submit(bytes);
      },
    };
  }

  /** A core of the same chain. */
  private coreOf(core: CoreClient): Submitter {
    return {
      submit: async (bytes) => {
        const { chainId } = await core.statistics();
        if (chainId !== this.follower.observer?.chainId)
          throw new CometUnreachable("the core is of another chain");
        return core.submit(bytes);
      },
    };
  }

  receive(message: Exclude<ToFollower, FollowerOrder>): void {
    if (message.kind === "committed") this.follower.notify();
    else if (message.kind === "stop") void this.stop();
    else this.answer(message.id, () => this.call(message));
  }

  private call(message: Extract<ToFollower, { id: number }>): unknown {
    if (message.kind === "spam") return this.gate.spamStatistics(message.party);
    const { bytes, wait } = message;
    return message.kind === "check" ? this.gate.check(bytes) : this.gate.submit(bytes, wait);
  }

  private async answer(id: number, call: () => unknown): Promise<void> {
    try {
      post({ kind: "answer", id, value: await call() });
    } catch (error) {
      const code = error instanceof ChainCallError ? error.code : "stopped";
      post({ kind: "refusal", id, code, message: reasonOf(error) });
    }
  }

  private note(block: ObservedBlock): void {
    const admission = this.follower.observer!.admission;
    const pow = admission.pow.parameters;
    const epoch = this.follower.epoch();
    const { latest } = this;
    const { chainId, height, hash, appHash, timeNs, txCount, txBytes } = block;
    this.latest = {
      ...latest,
      chainId,
      height,
      hash,
      appHash,
      timeNs,
      previousTimeNs: latest.timeNs === 0n ? timeNs : latest.timeNs,
      genesisTimeNs: this.follower.genesisTimeNs ?? 0n,
      epoch: epoch ?? { seq: admission.spam.epochSeq, startNs: 0n, expireNs: 0n },
      pow:
        pow === undefined
          ? latest.pow
          : { ...pow, pastBlocks: Number(pow.pastBlocks), txPerBlock: Number(pow.txPerBlock) },
      totals: {
        ...latest.totals,
        txsLastBlock: txCount,
        averageTxBytes: txCount > 0 ? Math.floor(txBytes / txCount) : latest.totals.averageTxBytes,
      },
    };
  }

  private sendStatusSoon(): void {
    if (performance.now() - this.toldMs > STATUS_MS) this.sendStatus();
    else this.timer ??= setTimeout(() => this.sendStatus(), STATUS_MS);
  }

  private sendStatus(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.toldMs = performance.now();
    const completeFrom = this.follower.observer?.completeFrom;
    post({ kind: "status", status: this.latest, counts: { ...this.counts }, completeFrom });
  }

  private async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.follower.stop();
    this.reader.close();
    post({ kind: "stopped" });
  }
}

let thread: FollowerWorker | undefined;

limitGarbage();

self.onmessage = ({ data }: MessageEvent<ToFollower>) => {
  if (data.kind === "follow") thread = new FollowerWorker(data);
  else thread?.receive(data);
};
