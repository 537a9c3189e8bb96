// Trials of a network of four validators behind CometBFT: kills, restarts, lost homes, partitions, a validator that differs,
// an upgrade. After each, all validators must have the same application hash at each height, and the same rows.
//
//   bun scripts/testnet-rig.ts [--only 1,3] [--short] [--cometbft PATH] [--keep]
//
// Where the consensus engine is missing nothing is tried, and the exit code is 0. Exit code 1 when a trial fails.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { verifyProof } from "../src/chain/admission/pow/function.ts";
import { CometClient } from "../src/comet/client.ts";
import { sha256HexOf } from "../src/crypto/sha.ts";
import { devnetParties, ValidatorKeys } from "../src/devnet/keys.ts";
import { openReader } from "../src/store/database.ts";
import { digestStore } from "../src/store/dump.ts";
import { withSettings } from "../src/testnet/files.ts";
import { type PairEvents, ValidatorPair } from "../src/testnet/pair.ts";
import { startTestnet, type Testnet } from "../src/testnet/testnet.ts";
import type { CommandInit } from "../src/wire/transaction.ts";
import { rowsOf } from "../test/chain/rig.ts";
import { SOURCES } from "../test/rig/lyra.ts";
import { eventually } from "../test/support/eventually.ts";
import { buildTransaction } from "../test/support/transactions.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    short: { type: "boolean", default: false },
    cometbft: { type: "string" },
    program: { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
const cometbft = values.cometbft ?? process.env.LYRA_COMETBFT ?? Bun.which("cometbft") ?? undefined;
if (cometbft === undefined || Bun.which(cometbft) === null) {
  console.log(
    "skipped: no consensus engine (go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.26; LYRA_COMETBFT=PATH)",
  );
  process.exit(0);
}

/** An engine whose chain is killed while it fetches blocks asks silent peers again after a minute. */
const CHECK_MS = 150_000;
const DIFFICULTY = 1;
const lyra = values.program === undefined ? SOURCES : [values.program];
const folder = mkdtempSync(join(tmpdir(), "lyra-tn-"));
const parties = devnetParties();
const lines: string[] = [];
const events: PairEvents = {
  onLine: ({ number }, role, line) => lines.push(`validator ${number}, ${role}: ${line}`),
  onEnded: ({ number }, role, how) => lines.push(`validator ${number}: ${role} ended (${how})`),
};
let serial = 0;

const urlOf = (pair: ValidatorPair, path: string) => `http://127.0.0.1:${pair.node.nodePort}${path}`;
const engineOf = (pair: ValidatorPair) => new CometClient(`http://127.0.0.1:${pair.node.rpcPort}`, 3_000);

async function heightOf(pair: ValidatorPair): Promise<number> {
  return (await engineOf(pair).status()).height;
}

/** Height of a validator's own rows. */
async function appHeightOf(pair: ValidatorPair): Promise<number> {
  const answer = await fetch(urlOf(pair, "/blockchain/height"), { signal: AbortSignal.timeout(3_000) });
  return Number(((await answer.json()) as { height: string }).height);
}

/** Waits until validators are at a height, rows and all. */
async function reach(pairs: readonly ValidatorPair[], height: number, ms = CHECK_MS): Promise<void> {
  const end = performance.now() + ms;
  for (const pair of pairs) {
    for (;;) {
      const now = await appHeightOf(pair).catch(() => 0);
      if (now >= height) break;
      if (performance.now() > end)
        throw new Error(`validator ${pair.node.number} is at block ${now} after ${ms} ms, not at ${height}`);
      await Bun.sleep(100);
    }
  }
}

/** All go on: some blocks more than the highest has. */
async function progress(pairs: readonly ValidatorPair[], blocks = 3, ms = CHECK_MS): Promise<void> {
  const heights = await Promise.all(pairs.map((pair) => appHeightOf(pair).catch(() => 0)));
  await reach(pairs, Math.max(...heights) + blocks, ms);
}

interface Sender {
  readonly key: (typeof parties)[number]["key"];
}

interface Tip {
  readonly chainId: string;
  readonly height: bigint;
  readonly hash: string;
}

/** The block before the last one: a validator that is a block behind knows it, too. */
async function tipOf(pair: ValidatorPair): Promise<Tip> {
  const { blocks } = (await (await fetch(urlOf(pair, "/devnet/blocks"))).json()) as {
    blocks: { chainId: string; height: string; hash: string }[];
  };
  const { chainId, height, hash } = blocks.at(-2) ?? blocks.at(-1)!;
  return { chainId, height: BigInt(height), hash };
}

function signed(command: CommandInit, { key }: Sender, tip: Tip): Uint8Array {
  const tid = sha256HexOf(Buffer.from(`tid ${serial++} ${process.pid}`));
  let nonce = 0n;
  const proof = () => ({ blockHash: tip.hash, tid, nonce });
  while (verifyProof(proof(), DIFFICULTY, "sha3_24_rounds", "default") === undefined) nonce++;
  return buildTransaction(command, {
    chainId: tip.chainId,
    key,
    nonce: BigInt(++serial),
    blockHeight: tip.height,
    pow: { tid, nonce },
  });
}

interface Submitted {
  readonly success: boolean;
  readonly txHash: string;
  readonly height: string;
  readonly log: string;
}

async function send(pair: ValidatorPair, bytes: Uint8Array, type: string): Promise<Submitted> {
  const answer = await fetch(urlOf(pair, "/transaction/raw"), {
    method: "POST",
    body: JSON.stringify({ tx: Buffer.from(bytes).toString("base64"), type }),
  });
  return (await answer.json()) as Submitted;
}

let asset = "";

async function assetOf(pair: ValidatorPair): Promise<string> {
  const { assets } = (await (await fetch(urlOf(pair, "/devnet/parties"))).json()) as {
    assets: { id: string; symbol: string }[];
  };
  return assets.find(({ symbol }) => symbol === "tUSD")!.id;
}

function transfer(to: number, amount: bigint): CommandInit {
  const type = 4;
  return {
    kind: "transfer",
    payload: {
      ...{ fromAccountType: type, toAccountType: type, asset, amount: amount.toString(), reference: "rig" },
      to: parties[to % parties.length]!.publicKey,
      oneOff: { deliverOn: 0n },
    },
  };
}

/** Sends transfers through the validators in turn, in all three modes. @returns the hashes that were taken */
async function sendTransfers(pairs: readonly ValidatorPair[], count: number): Promise<string[]> {
  const hashes: string[] = [];
  const types = ["TYPE_ASYNC", "TYPE_SYNC", "TYPE_COMMIT"];
  const width = 20;
  for (let sent = 0; sent < count; sent += width) {
    const tip = await tipOf(pairs[sent % pairs.length]!);
    const answers = await Promise.all(
      Array.from({ length: Math.min(width, count - sent) }, (_, n) => {
        const at = sent + n;
        const bytes = signed(transfer(at + 1, 100_000n + BigInt(at % 7)), parties[at % parties.length]!, tip);
        const type = types[((at / pairs.length) % 3) | 0]!;
        return send(pairs[at % pairs.length]!, bytes, type).catch(() => undefined);
      }),
    );
    for (const answer of answers) {
      if (answer?.success) hashes.push(answer.txHash);
      else lines.push(`a transfer was refused: ${JSON.stringify(answer)}`);
    }
  }
  return hashes;
}

const query = (pair: ValidatorPair) => openReader(pair.node.home);

/** Places of each hash in the blocks of a validator's rows. */
function timesIn(pair: ValidatorPair, hashes: readonly string[]): number[] {
  using db = query(pair);
  const rows = db.query("SELECT bytes FROM chain_txs").all() as { bytes: Uint8Array }[];
  const counts = new Map<string, number>();
  for (const { bytes } of rows) {
    const hash = sha256HexOf(bytes).toUpperCase();
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  return hashes.map((hash) => counts.get(hash) ?? 0);
}

async function untilIn(pair: ValidatorPair, hashes: readonly string[]): Promise<void> {
  await eventually(
    () => timesIn(pair, hashes).every((times) => times > 0),
    () =>
      `${timesIn(pair, hashes).filter((times) => times === 0).length} of ${hashes.length} are in no block`,
  );
}

/** The same hash at each height, and the same rows once all stand at one height. */
async function expectSame(testnet: Testnet): Promise<string> {
  const { pairs } = testnet;
  for (let attempt = 1; ; attempt++) {
    for (const pair of pairs) pair.engine.pause();
    await Bun.sleep(1_500);
    const heights = await Promise.all(pairs.map((pair) => appHeightOf(pair)));
    const isLevel = heights.every((height) => height === heights[0]);
    const digests = isLevel
      ? pairs.map((pair) => {
          using db = query(pair);
          return JSON.stringify(rowsOf(digestStore(db)));
        })
      : [];
    for (const pair of pairs) pair.engine.resume();
    if (!isLevel && attempt < 20) {
      await progress(pairs, 1);
      continue;
    }
    if (!isLevel) throw new Error(`never at one height: ${heights}`);
    if (new Set(digests).size !== 1) throw new Error(`rows differ at block ${heights[0]}`);
    const last = heights[0]!;
    const clients = pairs.map(engineOf);
    await progress(pairs, 1);
    for (let height = 2; height <= last; height += 1) {
      const hashes = await Promise.all(
        clients.map((client) =>
          client.block(height).then(
            ({ appHash }) => appHash,
            () => "none",
          ),
        ),
      );
      const present = hashes.filter((hash) => hash !== "none");
      if (new Set(present).size > 1)
        throw new Error(`application hashes differ at block ${height}: ${hashes}`);
    }
    return `${pairs.length} validators alike at block ${last}`;
  }
}

interface Trial {
  readonly number: number;
  readonly title: string;
  /** Also in the short run. */
  readonly isShort?: boolean;
  /** It compares by itself, or the validators' rows must differ. */
  readonly isAlone?: boolean;
  run(testnet: Testnet): Promise<string>;
}

/** Moments that follow from a seed. */
let random = 12_345;
const moment = (most: number) => {
  random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
  return random % most;
};

const times = (few: number, many: number) => (values.short ? few : many);

const TRIALS: readonly Trial[] = [
  {
    number: 1,
    title: "transactions through all four, in three modes, are in blocks once",
    isShort: true,
    async run({ pairs }) {
      const count = times(60, 1_000);
      const hashes = await sendTransfers(pairs, count);
      if (hashes.length !== count) throw new Error(`${count - hashes.length} of ${count} were not taken`);
      for (const pair of pairs) {
        await untilIn(pair, hashes);
        if (timesIn(pair, hashes).some((count) => count !== 1)) throw new Error("one is in two blocks");
      }
      return `${count} transactions`;
    },
  },
  {
    number: 2,
    title: "a killed chain goes on with its engine, which ended by itself",
    isShort: true,
    async run({ pairs }) {
      const rounds = times(2, 8);
      const [pair] = pairs;
      for (let n = 0; n < rounds; n++) {
        const sending = sendTransfers(pairs.slice(1), 30);
        await Bun.sleep(moment(400));
        process.kill(pair!.chain.pid!, "SIGKILL");
        const hashes = await sending;
        await progress(pairs);
        await untilIn(pair!, hashes);
      }
      // An engine that was killed before it had dialled waits for the chain, and does not end.
      if (!lines.some((line) => line.includes("engine ended (exit code 0)")))
        throw new Error("no engine ended by itself");
      return `${rounds} kills`;
    },
  },
  {
    number: 3,
    title: "engines killed at any moment, then both processes in both orders",
    async run({ pairs }) {
      const rounds = times(2, 20);
      for (let n = 0; n < rounds; n++) {
        const pair = pairs[n % pairs.length]!;
        const sending = sendTransfers(
          pairs.filter((each) => each !== pair),
          15,
        );
        await Bun.sleep(moment(600));
        const first = n % 4 === 2 ? pair.chain : pair.engine;
        const second = n % 4 === 2 ? pair.engine : n % 4 === 3 ? pair.chain : undefined;
        process.kill(first.pid!, "SIGKILL");
        if (second?.pid !== undefined) process.kill(second.pid, "SIGKILL");
        await sending;
        await progress(pairs);
      }
      return `${rounds} kills`;
    },
  },
  {
    number: 4,
    title: "a home of some blocks ago, then an empty one, comes to where the others are",
    async run({ pairs }) {
      const pair = pairs[2]!;
      const copy = join(folder, "older");
      await pair.stop();
      cpSync(pair.node.home, copy, { recursive: true });
      pair.start();
      await sendTransfers(pairs.slice(0, 2), 30);
      await progress(pairs, 7);
      await pair.stop();
      rmSync(pair.node.home, { recursive: true });
      cpSync(copy, pair.node.home, { recursive: true });
      pair.start();
      await progress(pairs);
      await pair.stop();
      rmSync(pair.node.home, { recursive: true });
      pair.start();
      await progress(pairs);
      return "replayed from its copy, and from the genesis";
    },
  },
  {
    number: 7,
    title: "one of four stands still, then two: three go on, then nobody, then all",
    async run({ pairs }) {
      const [, , third, fourth] = pairs;
      fourth!.engine.pause();
      const hashes = await sendTransfers(pairs.slice(0, 3), 30);
      await progress(pairs.slice(0, 3), 5);
      third!.engine.pause();
      await Bun.sleep(3_000);
      const stood = await heightOf(pairs[0]!);
      await Bun.sleep(4_000);
      const later = await heightOf(pairs[0]!);
      if (later > stood + 1) throw new Error(`two of four make blocks: ${stood}, ${later}`);
      fourth!.engine.resume();
      third!.engine.resume();
      const began = performance.now();
      await progress(pairs);
      for (const pair of pairs) await untilIn(pair, hashes);
      return `all go on ${((performance.now() - began) / 1_000).toFixed(1)} s after the return`;
    },
  },
  {
    number: 10,
    title:
      "a validator with other rules comes to another state: it stands still and says so, three go on; rolled back, it comes again",
    async run({ pairs }) {
      const pair = pairs[1]!;
      const others = pairs.filter((each) => each !== pair);
      await pair.stop();
      const different = new ValidatorPair(
        pair.node,
        { lyra, cometbft: cometbft!, more: ["--rules", "0.71.6"] },
        events,
      );
      different.start();
      const began = performance.now();
      const readyz = () =>
        fetch(urlOf(pair, "/readyz")).then(
          (answer) => answer.text(),
          () => "",
        );
      let hashes: string[] = [];
      await eventually(async () => {
        hashes = [...hashes, ...(await sendTransfers(others, 10))];
        return (await readyz()).includes("stands at block");
      });
      const tookMs = performance.now() - began;
      const stood = await appHeightOf(pair);
      await progress(others, 3);
      if ((await appHeightOf(pair)) !== stood) throw new Error("it does not stand still");
      const late = signed(transfer(1, 100_000n), parties[0]!, await tipOf(others[0]!));
      const answer = JSON.stringify(await send(pair, late, "TYPE_SYNC"));
      if (!answer.includes("stands at block")) throw new Error(`a submission answers: ${answer}`);
      const data = await fetch(`http://127.0.0.1:${pair.node.dataPort}/api/v2/assets`);
      if (data.status !== 200) throw new Error(`reads answer ${data.status}`);
      await different.stop();
      const { exitCode, stderr } = Bun.spawnSync([cometbft!, "rollback", "--home", pair.node.consensusHome]);
      if (exitCode !== 0) throw new Error(`rollback: ${stderr}`);
      rmSync(pair.node.home, { recursive: true });
      pair.start();
      await progress(pairs);
      await untilIn(pair, hashes);
      return `noticed after ${(tookMs / 1_000).toFixed(1)} s`;
    },
  },
  {
    number: 16,
    title: "the README's two examples run unchanged at the third validator",
    async run({ pairs }) {
      const { nodePort, dataPort } = pairs[2]!.node;
      for (const name of ["first-transfer", "first-market"]) {
        const words = [
          "node",
          `examples/${name}.mjs`,
          ...[nodePort, dataPort].map((port) => `http://127.0.0.1:${port}`),
        ];
        // Not at one go: the validators' logs are read meanwhile.
        const child = Bun.spawn(words, {
          cwd: join(import.meta.dir, ".."),
          stdout: "ignore",
          stderr: "pipe",
          timeout: 120_000,
        });
        const text = await new Response(child.stderr).text();
        if ((await child.exited) !== 0) throw new Error(`${name} ended with ${child.exitCode}: ${text}`);
      }
      return "a transfer, and a market from its proposal to its settlement";
    },
  },
  {
    number: 12,
    isAlone: true,
    title: "an upgrade that all agree on: all stand behind its block with one hash, and serve reads",
    async run({ pairs }) {
      const at = (await appHeightOf(pairs[0]!)) + times(25, 40);
      for (const pair of pairs) {
        const keys = new ValidatorKeys(pair.node.number);
        const command: CommandInit = {
          kind: "protocolUpgradeProposal",
          payload: { upgradeBlockHeight: BigInt(at), vegaReleaseTag: "v0.72.0" },
        };
        const answer = await send(
          pair,
          signed(command, { key: keys.vega(1) }, await tipOf(pair)),
          "TYPE_COMMIT",
        );
        if (!answer.success) throw new Error(`the proposal was refused: ${answer.log}`);
      }
      const late = pairs[3]!;
      await late.stop();
      const three = pairs.slice(0, 3);
      await reach(three, at);
      await Bun.sleep(3_000);
      const stands = async (those: readonly ValidatorPair[]) => {
        for (const pair of those) {
          const height = await appHeightOf(pair);
          const status = (await (await fetch(urlOf(pair, "/readyz"))).text()).trim();
          if (height !== at) throw new Error(`validator ${pair.node.number} is at ${height}, not at ${at}`);
          if (!status.includes("upgrade")) throw new Error(`/readyz says: ${status}`);
          const data = await fetch(`http://127.0.0.1:${pair.node.dataPort}/api/v2/assets`);
          if (data.status !== 200) throw new Error(`reads answer ${data.status}`);
        }
      };
      await stands(three);
      late.start();
      await reach([late], at);
      await stands(pairs);
      const hashes = await Promise.all(
        pairs.map(async (pair) => {
          const statistics = (await (await fetch(urlOf(pair, "/statistics"))).json()) as {
            statistics: { blockHash: string };
          };
          return statistics.statistics.blockHash;
        }),
      );
      if (new Set(hashes).size !== 1) throw new Error(`hashes differ: ${hashes}`);
      const digests = pairs.map((pair) => {
        using db = query(pair);
        return JSON.stringify(rowsOf(digestStore(db)));
      });
      if (new Set(digests).size !== 1) throw new Error("rows differ");
      return `all stand behind block ${at}`;
    },
  },
];

/** Alone on a network: its validator has no rows of the first blocks afterwards. */
const SYNC: Trial = {
  number: 6,
  isAlone: true,
  title: "an empty validator takes the state from a snapshot of the others, and follows",
  async run({ pairs }) {
    const others = pairs.slice(0, 3);
    const late = pairs[3]!;
    await late.stop();
    const hashes = await sendTransfers(others, 40);
    await reach(others, 104, 300_000);
    const trusted = await engineOf(others[0]!).block(50);
    rmSync(late.node.home, { recursive: true });
    const reset = Bun.spawnSync([cometbft!, "unsafe-reset-all", "--home", late.node.consensusHome]);
    if (reset.exitCode !== 0) throw new Error(`unsafe-reset-all: ${reset.stderr}`);
    const file = join(late.node.consensusHome, "config", "config.toml");
    const servers = others.slice(0, 2).map(({ node }) => `http://127.0.0.1:${node.rpcPort}`);
    const statesync = {
      ...{ enable: "true", rpc_servers: JSON.stringify(servers.join(",")), discovery_time: '"5s"' },
      ...{
        trust_height: "50",
        trust_hash: JSON.stringify(trusted.hash.toUpperCase()),
        trust_period: '"168h0m0s"',
      },
    };
    writeFileSync(file, withSettings(readFileSync(file, "utf8"), { statesync }));
    mkdirSync(late.node.home, { recursive: true });
    late.start();
    const start = performance.now();
    await progress(pairs, 3, 90_000);
    const tookMs = performance.now() - start;
    if (timesIn(late, hashes).some((times) => times > 0)) throw new Error("it executed the old blocks");
    const fresh = await sendTransfers(pairs, 20);
    await untilIn(late, fresh);
    const height = await heightOf(late);
    const [own, other] = await Promise.all([late, others[0]!].map((pair) => engineOf(pair).block(height)));
    if (own!.appHash !== other!.appHash) throw new Error(`hashes differ at block ${height}`);
    return `follows after ${(tookMs / 1_000).toFixed(1)} s`;
  },
};

const chosen = [...TRIALS, SYNC].filter(({ number, isShort }) =>
  values.only === undefined ? !values.short || isShort : values.only.split(",").includes(String(number)),
);
const began = performance.now();
let failures = 0;

async function runTrials(trials: readonly Trial[], name: string): Promise<void> {
  if (trials.length === 0) return;
  const testnet = await startTestnet({
    folder: join(folder, name),
    ports: "free",
    cometbft: cometbft!,
    lyra,
    parameters: {
      "spam.pow.difficulty": String(DIFFICULTY),
      "spam.pow.numberOfTxPerBlock": "1000",
      "spam.protection.maxUserTransfersPerEpoch": "1000000",
    },
    events,
  });
  try {
    await testnet.ready();
    asset = await assetOf(testnet.pairs[0]!);
    for (const { number, title, run, isAlone } of trials) {
      const start = performance.now();
      try {
        const result = await run(testnet);
        const same = isAlone ? "" : `; ${await expectSame(testnet)}`;
        console.log(
          `${number}. ${title}: ${result}${same} (${((performance.now() - start) / 1_000).toFixed(0)} s)`,
        );
      } catch (error) {
        failures++;
        console.log(`${number}. ${title}: FAILED: ${(error as Error).message}`);
        for (const line of lines.slice(-12)) console.log(`   ${line.slice(0, 300)}`);
      }
    }
  } finally {
    await testnet.stop();
  }
}

try {
  await runTrials(
    chosen.filter((trial) => trial !== SYNC),
    "net",
  );
  await runTrials(
    chosen.filter((trial) => trial === SYNC),
    "sync",
  );
} finally {
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
  else console.log(folder);
}
console.log(
  `${chosen.length - failures} of ${chosen.length} trials passed, ${((performance.now() - began) / 1_000).toFixed(0)} s`,
);
process.exit(failures === 0 ? 0 : 1);
