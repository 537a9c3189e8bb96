// `strict=true`: parameters and members that do not exist are refused, with the name that was meant, and so are names of
// enums. Without it they are ignored, as in the original, and a refusal of an enum's name says no other one.
import { didYouMean } from "../errors/nearest.ts";
import { enumDescriptor } from "../wire/descriptors.ts";
import { badRequest } from "./errors.ts";
import { enumValue, flagIn, notAValue, parameterField, parameterNames, type QueryPairs } from "./query.ts";

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
    (name) => own.includes(name) || (parameterField(messageName, name) !== undefined && !isInPath(name)),
  );
  if (isStrict(pairs)) checkEnums(pairs, messageName);
}

/** @throws ApiError 400, as for any request, with the name that was meant */
function checkEnums(pairs: QueryPairs, messageName: string): void {
  for (const [key, text] of pairs) {
    const field = parameterField(messageName, key);
    if (field?.kind !== "enum" || enumValue(field.typeName, text) !== undefined) continue;
    throw notAValue(field, text, didYouMean(text, [...enumDescriptor(field.typeName).numberOf.keys()]));
  }
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
