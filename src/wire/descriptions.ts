// Descriptions of members and of values of enums: the comments in `proto/`, read when a document is first made.
import { DESCRIPTIONS } from "./generated/descriptions.ts";

type Descriptions = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;

let descriptions: Descriptions | undefined;

/** The comment on a member (by its name in JSON) or on an enum's value; undefined where it has none. */
export function descriptionOf(messageOrEnum: string, name: string): string | undefined {
  descriptions ??= JSON.parse(DESCRIPTIONS) as Descriptions;
  return descriptions[messageOrEnum]?.[name];
}
