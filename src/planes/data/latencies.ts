// How long answers take, by class of route: a histogram for each, in words of the memory that the threads share
// (counts.ts). Counting one is two readings of the clock and three additions.
import { splitUrl } from "../../http/http.ts";
import type { MountedPlane } from "./app.ts";

/** From the request's arrival to its answer's first byte; what is streamed after that is not counted. */
export const ROUTE_CLASSES = ["kept", "read", "export", "submission", "node", "other"] as const;
export type RouteClass = (typeof ROUTE_CLASSES)[number];

/** Upper bounds, milliseconds; the last bucket has none. */
const BOUNDS_MS = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;
const BUCKETS = BOUNDS_MS.length + 1;
/** Buckets, and the sum of all times. */
const CLASS_WORDS = BUCKETS + 1;
export const LATENCY_WORDS = ROUTE_CLASSES.length * CLASS_WORDS;

const PLACES: Readonly<Record<RouteClass, number>> = Object.fromEntries(
  ROUTE_CLASSES.map((name, at) => [name, at * CLASS_WORDS]),
) as Record<RouteClass, number>;

/** @param words those of one thread */
export function countLatency(words: Float64Array, base: number, kind: RouteClass, ms: number): void {
  const place = base + PLACES[kind];
  let bucket = 0;
  while (bucket < BOUNDS_MS.length && ms > BOUNDS_MS[bucket]!) bucket++;
  words[place + bucket]!++;
  words[place + BUCKETS]! += ms;
}

const DATA = "/api/v2/";
const EXPORT = /\/export(?:\?|$)/;
const SCHEME_LENGTH = "http://".length;

/** The class of a request that was not answered from the cache. */
export function routeClass({ url, method }: Request, mounted: MountedPlane | undefined): RouteClass {
  // Nearly every one: nothing is cut out of the address for it.
  if (url.startsWith(DATA, url.indexOf("/", SCHEME_LENGTH)))
    return url.includes("/export") && EXPORT.test(url) ? "export" : "read";
  const { pathname } = splitUrl(url);
  if (mounted === undefined || !mounted.takes(pathname)) return "other";
  return method === "POST" && mounted.submits(pathname) ? "submission" : "node";
}

const NAME = "lyra_http_request_seconds";

/** In the text form of Prometheus. @param sum of a word over all threads */
export function latencyLines(sum: (word: number) => number): string[] {
  const lines = [
    `# HELP ${NAME} Time from a request to its answer's first byte, by class of route.`,
    `# TYPE ${NAME} histogram`,
  ];
  for (const name of ROUTE_CLASSES) {
    const counts = Array.from({ length: BUCKETS }, (_, at) => sum(PLACES[name] + at));
    let count = 0;
    for (const [at, inBucket] of counts.entries()) {
      count += inBucket;
      const bound = at < BOUNDS_MS.length ? String(BOUNDS_MS[at]! / 1_000) : "+Inf";
      lines.push(`${NAME}_bucket{class="${name}",le="${bound}"} ${count}`);
    }
    lines.push(`${NAME}_sum{class="${name}"} ${sum(PLACES[name] + BUCKETS) / 1_000}`);
    lines.push(`${NAME}_count{class="${name}"} ${count}`);
  }
  return lines;
}
