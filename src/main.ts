#!/usr/bin/env -S bun --no-env-file --config=/dev/null
import { didYouMean } from "./cli/arguments.ts";
import { COMMANDS } from "./cli/commands.ts";
import { sayError, sayFailure } from "./cli/terminal.ts";
// The launcher: words to a command. `--help` and `--version` open nothing.
import { ExitCode, NodeError } from "./errors/node-error.ts";

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  lyra ${name.padEnd(11)} ${summary}`);
  return `Lyra: a whole trading network in one executable

${lines.join("\n")}

  lyra COMMAND --help says more. Most commands take --home DIR, --json, --quiet.
  Exit codes: 0 done, 1 failed, 2 usage, 3 not ready, 4 verification failed,
  130 interrupted.
`;
}

async function main(argv: string[]): Promise<number> {
  const [word, ...rest] = argv;
  // `lyra help devnet` is `lyra devnet --help`.
  if (word === "help" && rest[0] !== undefined && !rest[0].startsWith("-")) return main([...rest, "--help"]);
  if (word === undefined || word === "--help" || word === "-h" || word === "help") {
    (word === undefined ? process.stderr : process.stdout).write(overview());
    return word === undefined ? ExitCode.usage : ExitCode.done;
  }
  const name = word === "--version" || word === "-V" ? "version" : word;
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) {
    const message = `there is no command '${word.slice(0, 40)}'${didYouMean(word, Object.keys(COMMANDS))}`;
    if (asJson) throw new NodeError("lyra", "usage", message, "see: lyra --help");
    process.stderr.write(`lyra: ${message}\n\n${overview()}`);
    return ExitCode.usage;
  }
  const command = await entry.load();
  if (rest.includes("--help") || rest.includes("-h")) {
    process.stdout.write((await command.helpOf?.(rest)) ?? command.help);
    return ExitCode.done;
  }
  // A wrong use is told to the person at the prompt.
  const isLogged = (error: unknown) => !isUsage(error) && command.startsNode?.(rest) === true;
  return command.run(rest).catch((error) => {
    if (isLogged(error)) return sayFailure(error, asJson);
    throw error;
  });
}

function isUsage(error: unknown): boolean {
  return error instanceof NodeError && error.exitCode === ExitCode.usage;
}

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
await main(argv).then(
  (code) => leave(code, asJson),
  (error: unknown) => leave(sayError(error, asJson), asJson),
);
