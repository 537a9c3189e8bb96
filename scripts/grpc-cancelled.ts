// 100,000 calls that their client takes back, of every kind: descriptors and memory of the node stay flat, and every
// connection answers after the calls that were taken back on it.
//
//   bun scripts/grpc-cancelled.ts [--calls 100000] [--binary PATH]
//
// Exit code 1 when they do not. The client is HTTP/2 by the byte: @grpc/grpc-js (1.14.7, on Node as on Bun) forgets a call
// that is cancelled in the turn in which it was made and opens its stream nevertheless, without a deadline of its own.
// Some hundred such streams are the connection's limit, and what fails then is not the node.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { encodeExportNetworkHistoryRequest } from "../src/wire/generated/datanode.ts";
import { Scratch } from "../test/rig/homes.ts";
import { PROGRAM } from "../test/rig/lyra.ts";
import { call, cancel, credit, FrameType, RawConnection, settings } from "../test/support/raw-http2.ts";

const { values } = parseArgs({ options: { binary: { type: "string" }, calls: { type: "string" } } });
const program = values.binary === undefined ? PROGRAM : [resolve(values.binary)];
const CALLS = Number(values.calls ?? 100_000);
const AT_ONCE = 100;
/** Calls of a connection: it is closed at more than 1,000 resets at once, as a flood (docs/grpc.md). */
const CONNECTION_CALLS = 900;
/** Calls after which the first figures are taken: code is compiled and caches are filled by then. */
const WARM = 0.2;
const START_MS_MAX = 60_000;
const GROWTH_MB_MAX = 24;
const REST_MS = 3_000;
const RETURN_MS_MAX = 30_000;
const ANSWER_MS_MAX = 10_000;
/** Flow control is not what is tried. */
const WINDOW = 1 << 30;
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

/** Asked after the calls that were taken back. A stream that was never left counts against the limit of streams. */
const SERVED = [`${DATA}/Ping`, `${DATA}/ObserveOrders`];

const scratch = new Scratch("grpc-cancelled");
/** Calls that were not served after the cancelled ones. */
const unserved: string[] = [];
/** The devnet had to be killed. */
let isStuck = false;

/** Calls on a connection of their own, each taken back with its request or up to four milliseconds later; then SERVED. */
async function cancelled(port: number, first: number, count: number): Promise<void> {
  const connection = new RawConnection(port);
  connection.greet(settings({ initialWindow: WINDOW }), credit(WINDOW));
  const streamOf = (turn: number) => 2 * (turn - first) + 1;
  for (let done = first; done < first + count; done += AT_ONCE) {
    const turns = Array.from({ length: Math.min(AT_ONCE, first + count - done) }, (_, at) => done + at);
    const ended = turns.map(async (turn) => {
      const [path, request] = METHODS[turn % METHODS.length]!;
      const callFrames = call(streamOf(turn), path, request);
      if (turn % 3 === 0) return connection.write(callFrames, cancel(streamOf(turn)));
      connection.write(callFrames);
      await Bun.sleep(turn % 5);
      return connection.write(cancel(streamOf(turn)));
    });
    await Promise.all(ended);
  }
  const streams = SERVED.map((_, at) => streamOf(first + count + at));
  connection.write(...SERVED.map((path, at) => call(streams[at]!, path)));
  // A failure has headers alone.
  const isAnswered = (one: number) =>
    connection.frames().some(({ type, stream }) => stream === one && type === FrameType.data);
  const startedMs = performance.now();
  while (!streams.every(isAnswered)) {
    if (connection.isClosed || performance.now() - startedMs > ANSWER_MS_MAX) {
      const missing = SERVED.filter((_, at) => !isAnswered(streams[at]!));
      unserved.push(`${first + count} ${missing.join(" ")}${connection.isClosed ? " closed" : ""}`);
      break;
    }
    await Bun.sleep(1);
  }
  connection.end();
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
    const { grpcDataPort } = (await Bun.file(config).json()) as { grpcDataPort: number };
    const figures = () => ({
      descriptors: readdirSync(`/proc/${devnet.pid}/fd`).length,
      memoryMb: anonymousMb(devnet.pid),
    });
    let warm: ReturnType<typeof figures> | undefined;
    for (let done = 0; done < CALLS; done += CONNECTION_CALLS) {
      if (warm === undefined && done >= CALLS * WARM) {
        await Bun.sleep(REST_MS);
        warm = figures();
      }
      await cancelled(grpcDataPort, done, Math.min(CONNECTION_CALLS, CALLS - done));
    }
    // Memory that is free goes back when the collector comes to it, sockets when both sides have closed.
    const growth = () => ({
      memoryMb: figures().memoryMb - warm!.memoryMb,
      descriptors: figures().descriptors - warm!.descriptors,
    });
    const isFlat = () => growth().memoryMb <= GROWTH_MB_MAX && growth().descriptors <= 1;
    for (let waitedMs = 0; waitedMs < RETURN_MS_MAX && !isFlat(); waitedMs += REST_MS)
      await Bun.sleep(REST_MS);
    const after = figures();
    console.log(JSON.stringify({ calls: CALLS, warm, after, growth: growth(), unserved }));
    return unserved.length === 0 && isFlat();
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
