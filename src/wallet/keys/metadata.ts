// What is written beside a key: pairs of texts, one of which is its name (reference 50, section 5.3).
import { walletError } from "../errors.ts";
import { METADATA_ENTRIES_MAX, METADATA_TEXT_MAX } from "../limits.ts";
import type { Metadata } from "./wallet-data.ts";

const NAME = "name";
/** What the original shows for a key of an old wallet, which has no name. */
const NAMELESS = "<No name>";

export function keyName(metadata: Metadata): string {
  return metadata.find(({ key }) => key === NAME)?.value ?? NAMELESS;
}

/** The metadata with a name: `Key <index>` where none is given. @throws NodeError `metadata_invalid` */
export function namedMetadata(metadata: Metadata, index: number): Metadata {
  if (metadata.length > METADATA_ENTRIES_MAX)
    throw invalid(`it has more than ${METADATA_ENTRIES_MAX} entries`);
  for (const { key, value } of metadata) {
    if (key === "") throw invalid("an entry has no key");
    if (key.length > METADATA_TEXT_MAX || value.length > METADATA_TEXT_MAX) {
      throw invalid(`an entry has more than ${METADATA_TEXT_MAX} characters`);
    }
    if (!key.isWellFormed() || !value.isWellFormed()) throw invalid("an entry is not well-formed text");
  }
  const entries = metadata.map(({ key, value }) => ({ key, value }));
  if (entries.some(({ key }) => key === NAME)) return entries;
  return [...entries, { key: NAME, value: `Key ${index}` }];
}

function invalid(why: string) {
  return walletError("metadata_invalid", "the metadata cannot be kept", why);
}
