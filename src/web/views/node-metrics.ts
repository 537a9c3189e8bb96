// The node's own metrics, in the text format of Prometheus.

/** Values by name and labels, as they stand in the text. */
export type Metrics = ReadonlyMap<string, number>;

export function metricsIn(text: string): Metrics {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match = /^([a-z_]+(?:\{[^}]*\})?) (\S+)$/.exec(line);
    if (match !== null) values.set(match[1]!, Number(match[2]));
  }
  return values;
}

export const metricOf = (metrics: Metrics, name: string) => metrics.get(name) ?? 0;

interface AnswerClass {
  readonly name: string;
  readonly count: number;
  /** Of all of them together. */
  readonly seconds: number;
  /** Upper bound of the bucket that holds the 99th of 100; undefined beyond the last bound. */
  readonly p99: number | undefined;
}

const COUNT = /^lyra_http_request_seconds_count\{class="(\w+)"\}$/;
const BUCKET = /^lyra_http_request_seconds_bucket\{class="(\w+)",le="([\d.]+)"\}$/;
const PART = 0.99;

/** Kinds of requests that were answered at all. */
export function classesIn(metrics: Metrics): AnswerClass[] {
  const names = [...metrics.keys()].flatMap((key) => COUNT.exec(key)?.[1] ?? []);
  return names
    .map((name) => {
      const count = metricOf(metrics, `lyra_http_request_seconds_count{class="${name}"}`);
      const seconds = metricOf(metrics, `lyra_http_request_seconds_sum{class="${name}"}`);
      const bound = [...metrics].find(([key, value]) => {
        const match = BUCKET.exec(key);
        return match?.[1] === name && value >= PART * count;
      });
      const p99 = bound === undefined ? undefined : Number(BUCKET.exec(bound[0])![2]);
      return { name, count, seconds, p99 };
    })
    .filter(({ count }) => count > 0);
}
