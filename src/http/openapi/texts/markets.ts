// Descriptions: markets, their products, risk models, monitoring, oracles and data.
export const MARKETS = `
vega.Market
  id: Identifier of the market: that of the proposal which created it.
  tradableInstrument: What is traded, with its risk model and margins.
  fees: Fees of a trade, as fractions of its value.
  openingAuction: Length of the auction that the market opens with.
  priceMonitoringSettings: Price moves that halt trading in an auction.
  tradingMode: How orders are matched now.
  state: Stage of the market's life.
  marketTimestamps: When the market reached each stage.
vega.MarketTimestamps
  proposed: Time of the proposal, Unix nanoseconds.
  pending: Time at which the opening auction began, Unix nanoseconds; 0 while it has not.
  open: Time at which continuous trading began, Unix nanoseconds; 0 while it has not.
  close: Time at which the market was closed, Unix nanoseconds; 0 while it has not been.
vega.AuctionDuration
  duration: Least length of the auction, in seconds.
  volume: Size that must be matched before the auction ends, in the market's size units; 0 for none.
vega.Fees
  factors: Fractions of a trade's value that are paid as fees.
vega.FeeFactors
  makerFee: Fraction paid to the resting side, decimal text: \`0.0002\` is 0.02 %.
  infrastructureFee: Fraction paid to the validators, decimal text.
  liquidityFee: Fraction paid to the liquidity providers, decimal text; it follows from their commitments.
vega.Fee
  makerFee: Paid to the resting side, in the settlement asset's smallest units.
  infrastructureFee: Paid to the validators, in the settlement asset's smallest units.
  liquidityFee: Paid to the liquidity providers, in the settlement asset's smallest units.
vega.TradableInstrument
  instrument: What is traded.
  marginCalculator: Factors between the levels of a margin.
  logNormalRiskModel: Risk model: prices are log-normally distributed. There when the market has this kind.
  simpleRiskModel: Risk model: fixed factors. There when the market has this kind.
vega.Instrument
  id: Identifier of the instrument; empty for markets made by a proposal.
  code: Short code of the instrument.
  name: Name of the instrument.
  metadata: Free tags.
  future: The product, a cash-settled future.
vega.InstrumentMetadata
  tags: Free texts, often written \`key:value\`.
vega.InstrumentConfiguration
  name: Name of the instrument.
  code: Short code of the instrument.
  future: The product, a cash-settled future.
vega.UpdateInstrumentConfiguration
  code: Short code that the instrument gets.
  future: Terms that the product gets.
vega.Future
  settlementAsset: Identifier of the asset that margins and profits are paid in.
  dataSourceSpecForSettlementData: Spec of the data that gives the settlement price.
  dataSourceSpecForTradingTermination: Spec of the data that ends trading.
vega.FutureProduct
  settlementAsset: Identifier of the asset that margins and profits are paid in.
  dataSourceSpecForSettlementData: Source of the data that gives the settlement price.
  dataSourceSpecForTradingTermination: Source of the data that ends trading.
vega.UpdateFutureProduct
  dataSourceSpecForSettlementData: Source that shall give the settlement price from now on.
  dataSourceSpecForTradingTermination: Source that shall end trading from now on.
vega.DataSourceSpecToFutureBinding
  settlementDataProperty: Name of the property that holds the settlement price.
  tradingTerminationProperty: Name of the property that ends trading when it is true, or the built-in time.
vega.MarginCalculator
  scalingFactors: Factors that the maintenance margin is multiplied by.
vega.ScalingFactors
  searchLevel: Multiple of the maintenance margin below which money is fetched from the general account.
  initialMargin: Multiple of the maintenance margin that a new position must have.
  collateralRelease: Multiple of the maintenance margin above which money goes back to the general account.
vega.LogNormalRiskModel
  riskAversionParameter: Probability of the tail of losses that margins must cover.
  tau: Length of time over which losses are estimated, in years.
  params: Shape of the distribution.
vega.LogNormalModelParams
  mu: Drift of the price in a year.
  r: Risk-free rate of growth in a year.
  sigma: Volatility of the price in a year.
vega.SimpleRiskModel
  params: The fixed factors.
vega.SimpleModelParams
  factorLong: Margin of a long position as a fraction of its value.
  factorShort: Margin of a short position as a fraction of its value.
  maxMoveUp: Largest rise of the price that is expected, in price units; 0 or more.
  minMoveDown: Largest fall of the price that is expected, in price units; 0 or less.
  probabilityOfTrading: Chance from 0 to 1 that an order away from the best price is met.
vega.PriceMonitoringSettings
  parameters: Triggers of the market.
vega.PriceMonitoringParameters
  triggers: At most five; each of them can start or extend an auction.
vega.PriceMonitoringTrigger
  horizon: How far ahead the price is estimated, in seconds.
  probability: Chance that the price stays within the bounds, decimal text between 0.9 and 1.
  auctionExtension: How long an auction lasts or is extended when the price leaves the bounds, in seconds.
vega.PriceMonitoringBounds
  minValidPrice: Lowest price that starts no auction, in the market's price units.
  maxValidPrice: Highest price that starts no auction, in the market's price units.
  trigger: Trigger that the bounds come from.
  referencePrice: Price that the bounds were computed around, in the market's price units.
vega.LiquidityMonitoringParameters
  triggeringRatio: Share of the target stake that must be committed, decimal text from 0 to 1; below it an auction starts.
  auctionExtension: How long such an auction is extended, in seconds; 0 counts as 1.
vega.TargetStakeParameters
  timeWindow: Length of time over which the largest open interest counts, in seconds.
  scalingFactor: Target stake as a multiple of the risk of that open interest.
vega.NewMarketConfiguration
  instrument: What shall be traded.
  metadata: Free texts for people.
vega.UpdateMarketConfiguration
  instrument: Terms that the instrument gets.
  metadata: Free texts for people.
vega.DataSourceDefinition
  internal: Source within the network: its clock. There when this kind was chosen.
  external: Source outside the network. There when this kind was chosen.
vega.DataSourceDefinitionExternal
  oracle: Signers whose data counts, and what it must hold.
vega.DataSourceDefinitionInternal
  time: Conditions on the time of the block.
vega.DataSourceSpecConfiguration
  signers: Keys whose signed data is taken.
  filters: What the data must hold; all filters must be met.
vega.DataSourceSpecConfigurationTime
  conditions: Conditions on the block time in Unix seconds; all must be met.
vega.DataSourceSpec
  id: Identifier of the spec, made from its contents; empty in the terms of a market's product where there is none.
  createdAt: Time at which a market first used it, Unix nanoseconds; 0 when that is not recorded.
  updatedAt: Time of its last change, Unix nanoseconds; 0 if never.
  data: Where the data comes from and what it must hold.
  status: Whether a market still listens for it.
vega.ExternalDataSourceSpec
  spec: The spec.
vega.OracleSpec
  externalDataSourceSpec: The spec of data from outside.
vega.OracleData
  externalData: The data that came from outside.
vega.data.v1.ExternalData
  data: The data.
vega.data.v1.Data
  signers: Keys that signed the data.
  data: Properties in the order they were sent.
  matchedSpecIds: Identifiers of the specs that took the data; empty when none did.
  broadcastAt: Time of the block with the data, Unix nanoseconds.
vega.data.v1.Property
  name: Name of the property.
  value: Its value, always as text.
vega.data.v1.Filter
  key: Property that must be there.
  conditions: Conditions on its value; all must be met.
vega.data.v1.PropertyKey
  name: Name of the property.
  type: Kind of value that it holds.
  numberDecimalPlaces: Digits after the point that a whole number stands for; absent when the market's own count is taken.
vega.data.v1.Condition
  operator: How the value is compared.
  value: What it is compared with, as text.
vega.data.v1.Signer
  pubKey: A key of the network or of Ed25519. There when the signer has this kind.
  ethAddress: An Ethereum address. There when the signer has this kind.
vega.data.v1.PubKey
  key: The key, hexadecimal.
vega.data.v1.ETHAddress
  address: The address, \`0x\` and 40 hexadecimal digits.
vega.MarketData
  markPrice: Price that positions are settled at, in the market's price units.
  bestBidPrice: Highest price that is bid, in the market's price units; 0 without a bid.
  bestBidVolume: Size at that price, in the market's size units.
  bestOfferPrice: Lowest price that is asked, in the market's price units; 0 without an offer.
  bestOfferVolume: Size at that price, in the market's size units.
  bestStaticBidPrice: Highest bid that is not pegged, in the market's price units; 0 without one.
  bestStaticBidVolume: Size at that price of orders that are not pegged, in the market's size units.
  bestStaticOfferPrice: Lowest offer that is not pegged, in the market's price units; 0 without one.
  bestStaticOfferVolume: Size at that price of orders that are not pegged, in the market's size units.
  midPrice: Middle of best bid and best offer, in the market's price units; 0 when one is missing.
  staticMidPrice: Middle of the best bid and offer that are not pegged, in the market's price units; 0 when one is missing.
  market: Identifier of the market.
  timestamp: Time of the block that this was true after, Unix nanoseconds.
  openInterest: Sum of all long positions, in the market's size units.
  auctionEnd: Time at which the auction ends at the earliest, Unix nanoseconds; 0 outside auctions.
  auctionStart: Time at which the auction began, Unix nanoseconds; 0 outside auctions.
  indicativePrice: Price at which the auction would trade if it ended now, in the market's price units; 0 outside auctions.
  indicativeVolume: Size that it would trade, in the market's size units; 0 outside auctions.
  marketTradingMode: How orders are matched.
  trigger: Reason of the running auction.
  extensionTrigger: Reason for which the auction was extended.
  targetStake: Commitment that the market should have, in the settlement asset's smallest units.
  suppliedStake: Commitment that it has, in the settlement asset's smallest units.
  priceMonitoringBounds: Bounds within which the price starts no auction.
  marketValueProxy: Estimate of the market's worth that shares of providers are computed from, in the settlement asset's smallest units.
  liquidityProviderFeeShare: Shares of the liquidity fee by provider.
  marketState: Stage of the market's life.
  nextMarkToMarket: Time of the next settlement at the mark price, Unix nanoseconds.
  lastTradedPrice: Price of the last trade, in the market's price units; empty on the data API, which does not store it.
vega.LiquidityProviderFeeShare
  party: Public key of the provider.
  equityLikeShare: Share of the market that its commitments have earned, decimal text from 0 to 1.
  averageEntryValuation: Value of the market when it committed, averaged over its commitments; decimal text in the settlement asset's smallest units.
  averageScore: Average standing of its orders against those of others, decimal text from 0 to 1.
datanode.api.v2.EstimateFeeResponse
  fee: Fee of the party whose order comes second, by its parts.

datanode.api.v2.EstimateMarginResponse
  marginLevels: Margin levels that the order alone would have.

datanode.api.v2.EstimatePositionResponse
  margin: Margin levels of the position.
  liquidation: Prices at which the collateral no longer covers the maintenance margin; absent without \`collateralAvailable\`.

datanode.api.v2.MarginEstimate
  worstCase: With the most slippage that the market's factors ask for.
  bestCase: Without slippage.

datanode.api.v2.LiquidationEstimate
  worstCase: With the most slippage that the market's factors ask for.
  bestCase: Without slippage.

datanode.api.v2.LiquidationPrice
  openVolumeOnly: Price for the position alone, a decimal in the settlement asset's smallest units; 0 where no price liquidates it.
  includingBuyOrders: The same with buy orders filled; as orders cannot be said in a query, that of the position.
  includingSellOrders: The same with sell orders filled; as orders cannot be said in a query, that of the position.
`;
