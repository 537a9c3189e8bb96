// Kills `lyra history fetch`, `lyra backup` and `lyra restore` at random moments, again and again: a home is whole or as it
// was, a backup is whole or not there, and the next run ends the work.
//   bun scripts/history-crash-rig.ts [--rounds 100] [--seed 1] [--binary dist/lyra]
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { digestOf, SAMPLE } from "../test/rig/homes.ts";
import { Lyra, SOURCES } from "../test/rig/lyra.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    binary: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const program = values.binary === undefined ? SOURCES : [resolve(values.binary)];
const folder = mkdtempSync(join(tmpdir(), "lyra-history-crash-"));
const start = (words: readonly string[]) => new Lyra([...words, "--quiet"], { program });

let state = Number(values.seed) >>> 0;
/** From 0 to 1, the same each time for a seed. */
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

function check(isRight: boolean, text: string): void {
  if (!isRight) throw new Error(text);
}

/** Runs a command, kills it at random until it is done. @returns the kills @param look after each */
async function untilDone(words: readonly string[], msMax: number, look: () => void): Promise<number> {
  for (let kills = 0; ; kills++) {
    const running = start(words);
    const killed = Bun.sleep(random() * msMax).then(() => running.kill("SIGKILL"));
    const { code, err } = await running.end();
    await killed;
    look();
    if (code === 0) return kills;
    check(code === null, `${words.join(" ")} ended with ${code}: ${err}`);
  }
}

const home = join(folder, "home");
const load = await start(["replay", SAMPLE, "--home", home, "--segment-length", "50"]).end();
check(load.code === 0, load.err);
const whole = digestOf(home).sha256;
const configOut = join(folder, "where.json");
const node = start(["serve", "--home", home, "--data-port", "0", "--config-out", configOut]);
while (!existsSync(configOut)) await Bun.sleep(20);
const { dataUrl } = (await Bun.file(configOut).json()) as { dataUrl: string };
const kills = { fetch: 0, backup: 0, restore: 0 };
try {
  for (let round = 1; round <= rounds; round++) {
    const into = join(folder, "fetched");
    mkdirSync(into);
    const isWholeOrEmpty = (at: string) => () => {
      if (existsSync(join(at, "lyra.db")))
        check(digestOf(at).sha256 === whole, `${at} is neither whole nor empty`);
    };
    kills.fetch += await untilDone(
      ["history", "fetch", "--from", dataUrl, "--home", into],
      1_500,
      isWholeOrEmpty(into),
    );
    check(digestOf(into).sha256 === whole, "the fetched home is another one");
    const backups = join(folder, "backups");
    mkdirSync(backups);
    const file = join(backups, "b.tar");
    const isWhole = () => {
      if (!existsSync(file)) return;
      const checked = join(folder, "checked");
      const { exitCode } = Bun.spawnSync([...program, "restore", file, "--home", checked, "--quiet"]);
      rmSync(checked, { recursive: true, force: true });
      check(exitCode === 0, "there is a backup that is not whole");
    };
    kills.backup += await untilDone(["backup", "--home", home, "--out", file, "--force"], 700, isWhole);
    check(readdirSync(backups).length === 1, "a backup left something behind");
    const restored = join(folder, "restored");
    kills.restore += await untilDone(["restore", file, "--home", restored], 1_000, () => {
      isWholeOrEmpty(restored)();
      // Killed behind its last step: the next one would refuse a home that is whole.
      if (existsSync(join(restored, "lyra.db"))) rmSync(restored, { recursive: true, force: true });
    });
    for (const path of [into, backups, restored]) rmSync(path, { recursive: true, force: true });
    console.log(
      `round ${round}: ${kills.fetch} kills of fetch, ${kills.backup} of backup, ${kills.restore} of restore`,
    );
  }
} finally {
  await node.stop();
  rmSync(folder, { recursive: true, force: true });
}
