// Codes of this program's own errors: the npm package, which starts the executable.
import type { ProgramEntry } from "../explanation.ts";

export const PACKAGE_CODES = {
  executable_missing: {
    meaning: "The package does not find Lyra's executable.",
    cause:
      "It comes with a package of its own for each platform, which is not installed (optional dependencies were left out, or only one of two tarballs was given), or there is none for this platform.",
    fix: "Install the package that the hint names, or set LYRA_BINARY to the path of an executable.",
  },
  executable_other_version: {
    meaning: "Lyra's executable is of another version than the package that starts it.",
    cause: "Two packages of different releases are installed together.",
    fix: "Install both of the same release, or set LYRA_BINARY to the path of an executable.",
  },
  executable_failed: {
    meaning: "The system does not run Lyra's executable.",
    cause:
      "The file is not executable, is of another platform, or needs a C library that this system does not have (Alpine's is another one than the executable's).",
    fix: "Set LYRA_BINARY to an executable for this system.",
  },
  devnet_ended: {
    meaning: "The process of a devnet that a program has started is over.",
    cause: "It was stopped or killed, or could not start; the text says which.",
    fix: "Start another one. What it wrote before it ended comes to onLog.",
  },
  blocks_exhausted: {
    meaning: "`mineUntil` has made as many blocks as it may, and the condition does not hold.",
    cause: "It never will, or takes more blocks than `blocksMax`.",
    fix: "Correct the condition, or give more blocks.",
  },
  devnet_slow: {
    meaning: "A devnet that a program has started did not listen in time.",
    cause: "The machine is busy, or its home holds a long chain.",
    fix: "Give more time with startTimeoutMs.",
  },
  bun_needed: {
    text: "a node in this process needs Bun, and this is another runtime",
    meaning: "The package was imported under Node in the form that runs a node in the caller's own process.",
    cause: "That form uses Bun's SQLite and HTTP server.",
    fix: "Import startDevnet from lyra/devnet, which starts the executable; or run the program with Bun.",
  },
  unreachable: {
    meaning: "The client got no answer from a node.",
    cause:
      "Nothing listens at that address, or the connection broke; a read was tried again for some seconds.",
    fix: "Check the address, and that the node runs (GET /healthz).",
  },
  unknown_member: {
    meaning: "A request of the client has a member that the resource does not have.",
    cause: "It is mistyped, or belongs to another resource; the text has the name that was meant.",
    fix: "Give one of the members that the hint lists.",
  },
  missing_member: {
    meaning:
      "A request of the client lacks a member that is a part of the resource's path, or without which a stream has nothing to send.",
    fix: "Give the member that the text names.",
  },
  stream_gap: {
    meaning: "A stream of the client cannot go on where it was.",
    cause: "The chain was taken back to before its last block, or the blocks since are not kept any more.",
    fix: "Read the state again, and open the stream without `after`.",
  },
  stream_ended: {
    meaning: "The connection of a stream ended; the client opens it again.",
    fix: "Nothing: it is the reason that onReconnect gets.",
  },
  answer_too_long: {
    meaning: "An answer is longer than the client reads.",
    cause: "It is not a node's, or asks for too much at once.",
    fix: "Ask for fewer rows.",
  },
  not_json: {
    meaning: "An answer to the client is not JSON.",
    cause: "The address is another server's.",
    fix: "Check dataUrl and nodeUrl.",
  },
  request_refused: {
    meaning: "A devnet's API refused a request.",
    cause: "The text is the API's own.",
    fix: "See the documentation page at /docs.",
  },
} as const satisfies Readonly<Record<string, ProgramEntry>>;
