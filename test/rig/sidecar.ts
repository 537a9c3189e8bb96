// The sidecar's rig: a recording is streamed into a sidecar that is cut off and killed at random, until it holds all of it;
// then it must hold what `lyra replay` makes of the recording. Nothing in the program knows of it.
import { Dice } from "../../scripts/sample/seeded.ts";
import { listSegments } from "../../src/history/segment-table.ts";
import { EXPORT_TABLES } from "../../src/history/tables.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import type { StoreDigest } from "../../src/store/dump.ts";
import { differences } from "../support/digests.ts";
import { digestOf, Scratch } from "./homes.ts";
import { ListeningLyra, lyra } from "./lyra.ts";
import { messagesOf, Sender } from "./sp-sender.ts";
import { type BlockSpan, blockSpans, inflated } from "./stream.ts";

/** A core, as the rig plays it; events by number, from 0. */
export interface RigSender {
  dial(port: number): Promise<void>;
  send(from: number, to: number): Promise<void>;
  /** An orderly end; true when everything sent has surely arrived. */
  end(): Promise<boolean>;
  /** An end in the middle of whatever goes on. */
  abort(): Promise<void>;
}

export interface SidecarRigOptions {
  readonly recording: string;
  /** Passes through the recording, each into a new home. */
  readonly rounds: number;
  readonly cutsPerRound: number;
  readonly seed: number;
  readonly program?: readonly string[];
  /** A sender over the inflated recording at a path. */
  readonly sender?: (path: string) => RigSender;
  /** Done to every home before it is compared: shows that the rig can fail. */
  readonly tamper?: (home: string) => void;
  readonly onRound?: (round: SidecarRound) => void;
}

interface SidecarRound {
  readonly round: number;
  readonly cuts: Readonly<Record<Cut, number>>;
  readonly failures: readonly string[];
}

/** Ways in which a connection ends: by the sender, in order or not, or with the sidecar. */
type Cut = "closed" | "aborted" | "killed";
const CUTS: readonly Cut[] = ["closed", "closed", "aborted", "aborted", "killed"];
/** A core restarts from a snapshot, some blocks before the one that is missing. */
const BACK_MAX = 30;
/** Facts of one round. */
const FAILURES_MAX = 8;
const STORED_MS_MAX = 60_000;

interface Where {
  readonly dataUrl: string;
  readonly eventsPort: number;
}

interface Status {
  readonly height: number | null;
  readonly segments: number;
}

/** Sends by the rig's own implementation. */
class OwnSender implements RigSender {
  private readonly messages: Uint8Array[];
  private sender: Sender | undefined;

  constructor(path: string) {
    this.messages = messagesOf(inflated(path));
  }

  async dial(port: number): Promise<void> {
    this.sender = await Sender.dial({ hostname: "127.0.0.1", port });
  }

  async send(from: number, to: number): Promise<void> {
    await this.sender!.write(Buffer.concat(this.messages.slice(from, to)));
  }

  async end(): Promise<boolean> {
    await this.sender!.end();
    return true;
  }

  async abort(): Promise<void> {
    this.sender?.terminate();
  }
}

export async function sidecarRounds(options: SidecarRigOptions): Promise<string[]> {
  const scratch = new Scratch("sidecar-rig");
  const failures: string[] = [];
  try {
    const stream = inflated(options.recording);
    const path = scratch.file(stream);
    const reference = scratch.path();
    const words = ["replay", path, "--home", reference, "--segments", "network", "--quiet"];
    const loaded = await lyra(words, options);
    if (loaded.code !== 0) throw new Error(`the recording cannot be loaded: ${loaded.err}`);
    const exportedTo = lastSegmentEnd(reference);
    const expected: Expected = {
      digest: digestOf(reference),
      exportedTo,
      exports: await servedExports(reference, exportedTo, options),
    };
    const makeSender = options.sender ?? ((file) => new OwnSender(file));
    const dice = new Dice(options.seed);
    for (let round = 1; round <= options.rounds; round++) {
      const pass = new Pass(options, dice, blockSpans(stream), makeSender(path), scratch.path());
      const report = await pass.run(round, expected);
      options.onRound?.(report);
      failures.push(...report.failures.map((text) => `round ${round}: ${text}`));
    }
  } finally {
    scratch.remove();
  }
  return failures;
}

function lastSegmentEnd(home: string): number {
  const db = openReader(home);
  try {
    return listSegments(db).at(-1)!.to;
  } finally {
    db.close();
  }
}

interface Expected {
  readonly digest: StoreDigest;
  /** Where the last segment ends. */
  readonly exportedTo: number;
  readonly exports: Readonly<Record<string, string>>;
}

/** SHA-256 of each table's export up to the end of a segment, as a client gets it. */
async function exportHashes(dataUrl: string, to: number): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const { name } of EXPORT_TABLES) {
    const query = `table=TABLE_${name.toUpperCase()}&fromBlock=1&toBlock=${to}`;
    const response = await fetch(`${dataUrl}/api/v2/networkhistory/export?${query}`);
    if (!response.ok) throw new Error(`export of ${name}: ${response.status} ${await response.text()}`);
    hashes[name] = new Bun.CryptoHasher("sha256").update(await response.arrayBuffer()).digest("hex");
  }
  return hashes;
}

/** The same of a home that is served for it. */
async function servedExports(home: string, to: number, options: SidecarRigOptions) {
  const node = new ListeningLyra<Where>(["serve", "--home", home, "--data-port", "0", "--quiet"], options);
  try {
    return await exportHashes((await node.listens()).dataUrl, to);
  } finally {
    await node.stop();
  }
}

/** A single way through the recording. */
class Pass {
  private readonly cuts: Record<Cut, number> = { closed: 0, aborted: 0, killed: 0 };
  private sidecar: ListeningLyra<Where> | undefined;
  private where!: Where;

  constructor(
    private readonly options: SidecarRigOptions,
    private readonly dice: Dice,
    private readonly spans: readonly BlockSpan[],
    private readonly sender: RigSender,
    private readonly home: string,
  ) {}

  async run(round: number, { digest, exportedTo, exports }: Expected): Promise<SidecarRound> {
    const failures: string[] = [];
    try {
      await this.stream();
      await this.until(({ segments }) => segments === digest.tables.segments!.rows);
      const served = await exportHashes(this.where.dataUrl, exportedTo);
      for (const [name, hash] of Object.entries(exports))
        if (served[name] !== hash) failures.push(`export ${name} differs`);
      const { code, err } = await this.sidecar!.stop();
      if (code !== 0) failures.push(`the sidecar ended with ${code}: ${err}`);
      this.options.tamper?.(this.home);
      failures.push(...differences(digest, digestOf(this.home)).slice(0, FAILURES_MAX));
    } catch (error) {
      this.sidecar?.kill("SIGKILL");
      failures.push(error instanceof Error ? error.message : String(error));
    } finally {
      await this.sender.abort();
    }
    return { round, cuts: this.cuts, failures };
  }

  private async stream(): Promise<void> {
    const end = this.spans.at(-1)!;
    const last = this.events(end);
    await this.start();
    let at = 0;
    for (let cut = 0; cut < this.options.cutsPerRound; cut++) {
      const length = Math.ceil((2 * last) / this.options.cutsPerRound);
      const to = Math.min(last, at + 1 + this.dice.below(length));
      await this.sender.dial(this.where.eventsPort);
      at = await this.cut(this.dice.pick(CUTS), at, to);
    }
    await this.sender.dial(this.where.eventsPort);
    await this.sender.send(at, last);
    await this.until(({ height }) => height === end.height);
    await this.sender.end();
  }

  /** @returns where the sender goes on */
  private async cut(kind: Cut, from: number, to: number): Promise<number> {
    this.cuts[kind]++;
    if (kind === "closed") {
      await this.sender.send(from, to);
      const hasArrived = await this.sender.end();
      // A core goes on where it was, with the next event.
      if (hasArrived && this.dice.below(2) === 0) return to;
      return this.restartAt();
    }
    const sending = this.sender.send(from, to).catch(() => {});
    await Bun.sleep(this.dice.below(30));
    if (kind === "aborted") await this.sender.abort();
    else {
      this.sidecar!.kill("SIGKILL");
      await this.sidecar!.end();
      await this.sender.abort();
      await this.start();
    }
    await sending;
    return this.restartAt();
  }

  /** The core restarts at the height that is missing, or before it. */
  private async restartAt(): Promise<number> {
    const height = ((await this.status()).height ?? 0) + 1 - this.dice.below(BACK_MAX);
    return (this.spans.find((span) => span.height >= height) ?? this.spans[0]!).record - 1;
  }

  private async start(): Promise<void> {
    const words = [
      "sidecar",
      "--home",
      this.home,
      "--events-port",
      "0",
      "--data-port",
      "0",
      "--node-port",
      "0",
    ];
    this.sidecar = new ListeningLyra<Where>([...words, "--quiet"], this.options);
    this.where = await this.sidecar.listens();
  }

  private async status(): Promise<Status> {
    return (await fetch(`${this.where.dataUrl}/status`)).json() as Promise<Status>;
  }

  private async until(isSo: (status: Status) => boolean): Promise<void> {
    const end = performance.now() + STORED_MS_MAX;
    for (let status = await this.status(); !isSo(status); status = await this.status()) {
      if (performance.now() > end) throw new Error(`it does not get on: ${JSON.stringify(status)}`);
      await Bun.sleep(5);
    }
  }

  /** Events up to the end of a block. */
  private events(span: BlockSpan): number {
    return span.record - 1 + span.events;
  }
}

/** Changes one row of a finished home. */
export function tamperedRow(home: string): void {
  const db = openWriter(home);
  db.run(
    "UPDATE balances SET balance = balance + 1 WHERE (block, account) IN (SELECT block, account FROM balances LIMIT 1)",
  );
  db.close();
}
