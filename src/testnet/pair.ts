/**
 * A validator of a test network as two processes: the chain (lyra validator) and its consensus engine. Each that ends is
 * started again: an engine ends with exit code 0 when it loses the chain, and goes on once both run. But an engine that lost
 * it in the moment before a commit hangs (CometBFT 0.38.26 waits for an answer to a request that it queued behind its broken
 * connection, and its own end waits for that): it answers, makes no block, and holds its peers' connections. So it is killed.
 */

import { createWriteStream, type WriteStream } from "node:fs";
import { join } from "node:path";
import { genesisPath, type TestnetNode } from "./files.ts";

const PAUSE_MS_MAX = 10_000;
/** A process that ran for this long has started. */
const STARTED_MS = 5_000;
/** After a request to end. */
const END_MS = 20_000;
const LINE_CHARACTERS_MAX = 4_000;

type Role = "chain" | "engine";

interface PairTimes {
  /** Between an end and the next start: the pause doubles while it ends at once again. */
  readonly pauseMs: number;
  /** For an engine that lost the chain: it ends in 0.2 seconds, or never. */
  readonly engineEndMs: number;
}

const TIMES: PairTimes = { pauseMs: 300, engineEndMs: 3_000 };

export interface PairEvents {
  /** A line of a process that an operator should see. */
  onLine?(node: TestnetNode, role: Role, line: string): void;
  /** A process ended that should run; it is started again. */
  onEnded?(node: TestnetNode, role: Role, how: string): void;
}

interface PairPrograms {
  /** Words that start this program. */
  readonly lyra: readonly string[];
  readonly cometbft: string;
  /** Further words of `lyra validator`. */
  readonly more?: readonly string[];
}

export class ValidatorPair {
  readonly chain: Supervised;
  readonly engine: Supervised;

  constructor(
    readonly node: TestnetNode,
    { lyra, cometbft, more = [] }: PairPrograms,
    events: PairEvents,
    { pauseMs, engineEndMs } = TIMES,
  ) {
    const { home, consensusHome, abci, rpcPort, nodePort, dataPort } = node;
    let advice: string | undefined;
    /** Whether the engine that runs now has met the chain: before it does, it dials again and again. */
    let hasMet = false;
    const watch = (role: Role) => ({
      onLine: (line: string) => {
        if (isOfRole[role](line)) events.onLine?.(node, role, line);
        if (role === "engine" && line.includes("ABCI Handshake App Info")) hasMet = true;
        const next = role === "engine" ? adviceOn(line) : undefined;
        // It starts again and again, and comes to the same.
        if (next !== undefined && next !== advice) events.onLine?.(node, role, (advice = next));
      },
      onEnded: (how: string) => {
        events.onEnded?.(node, role, how);
        if (role === "engine") hasMet = false;
        else if (hasMet) this.engine.killUnlessEnded(engineEndMs);
      },
    });
    const words = [
      ...lyra,
      "validator",
      ...["--home", home, "--abci", abci, "--consensus-rpc", `http://127.0.0.1:${rpcPort}`],
      ...["--genesis", genesisPath(node), "--node-port", String(nodePort), "--data-port", String(dataPort)],
      ...["--grpc-node-port", "off", "--grpc-data-port", "off", "--stop-with-stdin", ...more],
    ];
    this.chain = new Supervised(words, join(home, "..", "lyra.log"), watch("chain"), pauseMs);
    this.engine = new Supervised(
      [cometbft, "node", "--home", consensusHome],
      join(home, "..", "consensus.log"),
      watch("engine"),
      pauseMs,
    );
  }

  start(): void {
    this.chain.start();
    this.engine.start();
  }

  /** The engine first: it would end by itself, with a line of its own, when the chain is gone. */
  async stop(): Promise<void> {
    await this.engine.stop();
    await this.chain.stop();
  }
}

/** A line of this program's log that reports a failure. */
export const isFailure = (line: string): boolean => line.includes('"level":"error"');
/** Lines of the chain that are for operators. */
const isOfChain = (line: string): boolean => isFailure(line) || line.includes("lyra: ");
/** Those of the engine that say that it stops, or does not agree. */
const isOfEngine = (line: string): boolean =>
  /CONSENSUS FAILURE|panic|wrong Block\.Header|failed to apply|ERROR/.test(line);

const isOfRole: Readonly<Record<Role, (line: string) => boolean>> = { chain: isOfChain, engine: isOfEngine };

/** Heights of the application and of the engine's blocks, which it logs at each start. */
const HEIGHTS = /ABCI Replay Blocks.*\bappHeight=(\d+) storeHeight=(\d+)/;

/** The way out for an engine whose blocks end below the application's: its own words for it differ, or name no height. */
function adviceOn(line: string): string | undefined {
  const [, application, store] = HEIGHTS.exec(line)?.map(Number) ?? [];
  if (application === undefined || store === undefined || application <= store) return undefined;
  return `the consensus engine's data end at block ${store}, and Lyra's home is at block ${application}: it cannot start. Restore both from the same time, or stop both and move Lyra's home away: it is filled again from blocks`;
}

interface SupervisedEvents {
  onLine(line: string): void;
  onEnded(how: string): void;
}

/** A process that is started again whenever it ends, until it is stopped. */
export class Supervised {
  private child: Bun.Subprocess<"pipe", "pipe", "pipe"> | undefined;
  private readonly log: WriteStream;
  private ended: Promise<void> = Promise.resolve();
  private isWanted = false;
  private pauseMs: number;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly words: readonly string[],
    logPath: string,
    private readonly events: SupervisedEvents,
    private readonly firstPauseMs = TIMES.pauseMs,
  ) {
    this.pauseMs = firstPauseMs;
    this.log = createWriteStream(logPath, { flags: "a", mode: 0o600 });
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(): void {
    this.isWanted = true;
    if (this.child !== undefined) return;
    clearTimeout(this.timer);
    const began = performance.now();
    const child = Bun.spawn([...this.words], {
      // Its end is that of this process: with --stop-with-stdin nothing outlives a killed supervisor.
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      // A group of its own: Ctrl-C is for the supervisor, which stops the others in their order.
      detached: true,
    });
    this.child = child;
    const read = Promise.all([this.read(child.stdout), this.read(child.stderr)]);
    this.ended = child.exited.then(async () => {
      await read;
      this.child = undefined;
      if (!this.isWanted) return;
      this.events.onEnded(
        child.signalCode === null ? `exit code ${child.exitCode}` : String(child.signalCode),
      );
      this.pauseMs =
        performance.now() - began > STARTED_MS ? this.firstPauseMs : Math.min(this.pauseMs * 2, PAUSE_MS_MAX);
      this.timer = setTimeout(() => this.start(), this.pauseMs);
    });
  }

  /** Ends the process for good; kills it when it does not end. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.isWanted = false;
    clearTimeout(this.timer);
    const { child } = this;
    child?.kill(signal);
    const timer = setTimeout(() => child?.kill("SIGKILL"), END_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Kills the process that runs now when it does not end by itself. */
  killUnlessEnded(ms: number): void {
    const { child } = this;
    if (child === undefined) return;
    const timer = setTimeout(() => child.kill("SIGKILL"), ms);
    void child.exited.then(() => clearTimeout(timer));
  }

  /** Stops its time, for trials: to the others it is gone. */
  pause(): void {
    this.child?.kill("SIGSTOP");
  }

  resume(): void {
    this.child?.kill("SIGCONT");
  }

  private async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const piece of stream) {
      this.log.write(piece);
      const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split("\n");
      rest = lines.pop()!.slice(-LINE_CHARACTERS_MAX);
      for (const line of lines) this.events.onLine(line.slice(0, LINE_CHARACTERS_MAX));
    }
  }
}
