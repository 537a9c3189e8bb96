// Codes of this program's own errors: the npm package, which starts the executable.
import type { ProgramRow } from "../explanation.ts";

export const PACKAGE_CODES = {
  executable_missing: [
    "",
    "The package does not find Lyra's executable.",
    "It comes with a package of its own for each platform, which is not installed (optional dependencies were left out, or only one of two tarballs was given), or there is none for this platform.",
    "Install the package that the hint names, or set LYRA_BINARY to the path of an executable.",
  ],
  executable_other_version: [
    "",
    "Lyra's executable is of another version than the package that starts it.",
    "Two packages of different releases are installed together.",
    "Install both of the same release, or set LYRA_BINARY to the path of an executable.",
  ],
  executable_failed: [
    "",
    "The system does not run Lyra's executable.",
    "The file is not executable, is of another platform, or needs a C library that this system does not have (Alpine's is another one than the executable's).",
    "Set LYRA_BINARY to an executable for this system.",
  ],
  devnet_ended: [
    "",
    "The process of a devnet that a program has started is over.",
    "It was stopped or killed, or could not start; the text says which.",
    "Start another one. What it wrote before it ended comes to onLog.",
  ],
  devnet_slow: [
    "",
    "A devnet that a program has started did not listen in time.",
    "The machine is busy, or its home holds a long chain.",
    "Give more time with startTimeoutMs.",
  ],
  bun_needed: [
    "a node in this process needs Bun, and this is another runtime",
    "The package was imported under Node in the form that runs a node in the caller's own process.",
    "That form uses Bun's SQLite and HTTP server.",
    "Import startDevnet from lyra/devnet, which starts the executable; or run the program with Bun.",
  ],
  request_refused: [
    "",
    "A devnet's API refused a request.",
    "The text is the API's own.",
    "See the documentation page at /docs.",
  ],
} as const satisfies Readonly<Record<string, ProgramRow>>;
