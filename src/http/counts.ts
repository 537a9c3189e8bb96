// Counts for `/metrics`: answers by status, faults, exports, and how long answers take.

/** From the request's arrival to its answer's first byte; what is streamed after that is not counted. */
const ROUTE_CLASSES = ["kept", "read", "export", "stream", "submission", "node", "other"] as const;
export type RouteClass = (typeof ROUTE_CLASSES)[number];

const classes = new WeakMap<Request, RouteClass>();

/** @param request as the server got it */
export function setClass(request: Request, kind: RouteClass): void {
  classes.set(request, kind);
}

export function classOf(request: Request): RouteClass {
  return classes.get(request) ?? "other";
}

/** Upper bounds, milliseconds; the last bucket has none. */
const BOUNDS_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

interface Histogram {
  /** Answers in each bucket alone. */
  readonly buckets: number[];
  sumMs: number;
}

const newHistogram = (): Histogram => ({ buckets: new Array(BOUNDS_MS.length + 1).fill(0), sumMs: 0 });

export class ServerCounts {
  /** Answers by status. */
  readonly responses = new Map<number, number>();
  cacheHits = 0;
  /** Failures that no request can be blamed for. */
  faults = 0;
  exportsRunning = 0;
  /** Open streams of its data plane. */
  streamsOpen = 0;
  /** Exports that broke off half way, through a fault of ours. */
  exportsFailed = 0;
  readonly latencies = Object.fromEntries(ROUTE_CLASSES.map((name) => [name, newHistogram()])) as Record<
    RouteClass,
    Histogram
  >;

  /** @param ms from the request to its answer */
  countResponse(status: number, kind: RouteClass, ms: number): void {
    this.responses.set(status, (this.responses.get(status) ?? 0) + 1);
    const histogram = this.latencies[kind];
    let bucket = 0;
    while (bucket < BOUNDS_MS.length && ms > BOUNDS_MS[bucket]!) bucket++;
    histogram.buckets[bucket]!++;
    histogram.sumMs += ms;
  }
}

const HISTOGRAM = "lyra_http_request_seconds";

/** Latencies in the text form of Prometheus. */
export function latencyLines({ latencies }: ServerCounts): string[] {
  const lines = [
    `# HELP ${HISTOGRAM} Time from a request to its answer's first byte, by class of route.`,
    `# TYPE ${HISTOGRAM} histogram`,
  ];
  for (const name of ROUTE_CLASSES) {
    const { buckets, sumMs } = latencies[name];
    let count = 0;
    for (const [at, inBucket] of buckets.entries()) {
      count += inBucket;
      const bound = at < BOUNDS_MS.length ? String(BOUNDS_MS[at]! / 1_000) : "+Inf";
      lines.push(`${HISTOGRAM}_bucket{class="${name}",le="${bound}"} ${count}`);
    }
    lines.push(`${HISTOGRAM}_sum{class="${name}"} ${sumMs / 1_000}`);
    lines.push(`${HISTOGRAM}_count{class="${name}"} ${count}`);
  }
  return lines;
}
