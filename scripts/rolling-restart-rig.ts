// Restarts three sidecars one after the other behind a balancer, under load: no request may be lost.
//
//   bun scripts/rolling-restart-rig.ts [--rounds 2] [--interval 500] [--program dist/lyra] [--kill]
//
// Requests over HTTP come from wrk; beside them GraphQL queries, gRPC calls, gRPC streams and websockets. A stream may end when
// its sidecar stops, with a status or close code that says so, and must open again at once. The balancer is HAProxy; it and wrk
// are Debian's packages (apt-get install haproxy wrk), and where one is missing nothing is tried, and the exit code is 0. --interval is the balancer's time between two checks, milliseconds. --kill ends
// the sidecars with SIGKILL: a canary, which must lose requests. Exit code 1 when anything was lost.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { status as Status } from "@grpc/grpc-js";
import { freePort } from "../src/testnet/ports.ts";
import { RunningDevnet } from "../test/rig/devnet-process.ts";
import { ListeningLyra, SOURCES } from "../test/rig/lyra.ts";
import { GrpcClient } from "../test/support/grpc-client.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "2" },
    interval: { type: "string", default: "500" },
    program: { type: "string" },
    kill: { type: "boolean", default: false },
  },
});
const HAPROXY = Bun.which("haproxy", { PATH: `${process.env.PATH}:/usr/sbin` });
const WRK = Bun.which("wrk");
if (HAPROXY === null || WRK === null) {
  const missing = [HAPROXY === null && "haproxy", WRK === null && "wrk"].filter((name) => name !== false);
  console.log(`skipped: ${missing.join(" and ")} not installed (apt-get install haproxy wrk)`);
  process.exit(0);
}

const intervalMs = Number(values.interval);
const program = values.program === undefined ? SOURCES : [values.program];
const folder = mkdtempSync(join(tmpdir(), "lyra-rolling-"));
const SIDECARS = 3;
const READY_MS_MAX = 60_000;
/** Checks until the balancer takes a server back, and some more. */
const CHECKS_TO_RETURN = 4;

interface Where {
  readonly dataUrl: string;
  readonly dataPort: number;
  readonly nodePort: number;
  readonly grpcDataPort: number;
}

/** A sidecar that keeps its ports over restarts. */
class Restarted {
  private process: ListeningLyra<Where> | undefined;
  readonly dataPort = freePort();
  readonly nodePort = freePort();
  readonly grpcPort = freePort();

  constructor(
    private readonly home: string,
    private readonly words: readonly string[],
  ) {}

  async start(): Promise<void> {
    const ports = [
      ...["--data-port", `${this.dataPort}`, "--node-port", `${this.nodePort}`],
      ...["--grpc-data-port", `${this.grpcPort}`, "--grpc-node-port", "off"],
    ];
    const words = ["sidecar", "--home", this.home, ...ports, ...this.words, "--quiet"];
    this.process = new ListeningLyra<Where>(words, { program });
    await this.process.listens();
    for (const end = performance.now() + READY_MS_MAX; ; await Bun.sleep(50)) {
      const ready = await fetch(`http://127.0.0.1:${this.dataPort}/readyz`).catch(() => undefined);
      if (ready?.status === 200) return;
      if (performance.now() > end) throw new Error(`not ready: ${await ready?.text()}`);
    }
  }

  /** @returns milliseconds until it has ended */
  async stop(signal: NodeJS.Signals): Promise<number> {
    const { ms, err } = await this.process!.stop(signal);
    if (process.env.LYRA_DEBUG) console.log(err);
    return ms;
  }
}

function balancerConfig(
  ports: Readonly<Record<string, readonly number[]>>,
  fronts: Record<string, number>,
): string {
  const sections = Object.entries({ data: ports.data!, node: ports.node! }).map(([name, servers]) =>
    [
      `frontend ${name}`,
      `  bind 127.0.0.1:${fronts[name]}`,
      `  default_backend ${name}-servers`,
      `backend ${name}-servers`,
      "  option httpchk GET /readyz",
      `  default-server check inter ${intervalMs}ms`,
      ...servers.map((port, n) => `  server ${name}${n} 127.0.0.1:${port}`),
    ].join("\n"),
  );
  // The checks of a gRPC server are those of its data port.
  const grpc = [
    "frontend grpc",
    `  bind 127.0.0.1:${fronts.grpc} proto h2`,
    "  default_backend grpc-servers",
    "backend grpc-servers",
    "  option httpchk GET /readyz",
    ...ports.grpc!.map(
      (port, n) =>
        `  server grpc${n} 127.0.0.1:${port} proto h2 check inter ${intervalMs}ms port ${ports.data![n]} check-proto h1`,
    ),
  ].join("\n");
  return `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
  timeout tunnel 60s
${sections.join("\n")}
${grpc}
`;
}

async function load(
  url: string,
  seconds: number,
): Promise<{ readonly requests: number; readonly lost: readonly string[] }> {
  const child = Bun.spawn([WRK!, "-t1", "-c8", `-d${seconds}s`, "--timeout", "10s", url], { stdout: "pipe" });
  const text = await new Response(child.stdout).text();
  const requests = Number(/(\d+) requests in/.exec(text)?.[1] ?? 0);
  const lost = text.split("\n").filter((line) => /Socket errors|Non-2xx/.test(line));
  return { requests, lost: requests > 0 ? lost : [`no request was answered: ${text}`] };
}

/** A client that goes on until the sidecars have all restarted. */
interface Load {
  readonly name: string;
  count: number;
  readonly lost: string[];
}

const DATA_SERVICE = "datanode.api.v2.TradingDataService";
/** Ends of a stream that say that its node stops. */
const STOPPED_STATUS: ReadonlySet<number> = new Set([Status.UNAVAILABLE, Status.CANCELLED]);
const STOPPED_CLOSE = 1012;

/** Repeats a request. @param send throws, or returns why it was lost */
async function repeat(
  name: string,
  isOn: () => boolean,
  send: () => Promise<string | undefined>,
): Promise<Load> {
  const load: Load = { name, count: 0, lost: [] };
  while (isOn()) {
    const failure = await send().catch((error: unknown) => String(error));
    load.count++;
    if (failure !== undefined) load.lost.push(`${name}: ${failure}`);
    await Bun.sleep(2);
  }
  return load;
}

function clientLoads(fronts: Readonly<Record<string, number>>, isOn: () => boolean): Promise<Load>[] {
  const data = `127.0.0.1:${fronts.data}`;
  const grpc = new GrpcClient(`127.0.0.1:${fronts.grpc}`);
  const unary = async (): Promise<string | undefined> => {
    const { code, text } = await grpc.call(`${DATA_SERVICE}/ListAssets`, {}, { timeoutMs: 10_000 });
    return code === Status.OK ? undefined : `${code} ${text}`;
  };
  const query = async (): Promise<string | undefined> => {
    const response = await fetch(`http://${data}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "{ epoch { id } }" }),
    });
    const text = await response.text();
    return response.status === 200 && text.includes('"epoch"')
      ? undefined
      : `${response.status} ${text.slice(0, 200)}`;
  };
  const observe = async (): Promise<string | undefined> => {
    const { call, messages, ended } = grpc.stream(`${DATA_SERVICE}/ObserveAccounts`);
    const timer = setInterval(() => !isOn() && call.cancel(), 100);
    const { code, text } = await ended;
    clearInterval(timer);
    if (messages.length === 0 && isOn()) return `a stream without a message: ${code} ${text}`;
    return STOPPED_STATUS.has(code) || !isOn() ? undefined : `a stream ended with ${code} ${text}`;
  };
  const socket = (): Promise<string | undefined> =>
    new Promise((resolve) => {
      const client = new WebSocket(`ws://${data}/api/v2/stream/accounts`);
      let messages = 0;
      const timer = setInterval(() => !isOn() && client.close(), 100);
      client.onmessage = () => messages++;
      client.onclose = ({ code, reason }) => {
        clearInterval(timer);
        if (!isOn()) resolve(undefined);
        else if (messages === 0) resolve(`a websocket without a message: ${code} ${reason}`);
        else resolve(code === STOPPED_CLOSE ? undefined : `a websocket closed with ${code} ${reason}`);
      };
    });
  const loads: [string, () => Promise<string | undefined>, number][] = [
    ["gRPC calls", unary, 4],
    ["GraphQL queries", query, 2],
    ["gRPC streams", observe, 4],
    ["websockets", socket, 4],
  ];
  return loads.flatMap(([name, send, clients]) =>
    Array.from({ length: clients }, () => repeat(name, isOn, send)),
  );
}

const core = new RunningDevnet({
  home: join(folder, "core"),
  block: "200ms",
  words: ["--comet-port", "0", "--events-to", `unix:${join(folder, "events.sock")}`],
  program,
});
const children: { stop(signal?: NodeJS.Signals): Promise<unknown> }[] = [];
let code = 0;
try {
  const sourcePort = freePort();
  const source = new ListeningLyra<Where>(
    [
      ...[
        "sidecar",
        "--home",
        join(folder, "source"),
        "--events-socket",
        join(folder, "events.sock"),
        "--quiet",
      ],
      ...["--data-port", `${sourcePort}`, "--node-port", "0"],
    ],
    { program },
  );
  children.push(source);
  await source.listens();
  const { cometUrl } = await core.listening();
  children.push(core);
  const sidecars = Array.from(
    { length: SIDECARS },
    (_, n) =>
      new Restarted(join(folder, `sidecar-${n}`), [
        ...["--follow-sidecar", `http://127.0.0.1:${sourcePort}`],
        ...["--comet", cometUrl!, "--rules", "default"],
      ]),
  );
  for (const sidecar of sidecars) {
    await sidecar.start();
    children.push({ stop: () => sidecar.stop("SIGKILL") });
  }
  const fronts = { data: freePort(), node: freePort(), grpc: freePort() };
  const file = join(folder, "haproxy.cfg");
  const ports = {
    data: sidecars.map(({ dataPort }) => dataPort),
    node: sidecars.map(({ nodePort }) => nodePort),
    grpc: sidecars.map(({ grpcPort }) => grpcPort),
  };
  writeFileSync(file, balancerConfig(ports, fronts));
  const balancer = Bun.spawn([HAPROXY, "-db", "-q", "-f", file], { stdout: "ignore", stderr: "inherit" });
  children.push({
    async stop() {
      balancer.kill("SIGKILL");
      await balancer.exited;
    },
  });
  await Bun.sleep(CHECKS_TO_RETURN * intervalMs);
  const stopMs: number[] = [];
  const rolling = (async () => {
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const sidecar of sidecars) {
        stopMs.push(await sidecar.stop(values.kill ? "SIGKILL" : "SIGTERM"));
        await sidecar.start();
        await Bun.sleep(CHECKS_TO_RETURN * intervalMs);
      }
    }
  })();
  let isRolling = true;
  const ended = rolling.finally(() => {
    isRolling = false;
  });
  const clients = Promise.all(clientLoads(fronts, () => isRolling));
  const paths = {
    data: ["/api/v2/assets", "/api/v2/epoch"],
    node: ["/blockchain/height", "/statistics"],
  };
  const lost: string[] = [];
  let requests = 0;
  while (isRolling) {
    const results = await Promise.all(
      Object.entries(paths).flatMap(([name, list]) =>
        list.map((path) => load(`http://127.0.0.1:${fronts[name as "data" | "node"]}${path}`, 5)),
      ),
    );
    for (const result of results) {
      requests += result.requests;
      lost.push(...result.lost);
    }
  }
  await ended;
  const counts = new Map<string, number>();
  for (const { name, count, lost: failures } of await clients) {
    counts.set(name, (counts.get(name) ?? 0) + count);
    lost.push(...failures);
  }
  for (const line of lost) console.log(`lost: ${line.trim()}`);
  const slowest = Math.round(Math.max(...stopMs));
  console.log(
    `${stopMs.length} restarts under ${requests} requests, ${[...counts].map(([name, count]) => `${count} ${name}`).join(", ")}: ${lost.length === 0 ? "none lost" : "requests were lost"}; a stop took ${slowest} ms at the most`,
  );
  if (lost.length > 0) code = 1;
} finally {
  for (const child of children.reverse()) await child.stop("SIGKILL").catch(() => {});
  rmSync(folder, { recursive: true, force: true });
}
process.exit(code);
