// A `lyra devnet` as a process of its own, on free ports.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DevnetAddress } from "../../src/node/devnet-address.ts";
import { type Ended, Lyra, type StartOptions } from "./lyra.ts";

const POLL_MS = 3;
const LISTEN_MS_MAX = 30_000;

export interface DevnetStart extends StartOptions {
  readonly home: string;
  /** `instant`, `100ms`, `mixed:1s`, `manual`. */
  readonly block?: string;
  /** Network parameters of a new chain. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
}

export class RunningDevnet extends Lyra {
  readonly home: string;
  readonly startedMs = performance.now();
  private readonly folder: string;
  private known: DevnetAddress | undefined;

  constructor({ home, block = "instant", parameters = {}, words = [], ...options }: DevnetStart) {
    const folder = mkdtempSync(join(tmpdir(), "lyra-where-"));
    const ports = ["--node-port", "0", "--data-port", "0", "--faucet-port", "0"];
    const pairs = Object.entries(parameters).flatMap(([key, value]) => ["--parameter", `${key}=${value}`]);
    const where = ["--config-out", join(folder, "where.json"), "--quiet"];
    super(["devnet", "--home", home, "--block", block, ...ports, ...pairs, ...where, ...words], options);
    this.home = home;
    this.folder = folder;
  }

  get ageMs(): number {
    return performance.now() - this.startedMs;
  }

  /** Where it listens, once it does. */
  get address(): DevnetAddress | undefined {
    const where = join(this.folder, "where.json");
    if (this.known || !existsSync(where)) return this.known;
    const text = readFileSync(where, "utf8");
    if (text.endsWith("\n")) this.known = JSON.parse(text) as DevnetAddress;
    return this.known;
  }

  /** Waits until it listens; the parties are funded then. @throws Error with what it said when it ends instead */
  async listening(): Promise<DevnetAddress> {
    const deadline = performance.now() + LISTEN_MS_MAX;
    while (!this.address) {
      if (performance.now() > deadline) this.kill("SIGKILL");
      if (this.hasEnded) throw new Error(`it does not listen: ${(await this.end()).err}`);
      await Bun.sleep(POLL_MS);
    }
    return this.address;
  }

  override async end(): Promise<Ended> {
    const ended = await super.end();
    rmSync(this.folder, { recursive: true, force: true });
    return ended;
  }
}
