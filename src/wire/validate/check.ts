/**
 * Validation rules as values: each has its property, its message and its condition; a command's rules are a tree of them.
 * So the rules can be listed, and the tests fail for a rule without a test case.
 */

interface RuleName {
  /** The reported property; `#` stands for a position in a list. */
  readonly property: string;
  readonly message: string;
}

export interface Check<in T> {
  /** Everything that it can report. */
  readonly rules: readonly RuleName[];
  /**
   * Adds broken rules to the errors; `positions` replace the `#` of properties from the left.
   * @returns true to skip the following checks of the same list
   */
  run(value: T, errors: PropertyErrors, positions: readonly number[]): boolean;
}

/** Reports `message` on `property` if `broken`. */
export function rule<T>(property: string, message: string, broken: (value: T) => boolean): Check<T> {
  return {
    rules: [{ property, message }],
    run(value, errors, positions) {
      if (!broken(value)) return false;
      errors.add(withPositions(property, positions), message);
      return true;
    },
  };
}

/**
 * Reports the text of `problem` on `property`.
 * @param pattern the messages with `<…>` for what differs, as in documents and tests
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
      errors.add(withPositions(property, positions), message);
      return true;
    },
  };
}

/** Runs all checks on one value. */
export function all<T>(...checks: readonly Check<T>[]): Check<T> {
  return {
    rules: checks.flatMap((check) => check.rules),
    run(value, errors, positions) {
      for (const check of checks) check.run(value, errors, positions);
      return false;
    },
  };
}

/** Runs checks on one value up to the first broken one; later ones would repeat it. */
export function first<T>(...checks: readonly Check<T>[]): Check<T> {
  return {
    rules: checks.flatMap((check) => check.rules),
    run: (value, errors, positions) => checks.some((check) => check.run(value, errors, positions)),
  };
}

/** Checks on a part of the value, if it is set. */
export function part<T, U>(of: (value: T) => U | undefined, ...checks: readonly Check<U>[]): Check<T> {
  const inner = all(...checks);
  return {
    rules: inner.rules,
    run(value, errors, positions) {
      const part = of(value);
      return part !== undefined && inner.run(part, errors, positions);
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

/** Checks under a condition. */
export function when<T>(condition: (value: T) => boolean, ...checks: readonly Check<T>[]): Check<T> {
  return part((value: T) => (condition(value) ? value : undefined), ...checks);
}

function withPositions(property: string, positions: readonly number[]): string {
  return positions.reduce((text, position) => text.replace("#", String(position)), property);
}

/** The property of errors without a property (docs/protocol/30-node-api-transactions.md#31-the-errors-value). */
export const ANY_PROPERTY = "*";

/** Most properties in a report: a million broken entries would make hundreds of megabytes. */
const PROPERTIES_MAX = 1_000;
const MORE = `has more errors than these ${PROPERTIES_MAX}`;

/**
 * Errors of a transaction: messages by property, as the network reports them
 * (docs/protocol/30-node-api-transactions.md#31-the-errors-value). Properties are snake_case and dotted; positions in
 * lists are elements of the path.
 */
export class PropertyErrors {
  private readonly messages = new Map<string, string[]>();
  private isOver = false;

  /** With one error: `PropertyErrors.of("tx", "is required")`. */
  static of(property: string, message: string): PropertyErrors {
    const errors = new PropertyErrors();
    errors.add(property, message);
    return errors;
  }

  add(property: string, message: string): void {
    const earlier = this.messages.get(property);
    if (earlier !== undefined) earlier.push(message);
    else if (this.messages.size < PROPERTIES_MAX) this.messages.set(property, [message]);
    else this.cut();
  }

  /** Whether the report is full: further checks add nothing. */
  get isCut(): boolean {
    return this.isOver;
  }

  get isEmpty(): boolean {
    return this.messages.size === 0;
  }

  /** The messages of one property, in the order in which they were added. */
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
