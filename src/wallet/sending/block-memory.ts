// The newest blocks of a chain as they were seen: what a planner that is new can build on.
import type { LastBlock } from "./chain-view.ts";

/** The largest window there is (reference 40, section 2.1). */
const BLOCKS_MAX = 500;

export class BlockMemory {
  private blocks: LastBlock[] = [];

  get newest(): LastBlock | undefined {
    return this.blocks.at(-1);
  }

  /** Oldest first. */
  ofChain(chainId: string): readonly LastBlock[] {
    return this.blocks.filter((block) => block.chainId === chainId);
  }

  /** @returns whether it is news */
  note(block: LastBlock): boolean {
    const newest = this.blocks.at(-1);
    if (newest?.height === block.height && newest.hash === block.hash) return false;
    // A chain that begins again at a lower height has other blocks above it.
    this.blocks = [...this.blocks.filter(({ height }) => height < block.height), block].slice(-BLOCKS_MAX);
    return true;
  }
}
