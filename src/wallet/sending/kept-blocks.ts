// Blocks with places on them that are out of sight, by their hash: a node that is behind, ahead or astray does not show
// them, and the next one that is not brings them back.
import { type PlannedBlock, UNUSED } from "./planned-block.ts";

const KEEP_MS = 60_000;
const KEPT_MAX = 500;

export class KeptBlocks {
  private readonly kept = new Map<string, { readonly block: PlannedBlock; readonly untilMs: number }>();

  /** @param keepMs how long they are remembered, milliseconds */
  constructor(private readonly keepMs = KEEP_MS) {}

  keep(block: PlannedBlock, nowMs: number): void {
    if (this.keepMs === 0 || block.hash === "" || block.sent.length === 0) return;
    this.kept.delete(block.hash);
    this.kept.set(block.hash, { block, untilMs: nowMs + this.keepMs });
    if (this.kept.size > KEPT_MAX) this.kept.delete(this.kept.keys().next().value!);
  }

  /** What is remembered of a block that is in sight again. What the network has counted it says anew. */
  bringBack(hash: string, nowMs: number): Partial<PlannedBlock> {
    const kept = this.kept.get(hash);
    this.kept.delete(hash);
    if (kept === undefined || nowMs >= kept.untilMs) return {};
    return { ...kept.block, seen: UNUSED.seen, observed: UNUSED.observed };
  }
}
