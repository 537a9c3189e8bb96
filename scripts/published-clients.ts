// Published Python clients of the network run a session each against a devnet of its own, over gRPC:
//
// - `vega-sim`, the network's market simulator: its own stubs, service and live cache propose a market, provide liquidity,
//   trade, read back, transfer, vote and settle;
// - `vega-python-sdk`: its own keys, signatures and proofs of work, more transactions than a block takes at the plain
//   difficulty, and every method that it has a stub for.
//
//   bun scripts/published-clients.ts [--binary PATH] [--only NAME]
//
// The packages come from PyPI into a temporary folder: they are not part of the project. Where they cannot be had, a line says
// so. Each check is in published/NAME.py. Exit code 1 for a fault.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { RunningDevnet } from "../test/rig/devnet-process.ts";
import { Scratch } from "../test/rig/homes.ts";
import { PROGRAM } from "../test/rig/lyra.ts";

interface PublishedClient {
  readonly name: string;
  readonly version: string;
  /** The session's share of the client's dependencies; the rest is for learning agents and notebooks. */
  readonly needed: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

const CLIENTS: readonly PublishedClient[] = [
  {
    name: "vega-sim",
    version: "1.2.1",
    needed:
      "grpcio protobuf googleapis-common-protos protoc-gen-openapiv2 requests toml PyNaCl inflection " +
      "pandas numpy scipy plotly python-dotenv deprecated psutil docker",
    // The client's proposals have an opening auction of ten seconds, and a single voter of many.
    parameters: {
      "market.auction.minimumDuration": "1s",
      "governance.proposal.market.requiredParticipation": "0.00001",
      "governance.proposal.updateNetParam.requiredParticipation": "0.00001",
    },
  },
  {
    name: "vega-python-sdk",
    version: "0.1.3",
    needed: "grpcio protobuf googleapis-common-protos protoc-gen-openapiv2 requests bip-utils",
  },
];
const TOOLS_MS_MAX = 300_000;

const { values } = parseArgs({ options: { binary: { type: "string" }, only: { type: "string" } } });
const program = values.binary === undefined ? PROGRAM : [resolve(values.binary)];
const scratch = new Scratch("published-clients");

function succeeds(...words: string[]): boolean {
  const { exitCode } = Bun.spawnSync(words, { stdout: "ignore", stderr: "ignore", timeout: TOOLS_MS_MAX });
  return exitCode === 0;
}

/** @returns the Python that has the client; undefined where it cannot be had */
function pythonWith({ name, version, needed }: PublishedClient): string | undefined {
  const folder = join(scratch.folder, name);
  const python = join(folder, "bin/python");
  const install = [python, "-m", "pip", "install", "-q"];
  const isThere =
    Bun.which("python3") !== null &&
    succeeds("python3", "-m", "venv", folder) &&
    succeeds(...install, ...needed.split(" ")) &&
    succeeds(...install, "--no-deps", `${name}==${version}`);
  return isThere ? python : undefined;
}

/** @returns the session's exit code */
async function session({ name, parameters = {} }: PublishedClient, python: string): Promise<number> {
  const devnet = new RunningDevnet({
    home: scratch.path(`home-${name}`),
    block: "1s",
    parameters,
    words: ["--grpc-node-port", "0", "--grpc-data-port", "0"],
    program,
  });
  try {
    const file = join(scratch.folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(await devnet.listening()));
    const words = [python, join(import.meta.dir, `published/${name}.py`), file];
    const { exited } = Bun.spawn(words, { stdout: "inherit", stderr: "inherit", timeout: TOOLS_MS_MAX });
    return await exited;
  } finally {
    await devnet.stop();
  }
}

try {
  const chosen = CLIENTS.filter(({ name }) => values.only === undefined || name === values.only);
  if (chosen.length === 0) throw new Error(`there is no client ${values.only}`);
  for (const client of chosen) {
    const python = pythonWith(client);
    if (python === undefined)
      console.log(`skipped: ${client.name} (python3, pip or a package cannot be had)`);
    else if ((await session(client, python)) !== 0) process.exitCode = 1;
  }
} finally {
  scratch.remove();
}
