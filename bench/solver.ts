/**
 * Rate of the proof-of-work solver, against the network's own JavaScript package and against OpenSSL's SHA3-256.
 *
 * `bun bench/solver.ts [--rounds N] [--binary dist/lyra]` prints one JSON line. The rates are medians of rounds in
 * which each side has a turn, because a shared machine changes speed between minutes; the ratios are of the same
 * round. Work on one core is measured by processor time, as `openssl speed` does it, so that a neighbour does not
 * count; two threads and the executable are measured by the clock, which needs a quiet machine; so is
 * the package where it is held against the executable. A 64-byte message takes OpenSSL one permutation, as an attempt
 * takes the solver.
 */
import { HASH_FUNCTION } from "../src/chain/admission/pow/function.ts";
import { openSearch } from "../src/chain/admission/pow/nonce-search.ts";
import { Solver } from "../src/chain/admission/pow/solver.ts";
import { argument, median, processorMs } from "./support.ts";

const ROUNDS = Number(argument("--rounds") ?? 20);
const binary = argument("--binary");
/** A difficulty that is not to be found, so that both sides search to the end; the package takes no difficulty above 50. */
const TASK = { blockHash: "d".repeat(64), tid: "7".repeat(64), difficulty: 50 };
/** Short turns: what is held against each other is measured within a second, before a neighbour comes or goes. */
const MEASURE_MS = 300;
const WARM_UP_MS = 100;
const OPENSSL_BYTES = 64;

type Measure = () => Promise<number | undefined>;

/** Processor time of all threads of this process, nanoseconds. */
const processorNs = () => 1e6 * processorMs();

/** Attempts a second of a search on this thread. */
async function kernel(): Promise<number> {
  const search = openSearch(TASK, TASK.difficulty);
  const count = 1 << 20;
  const begin = processorNs();
  search.search(BigInt(Bun.nanoseconds()), count);
  return (count * 1e9) / (processorNs() - begin);
}

/** Their threads stay: their code is compiled in the round that does not count. */
const solvers = [1, 2].reduce<Solver[]>((all, threads) => {
  all[threads] = new Solver({ nowMs: () => performance.now(), threads });
  return all;
}, []);

/** Nonces tried, and in how many nanoseconds. */
interface Work {
  readonly attempts: number;
  readonly ns: number;
}

const rateOf = ({ attempts, ns }: Work) => (attempts * 1e9) / ns;
const clockNs = () => Bun.nanoseconds();

async function searched(threads: number, nowNs: () => number, warmUpMs: number, ms: number): Promise<Work> {
  const search = solvers[threads]!.start({ ...TASK, difficulty: 128 });
  const ended = search.solution.catch(() => {});
  await Bun.sleep(warmUpMs);
  const [before, begin] = [search.progress(), nowNs()];
  await Bun.sleep(ms);
  const [after, end] = [search.progress(), nowNs()];
  search.cancel();
  await ended;
  return { attempts: after.attempts - before.attempts, ns: end - begin };
}

const solver =
  (threads: number, nowNs: () => number): Measure =>
  async () =>
    rateOf(await searched(threads, nowNs, WARM_UP_MS, MEASURE_MS));

// A name that is not known to the compiler: the benchmark runs without the package, too.
const packageName = "@vegaprotocol/crypto/pow";
const pack = await import(packageName).catch(() => undefined);
if (pack !== undefined && pack.name !== HASH_FUNCTION)
  throw new Error(`the package searches with ${pack.name}`);

/** The public package's solver: `@vegaprotocol/crypto`. */
async function vegaSearched(nowNs: () => number, count: bigint): Promise<Work> {
  const start = BigInt(Bun.nanoseconds());
  const begin = nowNs();
  await pack.solve(TASK.difficulty, TASK.blockHash, TASK.tid, start, start + count);
  return { attempts: Number(count), ns: nowNs() - begin };
}

const vegaByClock: Measure = async () =>
  pack === undefined ? undefined : rateOf(await vegaSearched(clockNs, 1n << 18n));

/** Permutations a second; with several processes by the clock, and so what the machine itself gives to them. */
const openssl =
  (processes = 1): Measure =>
  async () => {
    const words = ["speed", "-evp", "sha3-256", "-bytes", String(OPENSSL_BYTES), "-seconds", "1"];
    if (processes > 1) words.push("-multi", String(processes));
    const { stdout, success } = Bun.spawnSync(["openssl", ...words], { stderr: "ignore" });
    const thousands = /([\d.]+)k\s*$/.exec(stdout.toString().trimEnd())?.[1];
    return success && thousands ? (Number(thousands) * 1000) / OPENSSL_BYTES : undefined;
  };

/** The executable by `lyra pow bench`: nonces a second on one thread, and how many times that all threads give. */
const executable =
  (path: string, threads: number): Measure =>
  async () => {
    const words = ["pow", "bench", "--json", "--seconds", "1", "--threads", String(threads)];
    const { stdout } = Bun.spawnSync([path, ...words], { stderr: "inherit" });
    const { rates, gain } = JSON.parse(stdout.toString()) as {
      rates: { ratePerSecond: number }[];
      gain?: number;
    };
    return threads === 1 ? rates[0]!.ratePerSecond : gain;
  };

const PAIR_TURNS = 8;
const PAIR_TURN_MS = 60;
const PAIR_NONCES = 1n << 15n;

/** A thread of the solver and the package in turns of a sixteenth of a second, by processor time. */
async function pair(): Promise<{ vega: number; ratioToVega: number } | undefined> {
  if (pack === undefined) return undefined;
  const ours: Work[] = [];
  const theirs: Work[] = [];
  for (let turn = 0; turn < PAIR_TURNS; turn++) {
    ours.push(await searched(1, processorNs, PAIR_TURN_MS / 5, PAIR_TURN_MS));
    theirs.push(await vegaSearched(processorNs, PAIR_NONCES));
  }
  const together = (all: readonly Work[]) =>
    rateOf(all.reduce((a, b) => ({ attempts: a.attempts + b.attempts, ns: a.ns + b.ns })));
  const vega = together(theirs);
  return { vega, ratioToVega: together(ours) / vega };
}

/** In this order, so that neighbours can be held against each other. */
const measures: Readonly<Record<string, Measure>> = {
  kernel,
  oneThread: solver(1, processorNs),
  openssl: openssl(),
  ...(binary && { executableOne: executable(binary, 1) }),
  vegaByClock,
  opensslTwo: openssl(2),
  ...(binary && { executableGain: executable(binary, 2) }),
  oneThreadByClock: solver(1, clockNs),
  twoThreadsByClock: solver(2, clockNs),
};

const rounds: Record<string, number | undefined>[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  const rates: Record<string, number | undefined> = {};
  for (const [name, measure] of Object.entries(measures)) rates[name] = await measure();
  Object.assign(rates, await pair());
  if (round > 0) rounds.push(rates); // the first one is for the compilers
}
for (const ours of solvers) ours?.close();

/** Median over the rounds; undefined where something could not be measured. */
function medianOf(value: (rates: Record<string, number | undefined>) => number | undefined) {
  const values = rounds.map(value).filter((rate) => rate !== undefined && !Number.isNaN(rate));
  return values.length > 0 ? median(values as number[]) : undefined;
}
const ratio = (name: string, other: string) => {
  const value = medianOf((rates) => rates[name]! / rates[other]!);
  return value === undefined ? undefined : Number(value.toFixed(2));
};
const { executableGain, ...rateNames } = measures;
const perSecond = Object.fromEntries(
  [...Object.keys(rateNames), "vega"].map((name) => [
    name,
    Math.round(medianOf((rates) => rates[name]) ?? 0) || null,
  ]),
);

console.log(
  JSON.stringify({
    name: "solver",
    rounds: ROUNDS,
    perSecond,
    ratioToVega: Number(medianOf((rates) => rates.ratioToVega)?.toFixed(2)) || undefined,
    ratioToOpenssl: ratio("oneThread", "openssl"),
    ratioOfTwoThreads: ratio("twoThreadsByClock", "oneThreadByClock"),
    opensslRatioOfTwo: ratio("opensslTwo", "openssl"),
    ...(binary
      ? {
          executableRatioToVega: ratio("executableOne", "vegaByClock"),
          executableRatioToOpenssl: ratio("executableOne", "openssl"),
          executableRatioOfTwoThreads: Number(medianOf((rates) => rates.executableGain)!.toFixed(2)),
        }
      : {}),
  }),
);
