// The chain's end of the thread that answers HTTP (planes.worker.ts): starts it and runs its calls.
import type { ChainStatus, DevnetPort } from "../engine/chain-port.ts";
import { NodeError, threadReason } from "../errors/node-error.ts";
import { workerUrl } from "../files/worker-url.ts";
import { type EventFeed, FeedOutlet } from "../store/event-feed.ts";
import { checkTransaction, INVALID_SIGNATURE, readTrusted, type Verdict } from "../wire/transaction-check.ts";
import { PropertyErrors } from "../wire/validate/check.ts";
import {
  type CallMessage,
  type ChainMessage,
  errorOf,
  errorText,
  notStarted,
  type SignatureFinding,
} from "./chain-messages.ts";
import type { PartiesChoice } from "./keys.ts";
import type { FromPlanes, PlaneAddresses, ThreadOptions, ToPlanes } from "./planes.worker.ts";

/** Time for the thread to drain its ports: for a polling balancer and requests under way. */
const STOP_MS = 16_000;

export class PlanesThread {
  private worker: Worker | undefined;
  private outlet: FeedOutlet | undefined;
  private readonly listening = Promise.withResolvers<PlaneAddresses>();
  private readonly stopped = Promise.withResolvers<void>();
  private isServing = false;
  /** Callers that wait until the thread has read what was posted before, oldest first. */
  private readonly catchingUp: (() => void)[] = [];
  private readonly ended = Promise.withResolvers<NodeError>();

  /** Settles when the thread ends by itself, and with it all answers. */
  readonly broken = this.ended.promise;

  private readonly host = new ChainHost((message) => this.post(message));

  /** Starts the thread: the chain need not wait for it. */
  start(): void {
    const worker = new Worker(workerUrl("devnet/planes.worker.ts"));
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromPlanes>) => {
      if (data.kind === "call") this.host.receive(data);
      else if (data.kind === "feed") this.outlet?.receive(data.order);
      else setImmediate(() => this.settle(data));
    };
    worker.onerror = (event) => {
      const message = `the thread that answers HTTP stopped: ${threadReason(event.message)}`;
      const error = new NodeError("devnet.planes", "planes_failed", message);
      this.listening.reject(error);
      this.ended.resolve(error);
      this.over();
    };
    // The call that serves awaits it; `broken` reports a later failure.
    this.listening.promise.catch(() => {});
  }

  /** The chain's side of the thread. */
  get chainOptions() {
    return { checkTransaction: this.host.checkTransaction, onHalt: () => this.host.postStatus() };
  }

  /** Listens on all ports. @throws NodeError when one is in use; then on none */
  serve(chain: DevnetPort, options: ThreadOptions): Promise<PlaneAddresses> {
    this.host.serve(chain);
    this.isServing = true;
    this.post({ kind: "serve", options });
    return this.listening.promise;
  }

  /** Events for the streams of that thread. */
  connectFeed(feed: EventFeed): void {
    this.outlet = new FeedOutlet(feed, (message) => this.post({ kind: "feed", message }));
  }

  /** To be called after the chain was reverted, or replaced. */
  renewContext(parties: PartiesChoice): void {
    this.post({ kind: "renewContext", parties });
  }

  /** Settles when the thread answers for every block that was made before the call, or has ended. */
  caughtUp(): Promise<void> {
    if (!this.isServing) return Promise.resolve();
    return new Promise((resolve) => {
      this.catchingUp.push(resolve);
      this.post({ kind: "catchUp" });
    });
  }

  /**
   * Callers go on outside of the worker's message handler: within it no further message arrives while they block, as
   * `await expect(...).rejects` of `bun test` does.
   */
  private settle(data: Exclude<FromPlanes, { kind: "call" | "feed" }>): void {
    if (data.kind === "listening") this.listening.resolve(data);
    else if (data.kind === "failed") this.listening.reject(errorOf(data.error));
    else if (data.kind === "caughtUp") this.catchingUp.shift()?.();
    else this.over();
  }

  private over(): void {
    this.isServing = false;
    for (const resolve of this.catchingUp.splice(0)) resolve();
    this.stopped.resolve();
  }

  async close(): Promise<void> {
    this.outlet?.close();
    this.post({ kind: "stop" });
    // Blocks are announced: requests under way may wait for one.
    if (this.worker) await Promise.race([this.stopped.promise, Bun.sleep(STOP_MS)]);
    this.host.close();
    this.end();
  }

  /** Ends the thread as it stands. */
  end(): void {
    this.over();
    this.worker?.terminate();
  }

  private post(message: ToPlanes): void {
    this.worker?.postMessage(message);
  }
}

const NO_MEMPOOL: ChainStatus["mempool"] = { count: 0, bytes: 0 };

/** Runs the calls of the HTTP thread (remote-chain.ts), and posts the status after every block. */
export class ChainHost {
  private chain: DevnetPort | undefined;
  /** Signature verdict of the HTTP thread, which the chain trusts. */
  private readonly signatures = new WeakMap<Uint8Array, SignatureFinding>();
  private stopListening: (() => void) | undefined;

  constructor(private readonly post: (message: ChainMessage) => void) {}

  /** For the chain's options: verifies signatures that the HTTP thread has not verified. */
  readonly checkTransaction = (bytes: Uint8Array, chainId: string, hash: string): Verdict => {
    const signature = this.signatures.get(bytes) ?? "unknown";
    if (signature === "unknown") return checkTransaction(bytes, chainId);
    const transaction = readTrusted(bytes, hash);
    // Refused before the signature matters.
    if (transaction instanceof PropertyErrors) return checkTransaction(bytes, chainId);
    return signature === "valid" ? { ok: true, transaction } : INVALID_SIGNATURE;
  };

  serve(chain: DevnetPort): void {
    this.stopListening = chain.onBlock((status) => this.post({ kind: "status", status }));
    this.chain = chain;
    this.postStatus();
  }

  /** Posts the status after a change without a block: the chain has halted or resumed. */
  postStatus(): void {
    if (this.chain !== undefined) this.post({ kind: "status", status: this.chain.status });
  }

  receive(message: CallMessage): void {
    const { id } = message;
    this.run(message).then(
      (value) => this.post({ kind: "answer", id, value, mempool: this.mempool }),
      (error) => this.post({ kind: "answer", id, error: errorText(error), mempool: this.mempool }),
    );
  }

  close(): void {
    this.stopListening?.();
  }

  private get mempool(): ChainStatus["mempool"] {
    return this.chain?.status.mempool ?? NO_MEMPOOL;
  }

  private async run({ method, values, signature }: CallMessage): Promise<unknown> {
    const { chain } = this;
    if (chain === undefined) throw notStarted();
    if (signature !== undefined) this.signatures.set(values[0] as Uint8Array, signature);
    const isOfBridge = method.startsWith("bridge.");
    const target = isOfBridge ? chain.bridge : chain;
    const name = isOfBridge ? method.slice("bridge.".length) : method;
    type Call = (...given: readonly unknown[]) => Promise<unknown>;
    return (target as unknown as Record<string, Call>)[name]!.apply(target, [...values]);
  }
}
