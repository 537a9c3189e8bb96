// Signatures verified by threads: the same verdicts as on the calling one, however many at once.
import { afterAll, describe, expect, test } from "bun:test";
import { SignatureVerifier } from "../src/admission/verifier/verifier.ts";
import { ed25519KeyPair } from "../src/crypto/ed25519.ts";

const keys = Array.from({ length: 5 }, (_, index) => ed25519KeyPair(new Uint8Array(32).fill(index + 1)));

/** Every third one is not signed by its key. */
function claims(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const digest = new Uint8Array(32).fill(index & 255);
    const signer = keys[index % keys.length]!;
    const isValid = index % 3 !== 0;
    const { publicKey } = isValid ? signer : keys[(index + 1) % keys.length]!;
    return { claim: { publicKey, digest, signature: signer.sign(digest) }, isValid };
  });
}

const verdicts = (verifier: SignatureVerifier, list: ReturnType<typeof claims>) =>
  Promise.all(list.map(({ claim }) => verifier.verify(claim)));

describe("the signature verifier", () => {
  const verifier = new SignatureVerifier(2);
  afterAll(() => verifier.close());

  test.each([1, 2, 3, 40, 700])(
    "given %p signatures at once, then each gets its own verdict",
    async (count) => {
      const list = claims(count);
      expect(await verdicts(verifier, list)).toEqual(list.map(({ isValid }) => isValid));
      // Once more, with the threads awake.
      expect(await verdicts(verifier, list)).toEqual(list.map(({ isValid }) => isValid));
    },
  );

  test("given a signature of another length, then it is not valid and the rest of the batch is not touched", async () => {
    const list = claims(50);
    // One whose last byte is zero, so that it would be whole again in a record filled with zeros.
    const digest = new Uint8Array(32);
    while (keys[0]!.sign(digest)[63] !== 0) digest[digest[0]! === 255 ? 1 : 0]!++;
    const whole = keys[0]!.sign(digest);
    const short = { publicKey: keys[0]!.publicKey, digest, signature: whole.subarray(0, 63) };
    const answers = await Promise.all([
      ...list.map(({ claim }) => verifier.verify(claim)),
      verifier.verify(short),
    ]);
    expect(answers).toEqual([...list.map(({ isValid }) => isValid), false]);
  });

  test("given an end while much is under way, then everything is still answered", async () => {
    const ending = new SignatureVerifier(1);
    const list = claims(300);
    await verdicts(ending, list.slice(0, 100));
    const answers = verdicts(ending, list);
    await new Promise((resolve) => setImmediate(resolve));
    ending.close();
    expect(await answers).toEqual(list.map(({ isValid }) => isValid));
  });
});
