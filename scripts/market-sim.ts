// The published Python client of the network's market simulator (`vega-sim` on PyPI) runs a session against a devnet: its own
// stubs, service and live cache propose a market, provide liquidity, trade, read back, transfer, vote and settle over gRPC.
// Each of its checks is in market-sim.py.
//
//   bun scripts/market-sim.ts [--binary PATH]
//
// The packages come from PyPI into a temporary folder: they are not part of the project. Where they cannot be had, a line says
// so. Exit code 1 for a fault.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { RunningDevnet } from "../test/rig/devnet-process.ts";
import { Scratch } from "../test/rig/homes.ts";
import { PROGRAM } from "../test/rig/lyra.ts";

const CLIENT = "vega-sim==1.2.1";
/** What the session needs of the client's dependencies; the rest is for learning agents and notebooks. */
const NEEDED = (
  "grpcio protobuf googleapis-common-protos protoc-gen-openapiv2 requests toml PyNaCl inflection " +
  "pandas numpy scipy plotly python-dotenv deprecated psutil docker"
).split(" ");
/** The client's proposals have an opening auction of ten seconds, and a single voter of many. */
const PARAMETERS = {
  "market.auction.minimumDuration": "1s",
  "governance.proposal.market.requiredParticipation": "0.00001",
  "governance.proposal.updateNetParam.requiredParticipation": "0.00001",
};
const TOOLS_MS_MAX = 300_000;

const { values } = parseArgs({ options: { binary: { type: "string" } } });
const program = values.binary === undefined ? PROGRAM : [resolve(values.binary)];
const scratch = new Scratch("market-sim");
const python = join(scratch.folder, "venv/bin/python");

function succeeds(...words: string[]): boolean {
  const { exitCode } = Bun.spawnSync(words, { stdout: "ignore", stderr: "ignore", timeout: TOOLS_MS_MAX });
  return exitCode === 0;
}

function hasClient(): boolean {
  const install = [python, "-m", "pip", "install", "-q"];
  return (
    Bun.which("python3") !== null &&
    succeeds("python3", "-m", "venv", join(scratch.folder, "venv")) &&
    succeeds(...install, ...NEEDED) &&
    succeeds(...install, "--no-deps", CLIENT)
  );
}

async function session(): Promise<number> {
  const devnet = new RunningDevnet({
    home: scratch.path("home"),
    block: "1s",
    parameters: PARAMETERS,
    words: ["--grpc-node-port", "0", "--grpc-data-port", "0"],
    program,
  });
  try {
    const file = join(scratch.folder, "addresses.json");
    writeFileSync(file, JSON.stringify(await devnet.listening()));
    const words = [python, join(import.meta.dir, "market-sim.py"), file];
    const { exited } = Bun.spawn(words, { stdout: "inherit", stderr: "inherit", timeout: TOOLS_MS_MAX });
    return await exited;
  } finally {
    await devnet.stop();
  }
}

try {
  if (hasClient()) process.exitCode = await session();
  else console.log(`skipped: ${CLIENT} (python3, pip or a package cannot be had)`);
} finally {
  scratch.remove();
}
