// `strict=true`: parameters and members that do not exist are refused, with the name that was meant. Without it they are
// ignored, as in the original.
import { didYouMean } from "../errors/nearest.ts";
import { badRequest } from "./errors.ts";
import { flagIn, hasParameter, parameterNames, type QueryPairs } from "./query.ts";

/** Parameters that every resource has. */
const COMMON = ["pretty", "strict"];

/** @throws ApiError 400 for another value than true or false */
export const isStrict = (pairs: QueryPairs): boolean => flagIn(pairs, "strict");

/**
 * With `strict=true`: whether all parameters exist.
 * @param isParameter of a name, without the bracket of `key[x]`
 * @param names for advice
 * @throws ApiError 400
 */
export function checkParameters(
  pairs: QueryPairs,
  names: () => readonly string[],
  isParameter = (name: string) => names().includes(name),
): void {
  if (!isStrict(pairs)) return;
  const wrong = pairs
    .map(([key]) => key.replace(/\[[^[\]]*\]$/, ""))
    .find((name) => !COMMON.includes(name) && !isParameter(name));
  if (wrong !== undefined) throw unknown("parameter", wrong, [...names(), ...COMMON]);
}

/**
 * The same of the request message that a query stands for.
 * @param inPath members that the path sets
 * @param own further parameters of the resource
 */
export function checkRequest(
  pairs: QueryPairs,
  messageName: string,
  inPath: readonly string[] = [],
  own: readonly string[] = [],
): void {
  const names = () => [...parameterNames(messageName).filter((name) => !inPath.includes(name)), ...own];
  const isInPath = (name: string) => inPath.includes(camelCase(name));
  checkParameters(
    pairs,
    names,
    (name) => own.includes(name) || (hasParameter(messageName, name) && !isInPath(name)),
  );
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** With `strict=true`: whether all members of a body exist. @throws ApiError 400 */
export function checkMembers(pairs: QueryPairs, body: unknown, names: readonly string[]): void {
  if (!isStrict(pairs) || typeof body !== "object" || body === null) return;
  const wrong = Object.keys(body).find((name) => !names.includes(name));
  if (wrong !== undefined) throw unknown("member", wrong, names);
}

function unknown(kind: "parameter" | "member", name: string, names: readonly string[]): Error {
  const shown = name.slice(0, 100);
  const named = `${JSON.stringify(shown)}${didYouMean(shown, names)}`;
  return kind === "parameter"
    ? badRequest(`there is no parameter ${named}`)
    : badRequest(`there is no member ${named}`);
}
