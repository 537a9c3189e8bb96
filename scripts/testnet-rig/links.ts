/**
 * Connections between the consensus engines of a network, each pair through a proxy of its own, so that they can be cut: the
 * later validator of two is dialled by the earlier one alone. The engine checks the peer's id, not its port.
 */

import { readFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { changeSettings, type TestnetNode } from "../../src/testnet/files.ts";

/** Bytes are passed, connections are refused, or what comes in one direction, or in both, goes nowhere. */
export type LinkState = "open" | "closed" | "silent" | "silent forwards" | "silent backwards";

const HOST = "127.0.0.1";

class Link {
  private state: LinkState = "open";
  private readonly connections = new Set<readonly [near: Socket, far: Socket]>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {}

  /** Forwards is what the dialling side sends. */
  static async to(target: number): Promise<Link> {
    const server = createServer();
    const link = new Link(server, target);
    server.on("connection", (near) => link.opened(near));
    await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
    return link;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  /** A link that is open again begins with new connections: bytes that were kept would come after those lost. */
  set(state: LinkState): void {
    const before = this.state;
    this.state = state;
    if (state === "closed" || (state === "open" && before !== "open")) this.closeAll();
  }

  stop(): void {
    this.server.close();
    this.closeAll();
  }

  private closeAll(): void {
    for (const pair of this.connections) for (const socket of pair) socket.destroy();
    this.connections.clear();
  }

  private opened(near: Socket): void {
    near.on("error", () => {});
    if (this.state === "closed") {
      near.destroy();
      return;
    }
    const far = connect(this.target, HOST);
    far.on("error", () => {});
    const pair = [near, far] as const;
    this.connections.add(pair);
    near.setNoDelay(true);
    far.setNoDelay(true);
    const pass = (from: Socket, to: Socket, silent: LinkState) => {
      from.on("data", (bytes) => {
        if (this.state === "silent" || this.state === silent) return;
        if (!to.write(bytes)) from.pause();
      });
      to.on("drain", () => from.resume());
      from.on("close", () => {
        this.connections.delete(pair);
        to.destroy();
      });
    };
    pass(near, far, "silent forwards");
    pass(far, near, "silent backwards");
  }
}

export class Links {
  /** By the numbers of both validators, the lower one first. */
  private readonly links = new Map<string, Link>();

  private constructor() {}

  /** Puts proxies between validators whose engines have not started yet. */
  static async between(nodes: readonly TestnetNode[]): Promise<Links> {
    const links = new Links();
    for (const [at, node] of nodes.entries()) {
      const text = readFileSync(join(node.consensusHome, "config", "config.toml"), "utf8");
      const peers: string[] = [];
      for (const other of nodes.slice(at + 1)) {
        const link = await Link.to(other.peerPort);
        links.links.set(keyOf(node.number, other.number), link);
        const id = new RegExp(`(\\w+)@${HOST}:${other.peerPort}\\b`).exec(text)?.[1];
        if (id === undefined) throw new Error(`validator ${node.number} does not name ${other.number}`);
        peers.push(`${id}@${HOST}:${link.port}`);
      }
      changeSettings(node, { p2p: { persistent_peers: JSON.stringify(peers.join(",")) } });
    }
    return links;
  }

  /** The link of two validators, by their numbers. */
  set(one: number, other: number, state: LinkState): void {
    this.links.get(keyOf(one, other))!.set(state);
  }

  /** All links that cross the border of a group. */
  part(group: readonly number[], state: LinkState): void {
    for (const [key, link] of this.links) {
      const [one, other] = key.split(" ").map(Number);
      if (group.includes(one!) !== group.includes(other!)) link.set(state);
    }
  }

  heal(): void {
    for (const link of this.links.values()) link.set("open");
  }

  stop(): void {
    for (const link of this.links.values()) link.stop();
  }
}

const keyOf = (one: number, other: number): string => `${Math.min(one, other)} ${Math.max(one, other)}`;
