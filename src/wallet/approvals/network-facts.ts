// The network's facts of the assets and markets that a command names: symbols and decimals, for amounts that people
// read. Of one asset or market they never change, so they are asked for once.

import { LruCache } from "../../cache/lru.ts";
import { worstFee, worstMargin } from "../../engine/markets/worst-margin.ts";
import { DECIMALS_MAX } from "../../wire/amount-text.ts";
import type { Market } from "../../wire/generated/vega.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import type { AssetFacts, MarketFacts, NodeClient } from "../sending/nodes.ts";
import { type Cost, costsOf, type Expense, expenseOf } from "./costs.ts";
import type { Facts } from "./formatting.ts";

/** Kept at once, of each kind. */
const KNOWN_MAX = 10_000;
/** Of one command: a batch that names more is not waited for longer. */
const MARKETS_MAX = 20;
/** Balances that are shown. */
const BALANCES_MAX = 5;

export type FactSource = Pick<
  NodeClient,
  "asset" | "market" | "tradedMarket" | "stakeAsset" | "balances" | "parameter"
>;

/** The network parameter that says the fee's part of a transfer. */
const TRANSFER_FEE = "transfer.fee.factor";

export class NetworkFacts {
  private readonly assets = new LruCache<string, AssetFacts>(KNOWN_MAX);
  private readonly markets = new LruCache<string, MarketFacts>(KNOWN_MAX);

  /** @param sources asked one after the other, until one answers */
  constructor(private readonly sources: readonly FactSource[]) {}

  /** The facts of a command's assets and markets, as far as nodes answer. */
  async of(command: CommandInit): Promise<Facts> {
    const named = namesIn(command);
    const markets = [...new Set(named.markets)].slice(0, MARKETS_MAX);
    const [stakeAsset] = await Promise.all([
      named.hasStake ? this.ask((source) => source.stakeAsset?.()) : undefined,
      ...markets.map((id) => this.learnMarket(id)),
    ]);
    const settled = named.hasCommitment
      ? markets.map((id) => this.markets.get(id)?.settlementAsset ?? "")
      : [];
    const assets = new Set([...named.assets, ...settled, stakeAsset ?? ""].filter((id) => id !== ""));
    await Promise.all([...assets].map((id) => this.learnAsset(id)));
    return {
      assets: (id) => this.assets.get(id),
      markets: (id) => this.markets.get(id),
      stakeAsset,
    };
  }

  /** Costs of a command, the key's balances of the assets that it moves, and what is left: by a node's word. */
  async costs(command: CommandInit, publicKey: string, facts: Facts): Promise<Cost[]> {
    const { assets, markets, hasStake } = namesIn(command);
    const settled = markets.map((id) => this.markets.get(id)?.settlementAsset ?? "");
    const moved = [...new Set([...assets, ...settled, (hasStake && facts.stakeAsset) || ""])].filter(
      (id) => id !== "",
    );
    const [balances, feeFactor, margin] = await Promise.all([
      moved.length === 0 ? undefined : this.ask((source) => source.balances?.(publicKey)),
      command.kind === "transfer" ? this.ask((source) => source.parameter?.(TRANSFER_FEE)) : undefined,
      this.margin(command, facts),
    ]);
    const expense = margin ?? expenseOf(command, publicKey, facts, feeFactor);
    return costsOf({ assets: moved.slice(0, BALANCES_MAX), expense }, balances, facts.assets);
  }

  /** The most that an order can ask for as margin and fees, by a node's word of the market's rules and mark price. */
  private async margin(command: CommandInit, { markets, assets }: Facts): Promise<Expense | undefined> {
    if (command.kind !== "orderSubmission") return undefined;
    const { marketId = "", side = 0, size = 0n, price = "", postOnly = false } = command.payload;
    const asset = markets(marketId)?.settlementAsset ?? "";
    const facts = assets(asset);
    const traded = facts && (await this.ask((source) => source.tradedMarket?.(marketId)));
    if (!traded || !hasDecimals(traded.market)) return undefined;
    const limit = WHOLE.test(price) ? BigInt(price) : 0n;
    const highest = limit > traded.markPrice ? limit : traded.markPrice;
    if (highest === 0n) return undefined;
    try {
      const order = { side, size: BigInt(size), price: highest };
      const margin = worstMargin(traded.market, facts.decimals, order);
      const fee = postOnly ? 0n : worstFee(traded.market, facts.decimals, order);
      return { asset, amount: 0n, fee, margin, isRecurring: false };
    } catch {
      // A node can say a market that no network would have.
      return undefined;
    }
  }

  private async learnAsset(id: string): Promise<void> {
    if (this.assets.has(id)) return;
    const facts = await this.ask((source) => source.asset(id));
    if (facts === undefined || !isDecimals(facts.decimals) || facts.decimals < 0) return;
    this.assets.set(id, facts);
  }

  private async learnMarket(id: string): Promise<void> {
    if (this.markets.has(id)) return;
    const facts = await this.ask((source) => source.market?.(id));
    if (facts === undefined || !isDecimals(facts.decimals) || !isDecimals(facts.positionDecimals)) return;
    this.markets.set(id, facts);
  }

  private async ask<T>(question: (source: FactSource) => Promise<T | undefined> | undefined) {
    for (const source of this.sources) {
      try {
        return await question(source);
      } catch {
        // The next one may know; where none does, the words say that it is not known.
      }
    }
    return undefined;
  }
}

const WHOLE = /^\d{1,100}$/;
const hasDecimals = ({ decimalPlaces, positionDecimalPlaces }: Market) =>
  isDecimals(Number(decimalPlaces)) && isDecimals(Number(positionDecimalPlaces));
const isDecimals = (value: number) => Number.isInteger(value) && Math.abs(value) <= DECIMALS_MAX;

interface Names {
  readonly assets: readonly string[];
  readonly markets: readonly string[];
  /** Amounts of the asset that is staked. */
  readonly hasStake?: boolean;
  /** Amounts of the markets' settlement assets, the margin's among them. */
  readonly hasCommitment?: boolean;
}

function namesIn(command: CommandInit): Names {
  const { kind, payload } = command;
  switch (kind) {
    case "transfer":
    case "withdrawSubmission":
      return { assets: [payload.asset ?? ""], markets: [] };
    case "delegateSubmission":
    case "undelegateSubmission":
      return { assets: [], markets: [], hasStake: true };
    case "orderSubmission":
      return { assets: [], markets: marketsOf([payload]), hasCommitment: true };
    case "orderAmendment":
    case "orderCancellation":
    case "liquidityProvisionCancellation":
      return { assets: [], markets: marketsOf([payload]) };
    case "liquidityProvisionSubmission":
    case "liquidityProvisionAmendment":
      return { assets: [], markets: marketsOf([payload]), hasCommitment: true };
    case "batchMarketInstructions": {
      const { submissions = [], amendments = [] } = payload;
      return { assets: [], markets: marketsOf([...submissions, ...amendments]) };
    }
    case "proposalSubmission":
      return { assets: [payload.terms?.updateAsset?.assetId ?? ""], markets: [] };
    case "chainEvent": {
      const { builtin, erc20, stakingEvent } = payload;
      const actions = [
        builtin?.deposit,
        builtin?.withdrawal,
        erc20?.deposit,
        erc20?.withdrawal,
        erc20?.assetLimitsUpdated,
      ];
      const assets = actions.map((action) => action?.vegaAssetId ?? "");
      return { assets, markets: [], hasStake: stakingEvent !== undefined };
    }
    default:
      return { assets: [], markets: [] };
  }
}

function marketsOf(instructions: readonly { readonly marketId?: string | undefined }[]): string[] {
  return instructions.flatMap(({ marketId }) => (marketId ? [marketId] : []));
}
