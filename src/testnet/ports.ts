// Ports of a test network on this machine.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { NodeError } from "../errors/node-error.ts";

const HOST = "127.0.0.1";
/** Processes of a network that was killed a moment ago end by themselves. */
const LOOKS = 25;
const LOOK_MS = 200;

/** A port, and what listens there: "the node API of validator 2". */
export interface PortUse {
  readonly port: number;
  readonly use: string;
}

/** The system gives ports from here on to any process that connects: one of them can be taken at any moment. */
const EPHEMERAL = 32_768;
const FIRST = 20_000;
const handedOut = new Set<number>();

/** A port that nothing listens on, and that the system gives to no other program; no two calls give the same. */
export function freePort(): number {
  for (;;) {
    const port = randomInt(FIRST, EPHEMERAL);
    if (handedOut.has(port)) continue;
    try {
      Bun.listen({ hostname: HOST, port, socket: { data() {} } }).stop(true);
      handedOut.add(port);
      return port;
    } catch {
      // Taken: try the next.
    }
  }
}

/** Makes sure that nothing else listens there, before anything is started. @throws NodeError `port_in_use` */
export async function checkPorts(uses: readonly PortUse[], hint: string, looks = LOOKS): Promise<void> {
  for (let look = 1; ; look++) {
    const taken = (await Promise.all(uses.map(isTaken))).flatMap((is, at) => (is ? [uses[at]!] : []));
    if (taken.length === 0) return;
    if (look >= looks) throw inUse(taken, hint);
    await Bun.sleep(LOOK_MS);
  }
}

function isTaken({ port }: PortUse): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(true));
    server.listen(port, HOST, () => server.close(() => resolve(false)));
  });
}

function inUse([first, ...more]: readonly PortUse[], hint: string): NodeError {
  const others = more.length === 0 ? "" : `, and ${more.length} more of the network's are in use`;
  return new NodeError(
    "testnet",
    "port_in_use",
    `port ${first!.port} on ${HOST} is in use`,
    `it is for ${first!.use}${others}: ${hint}`,
  );
}
