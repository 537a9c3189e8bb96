// Why a proposal was rejected or failed: `reason` of a proposal (docs/protocol/60-state-engine-governance.md#62-errors).
import { explanationsOf } from "./explanation.ts";
import { FIXES } from "./shared.ts";

const PROPOSE_AGAIN = "Nothing: propose it again to have another vote.";
const TIMES = "Choose another time; all of them are Unix seconds. GET /network/parameters has the bounds.";
const MARKET = "Correct the market's configuration and propose it again.";

export const PROPOSAL_REASONS = explanationsOf("proposal reason", {
  PROPOSAL_ERROR_UNSPECIFIED: {
    meaning: "No reason.",
    cause: "The proposal was not refused.",
    fix: FIXES.none,
  },
  PROPOSAL_ERROR_CLOSE_TIME_TOO_SOON: {
    meaning: "The vote would end too soon.",
    cause: "`governance.proposal.<kind>.minClose` sets the least time.",
    fix: TIMES,
  },
  PROPOSAL_ERROR_CLOSE_TIME_TOO_LATE: {
    meaning: "The vote would end too late.",
    cause: "`governance.proposal.<kind>.maxClose` sets the longest time.",
    fix: TIMES,
  },
  PROPOSAL_ERROR_ENACT_TIME_TOO_SOON: {
    meaning: "The enactment would come too soon.",
    cause: "`governance.proposal.<kind>.minEnact` sets the least time.",
    fix: TIMES,
  },
  PROPOSAL_ERROR_ENACT_TIME_TOO_LATE: {
    meaning: "The enactment would come too late.",
    cause: "`governance.proposal.<kind>.maxEnact` sets the longest time.",
    fix: TIMES,
  },
  PROPOSAL_ERROR_INSUFFICIENT_TOKENS: {
    meaning: "The proposer has too few staked tokens.",
    cause: "`governance.proposal.<kind>.minProposerBalance` sets the minimum.",
    fix: FIXES.stakeMore,
  },
  PROPOSAL_ERROR_INVALID_INSTRUMENT_SECURITY: {
    meaning: "The instrument is not valid.",
    cause: "Its description contradicts itself.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_NO_PRODUCT: {
    meaning: "The market has no product.",
    cause: "The instrument names none.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_UNSUPPORTED_PRODUCT: {
    meaning: "The product is not supported.",
    cause: "Only futures are.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_NO_TRADING_MODE: {
    meaning: "The market has no trading mode.",
    cause: "It must name one.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_UNSUPPORTED_TRADING_MODE: {
    meaning: "The trading mode is not supported.",
    cause: "It is not known here.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_NODE_VALIDATION_FAILED: {
    meaning: "The validators could not confirm the asset.",
    cause:
      "Its contract is not there, or has other details than proposed; or too few of them looked in time.",
    fix: "Check the contract's address, name, symbol and decimals; give a later validation time.",
  },
  PROPOSAL_ERROR_MISSING_BUILTIN_ASSET_FIELD: {
    meaning: "A detail of the built-in asset is missing.",
    cause: "Name, symbol or the maximum of the faucet is empty.",
    fix: "Complete the details.",
  },
  PROPOSAL_ERROR_MISSING_ERC20_CONTRACT_ADDRESS: {
    meaning: "The token's contract is missing.",
    cause: "`contractAddress` is empty.",
    fix: "Give the contract's address.",
  },
  PROPOSAL_ERROR_INVALID_ASSET: {
    text: "assets is not enabled <id>",
    meaning: "The asset is not known or not usable.",
    cause: "The identifier is wrong, or the asset is not enabled.",
    fix: "GET /assets lists them.",
  },
  PROPOSAL_ERROR_INCOMPATIBLE_TIMESTAMPS: {
    meaning: "The times contradict each other.",
    cause: "The validation ends after the vote, or the vote after the enactment.",
    fix: TIMES,
  },
  PROPOSAL_ERROR_NO_RISK_PARAMETERS: {
    meaning: "The market has no risk parameters.",
    cause: "It must have them.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_NETWORK_PARAMETER_INVALID_KEY: {
    meaning: "There is no such network parameter.",
    cause: "The key is empty or misspelt.",
    fix: "GET /network/parameters lists them.",
  },
  PROPOSAL_ERROR_NETWORK_PARAMETER_INVALID_VALUE: {
    meaning: "The parameter's value is empty.",
    cause: "It must have one.",
    fix: "Give the value as text.",
  },
  PROPOSAL_ERROR_NETWORK_PARAMETER_VALIDATION_FAILED: {
    meaning: "The parameter cannot have this value.",
    cause: "It is out of range, or has another form; `errorDetails` says which.",
    fix: "Propose a value in range.",
  },
  PROPOSAL_ERROR_OPENING_AUCTION_DURATION_TOO_SMALL: {
    meaning: "The opening auction is too short.",
    cause: "`market.auction.minimumDuration` sets the least.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_OPENING_AUCTION_DURATION_TOO_LARGE: {
    meaning: "The opening auction is too long.",
    cause: "`market.auction.maximumDuration` sets the most.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_COULD_NOT_INSTANTIATE_MARKET: {
    meaning: "The market could not be made.",
    cause: "Its configuration contradicts itself.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_INVALID_FUTURE_PRODUCT: {
    meaning: "The future is not valid.",
    cause: "Its settlement asset or its oracles are not usable.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_INVALID_RISK_PARAMETER: {
    meaning: "A risk parameter is not valid.",
    cause: "It is out of range.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_MAJORITY_THRESHOLD_NOT_REACHED: {
    meaning: "Too few of the votes said yes.",
    cause: "`requiredMajority` of the proposal is the share it takes.",
    fix: PROPOSE_AGAIN,
  },
  PROPOSAL_ERROR_PARTICIPATION_THRESHOLD_NOT_REACHED: {
    meaning: "Too few tokens voted.",
    cause: "`requiredParticipation` of the proposal is the share of the supply it takes.",
    fix: PROPOSE_AGAIN,
  },
  PROPOSAL_ERROR_INVALID_ASSET_DETAILS: {
    meaning: "The asset's details are not valid.",
    cause: "A number is out of range, or the contract is not an address.",
    fix: "Correct the details.",
  },
  PROPOSAL_ERROR_UNKNOWN_TYPE: {
    meaning: "The kind of change is not known.",
    cause: "The terms name none that can be enacted here.",
    fix: "Choose another kind.",
  },
  PROPOSAL_ERROR_UNKNOWN_RISK_PARAMETER_TYPE: {
    meaning: "The kind of risk parameters is not known.",
    cause: "It is neither of the two models.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_INVALID_FREEFORM: {
    meaning: "The freeform proposal is not valid.",
    cause: "It has what such a proposal does not have.",
    fix: FIXES.leaveOut,
  },
  PROPOSAL_ERROR_INSUFFICIENT_EQUITY_LIKE_SHARE: {
    meaning: "The proposer provides too little of the market's liquidity.",
    cause: "A change of a market takes a share of it, or enough tokens.",
    fix: "Commit more liquidity, or stake more.",
  },
  PROPOSAL_ERROR_INVALID_MARKET: {
    meaning: "The market is not known, or cannot be changed.",
    cause: "The identifier is wrong, or the market has ended.",
    fix: "GET /markets lists them.",
  },
  PROPOSAL_ERROR_TOO_MANY_MARKET_DECIMAL_PLACES: {
    text: "market cannot have more decimal places than assets",
    meaning: "The market has more decimal places than its asset.",
    cause: "Prices could not be paid.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_TOO_MANY_PRICE_MONITORING_TRIGGERS: {
    text: "<n> is the maximum number of triggers",
    meaning: "The market has too many price triggers.",
    cause: "There may be a hundred at the most.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_ERC20_ADDRESS_ALREADY_IN_USE: {
    text: "erc20 address already in use",
    meaning: "Another asset has this contract.",
    cause: "A contract is listed once.",
    fix: "Propose an update of that asset.",
  },
  PROPOSAL_ERROR_LP_PRICE_RANGE_NONPOSITIVE: {
    text: "LP price range must be greater than 0",
    meaning: "The liquidity price range is not above 0.",
    cause: "It must be.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_LP_PRICE_RANGE_TOO_LARGE: {
    text: "LP price range must be less than or equal to 100",
    meaning: "The liquidity price range is too large.",
    cause: "There is a maximum.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_LINEAR_SLIPPAGE_FACTOR_OUT_OF_RANGE: {
    text: "linear slippage factor must be between 0 and 1000000",
    meaning: "The linear slippage factor is out of range.",
    cause: "It is 0 to 1,000,000.",
    fix: MARKET,
  },
  PROPOSAL_ERROR_QUADRATIC_SLIPPAGE_FACTOR_OUT_OF_RANGE: {
    text: "quadratic slippage factor must be between 0 and 1000000",
    meaning: "The quadratic slippage factor is out of range.",
    cause: "It is 0 to 1,000,000.",
    fix: MARKET,
  },
});
