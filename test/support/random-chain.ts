// Random chains: blocks with many events of every kind, at times that are equal, a microsecond apart, or far apart;
// the first height comes twice, as in every recording
// (docs/protocol/20-network-history-segments.md#64-the-doubled-first-height).
import type { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { DEFAULT_LIMITS, type Limits } from "../../src/http/limits.ts";
import { dataApp } from "../../src/planes/data/app.ts";
import { DataContext } from "../../src/planes/data/context.ts";
import { DataPlane } from "../../src/planes/data/plane.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import { type Block, type BlockEvent, Field } from "../../src/wire/block.ts";
import { MEMORY } from "../rig/homes.ts";
import { epochEvent, type MadeEvent, STATE_EVENTS } from "./random-events.ts";
import { TRADING_EVENTS } from "./random-trading.ts";

export interface MadeBlock {
  /** Microseconds after the block before. */
  readonly stepUs: number;
  readonly events: readonly MadeEvent[];
}

const KINDS = [...STATE_EVENTS, ...TRADING_EVENTS];
const START_US = 1_659_430_800_000_001;
/** Without an epoch there are no nodes to list. */
const GENESIS: MadeBlock = { stepUs: 0, events: [epochEvent(0n)] };

const stepUs = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(0, 1, 5) },
  { weight: 3, arbitrary: fc.constantFrom(1_000_000, 60_000_000, 90_000_001) },
);

/** A block with up to `eventsMax` events of each kind. */
function blockArbitrary(eventsMax: number): fc.Arbitrary<MadeBlock> {
  const events = fc.tuple(...KINDS.map((kind) => fc.array(kind, { maxLength: eventsMax, size: "max" })));
  return fc.record({ stepUs, events: events.map((lists) => lists.flat()) });
}

export function blocksArbitrary(count: number, eventsMax: number): fc.Arbitrary<MadeBlock[]> {
  return fc.array(blockArbitrary(eventsMax), { minLength: count, maxLength: count });
}

/** An event of the chain, with the number of the row of its block: blocks at the same time share one. */
export interface PlacedEvent extends MadeEvent {
  readonly no: number;
  /** Block time, Unix nanoseconds. */
  readonly timeNs: bigint;
}

/** A store that random blocks are written to, and a data API over it. */
export class RandomChain {
  readonly home = mkdtempSync(join(MEMORY, "lyra-random-chain-"));
  readonly events: PlacedEvent[] = [];
  readonly context: DataContext;
  readonly plane: DataPlane;
  readonly get: (path: string) => Promise<Response>;
  private readonly writing: Database;
  private readonly writer: BlockWriter;
  private blocks = 0;
  private timeUs = START_US;
  private no = 0;

  constructor(limits: Partial<Limits> = {}) {
    this.writing = openWriter(this.home);
    this.writer = new BlockWriter(this.writing, { eraRows: 12 });
    this.context = new DataContext(openReader(this.home), {
      limits: { ...DEFAULT_LIMITS, ...limits },
      build: { version: "v1", commit: "c" },
    });
    this.plane = new DataPlane(this.context);
    const app = dataApp(this.plane);
    this.get = async (path) => app.handle(new Request(`http://localhost${path}`));
  }

  /** Time of the last block, Unix nanoseconds. */
  get timeNs(): bigint {
    return BigInt(this.timeUs) * 1000n;
  }

  write(blocks: readonly MadeBlock[]): void {
    const all = this.blocks === 0 ? [GENESIS, ...blocks] : blocks;
    for (const block of all) this.writer.stage(this.toBlock(block));
    this.writer.commit();
  }

  close(): void {
    this.context.db.close();
    this.writing.close();
    rmSync(this.home, { recursive: true });
  }

  private toBlock(block: MadeBlock): Block {
    if (block.stepUs > 0 || this.no === 0) this.no++;
    this.timeUs += block.stepUs;
    this.blocks++;
    const hash = this.blocks.toString(16).padStart(64, "0").toUpperCase();
    let seq = 1;
    const events: BlockEvent[] = [];
    for (const { field, message, bytes } of block.events) {
      this.events.push({ field, message, bytes, no: this.no, timeNs: this.timeNs });
      events.push({ field, seq, tx: 0, bytes, start: 0, end: bytes.length });
      // An event may take several sequence numbers (docs/protocol/20-network-history-segments.md#63-stream-rules).
      seq += field === Field.expiredOrders ? Math.max(1, message.orderIds.length) : 1;
    }
    const height = Math.max(1, this.blocks - 1);
    return { chainId: "test", height, timeNs: this.timeNs, hash, txHashes: [hash], events };
  }
}
