/** The property of errors that belong to none (section 3.1). */
export const ANY_PROPERTY = "*";

/** Properties that are named: a list of a million broken entries would be told in hundreds of megabytes. */
const PROPERTIES_MAX = 1_000;
const MORE = `has more errors than these ${PROPERTIES_MAX}`;

/**
 * What is wrong with a transaction: messages by property, as the network gives them (reference 30, section 3.1).
 * Properties are snake_case and dotted; positions in lists are elements of the path.
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

  /** Whether there is more than what is named: nobody need look any further. */
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
