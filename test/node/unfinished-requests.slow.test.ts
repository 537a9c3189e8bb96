// Every port of every program closes a connection whose client does not finish what it has begun (docs/operations.md, "Unfinished
// requests"), however slowly bytes still come.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import type { DevnetAddress } from "../../src/devnet/home.ts";
import { RunningDevnet } from "../rig/devnet-process.ts";
import { Scratch } from "../rig/homes.ts";
import { ListeningLyra } from "../rig/lyra.ts";
import { call, FrameType, frame, PREFACE } from "../support/raw-http2.ts";

interface SidecarAddress {
  readonly dataPort: number;
  readonly eventsPort: number;
}
interface WalletAddress {
  readonly walletPort: number;
  readonly socket: string;
}
type Target = { readonly port: number; readonly host: string } | { readonly path: string };

/** No port takes longer, on a machine that does much else. */
const CLOSED_MS_MAX = 60_000;
const DRIP_MS = 700;
const UPGRADE =
  "GET /api/v2/stream/trades HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n";

const scratch = new Scratch("unfinished");
const running: ListeningLyra<unknown>[] = [];
const targets = new Map<string, Target>();

beforeAll(async () => {
  const devnet = new RunningDevnet({ home: scratch.path(), words: ["--comet-port", "0"] });
  running.push(devnet);
  const address: DevnetAddress = await devnet.listening();
  const eventsSocket = scratch.path("events.sock");
  const sidecar = new ListeningLyra<SidecarAddress>([
    ...["sidecar", "--home", scratch.path(), "--data-port", "0", "--node-port", "0", "--quiet"],
    ...["--events-port", "0", "--events-socket", eventsSocket],
  ]);
  running.push(sidecar);
  const wallet = new ListeningLyra<WalletAddress>([
    ...[
      "wallet",
      "serve",
      "--home",
      scratch.path(),
      "--wallet-port",
      "0",
      "--node-url",
      address.nodeUrl,
      "--quiet",
    ],
  ]);
  running.push(wallet);
  const [ofSidecar, ofWallet] = [await sidecar.listens(), await wallet.listens()];
  const ports = {
    node: address.nodePort,
    data: address.dataPort,
    faucet: Number(new URL(address.faucetUrl!).port),
    comet: Number(new URL(address.cometUrl!).port),
    "gRPC node": address.grpcNodePort!,
    "gRPC data": address.grpcDataPort!,
    events: ofSidecar.eventsPort,
    wallet: ofWallet.walletPort,
  };
  for (const [name, port] of Object.entries(ports)) targets.set(name, { port, host: "127.0.0.1" });
  targets.set("the wallet's socket", { path: ofWallet.socket });
  targets.set("the events socket", { path: eventsSocket });
}, 60_000);

afterAll(async () => {
  for (const one of running) await one.stop();
  scratch.remove();
});

/** Sends the beginning, then a byte after the other. @returns whether the other side closes */
function isClosed(target: Target, beginning: Uint8Array | string, drip: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(target);
    let at = 0;
    const timer = setInterval(() => {
      if (drip !== "" && socket.writable) socket.write(drip[at++ % drip.length]!);
    }, DRIP_MS);
    const settle = (closed: boolean): void => {
      clearInterval(timer);
      clearTimeout(late);
      socket.destroy();
      resolve(closed);
    };
    const late = setTimeout(() => settle(false), CLOSED_MS_MAX);
    socket.on("connect", () => socket.write(beginning));
    socket.on("data", () => {});
    socket.on("error", () => {});
    socket.on("close", () => settle(true));
  });
}

/** Beginnings of a port's protocol, with what drips after each. */
function beginningsOf(name: string): [string, Uint8Array | string, string][] {
  if (name.startsWith("gRPC")) {
    const service =
      name === "gRPC data" ? "datanode.api.v2.TradingDataService/Ping" : "vega.api.v1.CoreService/Statistics";
    const settings = frame(FrameType.settings, 0, 0);
    const [whole, next] = [call(1, `/${service}`), call(3, `/${service}`)];
    return [
      ["nothing", "", ""],
      ["a preface", PREFACE, ""],
      ["no call", Buffer.concat([PREFACE, settings]), ""],
      ["half headers", Buffer.concat([PREFACE, settings, whole.subarray(0, 20)]), "a"],
      ["half headers of a second call", Buffer.concat([PREFACE, settings, whole, next.subarray(0, 20)]), "a"],
    ];
  }
  if (name.includes("events"))
    return [
      ["nothing", "", ""],
      ["half a greeting", "\0SP", ""],
    ];
  const headers = "GET / HTTP/1.1\r\nhost: x\r\n";
  return [
    ["nothing", "", ""],
    ["half a line", "GET / HT", "P"],
    ["half headers", headers, "x-a: b\r\n"],
    ["half an upgrade", UPGRADE, "x-a: b\r\n"],
    ["half headers of a second request", `${headers}\r\n${headers}`, "x-a: b\r\n"],
    [
      "half a body",
      "POST /transaction HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{",
      " ",
    ],
  ];
}

test("a connection that sends half of something is closed, on every port", async () => {
  const trials = [...targets].flatMap(([name, target]) =>
    beginningsOf(name).map(async ([title, beginning, drip]) => {
      const closed = await isClosed(target, beginning, drip);
      return closed ? [] : [`${name}: ${title}`];
    }),
  );
  expect((await Promise.all(trials)).flat()).toEqual([]);
}, 90_000);
