// Options in plain JavaScript, where no compiler refuses a misspelt one.
import { didYouMean } from "./nearest.ts";

/** Every option of a type: the compiler refuses a list that lacks one, or has another. */
export type OptionNames<Options> = { readonly [Name in keyof Required<Options>]: true };

interface UnknownOption {
  readonly message: string;
  readonly hint: string;
}

const SHOWN_CHARACTERS_MAX = 60;

/** @returns undefined where all are known */
export function unknownOption(options: object, names: readonly string[]): UnknownOption | undefined {
  const stray = Object.keys(options).find((name) => !names.includes(name));
  if (stray === undefined) return undefined;
  return {
    message: `there is no option '${stray.slice(0, SHOWN_CHARACTERS_MAX)}'${didYouMean(stray, names)}`,
    hint: `there are ${names.join(", ")}`,
  };
}
