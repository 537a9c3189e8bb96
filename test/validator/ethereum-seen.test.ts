// A chain compares what it has seen of the simulated Ethereum with what that has.
import { expect, test } from "bun:test";
import { builtinTxHash } from "../../src/engine/banking.ts";
import { lostEvents } from "../../src/validator/ethereum-seen.ts";

const stateOf = (block: number, nonce: number) =>
  JSON.stringify({ blocks: { block: String(block) }, builtinNonce: String(nonce) });

/** A chain with deposits in these places. */
const chainWith = (places: readonly string[], linkedIn: readonly bigint[] = [], signedIn: bigint[] = []) =>
  ({
    banking: { actions: { seenPlaces: () => places } },
    staking: { acceptedLinkings: () => linkedIn.map((block) => ({ block })) },
    multisig: { known: () => ({ signers: signedIn.map((block) => ({ block })), threshold: undefined }) },
  }) as unknown as Parameters<typeof lostEvents>[1];

test.each([
  ["a deposit", chainWith(["erc20/12/0xaa/0"])],
  ["a stake", chainWith([], [12n])],
  ["a signer", chainWith([], [], [12n])],
])("an Ethereum before the block of %s is behind", (_, chain) => {
  expect(lostEvents(stateOf(11, 90), chain)).toBe("the chain has seen its block 12, and its last one is 11");
  expect(lostEvents(stateOf(12, 90), chain)).toBeUndefined();
});

test("an Ethereum before a deposit of a builtin asset is behind, though other events came between", () => {
  const chain = chainWith([`builtin/0/${builtinTxHash(9n)}/0`]);
  expect(lostEvents(stateOf(0, 4), chain)).toBe("the chain has seen its event 9, and its last one is 4");
  expect(lostEvents(stateOf(0, 9), chain)).toBeUndefined();
});

test("an Ethereum of a chain that has seen nothing is not behind", () => {
  expect(lostEvents(stateOf(0, 0), chainWith([]))).toBeUndefined();
});
