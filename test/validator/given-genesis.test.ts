// The file of --genesis, beside a home that has begun.
import { expect, test } from "bun:test";
import { devnetGenesisText } from "../../src/devnet/genesis.ts";
import { readGenesis } from "../../src/engine/genesis.ts";
import { checkGivenGenesis } from "../../src/validator/given-genesis.ts";
import { nodeRefusal } from "../support/node-refusal.ts";

const own = readGenesis(devnetGenesisText());
const refusalOf = (text: string) => nodeRefusal(() => checkGivenGenesis("/home", readGenesis(text), own));

test("a genesis of another network is refused, by name where the name differs", () => {
  expect(refusalOf(devnetGenesisText({ chainId: "other-1" }))).toMatchObject({
    ...{ code: "genesis_differs", exitCode: 2 },
    message: expect.stringContaining("is of other-1"),
  });
  expect(refusalOf(devnetGenesisText({ parameters: { "spam.pow.difficulty": "9" } })).message).toContain(
    "another genesis of",
  );
});

test("the genesis of the home is taken, however it is written", () => {
  const text = JSON.stringify(JSON.parse(devnetGenesisText()), undefined, 3);
  expect(() => checkGivenGenesis("/home", readGenesis(text), own)).not.toThrow();
});
