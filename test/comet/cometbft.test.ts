// The follower against a real CometBFT node; both lines: scripts/comet-interop.ts.
import { expect, test } from "bun:test";
import { cometProgram, followKvstore } from "../rig/cometbft.ts";

const program = cometProgram();
const hasProgram = program !== undefined;
if (!hasProgram)
  console.log(
    "SKIPPED: no cometbft on the path (GOBIN=DIR go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.17), so no real node is followed here",
  );

if (!hasProgram) test.skip("a real CometBFT node is followed", () => {});
else
  test("a real CometBFT node is followed, through transactions that it alone can read and a restart", async () => {
    const { height, restartedAt } = await followKvstore(program!);
    expect(height).toBeGreaterThan(restartedAt);
  }, 120_000);
