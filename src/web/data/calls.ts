/** Reads of the node's API by the calls of `lyra/client`, each by its name, such as `markets.get`. */
import type { Resources } from "../../client/api.generated.ts";
import { client, shown, toFailure } from "./node.ts";

type Group = keyof Resources;
/** Group and name of a call. */
export type CallName = { [G in Group]: `${G}.${keyof Resources[G] & string}` }[Group];
type CallOf<Name extends CallName> = Name extends `${infer G extends Group}.${infer Own}`
  ? Own extends keyof Resources[G]
    ? Resources[G][Own]
    : never
  : never;
type Caller = (request?: never, options?: never) => Promise<unknown>;

/** Names of calls that answer a page of a list. */
export type ListName = {
  [Name in CallName]: CallOf<Name> extends { readonly rows: unknown } ? Name : never;
}[CallName];
export type RequestOf<Name extends CallName> =
  CallOf<Name> extends (...words: infer Words) => unknown ? NonNullable<Words[0]> : never;
export type AnswerOf<Name extends CallName> =
  CallOf<Name> extends (...words: never) => Promise<infer Answer> ? Answer : never;
export type RowOf<Name extends ListName> =
  CallOf<Name> extends { readonly rows: (...words: never) => AsyncGenerator<infer Row, void, undefined> }
    ? Row
    : never;

/** @throws RequestFailure; the reason of the signal */
export async function call<Name extends CallName>(
  name: Name,
  request: RequestOf<Name>,
  signal?: AbortSignal,
): Promise<AnswerOf<Name>> {
  const [group, own] = name.split(".") as [Group, string];
  const calls = client.value[group] as unknown as Record<string, Caller>;
  try {
    return shown(await calls[own]!(request as never, { signal } as never)) as AnswerOf<Name>;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw toFailure(error);
  }
}
