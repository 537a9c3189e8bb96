// Signatures on every core: the same verdicts as one after the other, from one to more than there is room for.
import { afterEach, describe, expect, test } from "bun:test";
import { SignatureBoard } from "../../../src/chain/admission/verifier/signature-board.ts";
import { SignatureVerifier, type VerifierOptions } from "../../../src/chain/admission/verifier/verifier.ts";
import { ed25519KeyPair, ed25519Verify } from "../../../src/crypto/ed25519.ts";

const THREADS = 2;
/** Twice the places of the ring. */
const FLOOD = 8_192;
const WAIT_MS = 5_000;
const FIRST = 2 ** 31 - 50;

const pairs = Array.from({ length: 20 }, (_, n) => ed25519KeyPair(new Uint8Array(32).fill(n + 1)));

interface Claim {
  readonly publicKey: Uint8Array;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
  readonly isValid: boolean;
}

/** Some of them are wrong, each in another way. */
const claims: readonly Claim[] = Array.from({ length: 500 }, (_, n) => {
  const pair = pairs[n % pairs.length]!;
  const digest = new Uint8Array(new Bun.CryptoHasher("sha256").update(String(n)).digest());
  const signature = new Uint8Array(pair.sign(digest));
  if (n % 7 === 1) signature[n % 64]! ^= 1;
  if (n % 7 === 2) digest[n % 32]! ^= 128;
  const publicKey = n % 7 === 3 ? pairs[(n + 1) % pairs.length]!.publicKey : pair.publicKey;
  return { publicKey, digest, signature, isValid: ![1, 2, 3].includes(n % 7) };
});
const expected = claims.map(({ isValid }) => isValid);

/** A thread that says it is there, and never answers. */
class SilentWorker {
  onmessage: ((event: { data: unknown }) => void) | undefined;
  onerror: ((event: { preventDefault(): void }) => void) | undefined;
  isTerminated = false;

  postMessage(): void {
    this.onmessage?.({ data: "awake" });
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

const open: SignatureVerifier[] = [];
const verifierOf = (options: VerifierOptions) => {
  const verifier = new SignatureVerifier(options);
  open.push(verifier);
  return verifier;
};
afterEach(() => {
  for (const verifier of open.splice(0)) verifier.close();
});

const verifyAll = (verifier: SignatureVerifier, list: readonly Claim[] = claims) =>
  Promise.all(list.map(({ publicKey, digest, signature }) => verifier.verify(publicKey, digest, signature)));

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error("it did not happen in time");
    await Bun.sleep(5);
  }
}

async function withCrew(options: VerifierOptions = {}): Promise<SignatureVerifier> {
  const verifier = verifierOf({ threads: THREADS, ...options });
  await verifyAll(verifier);
  await until(() => verifier.threadCount === THREADS);
  return verifier;
}

test("the claims are what they say", () => {
  const verdicts = claims.map(({ publicKey, digest, signature }) =>
    ed25519Verify(publicKey, digest, signature),
  );
  expect(verdicts).toEqual(expected);
});

describe("a verifier", () => {
  test("verifies a few without threads of its own", async () => {
    const verifier = verifierOf({ threads: THREADS });
    expect(await verifyAll(verifier, claims.slice(0, 20))).toEqual(expected.slice(0, 20));
    expect(verifier.threadCount).toBe(0);
  });

  test("without any threads it verifies a crowd too", async () => {
    const verifier = verifierOf({ threads: 0 });
    expect(await verifyAll(verifier)).toEqual(expected);
    expect(verifier.threadCount).toBe(0);
  });

  test("begins its threads with a crowd, and they agree", async () => {
    const verifier = await withCrew();
    for (let round = 0; round < 5; round++) expect(await verifyAll(verifier)).toEqual(expected);
  });

  test("one at a time, they answer too", async () => {
    const verifier = await withCrew();
    for (const claim of claims.slice(0, 30))
      expect(await verifyAll(verifier, [claim])).toEqual([claim.isValid]);
  });

  test("takes more than its ring has room for", async () => {
    const verifier = await withCrew();
    const flood = Array.from({ length: FLOOD }, (_, n) => claims[n % claims.length]!);
    expect(await verifyAll(verifier, flood)).toEqual(flood.map(({ isValid }) => isValid));
  });

  test("a signature or a digest of another length goes the way of the few; a key of another length is an error", async () => {
    const verifier = await withCrew();
    const { publicKey, digest, signature } = claims[0]!;
    expect(await verifier.verify(publicKey, digest, signature.subarray(1))).toBe(false);
    const text = Buffer.from("a message of another length than a digest");
    expect(await verifier.verify(pairs[0]!.publicKey, text, pairs[0]!.sign(text))).toBe(true);
    const failure = await verifier.verify(publicKey.subarray(1), digest, signature).catch((error) => error);
    expect(failure).toBeInstanceOf(RangeError);
  });

  test("what waits when it is closed is answered all the same, and what comes later", async () => {
    const verifier = await withCrew();
    const waiting = verifyAll(verifier);
    verifier.close();
    expect(verifier.threadCount).toBe(0);
    expect(await waiting).toEqual(expected);
    expect(await verifyAll(verifier)).toEqual(expected);
    expect(verifier.threadCount).toBe(0);
  });

  test("what a thread had that broke is answered all the same, and no other thread is begun", async () => {
    const real = globalThis.Worker;
    const fakes: SilentWorker[] = [];
    globalThis.Worker = class extends SilentWorker {
      constructor() {
        super();
        fakes.push(this);
      }
    } as unknown as typeof Worker;
    try {
      const verifier = verifierOf({ threads: THREADS });
      const waiting = verifyAll(verifier);
      expect(verifier.threadCount).toBe(THREADS);
      await Bun.sleep(20);
      fakes[0]!.onerror?.({ preventDefault: () => {} });
      expect(await waiting).toEqual(expected);
      expect(await verifyAll(verifier)).toEqual(expected);
      expect([verifier.threadCount, fakes.length]).toEqual([0, THREADS]);
      expect(fakes.map(({ isTerminated }) => isTerminated)).toEqual([true, true]);
    } finally {
      globalThis.Worker = real;
    }
  });

  test("ends its threads when it has been quiet, and begins them again", async () => {
    const verifier = await withCrew({ quietMs: 100 });
    await until(() => verifier.threadCount === 0);
    expect(await verifyAll(verifier)).toEqual(expected);
    await until(() => verifier.threadCount === THREADS);
  });
});

describe("the board", () => {
  test("gives each claim to one taker, over the end of the numbers too", () => {
    const board = new SignatureBoard();
    const other = new SignatureBoard(board.memory);
    // Both counters stand shortly before the largest number of 32 bits.
    new Int32Array(board.memory, 0, 2).fill(FIRST);
    let place = FIRST;
    for (const claim of claims.slice(0, 100)) {
      board.put(place, claim.publicKey, claim.digest, claim.signature);
      place = (place + 1) | 0;
    }
    expect(place).toBeLessThan(0);
    board.publish(place, 1);
    const taken: number[] = [];
    for (let turn = 0; taken.length < 100; turn++) {
      const taker = turn % 2 === 0 ? board : other;
      const places = taker.take()!;
      taker.verify(places);
      for (let n = 0; n < places.count; n++) taken.push((places.first + n) | 0);
    }
    expect(taken).toEqual(Array.from({ length: 100 }, (_, n) => (FIRST + n) | 0));
    expect(taken.map((at) => board.isValid(at))).toEqual(expected.slice(0, 100));
    board.stop();
    expect(other.take()).toBeUndefined();
  });
});
