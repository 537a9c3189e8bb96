export type EndSignal = "SIGINT" | "SIGTERM";

/** A signal that comes again within this is the same one: timeout(1) and npm pass theirs on to a group that has it. */
const ECHO_MS = 250;

/**
 * Calls once, when the process is asked to end; later signals are left to their default.
 * @returns what ends the waiting
 */
export function onEndSignal(heed: (signal: EndSignal) => void): () => void {
  let hasCome = false;
  const forget = () => {
    process.off("SIGINT", come);
    process.off("SIGTERM", come);
  };
  const come = (signal: NodeJS.Signals) => {
    if (hasCome) return;
    hasCome = true;
    setTimeout(forget, ECHO_MS).unref();
    heed(signal as EndSignal);
  };
  process.on("SIGINT", come);
  process.on("SIGTERM", come);
  return forget;
}

/** Settles when the process is asked to end, and then leaves a second signal to its default. */
export function waitForSignal(): Promise<EndSignal> {
  return new Promise((resolve) => onEndSignal(resolve));
}
