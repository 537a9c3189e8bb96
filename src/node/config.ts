// A node's configuration: flags over environment (LYRA_*) over file (lyra.toml) over defaults (docs/operations.md).
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { NodeError } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { SEGMENT_MODES, type SegmentMode } from "../history/segment-bounds.ts";
import { DEFAULT_LIMITS, type Limits } from "../http/limits.ts";

const DEFAULT_DATA_PORT = 3008;
const DEFAULT_GRPC_DATA_PORT = 3007;
/** Settings of a sidecar alone (sidecar-config.ts); the file of its home may be another command's too. */
export const SIDECAR_KEYS = [
  ...[
    "events-port",
    "events-host",
    "events-socket",
    "event-log",
    "comet",
    "core",
    "follow-sidecar",
    "gaps-from",
  ],
  ...[
    "node-port",
    "grpc-node-port",
    "rules",
    "allow-gaps",
    "disk",
    "retention",
    "ready-lag-blocks",
    "ready-lag-seconds",
  ],
] as const;
/** Bytes of a configuration file. */
const FILE_BYTES_MAX = 1024 * 1024;

const DISK_BYTES_MIN = 256 * 1000 * 1000;
const RETENTIONS = ["archive", "standard", "lite"] as const;
const SIZE_UNITS: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** Amount of history that is kept: as much as fits, as long as the original does, or all of it. */
export interface DiskPolicy {
  /** Bytes that the home may take; undefined for no bound. */
  readonly bytes: number | undefined;
  readonly retention: (typeof RETENTIONS)[number];
}

/** A port of gRPC: 0 picks a free one, "off" has none. */
export type GrpcPortNumber = number | "off";

/** Of a data node: `lyra serve`, `lyra replay --serve`. */
export interface NodeConfig {
  readonly kind: "data";
  readonly home: string;
  readonly host: string;
  /** 0 picks a free port. */
  readonly dataPort: number;
  readonly grpcDataPort: GrpcPortNumber;
  /** Blocks in a history segment; undefined for the usual length, or a devnet's parameter. */
  readonly segmentLength: number | undefined;
  /** Where segments end; undefined for as the home began, and by length in a new one. */
  readonly segments: SegmentMode | undefined;
  readonly disk: DiskPolicy;
  readonly limits: Limits;
  /** Recordings to load, in order, while serving. */
  readonly replay: readonly string[];
  /** A file to follow after them, while it is written; `-` is standard input. */
  readonly follow?: string | undefined;
}

/** The same for a program: only the home must be given, and the port is a free one. */
export type DataNodeConfig = Pick<NodeConfig, "kind" | "home"> & Partial<NodeConfig>;

/** @returns everything that a data node is told, with what `config` leaves out */
export function completeConfig(config: DataNodeConfig): NodeConfig {
  return {
    host: "127.0.0.1",
    dataPort: 0,
    grpcDataPort: 0,
    segmentLength: undefined,
    segments: undefined,
    disk: { bytes: undefined, retention: "archive" },
    limits: DEFAULT_LIMITS,
    replay: [],
    ...config,
  };
}

/** Values that flags give; undefined where the flag is not there. */
export interface ConfigFlags {
  readonly home?: string | undefined;
  readonly host?: string | undefined;
  readonly "data-port"?: string | undefined;
  readonly "grpc-data-port"?: string | undefined;
  readonly "segment-length"?: string | undefined;
  readonly segments?: string | undefined;
  readonly disk?: string | undefined;
  readonly retention?: string | undefined;
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
  const file = readConfigFile(home, flags.config, env);
  const pick = (flag: string | undefined, key: string, fallback: string) =>
    pickSetting(file, env, key, flag) ?? fallback;
  const dataPort = wholeNumber(
    pick(flags["data-port"], "data-port", String(DEFAULT_DATA_PORT)),
    "--data-port",
    0,
    65535,
  );
  return {
    kind: "data",
    home,
    host: pick(flags.host, "host", "127.0.0.1"),
    dataPort,
    grpcDataPort: grpcPortOf(
      "grpc-data-port",
      pickSetting(file, env, "grpc-data-port", flags["grpc-data-port"]),
      {
        usual: DEFAULT_GRPC_DATA_PORT,
        isUsual: dataPort === DEFAULT_DATA_PORT,
      },
    ),
    segmentLength: lengthOf(pickSetting(file, env, "segment-length", flags["segment-length"])),
    segments: modeOf(pickSetting(file, env, "segments", flags.segments)),
    disk: diskOf(
      pickSetting(file, env, "disk", flags.disk),
      pickSetting(file, env, "retention", flags.retention),
    ),
    limits: limitsOf(file.limits, flags.limit ?? []),
    replay,
  };
}

function lengthOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(text, "--segment-length", 1, 1_000_000);
}

/**
 * The number of a gRPC port.
 * @param isUsual whether the REST port beside it is the usual one. Where it is not, a second node runs on this machine, and
 *   gRPC takes a free port too unless it is told one.
 */
export function grpcPortOf(
  key: string,
  text: string | undefined,
  { usual, isUsual }: { readonly usual: number; readonly isUsual: boolean },
): GrpcPortNumber {
  if (text === undefined) return isUsual ? usual : 0;
  return text === "off" ? "off" : wholeNumber(text, `--${key}`, 0, 65535, " or off");
}

function diskOf(disk: string | undefined, retention: string | undefined): DiskPolicy {
  if (disk !== undefined && retention !== undefined)
    throw configError("give --disk or --retention, not both", "a budget decides by itself how much is kept");
  return {
    bytes: sizeOf("disk", disk, DISK_BYTES_MIN),
    retention: oneOf("retention", retention ?? "archive", RETENTIONS),
  };
}

/** `20GB`, `512M`, `1000000`. */
export function sizeOf(key: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const parts = /^(\d{1,12}(?:\.\d{1,3})?)\s*([KMGT]?)B?$/i.exec(text);
  const bytes = parts ? Math.floor(Number(parts[1]) * SIZE_UNITS[parts[2]!.toUpperCase()]!) : 0;
  if (bytes < least || !Number.isSafeInteger(bytes))
    throw configError(`--${key} must be a size of at least ${least / 1e6} MB, not '${text}'`, "such as 20GB");
  return bytes;
}

export function oneOf<const T extends string>(key: string, text: string, choices: readonly T[]): T {
  const match = choices.find((choice) => choice === text);
  if (match === undefined)
    throw configError(`--${key} must be ${choices.join(" or ")}, not '${text}'`, "see: lyra sidecar --help");
  return match;
}

function modeOf(text: string | undefined): SegmentMode | undefined {
  const mode = SEGMENT_MODES.find((one) => one === text);
  if (text !== undefined && mode === undefined)
    throw configError(`--segments must be ${SEGMENT_MODES.join(" or ")}, not '${text}'`, "");
  return mode;
}

type ConfigFile = Readonly<Record<string, unknown>>;

/** A setting: the flag, over the variable that is called like its key, over the file. */
export function pickSetting(
  file: ConfigFile,
  env: NodeJS.ProcessEnv,
  key: string,
  flag: string | undefined,
): string | undefined {
  // A variable that is empty counts as not set: an empty address would be every address of this machine.
  const variable = `LYRA_${key.toUpperCase().replaceAll("-", "_")}`;
  return flag ?? (env[variable] || undefined) ?? stringOf(file[key], key);
}

/** The file that is named, else `lyra.toml` in the home; empty where there is none. @throws NodeError */
export function readConfigFile(
  home: string,
  named: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): ConfigFile {
  const given = named ?? (env.LYRA_CONFIG || undefined);
  const fallback = join(home, "lyra.toml");
  const path = given ?? (existsSync(fallback) ? fallback : undefined);
  if (path === undefined) return {};
  let parsed: Record<string, unknown>;
  try {
    parsed = Bun.TOML.parse(readShortText(path, FILE_BYTES_MAX)) as Record<string, unknown>;
  } catch (error) {
    throw configError(
      `the configuration ${path} cannot be read: ${(error as Error).message}`,
      "it is a TOML file; see docs/operations.md",
    );
  }
  const keys = new Set([
    "host",
    "data-port",
    "grpc-data-port",
    "segment-length",
    "segments",
    "limits",
    ...SIDECAR_KEYS,
  ]);
  for (const key of Object.keys(parsed)) {
    if (!keys.has(key))
      throw configError(
        `the configuration ${path} has an unknown key '${key}'`,
        `known: ${[...keys].join(", ")}`,
      );
  }
  return parsed;
}

function stringOf(value: unknown, key: string): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  throw configError(`'${key}' in the configuration is neither a text nor a number`, "see docs/operations.md");
}

function limitsOf(table: unknown, pairs: readonly string[]): Limits {
  const limits: Record<string, number> = { ...DEFAULT_LIMITS };
  const set = (name: string, text: string) => {
    if (!Object.hasOwn(DEFAULT_LIMITS, name))
      throw configError(
        `there is no limit called '${name}'`,
        `known: ${Object.keys(DEFAULT_LIMITS).join(", ")}`,
      );
    limits[name] = wholeNumber(text, `limit ${name}`, 1, Number.MAX_SAFE_INTEGER);
  };
  if (table !== undefined && (typeof table !== "object" || table === null || Array.isArray(table)))
    throw configError(
      "'limits' in the configuration is not a table",
      "write [limits], and a limit on each line below it",
    );
  for (const [name, value] of Object.entries(table ?? {})) set(name, stringOf(value, `limits.${name}`)!);
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals < 0)
      throw configError(
        `--limit ${pair} is not name=value`,
        `known: ${Object.keys(DEFAULT_LIMITS).join(", ")}`,
      );
    set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return limits as unknown as Limits;
}

export function wholeNumber(
  text: string,
  title: string,
  minimum: number,
  maximum: number,
  others = "",
): number {
  if (!/^\d{1,16}$/.test(text) || Number(text) < minimum || Number(text) > maximum) {
    const range = `a whole number from ${minimum} to ${maximum}${others}`;
    throw configError(`${title} must be ${range}, not '${text}'`, "");
  }
  return Number(text);
}

export function configError(message: string, hint: string): NodeError {
  return new NodeError("config", "config_invalid", message, hint);
}
