// gRPC against REST over the same store: a page of 50 rows that is kept until the next block, asked by generators of bytes,
// and an export, fetched by curl. Server and client are processes of their own; the two take turns within a round.
// bun bench/grpc.ts [--rows N] [--mb 200] [--rounds N] [--binary PATH]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MESSAGE_BYTES } from "../src/history/export.ts";
import { DEFAULT_LIMITS } from "../src/http/limits.ts";
import { ServerStatus } from "../src/http/status.ts";
import { serveData } from "../src/planes/data/app.ts";
import { DataContext } from "../src/planes/data/context.ts";
import { DataPlane } from "../src/planes/data/plane.ts";
import { serveGrpc } from "../src/planes/grpc/port.ts";
import { openReader } from "../src/store/database.ts";
import {
  encodeExportNetworkHistoryRequest,
  encodeListBalanceChangesRequest,
} from "../src/wire/generated/datanode.ts";
import { encodeHttpBody } from "../src/wire/generated/http-body.ts";
import { message } from "../test/support/raw-http2.ts";
import { makeBalanceStore } from "./balance-store.ts";
import { fabricate } from "./fabricated-segments.ts";
import { loadGrpcInChild } from "./grpc-load.ts";
import { loadInChild } from "./load.ts";
import { argument, median, residentMb, startLyra } from "./support.ts";

const SERVICE = "/datanode.api.v2.TradingDataService";
const PAGE = "/api/v2/balance/changes?pagination.first=50";
const EXPORT = "/api/v2/networkhistory/export?table=TABLE_BALANCES&fromBlock=1&toBlock=6000";
const GRPC_OPTIONS = [
  "--http2-prior-knowledge",
  "-H",
  "content-type: application/grpc",
  "-H",
  "te: trailers",
];
const CONNECTIONS = 4;
const CALLS = 16;
const MEASURE_MS = 1_500;
/** Exports in a round of the pages' time: one takes a third of a second. */
const EXPORTS = 3;

if (process.argv[2] === "--serve") await serve(process.argv[3]!);
else await main();

/** A data node without a chain, over segments that were made up. */
async function serve(home: string): Promise<void> {
  const build = { version: "v0.71.6", commit: "bench" };
  const plane = new DataPlane(new DataContext(openReader(home), { limits: DEFAULT_LIMITS, build, home }));
  const status = new ServerStatus();
  const rest = serveData(plane, status, { host: "127.0.0.1", port: 0 });
  const grpc = await serveGrpc(
    { kind: "data", data: plane, status },
    { host: "127.0.0.1", port: 0, portFlag: "--grpc-data-port" },
  );
  console.log(JSON.stringify({ rest: rest.port, grpc: grpc.port }));
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "lyra-bench-grpc-"));
  try {
    const rounds = Number(argument("--rounds") ?? 5);
    const result = {
      ...(await unary(join(home, "pages"), rounds)),
      ...(await exporting(join(home, "export"), rounds)),
    };
    console.log(JSON.stringify({ bench: "grpc", ...result }));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function unary(home: string, rounds: number) {
  makeBalanceStore(home, Number(argument("--rows") ?? 100_000));
  const lyra = await startLyra(home, argument("--binary"));
  const rest: number[] = [];
  const grpc: number[] = [];
  const idleMb = residentMb(lyra.pid);
  const request = Buffer.from(encodeListBalanceChangesRequest({ pagination: { first: 50 } })).toString(
    "base64",
  );
  for (let round = 0; round < rounds + 1; round++) {
    const kept = await loadInChild({
      port: lyra.port,
      paths: [PAGE],
      connections: CONNECTIONS * CALLS,
      durationMs: MEASURE_MS,
    });
    const target = { port: lyra.grpcPort, path: `${SERVICE}/ListBalanceChanges`, request };
    const call = await loadGrpcInChild({
      ...target,
      connections: CONNECTIONS,
      calls: CALLS,
      durationMs: MEASURE_MS,
    });
    if (kept.errors + call.errors > 0) throw new Error("not every answer was good");
    // The first round warms both.
    if (round === 0) continue;
    rest.push(kept.perSecond);
    grpc.push(call.perSecond);
  }
  const usedMb = residentMb(lyra.pid);
  await lyra.stop();
  const unaryRatio = median(grpc.map((one, at) => one / rest[at]!));
  console.error(
    `kept page: gRPC ${Math.round(median(grpc))} a second, REST ${Math.round(median(rest))}, ${unaryRatio.toFixed(2)}`,
  );
  return { unaryPerSecond: median(grpc), restPerSecond: median(rest), unaryRatio, idleMb, usedMb };
}

async function exporting(home: string, rounds: number) {
  await fabricate(home, Number(argument("--mb") ?? 200));
  const child = Bun.spawn([process.execPath, import.meta.path, "--serve", home], {
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const { value } = await child.stdout.getReader().read();
    const ports = JSON.parse(new TextDecoder().decode(value)) as { rest: number; grpc: number };
    const requestFile = join(home, "request");
    await Bun.write(
      requestFile,
      message(encodeExportNetworkHistoryRequest({ fromBlock: 1n, toBlock: 6_000n, table: 1 })),
    );
    const archive = Bun.file(join(home, "same.zip")).size;
    const ratios: number[] = [];
    const speeds: number[] = [];
    for (let round = 0; round < (rounds + 1) * EXPORTS; round++) {
      const rest = await download(`http://127.0.0.1:${ports.rest}${EXPORT}`);
      const grpc = await download(`http://127.0.0.1:${ports.grpc}${SERVICE}/ExportNetworkHistory`, [
        ...GRPC_OPTIONS,
        "--data-binary",
        `@${requestFile}`,
      ]);
      if (rest.bytes !== archive || grpc.bytes !== streamBytes(archive))
        throw new Error(`of ${archive} bytes came ${rest.bytes} and ${grpc.bytes}`);
      // The first ones warm both.
      if (round < EXPORTS) continue;
      speeds.push(archive / 1e6 / grpc.seconds);
      ratios.push(rest.seconds / grpc.seconds);
    }
    const exportRatio = median(ratios);
    console.error(`export: gRPC ${Math.round(median(speeds))} MB/s, ${exportRatio.toFixed(2)} of REST`);
    return { exportMBs: median(speeds), exportRatio };
  } finally {
    child.kill();
    await child.exited;
  }
}

/** Length of the messages of an archive: the head of gRPC and the fields of `google.api.HttpBody` are in it. */
function streamBytes(archive: number): number {
  const lengthOf = (bytes: number) =>
    message(encodeHttpBody({ contentType: "application/zip", data: new Uint8Array(bytes) })).length;
  const rest = archive % MESSAGE_BYTES;
  return Math.floor(archive / MESSAGE_BYTES) * lengthOf(MESSAGE_BYTES) + (rest > 0 ? lengthOf(rest) : 0);
}

/** By curl, which takes both: HTTP/1.1 and HTTP/2. */
async function download(
  url: string,
  options: readonly string[] = [],
): Promise<{ seconds: number; bytes: number }> {
  const form = "%{time_total} %{size_download} %{http_code}";
  const child = Bun.spawn(["curl", "-sS", "-o", "/dev/null", "-w", form, ...options, url], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const [seconds, bytes, code] = (await new Response(child.stdout).text()).split(" ").map(Number);
  if (code !== 200) throw new Error(`${url} answered ${code}`);
  return { seconds: seconds!, bytes: bytes! };
}
