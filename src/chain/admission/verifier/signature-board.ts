// Signatures on their way between the thread that wants them verified and those that verify them: a ring in shared
// memory. A message for each would cost a fifth of what verifying it takes.
import {
  ED25519_KEY_BYTES,
  ED25519_SIGNATURE_BYTES,
  ed25519VerifySubmitted,
} from "../../../crypto/ed25519.ts";

/** Places of the ring; a power of two, because places are counted on and on and taken modulo it. */
export const PLACES = 4096;
export const DIGEST_BYTES = 32;
/** Taken at once by a thread: what it says of them afterwards is one message. */
export const BATCH_MAX = 32;

const CLAIM_BYTES = ED25519_KEY_BYTES + DIGEST_BYTES + ED25519_SIGNATURE_BYTES;
const DIGEST_AT = ED25519_KEY_BYTES;
const SIGNATURE_AT = ED25519_KEY_BYTES + DIGEST_BYTES;
// The words.
const PUBLISHED = 0;
const TAKEN = 1;
const STOPPED = 2;
/** Threads that wait for something to do. */
const IDLE = 3;
const WORD_BYTES = 4 * 4;

const VALID = 1;
const INVALID = 2;
/** A thread looks whether it is still wanted. */
const LOOK_UP_MS = 1_000;

/** Some places of the ring, one after the other: from `first`, which may be negative, because numbers wrap. */
export interface Places {
  readonly first: number;
  readonly count: number;
}

export class SignatureBoard {
  private readonly words: Int32Array;
  private readonly verdicts: Uint8Array;
  private readonly claims: Uint8Array;
  /** A claim of its own for a thread: nothing that is verified lies in memory that others write to. */
  private readonly own = new Uint8Array(CLAIM_BYTES);

  constructor(
    readonly memory: SharedArrayBuffer = new SharedArrayBuffer(WORD_BYTES + PLACES * (1 + CLAIM_BYTES)),
  ) {
    this.words = new Int32Array(memory, 0, WORD_BYTES / 4);
    this.verdicts = new Uint8Array(memory, WORD_BYTES, PLACES);
    this.claims = new Uint8Array(memory, WORD_BYTES + PLACES, PLACES * CLAIM_BYTES);
  }

  /** Index of a place. */
  static indexOf(place: number): number {
    return place & (PLACES - 1);
  }

  /** Writes a claim into a place that is free. It counts once it is published. */
  put(place: number, publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array): void {
    const at = SignatureBoard.indexOf(place) * CLAIM_BYTES;
    this.claims.set(publicKey, at);
    this.claims.set(digest, at + DIGEST_AT);
    this.claims.set(signature, at + SIGNATURE_AT);
  }

  /** Everything before this place may be taken; wakes so many threads. */
  publish(end: number, threads: number): void {
    Atomics.store(this.words, PUBLISHED, end);
    // Waking costs a call of the system even when nobody sleeps.
    if (Atomics.load(this.words, IDLE) > 0) Atomics.notify(this.words, PUBLISHED, threads);
  }

  isValid(place: number): boolean {
    return this.verdicts[SignatureBoard.indexOf(place)] === VALID;
  }

  /** Threads end when they have finished what they took. */
  stop(): void {
    Atomics.store(this.words, STOPPED, 1);
    Atomics.notify(this.words, PUBLISHED);
  }

  /** For a thread: takes the next claims, and waits for some. @returns undefined when it is stopped */
  take(): Places | undefined {
    for (;;) {
      if (Atomics.load(this.words, STOPPED) !== 0) return undefined;
      const first = Atomics.load(this.words, TAKEN);
      const end = Atomics.load(this.words, PUBLISHED);
      const ready = (end - first) | 0;
      if (ready <= 0) {
        Atomics.add(this.words, IDLE, 1);
        // Not at all when something was published since: that is looked at again.
        Atomics.wait(this.words, PUBLISHED, end, LOOK_UP_MS);
        Atomics.sub(this.words, IDLE, 1);
        continue;
      }
      const count = Math.min(BATCH_MAX, ready);
      if (Atomics.compareExchange(this.words, TAKEN, first, (first + count) | 0) === first) {
        return { first, count };
      }
    }
  }

  /** For a thread: verifies what it took. */
  verify({ first, count }: Places): void {
    for (let n = 0; n < count; n++) {
      const index = SignatureBoard.indexOf(first + n);
      this.verdicts[index] = this.verifyAt(index) ? VALID : INVALID;
    }
  }

  private verifyAt(index: number): boolean {
    const { own } = this;
    own.set(this.claims.subarray(index * CLAIM_BYTES, (index + 1) * CLAIM_BYTES));
    return ed25519VerifySubmitted(
      own.subarray(0, DIGEST_AT),
      own.subarray(DIGEST_AT, SIGNATURE_AT),
      own.subarray(SIGNATURE_AT),
    );
  }
}
