// The second word of `lyra wallet NOUN VERB`.
import { usageError } from "./arguments.ts";

type Verb = (argv: string[]) => Promise<number>;

/** @throws NodeError with exit code 2 */
export function pickVerb(
  noun: string,
  argv: string[],
  verbs: Readonly<Record<string, Verb>>,
): Promise<number> {
  const [verb, ...rest] = argv;
  const known = verb !== undefined && Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (known !== undefined) return known(rest);
  const names = Object.keys(verbs).join(", ");
  throw usageError(
    "wallet",
    verb === undefined
      ? `say one of ${names}`
      : `there is no 'wallet ${noun} ${verb.slice(0, 40)}': ${names}`,
  );
}
