// Texts with which markets refuse commands (docs/protocol/70-trading-orders.md#24-ordererror-numbers,
// #28-amend-cancel-batch, docs/protocol/70-trading-liquidity.md#72-submit and #79-amend-and-cancel), and data of
// oracles (1.6).
import type { MessageEntry } from "./explanation.ts";
import { FIXES } from "./shared.ts";

const LATER = "Give a later time.";
const MARKETS = "GET /api/v2/markets lists them.";
const ORDER_ENDED = "It was filled, cancelled or stopped, or never made.";
const FEE_SOURCE = "Fees come from the general account, then from the margin account.";
const MARKET = "GET /api/v2/market/MARKET_ID says in which state a market is.";
const DATA = "GET /api/v2/market/data/MARKET_ID/latest shows prices, the trading mode and the auction's end.";
const ORDERS = "GET /api/v2/orders?filter.partyIds=YOUR_KEY&filter.liveOnly=true lists your live orders.";
const AUCTION = "An auction collects orders and trades them all at its end.";
const SHAPE =
  "Each entry has a reference, a proportion above 0, and an offset: above 0 from the middle, at least 0 else.";
const AMEND = "Cancel the order and send another one, or change something else.";
const STAKE = "GET /api/v2/market/data/MARKET_ID/latest has targetStake and suppliedStake.";
const ORACLE = "GET /api/v2/oracle/specs lists what is waited for.";
const FORMAT = "Correct the data.";
const OTHER_TYPE = {
  meaning: "A property of the data is of another type.",
  cause: "A data source with these signers asks something of its value, and no other source takes the data.",
  fix: ORACLE,
} as const;

export const MARKET_TEXTS = {
  "OrderError: Invalid Market ID": {
    meaning: "There is no such market.",
    cause: "The id is wrong, or the market was settled, cancelled or rejected.",
    fix: MARKETS,
    reason: "ORDER_ERROR_INVALID_MARKET_ID",
  },
  "OrderError: Invalid Order ID": {
    meaning: "There is no such live order in this market.",
    cause: ORDER_ENDED,
    fix: ORDERS,
    reason: "ORDER_ERROR_INVALID_ORDER_ID",
  },
  "OrderError: Invalid Party ID": {
    meaning: "The order is somebody else's.",
    cause: "Only its owner can change it.",
    fix: ORDERS,
    reason: "ORDER_ERROR_INVALID_PARTY_ID",
  },
  "OrderError: Edit Not Allowed": {
    meaning: "The order belongs to a liquidity provision.",
    cause: "It follows the provision's shape.",
    fix: "Amend or cancel the provision.",
    reason: "ORDER_ERROR_EDIT_NOT_ALLOWED",
  },
  "invalid order price": {
    meaning: "The price is more than an amount can say.",
    cause: "A price in the asset's smallest unit has at most 256 bits.",
    fix: "Give a lower one.",
  },
  "OrderError: Invalid Remaining Size": {
    meaning: "Nothing of the order is left.",
    cause: "Its size is 0.",
    fix: "Give a size.",
    reason: "ORDER_ERROR_INVALID_REMAINING_SIZE",
  },
  "OrderError: Invalid Persistence": {
    meaning: "A market order cannot rest.",
    cause: "It was sent as good till a time, or till it is cancelled.",
    fix: "Send it as IOC or FOK, or give it a price.",
    reason: "ORDER_ERROR_INVALID_PERSISTENCE",
  },
  "OrderError: Invalid Type": {
    meaning: "Only the network itself has orders of this type.",
    cause: "They close positions out.",
    fix: "Send a limit or a market order.",
    reason: "ORDER_ERROR_INVALID_TYPE",
  },
  "OrderError: Invalid Size": {
    meaning: "The order is larger than a position can be.",
    cause: "A position has at most 2^63 - 1 of the market's smallest volume.",
    fix: "Send a smaller one.",
    reason: "ORDER_ERROR_INVALID_SIZE",
  },
  "trading not allowed": {
    meaning: "The market does not take orders.",
    cause: "It waits for its vote, or trading has ended.",
    fix: MARKET,
    reason: "ORDER_ERROR_MARKET_CLOSED",
  },
  "the market is halted by an internal error": {
    meaning: "A fault in this program has stopped the market; nothing is done on it.",
    cause:
      "A step of the market that no command asks for has failed, and was taken back. GET /status names the market.",
    fix: "The node's log says more (code market_halted). An enacted update of the market lets it go on.",
  },
  "margin check failed": {
    meaning: "The party cannot pay the margin.",
    cause:
      "Margin, general and bond account together hold less than the initial margin of position and orders.",
    fix: `Deposit more, or trade less. POST or GET /api/v2/estimate/margin says how much it takes. ${FIXES.showBalance}`,
    reason: "ORDER_ERROR_MARGIN_CHECK_FAILED",
  },
  "insufficient funds for initial margin": {
    meaning:
      "The party cannot pay the margin of an amended provision, or of a parked order that its amendment would bring to the book.",
    cause:
      "Its accounts, with the bond for a provision, hold less than the initial margin of its position and orders.",
    fix: `Deposit more, or amend it to less. ${FIXES.showBalance}`,
  },
  "margin would be below maintenance with amend during continuous: insufficient margin": {
    meaning: "The amended provision would be paid for by its bond.",
    cause:
      "Margin and general account together hold less than the initial margin of its position and orders.",
    fix: `Deposit more, or commit less. ${FIXES.showBalance}`,
  },
  "margin would be below maintenance: insufficient margin": {
    meaning: "The party cannot pay the margin of the amended provision.",
    cause:
      "Margin, general and bond account together hold less than the maintenance margin after the auction.",
    fix: `Deposit more, or commit less. ${FIXES.showBalance}`,
  },
  "margin would require bond: insufficient margin": {
    meaning: "The amended provision would be paid for by its bond.",
    cause: "Margin and general account together hold less than the initial margin after the auction.",
    fix: `Deposit more, or commit less. ${FIXES.showBalance}`,
  },
  "OrderError: Insufficient funds to pay fees": {
    meaning: "The party cannot pay the fees of the trades.",
    cause: FEE_SOURCE,
    fix: `Deposit more. GET /api/v2/estimate/fee says how much it takes. ${FIXES.showBalance}`,
    reason: "ORDER_ERROR_INSUFFICIENT_FUNDS_TO_PAY_FEES",
  },
  "party has insufficient balance in asset": {
    meaning: "The party has never held the market's asset.",
    cause: "It has no general account in it.",
    fix: `Deposit first. ${FIXES.showBalance}`,
    reason: "ORDER_ERROR_INSUFFICIENT_ASSET_BALANCE",
  },
  "invalid expiresAt time": {
    meaning: "The order would have expired already.",
    cause: "Its time lies in the past.",
    fix: LATER,
    reason: "ORDER_ERROR_INVALID_EXPIRATION_DATETIME",
  },
  "OrderError: Invalid Expiration Datetime": {
    meaning: "The order would expire before it was made.",
    cause: "Its new time lies before its creation.",
    fix: LATER,
    reason: "ORDER_ERROR_INVALID_EXPIRATION_DATETIME",
  },
  "gfn order received during auction trading": {
    meaning: AUCTION,
    cause: "Orders of this kind are for continuous trading.",
    fix: DATA,
    reason: "ORDER_ERROR_CANNOT_SEND_GFN_ORDER_DURING_AN_AUCTION",
  },
  "gfa order received during continuous trading": {
    meaning: "There is no auction.",
    cause: "Orders of this kind are for auctions.",
    fix: DATA,
    reason: "ORDER_ERROR_CANNOT_SEND_GFA_ORDER_DURING_CONTINUOUS_TRADING",
  },
  "ioc order received during auction trading": {
    meaning: AUCTION,
    cause: "An order that must trade at once cannot.",
    fix: DATA,
    reason: "ORDER_ERROR_CANNOT_SEND_IOC_ORDER_DURING_AUCTION",
  },
  "fok order received during auction trading": {
    meaning: AUCTION,
    cause: "An order that must trade at once cannot.",
    fix: DATA,
    reason: "ORDER_ERROR_CANNOT_SEND_FOK_ORDER_DURING_AUCTION",
  },
  "OrderError: non-persistent order trades out of price bounds": {
    meaning: "The order would trade at a price that price monitoring does not allow.",
    cause: "Only an order that may rest can begin a price monitoring auction.",
    fix: `Send it with another time in force, or at another price. ${DATA}`,
    reason: "ORDER_ERROR_NON_PERSISTENT_ORDER_OUT_OF_PRICE_BOUNDS",
  },
  "OrderError: too many pegged orders": {
    meaning: "The network has as many pegged orders as it takes.",
    cause: "`limits.markets.maxPeggedOrders` is the limit.",
    fix: "Wait, or send one that is not pegged.",
    reason: "ORDER_ERROR_TOO_MANY_PEGGED_ORDERS",
  },
  "OrderError: post only order would trade": {
    meaning: "The order would trade at once.",
    cause: "A post-only order only rests.",
    fix: `Give another price. ${DATA}`,
    reason: "ORDER_ERROR_POST_ONLY_ORDER_WOULD_TRADE",
  },
  "OrderError: reduce only order would not reduce position": {
    meaning: "There is no position that it could reduce.",
    cause: "The position is flat, on the same side, or smaller than a fill-or-kill order.",
    fix: "GET /api/v2/positions?filter.partyIds=YOUR_KEY shows it.",
    reason: "ORDER_ERROR_REDUCE_ONLY_ORDER_WOULD_NOT_REDUCE_POSITION",
  },
  "OrderError: Cannot amend order to GTT without an expiryAt field": {
    meaning: "The time is missing.",
    cause: "An order that is good till time needs one.",
    fix: "Give expiresAt.",
    reason: "ORDER_ERROR_CANNOT_AMEND_TO_GTT_WITHOUT_EXPIRYAT",
  },
  "OrderError: ExpiryAt field must not be before CreatedAt": {
    meaning: "The order would end before it began.",
    cause: "expiresAt lies before its creation.",
    fix: LATER,
    reason: "ORDER_ERROR_EXPIRYAT_BEFORE_CREATEDAT",
  },
  "OrderError: Cannot set ExpiryAt and GTC": {
    meaning: "An order that is good till cancelled has no time.",
    cause: "expiresAt was given.",
    fix: "Leave it out, or make the order good till time.",
    reason: "ORDER_ERROR_CANNOT_HAVE_GTC_AND_EXPIRYAT",
  },
  "OrderError: Cannot amend TIF to FOK or IOC": {
    meaning: "A resting order cannot trade at once.",
    cause: "It rests.",
    fix: AMEND,
    reason: "ORDER_ERROR_CANNOT_AMEND_TO_FOK_OR_IOC",
  },
  "OrderError: Cannot amend TIF to GFA or GFN": {
    meaning: "The kind cannot be changed like this.",
    cause: "It is given at the start.",
    fix: AMEND,
    reason: "ORDER_ERROR_CANNOT_AMEND_TO_GFA_OR_GFN",
  },
  "OrderError: Cannot amend TIF from GFA or GFN": {
    meaning: "The kind cannot be changed like this.",
    cause: "It is given at the start.",
    fix: AMEND,
    reason: "ORDER_ERROR_CANNOT_AMEND_FROM_GFA_OR_GFN",
  },
  "OrderError: buy cannot reference best ask price": {
    meaning: "A pegged order follows the middle or its own side.",
    cause: "The amended order would buy by the best ask.",
    fix: "Amend peggedReference to the middle or the best bid.",
    reason: "ORDER_ERROR_BUY_CANNOT_REFERENCE_BEST_ASK_PRICE",
  },
  "OrderError: sell cannot reference best bid price": {
    meaning: "A pegged order follows the middle or its own side.",
    cause: "The amended order would sell by the best bid.",
    fix: "Amend peggedReference to the middle or the best ask.",
    reason: "ORDER_ERROR_SELL_CANNOT_REFERENCE_BEST_BID_PRICE",
  },
  "OrderError: offset must be greater than zero": {
    meaning: "An order that follows the middle stands away from it.",
    cause: "The amended order's offset is 0.",
    fix: "Amend peggedOffset, too.",
    reason: "ORDER_ERROR_OFFSET_MUST_BE_GREATER_THAN_ZERO",
  },
  "OrderError: cannot amend pegged details on a non pegged order": {
    meaning: "The order is not pegged.",
    cause: "It has a price of its own.",
    fix: AMEND,
    reason: "ORDER_ERROR_CANNOT_AMEND_PEGGED_ORDER_DETAILS_ON_NON_PEGGED_ORDER",
  },
  "invalid OrderError": {
    meaning: "The price of a pegged order cannot be set; or the order cannot be pegged.",
    cause: "It follows its reference. A peg needs a limit order that rests, and a reference.",
    fix: "Amend peggedOffset or peggedReference; or send another order.",
    reason: [
      "ORDER_ERROR_MUST_BE_LIMIT_ORDER",
      "ORDER_ERROR_MUST_BE_GTT_OR_GTC",
      "ORDER_ERROR_WITHOUT_REFERENCE_PRICE",
      "ORDER_ERROR_UNABLE_TO_AMEND_PRICE_ON_PEGGED_ORDER",
    ],
  },
  "couldn't insert order in book": {
    meaning: "The order cannot take its new place.",
    cause:
      "It is post-only and would trade, or it may not begin a price monitoring auction and would trade out of the price bounds.",
    fix: `Give another price. The order stays as it was. ${DATA}`,
  },
  "could not apply fees for order": {
    meaning: "The party cannot pay the fees of the trades that the change leads to.",
    cause: FEE_SOURCE,
    fix: `Deposit more, or give another price. The order stays as it was. ${FIXES.showBalance}`,
  },
  "unable to find the order in the market": {
    meaning: "There is no such live order in this market.",
    cause: ORDER_ENDED,
    fix: ORDERS,
  },
  "invalid order cancellation": {
    meaning: "An order was named without its market.",
    cause: "Both are needed; a market alone means all orders there, neither means all orders.",
    fix: "Give marketId.",
  },
  "order already amended in batch": {
    meaning: "A batch amends an order once.",
    cause: "An earlier amendment of the same batch has worked.",
    fix: "Put both changes into one.",
  },
  "batch market instructions cannot be empty": {
    meaning: "The batch holds nothing.",
    cause: "One instruction is needed.",
    fix: "Add one.",
  },
  "market batch instructions too big, got(<count>), expected(<max>)": {
    meaning: "The batch holds too many instructions.",
    cause: "`spam.protection.max.batchSize` is the limit.",
    fix: "Send several batches.",
  },
  "commitment submission not allowed": {
    meaning: "The market does not take the commitment.",
    cause: "Trading has ended, it was rejected, or a party that amends its commitment has less than that.",
    fix: MARKET,
  },
  "invalid commitment amount": {
    meaning: "The commitment is not an amount.",
    cause: "It is a whole number of at most 256 bits.",
    fix: FIXES.correctAmount,
  },
  "commitment amount is too low": {
    meaning: "The commitment is below the minimum.",
    cause:
      "The minimum is the asset's quantum times `market.liquidityProvision.minLpStakeQuantumMultiple`. An amendment without a commitment counts as one of 0.",
    fix: "Commit more; an amendment states the commitment that it leaves as it is.",
  },
  "commitment submission rejected, not enough stake": {
    meaning: "The market would have less than its target stake.",
    cause: "Only what is above the target can be taken out.",
    fix: STAKE,
  },
  "invalid liquidity provision fee": {
    meaning: "The fee is out of range.",
    cause: "It goes from 0 to `market.liquidity.maximumLiquidityFeeFactorLevel`.",
    fix: "Give another fee.",
  },
  "empty <side> shape": {
    meaning: "A side has no orders.",
    cause: "Both sides are needed.",
    fix: "Give one entry for each side.",
  },
  "<side> shape size exceed max (<count>)": {
    meaning: "A side has too many orders.",
    cause: "`market.liquidityProvision.shapes.maxSize` is the limit.",
    fix: "Give fewer.",
  },
  "order in shape without reference": {
    meaning: "An entry follows no price.",
    cause: "Its reference is missing.",
    fix: SHAPE,
  },
  "order in shape without a proportion": {
    meaning: "An entry has no part of the side.",
    cause: "Its proportion is 0.",
    fix: SHAPE,
  },
  "order in buy side shape with best ask price reference": {
    meaning: "Purchases follow the middle or the best bid.",
    cause: "An entry follows the best ask.",
    fix: SHAPE,
  },
  "order in sell side shape with best bid price reference": {
    meaning: "Sales follow the middle or the best ask.",
    cause: "An entry follows the best bid.",
    fix: SHAPE,
  },
  "order in buy side shape offset must be > 0": {
    meaning: "An entry stands in the middle itself.",
    cause: "Its offset is 0.",
    fix: SHAPE,
  },
  "order in sell shape offset must be > 0": {
    meaning: "An entry stands in the middle itself.",
    cause: "Its offset is 0.",
    fix: SHAPE,
  },
  "order in buy side shape offset must be >= 0": {
    meaning: "An entry would be above the best bid.",
    cause: "Its offset is below 0.",
    fix: SHAPE,
  },
  "order in sell shape offset must be >= 0": {
    meaning: "An entry would be below the best ask.",
    cause: "Its offset is below 0.",
    fix: SHAPE,
  },
  "liquidity provision already exists": {
    meaning: "The party provides liquidity to this market already.",
    cause: "A party has one provision in a market.",
    fix: "Amend it.",
  },
  "not enough collateral in general account": {
    meaning: "The party cannot pay the commitment.",
    cause: "It comes from the general account.",
    fix: `Deposit more. ${FIXES.showBalance}`,
  },
  "party general account missing when trying to create a bond account": {
    meaning: "The party has never had any of the market's asset.",
    cause: "A bond comes from the general account in that asset.",
    fix: `Deposit first. ${FIXES.showBalance}`,
  },
  "party is not a liquidity provider": {
    meaning: "The party has no provision in this market.",
    cause: "It was never made, was cancelled, or the party was closed out.",
    fix: "GET /api/v2/liquidity/provisions?partyId=YOUR_KEY lists them.",
  },
  "empty liquidity provision amendment content": {
    meaning: "Nothing of weight would change.",
    cause: "It states neither a commitment nor a fee nor a shape; another reference alone is not enough.",
    fix: "State one of them.",
  },
  "can't convert  to decimal": {
    meaning: "The amendment states no fee.",
    cause:
      "The network reads an empty fee as a number that it cannot read, and refuses it before it looks at anything else.",
    fix: "State the fee; 0 leaves it as it is.",
  },
  "no orders on the book": {
    meaning: "The provision cannot be amended while a side of the book is empty.",
    cause: "Outside of auctions its orders are priced by the best bid and the best offer.",
    fix: "Send it again when both are there, or in the auction that follows.",
  },
  "market does not exist": {
    meaning: "There is no such market.",
    cause: "It may have ended meanwhile.",
    fix: MARKETS,
  },
  "vote requires tokens or equity-like share": {
    meaning: "The party has no vote on this market.",
    cause: "It has neither staked tokens nor a share as a liquidity provider.",
    fix: "Stake tokens, or provide liquidity.",
  },
  "no one listens to the public keys that signed this oracle data": {
    meaning: "No data source has these signers.",
    cause: "Every signer of the data must be listed; what has ended does not wait any more.",
    fix: ORACLE,
  },
  "there are no subscribes to the oracle data": {
    meaning: "No data source matches.",
    cause: "The signers fit, but names, types and conditions must fit as well.",
    fix: ORACLE,
  },
  'value "<value>" is not a valid integer': OTHER_TYPE,
  "can't convert <value> to decimal<reason>": OTHER_TYPE,
  "strconv.ParseBool: parsing <value>: invalid syntax": OTHER_TYPE,
  "strconv.ParseInt: parsing <value>: <reason>": OTHER_TYPE,
  "invalid timestamp": OTHER_TYPE,
  "forbidden property name: it is reserved for the chain itself": {
    meaning: "Data about the chain's own time comes from the chain.",
    cause: "A name begins with vegaprotocol.builtin.",
    fix: FORMAT,
  },
  "the data is not JSON": {
    meaning: "The payload cannot be read.",
    cause: "It must be JSON in UTF-8.",
    fix: FORMAT,
  },
  "the data is not a JSON object": {
    meaning: "The payload is of another form.",
    cause: "It must be one object of texts.",
    fix: FORMAT,
  },
  "the data has no properties, or too many": {
    meaning: "The payload is empty or too large.",
    cause: "1 to 1000 properties.",
    fix: FORMAT,
  },
  "a property of the data is not a text": {
    meaning: "Values are texts.",
    cause: "Numbers stand in quotes, too.",
    fix: FORMAT,
  },
  "the data is not of the Open Oracle's format": {
    meaning: "The payload cannot be read.",
    cause: "It must be JSON with messages and signatures in hex.",
    fix: FORMAT,
  },
  "the data has no messages, too many, or not one signature for each": {
    meaning: "The payload is incomplete.",
    cause: "1 to 100 messages, each with its signature.",
    fix: FORMAT,
  },
  "the data has no prices": {
    meaning: "No message is about a price.",
    cause: "Their kind must be `prices`.",
    fix: FORMAT,
  },
  "a message of the data is too short": {
    meaning: "A message is cut.",
    cause: "It must hold kind, time, symbol and value.",
    fix: FORMAT,
  },
  "a signature of the data has not 96 bytes": {
    meaning: "A signature is cut.",
    cause: "It is r, s and v, a word each.",
    fix: FORMAT,
  },
  "a signature of the data is invalid": {
    meaning: "A signature does not fit its message.",
    cause: "Another key may have signed.",
    fix: FORMAT,
  },
} as const satisfies Readonly<Record<string, MessageEntry>>;
