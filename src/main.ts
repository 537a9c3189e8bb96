#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// The launcher: words to a command. `--help` and `--version` open nothing.
import { dispatch } from "./cli/command/dispatch.ts";
import { COMMANDS } from "./cli/commands.ts";
import { sayError, sayFailure } from "./cli/terminal.ts";
import { ExitCode, NodeError } from "./errors/node-error.ts";

/** Failure of standard output; a pipe and a full disk say so later than the call that wrote. */
let outputFailure: { readonly code?: string } | undefined;

/** Ends the process when all that was printed has left it: a slow reader of a pipe gets the rest too. */
async function leave(code: number, asJson: boolean): Promise<never> {
  await new Promise<void>((resolve) => process.stdout.end(resolve));
  // A reader that closes a pipe early has read enough.
  const isLost = outputFailure !== undefined && outputFailure.code !== "EPIPE";
  if (!isLost || code !== ExitCode.done) process.exit(code);
  const message = `standard output cannot be written: ${outputFailure?.code ?? "unknown"}`;
  process.exit(
    sayError(new NodeError("lyra", "output_lost", message, "what was printed is not whole"), asJson),
  );
}

/** Services of this machine are asked directly, even behind a proxy, which would see or give the answers. */
function passProxyBy(): void {
  const given = process.env.no_proxy || process.env.NO_PROXY;
  if (given?.trim() === "*") return;
  const all = [...(given ? [given] : []), "localhost", "127.0.0.0/8", "::1"].join(",");
  process.env.no_proxy = all;
  process.env.NO_PROXY = all;
}

passProxyBy();
const argv = process.argv.slice(2);
const asJson = argv.includes("--json");
process.stdout.on("error", (error: { readonly code?: string }) => {
  outputFailure ??= error;
});
// The runtime would print a stack.
process.on("uncaughtException", (error) => void leave(sayFailure(error, asJson), asJson));
process.on("unhandledRejection", (error) => void leave(sayFailure(error, asJson), asJson));
await dispatch(COMMANDS, argv, { asJson, logFailure: (error) => sayFailure(error, asJson) }).then(
  (code) => leave(code, asJson),
  (error: unknown) => leave(sayError(error, asJson), asJson),
);
