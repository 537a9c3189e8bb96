// lyra testnet files: mistakes in its words.
import { expect, test } from "bun:test";
import { files } from "../../src/cli/testnet-files.ts";

test.each([
  ["oslo", "NAME=ADDRESS, and 'oslo' has no ="],
  ["=192.168.7.1", "'' is not a name"],
  ["oslo=", "'' is not an address"],
])("--machine %s is refused in words that name the mistake", async (machine, words) => {
  const values = { out: "/never/written", machine: [machine] };
  const refusal = async () => files.run({ values } as never);
  await expect(refusal()).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(words) });
});
