// lyra pow: make, check and measure proofs of work.
import { availableParallelism } from "node:os";
import {
  DIFFICULTY_MAX,
  leadingZeroBits,
  NONCE_MAX,
  proofHash,
  proofInputProblem,
} from "../chain/admission/pow/function.ts";
import { type Progress, type Search, Solver } from "../chain/admission/pow/solver.ts";
import { ExitCode, NodeError } from "../errors/node-error.ts";
import { COMMON, didYouMean, readArguments, usageError } from "./arguments.ts";
import { dim, green, grouped, onEndSignal, ProgressBar, red, say } from "./terminal.ts";

export const help = `lyra pow: make, check and measure proofs of work

  lyra pow solve BLOCK_HASH [TID] [--difficulty N] [--threads N]
  lyra pow verify BLOCK_HASH TID NONCE [--difficulty N]
  lyra pow bench [--threads N] [--seconds N]

  BLOCK_HASH            64 characters, as the network writes it: lower-case hex
  TID                   the proof's identifier; a new one if none is given
  --difficulty N        leading zero bits (default 15, the network's own)
  --threads N           worker threads (default: one for each core; 0: none)
  --start-nonce N       where the search begins (default 0: always the same)
  --seconds N           how long to measure each number of threads (default 2)
  --json                print the result as JSON
  --quiet               no progress

  verify ends with exit code 4 when the proof is too weak.
`;

const FLAGS = {
  ...COMMON,
  difficulty: { type: "string" },
  threads: { type: "string" },
  "start-nonce": { type: "string" },
  seconds: { type: "string" },
} as const;

/** The network's default (docs/protocol/40-pow-spam.md#21-proof-of-work). */
const DIFFICULTY_DEFAULT = 15;
const THREADS_MAX = 256;
const SECONDS_MAX = 600;
/** Until a thread's WebAssembly is compiled well, milliseconds. */
const WARM_UP_MS = 300;
/** Until all threads are at work again, milliseconds. */
const WAKING_MS = 20;
/** Of one measurement: neighbours on a shared machine come and go within a second. */
const TURN_MS = 250;
/** Random bytes behind a new identifier, as in the original's wallet (docs/protocol/40-pow-spam.md#6-wallet-side-algorithm). */
const TID_BYTES = 10;

type Values = ReturnType<typeof readValues>["values"];
const readValues = (argv: string[]) => readArguments("pow", argv, FLAGS);

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = readValues(argv);
  const [verb, ...words] = positionals;
  if (verb === "solve") return solve(words, values);
  if (verb === "verify") return verify(words, values);
  if (verb === "bench") return bench(words, values);
  throw usageError(
    "pow",
    verb === undefined
      ? "say solve, verify or bench"
      : `there is no 'pow ${verb}'${didYouMean(verb, ["solve", "verify", "bench"])}`,
  );
}

async function solve(words: string[], values: Values): Promise<number> {
  const [blockHash, tid = newTid(), ...more] = words;
  if (blockHash === undefined || more.length > 0)
    throw usageError("pow", "solve takes a block hash and an identifier");
  const difficulty = difficultyOf(values);
  const startNonce = nonceOf(values["start-nonce"] ?? "0");
  const solver = new Solver({ nowMs: () => performance.now(), ...threadsOf(values) });
  const bar = new ProgressBar("solving", values.quiet || values.json ? false : undefined);
  try {
    const search = solver.start({ blockHash, tid, difficulty, startNonce });
    const { nonce, ...found } = await watched(search, ({ attempts, ratePerSecond }) => {
      // A search has no memory: this is how likely it was to have ended by now.
      const likely = 1 - Math.exp(-attempts / 2 ** difficulty);
      bar.update(likely, `${grouped(attempts)} nonces, ${grouped(ratePerSecond)} a second`);
    });
    bar.clear();
    if (values.json) print({ blockHash, tid, nonce: nonce.toString(), ...found });
    else {
      process.stdout.write(`${tid} ${nonce}\n`);
      const time = `${found.elapsedMs.toFixed(0)} ms, ${grouped(found.ratePerSecond)} a second`;
      if (!values.quiet)
        say(
          dim(`${found.hash}: ${found.difficulty} zero bits; ${grouped(found.attempts)} nonces in ${time}`),
        );
    }
    return ExitCode.done;
  } finally {
    bar.clear();
    solver.close();
  }
}

async function verify(words: string[], values: Values): Promise<number> {
  const [blockHash, tid, nonceText, ...more] = words;
  if (blockHash === undefined || tid === undefined || nonceText === undefined || more.length > 0) {
    throw usageError("pow", "verify takes a block hash, an identifier and a nonce");
  }
  const wanted = difficultyOf(values);
  const proof = { blockHash, tid, nonce: nonceOf(nonceText) };
  const problem = proofInputProblem(proof);
  if (problem !== undefined) throw new NodeError("pow.verify", "proof_invalid", problem);
  const hash = proofHash(proof);
  const difficulty = leadingZeroBits(hash);
  const isValid = difficulty >= wanted;
  const hex = Buffer.from(hash).toString("hex");
  if (values.json) print({ valid: isValid, difficulty, wanted, hash: hex });
  else
    process.stdout.write(
      `${isValid ? green("valid") : red("too weak")}: ${difficulty} of ${wanted} zero bits, ${hex}\n`,
    );
  return isValid ? ExitCode.done : ExitCode.verificationFailed;
}

async function bench(words: string[], values: Values): Promise<number> {
  if (words.length > 0) throw usageError("pow", "bench takes flags only");
  const seconds = wholeNumber("--seconds", values.seconds ?? "2", 1, SECONDS_MAX);
  const most = threadsOf(values).threads ?? availableParallelism();
  const counts = [...new Set([Math.min(1, most), most])];
  const turns = await ratesInTurns(counts, Math.ceil((seconds * 1000) / TURN_MS));
  const rates = counts.map((threads, i) => ({ threads, ratePerSecond: Math.round(middleOf(turns[i]!)) }));
  // Of turns side by side, not of the two rates: a machine that changes its speed does so for both.
  const gain = middleOf(turns.at(-1)!.map((rate, turn) => rate / turns[0]![turn]!));
  if (values.json) print({ seconds, rates, ...(counts.length > 1 && { gain: Number(gain.toFixed(3)) }) });
  else {
    for (const [i, { threads, ratePerSecond }] of rates.entries()) {
      const times = i > 0 ? `, ${gain.toFixed(2)} times one` : "";
      const name = `${threads} thread${threads === 1 ? " " : "s"}`;
      process.stdout.write(`${name}  ${grouped(ratePerSecond)} nonces a second${times}\n`);
    }
  }
  return ExitCode.done;
}

/**
 * Searches for what is not to be found, and counts: every number of threads in turn, and so again and again.
 * @returns nonces a second, by number of threads and turn
 */
async function ratesInTurns(counts: readonly number[], turns: number): Promise<number[][]> {
  const solvers = counts.map((threads) => new Solver({ nowMs: () => performance.now(), threads }));
  try {
    const rates = counts.map((): number[] => []);
    for (const solver of solvers) await rateOf(solver, WARM_UP_MS);
    for (let turn = 0; turn < turns; turn++) {
      for (const [i, solver] of solvers.entries()) rates[i]!.push(await rateOf(solver, TURN_MS));
    }
    return rates;
  } finally {
    for (const solver of solvers) solver.close();
  }
}

async function rateOf(solver: Solver, durationMs: number): Promise<number> {
  const search = solver.start({ blockHash: "0".repeat(64), tid: "0".repeat(64), difficulty: 128 });
  const ended = search.solution.catch(() => {});
  try {
    await Bun.sleep(WAKING_MS);
    const before = search.progress();
    await Bun.sleep(durationMs);
    const after = search.progress();
    return ((after.attempts - before.attempts) * 1000) / (after.elapsedMs - before.elapsedMs);
  } finally {
    search.cancel();
    await ended;
  }
}

function middleOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [below, above] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
  return (below + above) / 2;
}

/** Waits for a search, shows how far it is, and cancels it when asked to stop. */
async function watched(search: Search, show: (progress: Progress) => void) {
  const timer = setInterval(() => show(search.progress()), 100);
  const forget = onEndSignal(search.cancel);
  try {
    return await search.solution;
  } finally {
    clearInterval(timer);
    forget();
  }
}

function newTid(): string {
  return new Bun.CryptoHasher("sha3-256")
    .update(crypto.getRandomValues(new Uint8Array(TID_BYTES)))
    .digest("hex");
}

function difficultyOf(values: Values): number {
  return wholeNumber("--difficulty", values.difficulty ?? String(DIFFICULTY_DEFAULT), 0, DIFFICULTY_MAX);
}

function threadsOf(values: Values): { threads?: number } {
  return values.threads === undefined
    ? {}
    : { threads: wholeNumber("--threads", values.threads, 0, THREADS_MAX) };
}

function wholeNumber(title: string, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw usageError("pow", `${title} must be a whole number from ${least} to ${most}`);
}

function nonceOf(text: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value >= 0n && value <= NONCE_MAX) return value;
  throw usageError("pow", "a nonce is a whole number below 2^64");
}

function print(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}
