// The registry of a sidecar's sources: each reports here what it does and how far the node behind it is; `/status`,
// `/readyz` and `/metrics` read here.
import type { Lag, LiveStatus, SourceKind, SourceReport, SourceState } from "../http/status.ts";
import { type Clock, ClockSkew, type NodeHead } from "./clock-skew.ts";

/** News of a source; fields that are left out keep their value. */
interface SourceNews {
  readonly state?: SourceState;
  /** A sentence for operators, without files of this machine. */
  readonly text?: string;
  /** Error code of a source that stopped; any other state clears it. */
  readonly code?: string;
  /** The last height that came from this source. */
  readonly height?: number;
  /** Head of the followed node, where the source reports it, with its block's time. */
  readonly nodeHeight?: number;
  readonly nodeTimeUs?: number;
  /** Whether the followed node is catching up itself, by its own report. */
  readonly isCatchingUp?: boolean;
}

/** Lag at which a sidecar still counts as ready; 0 turns a bound off. */
export interface LagBounds {
  readonly blocks: number;
  readonly seconds: number;
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
  /** Whether it was connected once. */
  hasRun: boolean;
  sinceUs: number;
  /** The same by the clock that never goes back. */
  sinceMs: number;
  heardMs: number;
}

/** After this long without news the head that a node told counts no longer. */
const FRESH_MS = 15_000;
const SYSTEM_CLOCK: Clock = {
  nowUs: () => (performance.timeOrigin + performance.now()) * 1_000,
  steadyMs: () => performance.now(),
};

export class SourceStatus implements LiveStatus {
  private readonly entries = new Map<SourceKind, Entry>();
  followed?: LiveStatus["followed"];
  eventLog?: LiveStatus["eventLog"];
  private readonly partMakers = new Map<string, () => unknown>();
  private readonly planes: { readonly name: string; height(): number | undefined }[] = [];
  private readonly skew = new ClockSkew();

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
        hasRun: false,
        sinceUs: nowUs,
        sinceMs: this.clock.steadyMs(),
        heardMs: 0,
      };
      this.entries.set(kind, entry);
    }
    if (news.state !== undefined && (news.state !== entry.state || news.code !== entry.code)) {
      entry.state = news.state;
      entry.code = news.code;
      entry.sinceUs = nowUs;
      entry.sinceMs = this.clock.steadyMs();
      if (news.state === "connected" || news.state === "receiving") entry.hasRun = true;
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

  /** A part of this node that comes forward by itself. @param height its last block; undefined before the first */
  addPlane(name: string, height: () => number | undefined): void {
    this.planes.push({ name, height });
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
    const skew = this.skew.note(node ?? own, this.clock);
    return {
      followedHeight,
      blocks: Math.max(0, (followedHeight ?? 0) - (own?.height ?? 0)),
      seconds: own && secondsBehind(own, node, nowUs - Math.max(0, skew) * 1e6),
      clockSkewSeconds: own && skew,
    };
  }

  /** Why readers are better served elsewhere: sources that do not run first, which the rest follows from. */
  notReady(): string | undefined {
    const reasons = [...this.sourceReasons(), ...this.lagReasons()];
    return reasons.length === 0 ? undefined : reasons.join("; ");
  }

  private sourceReasons(): string[] {
    const nowMs = this.clock.steadyMs();
    return [...this.entries].flatMap(([kind, { state, code, text, hasRun, sinceMs }]) => {
      const cause = `${code === undefined ? "" : ` (${code})`}: ${text}`;
      if (state === "stopped" || state === "paused") return [`${kind} ${state}${cause}`];
      // A file need not grow.
      if (state !== "waiting" || kind === "file") return [];
      // A node that restarts is back within the bound.
      const graceMs = hasRun ? this.bounds.seconds * 1_000 : 0;
      const isBack = hasRun && (graceMs === 0 || nowMs - sinceMs <= graceMs);
      return isBack ? [] : [`${kind} waiting${cause}`];
    });
  }

  private lagReasons(): string[] {
    const { blocks, seconds, followedHeight } = this.lag();
    const { bounds } = this;
    if (seconds === undefined) return ["no block has come yet"];
    const reasons: string[] = [];
    const isFarBehind = (behind: number) => bounds.blocks > 0 && behind > bounds.blocks;
    if (isFarBehind(blocks))
      reasons.push(`${blocks} blocks behind the followed node, the bound is ${bounds.blocks}`);
    const newest = Math.max(followedHeight ?? 0, this.own()?.height ?? 0);
    for (const { name, height } of this.planes) {
      const at = height();
      if (at === undefined) reasons.push(`the ${name} has no block yet`);
      else if (isFarBehind(newest - at))
        reasons.push(`the ${name} is ${newest - at} blocks behind, the bound is ${bounds.blocks}`);
    }
    if (bounds.seconds > 0 && seconds > bounds.seconds)
      reasons.push(`${Math.round(seconds)} seconds behind, the bound is ${bounds.seconds}`);
    return reasons;
  }

  /** The head that a node told a moment ago, which says how far behind this one is whatever the clocks show. */
  private freshNode(): NodeHead | undefined {
    const nowMs = this.clock.steadyMs();
    let best: NodeHead | undefined;
    for (const { state, nodeHeight, nodeTimeUs, isCatchingUp, heardMs } of this.entries.values()) {
      if (nodeHeight === undefined || isCatchingUp) continue;
      if (state === "waiting" || state === "stopped" || nowMs - heardMs > FRESH_MS) continue;
      if (best === undefined || nodeHeight > best.height) best = { height: nodeHeight, timeUs: nodeTimeUs };
    }
    return best;
  }
}

function secondsBehind(own: Own, node: NodeHead | undefined, nowUs: number): number {
  // Nothing is missing while the chain stands still, however long that is.
  if (node !== undefined && own.height >= node.height) return 0;
  return Math.max(0, ((node?.timeUs ?? nowUs) - own.timeUs) / 1e6);
}
