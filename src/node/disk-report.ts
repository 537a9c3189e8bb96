// A home's share of its disk, and the time for which that goes well: for `/status` and `lyra doctor`.
import type { Database } from "bun:sqlite";
import { statfsSync } from "node:fs";
import type { DiskBody } from "../http/status-body.ts";
import { readHead } from "../store/head.ts";
import { readFloors, storePages } from "../store/retention.ts";
import type { DiskPolicy } from "./config.ts";
import { homeSize, totalOf } from "./home-size.ts";

const US_A_DAY = 86_400_000_000;
/** A shorter time says too little. */
const MEASURED_US_MIN = US_A_DAY / 24;
const SAMPLE_MS = 60_000;
const SAMPLES_MAX = 24 * 60;

interface Sample {
  readonly timeUs: number;
  readonly bytes: number;
}

export class DiskReporter {
  private readonly samples: Sample[] = [];
  private sampledMs = Number.NEGATIVE_INFINITY;

  /** @param db a connection that reads */
  constructor(
    private readonly home: string,
    private readonly db: Database,
    private readonly policy: DiskPolicy,
  ) {}

  report(): DiskBody {
    const size = homeSize(this.home);
    const pages = storePages(this.db);
    const freeInStoreBytes = pages.bytes - pages.usedBytes;
    const usedBytes = totalOf(size);
    const floors = [...readFloors(this.db)].filter(([, { no }]) => no > 0);
    const filled = usedBytes - freeInStoreBytes - size.logBytes;
    const growth = floors.length > 0 ? undefined : this.growth(filled);
    const budgetBytes = this.policy.bytes ?? null;
    const room = budgetBytes === null ? (freeBytes(this.home) ?? 0) + freeInStoreBytes : budgetBytes - filled;
    const fullInDays = growth === undefined || growth <= 0 ? null : Math.max(0, room) / growth;
    return {
      usedBytes,
      ...size,
      storeBytes: pages.bytes,
      freeInStoreBytes,
      budgetBytes,
      retention: this.policy.retention,
      growthBytesPerDay: growth === undefined ? null : Math.round(growth),
      fullInDays: fullInDays === null ? null : Math.round(fullInDays * 10) / 10,
      historyFrom: Object.fromEntries(floors.map(([name, { height }]) => [name, height + 1])),
      text: this.sentence(usedBytes, growth, fullInDays, this.shortestDays(floors.map(([, floor]) => floor))),
    };
  }

  /** Bytes a day: as measured here for an hour of the chain or more, else over the life of the store. */
  private growth(bytes: number): number | undefined {
    const head = readHead(this.db);
    if (head === undefined) return undefined;
    const now = { timeUs: head.timeUs, bytes };
    const nowMs = performance.now();
    if (nowMs - this.sampledMs > SAMPLE_MS) {
      this.sampledMs = nowMs;
      this.samples.push(now);
      if (this.samples.length > SAMPLES_MAX) this.samples.shift();
    }
    const [oldest] = this.samples;
    if (oldest && now.timeUs - oldest.timeUs >= MEASURED_US_MIN) return rate(oldest, now);
    const first = this.db.query("SELECT time FROM blocks ORDER BY no LIMIT 1").get() as { time: bigint };
    const born = { timeUs: Number(first.time), bytes: 0 };
    return now.timeUs - born.timeUs >= MEASURED_US_MIN ? rate(born, now) : undefined;
  }

  /** Days that the table with the shortest history reaches back. */
  private shortestDays(floors: readonly { readonly timeUs: number }[]): number | undefined {
    const head = readHead(this.db);
    if (head === undefined || floors.length === 0) return undefined;
    return (head.timeUs - Math.max(...floors.map(({ timeUs }) => timeUs))) / US_A_DAY;
  }

  private sentence(
    usedBytes: number,
    growth: number | undefined,
    fullInDays: number | null,
    keptDays: number | undefined,
  ): string {
    const { bytes } = this.policy;
    const used = `${sizeText(usedBytes)}${bytes === undefined ? "" : ` of a budget of ${sizeText(bytes)}`}`;
    if (keptDays !== undefined) {
      return `${used}; older rows are removed, the shortest history reaches ${daysText(keptDays)} back`;
    }
    if (growth === undefined) return `${used}; too little time has passed for a forecast`;
    if (fullInDays === null) return `${used}; it does not grow`;
    const then = bytes === undefined ? "the disk is full" : "the oldest rows begin to go";
    return `${used}, ${sizeText(growth)} more a day: ${then} in ${daysText(fullInDays)}`;
  }
}

function rate(from: Sample, to: Sample): number {
  return ((to.bytes - from.bytes) / (to.timeUs - from.timeUs)) * US_A_DAY;
}

/** Room on the disk of a folder; undefined for one that cannot be looked at. */
export function freeBytes(home: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(home);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

export function sizeText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  if (bytes >= 1e6) return `${Math.round(bytes / 1e6)} MB`;
  return `${Math.round(bytes / 1e3)} kB`;
}

function daysText(days: number): string {
  if (days >= 3_650) return "more than ten years";
  if (days >= 10) return `${Math.round(days)} days`;
  if (days >= 1) return `${days.toFixed(1)} days`;
  return `${Math.max(0, days * 24).toFixed(1)} hours`;
}
