// A gRPC load generator with little of its own, as load.ts is for REST: HTTP/2 by the byte, frames made once, answers
// counted by the end of their stream. Run as a child process, options as JSON on standard input.
import {
  callHeaders,
  credit,
  END_HEADERS,
  END_STREAM,
  FrameType,
  frame,
  message,
  PREFACE,
  settings,
} from "../test/support/raw-http2.ts";
import type { LoadResult } from "./load.ts";

interface GrpcLoadOptions {
  readonly port: number;
  /** `/datanode.api.v2.TradingDataService/ListAssets` */
  readonly path: string;
  /** Of the request message, in base64. */
  readonly request: string;
  readonly connections: number;
  /** Calls under way on each connection. */
  readonly calls: number;
  readonly durationMs: number;
  readonly warmupMs?: number;
}

/** Flow control is not what is measured. */
const WINDOW = 1 << 30;
const CREDIT = 1 << 24;
const FRAME_HEAD = 9;

interface Flow {
  /** Of the incoming frame: bytes of its head that have come, and bytes of its payload that have not. */
  readonly head: Buffer;
  headBytes: number;
  missing: number;
  nextStream: number;
  taken: number;
  readonly startedMs: Map<number, number>;
}

async function load(options: GrpcLoadOptions): Promise<LoadResult> {
  const latencies: number[] = [];
  let bytes = 0;
  let errors = 0;
  const started = performance.now();
  const warmUntil = started + (options.warmupMs ?? 300);
  const until = warmUntil + options.durationMs;
  let ended = started;
  const head = callHeaders(options.path);
  const body = message(Buffer.from(options.request, "base64"));
  const finished: Promise<void>[] = [];
  for (let i = 0; i < options.connections; i++) {
    const done = Promise.withResolvers<void>();
    finished.push(done.promise);
    const call = (flow: Flow): Buffer => {
      const stream = flow.nextStream;
      flow.nextStream += 2;
      flow.startedMs.set(stream, performance.now());
      return Buffer.concat([
        frame(FrameType.headers, END_HEADERS, stream, head),
        frame(FrameType.data, END_STREAM, stream, body),
      ]);
    };
    await Bun.connect<Flow>({
      hostname: "127.0.0.1",
      port: options.port,
      socket: {
        open(socket) {
          const head = Buffer.alloc(FRAME_HEAD);
          socket.data = { head, headBytes: 0, missing: 0, nextStream: 1, taken: 0, startedMs: new Map() };
          socket.write(Buffer.concat([PREFACE, settings({ initialWindow: WINDOW }), credit(WINDOW)]));
          for (let n = 0; n < options.calls; n++) socket.write(call(socket.data));
        },
        data(socket, piece) {
          const flow = socket.data;
          const answers: Buffer[] = [];
          // Payloads are passed over where they lie: a copy of them would be measured as the server's time.
          for (let at = 0; at < piece.length; ) {
            if (flow.headBytes < FRAME_HEAD) {
              const part = piece.subarray(at, at + FRAME_HEAD - flow.headBytes);
              flow.head.set(part, flow.headBytes);
              flow.headBytes += part.length;
              at += part.length;
              if (flow.headBytes < FRAME_HEAD) break;
              flow.missing = flow.head.readUIntBE(0, 3);
            }
            const part = Math.min(flow.missing, piece.length - at);
            at += part;
            flow.missing -= part;
            if (flow.missing > 0) break;
            flow.headBytes = 0;
            const [length, type, flags] = [flow.head.readUIntBE(0, 3), flow.head[3]!, flow.head[4]!];
            const stream = flow.head.readUInt32BE(5);
            if (type === FrameType.settings && (flags & 1) === 0)
              answers.push(frame(FrameType.settings, 1, 0));
            if (type === FrameType.data) flow.taken += length;
            if (type === FrameType.reset) errors++;
            if (type === FrameType.goAway) done.resolve();
            if (type !== FrameType.headers || (flags & END_STREAM) === 0) continue;
            const now = performance.now();
            if (now >= warmUntil) latencies.push(now - flow.startedMs.get(stream)!);
            flow.startedMs.delete(stream);
            ended = now;
            if (now >= until) {
              if (flow.startedMs.size === 0) {
                socket.end();
                done.resolve();
              }
            } else answers.push(call(flow));
          }
          if (flow.taken >= CREDIT) {
            bytes += flow.taken;
            answers.push(credit(flow.taken));
            flow.taken = 0;
          }
          if (answers.length > 0) socket.write(Buffer.concat(answers));
        },
        close: () => done.resolve(),
        error: () => done.resolve(),
      },
    });
  }
  await Promise.all(finished);
  latencies.sort((a, b) => a - b);
  const part = (of: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * of))] ?? 0;
  return {
    requests: latencies.length,
    perSecond: (latencies.length * 1_000) / options.durationMs,
    p50Ms: part(0.5),
    p99Ms: part(0.99),
    bytes,
    errors,
    elapsedMs: ended - started,
  };
}

/** Runs the generator in a process of its own. */
export async function loadGrpcInChild(options: GrpcLoadOptions): Promise<LoadResult> {
  const input = new Blob([JSON.stringify(options)]);
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdin: input,
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text()) as LoadResult;
}

if (import.meta.main) console.log(JSON.stringify(await load((await Bun.stdin.json()) as GrpcLoadOptions)));
