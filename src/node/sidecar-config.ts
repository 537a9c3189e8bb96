// A sidecar's configuration: a data node's, with its sources (docs/operations.md, "Sidecar").
import type { AdmissionRules } from "../chain/admission/rules.ts";
import {
  type ConfigFlags,
  completeConfig,
  configError,
  type DataNodeConfig,
  loadConfig,
  type NodeConfig,
  pickSetting,
  readConfigFile,
  type SIDECAR_KEYS,
  wholeNumber,
} from "./config.ts";
import type { LagBounds } from "./source-status.ts";

const DEFAULT_EVENTS_PORT = 3005;
const DEFAULT_NODE_PORT = 3003;
const DEFAULT_LAG: LagBounds = { blocks: 10, seconds: 30 };
const EVENT_LOG_BYTES = 256 * 1024 * 1024;
const EVENT_LOG_BYTES_MIN = 16e6;
const DISK_BYTES_MIN = 64 * 1024 * 1024;
const RETENTIONS = ["archive", "standard", "lite"] as const;
const SIZE_UNITS: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

/** Of `lyra sidecar`. Each source stands alone. */
export interface SidecarConfig extends Omit<NodeConfig, "kind"> {
  readonly kind: "sidecar";
  /** Where a core's event socket is listened for. */
  readonly events: { readonly host: string; readonly port: number } | undefined;
  /** A Unix socket for the same. */
  readonly eventsSocket: string | undefined;
  /** Bytes of events kept on disk: those that are not stored yet, and as many of the others as fit. */
  readonly eventLogBytes: number;
  /** Whether blocks behind missing ones are stored. */
  readonly allowGaps: boolean;
  /** URL of a CometBFT RPC. */
  readonly comet: string | undefined;
  /** URL of a core node's REST API. */
  readonly core: string | undefined;
  /** URL of another sidecar's data API. */
  readonly followSidecar: string | undefined;
  /** 0 picks a free one. */
  readonly nodePort: number;
  readonly rules: AdmissionRules;
  readonly lagBounds: LagBounds;
  /** Bytes that the home may take; undefined for no bound. */
  readonly diskBytes: number | undefined;
  readonly retention: Retention;
}

type Retention = (typeof RETENTIONS)[number];

/** The same for a program: only the home must be given. Sources are those that are named. */
export type SidecarNodeConfig = Pick<SidecarConfig, "kind" | "home"> & Partial<SidecarConfig>;

export function completeSidecarConfig(given: SidecarNodeConfig): SidecarConfig {
  const { kind: _, ...rest } = given;
  return {
    ...completeConfig({ ...(rest as Omit<DataNodeConfig, "kind">), kind: "data" }),
    events: undefined,
    eventsSocket: undefined,
    eventLogBytes: EVENT_LOG_BYTES,
    allowGaps: false,
    comet: undefined,
    core: undefined,
    followSidecar: undefined,
    nodePort: 0,
    rules: "0.71.6",
    lagBounds: DEFAULT_LAG,
    diskBytes: undefined,
    retention: "archive",
    segments: "network",
    ...given,
  };
}

type SidecarFlags = Readonly<Partial<Record<(typeof SIDECAR_KEYS)[number], string>>>;

/** Puts the configuration together. @throws NodeError with exit code 2 for a value that cannot be */
export function loadSidecarConfig(
  flags: SidecarFlags,
  serving: ConfigFlags,
  env: NodeJS.ProcessEnv = process.env,
): SidecarConfig {
  const base = loadConfig(serving, [], env);
  const file = { ...readConfigFile(base.home, serving.config, env) };
  // The only one that TOML has a form of its own for.
  if (typeof file["allow-gaps"] === "boolean") file["allow-gaps"] = String(file["allow-gaps"]);
  const pick = (key: (typeof SIDECAR_KEYS)[number]) => pickSetting(file, env, key, flags[key]);
  const whole = (key: (typeof SIDECAR_KEYS)[number], fallback: number, most: number) =>
    wholeNumber(pick(key) ?? String(fallback), `--${key}`, 0, most);
  const eventsPort = pick("events-port");
  const sources = {
    eventsSocket: pick("events-socket"),
    comet: urlOf("comet", pick("comet")),
    core: urlOf("core", pick("core")),
    followSidecar: urlOf("follow-sidecar", pick("follow-sidecar")),
  };
  const isAlone = Object.values(sources).every((source) => source === undefined);
  const listens = eventsPort !== undefined || isAlone;
  return {
    ...base,
    ...sources,
    segments: base.segments ?? "network",
    kind: "sidecar",
    events: listens
      ? {
          host: pick("events-host") ?? "127.0.0.1",
          port: wholeNumber(eventsPort ?? String(DEFAULT_EVENTS_PORT), "--events-port", 0, 65535),
        }
      : undefined,
    eventLogBytes: sizeOf("event-log", pick("event-log"), EVENT_LOG_BYTES_MIN) ?? EVENT_LOG_BYTES,
    allowGaps: isTrue("allow-gaps", pick("allow-gaps")),
    nodePort: whole("node-port", DEFAULT_NODE_PORT, 65535),
    rules: oneOf("rules", pick("rules") ?? "0.71.6", ["default", "0.71.6"]),
    lagBounds: {
      blocks: whole("ready-lag-blocks", DEFAULT_LAG.blocks, Number.MAX_SAFE_INTEGER),
      seconds: whole("ready-lag-seconds", DEFAULT_LAG.seconds, Number.MAX_SAFE_INTEGER),
    },
    ...diskOf(pick("disk"), pick("retention")),
  };
}

function diskOf(disk: string | undefined, retention: string | undefined) {
  if (disk !== undefined && retention !== undefined)
    throw configError("give --disk or --retention, not both", "a budget decides by itself how much is kept");
  return {
    diskBytes: sizeOf("disk", disk, DISK_BYTES_MIN),
    retention: oneOf("retention", retention ?? "archive", RETENTIONS),
  };
}

/** `20GB`, `512M`, `1000000`. */
function sizeOf(key: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const parts = /^(\d{1,12}(?:\.\d{1,3})?)\s*([KMGT]?)B?$/i.exec(text);
  const bytes = parts ? Math.floor(Number(parts[1]) * SIZE_UNITS[parts[2]!.toUpperCase()]!) : 0;
  if (bytes < least || !Number.isSafeInteger(bytes))
    throw configError(`--${key} must be a size of at least ${least / 1e6} MB, not '${text}'`, "such as 20GB");
  return bytes;
}

function urlOf(key: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw configError(
      `--${key} must be an http or https URL, not '${text}'`,
      "such as http://127.0.0.1:26657",
    );
  return text.replace(/\/+$/, "");
}

function isTrue(key: string, text: string | undefined): boolean {
  return oneOf(key, text ?? "false", ["true", "false"]) === "true";
}

function oneOf<const T extends string>(key: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found === undefined)
    throw configError(`--${key} must be ${choices.join(" or ")}, not '${text}'`, "see: lyra sidecar --help");
  return found;
}
