// A thousand clients of streams on a devnet that makes 200 events a second, and one that reads nothing.
//
//   bun scripts/streams-rig.ts [--clients 1000] [--seconds 20]
//
// Says how long a message takes from its block's commit to the client (p50, p99), how many blocks the node made with and
// without clients, their cost in memory and descriptors, and what became of the client that reads nothing. Exit code 1
// when p99 is above 100 ms, blocks are fewer by a tenth, a stream ended, or the slow client stays.
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { parseArgs } from "node:util";
import type { Devnet } from "../src/devnet/devnet.ts";
import { madeUpAssetId } from "../src/devnet/keys.ts";
import { startNode } from "../src/start-node.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
    /** The process of the clients: the address they connect to. */
    url: { type: "string" },
  },
});
const CLIENTS = Number(values.clients);
const SECONDS = Number(values.seconds);
const BLOCK_MS = 250;
/** Each has five events: two accounts, a ledger movement, a transfer, a result; a block has three of its own. */
const TRANSFERS_A_SECOND = 38;
const P99_MS_MAX = 100;
const nowMs = () => performance.timeOrigin + performance.now();

/** The other process: tells each height with the time at which its last message came, for every client. */
async function clients(url: string): Promise<void> {
  const { parties } = (await (await fetch(`${url}/api/v2/parties?pagination.first=20`)).json()) as {
    parties: { edges: { node: { id: string } }[] };
  };
  const party = (n: number) => parties.edges[n % parties.edges.length]!.node.id;
  const paths = [
    () => "accounts?height=true",
    (n: number) => `accounts?height=true&partyId=${party(n)}`,
    () => "ledger/movements?height=true",
    () => "event/bus?height=true",
  ];
  /** Times of arrival by height, one for each client. */
  const arrivals = new Map<number, number[]>();
  let messages = 0;
  let bytes = 0;
  let failures = 0;
  const open = (n: number) =>
    new Promise<void>((done) => {
      const path = paths[n % paths.length]!(n);
      const socket = new WebSocket(`${url.replace("http", "ws")}/api/v2/stream/${path}`);
      socket.onopen = () => {
        if (path.startsWith("event/bus")) socket.send('{"type":["BUS_EVENT_TYPE_ALL"]}');
        done();
      };
      socket.onmessage = ({ data }) => {
        const text = data as string;
        messages++;
        bytes += text.length;
        // A message ends with its height; the mark of a block alone says that all of it came.
        if (!text.startsWith('{"height"')) return;
        const height = Number(text.slice(11, -2));
        const times = arrivals.get(height) ?? [];
        arrivals.set(height, times);
        times.push(nowMs());
      };
      socket.onclose = () => failures++;
      socket.onerror = () => done();
    });
  for (let n = 0; n < CLIENTS; n++) await open(n);
  await Bun.write(Bun.stdout, `${JSON.stringify({ open: CLIENTS })}\n`);
  await Bun.sleep(SECONDS * 1_000);
  await Bun.write(Bun.stdout, `${JSON.stringify({ arrivals: [...arrivals], messages, bytes, failures })}\n`);
  process.exit(0);
}

interface Arrivals {
  readonly arrivals: [number, number[]][];
  readonly messages: number;
  readonly bytes: number;
  readonly failures: number;
}

async function rig(): Promise<void> {
  const problems: string[] = [];
  const devnet = (await startNode({
    kind: "devnet",
    thread: true,
    mode: { kind: "interval", intervalMs: BLOCK_MS },
    parameters: { "spam.protection.maxUserTransfersPerEpoch": "100000000" },
    limits: { streamsPerAddressMax: CLIENTS + 10 },
  })) as Devnet;
  const load = new Load(devnet);
  const alone = await load.measured(SECONDS);
  const before = cost();
  const slow = slowClient(devnet.address.dataPort);
  const words = ["--url", devnet.dataUrl, "--clients", `${CLIENTS}`, "--seconds", `${SECONDS}`];
  const child = Bun.spawn([process.execPath, import.meta.path, ...words], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = linesOf(child.stdout);
  await lines.next();
  load.commits.clear();
  const shared = await load.measured(SECONDS - 2);
  const during = cost();
  const report = JSON.parse((await lines.next()).value!) as Arrivals;
  await child.exited;
  await Bun.sleep(2_000);
  load.stop();
  await burst(devnet);
  await Bun.sleep(6_000);
  const after = cost();
  const delays = report.arrivals.flatMap(([height, times]) => {
    const committed = load.commits.get(height);
    return committed === undefined ? [] : times.map((time) => time - committed);
  });
  delays.sort((a, b) => a - b);
  const at = (part: number) => delays[Math.floor(delays.length * part)] ?? Number.NaN;
  const mib = Math.round(report.bytes / 2 ** 20);
  console.log(
    `${CLIENTS} clients, ${Math.round(shared.events)} events a second, ${report.messages} messages, ${mib} MiB`,
  );
  console.log(
    `commit to delivery: p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms, worst ${at(0.99999).toFixed(1)} ms`,
  );
  console.log(`blocks a second: ${alone.blocks.toFixed(2)} alone, ${shared.blocks.toFixed(2)} with clients`);
  for (const [when, { mib: size, files }] of Object.entries({ before, during, after }))
    console.log(`${when.padEnd(7)} ${size} MiB, ${files} descriptors`);
  console.log(`the client that reads nothing: ${slow.isDropped() ? "dropped" : "still there"}`);
  if (!(at(0.99) <= P99_MS_MAX)) problems.push("p99 is above 100 ms");
  if (shared.blocks < 0.9 * alone.blocks) problems.push("the node makes fewer blocks");
  if (report.failures > 0) problems.push(`${report.failures} streams ended`);
  if (after.files > before.files + 5) problems.push("descriptors are left over");
  if (!slow.isDropped()) problems.push("the client that reads nothing was not dropped");
  slow.end();
  await devnet.stop();
  for (const problem of problems) console.log(`FAIL ${problem}`);
  process.exit(problems.length > 0 ? 1 : 0);
}

/** Transfers between parties at a steady pace. */
class Load {
  /** When each block was committed. */
  readonly commits = new Map<number, number>();
  private readonly timer: ReturnType<typeof setInterval>;
  private sent = 0;

  constructor(private readonly devnet: Devnet) {
    devnet.chain.onBlock(({ height }) => this.commits.set(height, nowMs()));
    this.timer = setInterval(() => this.send(), 1_000 / TRANSFERS_A_SECOND);
  }

  async measured(seconds: number): Promise<{ readonly blocks: number; readonly events: number }> {
    const [height, sent] = [this.devnet.chain.status.height, this.sent];
    await Bun.sleep(seconds * 1_000);
    const blocks = (this.devnet.chain.status.height - height) / seconds;
    return { blocks, events: ((this.sent - sent) / seconds) * 5 + blocks * 3 };
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private send(): void {
    const { parties, chain } = this.devnet;
    const from = parties[this.sent % parties.length]!.publicKey;
    const to = parties[++this.sent % parties.length]!.publicKey;
    const transfer = {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      to,
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      asset: madeUpAssetId("tUSD"),
      amount: "100000",
      oneOff: {},
    };
    chain.impersonate(from, { transfer }).then(
      ({ code, text }) => code !== 0 && console.log(`a transfer failed: ${text}`),
      (error) => console.log(`a transfer failed: ${error}`),
    );
  }
}

/** More than the system holds for a socket and the node for a client: thousands of balances a block. */
async function burst({ chain }: Devnet): Promise<void> {
  const asset = madeUpAssetId("tUSD");
  for (let round = 1; round <= 60; round++) {
    await chain.setBalances(
      Array.from({ length: 1_000 }, (_, n) => ({
        party: `ee${n.toString(16).padStart(62, "0")}`,
        asset,
        balance: BigInt(round * 1_000 + n),
      })),
    );
  }
}

/** Joins the busiest stream and takes nothing from its socket. */
function slowClient(port: number): { isDropped(): boolean; end(): void } {
  const socket = connect(port, "127.0.0.1");
  const heads = ["GET /api/v2/stream/event/bus?type=BUS_EVENT_TYPE_ALL HTTP/1.1", "Host: localhost", "", ""];
  socket.write(heads.join("\r\n"));
  socket.pause();
  let isOver = false;
  socket.on("error", () => {
    isOver = true;
  });
  /** The other end is gone when the system has no such connection any more. */
  const isThere = () => {
    const local = (socket.localPort ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const there = port.toString(16).toUpperCase().padStart(4, "0");
    const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFileSync(path, "utf8")).join("\n");
    return tables.split("\n").some((line) => new RegExp(`:${there} \\S+:${local} 01 `).test(line));
  };
  return { isDropped: () => isOver || !isThere(), end: () => socket.destroy() };
}

function cost(): { readonly mib: number; readonly files: number } {
  const mib = Math.round(process.memoryUsage.rss() / 2 ** 20);
  return { mib, files: readdirSync("/proc/self/fd").length };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true });
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
  return undefined;
}

if (values.url === undefined) await rig();
else await clients(values.url);
