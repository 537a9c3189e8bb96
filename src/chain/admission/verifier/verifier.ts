/**
 * Verifies signatures on every core. Verification is five sixths of what a transaction costs before it is executed. A
 * few at a time go to the runtime's own pool of threads, one by one; when many wait, threads of this program's own
 * take them in batches, which costs a sixth less. They begin with the first crowd and end when there is none any more.
 */
import { availableParallelism } from "node:os";
import { ED25519_KEY_BYTES, ED25519_SIGNATURE_BYTES, ed25519VerifyAsync } from "../../../crypto/ed25519.ts";
import { workerUrl } from "../../../files/worker-url.ts";
import { BATCH_MAX, DIGEST_BYTES, PLACES, SignatureBoard } from "./signature-board.ts";
import type { FromVerifier } from "./verifier.worker.ts";

/** So many that wait at once are a crowd. */
const CROWD = 64;
/** Without a crowd for so long the threads end. */
const QUIET_MS = 10_000;
const THREADS_MAX = 8;

export interface VerifierOptions {
  /** Threads of its own; none is needed with a single core. */
  readonly threads?: number;
  readonly quietMs?: number;
}

/** A signature's claim: that the key has signed the digest. */
interface Claim {
  readonly publicKey: Uint8Array;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

interface Waiting {
  readonly claim: Claim;
  resolve(isValid: boolean | Promise<boolean>): void;
}

export class SignatureVerifier {
  private readonly threads: number;
  private readonly quietMs: number;
  /** Verified on the runtime's pool. */
  private alone = 0;
  private crew: Crew | undefined;
  private quiet: ReturnType<typeof setTimeout> | undefined;
  private hadCrowd = false;
  /** No more threads: it is closed, or one of them broke. */
  private isAlone = false;

  constructor({ threads = threadsOf(availableParallelism()), quietMs = QUIET_MS }: VerifierOptions = {}) {
    this.threads = threads;
    this.quietMs = quietMs;
  }

  /** Threads of its own that are at work now. */
  get threadCount(): number {
    return this.crew?.awake ?? 0;
  }

  /**
   * Whether the key has signed the digest, which is 32 bytes; what is given must stay as it is meanwhile.
   * @returns rejected with a RangeError for a key of another length
   */
  verify(publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): Promise<boolean> {
    const { crew } = this;
    const isUsual =
      publicKey.length === ED25519_KEY_BYTES &&
      digest.length === DIGEST_BYTES &&
      signature.length === ED25519_SIGNATURE_BYTES;
    if (isUsual && crew?.hasRoom) {
      if (crew.size >= CROWD) this.hadCrowd = true;
      return new Promise((resolve) => crew.take({ claim: { publicKey, digest, signature }, resolve }));
    }
    return this.verifyAlone(publicKey, digest, signature);
  }

  /** Ends the threads; what they had before them is verified all the same. */
  close(): void {
    this.isAlone = true;
    this.dismiss();
  }

  private async verifyAlone(...claim: [Uint8Array, Uint8Array, Uint8Array]): Promise<boolean> {
    if (++this.alone >= CROWD) this.gather();
    try {
      return await ed25519VerifyAsync(...claim);
    } finally {
      this.alone--;
    }
  }

  private gather(): void {
    this.hadCrowd = true;
    if (this.crew !== undefined || this.isAlone || this.threads === 0) return;
    this.crew = new Crew(this.threads, () => this.close());
    this.quiet = setInterval(() => this.lookAround(), this.quietMs);
    this.quiet.unref();
  }

  private lookAround(): void {
    if (!this.hadCrowd) this.dismiss();
    this.hadCrowd = false;
  }

  private dismiss(): void {
    clearInterval(this.quiet);
    const { crew } = this;
    this.crew = undefined;
    for (const { claim, resolve } of crew?.end() ?? []) {
      resolve(this.verifyAlone(claim.publicKey, claim.digest, claim.signature));
    }
  }
}

function threadsOf(cores: number): number {
  return cores < 2 ? 0 : Math.min(cores, THREADS_MAX);
}

/** The threads of verifier.worker.ts, and what they have before them. */
class Crew {
  /** Threads that have said that they are there. */
  awake = 0;
  /** Claims that are not answered. */
  size = 0;
  private readonly board = new SignatureBoard();
  private readonly workers: Worker[] = [];
  private readonly waiting: (Waiting | undefined)[] = new Array(PLACES).fill(undefined);
  private next = 0;
  private published = 0;
  private isFlushing = false;

  /** @param onLost told when a thread broke: what it had is not known, so it is the end of them all */
  constructor(
    private readonly threads: number,
    private readonly onLost: () => void,
  ) {
    for (let n = 0; n < threads; n++) this.start();
  }

  /** Whether one more can be taken now. */
  get hasRoom(): boolean {
    return this.awake > 0 && this.waiting[SignatureBoard.indexOf(this.next)] === undefined;
  }

  take(waiting: Waiting): void {
    const { publicKey, digest, signature } = waiting.claim;
    this.waiting[SignatureBoard.indexOf(this.next)] = waiting;
    this.board.put(this.next, publicKey, digest, signature);
    this.next = (this.next + 1) | 0;
    this.size++;
    // A whole batch need not wait until the caller has read the rest: a thread works on it meanwhile.
    if (((this.next - this.published) | 0) >= BATCH_MAX) this.publish(1);
    else if (!this.isFlushing) {
      this.isFlushing = true;
      // All that arrives in this turn of the event loop goes together.
      setImmediate(() => {
        this.isFlushing = false;
        if (this.next !== this.published) this.publish(this.threads);
      });
    }
  }

  /** @returns what has not been answered */
  end(): Waiting[] {
    this.board.stop();
    for (const worker of this.workers) worker.terminate();
    const left = this.waiting.filter((waiting) => waiting !== undefined);
    this.waiting.fill(undefined);
    return left;
  }

  private start(): void {
    let worker: Worker;
    try {
      worker = new Worker(workerUrl("chain/admission/verifier/verifier.worker.ts"));
    } catch {
      // No more threads to be had here: the others do it.
      return;
    }
    this.workers.push(worker);
    worker.onmessage = ({ data }: MessageEvent<FromVerifier>) => {
      if (data === "awake") this.awake++;
      else this.answer(data.first, data.count);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.onLost();
    };
    worker.postMessage(this.board.memory);
  }

  private publish(threads: number): void {
    this.published = this.next;
    this.board.publish(this.next, threads);
  }

  private answer(first: number, count: number): void {
    for (let n = 0; n < count; n++) {
      const place = first + n;
      const index = SignatureBoard.indexOf(place);
      const waiting = this.waiting[index];
      if (waiting === undefined) continue;
      const isValid = this.board.isValid(place);
      this.waiting[index] = undefined;
      this.size--;
      waiting.resolve(isValid);
    }
  }
}
