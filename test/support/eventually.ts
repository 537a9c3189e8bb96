// Waiting in tests: for a condition, never for a time. The deadline is only there so that a broken condition ends the test with
// its name; it is far beyond what a busy machine needs.

const PAUSE_MS_MAX = 20;

/**
 * Waits until a condition holds, and returns its value. Looks at once, then in steps that grow to 20 ms.
 * @param what the condition in words, for the error
 * @throws Error with the words and the last value when it does not hold in time
 */
export async function eventually<T>(
  what: string,
  condition: () => T | Promise<T>,
  { msMax = 30_000 }: { readonly msMax?: number } = {},
): Promise<NonNullable<T>> {
  const end = performance.now() + msMax;
  for (let pauseMs = 0.5; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`not within ${msMax} ms: ${what}; last value: ${value}`);
    await Bun.sleep(pauseMs);
  }
}

/** Lets all callbacks run that are due now: those of settled promises, and one turn of timers and input. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
