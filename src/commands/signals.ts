/** What asks for an orderly end; SIGHUP comes when the terminal or the connection behind it is gone. */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export type EndSignal = (typeof END_SIGNALS)[number];

/** A signal that comes again within this is the same one: timeout(1) and npm pass theirs on to a group that has it. */
const ECHO_MS = 250;

/**
 * Calls once, when the process is asked to end; later signals are left to their default.
 * @returns what ends the waiting
 */
export function onEndSignal(heed: (signal: EndSignal) => void): () => void {
  let hasCome = false;
  const forget = () => {
    for (const signal of END_SIGNALS) process.off(signal, come);
  };
  const come = (signal: NodeJS.Signals) => {
    if (hasCome) return;
    hasCome = true;
    setTimeout(forget, ECHO_MS).unref();
    heed(signal as EndSignal);
  };
  for (const signal of END_SIGNALS) process.on(signal, come);
  return forget;
}

/** Settles when the process is asked to end, and then leaves a second signal to its default. */
export function waitForSignal(): Promise<EndSignal> {
  return new Promise((resolve) => onEndSignal(resolve));
}
