// The words after `lyra wallet`: which command they name, and the help that a wrong one points to.
import { NodeError } from "../errors/node-error.ts";
import { usageError } from "./arguments.ts";
import { didYouMean } from "./nearest.ts";

type Verb = (argv: string[]) => Promise<number>;
export type Verbs = Readonly<Record<string, Verb>>;

export function verbOf(verbs: Verbs, word: string | undefined): Verb | undefined {
  return word !== undefined && Object.hasOwn(verbs, word) ? verbs[word] : undefined;
}

/** The second word of `lyra wallet NOUN VERB`. @throws NodeError with exit code 2 */
export async function pickVerb(noun: string, argv: string[], verbs: Verbs): Promise<number> {
  const [verb, ...rest] = argv;
  const known = verbOf(verbs, verb);
  if (known !== undefined) return known(rest);
  const names = Object.keys(verbs).join(", ");
  throw usageError(
    "wallet",
    verb === undefined
      ? `say one of ${names}`
      : `there is no 'wallet ${noun} ${verb.slice(0, 40)}'${didYouMean(verb, Object.keys(verbs)) || `: ${names}`}`,
  );
}

/** Runs `lyra wallet WORD`; who used it wrongly is sent to the help of that word. */
export async function runWord(word: string, run: Verb, argv: string[]): Promise<number> {
  try {
    return await run(argv);
  } catch (error) {
    if (!(error instanceof NodeError) || error.code !== "usage" || error.hint !== "see: lyra wallet --help")
      throw error;
    const { attempt, message } = error;
    throw new NodeError(attempt, "usage", message, `see: lyra wallet ${word} --help`);
  }
}
