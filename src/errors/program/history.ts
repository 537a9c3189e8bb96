// Codes of this program's own errors: history and its archives.
import type { ProgramRow } from "../explanation.ts";

export const HISTORY_CODES = {
  blocks_missing: [
    "",
    "A segment's blocks are not all there.",
    "Blocks are missing inside of it.",
    "Load them first.",
  ],
  segment_length_invalid: [
    "",
    "A segment cannot have this length.",
    "It is a whole number of blocks, 1 or more.",
    "Leave out --segment-length: it is 1000.",
  ],
  segments_differ: [
    "",
    "The home's segments end elsewhere.",
    "Segments have a fixed number of blocks, or end where the network says (--segments); a home does not mix them.",
    "Choose another --home, or go on as the home began.",
  ],
  segment_changed: [
    "",
    "A segment would come out other than it was made before.",
    "The store was changed, or the file is of another store.",
    "lyra history verify, lyra doctor.",
  ],
  segment_damaged: [
    "",
    "A segment's file is damaged.",
    "Its bytes do not have their checksum.",
    "Delete the file: it is made again at the next start.",
  ],
  segment_missing: [
    "",
    "A segment is not there.",
    "Its file was removed, or these blocks were never cut into segments.",
    "lyra history segments lists what there is.",
  ],
  range_invalid: [
    "",
    "The range is not on the bounds of segments.",
    "An export is made of whole segments.",
    "lyra history segments lists where they begin and end.",
  ],
  table_unknown: [
    "",
    "There is no such table.",
    "The name is not one of the exported tables.",
    "The hint beside the text lists them; lyra history export --table x does, too.",
  ],
  archive_unreadable: [
    "",
    "The archive cannot be read.",
    "It is not a ZIP file of an export, or broken off.",
    "Get it again.",
  ],
  deflate_invalid: ["", "Compressed data are damaged.", "Their bytes were changed.", "Get the file again."],
  verification_failed: [
    "",
    "The archive is not what it says.",
    "A hash or a count does not match: it was changed or damaged.",
    "Do not use it; get it again.",
    "verificationFailed",
  ],
  segment_failed: [
    "",
    "A history segment could not be made.",
    "The thread that makes it met an error; the text says which.",
    "lyra doctor --home DIR; the segment is tried again at the next start.",
  ],
  file_exists: [
    "",
    "A file of this name is there already.",
    "Nothing is overwritten unasked.",
    "Choose another name, or remove it.",
  ],
  output_failed: [
    "",
    "The file cannot be written.",
    "The disk is full, or the folder may not be written to.",
    "Choose another --out.",
  ],
} as const satisfies Readonly<Record<string, ProgramRow>>;
