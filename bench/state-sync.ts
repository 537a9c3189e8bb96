/**
 * A fifth node that joins four validators with a large state: 500,000 accounts and 100,000 resting orders, synchronised by
 * CometBFT from a snapshot of the others, on one machine.
 *
 *   bun bench/state-sync.ts --cometbft PATH [--accounts N] [--orders N] [--binary PATH]
 *
 * The state is made by a devnet over the network's genesis; the consensus engines begin behind it. Prints one JSON line: seconds
 * until the node has the state, and until it is ready; processor time of its chain; the blocks of the others meanwhile.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dialPeers, furtherNode, takeSnapshot } from "../scripts/testnet-rig/further-node.ts";
import { AbciServer, abciAddress } from "../src/abci/server.ts";
import { CometClient } from "../src/comet/client.ts";
import { systemTimeNs } from "../src/devnet/clock.ts";
import { openReader } from "../src/store/database.ts";
import { genesisPath, type TestnetNode, writeTestnet } from "../src/testnet/files.ts";
import { ValidatorPair } from "../src/testnet/pair.ts";
import { rfc3339Nano, SECOND_NS } from "../src/wire/time-text.ts";
import { makeLargeState, STATE_PARAMETERS } from "./large-state.ts";
import { argument, processorSeconds, programOf } from "./support.ts";
import { SENDERS } from "./transfers.ts";

const ACCOUNTS = Number(argument("--accounts") ?? 500_000);
const ORDERS = Number(argument("--orders") ?? 100_000);
/** Snapshots of a large state are made at multiples of this height. */
const SNAPSHOT_HEIGHT = Number(argument("--snapshot-height") ?? 2_000);
const BLOCKS_BEFORE = 8;
const WAIT_MS = 600_000;
const cometbft = argument("--cometbft") ?? process.env.LYRA_COMETBFT ?? "cometbft";
const lyra = programOf(argument("--binary"));
const folder = mkdtempSync(join(tmpdir(), "lyra-bench-"));
/** The engines begin behind a block that they did not make; the chains have the genesis itself. */
const ENGINE_GENESIS = "config/genesis-behind.json";
const SETTINGS = {
  "": { genesis_file: JSON.stringify(ENGINE_GENESIS) },
  consensus: { timeout_commit: '"1s"', timeout_propose: '"3s"' },
};

const engineOf = ({ rpcPort }: TestnetNode) => new CometClient(`http://127.0.0.1:${rpcPort}`, 3_000);

async function until(what: string, isSo: () => Promise<boolean> | boolean, ms = WAIT_MS): Promise<void> {
  for (const end = performance.now() + ms; ; ) {
    if (await Promise.resolve(isSo()).catch(() => false)) return;
    if (performance.now() > end) throw new Error(`${what} after ${ms} ms`);
    await Bun.sleep(100);
  }
}

/** An engine takes a chain's place only from an application that begins: this one answers for the chain until it has. */
async function beginBehind({ abci, consensusHome, rpcPort }: TestnetNode, appHash: string): Promise<void> {
  const server = new AbciServer({
    answer(request) {
      if (request.info) return { info: { data: "lyra", appVersion: 1n } };
      if (request.initChain) return { initChain: { appHash: Uint8Array.fromHex(appHash) } };
      return new Promise<never>(() => {});
    },
  });
  server.listen(abciAddress(abci)!);
  const engine = Bun.spawn([cometbft, "node", "--home", consensusHome], {
    stdout: "ignore",
    stderr: "ignore",
  });
  // It serves once it has stored its beginning.
  await until("no engine", async () => (await fetch(`http://127.0.0.1:${rpcPort}/health`)).ok);
  engine.kill();
  await engine.exited;
  server.stop();
}

const lines: string[] = [];
const events = {
  onLine: (_: TestnetNode, role: string, line: string) => void lines.push(`${role}: ${line}`),
};
const pairOf = (node: TestnetNode) => new ValidatorPair(node, { lyra, cometbft }, events);
const startedNs = systemTimeNs() - 3_600n * SECOND_NS;
const { nodes } = await writeTestnet({
  ...{ folder, validators: 4, ports: "free", isFunded: false, cometbft, nowNs: startedNs },
  ...{ settings: SETTINGS, parameters: STATE_PARAMETERS },
});
const pairs = nodes.map(pairOf);
let late: ValidatorPair | undefined;
try {
  const genesis = readFileSync(genesisPath(nodes[0]!), "utf8");
  const state = await makeLargeState({
    ...{ home: nodes[0]!.home, genesis, genesisTimeNs: startedNs, accounts: ACCOUNTS, orders: ORDERS },
    ...{ funded: SENDERS, height: SNAPSHOT_HEIGHT - BLOCKS_BEFORE },
  });
  const document = JSON.parse(genesis) as object;
  const behind = {
    ...document,
    genesis_time: rfc3339Nano(timeOf(nodes[0]!.home) + SECOND_NS),
    initial_height: String(state.height + 1),
    app_hash: state.appHash.toUpperCase(),
  };
  for (const node of nodes) {
    if (node !== nodes[0]) cpSync(nodes[0]!.home, node.home, { recursive: true });
    writeFileSync(join(node.consensusHome, ENGINE_GENESIS), JSON.stringify(behind));
  }
  await Promise.all(nodes.map((node) => beginBehind(node, state.appHash)));
  for (const pair of pairs) pair.start();
  const [first] = nodes;
  await until("no snapshot", () =>
    existsSync(join(first!.home, "snapshots", String(SNAPSHOT_HEIGHT), "snapshot.json")),
  );
  // The light client needs two more blocks.
  await until("no blocks", async () => (await engineOf(first!).status()).height >= SNAPSHOT_HEIGHT + 3);
  const node = furtherNode(folder, nodes.length + 1, first!);
  dialPeers(node, nodes, cometbft);
  await takeSnapshot(node, nodes, state.height + 2);
  const before = (await engineOf(first!).status()).height;
  late = pairOf(node);
  const began = performance.now();
  const seconds = () => Number(((performance.now() - began) / 1_000).toFixed(1));
  late.start();
  const dataUrl = `http://127.0.0.1:${node.dataPort}`;
  const statusOf = async () => (await (await fetch(`${dataUrl}/status`)).json()) as { height: number | null };
  await until("no state", async () => ((await statusOf()).height ?? 0) >= SNAPSHOT_HEIGHT);
  const stateSeconds = seconds();
  // Its rows begin at the snapshot: of all that it needs to be ready they alone are missing.
  await until("not ready", async () =>
    /^ok|its rows begin at block/.test(await (await fetch(`${dataUrl}/readyz`)).text()),
  );
  await until("not at the head", async () => {
    const head = (await engineOf(first!).status()).height;
    return ((await statusOf()).height ?? 0) >= head - 1;
  });
  const readySeconds = seconds();
  const after = (await engineOf(first!).status()).height;
  console.log(
    JSON.stringify({
      ...{ accounts: ACCOUNTS, orders: ORDERS, stateSeconds, readySeconds },
      chainProcessorSeconds: late.chain.pid === undefined ? undefined : processorSeconds(late.chain.pid),
      blocksOfOthersMeanwhile: after - before,
    }),
  );
} catch (error) {
  console.error(lines.slice(-30).join("\n"));
  throw error;
} finally {
  await Promise.all([...pairs, ...(late ? [late] : [])].map((pair) => pair.stop()));
  if (!process.argv.includes("--keep")) rmSync(folder, { recursive: true, force: true });
  else console.error(folder, dirname(folder));
}
process.exit(0);

/** Time of a home's last block, Unix nanoseconds. */
function timeOf(home: string): bigint {
  const db = openReader(home);
  const row = db.query("SELECT value FROM chain_meta WHERE key = 'state'").get() as { value: string };
  db.close();
  return BigInt((JSON.parse(row.value) as { timeNs: string }).timeNs);
}
