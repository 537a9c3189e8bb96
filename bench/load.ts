// A load generator with little of its own: raw sockets, one request in flight on each, responses by Content-Length
// or until the last chunk. Run as a child process by the benchmarks, options as JSON on standard input.
export interface LoadOptions {
  readonly port: number;
  /** Asked in turn. */
  readonly paths: readonly string[];
  /** Sent in place of `paths`, each once; the load ends when they are used up. */
  readonly posts?: {
    readonly path: string;
    readonly bodies: readonly string[];
    readonly headers?: Readonly<Record<string, string>>;
    /** Text of a success; default: what a node says of a transaction. */
    readonly success?: string;
  };
  readonly connections: number;
  readonly durationMs: number;
  readonly warmupMs?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytes: number;
  /** Answers that were not 200 or, with `posts`, not a success. */
  readonly errors: number;
  /** From the first request to the last answer. */
  readonly elapsedMs: number;
}

const HEAD_END = Buffer.from("\r\n\r\n");

interface Flow {
  buffer: Buffer;
  sentAt: number;
}

export async function load(options: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = [];
  let bytes = 0;
  let errors = 0;
  let next = 0;
  const warmUntil = performance.now() + (options.warmupMs ?? 300);
  const until = warmUntil + options.durationMs;
  const { posts } = options;
  const started = performance.now();
  let ended = started;
  const requests = posts
    ? posts.bodies.map((body) => postRequest(posts.path, body, posts.headers))
    : options.paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const success = posts && Buffer.from(posts.success ?? '"success": true');
  const finished: Promise<void>[] = [];
  for (let i = 0; i < options.connections; i++) {
    const done = Promise.withResolvers<void>();
    finished.push(done.promise);
    const send = (socket: { data: Flow; write(text: string): number; end(): void }) => {
      if (posts && next >= requests.length) {
        socket.end();
        done.resolve();
        return;
      }
      socket.data.sentAt = performance.now();
      socket.write(requests[next++ % requests.length]!);
    };
    await Bun.connect<Flow>({
      hostname: "127.0.0.1",
      port: options.port,
      socket: {
        open(socket) {
          socket.data = { buffer: Buffer.alloc(0), sentAt: 0 };
          send(socket);
        },
        data(socket, piece) {
          const flow = socket.data;
          flow.buffer = flow.buffer.length === 0 ? Buffer.from(piece) : Buffer.concat([flow.buffer, piece]);
          const size = responseSize(flow.buffer);
          if (size < 0 || flow.buffer.length < size) return;
          const now = performance.now();
          if (now >= warmUntil) {
            latencies.push(now - flow.sentAt);
            bytes += size;
            ended = now;
            if (!isGood(flow.buffer.subarray(0, size), success)) errors++;
          }
          flow.buffer = flow.buffer.subarray(size);
          if (!posts && now >= until) {
            socket.end();
            done.resolve();
          } else send(socket);
        },
        close: () => done.resolve(),
        error: () => done.resolve(),
      },
    });
  }
  await Promise.all(finished);
  latencies.sort((a, b) => a - b);
  const at = (part: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? 0;
  return {
    requests: latencies.length,
    perSecond: (latencies.length * 1000) / (posts ? ended - started : options.durationMs),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    bytes,
    errors,
    elapsedMs: ended - started,
  };
}

function postRequest(path: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const more = Object.entries(headers).map(([name, value]) => `\r\n${name}: ${value}`);
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json${more.join("")}`;
  return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The generator takes from what it loads: it looks at bytes and makes no texts of them. */
function isGood(response: Buffer, success: Buffer | undefined): boolean {
  const isOk = response[9] === 0x32 && response[10] === 0x30 && response[11] === 0x30;
  return isOk && (success === undefined || response.includes(success));
}

/** Bytes of the response at the start of the buffer; -1 while its head is not whole. */
function responseSize(buffer: Buffer): number {
  const end = buffer.indexOf(HEAD_END);
  if (end < 0) return -1;
  const head = buffer.subarray(0, end).toString("latin1");
  const match = /content-length: (\d+)/i.exec(head);
  return match ? end + 4 + Number(match[1]) : -1;
}

/** Runs the generator in a process of its own, so that it does not share a thread with what it measures. */
export async function loadInChild(options: LoadOptions): Promise<LoadResult> {
  const input = new Blob([JSON.stringify(options)]);
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdin: input,
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  return JSON.parse(text) as LoadResult;
}

if (import.meta.main) console.log(JSON.stringify(await load((await Bun.stdin.json()) as LoadOptions)));
