// Loading of recordings into a home: its writer, and the history segments that are made behind it.
import type { Database } from "bun:sqlite";
import { chooseMode, type SegmentMode } from "../history/segment-bounds.ts";
import { SegmentMaker, segmentFailure } from "../history/segment-maker.ts";
import { SegmentRecorder } from "../history/segment-table.ts";
import { BlockAssembler } from "../ingest/block-assembler.ts";
import { EventLogReader, liveBlockBytes, readMark, removeForeignFiles } from "../ingest/event-log.ts";
import { type FollowedHooks, follow } from "../ingest/followed-file.ts";
import { Intake, type IntakeHooks, type IntakeReader } from "../ingest/intake.ts";
import { type ReplayHooks, type ReplayResult, replayFiles } from "../ingest/replay.ts";
import { BlockWriter } from "../store/block-writer.ts";
import { openWriter } from "../store/database.ts";
import { EventTap } from "../store/event-feed.ts";
import type { ChainHead } from "../store/head.ts";
import { RecentEvents } from "../store/recent-events.ts";
import type { DiskPolicy } from "./config.ts";
import { DiskBudget, logShare } from "./disk-budget.ts";

/** Of live events: out of a sidecar's event log, or of a file that grows. */
export type LiveSettings =
  | {
      readonly kind: "log";
      /** Folder of the event log. */
      readonly events: string;
      readonly eventLogBytes: number;
      readonly allowGaps: boolean;
    }
  | { readonly kind: "file"; readonly path: string };

type FileHooks = Pick<FollowedHooks, "onEnd" | "onFailed">;
type LogSettings = Extract<LiveSettings, { kind: "log" }>;

interface LoadingSettings {
  /** Blocks in a segment, where it is cut by length. */
  readonly segmentLength: number | undefined;
  /** Where segments end; undefined for as the home began. */
  readonly segments: SegmentMode | undefined;
  /** Amount of history that is kept; all of it without. */
  readonly disk?: DiskPolicy;
}

export class Loading {
  readonly writer: BlockWriter;
  /** Events of the blocks that are stored, for streams. */
  readonly tap: EventTap;
  private readonly db: Database;
  private readonly recorder: SegmentRecorder;
  private readonly segments: SegmentMaker;
  /** None in a home that keeps everything. */
  private readonly budget: DiskBudget | undefined;

  /** Opens the home's store for writing. @throws NodeError */
  constructor(home: string, { segmentLength, segments, disk }: LoadingSettings) {
    this.db = openWriter(home);
    this.tap = new EventTap(new RecentEvents(home));
    try {
      const isBounded = disk !== undefined && (disk.bytes !== undefined || disk.retention !== "archive");
      this.budget = isBounded ? new DiskBudget(home, this.db, disk) : undefined;
      this.writer = new BlockWriter(this.db, {
        ...(this.budget && { companion: this.budget }),
        ...(disk?.bytes !== undefined && { logBytesMax: logShare(disk.bytes) }),
      });
      this.tap.noteBlock(this.writer.committedHead?.height ?? 0);
      this.writer.onCommitting = (blocks) => {
        this.tap.undo();
        for (const block of blocks) if (block.whole) this.tap.stage(block, block.whole);
      };
      this.writer.onCommitted = () => this.tap.keep();
      const recorder = new SegmentRecorder(this.db);
      this.recorder = recorder;
      const record: SegmentRecorder["record"] = (row) => recorder.record(row);
      const mode = chooseMode(this.db, segments);
      this.segments = new SegmentMaker({ db: this.db, home, segmentLength, mode, record });
      this.segments.onCommitted(this.writer.committedHead?.height ?? 0);
    } catch (error) {
      this.db.close();
      this.tap.close();
      throw error;
    }
  }

  /** Stored blocks are passed over, so that a load can be tried again. @throws NodeError */
  replay(files: readonly string[], hooks: ReplayHooks): Promise<ReplayResult> {
    return replayFiles(this.writer, this.db, files, {
      ...hooks,
      tap: this.tap,
      onCommit: (head, progress) => {
        hooks.onCommit?.(head, progress);
        this.noteCommit(head);
      },
    });
  }

  /** An intake of live events, which is not running yet. @throws NodeError for a file that cannot be read */
  intake(settings: LiveSettings, hooks: IntakeHooks & Partial<FileHooks>): Intake {
    return settings.kind === "log"
      ? this.intakeOfLog(settings, hooks)
      : this.intakeOfFile(settings.path, hooks);
  }

  private intakeOfLog({ events, eventLogBytes, allowGaps }: LogSettings, hooks: IntakeHooks): Intake {
    const blockBytesMax = liveBlockBytes(eventLogBytes);
    const assembler = new BlockAssembler({ isLive: true, blockBytesMax, tap: this.tap });
    const fillAssembler = new BlockAssembler({ isLive: true, blockBytesMax, tap: this.tap });
    removeForeignFiles(events);
    const reader = new EventLogReader(events, readMark(events));
    const logHooks: IntakeHooks = {
      ...hooks,
      onRead(place, isAtEnd) {
        reader.keepPlace(place);
        hooks.onRead(place, isAtEnd);
      },
    };
    return this.makeIntake(reader, assembler, allowGaps, logHooks, fillAssembler);
  }

  private intakeOfFile(path: string, hooks: IntakeHooks & Partial<FileHooks>): Intake {
    const assembler = new BlockAssembler({ tap: this.tap });
    const reader = follow(path, assembler, {
      onGrown: () => intake.notifyGrown(),
      onEnd(missingBytes) {
        hooks.onEnd?.(missingBytes);
        intake.finish();
      },
      onFailed: (error) => hooks.onFailed?.(error),
    });
    const intake = this.makeIntake(reader, assembler, false, hooks);
    return intake;
  }

  private makeIntake(
    reader: IntakeReader,
    assembler: BlockAssembler,
    allowGaps: boolean,
    hooks: IntakeHooks,
    fillAssembler?: BlockAssembler,
  ): Intake {
    const onCommit = (head: ChainHead) => {
      hooks.onCommit(head);
      this.noteCommit(head);
    };
    const { db, writer } = this;
    return new Intake({
      ...{ reader, assembler, db, writer, allowGaps },
      ...(fillAssembler && { fillAssembler }),
      hooks: { ...hooks, onCommit },
    });
  }

  /** To be called after each commit. */
  noteCommit(head: ChainHead): void {
    this.recorder.onCommitted();
    this.segments.onCommitted(head.height);
  }

  /** Settles when every finished segment is made. @throws NodeError */
  async segmentsMade(): Promise<void> {
    this.recorder.onCommitted();
    try {
      await this.segments.idle();
    } catch (error) {
      throw segmentFailure(error);
    }
  }

  /** Deletes what the home need not keep; while blocks come, their commits do it. */
  async prune(isStopping: () => boolean = () => false): Promise<void> {
    const { budget, writer } = this;
    if (budget === undefined || writer.committedHead === undefined) return;
    budget.lookAgain();
    do {
      writer.beginTransaction();
      writer.commit();
      await new Promise((resolve) => setImmediate(resolve));
    } while (!budget.isDone && !isStopping());
  }

  /** The rows and segments that `prune` would delete. */
  prunePlan(): ReturnType<DiskBudget["plan"]> {
    const head = this.writer.committedHead;
    if (this.budget === undefined || head === undefined) return { tables: [], segments: [] };
    return this.budget.plan(head);
  }

  /** Ends the making of segments, and gives the log's room back. */
  async close(): Promise<void> {
    try {
      this.recorder.onCommitted();
      await this.segments.stop();
      this.writer.checkpoint();
    } finally {
      this.tap.close();
      this.db.close();
    }
  }
}
