// The query language of the RPC's searches and subscriptions: conditions on attributes, all of which must hold.
//
//   tm.event = 'Tx' AND tx.height > 5 AND command.type CONTAINS 'Transfer' AND command.asset EXISTS

type Operator = "=" | "<" | "<=" | ">" | ">=" | "CONTAINS" | "EXISTS";

interface Condition {
  readonly name: string;
  readonly operator: Operator;
  readonly value: string;
  readonly isNumber: boolean;
}

const QUERY_CHARACTERS_MAX = 512;
const CONDITIONS_MAX = 20;
const CONDITION =
  /^\s*([A-Za-z_][\w.-]*)\s*(?:(=|<=|>=|<|>)\s*(?:'([^']*)'|(?:(?:TIME|DATE)\s+)?([\w.:+-]+))|CONTAINS\s+'([^']*)'|(EXISTS))\s*/;
const AND = /^AND\b/;

export class QueryError extends Error {}

/** Values of each attribute. */
export type Values = ReadonlyMap<string, readonly string[]>;

export class Query {
  private constructor(
    /** As it was sent. */
    readonly text: string,
    private readonly conditions: readonly Condition[],
  ) {}

  /** @throws QueryError */
  static parse(text: string): Query {
    if (text.length > QUERY_CHARACTERS_MAX) throw new QueryError("maximum query length exceeded");
    const conditions: Condition[] = [];
    let rest = text;
    for (;;) {
      const match = CONDITION.exec(rest);
      if (match === null || conditions.length >= CONDITIONS_MAX)
        throw new QueryError(`failed to parse query: syntax error near '${rest.slice(0, 40)}'`);
      conditions.push(conditionOf(match));
      rest = rest.slice(match[0].length);
      if (rest === "") return new Query(text, conditions);
      if (!AND.test(rest))
        throw new QueryError(`failed to parse query: AND expected at '${rest.slice(0, 40)}'`);
      rest = rest.replace(AND, "");
    }
  }

  matches(values: Values): boolean {
    return this.conditions.every((condition) =>
      (values.get(condition.name) ?? []).some((value) => holds(condition, value)),
    );
  }

  /** Whether its event can be of a kind: `tm.event` names it, or is not asked for. */
  allowsEvent(kind: string): boolean {
    return this.conditions.every((each) => each.name !== "tm.event" || holds(each, kind));
  }

  /** Every condition on an attribute. */
  *on(name: string): Generator<Omit<Condition, "name">> {
    for (const condition of this.conditions) if (condition.name === name) yield condition;
  }
}

function conditionOf(match: RegExpExecArray): Condition {
  const [, name, comparison, text, bare, part, exists] = match;
  if (exists !== undefined) return { name: name!, operator: "EXISTS", value: "", isNumber: false };
  if (part !== undefined) return { name: name!, operator: "CONTAINS", value: part, isNumber: false };
  const isNumber = bare !== undefined && /^-?\d+(\.\d+)?$/.test(bare);
  return { name: name!, operator: comparison as Operator, value: text ?? bare!, isNumber };
}

function holds({ operator, value, isNumber }: Condition, actual: string): boolean {
  if (operator === "EXISTS") return true;
  if (operator === "CONTAINS") return actual.includes(value);
  if (operator === "=" && !isNumber) return actual === value;
  const [left, right] = isNumber ? [Number(actual), Number(value)] : [actual, value];
  if (operator === "=") return left === right;
  if (operator === "<") return left < right;
  if (operator === "<=") return left <= right;
  return operator === ">" ? left > right : left >= right;
}
