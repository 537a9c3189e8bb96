// The registry of a sidecar's sources: each reports here what it does and how far the node behind it is; `/status`,
// `/readyz` and `/metrics` read here.
import type { Lag, LiveStatus, SourceKind, SourceReport, SourceState } from "../http/status.ts";

/** News of a source; fields that are left out keep their value. */
interface SourceNews {
  readonly state?: SourceState;
  /** A sentence for operators, without files of this machine. */
  readonly text?: string;
  /** Error code of a source that stopped; any other state clears it. */
  readonly code?: string;
  /** The last height that came from this source. */
  readonly height?: number;
  /** Head of the followed node, where the source is told it, with its block's time. */
  readonly nodeHeight?: number;
  readonly nodeTimeUs?: number;
  /** Whether the followed node says that it is catching up itself. */
  readonly isCatchingUp?: boolean;
}

/** How far behind a sidecar still counts as ready; 0 turns a bound off. */
export interface LagBounds {
  readonly blocks: number;
  readonly seconds: number;
}

interface Clock {
  /** Unix microseconds. */
  nowUs(): number;
  /** Milliseconds of a clock that never goes back. */
  steadyMs(): number;
}

interface Own {
  readonly height: number;
  readonly timeUs: number;
}

interface Entry {
  state: SourceState;
  text: string;
  code: string | undefined;
  height: number | undefined;
  nodeHeight: number | undefined;
  nodeTimeUs: number | undefined;
  isCatchingUp: boolean;
  sinceUs: number;
  heardMs: number;
}

/** After this long without news the head that a node told counts no longer. */
const FRESH_MS = 15_000;
/** Differences below it are the way of a block and the time it takes. */
const SKEW_SECONDS_MIN = 10;

const SYSTEM_CLOCK: Clock = {
  nowUs: () => (performance.timeOrigin + performance.now()) * 1_000,
  steadyMs: () => performance.now(),
};

export class SourceStatus implements LiveStatus {
  private readonly entries = new Map<SourceKind, Entry>();
  followed?: LiveStatus["followed"];
  private readonly partMakers = new Map<string, () => unknown>();

  /** @param own the last block of this node; one without an event source goes by its follower's */
  constructor(
    private readonly bounds: LagBounds,
    private readonly own: () => Own | undefined,
    private readonly clock: Clock = SYSTEM_CLOCK,
  ) {}

  set(kind: SourceKind, news: SourceNews): void {
    const nowUs = this.clock.nowUs();
    let entry = this.entries.get(kind);
    if (entry === undefined) {
      entry = {
        state: "waiting",
        text: "",
        code: undefined,
        height: undefined,
        nodeHeight: undefined,
        nodeTimeUs: undefined,
        isCatchingUp: false,
        sinceUs: nowUs,
        heardMs: 0,
      };
      this.entries.set(kind, entry);
    }
    if (news.state !== undefined && (news.state !== entry.state || news.code !== entry.code)) {
      entry.state = news.state;
      entry.code = news.code;
      entry.sinceUs = nowUs;
    }
    if (news.text !== undefined) entry.text = news.text;
    if (news.height !== undefined) entry.height = news.height;
    if (news.nodeHeight !== undefined) entry.nodeHeight = news.nodeHeight;
    if (news.nodeTimeUs !== undefined) entry.nodeTimeUs = news.nodeTimeUs;
    if (news.isCatchingUp !== undefined) entry.isCatchingUp = news.isCatchingUp;
    entry.heardMs = this.clock.steadyMs();
  }

  /** Adds a member of `/status`, for example `disk`; made when it is asked for. */
  addPart(name: string, make: () => unknown): void {
    this.partMakers.set(name, make);
  }

  parts(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.partMakers].map(([name, make]) => [name, make()]));
  }

  sources(): readonly SourceReport[] {
    return [...this.entries].map(([kind, { state, text, code, height, nodeHeight, sinceUs }]) => ({
      kind,
      state,
      text,
      code,
      height: nodeHeight ?? height,
      sinceUs,
    }));
  }

  lag(): Lag {
    const own = this.own();
    const nowUs = this.clock.nowUs();
    const heights = this.sources().flatMap(({ height }) => (height === undefined ? [] : [height]));
    const followedHeight = heights.length > 0 ? Math.max(...heights) : undefined;
    const node = this.freshNode();
    return {
      followedHeight,
      blocks: Math.max(0, (followedHeight ?? 0) - (own?.height ?? 0)),
      seconds: own && secondsBehind(own, node, nowUs),
      clockSkewSeconds: own && skewSeconds(own, node, nowUs),
    };
  }

  /** Why readers are better served elsewhere. */
  notReady(): string | undefined {
    const { blocks, seconds } = this.lag();
    const { bounds } = this;
    const stopped = this.sources().filter(({ state }) => state === "stopped");
    const because = stopped.map(({ kind, code, text }) => `; ${kind} stopped (${code}): ${text}`).join("");
    if (seconds === undefined) return `no block has come yet${because}`;
    if (bounds.blocks > 0 && blocks > bounds.blocks)
      return `${blocks} blocks behind the followed node, the bound is ${bounds.blocks}${because}`;
    if (bounds.seconds > 0 && seconds > bounds.seconds)
      return `${Math.round(seconds)} seconds behind, the bound is ${bounds.seconds}${because}`;
    return undefined;
  }

  /** The head that a node told a moment ago, which says how far behind this one is whatever the clocks show. */
  private freshNode(): Own | undefined {
    const nowMs = this.clock.steadyMs();
    let best: Own | undefined;
    for (const { state, nodeHeight, nodeTimeUs, isCatchingUp, heardMs } of this.entries.values()) {
      if (nodeHeight === undefined || nodeTimeUs === undefined || isCatchingUp) continue;
      if (state === "waiting" || state === "stopped" || nowMs - heardMs > FRESH_MS) continue;
      if (best === undefined || nodeHeight > best.height) best = { height: nodeHeight, timeUs: nodeTimeUs };
    }
    return best;
  }
}

function secondsBehind(own: Own, node: Own | undefined, nowUs: number): number {
  // Nothing is missing while the chain stands still, however long that is.
  if (node !== undefined)
    return own.height >= node.height ? 0 : Math.max(0, (node.timeUs - own.timeUs) / 1e6);
  return Math.max(0, (nowUs - own.timeUs) / 1e6);
}

/** How far this machine's clock is ahead of the chain's, where that can be told from blocks that are late. */
function skewSeconds(own: Own, node: Own | undefined, nowUs: number): number {
  const ahead = (nowUs - (node ?? own).timeUs) / 1e6;
  // A block of the future is the clock's fault in any case.
  if (ahead < -SKEW_SECONDS_MIN) return ahead;
  return 0;
}
