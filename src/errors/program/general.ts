// Codes of this program's own errors: those of every part, such as a wrong use, a busy port, a file.
import type { ProgramEntry } from "../explanation.ts";
import { FIXES } from "../shared.ts";

export const GENERAL_CODES = {
  usage: {
    meaning: "The words of the command are not understood.",
    cause: "A flag is unknown, or a value is missing.",
    fix: "lyra COMMAND --help fits a screen.",
    exit: "usage",
  },
  config_invalid: {
    meaning: "The configuration cannot be used.",
    cause: "A key, a value or a limit is not known or out of range.",
    fix: "docs/operations.md lists them.",
    exit: "usage",
  },
  code_unknown: {
    text: "nothing is known of '<text>'",
    meaning: "lyra explain does not know this code or text.",
    cause: "It is misspelt, or not one of this network's.",
    fix: "Try the number, the name of the rule, or a few words of the message.",
  },
  internal: {
    text: ["something went wrong inside Lyra", "a request failed inside Lyra"],
    meaning: "An error that nobody foresaw.",
    cause: "It is a bug.",
    fix: "Run again with LYRA_DEBUG=1 to see where, and report it.",
  },
  cancelled: {
    text: [
      "the search was cancelled",
      "cancelled",
      "nothing was made: these are not the words",
      "nothing was deleted",
    ],
    meaning: "It was broken off on request.",
    cause: "A key was pressed, or a caller gave up.",
    fix: "Start it again.",
    exit: "interrupted",
  },
  stopped: {
    meaning: "It was stopped before it was done.",
    cause: "The node ends.",
    fix: "Start it again; what was done stays.",
  },
  port_in_use: {
    text: "port <n> on <host> is in use",
    meaning: "Another program listens there.",
    cause: "It may be another Lyra.",
    fix: "Stop it, or give port 0 for a free one.",
  },
  cannot_listen: {
    text: ["cannot listen on <host> port <n> (<code>)", "cannot listen on the socket <path> (<code>)"],
    meaning: "The system does not allow it.",
    cause: "The address is not this machine's, or the port needs more rights.",
    fix: "Give another --host, or a port above 1023.",
  },
  host_empty: {
    text: "the host to listen on is empty",
    meaning: "No address to listen on was given.",
    cause: "`host` is set to an empty text, which the system would take for every address of this machine.",
    fix: "Give the address; 0.0.0.0 is every one of this machine.",
    exit: "usage",
  },
  not_loopback: {
    meaning: "This would open a tool without protection to other machines.",
    cause: "The wallet, the faucet and the devnet's tools stay on this machine.",
    fix: "Leave the host at 127.0.0.1, or allow it with its own flag.",
    exit: "usage",
  },
  no_terminal: {
    meaning: "A secret is wanted, and there is nobody to ask.",
    cause: "Neither a flag nor a terminal gives it.",
    fix: "Give it by a file: see --help.",
    exit: "usage",
  },
  secret_unusable: {
    meaning: "The file of a secret cannot be used.",
    cause: "It cannot be read, or is empty or too large.",
    fix: "Check the file.",
    exit: "usage",
  },
  file_failed: {
    meaning: "A file or a folder cannot be used.",
    cause: "It is not there, may not be written, or the disk is full or read-only.",
    fix: "Check its rights, and the room on the disk.",
  },
  file_unreadable: {
    meaning: "The file cannot be read.",
    cause: "It is not there, or may not be read.",
    fix: FIXES.checkPath,
  },
  file_unwritable: {
    meaning: "The file cannot be written.",
    cause: "It is there already, or the folder may not be written to.",
    fix: FIXES.otherName,
  },
  file_exists: {
    meaning: "A file of this name is there already.",
    cause: "Nothing is overwritten unasked.",
    fix: "Choose another name, or remove it.",
  },
  output_failed: {
    meaning: "The file cannot be written.",
    cause: "The disk is full, or the folder may not be written to.",
    fix: "Choose another --out.",
  },
  output_lost: {
    meaning: "The output of a command was cut off.",
    cause:
      "The file or the device that its output goes to took no more, because the disk is full, for example.",
    fix: "Make room, or print to another place, and run the command again.",
  },
  memory_low: {
    meaning: "The process may not use enough memory.",
    cause:
      "A control group (a unit's MemoryMax, a container's --memory) or the machine has less than a sidecar needs to load and serve.",
    fix: "Raise the limit to 384 MiB or more; 1 GiB is comfortable.",
  },
} as const satisfies Readonly<Record<string, ProgramEntry>>;
