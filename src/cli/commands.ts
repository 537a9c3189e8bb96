// The commands by their word. Each is loaded when it is called.

interface Command {
  readonly help: string;
  /** Help for the words behind the command, where there is more than one text. */
  helpOf?(argv: readonly string[]): string | Promise<string>;
  /** Whether these words start a node: its standard error is a log from the first line on. */
  startsNode?(argv: readonly string[]): boolean;
  run(argv: string[]): Promise<number>;
}

export const COMMANDS: Readonly<Record<string, { readonly summary: string; load(): Promise<Command> }>> = {
  devnet: { summary: "start a local network, and its tools", load: () => import("./devnet.ts") },
  sidecar: {
    summary: "follow a validator, and answer for it",
    load: () => import("./sidecar.ts"),
  },
  serve: { summary: "serve an existing home", load: () => import("./serve.ts") },
  replay: {
    summary: "load a recording, and serve it with --serve",
    load: () => import("./replay.ts"),
  },
  prune: { summary: "remove the oldest history of a home", load: () => import("./prune.ts") },
  history: { summary: "segments, export, verify", load: () => import("./history.ts") },
  backup: { summary: "one file of a home, while it runs", load: () => import("./backup.ts") },
  restore: { summary: "a home from a backup", load: () => import("./restore.ts") },
  wallet: { summary: "keys, signatures, wallet files", load: () => import("./wallet.ts") },
  tx: { summary: "build, check, sign, prove, send a transaction", load: () => import("./tx.ts") },
  pow: { summary: "make, check and measure proofs of work", load: () => import("./pow.ts") },
  proto: { summary: "the interface as .proto files", load: () => import("./proto.ts") },
  explain: { summary: "what an error means, and what to do", load: () => import("./explain.ts") },
  doctor: { summary: "check a home and this machine", load: () => import("./doctor.ts") },
  completions: {
    summary: "what your shell completes",
    async load() {
      const { help, runFor } = await import("./completions.ts");
      return { help, run: (argv) => runFor(argv, COMMANDS) };
    },
  },
  health: { summary: "does a node answer?", load: () => import("./health.ts") },
  version: { summary: "what this executable is", load: () => import("./version.ts") },
};
