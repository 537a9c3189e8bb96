// Codes of this program's own errors: homes and their stores.
import type { ProgramEntry } from "../explanation.ts";
import { FIXES } from "../shared.ts";

export const STORE_CODES = {
  home_in_use: {
    meaning: "Another Lyra writes to this home.",
    cause: "A home has one writing process at a time; its process id is shown.",
    fix: "Stop it, or choose another --home.",
  },
  home_unusable: {
    meaning: "The home cannot be used.",
    cause: "It is not a folder, or cannot be written to.",
    fix: FIXES.checkPath,
  },
  store_missing: {
    meaning: "There is no store in this home.",
    cause: "Nothing was loaded into it yet, or lyra.db was removed from among its other files.",
    fix: "lyra replay FILE --home DIR, or start a devnet; put a removed lyra.db back.",
    exit: "notReady",
  },
  store_foreign: {
    meaning: "The database in this home is not Lyra's.",
    cause: "Another program made it.",
    fix: FIXES.otherHome,
  },
  migration_failed: {
    meaning: "The store could not be brought to the newest schema.",
    cause: "A step failed; each is made whole or not at all, so the store is as it was.",
    fix: "A checked copy lies in the home (lyra.db-schema-N). Keep it, and report the error.",
  },
  home_written: {
    meaning: "Another process writes a home that this one serves as one that nobody writes.",
    cause:
      "A user who may not write a home reads it without locks: what is read while another user writes may be old, or of two moments.",
    fix: "Stop this process; serve a copy of the home, or serve it as the user who writes it.",
  },
  home_lost: {
    meaning: "The home was moved, removed or replaced while a process had it open.",
    cause:
      "The process goes on with the files that it has open, wherever they are now; nobody else finds them there.",
    fix: "Put the home back, and it goes on by itself; or stop it, name its new place with --home, and start again.",
  },
  home_read_only: {
    text: "the store cannot be opened: the home <path> cannot be written (<reason>), which reading it takes too",
    meaning: "The home lies where nothing can be written.",
    cause: "Readers of a store keep a small file beside it, and take in what a killed writer left.",
    fix: "Copy the home to where it can be written, and read the copy.",
  },
  store_unreadable: {
    meaning: "The store cannot be opened.",
    cause: "The file is damaged, or may not be read.",
    fix: "lyra doctor --home DIR says more.",
  },
  store_failed: {
    meaning: "The store failed while it was used.",
    cause: "SQLite reports an error of the disk or the file.",
    fix: "lyra doctor --home DIR --deep.",
  },
  store_damaged: {
    meaning: "The store holds other data than what was written.",
    cause:
      "A disk or another program changed its file: it cannot be read, or its rows differ from the history segments made of them.",
    fix: "lyra doctor --home DIR --deep says where; restore a backup, or load the recording into another home.",
  },
  sync_failed: {
    meaning: "The disk did not confirm what was written last.",
    cause: "It reported an error, and nobody knows which of the last blocks it holds.",
    fix: "Check the disk and start again: what it took is whole, and the rest is loaded or made again.",
  },
  schema_older: {
    meaning: "The store was made by an older Lyra.",
    cause: "It has to be brought up to date before it can be read.",
    fix: "Open it once for writing: lyra serve --home DIR.",
  },
  schema_newer: {
    meaning: "The store was made by a newer Lyra.",
    cause: "This one does not know its tables.",
    fix: FIXES.newerLyra,
  },
  sqlite_too_old: {
    meaning: "SQLite is too old to be safe.",
    cause: "Versions before 3.51.3 can damage a log under load.",
    fix: "Use the Bun of the lockfile, or the built executable.",
  },
  copy_failed: {
    meaning: "A copy of a store could not be made, or is not sound.",
    cause: "The store or the disk is damaged, or the copy is not one of a store of this program's schema.",
    fix: "lyra doctor --home DIR --deep checks the store; get or make the copy again.",
  },
  disk_full: {
    meaning: "The disk is full.",
    cause: "Nothing more can be written; what was committed is safe.",
    fix: "Make room and start again: it goes on where it stopped.",
  },
  chain_mismatch: {
    meaning: "The blocks are of another chain.",
    cause: "The home holds one chain only.",
    fix: "Choose another --home for it.",
  },
  height_gap: {
    meaning: "Blocks are missing before this one.",
    cause: "The recording begins after the home's last block; or a core's events do.",
    fix: "Load the recording with the blocks between first; restart a core at the height that the text names.",
  },
  time_backwards: {
    meaning: "A block is older than the one before it.",
    cause: "The recording is damaged, or of two chains.",
    fix: "Check where it comes from.",
  },
  block_invalid: {
    meaning: "A block holds what cannot be stored.",
    cause: "A field has a form that it cannot have; the text names it.",
    fix: "The recording is damaged; everything before the block is loaded.",
  },
  block_before_home: {
    meaning: "The recording begins before the home does.",
    cause:
      "A home holds its blocks in one row from the first one on: nothing can be put before it, and there is nothing to compare such blocks with.",
    fix: "Load the recording into another home from its first block on.",
  },
  history_mismatch: {
    meaning: "The recording tells another story than the home.",
    cause: "Blocks of the same height differ.",
    fix: "Load it into another home and compare: lyra doctor --digest.",
  },
  recording_unreadable: {
    meaning: "The recording cannot be read.",
    cause: "The file is missing, may not be read, or is not a recording.",
    fix: "Check its path.",
  },
  writer_failed: {
    meaning: "The thread that writes has stopped.",
    cause: "An error ended it; the log has it.",
    fix: "Start again; the store goes on at its last block.",
  },
} as const satisfies Readonly<Record<string, ProgramEntry>>;
