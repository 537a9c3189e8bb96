// The intake of live events: reads the event log of a sidecar, or a file, as it grows; stores whole blocks, and says what
// is wrong with the rest. While more events wait several blocks share a commit; a block at the end is committed at once.
//
// A block is stored when all its events came, and follows the last one. A connection that brings anything else than sound
// events of this chain's history is refused: the rest of it is passed over. After lost events reading goes on; blocks are
// stored again when the missing ones come.
import type { Database } from "bun:sqlite";
import { NodeError } from "../errors/node-error.ts";
import type { ErrorCode } from "../errors/program-codes.ts";
import type { BlockWriter } from "../store/block-writer.ts";
import { isOfConsensus } from "../store/chain-tables.ts";
import { GarbageLimit } from "../store/garbage-limit.ts";
import { type ChainHead, hasChain } from "../store/head.ts";
import { type Block, eventCount } from "../wire/block.ts";
import { WireError } from "../wire/errors.ts";
import { type BlockAssembler, StreamFault } from "./block-assembler.ts";
import { BlockOrder } from "./block-order.ts";
import { COMMIT_MS, commitEvents, GARBAGE_EVENTS } from "./commit-size.ts";
import type { LogPlace } from "./event-log.ts";
import { RecordSplitter } from "./records.ts";

/** Other work of the thread waits no longer than this and one block. */
const TURN_MS = 10;
/** Interval at which a full disk is looked after. */
const RETRY_MS = 1_000;

/** Of the blocks themselves, not of the store: the connection that brought them is refused. */
const SENDERS_CODES: ReadonlySet<string> = new Set([
  ...["chain_mismatch", "history_mismatch", "time_backwards", "block_invalid", "height_gap"],
]);

export interface IntakeTrouble {
  readonly code: ErrorCode;
  readonly text: string;
  /** Number of further meetings; left out for the first time. */
  readonly again?: number;
}

/** After such a trouble the log is read on; after any other the store has failed, and takes nothing more. */
const EVENT_CODES: ReadonlySet<string> = new Set([...SENDERS_CODES, "event_invalid", "events_lost"]);

/** Why nothing is stored any more, if so. */
export function whyNotStored(trouble: IntakeTrouble | undefined) {
  if (trouble === undefined || EVENT_CODES.has(trouble.code)) return undefined;
  return trouble.code === "disk_full" ? "disk_full" : "store_failed";
}

export interface IntakeHooks {
  onCommit(head: ChainHead): void;
  /** The log is read, and its events are stored or passed over, up to a place. @param isAtEnd nothing more waits */
  onRead(place: LogPlace, isAtEnd: boolean): void;
  /** Blocks come and are stored (undefined), are passed over, or cannot be stored. */
  onState(trouble: IntakeTrouble | undefined): void;
  /** Blocks that the store has come again, up to its last one. */
  onKnown(height: number): void;
  onRefused(connection: number, trouble: IntakeTrouble): void;
  /** A block that was missing is stored, or why not. */
  onFilled?(failure: string | undefined): void;
  /** The core waits for an upgrade after this height; everything up to it is stored. */
  onUpgrade(height: number): Promise<void>;
}

/** Records as they come. */
export interface IntakeReader {
  /** The message of the record that `next` found. */
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Number of the connection, or of the file, that the record is of. */
  readonly connection: number;
  /** Where the record begins. */
  readonly fileNo: number;
  readonly offset: number;
  /** Where it ends. */
  readonly endPlace: LogPlace;
  /** Finds the next record; false where none is whole. @throws StreamFault for a damaged file; see `skipFile` */
  next(): boolean;
  /** Goes on behind the damage; false where nothing follows yet. */
  skipFile(): boolean;
  close(): void;
}

interface IntakeOptions {
  readonly reader: IntakeReader;
  readonly db: Database;
  readonly writer: BlockWriter;
  /** Stores blocks that follow missing ones, and marks the gap. */
  readonly allowGaps: boolean;
  readonly assembler: BlockAssembler;
  /** For blocks that come beside the reader's. */
  readonly fillAssembler?: BlockAssembler;
  readonly hooks: IntakeHooks;
}

export class Intake {
  private readonly reader: IntakeReader;
  private readonly assembler: BlockAssembler;
  private order: BlockOrder;
  private readonly garbage = new GarbageLimit(GARBAGE_EVENTS);
  /** Blocks since the last commit, for another try. */
  private uncommitted: Block[] = [];
  private pendingEvents = 0;
  /** Stored blocks, and their events. */
  readonly count = { blocks: 0, events: 0 };
  private lastCommit = performance.now();
  private refused = -1;
  /** That the last block came by. */
  private connection = -1;
  private trouble: IntakeTrouble | undefined;
  /** Another history that came since the last block that was stored. */
  private mismatch: { readonly text: string; count: number; isGapKnown: boolean } | undefined;
  private isStopping = false;
  private readonly stopRequest = Promise.withResolvers<void>();
  private wake = Promise.withResolvers<void>();
  private hasGrown = true;
  private isFinishing = false;
  private isFoldRequested = false;
  private readonly fills: Uint8Array[] = [];
  private isFilling = false;

  constructor(private readonly options: IntakeOptions) {
    const { reader, db, writer, assembler } = options;
    this.reader = reader;
    this.assembler = assembler;
    this.order = new BlockOrder(db, writer, true, "that came");
  }

  /** The log has more events. */
  notifyGrown(): void {
    this.hasGrown = true;
    this.wake.resolve();
  }

  /** A whole block's records that came another way: they are stored if they follow the last stored block. */
  fill(records: Uint8Array): void {
    this.fills.push(records);
    this.notifyGrown();
  }

  /** The disk is full: the log of the store is folded back into it at the next commit. */
  requestFold(): void {
    this.isFoldRequested = true;
    this.notifyGrown();
  }

  /** Nothing more comes: `run` ends when everything is read. */
  finish(): void {
    this.isFinishing = true;
    this.notifyGrown();
  }

  /** Lets `run` end at the next block; staged blocks are committed. */
  stop(): void {
    this.isStopping = true;
    this.stopRequest.resolve();
    this.wake.resolve();
  }

  /** Until it is stopped. @throws NodeError when the store fails, for other reasons than a full disk */
  async run(): Promise<void> {
    if (hasChain(this.options.db) || isOfConsensus(this.options.db)) throw ownChain();
    try {
      while (!this.isStopping) {
        this.hasGrown = false;
        if (this.fills.length > 0) await this.storeFills();
        const isAtEnd = await this.readOn();
        if (isAtEnd || performance.now() - this.lastCommit > COMMIT_MS) await this.commit(isAtEnd);
        if (this.isFoldRequested && this.pendingEvents === 0) {
          this.isFoldRequested = false;
          this.options.writer.checkpoint();
        }
        if (isAtEnd && this.isFinishing && !this.hasGrown) return;
        if (isAtEnd && !this.hasGrown && !this.isStopping) await this.wake.promise;
        else await new Promise((resolve) => setImmediate(resolve));
        this.wake = Promise.withResolvers();
      }
      await this.commit(true);
    } finally {
      this.reader.close();
    }
  }

  /** Takes records for a moment; true at the end of the log. */
  private async readOn(): Promise<boolean> {
    const until = performance.now() + TURN_MS;
    while (!this.isStopping) {
      for (let n = 0; n < 64; n++) {
        if (!this.nextRecord()) return true;
        const block = this.assemble();
        if (block) await this.accept(block);
        else if (this.assembler.upgradeHeight !== undefined) await this.upgrade(this.assembler.upgradeHeight);
        if (this.pendingEvents >= commitEvents(this.count.events)) await this.commit(false);
      }
      if (performance.now() > until) return false;
    }
    return false;
  }

  /** Stores all that came, in one commit. */
  private async storeFills(): Promise<void> {
    const fills = this.fills.splice(0);
    this.isFilling = true;
    try {
      const failures: (string | undefined)[] = [];
      for (const records of fills) failures.push(await this.stageFill(records));
      await this.commit(false);
      for (const failure of failures) this.options.hooks.onFilled?.(failure);
    } finally {
      this.isFilling = false;
    }
  }

  /** @returns why the block could not be stored */
  private async stageFill(records: Uint8Array): Promise<string | undefined> {
    const { fillAssembler } = this.options;
    if (fillAssembler === undefined) return "this source has no gaps";
    const splitter = new RecordSplitter();
    splitter.feed(records);
    try {
      while (splitter.next()) {
        const block = fillAssembler.push(splitter.bytes, splitter.start, splitter.end, 0, 0);
        if (block) await this.sortIn(block);
      }
      return undefined;
    } catch (error) {
      const isTheirs = error instanceof NodeError && SENDERS_CODES.has(error.code);
      if (!isTheirs && !(error instanceof StreamFault) && !(error instanceof WireError)) throw error;
      fillAssembler.reset();
      this.order.renew();
      return error.message;
    }
  }

  private nextRecord(): boolean {
    try {
      return this.reader.next();
    } catch (error) {
      if (!(error instanceof StreamFault)) throw error;
      // The file's own frames are damaged: the events of its rest are lost.
      this.assembler.reset();
      this.noteTrouble("events_lost", `the file is damaged: ${error.message}; ${this.restartText()}`);
      return this.reader.skipFile() && this.nextRecord();
    }
  }

  private assemble(): Block | undefined {
    const { reader, assembler } = this;
    if (reader.connection === this.refused) return undefined;
    try {
      return assembler.push(reader.bytes, reader.start, reader.end, reader.fileNo, reader.offset);
    } catch (error) {
      if (!(error instanceof StreamFault) && !(error instanceof WireError)) throw error;
      assembler.reset();
      const code = error instanceof StreamFault ? error.code : "event_invalid";
      if (code === "events_lost") {
        this.noteTrouble(code, `${error.message}: events were lost, and ${this.restartText()}`);
      } else this.refuse(code, error.message);
      return undefined;
    }
  }

  private async accept(block: Block): Promise<void> {
    try {
      // Each connection may begin again, also at a genesis that it names otherwise.
      if (this.connection !== this.reader.connection) this.order.renew();
      this.connection = this.reader.connection;
      const settled = this.order.settleDoubt(block);
      if (settled) await this.store(settled);
      await this.sortIn(block);
    } catch (error) {
      if (!(error instanceof NodeError) || !SENDERS_CODES.has(error.code)) throw error;
      this.assembler.reset();
      this.order.renew();
      this.refuse(error.code, error.message);
    }
  }

  private async sortIn(block: Block): Promise<void> {
    const head = this.options.writer.writtenHead;
    // A core that restarts further back than this home begins: there is nothing to compare such blocks with.
    const isBeforeHome = head?.chainId === block.chainId && block.height < head.firstHeight;
    const kind = isBeforeHome ? "known" : this.order.sort(block);
    if (kind === "known") {
      // Another history has blocks of this one before those that differ.
      if (this.mismatch === undefined) this.setTrouble(undefined);
      this.options.hooks.onKnown(block.height);
    } else if (kind === "new") {
      const isGap = head !== undefined && block.chainId === head.chainId && block.height > head.height + 1;
      if (isGap && !this.options.allowGaps) {
        const text = `block ${block.height} came after block ${head.height}: ${this.restartText()}`;
        this.noteTrouble("height_gap", text);
      } else await this.store(block);
    }
  }

  private async store(block: Block): Promise<void> {
    this.uncommitted.push(block);
    try {
      await this.untilRoom(() => this.stage(block));
    } catch (error) {
      this.uncommitted.pop();
      throw error;
    }
    this.mismatch = undefined;
    this.setTrouble(undefined);
  }

  private stage(block: Block): void {
    this.options.writer.stage(block, this.options.allowGaps);
    this.pendingEvents += eventCount(block);
  }

  /** Makes everything durable that was staged; readers of the log need nothing before it. */
  private async commit(isAtEnd: boolean): Promise<void> {
    const { writer, hooks } = this.options;
    const hadBlocks = this.pendingEvents > 0;
    if (hadBlocks) await this.untilRoom(() => writer.commit());
    this.count.blocks += this.uncommitted.length;
    this.count.events += this.pendingEvents;
    this.garbage.noteWork(this.pendingEvents);
    this.uncommitted = [];
    this.pendingEvents = 0;
    this.lastCommit = performance.now();
    if (hadBlocks) hooks.onCommit(writer.committedHead!);
    hooks.onRead(this.neededFrom(), isAtEnd);
  }

  /** Where a block begins that is not whole or not sorted yet; else behind everything read. */
  private neededFrom(): LogPlace {
    const place = this.order.waiting?.place ?? this.assembler.openPlace;
    return place ? { file: place.record, offset: place.offset } : this.reader.endPlace;
  }

  /** Does what may meet a full disk, again and again until there is room. @throws NodeError for other reasons */
  private async untilRoom(work: () => void): Promise<void> {
    let attempt = work;
    for (;;) {
      try {
        attempt();
        return;
      } catch (error) {
        if (!(error instanceof NodeError) || error.code !== "disk_full" || this.isStopping) throw error;
        this.setTrouble({ code: "disk_full", text: error.message });
        // The log of the store gives its room back as far as its readers let it.
        this.options.writer.checkpoint();
        await Promise.race([Bun.sleep(RETRY_MS), this.stopRequest.promise]);
        attempt = () => this.storeAgain();
      }
    }
  }

  /** The writer dropped some of the blocks since the last commit, and has committed others. */
  private storeAgain(): void {
    const { writer, db } = this.options;
    const order = new BlockOrder(db, writer, true, "that came");
    this.pendingEvents = 0;
    for (const block of this.uncommitted) if (order.sort(block) !== "known") this.stage(block);
    writer.commit();
    this.setTrouble(undefined);
  }

  private async upgrade(height: number): Promise<void> {
    this.assembler.upgradeHeight = undefined;
    await this.commit(false);
    const head = this.options.writer.committedHead;
    if (head !== undefined && head.height >= height) {
      await this.options.hooks.onUpgrade(height);
      return;
    }
    this.noteTrouble("events_lost", `the core upgrades after block ${height}, and ${this.restartText()}`);
  }

  private restartText(): string {
    const head = this.options.writer.writtenHead;
    return head ? `the core must restart at height ${head.height + 1}` : "the core must restart";
  }

  private refuse(code: ErrorCode, text: string): void {
    this.refused = this.reader.connection;
    if (code === "history_mismatch") this.noteMismatch(text);
    else this.setTrouble({ code, text });
    this.options.hooks.onRefused(this.refused, { code, text });
  }

  /** Its sender comes again and again: the first time is reported, the others are counted until a block is stored. */
  private noteMismatch(text: string): void {
    const { count } = (this.mismatch ??= { text, count: 0, isGapKnown: false });
    this.mismatch.count++;
    if (count === 0) this.setTrouble({ code: "history_mismatch", text });
    else {
      const counted = `${this.mismatch.text} (again, ${count} ${count === 1 ? "time" : "times"})`;
      this.setTrouble({ code: "history_mismatch", text: counted, again: count });
    }
  }

  /** Of missing events: only the first is reported, the others follow from it. */
  private noteTrouble(code: "events_lost" | "height_gap", text: string): void {
    const { mismatch } = this;
    if (mismatch !== undefined) {
      // Of the same sender, which begins elsewhere, or of the right one, which was kept out.
      const again = mismatch.isGapKnown ? { again: mismatch.count } : {};
      mismatch.isGapKnown = true;
      this.setTrouble({ code, text: `${text}; an earlier connection: ${mismatch.text}`, ...again });
      return;
    }
    const isKnown = this.trouble?.code === "events_lost" || this.trouble?.code === "height_gap";
    if (!isKnown) this.setTrouble({ code, text });
  }

  private setTrouble(trouble: IntakeTrouble | undefined): void {
    if (trouble?.text === this.trouble?.text) return;
    // Blocks that are filled in do not say that those of the source follow them.
    if (this.isFilling && trouble?.code !== "disk_full" && this.trouble?.code !== "disk_full") return;
    this.trouble = trouble;
    this.options.hooks.onState(trouble);
  }
}

function ownChain(): NodeError {
  const text = "this home holds a chain of its own, and a validator's events cannot go on with it";
  return new NodeError("sidecar", "own_chain", text, "choose another --home");
}
