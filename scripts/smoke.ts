// Smoke test of the built executable: everything a new user does first, with nothing beside it.
// bun scripts/smoke.ts dist/lyra
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ed25519KeyPair } from "../src/crypto/ed25519.ts";
import { buildTransaction } from "../test/support/transactions.ts";

const CROWD = 400;
const CROWD_ROUNDS = 3;

const built = resolve(process.argv[2] ?? "dist/lyra");
const sample = resolve(import.meta.dir, "..", "data", "sample.evts.gz");
const folder = mkdtempSync(join(tmpdir(), "lyra-smoke-"));
const program = join(folder, "lyra");
copyFileSync(built, program);
// Variables that make another program load code and settings.
writeFileSync(join(folder, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
writeFileSync(join(folder, "preload.ts"), 'require("node:fs").writeFileSync("ran", "");');
writeFileSync(join(folder, ".env"), `LYRA_HOME=${join(folder, "taken")}\n`);
let failures = 0;

function check(what: string, ok: boolean, detail = ""): void {
  console.log(`${ok ? "ok  " : "FAIL"} ${what}${ok || detail === "" ? "" : `: ${detail}`}`);
  if (!ok) failures++;
}

function run(...words: string[]): { code: number; out: string; err: string } {
  const result = Bun.spawnSync([program, ...words], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", HOME: folder },
  });
  return { code: result.exitCode ?? -1, out: result.stdout.toString(), err: result.stderr.toString() };
}

async function served(home: string): Promise<void> {
  const out = join(folder, "where.json");
  const child = Bun.spawn([program, "serve", "--home", home, "--data-port", "0", "--config-out", out], {
    cwd: folder,
    stdout: "ignore",
    stderr: "ignore",
  });
  for (let tries = 0; tries < 500 && !existsSync(out); tries++) await Bun.sleep(10);
  const { dataUrl } = (await Bun.file(out).json()) as { dataUrl: string };
  const text = async (path: string) => await (await fetch(`${dataUrl}${path}`)).text();
  check("assets", (await text("/api/v2/assets")).startsWith('{"assets":{"edges":[{"node":'));
  check("readiness", (await text("/readyz")) === "ok", await text("/readyz"));
  check("metrics", (await text("/metrics")).includes("lyra_block_height"));
  const document = JSON.parse(await text("/docs/json")) as { paths: Record<string, unknown> };
  check("documentation", "/api/v2/balance/changes" in document.paths);
  const page = await text("/docs");
  check(
    "documentation page names no other host",
    !/(?:src|href)="(?:https?:)?\/\//.test(page),
    page.slice(0, 200),
  );
  const front = await (await fetch(`${dataUrl}/`, { headers: { accept: "text/html" } })).text();
  const parts = [...front.matchAll(/(?:src|href)="(\/page\/[^"]+)"/g)].map(([, path]) => path!);
  const statuses = await Promise.all(parts.map(async (path) => (await fetch(dataUrl + path)).status));
  check("the page and its parts", parts.length >= 4 && statuses.every((status) => status === 200), front);
  const archive = await fetch(
    `${dataUrl}/api/v2/networkhistory/export?table=TABLE_TRADES&fromBlock=1&toBlock=1000&manifest=true`,
  );
  const bytes = new Uint8Array(await archive.arrayBuffer());
  check(
    "export over HTTP",
    archive.status === 200 && bytes[0] === 0x50 && bytes[1] === 0x4b,
    `status ${archive.status}`,
  );
  const stopped = performance.now();
  child.kill("SIGTERM");
  await child.exited;
  check(
    "stops within two seconds",
    performance.now() - stopped < 2000 && child.exitCode === 0,
    `exit ${child.exitCode}`,
  );
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of output) {
    text += decoder.decode(part, { stream: true });
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0]!;
}

/** Hundreds of signed transactions at once, without a proof of work: each is refused for that. */
async function crowd(nodeUrl: string): Promise<void> {
  const key = ed25519KeyPair(new Uint8Array(32).fill(9));
  const { height, chainId } = (await (await fetch(`${nodeUrl}/blockchain/height`)).json()) as {
    height: string;
    chainId: string;
  };
  const submit = async (nonce: number) => {
    const bytes = buildTransaction(
      { kind: "cancelTransfer", payload: { transferId: "ab".repeat(32) } },
      { key, chainId, nonce: BigInt(nonce + 1), blockHeight: BigInt(height) },
    );
    const body = JSON.stringify({ tx: bytes.toBase64(), type: "TYPE_SYNC" });
    const response = await fetch(`${nodeUrl}/transaction/raw`, { method: "POST", body });
    return (await response.text()).includes("proof of work");
  };
  const refused: boolean[] = [];
  for (let round = 0; round < CROWD_ROUNDS; round++) {
    refused.push(...(await Promise.all(Array.from({ length: CROWD }, (_, n) => submit(round * CROWD + n)))));
  }
  check(
    "without a proof all of a crowd is refused",
    refused.length === CROWD * CROWD_ROUNDS && !refused.includes(false),
  );
}

/** A devnet and its tools; then the same home again. */
async function devnet(): Promise<void> {
  const home = join(folder, "devnet");
  const words = [
    "devnet",
    "--home",
    home,
    "--node-port",
    "0",
    "--data-port",
    "0",
    "--faucet-port",
    "0",
    "--json",
  ];
  const start = async () => {
    const child = Bun.spawn([program, ...words], { cwd: folder, stdout: "pipe", stderr: "ignore" });
    return { child, where: JSON.parse(await firstLine(child.stdout)) };
  };
  const first = await start();
  const { nodeUrl, dataUrl, parties } = first.where;
  check("devnet starts", first.where.height >= 1 && parties.length > 0);
  const [alice, bob] = parties;
  const { asset } = alice.balances.find(({ symbol }: { symbol: string }) => symbol === "tUSD");
  const funded = run("devnet", "fund", bob.publicKey, asset, "500", "--node-url", nodeUrl);
  check("devnet fund", funded.code === 0, funded.err);
  const transfer = {
    fromAccountType: 4,
    to: bob.publicKey,
    toAccountType: 4,
    asset,
    amount: "250000",
    oneOff: {},
  };
  const command = JSON.stringify({ transfer });
  const sent = run("devnet", "impersonate", alice.publicKey, command, "--node-url", nodeUrl, "--json");
  check("a transfer is executed", sent.code === 0, sent.out + sent.err);
  const transfers = await (await fetch(`${dataUrl}/api/v2/transfers?pagination.first=1`)).text();
  check("and read back", transfers.includes('"amount":"250000"'), transfers.slice(0, 200));
  await crowd(nodeUrl);
  const { blockHeight } = (await (await fetch(`${nodeUrl}/statistics`)).json()).statistics;
  first.child.kill("SIGKILL");
  await first.child.exited;
  const second = await start();
  check(
    "after kill -9 it goes on",
    second.where.height >= Number(blockHeight),
    JSON.stringify(second.where).slice(0, 200),
  );
  second.child.kill("SIGTERM");
  await second.child.exited;
  check("devnet stops", second.child.exitCode === 0, `exit ${second.child.exitCode}`);
  check("explain", run("explain", "89").code === 0);
}

try {
  const home = join(folder, "home");
  check(
    "the texts of the licences lie beside it",
    existsSync(join(dirname(built), "THIRD_PARTY_LICENCES.txt")),
  );
  check("version", run("version").out.startsWith("lyra "));
  check("the folder it is started in tells it nothing", !run("doctor", "--json").out.includes("taken"));
  check("help needs no store", run("--help").code === 0);
  check("an unknown command is a usage error", run("nonsense").code === 2);
  const loaded = run("replay", sample, "--home", home, "--json");
  check("replay", loaded.code === 0 && JSON.parse(loaded.out).height > 3000, loaded.err);
  check(
    "replay again adds nothing",
    JSON.parse(run("replay", sample, "--home", home, "--json").out).blocks === 0,
  );
  const segments = run("history", "segments", "--home", home, "--json");
  check("segments", segments.code === 0 && segments.out.includes("1000"), segments.err);
  const file = join(folder, "trades.zip");
  const exported = run(
    "history",
    "export",
    "--table",
    "TABLE_TRADES",
    "--from",
    "1",
    "--to",
    "3000",
    "--home",
    home,
    "--out",
    file,
  );
  check("export", exported.code === 0 && existsSync(file), exported.err);
  check("verify", run("history", "verify", file).code === 0);
  const damaged = new Uint8Array(await Bun.file(file).arrayBuffer());
  damaged[Math.floor(damaged.length / 3)]! ^= 0x10;
  await Bun.write(`${file}.bad`, damaged);
  check("verify tells a damaged archive", run("history", "verify", `${file}.bad`).code === 4);
  check("doctor", run("doctor", "--home", home).code === 0);
  check("serve without a store", run("serve", "--home", join(folder, "nowhere")).code === 3);
  await served(home);
  await devnet();
  check("and runs nothing in it", !existsSync(join(folder, "ran")));
} finally {
  rmSync(folder, { recursive: true });
}
console.log(failures === 0 ? "the executable works" : `${failures} checks failed`);
process.exit(failures === 0 ? 0 : 1);
