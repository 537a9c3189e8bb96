// Follows real CometBFT nodes with their built-in kvstore application, by the sidecar's follower.
//
//   bun scripts/comet-interop.ts [COMETBFT ...]
//
// Each argument is a `cometbft` program; without one those of the path. To install them:
//   0.38: GOBIN=DIR go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.17
//   0.34: in an empty module that requires github.com/tendermint/tendermint v0.34.29, replaced by
//         github.com/cometbft/cometbft v0.34.29: GOFLAGS=-mod=mod go build github.com/tendermint/tendermint/cmd/cometbft
// Exit code 1 when anything is wrong.
import { cometProgram, followKvstore } from "../test/rig/cometbft.ts";

const named = process.argv.slice(2);
const programs = named.length > 0 ? named : [cometProgram()].filter((path) => path !== undefined);
if (programs.length === 0) {
  console.log(
    "no cometbft on the path: GOBIN=DIR go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.17",
  );
  process.exit(1);
}
for (const program of programs) {
  const { version, height, txs, restartedAt } = await followKvstore(program);
  console.log(
    `CometBFT ${version}: ${height} blocks with ${txs} transactions followed, through a restart at ${restartedAt}`,
  );
}
