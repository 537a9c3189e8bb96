// Who proposed how many blocks of the running epoch (reference 60, sections 1.4 step 8 and 7.6). One value that
// changes with every block: it also holds when the last block began, which signer nonces follow.
import type { Core } from "./core.ts";
import type { Cell } from "./state/state.ts";

interface Counted {
  /** Time of the last block that began, Unix seconds. */
  readonly seconds: bigint;
  readonly blocks: bigint;
  /** By node id. */
  readonly proposed: readonly { readonly node: string; readonly blocks: bigint }[];
  /** The epoch has ended: the counts go with the next block. */
  readonly isOver: boolean;
}

export class Proposers {
  private readonly counted: Cell<Counted>;

  constructor(private readonly core: Core) {
    this.counted = core.state.cell<Counted>("validators.proposers", {
      seconds: 0n,
      blocks: 0n,
      proposed: [],
      isOver: false,
    });
  }

  get seconds(): bigint {
    return this.counted.get().seconds;
  }

  /** Blocks of the epoch. */
  get blocks(): bigint {
    return this.counted.get().blocks;
  }

  by(nodeId: string): bigint {
    return this.counted.get().proposed.find(({ node }) => node === nodeId)?.blocks ?? 0n;
  }

  /** Counts a block. The one in which an epoch ends is dropped with the counts of that epoch (section 1.8). */
  note(nodeId: string | undefined): void {
    const before = this.counted.get();
    const seconds = this.core.nowSeconds;
    if (before.isOver) {
      this.counted.set({ seconds, blocks: 0n, proposed: [], isOver: false });
      return;
    }
    const others = before.proposed.filter(({ node }) => node !== nodeId);
    const own = nodeId === undefined ? [] : [{ node: nodeId, blocks: this.by(nodeId) + 1n }];
    const proposed = [...others, ...own].sort((a, b) => (a.node < b.node ? -1 : 1));
    this.counted.set({ seconds, blocks: before.blocks + 1n, proposed, isOver: false });
  }

  /** The epoch has ended. */
  end(): void {
    this.counted.set({ ...this.counted.get(), isOver: true });
  }
}
