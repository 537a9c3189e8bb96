// Waiting in tests: for a condition. The few waits for a time have their reasons here (docs/testing.md).

const PAUSE_MS_MAX = 20;

/** No busy machine takes as long for anything that tests wait for. */
const GIVE_UP_MS = 60_000;

/**
 * Waits until a condition holds: until it returns something else than false, undefined or null, which is the result. Looks at
 * once, then in steps that grow to 20 ms.
 * @param what words for the error; the condition's source by default
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  what: string | (() => string) = String(condition),
): Promise<Exclude<T, false | undefined | null>> {
  const end = performance.now() + GIVE_UP_MS;
  for (let pauseMs = 0.5; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    const value = await condition();
    if (value !== false && value !== undefined && value !== null)
      return value as Exclude<T, false | undefined | null>;
    if (performance.now() > end)
      throw new Error(`does not become true: ${typeof what === "string" ? what : what()}`);
    // real time: between two looks
    await Bun.sleep(pauseMs);
  }
}

/** Lets everything happen that is due without a timer: callbacks of settled promises, input, immediates. */
export async function turns(count = 5): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

// real time: waits until any moment that no event marks, for a kill, a cut or a second signal; what the test says holds wherever
// it falls
export const anyMoment = (ms: number): Promise<void> => Bun.sleep(ms);

// real time: waits for as long as something would take that must not happen, or that another process does without a word
export const grace = (ms: number): Promise<void> => Bun.sleep(ms);

/** Whether a promise does not settle in the time that it would take to. */
export async function staysOpen(promise: Promise<unknown>, ms = 100): Promise<boolean> {
  return Promise.race([promise.then(() => false), grace(ms).then(() => true)]);
}
