// Runs the tests: `npm test`, and with --slow those that take long (`npm run test:slow`). Words select files by name.
//
//   bun scripts/test.ts [WORD...]          the default suite, on the executable
//   bun scripts/test.ts --slow [WORD...]   every slow part, or those whose names hold a word
//   bun scripts/test.ts --pages            the slow tests of the page in a browser, and of the others one by the date
//   bun scripts/test.ts --slow-today       one slow part, for at most a minute, or one rig of the executable, by the date
//   bun scripts/test.ts --timings          the default suite, and its durations written to test/timings.json
import { readFileSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative, resolve } from "node:path";
import { Glob } from "bun";
import { LENGTH, SEED } from "../test/support/seed.ts";

const ROOT = resolve(import.meta.dir, "..");
const TIMINGS = "test/timings.json";
/** Bounds the slow part of a day. */
const PART_SECONDS_MAX = 60;
const DAY_MS = 86_400_000;
const BUN = process.execPath;
const PROGRAM = "dist/lyra";

interface Part {
  readonly name: string;
  readonly command: readonly string[];
}

/** Settings of the preloaded file are lost behind the first file of a process that runs several. */
const timeout = ["--timeout", "120000"];
/**
 * A process more than cores: some tests wait, and each further process compiles the same code once more. Files share a
 * process's modules, so most load nothing.
 */
const parallel = [`--parallel=${availableParallelism() + 1}`, "--no-isolate", ...timeout];

const slowFilesOf = (name: string) => [...new Glob(`test/**/*${name}.slow.test.ts`).scanSync(ROOT)].sort();

/**
 * Tests in a browser, which wait for frames and for each other's processes: those of the page and the wallet's page each time, of the
 * others one by the date. The two longest, with the demonstration, have a process each, beside as many as there are cores.
 */
function pageCommands(): string[][] {
  const files = ["page", "pages"].flatMap(slowFilesOf);
  const isOfPage = (file: string) => file.startsWith("test/web/");
  const isOverDemo = (file: string) => readFileSync(join(ROOT, file), "utf8").includes("borrowDemo(");
  const others = files.filter((file) => !isOfPage(file));
  const command = (chosen: readonly string[], ...flags: string[]) => [
    ...[BUN, "test", "--path-ignore-patterns", "examples/**", "--no-isolate", ...timeout, ...flags],
    ...chosen.map((file) => `./${file}`),
  ];
  return [
    ...files.filter(isOverDemo).map((file) => command([file])),
    command(
      [...files.filter((file) => isOfPage(file) && !isOverDemo(file)), others[today() % others.length]!],
      `--parallel=${availableParallelism()}`,
      `--timings=${TIMINGS}`,
    ),
  ];
}

/** Days since 1970. */
const today = () => Math.floor(Date.now() / DAY_MS);

function slowParts(): Part[] {
  const files = slowFilesOf("");
  const slowFiles = files.map((file): Part => {
    // The configured patterns keep slow files out.
    const command = [BUN, "test", "--path-ignore-patterns", "examples/**", `./${file}`];
    return { name: relative("test", file).replace(".slow.test.ts", ""), command };
  });
  return [
    ...slowFiles,
    { name: "random tests at full length", command: [BUN, "test", ...parallel] },
    rig("simulate", "--sequences", "100000", "--seed", String(SEED)),
    rig("simulate-markets", "--sequences", "10000", "--seed", String(SEED)),
    rig("long-runs"),
    rig("state-fuzz"),
    rig("refusals"),
    rig("wallet-damage"),
    rig("wallet-crash-rig"),
  ];
}

/** Rigs of the executable, as long as a day's run has time for. */
const RIGS: readonly Part[] = [
  rig("crash-rig", "--rounds", "12", "--binary", PROGRAM),
  rig("devnet-crash-rig", "--rounds", "12", "--binary", PROGRAM),
  rig("package-rig", "--nodes", "18,22"),
  rig("openapi-clients", "--binary", PROGRAM),
];

function rig(name: string, ...words: string[]): Part {
  return { name, command: [BUN, `scripts/${name}.ts`, ...words] };
}

/** The rigs and the slow parts in turns: each rig comes every eight days. */
async function runToday(parts: readonly Part[]): Promise<number> {
  const day = today();
  const turn = Math.floor(day / 2);
  const part = day % 2 === 0 ? RIGS[turn % RIGS.length]! : parts[turn % parts.length]!;
  console.log(`part of the day: ${part.name} (LYRA_TEST_SEED=${SEED})`);
  return day % 2 === 0 ? run(part.command, 1) : runForAWhile(part);
}

/** A folder without a disk under it, where there is room: tests commit thousands of blocks to temporary homes. */
function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize >= MEMORY_BYTES_MIN ? "/dev/shm" : undefined;
  } catch {
    return undefined;
  }
}
const MEMORY_BYTES_MIN = 2 * 1024 ** 3;
const memory = memoryFolder();

/**
 * For the just-in-time compiler: a test runs most code too seldom for what compiling it costs. Later it is compiled, and
 * not by the last stage: a seventh of the suite's processor time.
 */
const SHORT_RUNS = {
  BUN_JSC_useFTLJIT: "0",
  BUN_JSC_thresholdForJITAfterWarmUp: "2000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "5000",
};

const environment = (length: number, more: Readonly<Record<string, string>>) => ({
  ...process.env,
  ...more,
  ...(memory !== undefined && { TMPDIR: memory }),
  ...(length < 1 && SHORT_RUNS),
  LYRA_TEST_PROGRAM: PROGRAM,
  LYRA_TEST_SEED: String(SEED),
  LYRA_TEST_LENGTH: String(length),
});

/** @returns the exit code */
async function run(
  command: readonly string[],
  length: number,
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: environment(length, more),
    stdio: ["ignore", "inherit", "inherit"],
  });
  return child.exited;
}

/** Runs a part until it ends or its time has passed. A part that is cut off has passed if nothing has failed by then. */
async function runForAWhile({ command }: Part): Promise<number> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: environment(1, {}),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let isCutOff = false;
  const timer = setTimeout(() => {
    isCutOff = true;
    child.kill("SIGTERM");
  }, PART_SECONDS_MAX * 1_000);
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(timer);
  const hasFailed = isCutOff ? /^\(fail\)/m.test(err) : code !== 0;
  if (hasFailed) console.log(out + err);
  else if (isCutOff) console.log(`cut off after ${PART_SECONDS_MAX} s; nothing has failed by then`);
  return hasFailed ? 1 : 0;
}

async function main(): Promise<number> {
  const words = process.argv.slice(2);
  const [isSlow, isToday, isTimed, isPages] = ["--slow", "--slow-today", "--timings", "--pages"].map((flag) =>
    words.includes(flag),
  );
  const filters = words.filter((word) => !word.startsWith("--"));
  const built = await run([BUN, "scripts/build.ts", "--if-changed"], 1);
  if (built !== 0) return built;
  const parts = slowParts();
  // As short as the default suite's files: compiled no better than those.
  if (isPages)
    return Math.max(...(await Promise.all(pageCommands().map((each) => run(each, 1, SHORT_RUNS)))));
  if (isToday) return runToday(parts);
  if (!isSlow) {
    console.log(`random tests: LYRA_TEST_SEED=${SEED} LYRA_TEST_LENGTH=${LENGTH}`);
    const timings = [`--timings=${TIMINGS}`, ...(isTimed ? ["--update-timings"] : [])];
    return run([BUN, "test", ...parallel, ...timings, ...filters], LENGTH);
  }
  const failed: string[] = [];
  for (const part of parts.filter(({ name }) => filters.every((word) => name.includes(word)))) {
    console.log(`\n== ${part.name} (LYRA_TEST_SEED=${SEED})`);
    if ((await run(part.command, 1)) !== 0) failed.push(part.name);
  }
  console.log(failed.length === 0 ? "\nevery slow part has passed" : `\nfailed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}

process.exit(await main());
