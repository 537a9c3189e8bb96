// Status of a running node: liveness, readiness, and Prometheus metrics.
import { readdirSync, readFileSync } from "node:fs";
import type { ChainHead } from "../store/head.ts";
import { rfc3339Nano } from "../wire/time-text.ts";
import type { Addresses, NODE_KINDS } from "./chain-bodies.ts";
import { latencyLines, ServerCounts } from "./counts.ts";
import { ReadinessAskers } from "./drain.ts";
import { type DiskBody, type SOURCE_KINDS, SOURCE_STATES, type StatusBody } from "./status-body.ts";

/** Where blocks and events come from. */
export type SourceKind = (typeof SOURCE_KINDS)[number];
export type SourceState = (typeof SOURCE_STATES)[number];

export interface SourceReport {
  readonly kind: SourceKind;
  readonly state: SourceState;
  /** A sentence for operators. */
  readonly text: string;
  /** Error code of a source that stopped. */
  readonly code: string | undefined;
  /** Height of the node behind it, or the last one that came. */
  readonly height: number | undefined;
  /** Unix microseconds: since when it is in this state. */
  readonly sinceUs: number;
}

/** Lag of a node behind the node that it follows. */
export interface Lag {
  readonly followedHeight: number | undefined;
  readonly blocks: number;
  /** Undefined before the first block. */
  readonly seconds: number | undefined;
  /** Lead of this machine's clock over the chain's; 0 without evidence. */
  readonly clockSkewSeconds: number | undefined;
}

/** A node with live sources. */
export interface LiveStatus {
  sources(): readonly SourceReport[];
  lag(): Lag;
  /** Further members of `/status`. */
  parts(): Readonly<Record<string, unknown>>;
  /** Facts of a followed consensus engine's blocks; undefined where none is followed. */
  readonly followed?: (() => FollowedFacts) | undefined;
  /** Undefined where no events come in. */
  readonly eventLog?: (() => EventLogFacts) | undefined;
}

interface FollowedFacts {
  readonly blocks: number;
  readonly txs: number;
  readonly disagreements: number;
  /** The last of those blocks; undefined before the first. */
  readonly height: number | undefined;
}

/** The log that holds a core's events until they are stored. */
interface EventLogFacts {
  readonly logBytes: number;
  readonly unreadBytes: number;
  readonly logBytesMax: number;
}

interface StatusSource {
  head(): ChainHead | undefined;
  /** For a node that follows another node. */
  readonly live?: LiveStatus;
  /** Why the node is not ready, or undefined when it is. */
  notReady(): string | undefined;
  segments(): number;
  /** Open streams of this thread. */
  streams?(): number;
  storeBytes(): number;
  /** The home's share of the disk, with a forecast. */
  disk?(): DiskBody;
  /** Size of the log beside the store. */
  logBytes(): number;
  /** When the last whole round of background checks of the store ended, Unix microseconds. */
  scrubbedUs?(): number | undefined;
  /** Of a validator. */
  consensus?(): ConsensusFacts | undefined;
  /** Markets that a fault of this program has stopped, on a chain that is executed here. */
  haltedMarkets?(): readonly HaltedFacts[];
  /** Of a chain that is executed here. */
  releases?(): { readonly chain: string; readonly program: string } | undefined;
}

/** A validator's consensus engine, and the others. */
interface ConsensusFacts {
  readonly isConnected: boolean;
  /** Unix nanoseconds: begin of the connection, or of its absence. */
  readonly sinceNs: bigint;
  readonly version: string | undefined;
  readonly isCatchingUp: boolean;
  readonly peers: number;
  readonly validators: number;
  /** Unix nanoseconds: arrival of the last block. */
  readonly blockNs: bigint;
  readonly clockSkewSeconds: number;
  readonly doubleSigned: { readonly count: number; readonly own: string | undefined };
}

interface HaltedFacts {
  readonly market: string;
  /** The block, and the step of the market that was taken back. */
  readonly height: number;
  readonly step: string;
}

export type Listening = Addresses["listening"][number];

/** Reason of `/readyz` once the store is known to be damaged. */
export const STORE_DAMAGED = "the store is damaged: store_damaged";

/** Reason of `/readyz` after the signal to stop. */
export const STOPPING = "the node is stopping";

/** Title, protocol and first address of each kind of port. */
const PLACES: Readonly<Record<Listening["name"], Pick<Listening, "title" | "scheme" | "path">>> = {
  data: { title: "data API", scheme: "http", path: "/api/v2" },
  node: { title: "node API", scheme: "http", path: "/statistics" },
  faucet: { title: "faucet", scheme: "http", path: "/api/v1/mint" },
  grpcData: { title: "gRPC of the data API", scheme: "grpc", path: "" },
  grpcNode: { title: "gRPC of the node API", scheme: "grpc", path: "" },
  comet: { title: "CometBFT RPC", scheme: "http", path: "/status" },
  events: { title: "events of a core", scheme: "tcp", path: "" },
};

export class ServerStatus {
  source: StatusSource | undefined;
  readonly counts = new ServerCounts();
  private readonly startedMs = performance.now();
  /** To be notified of commits. */
  readonly ingest = new IngestRate();
  private hasMetDamage = false;
  private isStopping = false;
  readonly askers = new ReadinessAskers();
  kind: (typeof NODE_KINDS)[number] = "data node";
  /** The home for `--home`, where the page may name it. */
  homeWord: string | undefined;
  /** The node's ports, in the order in which they began to listen. */
  readonly listening: Listening[] = [];

  /** To be called by each port once it listens. */
  noteListening({
    name,
    host,
    port,
    ...place
  }: Pick<Listening, "name" | "host" | "port"> & Partial<Listening>): void {
    this.listening.push({ name, host, port, ...PLACES[name], ...place });
  }

  /** The node is not ready any more. */
  beginStop(): void {
    this.isStopping = true;
  }

  /** `/readyz`: 200 when every reader gets what it may expect, else 503 and the reason. */
  readiness(): { ready: boolean; reason: string } {
    const sourceReason = this.source === undefined ? "starting" : this.source.notReady();
    const reason = this.hasMetDamage ? STORE_DAMAGED : this.isStopping ? STOPPING : sourceReason;
    return { ready: reason === undefined, reason: reason ?? "" };
  }

  /** From then on no answer is read from the store: it may be wrong. */
  get isDamaged(): boolean {
    return this.hasMetDamage || this.source?.notReady() === STORE_DAMAGED;
  }

  /** An answer failed because the store cannot be read. */
  noteDamage(): void {
    this.hasMetDamage = true;
  }

  /** `/status`: JSON. */
  statusText(): string {
    return JSON.stringify(this.statusBody());
  }

  private statusBody(): StatusBody {
    const facts = this.isDamaged ? undefined : this.source;
    const { ready, reason } = this.readiness();
    const head = facts?.head();
    const live = this.source?.live;
    const halted = this.source?.haltedMarkets?.() ?? [];
    const release = this.source?.releases?.();
    const scrubbedUs = this.source?.scrubbedUs?.();
    return {
      chainId: head?.chainId ?? null,
      height: head?.height ?? null,
      firstHeight: head?.firstHeight ?? null,
      time: head ? timeText(head.timeUs) : null,
      ready,
      reason,
      ...(halted.length > 0 && {
        haltedMarkets: halted.map(({ market, height, step }) => ({ market, height, step })),
      }),
      ...(release && { release: { chain: release.chain, program: release.program } }),
      ...(live && liveBody(live)),
      ...consensusBody(this.source?.consensus?.()),
      segments: facts?.segments() ?? 0,
      store: {
        bytes: this.source?.storeBytes() ?? 0,
        logBytes: this.source?.logBytes() ?? 0,
        checked: scrubbedUs === undefined ? null : timeText(scrubbedUs),
      },
      ...(facts?.disk && { disk: facts.disk() }),
      ...live?.parts(),
    };
  }

  /** `/metrics`: Prometheus text format, version 0.0.4. */
  metrics(): string {
    this.counts.streamsOpen = this.source?.streams?.() ?? 0;
    const { counts } = this;
    const facts = this.isDamaged ? undefined : this.source;
    const nowUs = (performance.timeOrigin + performance.now()) * 1_000;
    const head = facts?.head();
    const lines = [
      ...metric("lyra_block_height", "gauge", "Height of the last block in the store.", head?.height ?? 0),
      ...metric(
        "lyra_block_time_seconds",
        "gauge",
        "Time of the last block, Unix seconds.",
        (head?.timeUs ?? 0) / 1e6,
      ),
      ...metric(
        "lyra_lag_seconds",
        "gauge",
        "Time since the last block's own time; of a recording that is its age.",
        head ? Math.max(0, (nowUs - head.timeUs) / 1e6) : 0,
      ),
      ...metric(
        "lyra_ingest_blocks_per_second",
        "gauge",
        "Blocks that came into the store, over the last minute.",
        this.ingest.perSecond(head?.height ?? 0),
      ),
      ...(this.source?.live ? liveLines(this.source.live) : []),
      ...consensusLines(this.source?.consensus?.()),
      ...metric("lyra_ready", "gauge", "1 when /readyz answers 200.", this.readiness().ready ? 1 : 0),
      ...metric(
        "lyra_store_damaged",
        "gauge",
        "1 when the store is known to be damaged.",
        this.isDamaged ? 1 : 0,
      ),
      ...metric("lyra_history_segments", "gauge", "History segments in the store.", facts?.segments() ?? 0),
      ...metric(
        "lyra_store_bytes",
        "gauge",
        "Size of the store with its log, segments apart.",
        this.source?.storeBytes() ?? 0,
      ),
      ...metric(
        "lyra_log_bytes",
        "gauge",
        "Size of the log beside the store (WAL).",
        this.source?.logBytes() ?? 0,
      ),
      ...scrubLines(this.source?.scrubbedUs?.()),
      ...(facts?.disk ? diskLines(facts.disk()) : []),
      ...metric(
        "lyra_page_cache_hits_total",
        "counter",
        "Answers taken from the page cache.",
        counts.cacheHits,
      ),
      ...metric("lyra_streams_open", "gauge", "Streams that are open.", counts.streamsOpen),
      ...metric("lyra_exports_running", "gauge", "Exports being sent.", counts.exportsRunning),
      ...metric("lyra_exports_failed_total", "counter", "Exports that broke off.", counts.exportsFailed),
      ...metric(
        "lyra_uptime_seconds",
        "gauge",
        "Seconds since the start.",
        (performance.now() - this.startedMs) / 1000,
      ),
      ...processMetrics(),
      "# HELP lyra_http_responses_total Responses by status.",
      "# TYPE lyra_http_responses_total counter",
      ...[...counts.responses]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `lyra_http_responses_total{status="${status}"} ${count}`),
      ...errorLines(counts),
      ...metric("lyra_faults_total", "counter", "Answers that failed inside the node.", counts.faults),
      ...latencyLines(counts),
    ];
    return `${lines.join("\n")}\n`;
  }
}

/** No line for a missing budget or forecast. */
function diskLines({ usedBytes, budgetBytes, fullInDays }: DiskBody): string[] {
  return [
    ...metric("lyra_home_bytes", "gauge", "Bytes of the whole home.", usedBytes),
    ...(budgetBytes === null
      ? []
      : metric("lyra_disk_budget_bytes", "gauge", "Bytes that the home may take.", budgetBytes)),
    ...(fullInDays === null
      ? []
      : metric(
          "lyra_disk_full_days",
          "gauge",
          "Days of the chain until disk or budget are full.",
          fullInDays,
        )),
  ];
}

/** No line before the end of the first round. */
function scrubLines(scrubbedUs: number | undefined): string[] {
  if (scrubbedUs === undefined) return [];
  return metric(
    "lyra_scrub_time_seconds",
    "gauge",
    "Time at which the last whole check of the store ended, Unix seconds.",
    scrubbedUs / 1e6,
  );
}

function timeText(us: number): string {
  return rfc3339Nano(BigInt(Math.trunc(us)) * 1_000n);
}

function liveBody(live: LiveStatus): Partial<StatusBody> {
  const { followedHeight, blocks, seconds, clockSkewSeconds } = live.lag();
  return {
    followedHeight: followedHeight ?? null,
    lag: { blocks, seconds: seconds ?? null },
    clockSkewSeconds: clockSkewSeconds ?? null,
    sources: live.sources().map(({ kind, state, text, code, height, sinceUs }) => ({
      kind,
      state,
      ...(code !== undefined && { code }),
      text,
      height: height ?? null,
      since: timeText(sinceUs),
    })),
  };
}

function liveLines(live: LiveStatus): string[] {
  const { followedHeight, blocks, seconds, clockSkewSeconds } = live.lag();
  const sources = live.sources();
  return [
    "# HELP lyra_source_state 1 for the state that a source is in.",
    "# TYPE lyra_source_state gauge",
    ...sources.flatMap(({ kind, state }) =>
      SOURCE_STATES.map(
        (other) => `lyra_source_state{source="${kind}",state="${other}"} ${state === other ? 1 : 0}`,
      ),
    ),
    "# HELP lyra_source_height Height of the node behind a source, or the last one that came from it.",
    "# TYPE lyra_source_height gauge",
    ...sources.map(({ kind, height }) => `lyra_source_height{source="${kind}"} ${height ?? 0}`),
    ...metric("lyra_followed_height", "gauge", "Height of the followed node.", followedHeight ?? 0),
    ...metric("lyra_lag_blocks", "gauge", "Blocks that the followed node is ahead.", blocks),
    ...metric(
      "lyra_behind_seconds",
      "gauge",
      "Seconds behind the followed node; by this machine's clock where the node does not tell its head.",
      seconds ?? 0,
    ),
    ...skewLines(clockSkewSeconds ?? 0),
    ...(live.eventLog ? eventLogLines(live.eventLog()) : []),
    ...(live.followed ? followedLines(live.followed()) : []),
  ];
}

function skewLines(seconds: number): string[] {
  return metric(
    "lyra_clock_skew_seconds",
    "gauge",
    "Lead of this machine's clock over the chain's.",
    seconds,
  );
}

function consensusBody(report: ConsensusFacts | undefined): Partial<StatusBody> {
  if (report === undefined) return {};
  const { isConnected: connected, sinceNs, version, isCatchingUp: catchingUp } = report;
  const { peers, validators, doubleSigned, clockSkewSeconds } = report;
  return {
    clockSkewSeconds,
    consensus: {
      ...{ connected, since: rfc3339Nano(sinceNs), version: version ?? null, catchingUp, peers, validators },
      blockAgeSeconds: secondsSince(report.blockNs),
      doubleSigned: doubleSigned.count,
      ...(doubleSigned.own !== undefined && { ownDoubleSigned: doubleSigned.own }),
    },
  };
}

function consensusLines(report: ConsensusFacts | undefined): string[] {
  if (report === undefined) return [];
  const { isConnected, isCatchingUp, peers, validators, doubleSigned, blockNs, clockSkewSeconds } = report;
  return [
    ...metric(
      "lyra_engine_connected",
      "gauge",
      "1 while the consensus engine is connected.",
      isConnected ? 1 : 0,
    ),
    ...metric(
      "lyra_engine_catching_up",
      "gauge",
      "1 while the consensus engine fetches blocks that others have.",
      isCatchingUp ? 1 : 0,
    ),
    ...metric("lyra_engine_peers", "gauge", "Nodes that the consensus engine is connected with.", peers),
    ...metric("lyra_consensus_validators", "gauge", "Validators with a vote.", validators),
    ...metric(
      "lyra_block_age_seconds",
      "gauge",
      "Seconds since the last block came, by the time of its arrival.",
      secondsSince(blockNs),
    ),
    ...metric(
      "lyra_double_signed_total",
      "counter",
      "Reports in blocks that a validator signed twice.",
      doubleSigned.count,
    ),
    ...skewLines(clockSkewSeconds),
  ];
}

/** @param ns Unix nanoseconds of this process's clock, as src/devnet/clock.ts gives it */
function secondsSince(ns: bigint): number {
  const nowMs = performance.timeOrigin + performance.now();
  return Math.max(0, Math.round(nowMs - Number(ns / 1_000_000n)) / 1_000);
}

function eventLogLines({ logBytes, unreadBytes, logBytesMax }: EventLogFacts): string[] {
  return [
    ...metric("lyra_event_log_bytes", "gauge", "Size of the event log.", logBytes),
    ...metric(
      "lyra_event_log_unread_bytes",
      "gauge",
      "Bytes of the event log that are not stored yet.",
      unreadBytes,
    ),
    ...metric("lyra_event_log_max_bytes", "gauge", "Bytes that the event log may take.", logBytesMax),
  ];
}

function followedLines({ blocks, txs, disagreements, height }: FollowedFacts): string[] {
  return [
    ...metric(
      "lyra_follower_height",
      "gauge",
      "Height of the last block of the consensus engine that went through admission.",
      height ?? 0,
    ),
    ...metric(
      "lyra_follower_blocks_total",
      "counter",
      "Blocks of the consensus engine that went through admission.",
      blocks,
    ),
    ...metric("lyra_follower_transactions_total", "counter", "Transactions of those blocks.", txs),
    ...metric(
      "lyra_follower_disagreements_total",
      "counter",
      "Transactions whose result on the chain is not the one that the rules give; the log explains them.",
      disagreements,
    ),
  ];
}

/** Mistakes of clients apart from answers that a server has to explain. */
function errorLines({ responses }: ServerCounts): string[] {
  const inClass = (first: number) =>
    [...responses].reduce(
      (sum, [status, count]) => (status >= first && status < first + 100 ? sum + count : sum),
      0,
    );
  return [
    "# HELP lyra_http_errors_total Refused requests: client mistakes are 4xx, the server's 5xx. Some 5xx are demanded by the interface for a client's mistake; lyra_faults_total counts what really failed.",
    "# TYPE lyra_http_errors_total counter",
    `lyra_http_errors_total{kind="client"} ${inClass(400)}`,
    `lyra_http_errors_total{kind="server"} ${inClass(500)}`,
  ];
}

const SAMPLE_MS = 1_000;
const WINDOW_MS = 60_000;

interface Sample {
  readonly ms: number;
  readonly height: number;
}

export class IngestRate {
  private readonly samples: Sample[] = [];

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** To be called after a commit. @param height read only when a sample is due */
  note(height: () => number): void {
    const ms = this.nowMs();
    const last = this.samples.at(-1);
    if (last !== undefined && ms - last.ms < SAMPLE_MS) return;
    this.samples.push({ ms, height: height() });
    this.dropOld(ms);
  }

  /** @param height of the last block */
  perSecond(height: number): number {
    const ms = this.nowMs();
    this.dropOld(ms);
    const [first] = this.samples;
    if (first === undefined || ms <= first.ms) return 0;
    // A chain that took blocks back has no negative rate.
    return Math.max(0, ((height - first.height) * 1_000) / (ms - first.ms));
  }

  private dropOld(ms: number): void {
    while (this.samples.length > 0 && ms - this.samples[0]!.ms > WINDOW_MS) this.samples.shift();
  }
}

const DESCRIPTORS = "/proc/self/fd";
const LIMITS = "/proc/self/limits";
const OPEN_FILES = /^Max open files\s+(\d+)/m;

/** Without those of descriptors where the system has no `/proc`. */
function processMetrics(): string[] {
  const lines = metric(
    "process_resident_memory_bytes",
    "gauge",
    "Resident memory.",
    process.memoryUsage.rss(),
  );
  try {
    // Without the descriptor of the folder that is being read.
    const open = readdirSync(DESCRIPTORS).length - 1;
    lines.push(...metric("process_open_fds", "gauge", "Open file descriptors, sockets too.", open));
    const most = OPEN_FILES.exec(readFileSync(LIMITS, "utf8"))?.[1];
    if (most !== undefined)
      lines.push(...metric("process_max_fds", "gauge", "File descriptors at the most.", Number(most)));
  } catch {
    // Elsewhere than on Linux.
  }
  return lines;
}

function metric(name: string, type: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, `${name} ${value}`];
}
