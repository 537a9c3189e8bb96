// Descriptions: values of enums.
export const ENUMS = `
vega.AccountType
  ACCOUNT_TYPE_UNSPECIFIED: No type; as a filter it matches nothing.
  ACCOUNT_TYPE_INSURANCE: Insurance pool of a market, which pays what parties cannot.
  ACCOUNT_TYPE_SETTLEMENT: Passes gains and losses on within a market; 0 outside a settlement.
  ACCOUNT_TYPE_MARGIN: What a party must hold for its position and orders in a market.
  ACCOUNT_TYPE_GENERAL: What a party can use freely.
  ACCOUNT_TYPE_FEES_INFRASTRUCTURE: Fees for the validators, until the epoch ends.
  ACCOUNT_TYPE_FEES_LIQUIDITY: Fees for a market's liquidity providers, until they are shared out.
  ACCOUNT_TYPE_FEES_MAKER: Passes maker fees on to the resting side.
  ACCOUNT_TYPE_BOND: What a liquidity provider has bound in a market.
  ACCOUNT_TYPE_EXTERNAL: The world outside: deposits come from it, withdrawals go to it.
  ACCOUNT_TYPE_GLOBAL_INSURANCE: Insurance of all markets together; not in use.
  ACCOUNT_TYPE_GLOBAL_REWARD: The network's treasury, which staking rewards are paid from.
  ACCOUNT_TYPE_PENDING_TRANSFERS: Transfers on their way.
  ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES: Rewards for parties that paid maker fees.
  ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES: Rewards for parties that received maker fees.
  ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES: Rewards for parties that received liquidity fees.
  ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS: Rewards for parties that proposed markets with enough trading.
vega.Asset.Status
  STATUS_UNSPECIFIED: No state.
  STATUS_PROPOSED: Proposed, and being voted on.
  STATUS_REJECTED: Refused; it will not be used.
  STATUS_PENDING_LISTING: Accepted, and waits to be listed on the bridge.
  STATUS_ENABLED: In use.
vega.AuctionTrigger
  AUCTION_TRIGGER_UNSPECIFIED: No auction.
  AUCTION_TRIGGER_BATCH: The market trades in batches.
  AUCTION_TRIGGER_OPENING: The market opens.
  AUCTION_TRIGGER_PRICE: The price left its bounds.
  AUCTION_TRIGGER_LIQUIDITY: There was too little liquidity; of older versions.
  AUCTION_TRIGGER_LIQUIDITY_TARGET_NOT_MET: Less is committed than the target asks.
  AUCTION_TRIGGER_UNABLE_TO_DEPLOY_LP_ORDERS: Orders of liquidity providers could not be placed, as no price could be taken.
vega.ChainStatus
  CHAIN_STATUS_UNSPECIFIED: No state.
  CHAIN_STATUS_DISCONNECTED: The chain cannot be reached.
  CHAIN_STATUS_REPLAYING: The node catches up with blocks of the past.
  CHAIN_STATUS_CONNECTED: The node follows the chain.
vega.DataSourceSpec.Status
  STATUS_UNSPECIFIED: No state.
  STATUS_ACTIVE: A market listens for its data.
  STATUS_DEACTIVATED: No market listens any more.
vega.Deposit.Status
  STATUS_UNSPECIFIED: No state.
  STATUS_OPEN: Seen, and not yet confirmed by the validators.
  STATUS_CANCELLED: Not confirmed; nothing was credited.
  STATUS_FINALIZED: Credited.
vega.DispatchMetric
  DISPATCH_METRIC_UNSPECIFIED: No measure.
  DISPATCH_METRIC_MAKER_FEES_PAID: Maker fees that parties paid.
  DISPATCH_METRIC_MAKER_FEES_RECEIVED: Maker fees that parties received.
  DISPATCH_METRIC_LP_FEES_RECEIVED: Liquidity fees that parties received.
  DISPATCH_METRIC_MARKET_VALUE: Value traded in markets, for those who proposed them.
vega.LiquidityProvision.Status
  STATUS_UNSPECIFIED: No state.
  STATUS_ACTIVE: In force, with its orders in the book.
  STATUS_STOPPED: Ended by the network.
  STATUS_CANCELLED: Ended by the provider.
  STATUS_REJECTED: Refused.
  STATUS_UNDEPLOYED: In force, with its orders out of the book.
  STATUS_PENDING: Accepted, and waits for the market to open.
vega.Market.State
  STATE_UNSPECIFIED: No state.
  STATE_PROPOSED: Proposed, and being voted on.
  STATE_REJECTED: The proposal was declined.
  STATE_PENDING: Accepted, and in its opening auction.
  STATE_CANCELLED: Ended before it opened.
  STATE_ACTIVE: Trades.
  STATE_SUSPENDED: Halted in an auction by price or liquidity monitoring.
  STATE_CLOSED: Closed by governance.
  STATE_TRADING_TERMINATED: Trading has ended, and the settlement price is awaited.
  STATE_SETTLED: Settled; nothing more happens.
vega.Market.TradingMode
  TRADING_MODE_UNSPECIFIED: No mode.
  TRADING_MODE_CONTINUOUS: Orders are matched as they come.
  TRADING_MODE_BATCH_AUCTION: Orders are matched in regular batches.
  TRADING_MODE_OPENING_AUCTION: Orders are gathered for the opening price.
  TRADING_MODE_MONITORING_AUCTION: Orders are gathered because monitoring halted trading.
  TRADING_MODE_NO_TRADING: Orders are not taken.
vega.NodeStatus
  NODE_STATUS_UNSPECIFIED: No state.
  NODE_STATUS_VALIDATOR: The node validates.
  NODE_STATUS_NON_VALIDATOR: The node does not validate.
vega.Order.Status
  STATUS_UNSPECIFIED: No state.
  STATUS_ACTIVE: In the book, or on its way there.
  STATUS_EXPIRED: Its time has passed.
  STATUS_CANCELLED: Cancelled by its party, or by the end or begin of an auction.
  STATUS_STOPPED: Taken out by the network without having traded fully.
  STATUS_FILLED: Traded fully.
  STATUS_REJECTED: Refused; \`reason\` says why.
  STATUS_PARTIALLY_FILLED: Traded in part, and the rest was given up.
  STATUS_PARKED: Pegged, and out of the book while there is no price to follow.
vega.Order.TimeInForce
  TIME_IN_FORCE_UNSPECIFIED: None was given.
  TIME_IN_FORCE_GTC: Stays until it is cancelled.
  TIME_IN_FORCE_GTT: Stays until its time of expiry.
  TIME_IN_FORCE_IOC: Trades what it can at once; the rest is given up.
  TIME_IN_FORCE_FOK: Trades fully at once, or not at all.
  TIME_IN_FORCE_GFA: Taken in auctions only, and stays until the auction ends.
  TIME_IN_FORCE_GFN: Taken in continuous trading only, and stays until an auction begins.
vega.Order.Type
  TYPE_UNSPECIFIED: None was given.
  TYPE_LIMIT: Trades at its price or better.
  TYPE_MARKET: Trades at any price.
  TYPE_NETWORK: Placed by the network to close positions.
vega.OrderError
  ORDER_ERROR_UNSPECIFIED: No error.
  ORDER_ERROR_INVALID_MARKET_ID: The market is another one, or there is none.
  ORDER_ERROR_INVALID_ORDER_ID: The order's identifier is not valid.
  ORDER_ERROR_OUT_OF_SEQUENCE: The order came out of its turn.
  ORDER_ERROR_INVALID_REMAINING_SIZE: More was left to trade than was ordered.
  ORDER_ERROR_TIME_FAILURE: The block's time could not be had.
  ORDER_ERROR_REMOVAL_FAILURE: The order could not be taken out of the book.
  ORDER_ERROR_INVALID_EXPIRATION_DATETIME: The time of expiry is not valid, or has passed.
  ORDER_ERROR_INVALID_ORDER_REFERENCE: The reference is not valid.
  ORDER_ERROR_EDIT_NOT_ALLOWED: The order cannot be amended so.
  ORDER_ERROR_AMEND_FAILURE: The amendment failed.
  ORDER_ERROR_NOT_FOUND: There is no such order.
  ORDER_ERROR_INVALID_PARTY_ID: The party is not the one of the order, or not valid.
  ORDER_ERROR_MARKET_CLOSED: The market takes no orders.
  ORDER_ERROR_MARGIN_CHECK_FAILED: The party has too little money for the margin.
  ORDER_ERROR_MISSING_GENERAL_ACCOUNT: The party has no general account in the settlement asset.
  ORDER_ERROR_INTERNAL_ERROR: The order could not be processed.
  ORDER_ERROR_INVALID_SIZE: The size is not valid: 0, or too small for the market.
  ORDER_ERROR_INVALID_PERSISTENCE: The order cannot stay in the book.
  ORDER_ERROR_INVALID_TYPE: Orders of this type cannot be sent.
  ORDER_ERROR_SELF_TRADING: The order met another one of its own party, and was stopped there.
  ORDER_ERROR_INSUFFICIENT_FUNDS_TO_PAY_FEES: The party has too little money for the fees.
  ORDER_ERROR_INCORRECT_MARKET_TYPE: The market has another kind.
  ORDER_ERROR_INVALID_TIME_IN_FORCE: The time in force is not valid for the order.
  ORDER_ERROR_CANNOT_SEND_GFN_ORDER_DURING_AN_AUCTION: Orders for continuous trading are not taken in an auction.
  ORDER_ERROR_CANNOT_SEND_GFA_ORDER_DURING_CONTINUOUS_TRADING: Orders for auctions are not taken outside them.
  ORDER_ERROR_CANNOT_AMEND_TO_GTT_WITHOUT_EXPIRYAT: An order that shall expire needs a time of expiry.
  ORDER_ERROR_EXPIRYAT_BEFORE_CREATEDAT: The order would expire before it was placed.
  ORDER_ERROR_CANNOT_HAVE_GTC_AND_EXPIRYAT: An order that stays until it is cancelled has no time of expiry.
  ORDER_ERROR_CANNOT_AMEND_TO_FOK_OR_IOC: An order in the book cannot become one that trades at once.
  ORDER_ERROR_CANNOT_AMEND_TO_GFA_OR_GFN: An order cannot become one for auctions, or for continuous trading, alone.
  ORDER_ERROR_CANNOT_AMEND_FROM_GFA_OR_GFN: An order for auctions, or for continuous trading, alone keeps its time in force.
  ORDER_ERROR_CANNOT_SEND_IOC_ORDER_DURING_AUCTION: Immediate-or-cancel orders are not taken in an auction.
  ORDER_ERROR_CANNOT_SEND_FOK_ORDER_DURING_AUCTION: Fill-or-kill orders are not taken in an auction.
  ORDER_ERROR_MUST_BE_LIMIT_ORDER: A pegged order must be a limit order.
  ORDER_ERROR_MUST_BE_GTT_OR_GTC: A pegged order must stay in the book.
  ORDER_ERROR_WITHOUT_REFERENCE_PRICE: A pegged order must name the price it follows.
  ORDER_ERROR_BUY_CANNOT_REFERENCE_BEST_ASK_PRICE: A pegged buy cannot follow the best offer.
  ORDER_ERROR_OFFSET_MUST_BE_GREATER_OR_EQUAL_TO_ZERO: The distance of a pegged order is negative.
  ORDER_ERROR_SELL_CANNOT_REFERENCE_BEST_BID_PRICE: A pegged sale cannot follow the best bid.
  ORDER_ERROR_OFFSET_MUST_BE_GREATER_THAN_ZERO: The distance from the middle price must be more than 0.
  ORDER_ERROR_INSUFFICIENT_ASSET_BALANCE: The party holds none of the settlement asset.
  ORDER_ERROR_CANNOT_AMEND_PEGGED_ORDER_DETAILS_ON_NON_PEGGED_ORDER: The order is not pegged, so it has no distance to amend.
  ORDER_ERROR_UNABLE_TO_REPRICE_PEGGED_ORDER: The pegged order could not get a price.
  ORDER_ERROR_UNABLE_TO_AMEND_PRICE_ON_PEGGED_ORDER: The price of a pegged order follows the book and cannot be amended.
  ORDER_ERROR_NON_PERSISTENT_ORDER_OUT_OF_PRICE_BOUNDS: The order would trade outside the bounds of price monitoring, and does not stay in the book.
  ORDER_ERROR_TOO_MANY_PEGGED_ORDERS: The network has as many pegged orders as it takes.
  ORDER_ERROR_POST_ONLY_ORDER_WOULD_TRADE: The order would trade at once and was marked not to.
  ORDER_ERROR_REDUCE_ONLY_ORDER_WOULD_NOT_REDUCE_POSITION: The order was marked to make a position smaller, and would not.
vega.PeggedReference
  PEGGED_REFERENCE_UNSPECIFIED: None was given.
  PEGGED_REFERENCE_MID: Middle of best bid and best offer.
  PEGGED_REFERENCE_BEST_BID: Best bid.
  PEGGED_REFERENCE_BEST_ASK: Best offer.
vega.PositionStatus
  POSITION_STATUS_UNSPECIFIED: Nothing out of the ordinary.
  POSITION_STATUS_ORDERS_CLOSED: The network cancelled the party's orders for want of margin.
  POSITION_STATUS_CLOSED_OUT: The network closed the position for want of margin.
  POSITION_STATUS_DISTRESSED: The position should be closed, but the book could not take it.
vega.Proposal.State
  STATE_UNSPECIFIED: No state.
  STATE_FAILED: Accepted, but it could not be carried out.
  STATE_OPEN: Being voted on.
  STATE_PASSED: Accepted, and waits to be carried out.
  STATE_REJECTED: Not valid; there was no vote.
  STATE_DECLINED: Voted down, or with too few votes.
  STATE_ENACTED: Carried out.
  STATE_WAITING_FOR_NODE_VOTE: Waits for the validators to confirm the new asset.
vega.ProposalError
  PROPOSAL_ERROR_UNSPECIFIED: No error.
  PROPOSAL_ERROR_CLOSE_TIME_TOO_SOON: Voting would end too soon.
  PROPOSAL_ERROR_CLOSE_TIME_TOO_LATE: Voting would end too late.
  PROPOSAL_ERROR_ENACT_TIME_TOO_SOON: It would be carried out too soon.
  PROPOSAL_ERROR_ENACT_TIME_TOO_LATE: It would be carried out too late.
  PROPOSAL_ERROR_INSUFFICIENT_TOKENS: The proposer has too few governance tokens.
  PROPOSAL_ERROR_INVALID_INSTRUMENT_SECURITY: The instrument's security is not valid.
  PROPOSAL_ERROR_NO_PRODUCT: The market has no product.
  PROPOSAL_ERROR_UNSUPPORTED_PRODUCT: The product has a kind that the network does not trade.
  PROPOSAL_ERROR_NO_TRADING_MODE: The market has no trading mode.
  PROPOSAL_ERROR_UNSUPPORTED_TRADING_MODE: The trading mode is not available.
  PROPOSAL_ERROR_NODE_VALIDATION_FAILED: The validators did not confirm the new asset in time.
  PROPOSAL_ERROR_MISSING_BUILTIN_ASSET_FIELD: The built-in asset lacks a member.
  PROPOSAL_ERROR_MISSING_ERC20_CONTRACT_ADDRESS: The token's contract address is missing.
  PROPOSAL_ERROR_INVALID_ASSET: The asset is not known, or not in use.
  PROPOSAL_ERROR_INCOMPATIBLE_TIMESTAMPS: The times contradict each other.
  PROPOSAL_ERROR_NO_RISK_PARAMETERS: The market has no risk model.
  PROPOSAL_ERROR_NETWORK_PARAMETER_INVALID_KEY: There is no such parameter, or it cannot be changed by a vote.
  PROPOSAL_ERROR_NETWORK_PARAMETER_INVALID_VALUE: The parameter cannot have this value.
  PROPOSAL_ERROR_NETWORK_PARAMETER_VALIDATION_FAILED: The value contradicts other parameters.
  PROPOSAL_ERROR_OPENING_AUCTION_DURATION_TOO_SMALL: The opening auction would be too short.
  PROPOSAL_ERROR_OPENING_AUCTION_DURATION_TOO_LARGE: The opening auction would be too long.
  PROPOSAL_ERROR_COULD_NOT_INSTANTIATE_MARKET: The market could not be made.
  PROPOSAL_ERROR_INVALID_FUTURE_PRODUCT: The future's terms are not valid.
  PROPOSAL_ERROR_INVALID_RISK_PARAMETER: A parameter of the risk model is not valid.
  PROPOSAL_ERROR_MAJORITY_THRESHOLD_NOT_REACHED: Too few of the votes were for it.
  PROPOSAL_ERROR_PARTICIPATION_THRESHOLD_NOT_REACHED: Too few votes were cast.
  PROPOSAL_ERROR_INVALID_ASSET_DETAILS: The asset's details are not valid.
  PROPOSAL_ERROR_UNKNOWN_TYPE: The change has a kind that the network does not know.
  PROPOSAL_ERROR_UNKNOWN_RISK_PARAMETER_TYPE: The risk model has a kind that the network does not know.
  PROPOSAL_ERROR_INVALID_FREEFORM: The statement is not valid.
  PROPOSAL_ERROR_INSUFFICIENT_EQUITY_LIKE_SHARE: The proposer provides too little of the market's liquidity.
  PROPOSAL_ERROR_INVALID_MARKET: There is no such market, or it cannot be changed.
  PROPOSAL_ERROR_TOO_MANY_MARKET_DECIMAL_PLACES: Prices would have more decimals than the settlement asset.
  PROPOSAL_ERROR_TOO_MANY_PRICE_MONITORING_TRIGGERS: There are more than five triggers.
  PROPOSAL_ERROR_ERC20_ADDRESS_ALREADY_IN_USE: Another asset has this contract address.
  PROPOSAL_ERROR_LP_PRICE_RANGE_NONPOSITIVE: The price range of providers is not above 0.
  PROPOSAL_ERROR_LP_PRICE_RANGE_TOO_LARGE: The price range of providers is above 100.
  PROPOSAL_ERROR_LINEAR_SLIPPAGE_FACTOR_OUT_OF_RANGE: The linear slippage factor is below 0 or above 1,000,000.
  PROPOSAL_ERROR_QUADRATIC_SLIPPAGE_FACTOR_OUT_OF_RANGE: The quadratic slippage factor is below 0 or above 1,000,000.
vega.Side
  SIDE_UNSPECIFIED: No side.
  SIDE_BUY: Buys.
  SIDE_SELL: Sells.
vega.Trade.Type
  TYPE_UNSPECIFIED: No type.
  TYPE_DEFAULT: Between two parties.
  TYPE_NETWORK_CLOSE_OUT_GOOD: The network meets the book, to close positions of parties that lack margin.
  TYPE_NETWORK_CLOSE_OUT_BAD: The network meets a party that lacks margin, to take over its position.
vega.TransferType
  TRANSFER_TYPE_UNSPECIFIED: No type; as a filter it matches nothing.
  TRANSFER_TYPE_LOSS: Loss at the final settlement, collected.
  TRANSFER_TYPE_WIN: Gain at the final settlement, paid.
  TRANSFER_TYPE_MTM_LOSS: Loss at the mark price, collected.
  TRANSFER_TYPE_MTM_WIN: Gain at the mark price, paid.
  TRANSFER_TYPE_MARGIN_LOW: General account to margin, as the margin was too low.
  TRANSFER_TYPE_MARGIN_HIGH: Margin to general account, as the margin was higher than needed.
  TRANSFER_TYPE_MARGIN_CONFISCATED: Margin to the insurance pool, as the position was closed by the network.
  TRANSFER_TYPE_MAKER_FEE_PAY: Maker fee, paid by the later side.
  TRANSFER_TYPE_MAKER_FEE_RECEIVE: Maker fee, passed on to the resting side.
  TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY: Infrastructure fee, or the fee of a transfer, paid.
  TRANSFER_TYPE_INFRASTRUCTURE_FEE_DISTRIBUTE: Infrastructure fees, passed on to validators and delegators.
  TRANSFER_TYPE_LIQUIDITY_FEE_PAY: Liquidity fee, paid.
  TRANSFER_TYPE_LIQUIDITY_FEE_DISTRIBUTE: Liquidity fees, passed on to the providers.
  TRANSFER_TYPE_BOND_LOW: General account to bond, for a commitment.
  TRANSFER_TYPE_BOND_HIGH: Bond to general account, as the commitment became smaller.
  TRANSFER_TYPE_WITHDRAW: General account to outside, for a withdrawal.
  TRANSFER_TYPE_DEPOSIT: Outside to general account, for a deposit.
  TRANSFER_TYPE_BOND_SLASHING: Bond to the insurance pool, as the provider's margin was too low.
  TRANSFER_TYPE_REWARD_PAYOUT: Reward, paid to a party.
  TRANSFER_TYPE_TRANSFER_FUNDS_SEND: Transfer, taken from its sender.
  TRANSFER_TYPE_TRANSFER_FUNDS_DISTRIBUTE: Transfer, given to its receiver.
  TRANSFER_TYPE_CLEAR_ACCOUNT: What is left in an account of a market that ends, or that a party leaves.
  TRANSFER_TYPE_CHECKPOINT_BALANCE_RESTORE: Balance that was taken over from a checkpoint.
vega.ValidatorNodeStatus
  VALIDATOR_NODE_STATUS_UNSPECIFIED: No group.
  VALIDATOR_NODE_STATUS_TENDERMINT: Takes part in consensus.
  VALIDATOR_NODE_STATUS_ERSATZ: Stands by for those that do.
  VALIDATOR_NODE_STATUS_PENDING: Has announced itself and does not validate yet.
vega.Vote.Value
  VALUE_UNSPECIFIED: No value.
  VALUE_NO: Against the proposal.
  VALUE_YES: For the proposal.
vega.Withdrawal.Status
  STATUS_UNSPECIFIED: No state.
  STATUS_OPEN: Asked for, and not yet executed.
  STATUS_REJECTED: Refused.
  STATUS_FINALIZED: Executed on the network; a token can be claimed with its bundle.
vega.api.v1.SubmitTransactionRequest.Type
  TYPE_UNSPECIFIED: None was given.
  TYPE_ASYNC: Answers at once, before the checks count.
  TYPE_SYNC: Answers after the checks, before a block holds it.
  TYPE_COMMIT: Answers when a block holds it.
vega.api.v1.SubmitRawTransactionRequest.Type
  TYPE_UNSPECIFIED: None was given, which is refused.
  TYPE_ASYNC: Answers at once, before the checks count.
  TYPE_SYNC: Answers after the checks, before a block holds it.
  TYPE_COMMIT: Answers when a block holds it.
vega.commands.v1.NodeSignatureKind
  NODE_SIGNATURE_KIND_UNSPECIFIED: No kind.
  NODE_SIGNATURE_KIND_ASSET_NEW: Listing of a new asset on the bridge.
  NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL: Withdrawal of a token.
  NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED: Addition of a signer to the multisig contract.
  NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_REMOVED: Removal of a signer from the multisig contract.
  NODE_SIGNATURE_KIND_ASSET_UPDATE: New limits of an asset at the bridge.
vega.commands.v1.TxVersion
  TX_VERSION_UNSPECIFIED: None was given, which is refused.
  TX_VERSION_V2: The signature covers the input data alone.
  TX_VERSION_V3: The signature covers the chain's identifier too; the version in use.
vega.data.v1.Condition.Operator
  OPERATOR_UNSPECIFIED: None was given.
  OPERATOR_EQUALS: The value is the same.
  OPERATOR_GREATER_THAN: The value is greater.
  OPERATOR_GREATER_THAN_OR_EQUAL: The value is greater, or the same.
  OPERATOR_LESS_THAN: The value is smaller.
  OPERATOR_LESS_THAN_OR_EQUAL: The value is smaller, or the same.
vega.data.v1.PropertyKey.Type
  TYPE_UNSPECIFIED: None was given.
  TYPE_EMPTY: No value.
  TYPE_INTEGER: A whole number.
  TYPE_STRING: A text.
  TYPE_BOOLEAN: True or false.
  TYPE_DECIMAL: A number with a point.
  TYPE_TIMESTAMP: A time, Unix seconds.
vega.events.v1.ProtocolUpgradeProposalStatus
  PROTOCOL_UPGRADE_PROPOSAL_STATUS_UNSPECIFIED: No state; as a filter it matches every one.
  PROTOCOL_UPGRADE_PROPOSAL_STATUS_PENDING: Too few validators approve it so far.
  PROTOCOL_UPGRADE_PROPOSAL_STATUS_APPROVED: Enough validators approve it.
  PROTOCOL_UPGRADE_PROPOSAL_STATUS_REJECTED: Its height was reached with too few approvals.
vega.events.v1.StakeLinking.Status
  STATUS_UNSPECIFIED: No state.
  STATUS_PENDING: Seen, and not yet confirmed by the validators.
  STATUS_ACCEPTED: Confirmed; it counts.
  STATUS_REJECTED: Not confirmed; it does not count.
vega.events.v1.StakeLinking.Type
  TYPE_UNSPECIFIED: No type.
  TYPE_LINK: Stake was added.
  TYPE_UNLINK: Stake was taken away.
vega.events.v1.Transfer.Status
  STATUS_UNSPECIFIED: No state.
  STATUS_PENDING: Waits to be delivered, or goes on every epoch.
  STATUS_DONE: Delivered, for the last time.
  STATUS_REJECTED: Refused.
  STATUS_STOPPED: Ended by the network, for want of money for instance.
  STATUS_CANCELLED: Ended by its sender.
datanode.api.v2.ListGovernanceDataRequest.Type
  TYPE_UNSPECIFIED: No kind; it matches nothing.
  TYPE_ALL: Every kind.
  TYPE_NEW_MARKET: New markets.
  TYPE_UPDATE_MARKET: Changes of markets.
  TYPE_NETWORK_PARAMETERS: Changes of network parameters.
  TYPE_NEW_ASSET: New assets.
  TYPE_NEW_FREE_FORM: Statements.
  TYPE_UPDATE_ASSET: Changes of assets.
datanode.api.v2.Table
  TABLE_UNSPECIFIED: None was given, which is refused.
  TABLE_BALANCES: Balances of accounts as they changed.
  TABLE_CHECKPOINTS: Checkpoints of the network.
  TABLE_DELEGATIONS: Stake given to validators.
  TABLE_LEDGER: Movements between accounts.
  TABLE_ORDERS: Orders as they changed.
  TABLE_TRADES: Trades.
  TABLE_MARKET_DATA: Data of the markets as it changed.
  TABLE_MARGIN_LEVELS: Margin levels as they changed.
  TABLE_POSITIONS: Positions as they changed.
  TABLE_LIQUIDITY_PROVISIONS: Commitments of liquidity providers as they changed.
  TABLE_MARKETS: Markets as they changed.
  TABLE_DEPOSITS: Deposits as they changed.
  TABLE_WITHDRAWALS: Withdrawals as they changed.
  TABLE_BLOCKS: Blocks with their times and hashes.
  TABLE_REWARDS: Rewards as they were paid.
datanode.api.v2.TransferDirection
  TRANSFER_DIRECTION_UNSPECIFIED: None was given.
  TRANSFER_DIRECTION_TRANSFER_FROM: The party sends.
  TRANSFER_DIRECTION_TRANSFER_TO: The party receives.
  TRANSFER_DIRECTION_TRANSFER_TO_OR_FROM: Either.
`;
