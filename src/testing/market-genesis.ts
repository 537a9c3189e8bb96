/**
 * The genesis of a test's rig: assets that anybody can have, and the parameters of the protocol's scenarios
 * (docs/protocol/70-trading-scenarios.md#10-scenarios).
 */

export interface RigAsset {
  readonly decimals?: number;
  /** A decimal; 1 unless it is given. */
  readonly quantum?: string;
  /** The name's hash unless it is given: a chain's genesis names assets as it likes. */
  readonly id?: string;
}

/** The parameters of the protocol's scenarios, which want no waiting. */
const PARAMETERS: Readonly<Record<string, string>> = {
  "market.auction.minimumDuration": "1s",
  "network.markPriceUpdateMaximumFrequency": "0s",
  "market.liquidity.bondPenaltyParameter": "0",
  "market.fee.factors.makerFee": "0",
  "market.fee.factors.infrastructureFee": "0",
  "market.margin.scalingFactors": '{"search_level":1.1,"initial_margin":1.2,"collateral_release":1.4}',
};

interface RigGenesis {
  readonly assets: Readonly<Record<string, RigAsset>>;
  /** By name. */
  readonly assetIds: ReadonlyMap<string, string>;
  /** Network parameters that differ. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Unix seconds of the first block. */
  readonly startSeconds: bigint;
}

/** The text of a genesis. */
export function rigGenesis({ assets, assetIds, parameters, startSeconds }: RigGenesis): string {
  const [rewarded = ""] = assetIds.values();
  return JSON.stringify({
    genesis_time: new Date(Number(startSeconds) * 1_000).toISOString(),
    chain_id: "market-rig",
    app_state: {
      assets: Object.fromEntries(
        Object.entries(assets).map(([name, { decimals = 0, quantum = "1" }]) => [
          assetIds.get(name)!,
          {
            name,
            symbol: name.slice(0, 20),
            decimals,
            quantum,
            source: { builtin_asset: { max_faucet_amount_mint: "0" } },
          },
        ]),
      ),
      network: {},
      network_parameters: { ...(rewarded && { "reward.asset": rewarded }), ...PARAMETERS, ...parameters },
      network_limits: { propose_market_enabled: true, propose_asset_enabled: true },
    },
  });
}
