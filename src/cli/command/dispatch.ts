// Runs the command that the typed words name, or shows its help.

import { ExitCode, NodeError } from "../../errors/node-error.ts";
import type { Command, Commands } from "./command.ts";
import { checkFlags, type Place, readInvocation } from "./parse.ts";
import { allCommands, findCommand, type Match, namesBelow, placeOf } from "./table.ts";
import { unknownCommand } from "./unknown-command.ts";

/** Form of failures. */
interface Output {
  readonly asJson: boolean;
  /** Logs a failure of a node. @returns its exit code */
  logFailure(error: unknown): number;
}

/** @param argv the words behind `lyra` @returns the exit code @throws NodeError */
export async function dispatch(table: Commands, argv: readonly string[], output: Output): Promise<number> {
  const [word, ...others] = argv;
  // `lyra help devnet` is `lyra devnet --help`.
  if (word === "help" && others[0]?.startsWith("-") === false)
    return dispatch(table, [...others, "--help"], output);
  if (word === undefined || word === "--help" || word === "-h" || word === "help") {
    const { overview } = await import("./help.ts");
    (word === undefined ? process.stderr : process.stdout).write(overview(table));
    return word === undefined ? ExitCode.usage : ExitCode.done;
  }
  const isVersion = word === "--version" || word === "-V";
  const match = await findCommand(table, isVersion ? ["version", ...others] : argv);
  const { path, entry, rest, loose } = match;
  const end = rest.indexOf("--");
  const isAsked = rest.slice(0, end < 0 ? undefined : end).some((word) => word === "--help" || word === "-h");
  if (entry !== undefined && (isAsked || match.isHelp)) return showHelp(match);
  if (entry === undefined) return refuse(table, match, output);
  const command = await entry.load?.();
  const isMistyped =
    loose.length > 0 && command?.words === undefined && namesBelow(match.commands, path).length > 0;
  const place = placeOf(match.commands, path);
  if (isMistyped && command !== undefined) checkFlags(place, command, rest);
  if (command === undefined || isMistyped) throw unknownCommand(match);
  return runCommand(command, place, rest, output);
}

/** @param argv the words behind the command's own */
async function runCommand(
  command: Command,
  place: Place,
  argv: readonly string[],
  { logFailure }: Pick<Output, "logFailure">,
): Promise<number> {
  const invocation = readInvocation(place, command, argv);
  try {
    return await command.run(invocation);
  } catch (error) {
    const isUsage = error instanceof NodeError && error.exitCode === ExitCode.usage;
    // A wrong use is an answer to the person at the prompt, not part of a node's log.
    if (!isUsage && command.startsNode?.(invocation.values)) return logFailure(error);
    throw isUsage ? withOwnHelp(error, place.help) : error;
  }
}

/** A usage error that points to the first word's help points to the command's own. */
function withOwnHelp(error: NodeError, help: string): NodeError {
  const { attempt, code, message, hint } = error;
  return hint === `see: lyra ${help.split(" ")[0]} --help`
    ? new NodeError(attempt, code, message, `see: lyra ${help}`)
    : error;
}

async function showHelp(match: Match): Promise<number> {
  const { path, entry, loose, isHelp } = match;
  const commands = entry!.loadCommands ? await allCommands(match.commands) : match.commands;
  const { helpOf, listOf } = await import("./help.ts");
  // `lyra devnet help` lists what `lyra devnet --help` only names.
  const list =
    entry!.loadCommands && (loose.length > 0 || isHelp)
      ? await listOf(path, isHelp ? loose : loose.slice(0, 1), commands)
      : undefined;
  if (list === undefined && isHelp && loose.length > 0 && namesBelow(commands, path).length > 0)
    throw unknownCommand(match);
  process.stdout.write(list ?? (await helpOf(path, entry!, commands)));
  return ExitCode.done;
}

async function refuse(table: Commands, match: Match, { asJson }: Output): Promise<number> {
  const error = unknownCommand(match);
  if (asJson) throw error;
  const { overview } = await import("./help.ts");
  process.stderr.write(`lyra: ${error.message}\n\n${overview(table)}`);
  return ExitCode.usage;
}
