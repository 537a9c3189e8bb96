/**
 * Validation rules as values: each knows its property, its message and what breaks it, and a command's rules are
 * a tree of them. So every rule can be listed, and the tests refuse one that has no case of its own.
 */

export interface RuleName {
  /** The property as reported, with `#` where the position in a list goes. */
  readonly property: string;
  readonly message: string;
}

export interface Check<in T> {
  /** All that it can report. */
  readonly rules: readonly RuleName[];
  /**
   * Notes broken rules; `positions` replace the `#` of properties from the left.
   * @returns true when nothing that follows in the same list is to be looked at
   */
  run(value: T, errors: PropertyErrors, positions: readonly number[]): boolean;
}

/** Reports `message` on `property` when `broken`. */
export function rule<T>(property: string, message: string, broken: (value: T) => boolean): Check<T> {
  return {
    rules: [{ property, message }],
    run(value, errors, positions) {
      if (!broken(value)) return false;
      errors.add(placed(property, positions), message);
      return true;
    },
  };
}

/**
 * Reports the text of `problem` on `property`.
 * @param pattern the messages with `<…>` for what differs, as documents and tests know them
 */
export function described<T>(
  property: string,
  pattern: string,
  problem: (value: T) => string | undefined,
): Check<T> {
  return {
    rules: [{ property, message: pattern }],
    run(value, errors, positions) {
      const message = problem(value);
      if (message === undefined) return false;
      errors.add(placed(property, positions), message);
      return true;
    },
  };
}

/** Several checks on one value, all of them run. */
export function all<T>(...checks: readonly Check<T>[]): Check<T> {
  return {
    rules: checks.flatMap((check) => check.rules),
    run(value, errors, positions) {
      for (const check of checks) check.run(value, errors, positions);
      return false;
    },
  };
}

/** Several checks on one value, up to the first that is broken: what comes later would only repeat it. */
export function first<T>(...checks: readonly Check<T>[]): Check<T> {
  return {
    rules: checks.flatMap((check) => check.rules),
    run: (value, errors, positions) => checks.some((check) => check.run(value, errors, positions)),
  };
}

/** Checks on a part of the value, where it is present. */
export function part<T, U>(of: (value: T) => U | undefined, ...checks: readonly Check<U>[]): Check<T> {
  const inner = all(...checks);
  return {
    rules: inner.rules,
    run(value, errors, positions) {
      const found = of(value);
      return found !== undefined && inner.run(found, errors, positions);
    },
  };
}

/** Checks on every item of a list. */
export function each<T, U>(of: (value: T) => readonly U[], ...checks: readonly Check<U>[]): Check<T> {
  const inner = all(...checks);
  return {
    rules: inner.rules,
    run(value, errors, positions) {
      for (const [index, item] of of(value).entries()) {
        inner.run(item, errors, [...positions, index]);
        if (errors.isCut) break;
      }
      return false;
    },
  };
}

/** Checks that matter under a condition only. */
export function when<T>(condition: (value: T) => boolean, ...checks: readonly Check<T>[]): Check<T> {
  return part((value: T) => (condition(value) ? value : undefined), ...checks);
}

function placed(property: string, positions: readonly number[]): string {
  return positions.reduce((text, position) => text.replace("#", String(position)), property);
}

/** The property of errors that belong to none (docs/protocol/30-node-api-transactions.md#31-the-errors-value). */
export const ANY_PROPERTY = "*";

/** Properties that are named: the report on a million broken entries would have hundreds of megabytes. */
const PROPERTIES_MAX = 1_000;
const MORE = `has more errors than these ${PROPERTIES_MAX}`;

/**
 * Faults of a transaction: messages by property, as the network gives them
 * (docs/protocol/30-node-api-transactions.md#31-the-errors-value). Properties are snake_case and dotted; positions in
 * lists are elements of the path.
 */
export class PropertyErrors {
  private readonly messages = new Map<string, string[]>();
  private isOver = false;

  /** Errors that already are: `PropertyErrors.of("tx", "is required")`. */
  static of(property: string, message: string): PropertyErrors {
    const errors = new PropertyErrors();
    errors.add(property, message);
    return errors;
  }

  add(property: string, message: string): void {
    const known = this.messages.get(property);
    if (known !== undefined) known.push(message);
    else if (this.messages.size < PROPERTIES_MAX) this.messages.set(property, [message]);
    else this.cut();
  }

  /** Whether there are more errors than are kept: further checks add nothing. */
  get isCut(): boolean {
    return this.isOver;
  }

  get isEmpty(): boolean {
    return this.messages.size === 0;
  }

  /** The messages of one property, in the order in which they were found. */
  of(property: string): readonly string[] {
    return this.messages.get(property) ?? [];
  }

  /** `path (msg1, msg2), path (msg)`: sorted as texts, so that equal errors have equal text on every node. */
  toString(): string {
    const entries = [...this.messages].map(([property, messages]) => `${property} (${messages.join(", ")})`);
    return entries.sort().join(", ");
  }

  /** An object of lists, its members sorted by name. */
  toJSON(): Record<string, readonly string[]> {
    return Object.fromEntries([...this.messages].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  private cut(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.messages.set(ANY_PROPERTY, [...this.of(ANY_PROPERTY), MORE]);
  }
}
