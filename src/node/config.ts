// A node's configuration: flags over environment (LYRA_*) over file (lyra.toml) over defaults (docs/operations.md).
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { NodeError } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { DEFAULT_LIMITS, type Limits } from "../http/limits.ts";

const DEFAULT_DATA_PORT = 3008;
const DEFAULT_SEGMENT_LENGTH = 1000;
/** Bytes of a configuration file. */
const FILE_BYTES_MAX = 1024 * 1024;

/** Of a data node: `lyra serve`, `lyra replay --serve`. */
export interface NodeConfig {
  readonly kind: "data";
  readonly home: string;
  readonly host: string;
  /** 0 picks a free port. */
  readonly dataPort: number;
  /** Blocks in a history segment. */
  readonly segmentLength: number;
  readonly limits: Limits;
  /** Recordings to load, in order, while serving. */
  readonly replay: readonly string[];
}

/** The same for a program: only the home must be given, and the port is a free one. */
export type DataNodeConfig = Pick<NodeConfig, "kind" | "home"> & Partial<NodeConfig>;

/** @returns everything that a data node is told, with what `config` leaves out */
export function completeConfig(config: DataNodeConfig): NodeConfig {
  return {
    host: "127.0.0.1",
    dataPort: 0,
    segmentLength: DEFAULT_SEGMENT_LENGTH,
    limits: DEFAULT_LIMITS,
    replay: [],
    ...config,
  };
}

/** Values that flags give; undefined where the flag is not there. */
interface ConfigFlags {
  readonly home?: string | undefined;
  readonly host?: string | undefined;
  readonly dataPort?: string | undefined;
  readonly segmentLength?: string | undefined;
  readonly config?: string | undefined;
  /** `name=value` pairs. */
  readonly limit?: readonly string[] | undefined;
}

/** `$LYRA_HOME`, else the XDG data folder. */
export function defaultHome(env: NodeJS.ProcessEnv = process.env): string {
  if (env.LYRA_HOME) return env.LYRA_HOME;
  return join(env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "lyra");
}

/** Puts the configuration together. @throws NodeError with exit code 2 for a value that cannot be */
export function loadConfig(
  flags: ConfigFlags,
  replay: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): NodeConfig {
  const home = flags.home ?? defaultHome(env);
  // A variable that is empty counts as not set: an empty address would be every address of this machine.
  const file = readFile(flags.config ?? (env.LYRA_CONFIG || undefined), join(home, "lyra.toml"));
  const pick = (flag: string | undefined, variable: string, key: string, fallback: string): string =>
    flag ?? (env[variable] || undefined) ?? stringOf(file[key], key) ?? fallback;
  return {
    kind: "data",
    home,
    host: pick(flags.host, "LYRA_HOST", "host", "127.0.0.1"),
    dataPort: wholeNumber(
      pick(flags.dataPort, "LYRA_DATA_PORT", "data-port", String(DEFAULT_DATA_PORT)),
      "--data-port",
      0,
      65535,
    ),
    segmentLength: wholeNumber(
      pick(flags.segmentLength, "LYRA_SEGMENT_LENGTH", "segment-length", String(DEFAULT_SEGMENT_LENGTH)),
      "--segment-length",
      1,
      1_000_000,
    ),
    limits: limitsOf(file.limits, flags.limit ?? []),
    replay,
  };
}

function readFile(given: string | undefined, fallback: string): Record<string, unknown> {
  const path = given ?? (existsSync(fallback) ? fallback : undefined);
  if (path === undefined) return {};
  let parsed: Record<string, unknown>;
  try {
    parsed = Bun.TOML.parse(readShortText(path, FILE_BYTES_MAX)) as Record<string, unknown>;
  } catch (error) {
    throw usage(
      `the configuration ${path} cannot be read: ${(error as Error).message}`,
      "it is a TOML file; see docs/operations.md",
    );
  }
  const known = new Set(["host", "data-port", "segment-length", "limits"]);
  for (const key of Object.keys(parsed)) {
    if (!known.has(key))
      throw usage(`the configuration ${path} has an unknown key '${key}'`, `known: ${[...known].join(", ")}`);
  }
  return parsed;
}

function stringOf(value: unknown, key: string): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw usage(`'${key}' in the configuration is neither a text nor a number`, "see docs/operations.md");
}

function limitsOf(table: unknown, pairs: readonly string[]): Limits {
  const limits: Record<string, number> = { ...DEFAULT_LIMITS };
  const set = (name: string, text: string) => {
    if (!Object.hasOwn(DEFAULT_LIMITS, name))
      throw usage(`there is no limit called '${name}'`, `known: ${Object.keys(DEFAULT_LIMITS).join(", ")}`);
    limits[name] = wholeNumber(text, `limit ${name}`, 1, Number.MAX_SAFE_INTEGER);
  };
  if (table !== undefined && (typeof table !== "object" || table === null || Array.isArray(table)))
    throw usage(
      "'limits' in the configuration is not a table",
      "write [limits], and a limit on each line below it",
    );
  for (const [name, value] of Object.entries(table ?? {})) set(name, stringOf(value, `limits.${name}`)!);
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 0)
      throw usage(`--limit ${pair} is not name=value`, `known: ${Object.keys(DEFAULT_LIMITS).join(", ")}`);
    set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return limits as unknown as Limits;
}

function wholeNumber(text: string, title: string, minimum: number, maximum: number): number {
  if (!/^\d{1,16}$/.test(text) || Number(text) < minimum || Number(text) > maximum) {
    throw usage(`${title} must be a whole number from ${minimum} to ${maximum}, not '${text}'`, "");
  }
  return Number(text);
}

function usage(message: string, hint: string): NodeError {
  return new NodeError("config", "config_invalid", message, hint);
}
