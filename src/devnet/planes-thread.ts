// The thread of planes.worker.ts, seen from the one that has the chain.
import type { DevnetPort } from "../engine/chain-port.ts";
import { NodeError, threadReason } from "../errors/node-error.ts";
import { workerUrl } from "../files/worker-url.ts";
import { ChainHost } from "./chain-host.ts";
import { errorOf } from "./chain-messages.ts";
import type { PlanesOptions } from "./planes.ts";
import type { FromPlanes, Listening, ToPlanes } from "./planes.worker.ts";

/** The thread gets this long to answer what it has begun. */
const STOP_MS = 1_500;

export interface PlaneAddresses {
  readonly node: Listening;
  readonly data: Listening;
  readonly faucet: Listening;
}

export class PlanesThread {
  private worker: Worker | undefined;
  private readonly listening = Promise.withResolvers<PlaneAddresses>();
  private readonly stopped = Promise.withResolvers<void>();
  private readonly ended = Promise.withResolvers<NodeError>();

  /** Settles when the thread ends by itself: nobody answers any more. */
  readonly broken = this.ended.promise;

  private readonly host = new ChainHost((message) => this.post(message));

  /** Starts the thread: the chain need not wait for it. */
  start(): void {
    const worker = new Worker(workerUrl("devnet/planes.worker.ts"));
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromPlanes>) => {
      if (data.kind === "call") this.host.receive(data);
      else if (data.kind === "listening") this.listening.resolve(data);
      else if (data.kind === "failed") this.listening.reject(errorOf(data.error));
      else this.stopped.resolve();
    };
    worker.onerror = (event) => {
      const message = `the thread that answers HTTP stopped: ${threadReason(event.message)}`;
      const error = new NodeError("devnet.planes", "planes_failed", message);
      this.listening.reject(error);
      this.ended.resolve(error);
      this.stopped.resolve();
    };
    // Whoever serves asks for it; a thread that fails later has nobody waiting here.
    this.listening.promise.catch(() => {});
  }

  /** What the chain that is served has to know. */
  get chainOptions() {
    return { checkTransaction: this.host.checkTransaction, onHalt: () => this.host.postStatus() };
  }

  /** Listens on all ports. @throws NodeError when one is in use; then on none */
  serve(chain: DevnetPort, options: Omit<PlanesOptions, "notReady">): Promise<PlaneAddresses> {
    this.host.serve(chain);
    this.post({ kind: "serve", options });
    return this.listening.promise;
  }

  /** The chain took blocks back. */
  renewContext(): void {
    this.post({ kind: "renewContext" });
  }

  async close(): Promise<void> {
    this.host.close();
    this.post({ kind: "stop" });
    if (this.worker) await Promise.race([this.stopped.promise, Bun.sleep(STOP_MS)]);
    this.end();
  }

  /** Ends the thread as it stands. */
  end(): void {
    this.worker?.terminate();
  }

  private post(message: ToPlanes): void {
    this.worker?.postMessage(message);
  }
}
