// Codes of this program's own errors: history and its archives.
import type { ProgramEntry } from "../explanation.ts";

export const HISTORY_CODES = {
  blocks_missing: {
    meaning: "A segment's blocks are not all there.",
    cause: "Blocks are missing inside of it.",
    fix: "Load them first.",
  },
  segment_length_invalid: {
    meaning: "A segment cannot have this length.",
    cause: "It is a whole number of blocks, 1 or more.",
    fix: "Leave out --segment-length: it is 1000.",
  },
  segments_differ: {
    meaning: "The home's segments end elsewhere.",
    cause:
      "Segments have a fixed number of blocks, or end where the network says (--segments); a home does not mix them.",
    fix: "Choose another --home, or go on as the home began.",
  },
  segment_changed: {
    meaning: "A segment would come out other than it was made before.",
    cause: "The store was changed, or the file is of another store.",
    fix: "lyra history verify, lyra doctor.",
  },
  segment_damaged: {
    meaning: "A segment's file is damaged.",
    cause: "Its bytes do not have their checksum.",
    fix: "Delete the file: it is made again at the next start.",
  },
  segment_missing: {
    meaning: "A segment is not there.",
    cause: "Its file was removed, or these blocks were never cut into segments.",
    fix: "lyra history segments lists what there is.",
  },
  range_invalid: {
    meaning: "The range is not on the bounds of segments.",
    cause: "An export is made of whole segments.",
    fix: "lyra history segments lists where they begin and end.",
  },
  table_unknown: {
    meaning: "There is no such table.",
    cause: "The name is not one of the exported tables.",
    fix: "The hint beside the text lists them; lyra history export --table x does, too.",
  },
  source_unreachable: {
    meaning: "The other node cannot be reached.",
    cause: "Its address is wrong, it is not running, or the network between is down.",
    fix: "Check the address; run the same command again: it goes on where it stopped.",
    exit: "notReady",
  },
  source_slow: {
    meaning: "The other node sends too slowly, or stands still.",
    cause: "It, or the network between, is overloaded; or it keeps connections open without an answer.",
    fix: "Run the same command again: it goes on where it stopped; or use another node.",
    exit: "notReady",
  },
  source_refused: {
    meaning: "The other node does not give its history now.",
    cause: "The text has its reason: no room for an image, no segment yet, a chain of its own.",
    fix: "Use another node, or ask its operator.",
  },
  source_unusable: {
    meaning: "The address is not that of a Lyra node that shares its history.",
    cause: "It is another server, another port of the node, or another version.",
    fix: "Give the address of the data port: http://HOST:3008.",
  },
  source_damaged: {
    meaning: "The other node's history is not what it says.",
    cause: "A hash, a chain of segments or a row does not fit: it is damaged, or lies.",
    fix: "Use another node, and tell the operator of this one. Nothing of it was taken over.",
    exit: "verificationFailed",
  },
  source_changed: {
    meaning: "The other node's history changed while it was fetched.",
    cause: "It was restored, filled or pruned meanwhile.",
    fix: "Run the same command again.",
  },
  source_gappy: {
    meaning: "The other node misses blocks itself.",
    cause: "It went on without them (--allow-gaps), and cannot fill another home.",
    fix: "Use a node that has all of them.",
  },
  source_behind: {
    meaning: "The other node has less than this home.",
    cause: "It is still catching up, or began later.",
    fix: "Use a node that has more.",
  },
  trust_missing: {
    meaning: "The other node's history does not hold the trusted segment.",
    cause: "It is another history, or one that ends before that segment.",
    fix: "Check the id; use another node.",
    exit: "verificationFailed",
  },
  fetch_failed: {
    meaning: "The history could not be fetched.",
    cause: "The text has the reason.",
    fix: "Run the same command again: it goes on where it stopped.",
  },
  backup_damaged: {
    meaning: "A backup is not what was written to it.",
    cause: "A hash, a file or a row in it does not fit: it was cut off, changed or damaged.",
    fix: "Use another backup, or fill a home from another node: lyra history fetch.",
    exit: "verificationFailed",
  },
  home_not_empty: {
    meaning: "The home holds something already.",
    cause: "A backup is restored to an empty home only: nothing is overwritten.",
    fix: "Choose another --home, or move what is there away.",
  },
  archive_unreadable: {
    meaning: "The archive cannot be read.",
    cause: "It is not a ZIP file of an export, or broken off.",
    fix: "Get it again.",
  },
  deflate_invalid: {
    meaning: "Compressed data are damaged.",
    cause: "Their bytes were changed.",
    fix: "Get the file again.",
  },
  verification_failed: {
    meaning: "The archive is not what it says.",
    cause: "A hash or a count does not match: it was changed or damaged.",
    fix: "Do not use it; get it again.",
    exit: "verificationFailed",
  },
  segment_failed: {
    meaning: "A history segment could not be made.",
    cause: "The thread that makes it met an error; the text says which.",
    fix: "lyra doctor --home DIR; the segment is tried again at the next start.",
  },
} as const satisfies Readonly<Record<string, ProgramEntry>>;
