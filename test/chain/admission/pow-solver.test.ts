// The solver: the same nonce on any number of threads, cancellation, and threads that are not to be had.
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { verifyProof } from "../../../src/chain/admission/pow/function.ts";
import { type ProofTask, Solver } from "../../../src/chain/admission/pow/solver.ts";
import { eventually } from "../../support/eventually.ts";
import { runs } from "../../support/seed.ts";
import { VECTORS, vector } from "./pow-vectors.ts";

/** The first nonce of vector 6's input that has ten zero bits (found with @noble/hashes). */
const FIRST_FOR_10 = 1_445n;
const nowMs = () => performance.now();
const solvers = [0, 1, 2, 3].map((threads) => new Solver({ nowMs, threads }));
afterAll(() => {
  for (const solver of solvers) solver.close();
});

const task = (changes: Partial<ProofTask> = {}): ProofTask => {
  const { blockHash, tid } = vector(6);
  return { blockHash, tid, difficulty: 10, ...changes };
};

describe.each(solvers.map((solver, threads) => [threads, solver] as const))("%d threads", (_, solver) => {
  test("finds the first nonce of every vector", async () => {
    for (const { blockHash, tid, nonce, hash, bits, firstFor } of VECTORS) {
      if (firstFor === undefined) continue;
      const proof = await solver.solve({ blockHash, tid, difficulty: firstFor });
      expect(proof).toMatchObject({ nonce, hash, difficulty: bits });
      expect(proof.attempts).toBeGreaterThanOrEqual(Number(nonce) + 1);
    }
  });

  test("begins where it is told to", async () => {
    const { nonce } = await solver.solve(task({ difficulty: 23, startNonce: 1_900_000n }));
    expect(nonce).toBe(1_903_233n);
  });

  test("several searches at once do not disturb each other", async () => {
    const hard = VECTORS.filter(({ firstFor }) => firstFor !== undefined && firstFor >= 12);
    const proofs = await Promise.all(
      hard.map(({ blockHash, tid, firstFor }) => solver.solve({ blockHash, tid, difficulty: firstFor! })),
    );
    expect(proofs.map(({ nonce }) => nonce)).toEqual(hard.map(({ nonce }) => nonce));
  });

  test("an easy search does not wait behind a hard one", async () => {
    await solver.solve({ blockHash: "b".repeat(64), tid: "wakes the threads", difficulty: 15 });
    const hard = solver.start({ blockHash: "b".repeat(64), tid: "hard", difficulty: 60 });
    const easy = Array.from({ length: 5 }, (_, at) =>
      solver.solve({ blockHash: "b".repeat(64), tid: `easy ${at}`, difficulty: 15 }),
    );
    const before = hard.progress().attempts;
    expect((await Promise.all(easy)).every(({ difficulty }) => difficulty >= 15)).toBe(true);
    // And the hard one goes on afterwards.
    await eventually(() => hard.progress().attempts > before);
    hard.cancel();
    // Not `expect(...).rejects`: the runner waits for that in a loop of its own, where a worker's message can get lost.
    const outcome = await hard.solution.catch((error: Error) => error.message);
    expect(outcome).toBe("the search was cancelled");
  });

  test("can be cancelled, and solves again after it", async () => {
    const stop = new AbortController();
    const search = solver.solve(task({ difficulty: 128 }), stop.signal);
    // A second one beside it is found: the threads are at work.
    expect(await solver.solve(task())).toMatchObject({ nonce: FIRST_FOR_10 });
    stop.abort();
    await expect(search).rejects.toMatchObject({ code: "cancelled" });
    expect(await solver.solve(task())).toMatchObject({ nonce: FIRST_FOR_10 });
  });
});

test("verify(solve) holds for random tasks", async () => {
  const property = fc.asyncProperty(
    fc.string({ minLength: 1, maxLength: 150 }),
    fc.integer({ min: 0, max: 11 }),
    fc.constantFrom(...solvers),
    async (tid, difficulty, solver) => {
      const solution = await solver.solve(task({ tid, difficulty }));
      const proof = { blockHash: vector(6).blockHash, tid, nonce: solution.nonce };
      expect(verifyProof(proof, difficulty)).toBe(solution.difficulty);
    },
  );
  await fc.assert(property, { numRuns: runs(60) });
});

test("reports its rate while it runs, by the clock it was given", async () => {
  let now = 0;
  const solver = new Solver({ nowMs: () => now, threads: 0 });
  const search = solver.start(task({ difficulty: 128 }));
  await eventually(() => search.progress().attempts > 0);
  now = 500;
  const { attempts, elapsedMs, ratePerSecond } = search.progress();
  expect(attempts).toBeGreaterThan(0);
  expect(elapsedMs).toBe(500);
  expect(ratePerSecond).toBe(attempts * 2);
  search.cancel();
  await expect(search.solution).rejects.toMatchObject({ code: "cancelled" });
});

test("a solver whose threads end goes on without them", async () => {
  const solver = new Solver({ nowMs, threads: 2 });
  await solver.solve(task({ difficulty: 16 }));
  const search = solver.start(task({ difficulty: 20 }));
  solver.close();
  expect(await search.solution).toMatchObject({ nonce: 85_863n });
});

test("a task that was cancelled before it began is not begun", async () => {
  await expect(solvers[0]!.solve(task(), AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
});

test("difficulty 256 is nonce 0 by the rules of 0.71.6", async () => {
  expect(await solvers[0]!.solve(task({ difficulty: 256, rules: "0.71.6" }))).toMatchObject({ nonce: 0n });
});

test.each([
  ["no identifier", { tid: "" }, "transaction ID cannot be empty"],
  ["a short block hash", { blockHash: "ab" }, "incorrect block hash"],
  ["too much", { difficulty: 257 }, "invalid difficulty"],
  ["another function", { hashFunction: "md5" }, "unknown hash function"],
])("refuses a task with %s", (_, changes, message) => {
  expect(() => solvers[0]!.start(task(changes))).toThrow(message);
});
