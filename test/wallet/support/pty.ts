// `lyra` on a real terminal: a pseudo terminal that is its controlling one, with somebody who types.
import { existsSync } from "node:fs";
import { COMPILING, PROGRAM } from "../../rig/lyra.ts";
import { eventually, grace, staysOpen } from "../../support/eventually.ts";
import type { Cli } from "./cli.ts";

/** Of util-linux; without it a terminal is not the controlling one, and Ctrl-C sends no signal. */
export const HAS_SETSID = existsSync("/usr/bin/setsid");
const WAIT_MS_MAX = 20_000;
/** Without a word for so long after its end there comes none. */
const DRAIN_MS = 40;
const DRAIN_MS_MAX = 1_000;

/** Keys typed when a question is shown (they may depend on the shown text), or a signal that comes from elsewhere. */
export type Typing = readonly [
  question: string,
  keys: string | ((shown: string) => string) | { readonly signal: NodeJS.Signals },
];

export interface TerminalSession {
  /** All that the terminal showed, in its own lines. */
  readonly shown: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | number | null;
  /** The terminal's local modes (echo, lines, signals): at first, while the last question waited, and at the end. */
  readonly modes: readonly [before: number, during: number, after: number];
}

/** Runs `lyra WORDS`. */
export function lyraOnTerminal(cli: Cli, words: readonly string[], ...typing: readonly Typing[]) {
  return onTerminal(cli, [...PROGRAM, ...words], ...typing);
}

/** Runs a line of the shell, in which `lyra` is `$LYRA`. */
export function shellOnTerminal(cli: Cli, line: string, ...typing: readonly Typing[]) {
  return onTerminal(cli, ["sh", "-c", line.replaceAll("$LYRA", PROGRAM.join(" "))], ...typing);
}

/** A recovery phrase on a line of its own. */
const PHRASE = /^(?:[a-z]+ ){23}[a-z]+(?=\r?$)/gm;

/** The phrases that a terminal showed. */
export function phrasesIn(shown: string): readonly string[] {
  return shown.match(PHRASE) ?? [];
}

/** Types the words of a new phrase that are asked for. */
export const WORDS_AGAIN: readonly Typing[] = ["\nword ", "\nword ", "\nword "].map((question) => [
  question,
  (shown) => {
    const place = Number(/word (\d+): $/.exec(shown)![1]);
    return `${phrasesIn(shown)[0]!.split(" ")[place - 1]}\r`;
  },
]);

async function onTerminal(
  cli: Cli,
  command: readonly string[],
  ...typing: readonly Typing[]
): Promise<TerminalSession> {
  let shown = "";
  const terminal = new Bun.Terminal({
    cols: 200,
    rows: 50,
    data: (_, chunk) => {
      shown += Buffer.from(chunk).toString("utf8");
    },
  });
  const before = terminal.localFlags;
  let during = before;
  // The process that it becomes, so that signals reach it.
  const starter = HAS_SETSID ? ["/usr/bin/setsid", "--ctty"] : [];
  const child = Bun.spawn([...starter, ...command], {
    terminal,
    env: { PATH: process.env.PATH, HOME: cli.home, LYRA_HOME: cli.home, TERM: "dumb", ...COMPILING },
  });
  try {
    let from = 0;
    for (const [question, keys] of typing) {
      await eventually(
        () => shown.includes(question, from),
        () => `it asks '${question}': ${shown}`,
      );
      from = shown.length;
      during = terminal.localFlags;
      if (typeof keys === "string") terminal.write(keys);
      else if (typeof keys === "function") terminal.write(keys(shown));
      else child.kill(keys.signal);
    }
    if (await staysOpen(child.exited, WAIT_MS_MAX)) throw new Error(`it does not end: ${shown}`);
    // Its last words may come after its end.
    const drainedBy = performance.now() + DRAIN_MS_MAX;
    for (let before = -1; (shown === "" || shown.length > before) && performance.now() < drainedBy; ) {
      before = shown.length;
      await grace(DRAIN_MS);
    }
    const { exitCode: code, signalCode: signal } = child;
    return { shown, code, signal, modes: [before, during, terminal.localFlags] };
  } finally {
    child.kill("SIGKILL");
    terminal.close();
  }
}
