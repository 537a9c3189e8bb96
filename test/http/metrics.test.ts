// `/metrics` beside counts: times by class of route, errors by who made them, rate, lag, log, descriptors.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { latencyLines, ServerCounts } from "../../src/http/counts.ts";
import { IngestRate } from "../../src/http/status.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

/** Numbers by name and labels. */
function read(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

describe("times", () => {
  test("fall into the buckets of their class, which are cumulative", () => {
    const counts = new ServerCounts();
    for (const ms of [0.1, 0.25, 0.26, 7, 20_000]) counts.countResponse(200, "read", ms);
    counts.countResponse(404, "export", 3);
    expect([...counts.responses]).toEqual([
      [200, 5],
      [404, 1],
    ]);
    const values = read(latencyLines(counts).join("\n"));
    const bucket = (le: string, name = "read") =>
      values.get(`lyra_http_request_seconds_bucket{class="${name}",le="${le}"}`);
    expect(["0.00025", "0.0005", "0.005", "0.01", "10", "+Inf"].map((le) => bucket(le))).toEqual([
      2, 3, 3, 4, 4, 5,
    ]);
    expect(values.get('lyra_http_request_seconds_count{class="read"}')).toBe(5);
    expect(values.get('lyra_http_request_seconds_sum{class="read"}')).toBeCloseTo(20.00761, 6);
    expect([bucket("0.0025", "export"), bucket("0.005", "export"), bucket("+Inf", "kept")]).toEqual([
      0, 1, 0,
    ]);
  });
});

describe("the rate of blocks", () => {
  test("is that of the last minute, sampled once a second", () => {
    let ms = 0;
    let reads = 0;
    const rate = new IngestRate(() => ms);
    expect(rate.perSecond(10)).toBe(0);
    for (; ms <= 10_000; ms += 100) {
      rate.note(() => {
        reads++;
        return ms / 10;
      });
    }
    expect(reads).toBe(11);
    ms = 10_000;
    expect(rate.perSecond(1_000)).toBeCloseTo(100);
    ms = 20_000;
    expect(rate.perSecond(1_000)).toBeCloseTo(50);
    ms = 200_000;
    expect(rate.perSecond(1_000)).toBe(0);
    rate.note(() => 1_000);
    ms += 1_000;
    expect(rate.perSecond(900)).toBe(0);
  });
});

describe("of a devnet", () => {
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await startTestDevnet({ fund: false });
  });
  afterAll(() => devnet.stop());

  const metrics = async () => read(await (await fetch(`${devnet.dataUrl}/metrics`)).text());

  test("requests are counted in their class, on both ports", async () => {
    const before = await metrics();
    const page = `${devnet.dataUrl}/api/v2/assets`;
    for (let i = 0; i < 5; i++) await fetch(page);
    await fetch(`${devnet.dataUrl}/api/v2/networkhistory/export?table=1`);
    for (const url of [devnet.nodeUrl, devnet.dataUrl])
      await fetch(`${url}/transaction/raw`, { method: "POST", body: "{}" });
    await fetch(`${devnet.nodeUrl}/time`);
    await fetch(`${devnet.dataUrl}/time`);
    await fetch(`${devnet.dataUrl}/nothing`);
    const after = await metrics();
    const more = Object.fromEntries(
      ["kept", "read", "export", "submission", "node", "other"].map((name) => {
        const key = `lyra_http_request_seconds_count{class="${name}"}`;
        return [name, after.get(key)! - before.get(key)!];
      }),
    );
    // The first reading of the metrics is one of the others.
    expect(more).toEqual({ kept: 3, read: 2, export: 1, submission: 2, node: 2, other: 2 });
    const errors = (kind: string) => {
      const key = `lyra_http_errors_total{kind="${kind}"}`;
      return after.get(key)! - before.get(key)!;
    };
    expect([errors("client"), errors("server"), after.get("lyra_faults_total")]).toEqual([4, 0, 0]);
  });

  test("lag, rate, log and descriptors are those of the node", async () => {
    await devnet.chain.mine(50);
    const values = await metrics();
    expect(values.get("lyra_lag_seconds")).toBeLessThan(60);
    expect(values.get("lyra_lag_seconds")).toBeGreaterThanOrEqual(0);
    expect(values.get("lyra_ingest_blocks_per_second")).toBeGreaterThanOrEqual(0);
    expect(values.get("lyra_log_bytes")).toBeGreaterThan(0);
    expect(values.get("lyra_log_bytes")).toBeLessThan(values.get("lyra_store_bytes")!);
    if (process.platform === "linux") {
      expect(values.get("process_open_fds")).toBeGreaterThan(3);
      expect(values.get("process_max_fds")).toBeGreaterThan(values.get("process_open_fds")!);
    }
  });
});
