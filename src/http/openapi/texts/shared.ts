// Members that mean the same in every message that has them. A particular description goes before these.
export const SHARED: Readonly<Record<string, string>> = {
  edges: "Rows of this page, in the order of the list; empty when there are none.",
  node: "The row.",
  cursor: "Place of this row in the list, for `pagination.after` and `pagination.before`.",
  pageInfo: "Where the page begins and ends, and whether there is more.",
  partyId: "Public key of the party, 64 hexadecimal digits.",
  marketId: "Identifier of the market.",
  assetId: "Identifier of the asset.",
  nodeId: "Identifier of the validator node.",
  success: "Whether the transaction was accepted; the same as a `code` of 0.",
  code: "0 when the transaction was accepted, else the code of the refusal; `lyra explain` tells about each.",
  log: "Further words about the verdict; empty when there are none.",
  delegations: "Stake that parties have given to validators in this epoch.",
  lpPriceRange:
    "How far from the middle of the book a provider's orders may stand and count, as a fraction of the price in decimal text: `0.5` is 50 %.",
  linearSlippageFactor:
    "Factor of the position's value up to which expected slippage enters a margin, decimal text; empty for 0.",
  quadraticSlippageFactor:
    "Factor of the position's square and the price up to which expected slippage enters a margin, decimal text; empty for 0.",
  liquidityMonitoringParameters: "When too little committed liquidity halts trading in an auction.",
  priceMonitoringParameters:
    "Price moves that halt trading in an auction; the network's default when it is left out.",
  logNormal: "Risk model: prices are log-normally distributed. There when this kind was chosen.",
  simple: "Risk model: fixed factors. There when this kind was chosen.",
  decimalPlaces:
    "Digits after the point of the market's prices: a price of `12345` with 2 of them means 123.45.",
  positionDecimalPlaces:
    "Digits after the point of sizes in this market: a size of `15` with 1 of them means 1.5 contracts. Negative: sizes count tens, hundreds and so on.",
  dataSourceSpecBinding: "Names of the properties that settlement and termination read.",
  quoteName: "Name of the unit that prices are quoted in; nothing is computed from it.",
  quantum:
    "A small amount of the asset that is still worth moving, in its smallest units; thresholds of the network are multiples of it.",
  lifetimeLimit:
    "Most that one Ethereum address may deposit through the bridge over all time, in the asset's smallest units.",
  withdrawThreshold:
    "Withdrawals of more than this wait out the bridge's delay, in the asset's smallest units.",
  targetStakeParameters: "How much commitment the market should have, from its open interest.",
  markets: "Markets, as they are now.",
  marketsData: "Latest data of each market, without an order.",
  assets: "Assets that were asked for.",
  networkParameters: "Parameters with their current values.",
  votes: "Votes, the latest of each party on each proposal.",
  accounts: "Accounts with their current balances.",
  parties: "Parties that the network has seen.",
  chainId: "Identifier of the chain; signatures hold for this chain alone.",
  performanceScore:
    "Share of the work expected of the validator that it did, such as proposing blocks; decimal text from 0 to 1.",
};
