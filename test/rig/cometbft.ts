// A real CometBFT node with its built-in kvstore application, for the follower.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNode } from "../../src/start-node.ts";
import { freePort } from "../../src/testnet/ports.ts";
import { eventually } from "../support/eventually.ts";

const TXS = 40;

/** The program, where there is one on the path or named by `COMETBFT`. */
export function cometProgram(): string | undefined {
  return process.env.COMETBFT ?? Bun.which("cometbft") ?? undefined;
}

class CometNode {
  private child: Bun.Subprocess | undefined;
  readonly url: string;

  constructor(
    private readonly program: string,
    private readonly home: string,
  ) {
    Bun.spawnSync([program, "init", "--home", home], { stdout: "ignore", stderr: "ignore" });
    const [rpc, p2p] = [freePort(), freePort()];
    const path = join(home, "config", "config.toml");
    const config = readFileSync(path, "utf8")
      .replace(/^timeout_commit = .*$/m, 'timeout_commit = "100ms"')
      .replace(/tcp:\/\/127\.0\.0\.1:26657/g, `tcp://127.0.0.1:${rpc}`)
      .replace(/tcp:\/\/0\.0\.0\.0:26656/g, `tcp://127.0.0.1:${p2p}`);
    writeFileSync(path, config);
    this.url = `http://127.0.0.1:${rpc}`;
  }

  start(): void {
    const words = [this.program, "node", "--home", this.home, "--proxy_app=kvstore"];
    this.child = Bun.spawn(words, { stdout: "ignore", stderr: "ignore" });
  }

  async stop(): Promise<void> {
    this.child?.kill("SIGKILL");
    await this.child?.exited;
  }

  async call(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(this.url, { method: "POST", body });
    return ((await response.json()) as { result: Record<string, unknown> }).result;
  }
}

const until = <T>(look: () => Promise<T | undefined | false>, what: string) =>
  eventually(() => look().catch(() => undefined), what);

interface Followed {
  readonly version: string;
  readonly height: number;
  readonly txs: number;
  readonly restartedAt: number;
}

/** Follows a node with transactions of another protocol, kills it, and goes on. @throws Error for what differs */
export async function followKvstore(program: string): Promise<Followed> {
  const folder = mkdtempSync(join(tmpdir(), "lyra-cometbft-"));
  const node = new CometNode(program, join(folder, "comet"));
  node.start();
  const sidecar = await startNode({ kind: "sidecar", home: join(folder, "home"), comet: node.url });
  const status = async () =>
    (await (await fetch(`${sidecar.dataUrl}/status`)).json()) as {
      sources: { kind: string; state: string; height: number }[];
      follower: { blocks: number; txs: number; disagreements: number };
    };
  const nodeHeight = async () => {
    const { sync_info: sync } = (await node.call("status")) as { sync_info: { latest_block_height: string } };
    return Number(sync.latest_block_height);
  };
  const own = async () =>
    (await (await fetch(`${sidecar.addresses.nodeUrl}/blockchain/height`)).json()) as {
      height: string;
      hash: string;
    };
  const reaches = (height: number) =>
    until(async () => Number((await own()).height) >= height, `block ${height} followed`);
  try {
    await until(async () => (await nodeHeight()) > 2, "the first blocks");
    for (let n = 0; n < TXS; n++) {
      const tx = Buffer.from(`key${n}=value${n}`).toString("base64");
      await node.call("broadcast_tx_sync", { tx });
    }
    await until(async () => (await status()).follower.txs === TXS, "all transactions");
    const restartedAt = await nodeHeight();
    await node.stop();
    await until(async () => (await status()).sources.some(({ state }) => state === "waiting"), "it is gone");
    node.start();
    await until(async () => (await nodeHeight()) > restartedAt + 5, "it goes on");
    await reaches(restartedAt + 5);
    const { follower } = await status();
    const { height, hash } = await own();
    const { block_id: id } = (await node.call("block", { height })) as { block_id: { hash: string } };
    if (id.hash.toLowerCase() !== hash) throw new Error(`block ${height} has another hash: ${hash}`);
    // The application has executed what this protocol cannot read.
    if (follower.disagreements !== TXS) throw new Error(`${follower.disagreements} disagreements of ${TXS}`);
    const { node_info: info } = (await node.call("status")) as { node_info: { version: string } };
    return { version: info.version, height: Number(height), txs: follower.txs, restartedAt };
  } finally {
    await sidecar.stop();
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
