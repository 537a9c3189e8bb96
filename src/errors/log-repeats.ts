/**
 * Repeats in the log. A line is written when it differs from the last one of its part, so that no change of a state is missing;
 * the same line again is counted, and told once a minute: "again, 41 times". A part that changes all the time is bounded, too:
 * beyond a number of lines a minute they are counted, each with its last place among the others.
 */

const MINUTE_MS = 60_000;
/** Lines of one part in a minute. */
const LINES_MAX = 200;
/** Different lines that are counted at once; a longer list forgets its oldest. */
const COUNTED_MAX = 100;
const PARTS_MAX = 100;

/** @param again how often it came without being written */
type Write = (again: number) => void;

interface Counted {
  readonly write: Write;
  /** Whether it was written before. */
  readonly isKnown: boolean;
  count: number;
}

interface Part {
  last: string;
  lines: number;
  readonly counted: Map<string, Counted>;
  /** Ends the minute. */
  end(): void;
}

interface Timer {
  /** @returns a function that takes it back */
  after(ms: number, run: () => void): () => void;
}

const TIMER: Timer = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export class LogRepeats {
  private readonly parts = new Map<string, Part>();

  constructor(private readonly timer: Timer = TIMER) {}

  /** Writes a line, or counts it. @param part of the program @param key tells lines of the part apart */
  noteLine(part: string, key: string, write: Write): void {
    const state = this.parts.get(part) ?? this.beginPart(part);
    if (key === state.last || state.lines >= LINES_MAX) {
      this.countLine(state, key, write);
      return;
    }
    this.tellCounted(state);
    state.last = key;
    state.lines++;
    write(0);
  }

  /** Tells all that is counted: the process ends. */
  flush(): void {
    for (const { end } of [...this.parts.values()]) end();
  }

  private beginPart(part: string): Part {
    if (this.parts.size >= PARTS_MAX) this.parts.values().next().value!.end();
    const cancel = this.timer.after(MINUTE_MS, () => state.end());
    const state: Part = {
      last: "",
      lines: 0,
      counted: new Map(),
      end: () => {
        cancel();
        this.parts.delete(part);
        this.tellCounted(state);
      },
    };
    this.parts.set(part, state);
    return state;
  }

  private countLine({ counted, last }: Part, key: string, write: Write): void {
    const entry = counted.get(key) ?? { write, isKnown: key === last, count: 0 };
    entry.count++;
    counted.delete(key);
    counted.set(key, entry);
    if (counted.size > COUNTED_MAX) counted.delete(counted.keys().next().value!);
  }

  private tellCounted({ counted }: Part): void {
    for (const { write, isKnown, count } of counted.values()) write(isKnown ? count : count - 1);
    counted.clear();
  }
}
