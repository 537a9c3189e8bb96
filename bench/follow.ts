// Block following: a devnet makes blocks of transfers, and a sidecar follows them by its RPC alone, from the first one on,
// each transaction through admission (signature, proof, spam rules, replay). Then beside a core: blocks of a thousand
// events a second through the event socket for a while, at what cost of processor and memory.
// bun bench/follow.ts --binary dist/lyra [--rounds N]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ed25519KeyPair } from "../src/crypto/ed25519.ts";
import { ListeningLyra } from "../test/rig/lyra.ts";
import { messageOf, Sender } from "../test/rig/sp-sender.ts";
import { ask, hexOf, proven, type RunningDevnet, startDevnet, transferTo } from "./devnet-process.ts";
import { loadInChild } from "./load.ts";
import { partyOf, scaleBlocks } from "./scale-recording.ts";
import { argument, median, processorSeconds, programOf, residentMb } from "./support.ts";

const program = programOf(argument("--binary"));
const ROUNDS = Number(argument("--rounds") ?? 3);
const PARTIES = 1_000;
const TRANSACTIONS = 24_000;
const PER_BLOCK = 800;
const CONNECTIONS = 500;
const DIFFICULTY = 4;
const EVENTS_PER_SECOND = 1_000;
const BESIDE_SECONDS = 30;
/** A chain that runs for months has as many. */
const ACCOUNTS = 100_000;

interface Where {
  readonly dataUrl: string;
  readonly eventsPort?: number;
}

interface Status {
  readonly height: number | null;
  readonly follower: {
    readonly height: number | null;
    readonly txs: number;
    readonly disagreements: number;
  };
}

const statusOf = (url: string) => ask<Status>(`${url}/status`);

/** Blocks of transfers, as many as fill them. @returns the last height */
async function fill(devnet: RunningDevnet): Promise<number> {
  const keys = Array.from({ length: PARTIES }, (_, index) => {
    const seed = new Uint8Array(32);
    new DataView(seed.buffer).setUint32(0, index + 1);
    return ed25519KeyPair(seed);
  });
  const { parties } = await ask<{ parties: { balances: { symbol: string; asset: string }[] }[] }>(
    `${devnet.nodeUrl}/devnet/parties`,
  );
  const { asset } = parties[0]!.balances.find(({ symbol }) => symbol === "tUSD")!;
  for (const key of keys) {
    const party = hexOf(key.publicKey);
    await ask(`${devnet.nodeUrl}/devnet/balance`, { party, asset, amount: "1000000000000" });
  }
  const receivers = keys.map((key) => hexOf(key.publicKey));
  const payload = (index: number) => transferTo(receivers[(index * 7 + 1) % PARTIES]!, asset);
  for (let done = 0; done < TRANSACTIONS; done += PER_BLOCK) {
    const bodies = (await proven(devnet, keys, payload, PER_BLOCK, done)).map((tx) =>
      JSON.stringify({ tx, type: "TYPE_SYNC" }),
    );
    const posts = { path: "/transaction/raw", bodies };
    const options = { port: devnet.nodePort, paths: [], posts, connections: CONNECTIONS };
    const { errors } = await loadInChild({ ...options, durationMs: 0, warmupMs: 0 });
    if (errors > 0) throw new Error(`${errors} transfers were refused`);
    await ask(`${devnet.nodeUrl}/devnet/mine`, { blocks: 1 });
  }
  const { height } = await ask<{ height: string }>(`${devnet.nodeUrl}/blockchain/height`);
  return Number(height);
}

/** Follows all blocks from the first one. @returns transactions a second, and of the sidecar's processor time */
async function follow(comet: string, last: number) {
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const ports = ["--data-port", "0", "--node-port", "0"];
  const words = ["sidecar", "--home", home, "--comet", comet, ...ports, "--quiet"];
  const sidecar = new ListeningLyra<Where>(words, { program });
  try {
    const { dataUrl } = await sidecar.listens();
    let begun: { readonly ms: number; readonly seconds: number; readonly txs: number } | undefined;
    for (;;) {
      const { follower } = await statusOf(dataUrl);
      const { height, txs, disagreements } = follower;
      const seconds = processorSeconds(sidecar.pid);
      if (txs > 0) begun ??= { ms: performance.now(), seconds, txs };
      if (begun && (height ?? 0) >= last) {
        if (disagreements > 0) throw new Error("the sidecar disagrees with the devnet");
        return {
          transactionsPerSecond: ((txs - begun.txs) * 1_000) / (performance.now() - begun.ms),
          transactionsPerProcessorSecond: (txs - begun.txs) / (seconds - begun.seconds),
          memoryMb: residentMb(sidecar.pid),
        };
      }
      await Bun.sleep(10);
    }
  } finally {
    await sidecar.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A block a second beside a core, with the store of a chain that has run for a while. */
async function besideCore() {
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-"));
  const ports = ["--events-port", "0", "--data-port", "0", "--node-port", "0"];
  const sidecar = new ListeningLyra<Where>(["sidecar", "--home", home, ...ports, "--quiet"], { program });
  try {
    const { dataUrl, eventsPort } = await sidecar.listens();
    const sender = await Sender.dial({ hostname: "127.0.0.1", port: eventsPort! });
    const stream = scaleBlocks({
      events: Number.POSITIVE_INFINITY,
      parties: ACCOUNTS,
      eventsPerBlock: EVENTS_PER_SECOND,
      snapshotBlocks: 300,
    });
    const send = async () => {
      const { height, events } = stream.next().value!;
      await sender.write(Buffer.concat(events.map(messageOf)));
      return height;
    };
    let height = 0;
    while (height < 600) height = await send();
    while ((await statusOf(dataUrl)).height !== height) await Bun.sleep(20);
    await Bun.sleep(2_000);
    const begunSeconds = processorSeconds(sidecar.pid);
    const begunMs = performance.now();
    let memoryMb = 0;
    for (let second = 1; second <= BESIDE_SECONDS; second++) {
      await send();
      await fetch(`${dataUrl}/api/v2/accounts?filter.partyIds=${partyOf(second)}`);
      memoryMb = Math.max(memoryMb, residentMb(sidecar.pid));
      await Bun.sleep(Math.max(0, begunMs + second * 1_000 - performance.now()));
    }
    const seconds = (performance.now() - begunMs) / 1_000;
    return { cores: (processorSeconds(sidecar.pid) - begunSeconds) / seconds, memoryMb };
  } finally {
    await sidecar.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const parameters = {
  "spam.pow.difficulty": String(DIFFICULTY),
  "spam.pow.numberOfTxPerBlock": "100000",
  "spam.protection.maxUserTransfersPerEpoch": "1000000",
  "validators.epoch.length": "10m",
};
const flags = Object.entries(parameters).flatMap(([key, value]) => ["--parameter", `${key}=${value}`]);
const devnet = await startDevnet(program, ...flags, "--block", "manual", "--comet-port", "0");
try {
  const last = await fill(devnet);
  const rounds: Awaited<ReturnType<typeof follow>>[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await follow(devnet.cometUrl!, last));
  const middle = (name: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[name]));
  const figures = {
    transactions: TRANSACTIONS,
    transactionsPerSecond: middle("transactionsPerSecond"),
    transactionsPerProcessorSecond: middle("transactionsPerProcessorSecond"),
    memoryMb: middle("memoryMb"),
    besideCore: await besideCore(),
  };
  console.log(JSON.stringify(figures, undefined, 1));
} finally {
  await devnet.stop();
}
