// Requests and replies of the core node's services.
// Notation: see ./notation.ts. Fields stand in declaration order, which is the order of JSON members.
import type { PackageSchema } from "./notation.ts";

export const coreApi: PackageSchema = {
  name: "vega.api.v1",
  file: "core-api",
  messages: {
    Account: "1 party string; 2 market string; 3 balance string; 5 asset string; 6 type string",
    CheckRawTransactionRequest: "1 tx bytes",
    CheckRawTransactionResponse: `
      1 success bool; 2 code uint32; 3 gas_wanted int64; 4 gas_used int64; 5 data string; 6 log string;
      7 info string;`,
    CheckTransactionRequest: "1 tx vega.commands.v1.Transaction",
    CheckTransactionResponse: `
      1 success bool; 2 code uint32; 3 gas_wanted int64; 4 gas_used int64; 5 data string; 6 log string;
      7 info string;`,
    GetSpamStatisticsRequest: "1 party_id string",
    GetSpamStatisticsResponse: "1 chain_id string; 2 statistics SpamStatistics",
    GetVegaTimeRequest: "",
    GetVegaTimeResponse: "1 timestamp int64",
    LastBlockHeightRequest: "",
    LastBlockHeightResponse: `
      1 height uint64; 2 hash string; 3 spam_pow_hash_function string; 4 spam_pow_difficulty uint32;
      5 spam_pow_number_of_past_blocks uint32; 6 spam_pow_number_of_tx_per_block uint32;
      7 spam_pow_increasing_difficulty bool; 8 chain_id string;`,
    ListAccountsRequest: "1 party string; 2 market string",
    ListAccountsResponse: "1 accounts Account[]",
    ListAssetsRequest: "1 asset string",
    ListAssetsResponse: "1 assets vega.Asset[]",
    ListDelegationsRequest: "1 party string; 2 node string; 3 epoch_seq string",
    ListDelegationsResponse: "1 delegations vega.Delegation[]",
    ListMarketsDataRequest: "1 market string",
    ListMarketsDataResponse: "1 markets_data vega.MarketData[]",
    ListMarketsRequest: "1 market string",
    ListMarketsResponse: "1 markets vega.Market[]",
    ListNetworkLimitsRequest: "",
    ListNetworkLimitsResponse: "1 network_limits vega.NetworkLimits",
    ListNetworkParametersRequest: "1 network_parameter_key string",
    ListNetworkParametersResponse: "1 network_parameters vega.NetworkParameter[]",
    ListPartiesRequest: "",
    ListPartiesResponse: "1 parties vega.Party[]",
    ListPartiesStakeRequest: "1 party string",
    ListPartiesStakeResponse: "1 parties_stake PartyStake[]",
    ListProposalsRequest: "1 proposal string; 2 proposer string",
    ListProposalsResponse: "1 proposals vega.Proposal[]",
    ListValidatorsRequest: "",
    ListValidatorsResponse: "1 validators vega.events.v1.ValidatorUpdate[]",
    ListVotesRequest: "1 proposal string; 2 party string",
    ListVotesResponse: "1 votes vega.Vote[]",
    ObserveEventBusRequest: `
      1 type vega.events.v1.BusEventType[]; 2 market_id string; 3 party_id string; 4 batch_size int64;`,
    ObserveEventBusResponse: "1 events vega.events.v1.BusEvent[]",
    PartyStake: `
      1 party string; 2 current_stake_available string; 3 stake_linkings vega.events.v1.StakeLinking[];`,
    PoWBlockState: `
      1 block_height uint64; 2 block_hash string; 3 transactions_seen uint64;
      4 expected_difficulty uint64?; 5 hash_function string; 6 difficulty uint64; 7 tx_per_block uint64;
      8 increasing_difficulty bool;`,
    PoWStatistic: `
      1 block_states PoWBlockState[]; 2 banned_until string?; 3 number_of_past_blocks uint64;`,
    PropagateChainEventRequest: "1 event bytes; 2 pub_key string; 3 signature bytes",
    PropagateChainEventResponse: "1 success bool",
    SpamStatistic: `
      1 count_for_epoch uint64; 2 max_for_epoch uint64; 4 banned_until string?;
      5 min_tokens_required string;`,
    SpamStatistics: `
      1 proposals SpamStatistic; 2 delegations SpamStatistic; 3 transfers SpamStatistic;
      4 node_announcements SpamStatistic; 5 votes VoteSpamStatistics; 6 pow PoWStatistic;
      7 issue_signatures SpamStatistic; 8 epoch_seq uint64;`,
    Statistics: `
      1 block_height uint64; 2 backlog_length uint64; 3 total_peers uint64; 4 genesis_time string;
      5 current_time string; 6 vega_time string; 7 status vega.ChainStatus; 8 tx_per_block uint64;
      9 average_tx_bytes uint64; 10 average_orders_per_block uint64; 11 trades_per_second uint64;
      12 orders_per_second uint64; 13 total_markets uint64; 16 total_amend_order uint64;
      17 total_cancel_order uint64; 18 total_create_order uint64; 19 total_orders uint64;
      20 total_trades uint64; 21 order_subscriptions uint32; 22 trade_subscriptions uint32;
      23 candle_subscriptions uint32; 24 market_depth_subscriptions uint32;
      25 positions_subscriptions uint32; 26 account_subscriptions uint32;
      27 market_data_subscriptions uint32; 28 app_version_hash string; 29 app_version string;
      30 chain_version string; 31 block_duration uint64; 32 uptime string; 33 chain_id string;
      34 market_depth_updates_subscriptions uint32; 35 block_hash string; 36 epoch_seq uint64;
      37 epoch_start_time string; 38 epoch_expiry_time string; 39 event_count uint64;
      40 events_per_second uint64;`,
    StatisticsRequest: "",
    StatisticsResponse: "1 statistics Statistics",
    SubmitRawTransactionRequest: "1 tx bytes; 2 type SubmitRawTransactionRequest.Type",
    SubmitRawTransactionResponse: `
      1 success bool; 2 tx_hash string; 3 code uint32; 4 data string; 5 log string; 6 height int64;`,
    SubmitTransactionRequest: "1 tx vega.commands.v1.Transaction; 2 type SubmitTransactionRequest.Type",
    SubmitTransactionResponse: `
      1 success bool; 2 tx_hash string; 3 code uint32; 4 data string; 5 log string; 6 height int64;`,
    VoteSpamStatistic: "1 proposal string; 2 count_for_epoch uint64; 3 min_tokens_required string",
    VoteSpamStatistics: "1 statistics VoteSpamStatistic[]; 2 max_for_epoch uint64; 3 banned_until string?",
  },
  enums: {
    "SubmitRawTransactionRequest.Type": "0 TYPE_UNSPECIFIED; 1 TYPE_ASYNC; 2 TYPE_SYNC; 3 TYPE_COMMIT",
    "SubmitTransactionRequest.Type": "0 TYPE_UNSPECIFIED; 1 TYPE_ASYNC; 2 TYPE_SYNC; 3 TYPE_COMMIT",
  },
};
