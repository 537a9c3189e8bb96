// Handing a transaction over to a consensus engine that is away: the error names it, and says whether anything was sent.
import { expect, test } from "bun:test";
import { CometUnreachable } from "../../src/comet/client.ts";
import { handOver } from "../../src/comet/hand-over.ts";

const engine = "the consensus engine at http://127.0.0.1:26657";
const failing = (reason: string) => ({ submit: () => Promise.reject(new CometUnreachable(reason)) });

test("an engine that does not run is named, and nothing was sent", async () => {
  await expect(
    handOver([failing("ECONNREFUSED")], new Uint8Array(1), undefined, engine),
  ).rejects.toMatchObject({
    code: "stopped",
    message: `${engine} cannot be asked: ECONNREFUSED; nothing was sent`,
  });
});

test("an engine whose answer was lost may have the transaction", async () => {
  await expect(handOver([failing("ECONNRESET")], new Uint8Array(1), undefined, engine)).rejects.toMatchObject(
    {
      message: `${engine} cannot be asked: ECONNRESET`,
    },
  );
});
