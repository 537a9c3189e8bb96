// The files of `lyra testnet files` as they are run on several machines, in four folders of this one: the first two by their
// systemd units, the others by their Compose files. Then a machine is lost and its validator rebuilt from the backup of its
// keys, a further node joins by a snapshot, both with the history of another, and all agree on an upgrade. After each step all have
// the same hashes, rows, segments and exports.
//
//   bun scripts/machines-rig.ts [--cometbft PATH] [--keep]
//
// Where the consensus engine is missing nothing is tried, and the exit code is 0. Exit code 1 when a step fails.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemTimeNs } from "../src/devnet/clock.ts";
import { readGenesis } from "../src/engine/genesis.ts";
import { joinNetwork } from "../src/testnet/join.ts";
import { USUAL_PROGRAMS, writeMachines } from "../src/testnet/machines.ts";
import type { NetworkNode } from "../src/testnet/network.ts";
import { isFailure, Supervised } from "../src/testnet/pair.ts";
import { KEYS_FILE } from "../src/testnet/places.ts";
import { readKeys } from "../src/validator/key-file.ts";
import type { CommandInit } from "../src/wire/transaction.ts";
import { SOURCES } from "../test/rig/lyra.ts";
import { eventually } from "../test/support/eventually.ts";
import { expectSame } from "./testnet-rig/comparison.ts";
import {
  DIFFICULTY,
  dataUrlOf,
  heightOf,
  progress,
  reach,
  releaseWords,
  SEGMENT_WORDS,
} from "./testnet-rig/network.ts";
import { send, signed, tipOf } from "./testnet-rig/transactions.ts";

const { values } = parseArgs({
  options: { cometbft: { type: "string" }, keep: { type: "boolean", default: false } },
});
const cometbft = values.cometbft ?? process.env.LYRA_COMETBFT ?? Bun.which("cometbft") ?? undefined;
if (cometbft === undefined || Bun.which(cometbft) === null) {
  console.log(
    "skipped: no consensus engine (go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.26; LYRA_COMETBFT=PATH)",
  );
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "lyra-machines-"));
const net = join(folder, "net");
/** Beside networks that have the usual ports; the highest port is below those that the system gives to any process. */
const PORT_SHIFT = 200 + 100 * (process.pid % 50);
/** Blocks after which state sync has a snapshot for sure. */
const SNAPSHOT_HEIGHT = 215;
const NEXT_RELEASE = "v0.72.0";
const lines: string[] = [];

type Role = "chain" | "engine" | "ethereum";

/** A validator's processes on its machine. */
class Machine {
  readonly node: NetworkNode & { readonly home: string };
  private readonly running = new Map<Role, Supervised>();

  constructor(
    node: NetworkNode,
    private readonly by: "systemd" | "compose",
  ) {
    this.node = { ...node, home: join(net, node.name, "lyra") };
  }

  /** While it runs: to stop its time. */
  get engine(): Supervised {
    return this.running.get("engine")!;
  }

  get place(): string {
    return join(net, this.node.name);
  }

  start(lyra: readonly string[] = SOURCES): void {
    const words = this.by === "systemd" ? this.unitWords() : this.composeWords();
    for (const [role, [program, ...rest]] of words) {
      const isEngine = role === "engine";
      if (!isEngine && program !== USUAL_PROGRAMS.lyra) throw new Error(`${role} runs ${program}`);
      const command = [
        ...(isEngine ? [cometbft!] : lyra),
        ...rest,
        ...(role === "chain" ? SEGMENT_WORDS : []),
      ];
      const log = join(folder, `${this.node.name}-${role}.log`);
      const supervised = new Supervised(command, log, {
        onLine: (line) => isFailure(line) && lines.push(`${this.node.name} ${role}: ${line}`),
        onEnded: (how) => lines.push(`${this.node.name} ${role}: ended (${how})`),
      });
      supervised.start();
      this.running.set(role, supervised);
    }
  }

  async stop(): Promise<void> {
    // The engine first, as units and Compose do.
    for (const each of this.ending().reverse()) await each.stop();
  }

  /** As when its machine is gone. */
  async kill(): Promise<void> {
    await Promise.all(this.ending().map((each) => each.stop("SIGKILL")));
  }

  /** In the order of their starts. */
  private ending(): Supervised[] {
    const all = [...this.running.values()];
    this.running.clear();
    return all;
  }

  private unitWords(): [Role, string[]][] {
    const units = { chain: "", engine: "-engine", ethereum: "-ethereum" } as const;
    return (Object.keys(units) as Role[]).flatMap((role): [Role, string[]][] => {
      const unit = join(this.place, `lyra-${this.node.name}${units[role]}.service`);
      if (!Bun.file(unit).size) return [];
      return [[role, /^ExecStart=(.*)$/m.exec(readFileSync(unit, "utf8"))![1]!.split(" ")]];
    });
  }

  private composeWords(): [Role, string[]][] {
    const text = readFileSync(join(this.place, "docker-compose.yml"), "utf8");
    const { services } = Bun.YAML.parse(text) as {
      services: Record<Role, { entrypoint: string[]; command: string[] }>;
    };
    return Object.entries(services).map(([role, { entrypoint, command }]) => [
      role as Role,
      [...entrypoint, ...command],
    ]);
  }
}

/** As its operator does it before the first start: the rows before the snapshot. */
async function fetchHistory({ node }: Machine, from: Machine): Promise<void> {
  const words = ["history", "fetch", "--from", dataUrlOf(from, ""), "--home", node.home, "--quiet"];
  const child = Bun.spawn([...SOURCES, ...words], { stdout: "ignore", stderr: "pipe" });
  const text = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`lyra history fetch: ${text}`);
}

/** Whether a validator's signature is in the newest commit. */
async function isSigning(witness: Machine, address: string): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${witness.node.rpcPort}/commit`);
  const { result } = (await answer.json()) as {
    result: { signed_header: { commit: { signatures: { validator_address: string }[] } } };
  };
  return result.signed_header.commit.signatures.some(
    ({ validator_address }) => validator_address === address,
  );
}

/** A validator's command, signed with the key in its file. */
async function sendCommand(machine: Machine, command: CommandInit): Promise<void> {
  const genesis = readGenesis(readFileSync(join(net, "genesis.json"), "utf8"));
  const key = readKeys(join(machine.place, KEYS_FILE), genesis).vega(1);
  const { success, log } = await send(machine, signed(command, { key }, await tipOf(machine)), "TYPE_COMMIT");
  if (!success) throw new Error(`a command of ${machine.node.name} was refused: ${log}`);
}

const began = performance.now();
const note = (text: string) => console.log(`${((performance.now() - began) / 1_000).toFixed(0)} s: ${text}`);
const machines: Machine[] = [];

async function run(): Promise<void> {
  const hosts = ["oslo", "bern", "rome", "bonn"].map((name) => ({ name, address: "127.0.0.1" }));
  const network = await writeMachines({
    ...{ out: net, hosts, places: net, pace: "200ms", isFunded: true, nowNs: systemTimeNs() },
    ...{ portShift: PORT_SHIFT, parameters: { "spam.pow.difficulty": String(DIFFICULTY) } },
  });
  for (const [at, node] of network.nodes.entries())
    machines.push(new Machine(node, at < 2 ? "systemd" : "compose"));
  for (const machine of machines) machine.start();
  await reach(machines, 5);
  await expectSame(machines);
  note("four validators make blocks, two by their units and two by their Compose files");

  const lost = machines[2]!;
  const backup = join(folder, "backup");
  mkdirSync(backup, { mode: 0o700 });
  for (const file of [
    KEYS_FILE,
    "consensus/config/priv_validator_key.json",
    "consensus/config/node_key.json",
  ])
    cpSync(join(lost.place, file), join(backup, file.split("/").at(-1)!));
  const { address } = JSON.parse(readFileSync(join(backup, "priv_validator_key.json"), "utf8"));
  const others = machines.filter((machine) => machine !== lost);
  await reach(others, SNAPSHOT_HEIGHT);
  await lost.kill();
  rmSync(lost.place, { recursive: true });
  await progress(others, 5);
  if (await isSigning(others[0]!, address)) throw new Error("a lost validator signs");
  const joined = await joinNetwork({
    ...{ network: join(net, "oslo"), out: net, name: "rome", keys: backup, places: net },
  });
  if (joined.trusted === undefined) throw new Error("it takes no snapshot");
  await fetchHistory(lost, others[0]!);
  lost.start();
  await progress(machines, 5);
  await expectSame(machines);
  await eventually(() => isSigning(others[0]!, address), "the rebuilt validator signs");
  note(
    `a lost validator is rebuilt from its keys, by a snapshot checked against block ${joined.trusted.height}`,
  );

  const further = await joinNetwork({
    ...{ network: net, out: net, name: "kyiv", address: "127.0.0.1", places: net },
  });
  const reader = new Machine(further.node, "systemd");
  await fetchHistory(reader, lost);
  reader.start();
  machines.push(reader);
  await progress(machines, 3);
  await expectSame(machines);
  note("a fifth node follows");

  const last = (await heightOf(others[0]!)) + 40;
  for (const machine of [...others, lost])
    await sendCommand(machine, {
      kind: "protocolUpgradeProposal",
      payload: { upgradeBlockHeight: BigInt(last), vegaReleaseTag: NEXT_RELEASE },
    });
  await reach(machines, last);
  await eventually(async () => {
    const readyz = await fetch(`http://127.0.0.1:${reader.node.dataPort}/readyz`);
    return (await readyz.text()).includes("upgrade");
  }, "a node that stands says why");
  note(`all stand behind block ${last}`);
  const next = releaseWords(NEXT_RELEASE);
  for (const machine of machines) await machine.stop();
  for (const machine of machines) machine.start(next);
  await reach(machines, last + 5);
  await expectSame(machines);
  note("the next release goes on");
}

let failure: unknown;
try {
  await run();
} catch (error) {
  failure = error;
  console.log(`FAILED: ${(error as Error).message}`);
  for (const line of lines.slice(-15)) console.log(`   ${line.slice(0, 300)}`);
} finally {
  await Promise.all(machines.map((machine) => machine.stop()));
  if (values.keep) console.log(folder);
  else rmSync(folder, { recursive: true, force: true });
}
process.exit(failure === undefined ? 0 : 1);
