/** The chain that a sidecar follows, as the planes see it: its thread observes the blocks, and checks and hands over submissions. */

import { noChain } from "../comet/no-chain.ts";
import { ChainCallError, type ChainPort, type ChainStatus, type TxOutcome } from "../engine/chain-port.ts";
import type { FollowerCounts, FromFollower, ToFollower } from "./follower.worker.ts";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Call =
  | { readonly kind: "spam"; readonly party: string }
  | { readonly kind: "check" | "submit"; readonly bytes: Uint8Array; readonly wait: "check" | "commit" };

const NO_COUNTS: FollowerCounts = { blocks: 0, txs: 0, disagreements: 0 };

/** Unix nanoseconds of this machine's clock. */
export function machineTimeNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}

export class RemoteChainStatus implements ChainPort {
  readonly startedNs = machineTimeNs();
  private latest: ChainStatus = noChain(this.startedNs);
  private counted = NO_COUNTS;
  private complete: number | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Set<(status: ChainStatus) => void>();
  private nextId = 0;
  private trouble: string | undefined = "no block of the chain was seen yet";
  private post: (message: ToFollower) => void = () => {};

  /** @param post to the follower's thread */
  connect(post: (message: ToFollower) => void): void {
    this.post = post;
  }

  receive(message: Extract<FromFollower, { kind: "status" | "answer" | "refusal" }>): void {
    if (message.kind === "status") {
      const isNew = message.status.height !== this.latest.height;
      this.latest = message.status;
      this.counted = message.counts;
      this.complete = message.completeFrom;
      if (isNew) for (const listener of this.listeners) listener(message.status);
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.kind === "answer") waiting?.resolve(message.value);
    else waiting?.reject(new ChainCallError(message.code, message.message));
  }

  /** Rejects every call that still waits: the thread is gone. */
  close(): void {
    this.post = () => {};
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(new ChainCallError("stopped", "the node is stopping"));
  }

  get status(): ChainStatus {
    return this.trouble === undefined ? this.latest : { ...this.latest, halted: this.trouble };
  }

  /** Why the chain's node cannot be followed now; undefined while it is. */
  setTrouble(text: string | undefined): void {
    this.trouble = text;
  }

  get counts(): FollowerCounts {
    return this.counted;
  }

  /** Height from which spam statistics lack nothing; undefined until that is known. */
  get completeFrom(): number | undefined {
    return this.complete;
  }

  /** The last block that was followed. */
  head(): { readonly height: number; readonly timeUs: number } | undefined {
    const { height, timeNs } = this.latest;
    return height === 0 ? undefined : { height, timeUs: Number(timeNs / 1_000n) };
  }

  onBlock(listener: (status: ChainStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    return this.call({ kind: "submit", bytes, wait }) as Promise<TxOutcome>;
  }

  check(bytes: Uint8Array): Promise<TxOutcome> {
    return this.call({ kind: "check", bytes, wait: "check" }) as Promise<TxOutcome>;
  }

  spamStatistics(party: string): Promise<unknown> {
    return this.call({ kind: "spam", party });
  }

  private call(call: Call): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = this.nextId++;
    this.waiting.set(id, { resolve, reject });
    this.post({ ...call, id });
    return promise;
  }
}
