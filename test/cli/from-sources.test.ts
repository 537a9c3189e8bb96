// The program as `npm start` runs it: from the sources, threads and all. The other tests run what `npm test` has built.
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openReader } from "../../src/store/database.ts";
import { isRunning } from "../package/program.ts";
import { MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import { ListeningLyra, lyra, ServingLyra, SOURCES } from "../rig/lyra.ts";
import { eventually } from "../support/eventually.ts";

const scratch = new Scratch("from-sources", MEMORY);
afterAll(() => scratch.remove());

test("a devnet makes blocks, and is found by its tools", async () => {
  const home = scratch.path();
  const words = ["devnet", "--home", home, "--node-port", "0", "--data-port", "0", "--faucet-port", "0"];
  const devnet = new ListeningLyra<{ nodeUrl: string; dataUrl: string }>(words, { program: SOURCES });
  const { nodeUrl, dataUrl } = await devnet.listens();
  const mined = await lyra(["devnet", "mine", "3", "--home", home], { program: SOURCES });
  expect([mined.code, mined.err]).toEqual([0, ""]);
  const { height } = (await (await fetch(`${nodeUrl}/blockchain/height`)).json()) as { height: string };
  expect(Number(height)).toBeGreaterThanOrEqual(3);
  const { ok, headers } = await fetch(`${dataUrl}/api/v2/epoch`);
  expect([ok, headers.get("x-block-height")]).toEqual([true, height]);
  expect((await devnet.stop()).code).toBe(0);
});

test("npm start takes the words behind --, a chain's name, start and seed, keeps nothing where that is said, and ends with npm", async () => {
  const chain = ["--chain-id", "mine", "--start-time", "2030-01-01T00:00:00Z", "--seed", "7"];
  const words = ["--temporary", "--port", "0", ...chain];
  const devnet = new ListeningLyra<{ nodeUrl: string; home: string; pid: number }>(words, {
    program: ["npm", "start", "--"],
    cwd: join(import.meta.dir, "../.."),
  });
  const { nodeUrl, home, pid } = await devnet.listens();
  expect(home).not.toContain(join(".lyra", "devnet"));
  const { statistics } = (await (await fetch(`${nodeUrl}/statistics`)).json()) as {
    statistics: { chainId: string; genesisTime: string };
  };
  expect(statistics).toMatchObject({ chainId: "mine", genesisTime: "2030-01-01T00:00:00Z" });
  // The signal reaches npm alone, as from a supervisor.
  devnet.kill("SIGTERM");
  await eventually(() => !isRunning(pid)).finally(() => isRunning(pid) && process.kill(pid));
  await devnet.end();
});

test("a recording is loaded, segments are made, and it is served", async () => {
  const home = scratch.path();
  const words = ["replay", SAMPLE, "--serve", "--segment-length", "100", "--home", home];
  const serving = new ServingLyra(words, { program: SOURCES });
  const { url } = await serving.listening();
  await eventually(async () => (await fetch(`${url}/readyz`)).ok);
  const countSegments = async () => {
    const answer = await fetch(`${url}/api/v2/networkhistory/segments`);
    return ((await answer.json()) as { segments: object[] }).segments.length;
  };
  // By a thread of its own, when the recording is loaded.
  await eventually(async () => (await countSegments()) !== 0);
  expect((await serving.stop()).code).toBe(0);
  const db = openReader(home);
  const { blocks } = db.prepare("SELECT count(*) AS blocks FROM blocks").get() as { blocks: number };
  db.close();
  expect(Number(blocks)).toBeGreaterThan(100);
});
