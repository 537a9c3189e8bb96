// Random tests print their seed and take it back from the environment.

/** Seed of everything random in a test run. */
export const SEED = Number(process.env.LYRA_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** How much longer than usual random tests go on. */
export const RUNS = Number(process.env.LYRA_TEST_RUNS ?? 1);
