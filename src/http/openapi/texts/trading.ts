// Descriptions: orders, trades, positions, margins, liquidity.
export const TRADING = `
vega.Order
  id: Identifier of the order.
  side: Whether it buys or sells.
  price: Limit, in the market's price units; 0 for a market order or a parked one.
  size: Size that was ordered, in the market's size units.
  remaining: Size that is not yet traded, in the market's size units.
  timeInForce: How long the order stays.
  type: Whether the order names a limit.
  createdAt: Time at which it was placed, Unix nanoseconds.
  status: What has become of the order.
  expiresAt: Time at which it expires, Unix nanoseconds; 0 when it does not.
  reference: Free text that the sender gave.
  reason: Why the order was refused or stopped; absent when it was not.
  updatedAt: Time of its last amendment or change of state, Unix nanoseconds; 0 if never.
  version: Number of this version: 1 when placed, one more for each amendment.
  batchId: Number of auctions that the market had left when the order came; 0 in the opening auction.
  peggedOrder: Distance from a price of the book that the limit follows; null for an order that is not pegged.
  liquidityProvisionId: Identifier of the commitment that placed the order; empty for an order of a person.
  postOnly: Whether it is refused rather than trade at once.
  reduceOnly: Whether it may only make a position smaller.
vega.PeggedOrder
  reference: Price of the book that the limit follows.
  offset: Distance from that price, in the market's price units; below it for a buy, above it for a sale.
vega.PriceLevel
  price: Price of the level, in the market's price units.
  numberOfOrders: Orders at this price.
  volume: Size of all of them, in the market's size units.
vega.Trade
  id: Identifier of the trade.
  price: Price, in the market's price units.
  size: Size, in the market's size units.
  buyer: Public key of the party that bought.
  seller: Public key of the party that sold.
  aggressor: Side whose order came later and met the resting one; unspecified in auctions.
  buyOrder: Identifier of the buying order.
  sellOrder: Identifier of the selling order.
  timestamp: Time of the block with the trade, Unix nanoseconds.
  type: Whether parties traded, or the network closed a position.
  buyerFee: Fees that the buyer paid.
  sellerFee: Fees that the seller paid.
  buyerAuctionBatch: Always 0; the network does not fill it.
  sellerAuctionBatch: Always 0; the network does not fill it.
vega.Position
  openVolume: Size of the position, in the market's size units; negative when it is short.
  realisedPnl: Profit of what was closed, in the settlement asset's smallest units; negative for a loss.
  unrealisedPnl: Profit of the open part at the mark price, in the settlement asset's smallest units.
  averageEntryPrice: Average price at which the open part was entered, in the market's price units.
  updatedAt: Time of the last change, Unix nanoseconds.
  lossSocialisationAmount: Profit that could not be paid to the party because others could not pay, in the settlement asset's smallest units.
  positionStatus: Whether the network had to step in.
vega.MarginLevels
  maintenanceMargin: Below this the position is closed, in the asset's smallest units.
  searchLevel: Below this money is fetched from the general account, in the asset's smallest units.
  initialMargin: Needed for a new order or position, in the asset's smallest units.
  collateralReleaseLevel: Above this money goes back to the general account, in the asset's smallest units.
  asset: Identifier of the asset that the margin is held in.
  timestamp: Time of the computation, Unix nanoseconds.
vega.LiquidityProvision
  id: Identifier of the commitment.
  createdAt: Time at which it was made, Unix nanoseconds.
  updatedAt: Time of its last change, Unix nanoseconds; 0 if never.
  commitmentAmount: Amount that is bound, in the settlement asset's smallest units.
  fee: Fee that the provider asks of trades, as a fraction in decimal text: \`0.001\` is 0.1 %.
  sells: Orders on the selling side.
  buys: Orders on the buying side.
  version: Number of this version, from 1.
  status: What has become of the commitment.
  reference: Free text that the provider gave.
vega.LiquidityOrderReference
  orderId: Identifier of the order in the book; empty while it is not there.
  liquidityOrder: The order as the provider described it.
vega.LiquidityOrder
  reference: Price of the book that the order follows.
  proportion: Share of the commitment that goes here, relative to the others of the same side.
  offset: Distance from that price, in the market's price units.
`;
