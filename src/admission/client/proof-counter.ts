// The sender's side of proof of work: how hard the next proof has to be (reference 40, section 6, steps 4 and 5).
// It remembers what was sent, because the node only counts what is already in a block.
import { NodeError } from "../../errors.ts";
import type { PoWBlockState } from "../../wire/generated/core-api.ts";

export interface NextProof {
  readonly chainId: string;
  /** The sending key. */
  readonly party: string;
  /** The node's word on the height that the proof is built on: the planner's choice. */
  readonly block: Pick<
    PoWBlockState,
    "blockHeight" | "transactionsSeen" | "difficulty" | "txPerBlock" | "increasingDifficulty"
  >;
  /** `numberOfPastBlocks` of the statistics. */
  readonly pastBlocks: bigint;
}

interface Chain {
  highest: bigint;
  readonly heights: Map<bigint, Map<string, bigint>>;
}

export class ProofCounter {
  private readonly chains = new Map<string, Chain>();

  /**
   * Counts a proof and says how many zero bits it needs.
   * @throws NodeError `block_too_historic`, or `quota_reached` when the height takes no more of this party
   */
  next({ chainId, party, block, pastBlocks }: NextProof): bigint {
    const height = block.blockHeight;
    const chain = this.chains.get(chainId) ?? { highest: height, heights: new Map() };
    if (height <= chain.highest - pastBlocks) {
      throw refused("block_too_historic", "the block height is too historic");
    }
    const counts = chain.heights.get(height) ?? new Map<string, bigint>();
    const remembered = counts.get(party) ?? 0n;
    const n = (remembered > block.transactionsSeen ? remembered : block.transactionsSeen) + 1n;
    const needed = difficultyOf(n, block);
    this.chains.set(chainId, chain);
    chain.heights.set(height, counts.set(party, n));
    if (height > chain.highest) chain.highest = height;
    for (const old of chain.heights.keys()) {
      if (old <= chain.highest - pastBlocks) chain.heights.delete(old);
    }
    return needed;
  }
}

/** The original asks for one level more than needed at multiples of the quota, which builds credit. */
function difficultyOf(
  n: bigint,
  { difficulty, txPerBlock, increasingDifficulty }: NextProof["block"],
): bigint {
  if (n <= txPerBlock) return difficulty;
  if (!increasingDifficulty) {
    throw refused("quota_reached", "the transaction per block limit has been reached");
  }
  return difficulty + n / txPerBlock;
}

function refused(code: string, message: string): NodeError {
  return new NodeError("proof.count", code, message, "wait for the next block and build on it");
}
