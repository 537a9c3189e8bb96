// A `lyra devnet` as a process of its own, on free ports.
import type { DevnetAddress } from "../../src/devnet/home.ts";
import { ListeningLyra, type StartOptions } from "./lyra.ts";

export interface DevnetStart extends StartOptions {
  readonly home: string;
  /** `instant`, `100ms`, `mixed:1s`, `manual`. */
  readonly block?: string;
  /** Network parameters of a new chain. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
}

export class RunningDevnet extends ListeningLyra<DevnetAddress> {
  readonly home: string;

  constructor({ home, block = "instant", parameters = {}, words = [], ...options }: DevnetStart) {
    const ports = ["--node-port", "0", "--data-port", "0", "--faucet-port", "0"];
    const pairs = Object.entries(parameters).flatMap(([key, value]) => ["--parameter", `${key}=${value}`]);
    super(["devnet", "--home", home, "--block", block, ...ports, ...pairs, "--quiet", ...words], options);
    this.home = home;
  }

  /** Where it listens, once it does. */
  get address(): DevnetAddress | undefined {
    return this.where;
  }

  /** Waits until it listens; the parties are funded then. @throws Error with what it said when it ends instead */
  listening(): Promise<DevnetAddress> {
    return this.listens();
  }
}
