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
import { command, type ValuesOf } from "./command/command.ts";
import { usageError, wholeNumber } from "./command/usage-error.ts";
import { POW_FLAGS } from "./flags.ts";
import { dim, green, grouped, onEndSignal, ProgressBar, red, say } from "./terminal.ts";

/** The network's default (docs/protocol/40-pow-spam.md#21-proof-of-work). */
const DIFFICULTY_DEFAULT = 15;
/** A nonce has 64 bits: of a proof with more there is hardly one. */
const SOLVED_BITS_MAX = 64;
const THREADS_MAX = 256;
const SECONDS_MAX = 600;
/** Milliseconds until a thread's WebAssembly is optimised. */
const WARM_UP_MS = 300;
/** Milliseconds until all threads work again. */
const WAKING_MS = 20;
/** Milliseconds of one measurement: shorter than the load of neighbours on a shared machine lasts. */
const TURN_MS = 250;
/** Random bytes behind a new identifier, as in the original's wallet (docs/protocol/40-pow-spam.md#6-wallet-side-algorithm). */
const TID_BYTES = 10;

type Values = ValuesOf<typeof POW_FLAGS>;

const BLOCK_HASH = { text: "64 characters, as the network writes it: lower-case hex" };

export const solve = command({
  words: { BLOCK_HASH, TID: { text: "the proof's identifier (default: a new one)", optional: true } },
  flags: POW_FLAGS,
  json: "{blockHash, tid, nonce, hash, difficulty, threads, attempts, elapsedMs, ratePerSecond}",
  wrongWords: () => "solve takes a block hash and an identifier",
  async run({ words: { BLOCK_HASH: blockHash, TID: tid = newTid() }, values }) {
    const difficulty = difficultyOf(values, SOLVED_BITS_MAX);
    const startNonce = nonceOf(values["start-nonce"] ?? "0");
    const solver = new Solver({ nowMs: () => performance.now(), ...threadsOf(values) });
    const bar = new ProgressBar("solving", values.quiet || values.json ? false : undefined);
    try {
      const search = solver.start({ blockHash, tid, difficulty, startNonce });
      const { nonce, ...solution } = await awaitSearch(search, ({ attempts, ratePerSecond }) => {
        // A search has no memory: show the probability of having ended by now.
        const likely = 1 - Math.exp(-attempts / 2 ** difficulty);
        bar.update(likely, `${grouped(attempts)} nonces, ${grouped(ratePerSecond)} a second`);
      });
      bar.clear();
      if (values.json) print({ blockHash, tid, nonce: nonce.toString(), ...solution });
      else {
        process.stdout.write(`${tid} ${nonce}\n`);
        const time = `${solution.elapsedMs.toFixed(0)} ms, ${grouped(solution.ratePerSecond)} a second`;
        if (!values.quiet)
          say(
            dim(
              `${solution.hash}: ${solution.difficulty} zero bits; ${grouped(solution.attempts)} nonces in ${time}`,
            ),
          );
      }
      return ExitCode.done;
    } finally {
      bar.clear();
      solver.close();
    }
  },
});

export const verify = command({
  words: { BLOCK_HASH, TID: { text: "the proof's identifier" }, NONCE: { text: "the proof" } },
  flags: POW_FLAGS,
  notes: "  Exit code 4 when the proof is too weak.",
  json: "{valid, difficulty, wanted, hash}; exit code 4 when it is too weak",
  wrongWords: () => "verify takes a block hash, an identifier and a nonce",
  run({ words: { BLOCK_HASH: blockHash, TID: tid, NONCE: nonceText }, values }) {
    const required = difficultyOf(values);
    const proof = { blockHash, tid, nonce: nonceOf(nonceText) };
    const problem = proofInputProblem(proof);
    if (problem !== undefined) throw new NodeError("pow.verify", "proof_invalid", problem);
    const hash = proofHash(proof);
    const difficulty = leadingZeroBits(hash);
    const isValid = difficulty >= required;
    const hex = Buffer.from(hash).toString("hex");
    if (values.json) print({ valid: isValid, difficulty, wanted: required, hash: hex });
    else
      process.stdout.write(
        `${isValid ? green("valid") : red("too weak")}: ${difficulty} of ${required} zero bits, ${hex}\n`,
      );
    return isValid ? ExitCode.done : ExitCode.verificationFailed;
  },
});

export const bench = command({
  flags: POW_FLAGS,
  json: "{seconds, rates: [{threads, ratePerSecond}], gain}; `gain` is all threads against one, measured in turns of a quarter of a second",
  wrongWords: () => "bench takes flags only",
  async run({ values }) {
    const seconds = wholeNumber("pow", "--seconds", values.seconds ?? "2", SECONDS_MAX, 1);
    const most = threadsOf(values).threads ?? availableParallelism();
    const counts = [...new Set([Math.min(1, most), most])];
    const turns = await ratesInTurns(counts, Math.ceil((seconds * 1000) / TURN_MS));
    const rates = counts.map((threads, i) => ({ threads, ratePerSecond: Math.round(medianOf(turns[i]!)) }));
    // Compare adjacent turns: changes of the machine's speed affect both.
    const gain = medianOf(turns.at(-1)!.map((rate, turn) => rate / turns[0]![turn]!));
    if (values.json) print({ seconds, rates, ...(counts.length > 1 && { gain: Number(gain.toFixed(3)) }) });
    else {
      for (const [i, { threads, ratePerSecond }] of rates.entries()) {
        const times = i > 0 ? `, ${gain.toFixed(2)} times one` : "";
        const name = `${threads} thread${threads === 1 ? " " : "s"}`;
        process.stdout.write(`${name}  ${grouped(ratePerSecond)} nonces a second${times}\n`);
      }
    }
    return ExitCode.done;
  },
});

/**
 * Measures searches that cannot succeed, with each number of threads in turn.
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

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [below, above] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
  return (below + above) / 2;
}

/** Awaits a search, shows its progress, and cancels it on a signal. */
async function awaitSearch(search: Search, show: (progress: Progress) => void) {
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

function difficultyOf(values: Values, most = DIFFICULTY_MAX): number {
  return wholeNumber("pow", "--difficulty", values.difficulty ?? String(DIFFICULTY_DEFAULT), most, 0);
}

function threadsOf(values: Values): { threads?: number } {
  return values.threads === undefined
    ? {}
    : { threads: wholeNumber("pow", "--threads", values.threads, THREADS_MAX, 0) };
}

function nonceOf(text: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : -1n;
  if (value >= 0n && value <= NONCE_MAX) return value;
  throw usageError("pow", "a nonce is a whole number below 2^64");
}

function print(document: unknown): void {
  process.stdout.write(`${JSON.stringify(document)}\n`);
}
