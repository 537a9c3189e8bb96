// 100,000 calls that their client takes back, of every kind: descriptors and memory of the node stay flat.
//
//   bun scripts/grpc-cancelled.ts [--calls 100000] [--binary PATH]
//
// Exit code 1 when they do not, or when the node does not answer any more.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { encodeExportNetworkHistoryRequest } from "../src/wire/generated/datanode.ts";
import { Scratch } from "../test/rig/homes.ts";
import { PROGRAM } from "../test/rig/lyra.ts";
import { GrpcClient } from "../test/support/grpc-client.ts";

const { values } = parseArgs({ options: { binary: { type: "string" }, calls: { type: "string" } } });
const program = values.binary === undefined ? PROGRAM : [resolve(values.binary)];
const CALLS = Number(values.calls ?? 100_000);
const AT_ONCE = 100;
/** Calls after which the first figures are taken: code is compiled and caches are filled by then. */
const WARM = 0.2;
const START_MS_MAX = 60_000;
const GROWTH_MB_MAX = 24;
const REST_MS = 3_000;
const RETURN_MS_MAX = 30_000;
const CALL_MS_MAX = 10_000;
const STOP_MS_MAX = 15_000;
const DATA = "/datanode.api.v2.TradingDataService";

const METHODS: readonly (readonly [path: string, request?: Uint8Array])[] = [
  [`${DATA}/ListAssets`],
  [`${DATA}/ObserveOrders`],
  [`${DATA}/ObserveLedgerMovements`],
  [
    `${DATA}/ExportNetworkHistory`,
    encodeExportNetworkHistoryRequest({ fromBlock: 1n, toBlock: 1_000n, table: 1 }),
  ],
  ["/grpc.health.v1.Health/Watch"],
];

const bytes = (value: Buffer) => value;
const scratch = new Scratch("grpc-cancelled");
/** Calls that had no end long after their deadline. */
const endless: string[] = [];
/** The devnet had to be killed. */
let isStuck = false;

/** One call, taken back after some microseconds to milliseconds. */
function cancelled(client: GrpcClient, turn: number): Promise<void> {
  const [path, request = Buffer.of()] = METHODS[turn % METHODS.length]!;
  return new Promise((done) => {
    const deadline = Date.now() + CALL_MS_MAX;
    const call = client.raw.makeServerStreamRequest(path, bytes, bytes, Buffer.from(request), { deadline });
    const guard = setTimeout(() => {
      endless.push(`${turn} ${path}`);
      done();
    }, 2 * CALL_MS_MAX);
    call.on("error", () => {});
    call.on("data", () => {});
    call.on("status", () => {
      clearTimeout(guard);
      done();
    });
    if (turn % 3 === 0) call.cancel();
    else setTimeout(() => call.cancel(), turn % 5);
  });
}

async function main(): Promise<boolean> {
  const config = join(scratch.folder, "ports.json");
  const flags = ["devnet", "--temporary", "--port", "0", "--config-out", config];
  const devnet = Bun.spawn([...program, ...flags], { stdout: "ignore", stderr: "ignore" });
  try {
    for (
      const end = performance.now() + START_MS_MAX;
      !(await Bun.file(config).exists());
      await Bun.sleep(50)
    )
      if (performance.now() > end) throw new Error("the devnet did not start");
    const { grpcDataAddress } = (await Bun.file(config).json()) as { grpcDataAddress: string };
    const figures = () => ({
      descriptors: readdirSync(`/proc/${devnet.pid}/fd`).length,
      memoryMb: anonymousMb(devnet.pid),
    });
    let warm = figures();
    let client = new GrpcClient(grpcDataAddress);
    for (let done = 0; done < CALLS; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => cancelled(client, done + at)));
      if (done % (AT_ONCE * 50) === 0) {
        // A client of its own for some thousand calls: connections come and go as well.
        client.close();
        client = new GrpcClient(grpcDataAddress);
      }
      if (done + AT_ONCE === CALLS * WARM) {
        await Bun.sleep(REST_MS);
        warm = figures();
      }
    }
    const { code, text } = await client.call(
      "datanode.api.v2.TradingDataService/Ping",
      {},
      { timeoutMs: CALL_MS_MAX },
    );
    client.close();
    // Memory that is free goes back when the collector comes to it, sockets when both sides have closed.
    const growth = () => ({
      memoryMb: figures().memoryMb - warm.memoryMb,
      descriptors: figures().descriptors - warm.descriptors,
    });
    const isFlat = () => growth().memoryMb <= GROWTH_MB_MAX && growth().descriptors <= 1;
    for (let waitedMs = 0; waitedMs < RETURN_MS_MAX && !isFlat(); waitedMs += REST_MS)
      await Bun.sleep(REST_MS);
    const after = figures();
    console.log(
      JSON.stringify({ calls: CALLS, warm, after, growth: growth(), ping: { code, text }, endless }),
    );
    return code === 0 && endless.length === 0 && isFlat();
  } finally {
    devnet.kill("SIGTERM");
    const stopped = await Promise.race([devnet.exited, Bun.sleep(STOP_MS_MAX)]);
    if (stopped === undefined) {
      devnet.kill("SIGKILL");
      isStuck = true;
      console.log("the devnet did not stop");
    }
    scratch.remove();
  }
}

function anonymousMb(pid: number): number {
  return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_000;
}

process.exit((await main()) && !isStuck ? 0 : 1);
