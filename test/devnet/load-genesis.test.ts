// A dump brings its genesis along, whatever becomes of the file beside the store.
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { newHome, removeHomes } from "../chain/rig.ts";
import { NO_HTTP, startTestDevnet } from "../support/test-devnet.ts";

afterAll(removeHomes);

const MANUAL = { mode: { kind: "manual" }, fund: false } as const;
const GENESIS_NS = 1_900_000_000_000_000_000n;

test("given a genesis file that cannot be written, when a dump is loaded, then the chain has its genesis, after a restart too", async () => {
  const source = await startTestDevnet({ oneThread: NO_HTTP, ...MANUAL, genesisTimeNs: GENESIS_NS });
  const dump = await source.chain.dump();
  await source.stop();
  const home = newHome();
  const problems: unknown[] = [];
  const onProblem = (error: unknown) => problems.push(error);
  const options = { ...MANUAL, home, onProblem };
  const first = await startTestDevnet({
    oneThread: NO_HTTP,
    ...options,
    genesisTimeNs: GENESIS_NS + 86_400_000_000_000n,
  });
  const file = join(home, "genesis.json");
  const before = readFileSync(file, "utf8");
  // Nothing can be written where a folder is.
  renameSync(file, `${file}.kept`);
  mkdirSync(file);
  const { height } = await first.chain.load(dump);
  expect(problems).toHaveLength(1);
  await first.stop();
  rmSync(file, { recursive: true });
  renameSync(`${file}.kept`, file);
  expect(readFileSync(file, "utf8")).toBe(before);
  const again = await startTestDevnet({ oneThread: NO_HTTP, ...options });
  expect(again.chain.status).toMatchObject({ height, genesisTimeNs: GENESIS_NS });
  await again.stop();
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(dump).genesis);
});
