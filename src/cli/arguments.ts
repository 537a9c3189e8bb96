// Reading of a command's words, the same way for every command.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { NodeError } from "../errors/node-error.ts";
import { nearest } from "./nearest.ts";

/** Flags that every command knows. */
export const COMMON = {
  home: { type: "string" },
  json: { type: "boolean" },
  quiet: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const satisfies ParseArgsOptionsConfig;

/** Flags of commands that serve. */
export const SERVING = {
  host: { type: "string" },
  "data-port": { type: "string" },
  "segment-length": { type: "string" },
  config: { type: "string" },
  "config-out": { type: "string" },
  limit: { type: "string", multiple: true },
} as const satisfies ParseArgsOptionsConfig;

/** Parses the words after a command's name. @throws NodeError with exit code 2 */
export function readArguments<const O extends ParseArgsOptionsConfig>(
  command: string,
  argv: string[],
  options: O,
) {
  try {
    return parseArgs({ args: argv, options, allowPositionals: true, strict: true });
  } catch (error) {
    const sentence = (error as Error).message.split("\n")[0]!.replace(/\. To specify.*$/, "");
    const unknown = /Unknown option '--([\w-]+)'/.exec(sentence)?.[1];
    const near = unknown && nearest(unknown, Object.keys(options));
    throw usageError(command, near ? `${sentence}: did you mean '--${near}'?` : sentence);
  }
}

export function usageError(command: string, message: string): NodeError {
  return new NodeError(command, "usage", message, `see: lyra ${command} --help`);
}
