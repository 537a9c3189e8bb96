// SIGTERM and SIGINT at any moment: an orderly end, the port free, the log folded back into the store, the lock gone; the same
// command then goes on where it stopped. An end that hangs ends the test by its own limit.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { segmentDirectory } from "../../src/store/database.ts";
import { digestOf, headOf, load, SAMPLE, Scratch } from "../rig/homes.ts";
import { type Ended, Lyra, lyra, PROGRAM, ServingLyra } from "../rig/lyra.ts";
import { longRecording } from "../rig/stream.ts";
import { anyMoment, eventually } from "../support/eventually.ts";

const BLOCKS = 200;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const INTERRUPTED = 130;

const scratch = new Scratch("signals");
let long: string;
let longDigest: string;
let longBytes: number;
let served: string;

beforeAll(async () => {
  long = scratch.file(longRecording(BLOCKS, 30), "long.evts");
  const home = scratch.path();
  expect((await lyra(words(home))).code).toBe(0);
  longBytes = bytesOf(home);
  longDigest = digestOf(home).sha256;
  served = scratch.path();
  expect((await lyra(["replay", SAMPLE, "--home", served, "--quiet"])).code).toBe(0);
});
afterAll(() => scratch.remove());

const words = (home: string) => ["replay", long, "--home", home, "--quiet", "--segment-length", "100"];

/** Of the store and its log. */
const bytesOf = (home: string) =>
  ["lyra.db", "lyra.db-wal"].reduce(
    (sum, name) => sum + (statSync(join(home, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
/** Waits until a part of the whole is written, or the process is done, which is as good. */
const writes = (home: string, part: number, process: Pick<Lyra, "hasEnded">) =>
  eventually(() => bytesOf(home) > longBytes * part || process.hasEnded);

/** Nothing of a running process is left. */
function expectClosed(home: string, { err }: Ended): void {
  expect(err).not.toMatch(/\.ts\b| at .*:\d+/);
  const left = readdirSync(home).filter(
    (name) => !["lyra.db", "lyra.db-sums", "lock.db", "segments"].includes(name),
  );
  expect(left).toEqual([]);
  if (existsSync(segmentDirectory(home))) {
    expect(readdirSync(segmentDirectory(home)).filter((name) => !name.endsWith(".seg"))).toEqual([]);
  }
}

async function isFree(port: number): Promise<boolean> {
  try {
    const server = Bun.serve({ port, hostname: "127.0.0.1", reusePort: false, fetch: () => new Response() });
    await server.stop(true);
    return true;
  } catch {
    return false;
  }
}

describe("replay", () => {
  for (const [signal, parts] of [
    ["SIGTERM", [0.4, 0.9]],
    ["SIGINT", [0.65]],
  ] as const) {
    for (const part of parts) {
      test(`${signal} after ${part} of its bytes`, async () => {
        const home = scratch.path();
        const process = new Lyra(words(home));
        await writes(home, part, process);
        const ended = await process.stop(signal);
        // With luck it was just done.
        if (ended.code !== 0) expect(ended.code).toBe(INTERRUPTED);
        if (existsSync(home)) expectClosed(home, ended);
        const before = existsSync(join(home, "lyra.db")) ? (headOf(home)?.height ?? 0) : 0;
        expect((await lyra(words(home))).code).toBe(0);
        expect(headOf(home)!.height).toBe(BLOCKS);
        expect(before).toBeLessThanOrEqual(BLOCKS);
        expect(digestOf(home).sha256).toBe(longDigest);
      });
    }
  }

  test("says how far it came", async () => {
    const home = scratch.path();
    const process = new Lyra(["replay", long, "--home", home, "--json"]);
    // At the first pages that it writes: how long the rest takes is the machine's matter.
    const log = join(home, "lyra.db-wal");
    await eventually(() => (existsSync(log) && statSync(log).size > 0) || process.hasEnded);
    const { code, out } = await process.stop("SIGINT");
    expect(code).toBe(INTERRUPTED);
    expect(JSON.parse(out).height ?? 0).toBe(headOf(home)?.height ?? 0);
  });

  test("a second signal ends it at once", async () => {
    const home = scratch.path();
    const process = new Lyra(words(home));
    await writes(home, 0.5, process);
    process.kill("SIGINT");
    // Later than one that timeout(1) or npm sends besides.
    await anyMoment(300);
    process.kill("SIGINT");
    const { code } = await process.stop("SIGINT");
    // By the first one, or by the runtime at once.
    expect([0, INTERRUPTED, null]).toContain(code);
  });

  test("a signal that comes twice at once, as from timeout(1) and npm, is one", async () => {
    const home = scratch.path();
    const process = new Lyra(words(home));
    await eventually(() => existsSync(join(home, "lyra.pid")) || process.hasEnded);
    await writes(home, 0.25, process);
    process.kill("SIGTERM");
    await anyMoment(3);
    const ended = await process.stop("SIGTERM");
    // Killed, it has none; on a busy machine it may be done before.
    expect([0, INTERRUPTED]).toContain(ended.code!);
    expectClosed(home, ended);
  });
});

describe("serve", () => {
  for (const signal of SIGNALS) {
    const code = signal === "SIGINT" ? INTERRUPTED : 0;

    test(`${signal} while it loads`, async () => {
      const home = scratch.path();
      const node = new ServingLyra([...words(home), "--serve"]);
      const { port } = await node.listening();
      await writes(home, 0.33, node);
      const ended = await node.stop(signal);
      expect(await isFree(port)).toBe(true);
      expect([ended.code, ended.err]).toEqual([code, expect.not.stringContaining("error")]);
      expectClosed(home, ended);
      expect((await lyra(words(home))).code).toBe(0);
      expect(digestOf(home).sha256).toBe(longDigest);
    });

    test(`${signal} twice at once while it serves`, async () => {
      const home = scratch.path();
      cpSync(served, home, { recursive: true });
      const node = new ServingLyra(["serve", "--home", home]);
      await node.listening();
      node.kill(signal);
      await anyMoment(3);
      const ended = await node.stop(signal);
      expect(ended.code).toBe(code);
      expectClosed(home, ended);
    });

    test(`${signal} while it serves, with clients that hold on`, async () => {
      const home = scratch.path();
      cpSync(served, home, { recursive: true });
      const node = new ServingLyra(["serve", "--home", home]);
      const { url, port } = await node.listening();
      await (await fetch(`${url}/api/v2/assets`)).text();
      const silent = connect(port, "127.0.0.1").on("error", () => {});
      const half = connect(port, "127.0.0.1").on("error", () => {});
      half.write("GET /api/v2/assets HTTP/1.1\r\nHost: x\r\n");
      const slow = await fetch(
        `${url}/api/v2/networkhistory/export?table=TABLE_BLOCKS&fromBlock=1&toBlock=3000`,
      );
      const reader = slow.body!.getReader();
      await reader.read();
      const ended = await node.stop(signal);
      expect(await isFree(port)).toBe(true);
      expect(ended.code).toBe(code);
      expectClosed(home, ended);
      await reader.cancel().catch(() => {});
      silent.destroy();
      half.destroy();
    });
  }

  test("a signal before it listens", async () => {
    const home = scratch.path();
    await load(home, SAMPLE);
    for (const afterMs of [0, 40, 80]) {
      const node = new ServingLyra(["serve", "--home", home]);
      await anyMoment(afterMs);
      await node.stop("SIGTERM");
      expect((await lyra(["doctor", "--home", home])).code).toBe(0);
    }
  });
});

const hasNohup = process.platform === "linux" && Bun.which("nohup") !== null;
if (!hasNohup) console.log("locking-signals.test: skipped, there is no nohup here whose wish could be seen");

if (!hasNohup) test.skip("nohup", () => {});
else
  test("a node started by nohup outlives its terminal", async () => {
    const home = scratch.path();
    cpSync(served, home, { recursive: true });
    const words = ["serve", "--home", home, "--data-port", "0", "--json", "--quiet"];
    const node = Bun.spawn(["nohup", ...PROGRAM, ...words], { stdout: "pipe", stderr: "ignore" });
    const first = await node.stdout.getReader().read();
    const { dataUrl } = JSON.parse(new TextDecoder().decode(first.value)) as { dataUrl: string };
    node.kill("SIGHUP");
    for (let n = 0; n < 20; n++) expect((await fetch(`${dataUrl}/healthz`)).status).toBe(200);
    expect(node.exitCode).toBeNull();
    node.kill("SIGTERM");
    expect(await node.exited).toBe(0);
  });
