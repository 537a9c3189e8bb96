// The crash rig: a load is killed at random moments, starts again by itself, and must end in the same bytes as one
// that nobody disturbed. Nothing in the program knows of it.
import { readdirSync, rmSync } from "node:fs";
import { Dice } from "../../scripts/sample/seeded.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import type { StoreDigest } from "../../src/store/dump.ts";
import { readHead } from "../../src/store/head.ts";
import { differences } from "../support/digests.ts";
import { digestOf, heightLeft, Scratch } from "./homes.ts";
import { Lyra, PROGRAM, ServingLyra } from "./lyra.ts";

/** A load's runner and its observer. */
type Mode =
  /** `replay`, looked at after each kill only. */
  | "replay"
  /** `replay` while another process reads the store: what it has seen must stay. */
  | "watched"
  /** `replay --serve`: what the API has told in a header must stay. */
  | "serve";
const MODES: readonly Mode[] = ["replay", "watched", "serve"];

export interface CrashOptions {
  readonly recording: string;
  /** Loads, each killed at least once. */
  readonly rounds: number;
  readonly seed: number;
  readonly program?: readonly string[];
  /** Blocks in a segment: short ones mean many moments between a file and its row. */
  readonly segmentLength?: number;
  readonly modes?: readonly Mode[];
  /** Done to every finished home before it is compared: shows that the rig can fail. */
  readonly tamper?: (home: string) => void;
  readonly onRound?: (round: RoundReport) => void;
}

interface RoundReport {
  readonly round: number;
  readonly mode: Mode;
  /** Milliseconds after its start at which each process was killed. */
  readonly killedMs: readonly number[];
  /** Height that was on the disk after each kill. */
  readonly heights: readonly number[];
  readonly failures: readonly string[];
}

export interface CrashReport {
  readonly rounds: readonly RoundReport[];
  readonly kills: number;
  /** Kills after which some blocks were stored and others were not. */
  readonly killsMidway: number;
  readonly failures: readonly string[];
}

/** Kills a load gets at the most; then it is left alone. */
const KILLS_MAX = 4;
const WATCH_MS = 3;
/** The promise of docs/operations.md. */
const STOP_MS_MAX = 2_000;
/** Reasons that pass. */
const WAITING: ReadonlySet<string> = new Set(["starting", "loading"]);

interface Undisturbed {
  readonly digest: StoreDigest;
  readonly names: readonly string[];
  readonly height: number;
  /** Duration of an undisturbed run of each mode, from start to end. */
  readonly ms: Readonly<Record<Mode, number>>;
}

export async function crashRounds(options: CrashOptions): Promise<CrashReport> {
  const scratch = new Scratch("crash");
  try {
    const rig = new Rig(options, scratch);
    return await rig.run();
  } finally {
    scratch.remove();
  }
}

class Rig {
  private readonly dice: Dice;
  private readonly modes: readonly Mode[];
  private undisturbed!: Undisturbed;

  constructor(
    private readonly options: CrashOptions,
    private readonly scratch: Scratch,
  ) {
    this.dice = new Dice(options.seed);
    this.modes = options.modes ?? MODES;
  }

  async run(): Promise<CrashReport> {
    this.undisturbed = await this.measure();
    const { modes } = this;
    const rounds: RoundReport[] = [];
    for (let round = 1; round <= this.options.rounds; round++) {
      const report = await this.round(round, modes[(round - 1 + this.options.seed) % modes.length]!);
      this.options.onRound?.(report);
      rounds.push(report);
    }
    const { height } = this.undisturbed;
    const isMidway = (left: number) => left > 0 && left < height;
    return {
      rounds,
      kills: rounds.reduce((sum, { killedMs }) => sum + killedMs.length, 0),
      killsMidway: rounds.reduce((sum, { heights }) => sum + heights.filter(isMidway).length, 0),
      failures: rounds.flatMap(({ round, failures }) => failures.map((text) => `round ${round}: ${text}`)),
    };
  }

  private async measure(): Promise<Undisturbed> {
    const ms = {} as Record<Mode, number>;
    const homes: string[] = [];
    for (const mode of this.modes) {
      const home = this.scratch.path();
      const started = performance.now();
      const load = this.start(home, mode);
      const failure = await load.ended();
      ms[mode] = performance.now() - started;
      if (failure) throw new Error(`the undisturbed run failed: ${failure}`);
      homes.push(home);
    }
    const [digest, ...others] = homes.map(digestOf);
    const different = others.flatMap((other) => differences(digest!, other));
    if (different.length > 0) throw new Error(`undisturbed runs differ: ${different.join("; ")}`);
    const height = heightLeft(homes[0]!);
    const names = readdirSync(homes[0]!).sort();
    for (const home of homes) rmSync(home, { recursive: true });
    return { digest: digest!, names, height, ms };
  }

  private async round(round: number, mode: Mode): Promise<RoundReport> {
    const home = this.scratch.path();
    const report = {
      round,
      mode,
      killedMs: [] as number[],
      heights: [] as number[],
      failures: [] as string[],
    };
    let reached = 0;
    for (let run = 0; ; run++) {
      const load = this.start(home, mode);
      const isLeftAlone = run >= KILLS_MAX;
      const killMs = this.dice.below(Math.round(this.undisturbed.ms[mode]));
      const end = load.ended();
      const first = await Promise.race([end, isLeftAlone ? end : Bun.sleep(killMs - load.ageMs)]);
      // The first run is killed in any case: where it was quicker than its forerunner, at its end.
      if (load.hasEnded && run > 0) {
        if (first) report.failures.push(first);
        break;
      }
      if (isLeftAlone) {
        report.failures.push(`it does not end by itself: ${first}`);
        break;
      }
      report.killedMs.push(Math.round(load.ageMs));
      const reported = await load.kill();
      const left = heightLeft(home);
      report.heights.push(left);
      if (left < reported)
        report.failures.push(`block ${reported} was told and is gone: the store ends at ${left}`);
      if (left < reached) report.failures.push(`the height went back from ${reached} to ${left}`);
      reached = left;
    }
    this.options.tamper?.(home);
    report.failures.push(...this.compare(home));
    rmSync(home, { recursive: true, force: true });
    return report;
  }

  private compare(home: string): string[] {
    try {
      const problems = differences(this.undisturbed.digest, digestOf(home));
      const names = readdirSync(home).sort();
      if (names.join() !== this.undisturbed.names.join()) problems.push(`the home holds ${names.join(", ")}`);
      return problems;
    } catch (error) {
      return [(error as Error).message];
    }
  }

  private start(home: string, mode: Mode): Load {
    const { recording, segmentLength, program = PROGRAM } = this.options;
    const length = segmentLength === undefined ? [] : ["--segment-length", String(segmentLength)];
    const words = ["replay", recording, "--home", home, ...length];
    if (mode === "serve") return new ServedLoad(new ServingLyra([...words, "--serve"], { program }));
    const process = new Lyra([...words, "--quiet"], { program });
    return mode === "watched" ? new WatchedLoad(process, home) : new Load(process);
  }
}

/** A process that loads, from its start to its end by itself or by a kill. */
class Load {
  private readonly startedMs = performance.now();
  /** The highest block that a client has seen. */
  protected told = 0;
  protected isOver = false;

  constructor(protected readonly process: Lyra) {}

  get ageMs(): number {
    return performance.now() - this.startedMs;
  }

  get hasEnded(): boolean {
    return this.isOver;
  }

  /** Settles when it has done all it has to do, with what went wrong. */
  async ended(): Promise<string | undefined> {
    const { code, err } = await this.process.end();
    this.isOver = true;
    return code === 0 ? undefined : `exit code ${code}: ${err.trim()}`;
  }

  /** Ends it without a warning; returns what was told. */
  async kill(): Promise<number> {
    this.isOver = true;
    this.process.kill("SIGKILL");
    await this.process.end();
    return this.told;
  }
}

/** Reads the height through a connection of its own all the while, as `lyra doctor` or a backup would. */
class WatchedLoad extends Load {
  private readonly watching: Promise<void>;

  constructor(
    process: Lyra,
    private readonly home: string,
  ) {
    super(process);
    this.watching = this.watch();
  }

  override async ended(): Promise<string | undefined> {
    const failure = await super.ended();
    await this.watching;
    return failure;
  }

  override async kill(): Promise<number> {
    await super.kill();
    await this.watching;
    return this.told;
  }

  private async watch(): Promise<void> {
    while (!this.isOver) {
      try {
        const db = openReader(this.home);
        try {
          while (!this.isOver) {
            this.told = Math.max(this.told, readHead(db)?.height ?? 0);
            await Bun.sleep(WATCH_MS);
          }
        } finally {
          db.close();
        }
      } catch {
        // The store is just being made.
        await Bun.sleep(WATCH_MS);
      }
    }
  }
}

/** Asks the API for the height all the while; has done its work when the node is ready. */
class ServedLoad extends Load {
  constructor(protected override readonly process: ServingLyra) {
    super(process);
  }

  override async ended(): Promise<string | undefined> {
    while (!this.isOver && !this.process.hasEnded) {
      const { address } = this.process;
      const reason = address ? await this.ask(address.url) : "starting";
      if (reason === "") break;
      if (!WAITING.has(reason)) return `not ready: ${reason}`;
      await Bun.sleep(WATCH_MS);
    }
    if (this.isOver) return undefined;
    const { code, ms, err } = await this.process.stop();
    this.isOver = true;
    if (ms > STOP_MS_MAX) return `it took ${Math.round(ms)} ms to stop`;
    return code === 0 ? undefined : `exit code ${code}: ${err.trim()}`;
  }

  /** Why it is not ready; empty when it is. */
  private async ask(url: string): Promise<string> {
    try {
      const page = await fetch(`${url}/api/v2/vega/time`);
      this.told = Math.max(this.told, Number(page.headers.get("x-block-height")));
      await page.text();
      const ready = await fetch(`${url}/readyz`);
      const body = await ready.text();
      return ready.status === 200 ? "" : (JSON.parse(body) as { message: string }).message;
    } catch {
      // It was killed in the middle of an answer.
      return "starting";
    }
  }
}

/** Takes one row out of a table, without a trace in the others. */
export function dropRow(home: string, table = "balances"): void {
  const db = openWriter(home);
  try {
    const names = db
      .query("SELECT name FROM pragma_table_info(?) WHERE pk > 0")
      .values(table)
      .flat()
      .join(", ");
    db.run(`DELETE FROM ${table} WHERE (${names}) = (SELECT ${names} FROM ${table} LIMIT 1)`);
  } finally {
    db.close();
  }
}
