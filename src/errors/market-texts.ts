// Texts with which markets refuse commands (docs/protocol/70-trading-orders.md#24-ordererror-numbers,
// #28-amend-cancel-batch, docs/protocol/70-trading-liquidity.md#72-submit and #79-amend-and-cancel), and data of
// oracles (1.6).
import type { MessageRow } from "./explanation.ts";

const MARKET = "GET /api/v2/market/MARKET_ID says in which state a market is.";
const DATA = "GET /api/v2/market/data/MARKET_ID/latest shows prices, the trading mode and the auction's end.";
const ORDERS = "GET /api/v2/orders?filter.partyIds=YOUR_KEY&filter.liveOnly=true lists your live orders.";
const MONEY = "GET /api/v2/accounts?filter.partyIds=YOUR_KEY shows what there is.";
const AUCTION = "An auction collects orders and trades them all at its end.";
const SHAPE =
  "Each entry has a reference, a proportion above 0, and an offset: above 0 from the middle, at least 0 else.";
const AMEND = "Cancel the order and send another one, or change something else.";
const STAKE = "GET /api/v2/market/data/MARKET_ID/latest has targetStake and suppliedStake.";
const ORACLE = "GET /api/v2/oracle/specs lists what is waited for.";
const FORMAT = "Correct the data.";
const OTHER_TYPE = [
  "A property of the data is of another type.",
  "A data source with these signers asks something of its value, and no other source takes the data.",
  ORACLE,
] as const;

export const MARKET_TEXTS = {
  "OrderError: Invalid Market ID": [
    "There is no such market.",
    "The id is wrong, or the market was settled, cancelled or rejected.",
    "GET /api/v2/markets lists them.",
  ],
  "OrderError: Invalid Order ID": [
    "There is no such live order in this market.",
    "It was filled, cancelled or stopped, or never made.",
    ORDERS,
  ],
  "OrderError: Invalid Party ID": ["The order is somebody else's.", "Only its owner can change it.", ORDERS],
  "OrderError: Edit Not Allowed": [
    "The order belongs to a liquidity provision.",
    "It follows the provision's shape.",
    "Amend or cancel the provision.",
  ],
  "invalid order price": [
    "The price is more than an amount can say.",
    "A price in the asset's smallest unit has at most 256 bits.",
    "Give a lower one.",
  ],
  "OrderError: Invalid Remaining Size": ["Nothing of the order is left.", "Its size is 0.", "Give a size."],
  "OrderError: Invalid Persistence": [
    "A market order cannot rest.",
    "It was sent as good till a time, or till it is cancelled.",
    "Send it as IOC or FOK, or give it a price.",
  ],
  "OrderError: Invalid Type": [
    "Only the network itself has orders of this type.",
    "They close positions out.",
    "Send a limit or a market order.",
  ],
  "OrderError: Invalid Size": [
    "The order is larger than a position can be.",
    "A position has at most 2^63 - 1 of the market's smallest volume.",
    "Send a smaller one.",
  ],
  "trading not allowed": [
    "The market does not take orders.",
    "It waits for its vote, or trading has ended.",
    MARKET,
  ],
  "the market is halted by an internal error": [
    "A fault in this program has stopped the market; nothing is done on it.",
    "A step of the market that no command asks for has failed, and was taken back. GET /status names the market.",
    "The node's log says more (code market_halted). An enacted update of the market lets it go on.",
  ],
  "margin check failed": [
    "The party cannot pay the margin.",
    "Margin, general and bond account together hold less than the initial margin of position and orders.",
    `Deposit more, or trade less. POST or GET /api/v2/estimate/margin says how much it takes. ${MONEY}`,
  ],
  "insufficient funds for initial margin": [
    "The party cannot pay the margin of an amended provision, or of a parked order that its amendment would bring to the book.",
    "Its accounts, with the bond for a provision, hold less than the initial margin of its position and orders.",
    `Deposit more, or amend it to less. ${MONEY}`,
  ],
  "margin would be below maintenance with amend during continuous: insufficient margin": [
    "The amended provision would be paid for by its bond.",
    "Margin and general account together hold less than the initial margin of its position and orders.",
    `Deposit more, or commit less. ${MONEY}`,
  ],
  "margin would be below maintenance: insufficient margin": [
    "The party cannot pay the margin of the amended provision.",
    "Margin, general and bond account together hold less than the maintenance margin after the auction.",
    `Deposit more, or commit less. ${MONEY}`,
  ],
  "margin would require bond: insufficient margin": [
    "The amended provision would be paid for by its bond.",
    "Margin and general account together hold less than the initial margin after the auction.",
    `Deposit more, or commit less. ${MONEY}`,
  ],
  "OrderError: Insufficient funds to pay fees": [
    "The party cannot pay the fees of the trades.",
    "Fees come from the general account, then from the margin account.",
    `Deposit more. GET /api/v2/estimate/fee says how much it takes. ${MONEY}`,
  ],
  "party has insufficient balance in asset": [
    "The party has never held the market's asset.",
    "It has no general account in it.",
    `Deposit first. ${MONEY}`,
  ],
  "invalid expiresAt time": [
    "The order would have expired already.",
    "Its time lies in the past.",
    "Give a later time.",
  ],
  "OrderError: Invalid Expiration Datetime": [
    "The order would expire before it was made.",
    "Its new time lies before its creation.",
    "Give a later time.",
  ],
  "gfn order received during auction trading": [
    AUCTION,
    "Orders of this kind are for continuous trading.",
    DATA,
  ],
  "gfa order received during continuous trading": [
    "There is no auction.",
    "Orders of this kind are for auctions.",
    DATA,
  ],
  "ioc order received during auction trading": [AUCTION, "An order that must trade at once cannot.", DATA],
  "fok order received during auction trading": [AUCTION, "An order that must trade at once cannot.", DATA],
  "OrderError: non-persistent order trades out of price bounds": [
    "The order would trade at a price that price monitoring does not allow.",
    "Only an order that may rest can begin a price monitoring auction.",
    `Send it with another time in force, or at another price. ${DATA}`,
  ],
  "OrderError: too many pegged orders": [
    "The network has as many pegged orders as it takes.",
    "`limits.markets.maxPeggedOrders` is the limit.",
    "Wait, or send one that is not pegged.",
  ],
  "OrderError: post only order would trade": [
    "The order would trade at once.",
    "A post-only order only rests.",
    `Give another price. ${DATA}`,
  ],
  "OrderError: reduce only order would not reduce position": [
    "There is no position that it could reduce.",
    "The position is flat, on the same side, or smaller than a fill-or-kill order.",
    "GET /api/v2/positions?filter.partyIds=YOUR_KEY shows it.",
  ],
  "OrderError: Cannot amend order to GTT without an expiryAt field": [
    "The time is missing.",
    "An order that is good till time needs one.",
    "Give expiresAt.",
  ],
  "OrderError: ExpiryAt field must not be before CreatedAt": [
    "The order would end before it began.",
    "expiresAt lies before its creation.",
    "Give a later time.",
  ],
  "OrderError: Cannot set ExpiryAt and GTC": [
    "An order that is good till cancelled has no time.",
    "expiresAt was given.",
    "Leave it out, or make the order good till time.",
  ],
  "OrderError: Cannot amend TIF to FOK or IOC": ["A resting order cannot trade at once.", "It rests.", AMEND],
  "OrderError: Cannot amend TIF to GFA or GFN": [
    "The kind cannot be changed like this.",
    "It is given at the start.",
    AMEND,
  ],
  "OrderError: Cannot amend TIF from GFA or GFN": [
    "The kind cannot be changed like this.",
    "It is given at the start.",
    AMEND,
  ],
  "OrderError: buy cannot reference best ask price": [
    "A pegged order follows the middle or its own side.",
    "The amended order would buy by the best ask.",
    "Amend peggedReference to the middle or the best bid.",
  ],
  "OrderError: sell cannot reference best bid price": [
    "A pegged order follows the middle or its own side.",
    "The amended order would sell by the best bid.",
    "Amend peggedReference to the middle or the best ask.",
  ],
  "OrderError: offset must be greater than zero": [
    "An order that follows the middle stands away from it.",
    "The amended order's offset is 0.",
    "Amend peggedOffset, too.",
  ],
  "OrderError: cannot amend pegged details on a non pegged order": [
    "The order is not pegged.",
    "It has a price of its own.",
    AMEND,
  ],
  "invalid OrderError": [
    "The price of a pegged order cannot be set; or the order cannot be pegged.",
    "It follows its reference. A peg needs a limit order that rests, and a reference.",
    "Amend peggedOffset or peggedReference; or send another order.",
  ],
  "couldn't insert order in book": [
    "The order cannot take its new place.",
    "It is post-only and would trade, or it may not begin a price monitoring auction and would trade out of the price bounds.",
    `Give another price. The order stays as it was. ${DATA}`,
  ],
  "could not apply fees for order": [
    "The party cannot pay the fees of the trades that the change leads to.",
    "Fees come from the general account, then from the margin account.",
    `Deposit more, or give another price. The order stays as it was. ${MONEY}`,
  ],
  "unable to find the order in the market": [
    "There is no such live order in this market.",
    "It was filled, cancelled or stopped, or never made.",
    ORDERS,
  ],
  "invalid order cancellation": [
    "An order was named without its market.",
    "Both are needed; a market alone means all orders there, neither means all orders.",
    "Give marketId.",
  ],
  "order already amended in batch": [
    "A batch amends an order once.",
    "An earlier amendment of the same batch has worked.",
    "Put both changes into one.",
  ],
  "batch market instructions cannot be empty": [
    "The batch holds nothing.",
    "One instruction is needed.",
    "Add one.",
  ],
  "market batch instructions too big, got(<count>), expected(<max>)": [
    "The batch holds too many instructions.",
    "`spam.protection.max.batchSize` is the limit.",
    "Send several batches.",
  ],
  "commitment submission not allowed": [
    "The market does not take the commitment.",
    "Trading has ended, it was rejected, or a party that amends its commitment has less than that.",
    MARKET,
  ],
  "invalid commitment amount": [
    "The commitment is not an amount.",
    "It is a whole number of at most 256 bits.",
    "Correct the amount.",
  ],
  "commitment amount is too low": [
    "The commitment is below the minimum.",
    "The minimum is the asset's quantum times `market.liquidityProvision.minLpStakeQuantumMultiple`. An amendment without a commitment counts as one of 0.",
    "Commit more; an amendment states the commitment that it leaves as it is.",
  ],
  "commitment submission rejected, not enough stake": [
    "The market would have less than its target stake.",
    "Only what is above the target can be taken out.",
    STAKE,
  ],
  "invalid liquidity provision fee": [
    "The fee is out of range.",
    "It goes from 0 to `market.liquidity.maximumLiquidityFeeFactorLevel`.",
    "Give another fee.",
  ],
  "empty <side> shape": ["A side has no orders.", "Both sides are needed.", "Give one entry for each side."],
  "<side> shape size exceed max (<count>)": [
    "A side has too many orders.",
    "`market.liquidityProvision.shapes.maxSize` is the limit.",
    "Give fewer.",
  ],
  "order in shape without reference": ["An entry follows no price.", "Its reference is missing.", SHAPE],
  "order in shape without a proportion": ["An entry has no part of the side.", "Its proportion is 0.", SHAPE],
  "order in buy side shape with best ask price reference": [
    "Purchases follow the middle or the best bid.",
    "An entry follows the best ask.",
    SHAPE,
  ],
  "order in sell side shape with best bid price reference": [
    "Sales follow the middle or the best ask.",
    "An entry follows the best bid.",
    SHAPE,
  ],
  "order in buy side shape offset must be > 0": [
    "An entry stands in the middle itself.",
    "Its offset is 0.",
    SHAPE,
  ],
  "order in sell shape offset must be > 0": [
    "An entry stands in the middle itself.",
    "Its offset is 0.",
    SHAPE,
  ],
  "order in buy side shape offset must be >= 0": [
    "An entry would be above the best bid.",
    "Its offset is below 0.",
    SHAPE,
  ],
  "order in sell shape offset must be >= 0": [
    "An entry would be below the best ask.",
    "Its offset is below 0.",
    SHAPE,
  ],
  "liquidity provision already exists": [
    "The party provides liquidity to this market already.",
    "One party has one provision in a market.",
    "Amend it.",
  ],
  "not enough collateral in general account": [
    "The party cannot pay the commitment.",
    "It comes from the general account.",
    `Deposit more. ${MONEY}`,
  ],
  "party general account missing when trying to create a bond account": [
    "The party has never had any of the market's asset.",
    "A bond comes from the general account in that asset.",
    `Deposit first. ${MONEY}`,
  ],
  "party is not a liquidity provider": [
    "The party has no provision in this market.",
    "It was never made, was cancelled, or the party was closed out.",
    "GET /api/v2/liquidity/provisions?partyId=YOUR_KEY lists them.",
  ],
  "empty liquidity provision amendment content": [
    "Nothing of weight would change.",
    "It states neither a commitment nor a fee nor a shape; another reference alone is not enough.",
    "State one of them.",
  ],
  "can't convert  to decimal": [
    "The amendment states no fee.",
    "The network reads an empty fee as a number that it cannot read, and refuses it before it looks at anything else.",
    "State the fee; 0 leaves it as it is.",
  ],
  "no orders on the book": [
    "The provision cannot be amended while a side of the book is empty.",
    "Outside of auctions its orders are priced by the best bid and the best offer.",
    "Send it again when both are there, or in the auction that follows.",
  ],
  "market does not exist": [
    "There is no such market.",
    "It may have ended meanwhile.",
    "GET /api/v2/markets lists them.",
  ],
  "vote requires tokens or equity-like share": [
    "The party has no vote on this market.",
    "It has neither staked tokens nor a share as a liquidity provider.",
    "Stake tokens, or provide liquidity.",
  ],
  "no one listens to the public keys that signed this oracle data": [
    "No data source has these signers.",
    "Every signer of the data must be listed; what has ended does not wait any more.",
    ORACLE,
  ],
  "there are no subscribes to the oracle data": [
    "No data source matches.",
    "The signers fit, but names, types and conditions must fit as well.",
    ORACLE,
  ],
  'value "<value>" is not a valid integer': OTHER_TYPE,
  "can't convert <value> to decimal<reason>": OTHER_TYPE,
  "strconv.ParseBool: parsing <value>: invalid syntax": OTHER_TYPE,
  "strconv.ParseInt: parsing <value>: <reason>": OTHER_TYPE,
  "invalid timestamp": OTHER_TYPE,
  "forbidden property name: it is reserved for the chain itself": [
    "Data about the chain's own time comes from the chain.",
    "A name begins with vegaprotocol.builtin.",
    FORMAT,
  ],
  "the data is not JSON": ["The payload cannot be read.", "It must be JSON in UTF-8.", FORMAT],
  "the data is not a JSON object": [
    "The payload is of another form.",
    "It must be one object of texts.",
    FORMAT,
  ],
  "the data has no properties, or too many": [
    "The payload is empty or too large.",
    "1 to 1000 properties.",
    FORMAT,
  ],
  "a property of the data is not a text": ["Values are texts.", "Numbers stand in quotes, too.", FORMAT],
  "the data is not of the Open Oracle's format": [
    "The payload cannot be read.",
    "It must be JSON with messages and signatures in hex.",
    FORMAT,
  ],
  "the data has no messages, too many, or not one signature for each": [
    "The payload is incomplete.",
    "1 to 100 messages, each with its signature.",
    FORMAT,
  ],
  "the data has no prices": ["No message is about a price.", "Their kind must be `prices`.", FORMAT],
  "a message of the data is too short": [
    "A message is cut.",
    "It must hold kind, time, symbol and value.",
    FORMAT,
  ],
  "a signature of the data has not 96 bytes": [
    "A signature is cut.",
    "It is r, s and v, a word each.",
    FORMAT,
  ],
  "a signature of the data is invalid": [
    "A signature does not fit its message.",
    "Another key may have signed.",
    FORMAT,
  ],
} as const satisfies Readonly<Record<string, MessageRow>>;

/** `reason` of an order in the data API, by the text of the transaction that was refused with it. */
export const ORDER_REASONS: Readonly<Record<string, string | readonly string[]>> = {
  "OrderError: Invalid Remaining Size": "ORDER_ERROR_INVALID_REMAINING_SIZE",
  "OrderError: Invalid Expiration Datetime": "ORDER_ERROR_INVALID_EXPIRATION_DATETIME",
  "OrderError: Invalid Persistence": "ORDER_ERROR_INVALID_PERSISTENCE",
  "OrderError: Invalid Type": "ORDER_ERROR_INVALID_TYPE",
  "OrderError: Invalid Market ID": "ORDER_ERROR_INVALID_MARKET_ID",
  "OrderError: Invalid Order ID": "ORDER_ERROR_INVALID_ORDER_ID",
  "invalid expiresAt time": "ORDER_ERROR_INVALID_EXPIRATION_DATETIME",
  "OrderError: Edit Not Allowed": "ORDER_ERROR_EDIT_NOT_ALLOWED",
  "OrderError: Invalid Party ID": "ORDER_ERROR_INVALID_PARTY_ID",
  "OrderError: Invalid Size": "ORDER_ERROR_INVALID_SIZE",
  "trading not allowed": "ORDER_ERROR_MARKET_CLOSED",
  "margin check failed": "ORDER_ERROR_MARGIN_CHECK_FAILED",
  "OrderError: Insufficient funds to pay fees": "ORDER_ERROR_INSUFFICIENT_FUNDS_TO_PAY_FEES",
  "gfn order received during auction trading": "ORDER_ERROR_CANNOT_SEND_GFN_ORDER_DURING_AN_AUCTION",
  "gfa order received during continuous trading":
    "ORDER_ERROR_CANNOT_SEND_GFA_ORDER_DURING_CONTINUOUS_TRADING",
  "OrderError: Cannot amend order to GTT without an expiryAt field":
    "ORDER_ERROR_CANNOT_AMEND_TO_GTT_WITHOUT_EXPIRYAT",
  "OrderError: ExpiryAt field must not be before CreatedAt": "ORDER_ERROR_EXPIRYAT_BEFORE_CREATEDAT",
  "OrderError: Cannot set ExpiryAt and GTC": "ORDER_ERROR_CANNOT_HAVE_GTC_AND_EXPIRYAT",
  "OrderError: Cannot amend TIF to FOK or IOC": "ORDER_ERROR_CANNOT_AMEND_TO_FOK_OR_IOC",
  "OrderError: Cannot amend TIF to GFA or GFN": "ORDER_ERROR_CANNOT_AMEND_TO_GFA_OR_GFN",
  "OrderError: Cannot amend TIF from GFA or GFN": "ORDER_ERROR_CANNOT_AMEND_FROM_GFA_OR_GFN",
  "ioc order received during auction trading": "ORDER_ERROR_CANNOT_SEND_IOC_ORDER_DURING_AUCTION",
  "fok order received during auction trading": "ORDER_ERROR_CANNOT_SEND_FOK_ORDER_DURING_AUCTION",
  "party has insufficient balance in asset": "ORDER_ERROR_INSUFFICIENT_ASSET_BALANCE",
  "OrderError: buy cannot reference best ask price": "ORDER_ERROR_BUY_CANNOT_REFERENCE_BEST_ASK_PRICE",
  "OrderError: sell cannot reference best bid price": "ORDER_ERROR_SELL_CANNOT_REFERENCE_BEST_BID_PRICE",
  "OrderError: offset must be greater than zero": "ORDER_ERROR_OFFSET_MUST_BE_GREATER_THAN_ZERO",
  "OrderError: cannot amend pegged details on a non pegged order":
    "ORDER_ERROR_CANNOT_AMEND_PEGGED_ORDER_DETAILS_ON_NON_PEGGED_ORDER",
  "invalid OrderError": [
    "ORDER_ERROR_MUST_BE_LIMIT_ORDER",
    "ORDER_ERROR_MUST_BE_GTT_OR_GTC",
    "ORDER_ERROR_WITHOUT_REFERENCE_PRICE",
    "ORDER_ERROR_UNABLE_TO_AMEND_PRICE_ON_PEGGED_ORDER",
  ],
  "OrderError: non-persistent order trades out of price bounds":
    "ORDER_ERROR_NON_PERSISTENT_ORDER_OUT_OF_PRICE_BOUNDS",
  "OrderError: too many pegged orders": "ORDER_ERROR_TOO_MANY_PEGGED_ORDERS",
  "OrderError: post only order would trade": "ORDER_ERROR_POST_ONLY_ORDER_WOULD_TRADE",
  "OrderError: reduce only order would not reduce position":
    "ORDER_ERROR_REDUCE_ONLY_ORDER_WOULD_NOT_REDUCE_POSITION",
};
