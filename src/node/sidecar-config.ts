// A sidecar's configuration: a data node's, with its sources (docs/operations.md, "Sidecar").
import type { AdmissionRules } from "../chain/admission/rules.ts";
import {
  type ConfigFlags,
  completeConfig,
  configError,
  type DataNodeConfig,
  type GrpcPortNumber,
  grpcPortOf,
  loadConfig,
  type NodeConfig,
  oneOf,
  pickSetting,
  readConfigFile,
  type SIDECAR_KEYS,
  sizeOf,
  wholeNumber,
} from "./config.ts";
import type { LagBounds } from "./source-status.ts";

const DEFAULT_EVENTS_PORT = 3005;
const DEFAULT_NODE_PORT = 3003;
const DEFAULT_GRPC_NODE_PORT = 3002;
const DEFAULT_LAG: LagBounds = { blocks: 10, seconds: 30 };
const LOOK_MS = 1_000;
const EVENT_LOG_BYTES = 256 * 1024 * 1024;
/** Parts of a disk budget, of which the event log has one at the most. */
const EVENT_LOG_PARTS = 8;
const EVENT_LOG_BYTES_MIN = 16e6;

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
  /** URL of another sidecar's data API, for blocks that are missing behind the event socket. */
  readonly gapsFrom: string | undefined;
  /** 0 picks a free one. */
  readonly nodePort: number;
  readonly grpcNodePort: GrpcPortNumber;
  readonly rules: AdmissionRules;
  readonly lagBounds: LagBounds;
  /** Interval at which the followed node is looked at while it announces nothing, milliseconds. */
  readonly lookMs: number;
}

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
    gapsFrom: undefined,
    nodePort: 0,
    grpcNodePort: 0,
    rules: "0.71.6",
    lagBounds: DEFAULT_LAG,
    lookMs: LOOK_MS,
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
  if (sources.followSidecar !== undefined && (eventsPort !== undefined || sources.eventsSocket !== undefined))
    throw configError(
      "give --follow-sidecar or an event socket, not both",
      "events come from one source: a core's socket, or another sidecar",
    );
  const gapsFrom = urlOf("gaps-from", pick("gaps-from"));
  if (gapsFrom !== undefined && sources.followSidecar !== undefined)
    throw configError(
      "give --gaps-from or --follow-sidecar, not both",
      "--gaps-from is for blocks that are missing behind an event socket",
    );
  const isAlone = Object.values(sources).every((source) => source === undefined);
  const nodePort = whole("node-port", DEFAULT_NODE_PORT, 65535);
  const listens = eventsPort !== undefined || isAlone;
  return {
    ...base,
    ...sources,
    gapsFrom,
    kind: "sidecar",
    events: listens
      ? {
          host: pick("events-host") ?? "127.0.0.1",
          port: wholeNumber(eventsPort ?? String(DEFAULT_EVENTS_PORT), "--events-port", 0, 65535),
        }
      : undefined,
    eventLogBytes:
      sizeOf("event-log", pick("event-log"), EVENT_LOG_BYTES_MIN) ?? eventLogShare(base.disk.bytes),
    allowGaps: isTrue("allow-gaps", pick("allow-gaps")),
    nodePort,
    grpcNodePort: grpcPortOf("grpc-node-port", pick("grpc-node-port"), {
      usual: DEFAULT_GRPC_NODE_PORT,
      isUsual: nodePort === DEFAULT_NODE_PORT,
    }),
    rules: oneOf("rules", pick("rules") ?? "0.71.6", ["default", "0.71.6"]),
    lagBounds: {
      blocks: whole("ready-lag-blocks", DEFAULT_LAG.blocks, Number.MAX_SAFE_INTEGER),
      seconds: whole("ready-lag-seconds", DEFAULT_LAG.seconds, Number.MAX_SAFE_INTEGER),
    },
    lookMs: LOOK_MS,
  };
}

/** Of a small budget the event log takes no more than a part. */
function eventLogShare(budgetBytes: number | undefined): number {
  return Math.min(EVENT_LOG_BYTES, Math.floor((budgetBytes ?? Number.POSITIVE_INFINITY) / EVENT_LOG_PARTS));
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
