/**
 * Gas of a transaction (docs/protocol/30-node-api-endpoints.md#51-coreservice and
 * #72-checktx-order): the gas of a market's command grows with what its execution may move, all other commands
 * have the same. Only the mempool reads it.
 */
import type { BatchMarketInstructions } from "../../wire/generated/commands.ts";
import type { CheckedTransaction } from "../../wire/transaction-check.ts";
import type { NetworkParameters } from "../parameters.ts";
import type { Market } from "./market.ts";
import type { MarketRegistry } from "./market-registry.ts";

const BLOCK_MAX = "network.transactions.maxgasperblock";
const DEFAULT = "network.transaction.defaultgas";
const LEAST_CAPACITY = "network.transactions.minBlockCapacity";
const PEGGED_GAS = 50;
const SHAPE_GAS = 100;
/** Levels of the book that cost as much as one position. */
const LEVELS_A_UNIT = 10;

/** Gas of one command beyond that of every transaction. */
interface Surcharge {
  readonly order: number;
  readonly cancellation: number;
}

export class Gas {
  constructor(
    private readonly params: NetworkParameters,
    private readonly markets: MarketRegistry,
  ) {}

  /** Gas of the transactions of a block at the most. */
  get blockMax(): number {
    return Number(this.params.integer(BLOCK_MAX));
  }

  wantedBy(tx: CheckedTransaction): number {
    switch (tx.kind) {
      case "orderSubmission":
      case "orderAmendment":
      case "liquidityProvisionSubmission":
      case "liquidityProvisionAmendment":
      case "liquidityProvisionCancellation":
        return this.of(tx.payload.marketId, "order");
      case "orderCancellation":
        // A cancellation of many orders costs the default.
        if (tx.payload.marketId === "" || tx.payload.orderId === "") return this.default;
        return this.of(tx.payload.marketId, "cancellation");
      case "batchMarketInstructions":
        return this.ofBatch(tx.payload);
      default:
        return this.default;
    }
  }

  private get default(): number {
    return Number(this.params.integer(DEFAULT));
  }

  /** A single command's, capped: a block has room for the least capacity of the dearest. */
  private of(marketId: string, kind: keyof Surcharge): number {
    const market = this.markets.get(marketId);
    if (market === undefined) return this.default;
    const most = Math.floor(this.blockMax / Number(this.params.integer(LEAST_CAPACITY))) - 1;
    return Math.min(this.default + surchargeOf(market)[kind], Math.max(1, most));
  }

  /** The first of each kind of instruction costs as it would alone, those after it a half. */
  private ofBatch({ submissions, amendments, cancellations }: BatchMarketInstructions): number {
    let halves = 0;
    const add = (instructions: readonly { readonly marketId: string }[], kind: keyof Surcharge) => {
      for (const [at, { marketId }] of instructions.entries())
        halves += (at === 0 ? 2 : 1) * this.of(marketId, kind);
    };
    add(submissions, "order");
    add(amendments, "order");
    add(cancellations, "cancellation");
    return Math.min(Math.floor(halves / 2), this.blockMax - 1);
  }
}

function surchargeOf({ context: { index, book } }: Market): Surcharge {
  const cancellation =
    PEGGED_GAS * index.pegged.size +
    SHAPE_GAS * index.shapeEntries +
    Math.floor(book.levelCount / LEVELS_A_UNIT);
  return { order: cancellation + index.openPositions, cancellation };
}
