/**
 * Verifies signatures on every core. Verification is five sixths of what a transaction costs before it is executed,
 * so a lone one is done at once on the calling thread, and many at once go to threads in batches; what the threads
 * cannot take soon enough the caller does itself.
 */
import { availableParallelism } from "node:os";
import { ED25519_SIGNATURE_BYTES, ed25519Verify } from "../../crypto/ed25519.ts";
import { workerUrl } from "../../worker-url.ts";
import { packClaims, type SignatureClaim } from "./batch.ts";
import type { VerifyAnswer, VerifyRequest } from "./verifier.worker.ts";

/** Signatures in a batch: a message costs as much as half a signature. */
const BATCH = 32;
/** Batches that a thread has before it: enough that it never waits for the next. */
const AHEAD = 2;
/** So many at once are not worth a message. */
const LONE = 2;

interface Waiting extends SignatureClaim {
  resolve(isValid: boolean): void;
}

export class SignatureVerifier {
  private readonly threads: Thread[] = [];
  private threadCount: number;
  private queue: Waiting[] = [];
  private isFlushing = false;

  /** @param threads besides the calling one; default: one for each further core. None are started before they are needed */
  constructor(threads: number = availableParallelism() - 1) {
    this.threadCount = threads;
  }

  /** Whether the key has signed the digest. */
  verify(claim: SignatureClaim): Promise<boolean> {
    const { publicKey, digest, signature } = claim;
    if (signature.length !== ED25519_SIGNATURE_BYTES) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.queue.push({ publicKey, digest, signature, resolve });
      // A whole batch need not wait until the caller has read the rest: a thread works on it meanwhile.
      if (this.queue.length >= BATCH) this.handOut(BATCH);
      if (this.isFlushing) return;
      this.isFlushing = true;
      // All that arrives in this turn of the event loop goes together.
      setImmediate(() => this.flush());
    });
  }

  /** Ends the threads; what they had before them is done on the calling one. */
  close(): void {
    this.threadCount = 0;
    for (const thread of this.threads.splice(0)) this.queue.push(...thread.end());
    this.flush();
  }

  private flush(): void {
    this.isFlushing = false;
    if (this.queue.length <= LONE) {
      this.verifyHere(this.queue.length);
      return;
    }
    this.start();
    this.handOut(1);
    // The threads have enough for now: the caller lends a hand, a batch a turn.
    this.verifyHere(Math.min(this.queue.length, BATCH));
    if (this.queue.length === 0) return;
    this.isFlushing = true;
    setImmediate(() => this.flush());
  }

  /** Gives the threads what they can take, in batches of so many at the least. */
  private handOut(least: number): void {
    for (const thread of this.threads) {
      while (this.queue.length >= least && thread.canTake) thread.take(this.queue.splice(0, BATCH));
    }
  }

  private verifyHere(count: number): void {
    for (const { publicKey, digest, signature, resolve } of this.queue.splice(0, count)) {
      resolve(ed25519Verify(publicKey, digest, signature));
    }
  }

  private start(): void {
    while (this.threads.length < this.threadCount) {
      try {
        this.threads.push(new Thread((lost) => this.lose(lost)));
      } catch {
        // No threads to be had here: everything is done on this one.
        this.threadCount = this.threads.length;
      }
    }
  }

  /** A thread that broke gives its work back, and is not replaced. */
  private lose(thread: Thread): void {
    const at = this.threads.indexOf(thread);
    if (at < 0) return;
    this.threads.splice(at, 1);
    this.threadCount = this.threads.length;
    this.queue.push(...thread.end());
    this.flush();
  }
}

class Thread {
  private readonly worker = new Worker(workerUrl("admission/verifier/verifier.worker.ts"));
  private readonly batches = new Map<number, Waiting[]>();
  private next = 0;
  private isAwake = false;

  constructor(onLost: (thread: Thread) => void) {
    // It must not keep the process alive; the type does not know this call of the runtime.
    (this.worker as Worker & { unref(): void }).unref();
    this.worker.onmessage = ({ data }: MessageEvent<VerifyAnswer>) => {
      this.isAwake = true;
      const waiting = this.batches.get(data.batch);
      this.batches.delete(data.batch);
      for (const [index, { resolve }] of (waiting ?? []).entries()) resolve(data.answers[index] === 1);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      onLost(this);
    };
  }

  /** A thread that is still waking up takes nothing: what waits for it would wait long. */
  get canTake(): boolean {
    return this.isAwake && this.batches.size < AHEAD;
  }

  take(claims: Waiting[]): void {
    const batch = this.next++;
    this.batches.set(batch, claims);
    const packed = packClaims(claims);
    this.worker.postMessage({ batch, packed } satisfies VerifyRequest, [packed.buffer]);
  }

  /** @returns what has not been answered */
  end(): Waiting[] {
    this.worker.terminate();
    return [...this.batches.values()].flat();
  }
}
