// Random lives of the application hash: trees of entries with positions that were searched for, and states that go
// back, restart from their store and from snapshots, beside a model that works out every hash again.
//
//   bun scripts/state-fuzz.ts [--minutes 10] [--seed N] [--size 20000] [--only tree|state]
//
// A life that differs from the model prints its seed; `--seed N --minutes 0` repeats it alone. The exit code is 1 where one does.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { liveState, liveTree } from "../test/engine/state-life.ts";

const STEPS = 60;
const KINDS = ["tree", "state"] as const;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    size: { type: "string", default: "20000" },
    only: { type: "string" },
  },
});
const sizeMax = Number(values.size);
const endMs = performance.now() + Number(values.minutes) * 60_000;
const kinds = KINDS.filter((kind) => values.only === undefined || kind === values.only);
let seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);
const lives = { tree: 0, state: 0 };
const changes = { tree: 0, state: 0 };
let faults = 0;

async function live(kind: (typeof KINDS)[number]): Promise<number> {
  // Most lives are short: a hundred small trees meet more borders than one large one.
  if (kind === "tree") return liveTree(seed, seed % 50 === 0 ? sizeMax : seed % 5 === 0 ? 5_000 : 400);
  const home = mkdtempSync(join(tmpdir(), "lyra-fuzz-"));
  try {
    return await liveState(seed, STEPS, home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

do {
  for (const kind of kinds) {
    try {
      changes[kind] += await live(kind);
      lives[kind]++;
    } catch (error) {
      faults++;
      console.error(`${kind} --seed ${seed}:`, error);
    }
  }
  seed++;
} while (performance.now() < endMs && faults < 20);
console.log(JSON.stringify({ lives, changes, faults }));
if (faults > 0) process.exit(1);
