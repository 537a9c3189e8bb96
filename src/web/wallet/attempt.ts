// Actions that the wallet may refuse.
import { type Signal, useSignal } from "@preact/signals";

interface Attempts {
  /** Why the last one failed; empty while the next is tried. */
  readonly failure: Signal<string>;
  readonly attempt: (action: () => Promise<unknown>) => Promise<void>;
}

export function useAttempts(): Attempts {
  const failure = useSignal("");
  const attempt = async (action: () => Promise<unknown>) => {
    failure.value = "";
    try {
      await action();
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
    }
  };
  return { failure, attempt };
}
