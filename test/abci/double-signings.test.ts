// Evidence of double signing in blocks: an error with the validator's name, a count, and a sentence for the one whose key it is.
import { expect, spyOn, test } from "bun:test";
import { DoubleSignings } from "../../src/abci/double-signings.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const ROME = "0a".repeat(20);
const NAMES: Readonly<Record<string, string>> = { [ROME]: "rome\u001b[2J" };

const evidence = (address: string, height: bigint) => ({
  ...{ type: 1, height, time: undefined, totalVotingPower: 4n },
  validator: { address: Uint8Array.fromHex(address), power: 1n },
});

function noted(ageMs: number) {
  const signings = new DoubleSignings({ nameAt: (address) => NAMES[address] }, () => NOW_MS);
  const lines = spyOn(process.stderr, "write").mockImplementation(() => true);
  try {
    signings.note(829, NOW_MS - ageMs, [evidence(ROME, 828n), evidence("0b".repeat(20), 827n)]);
    return { signings, lines: lines.mock.calls.map(([text]) => JSON.parse(String(text))) };
  } finally {
    lines.mockRestore();
  }
}

test("evidence is an error that names the validator, and the question for its operator", () => {
  const { signings, lines } = noted(1_000);
  expect(lines).toMatchObject([
    {
      level: "error",
      code: "signed_twice",
      message: `block 829 has evidence that rome??2J (${ROME}) signed twice at block 828`,
      hint: "do two machines have its priv_validator_key.json? Stop one of them now",
    },
    { level: "error", message: expect.stringContaining("a validator that the chain does not have") },
  ]);
  expect(signings.report("0c".repeat(20))).toEqual({ count: 2, own: undefined });
  expect(signings.report(ROME).own).toEndWith("at block 828: does another machine have its key?");
});

test("evidence in a block of the past, which a rebuilt node executes, is no alarm", () => {
  const { signings, lines } = noted(3_600_001);
  expect(lines.map(({ level }) => level)).toEqual(["info", "info"]);
  expect(signings.report(ROME)).toEqual({ count: 0, own: undefined });
});
