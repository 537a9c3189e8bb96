import { readFileSync } from "node:fs";

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
  for (const signal of END_SIGNALS) if (signal !== "SIGHUP" || !isHangUpIgnored()) process.on(signal, come);
  return forget;
}

/** Settles when the process is asked to end, and then leaves a second signal to its default. */
export function waitForSignal(): Promise<EndSignal> {
  return new Promise((resolve) => onEndSignal(resolve));
}

/** Whether whoever started this process wants it to outlive its terminal, as nohup(1) does. */
function isHangUpIgnored(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
    // A mask of signals, the first one in the lowest bit; SIGHUP is the first.
    return ignored !== undefined && (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    // Elsewhere that cannot be seen; nohup(1) leaves no terminal as standard output.
    return false;
  }
}
