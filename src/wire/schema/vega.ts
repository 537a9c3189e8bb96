// The domain itself: assets, orders, markets, governance, accounts.
// Notation: see ./notation.ts. Fields stand in declaration order, which is the order of JSON members.
import type { PackageSchema } from "./notation.ts";

export const vega: PackageSchema = {
  name: "vega",
  file: "vega",
  messages: {
    Account: `
      1 id string; 2 owner string; 3 balance string; 4 asset string; 5 market_id string;
      6 type AccountType;`,
    AccountDetails: "1 asset_id string; 2 type AccountType; 3 owner string?; 4 market_id string?",
    Asset: "1 id string; 2 details AssetDetails; 3 status Asset.Status",
    AssetDetails: `
      1 name string; 2 symbol string; 4 decimals uint64; 5 quantum string;
      101 builtin_asset BuiltinAsset @source; 102 erc20 ERC20 @source;`,
    AssetDetailsUpdate: "5 quantum string; 101 erc20 ERC20Update @source",
    AuctionDuration: "1 duration int64; 2 volume uint64",
    AuctionIndicativeState: `
      1 market_id string; 2 indicative_price string; 3 indicative_volume uint64; 4 auction_start int64;
      5 auction_end int64;`,
    BuiltinAsset: "1 max_faucet_amount_mint string",
    BuiltinAssetDeposit: "1 vega_asset_id string; 2 party_id string; 3 amount string",
    BuiltinAssetEvent: `
      1001 deposit BuiltinAssetDeposit @action; 1002 withdrawal BuiltinAssetWithdrawal @action;`,
    BuiltinAssetWithdrawal: "1 vega_asset_id string; 2 party_id string; 3 amount string",
    Candle: `
      1 timestamp int64; 2 datetime string; 3 high string; 4 low string; 5 open string; 6 close string;
      7 volume uint64; 8 interval Interval;`,
    DataSourceDefinition: `
      1 internal DataSourceDefinitionInternal @source_type;
      2 external DataSourceDefinitionExternal @source_type;`,
    DataSourceDefinitionExternal: "1 oracle DataSourceSpecConfiguration @source_type",
    DataSourceDefinitionInternal: "1 time DataSourceSpecConfigurationTime @source_type",
    DataSourceSpec: `
      1 id string; 2 created_at int64; 3 updated_at int64; 4 data DataSourceDefinition;
      5 status DataSourceSpec.Status;`,
    DataSourceSpecConfiguration: "1 signers vega.data.v1.Signer[]; 2 filters vega.data.v1.Filter[]",
    DataSourceSpecConfigurationTime: "1 conditions vega.data.v1.Condition[]",
    DataSourceSpecToFutureBinding: "1 settlement_data_property string; 2 trading_termination_property string",
    Delegation: "1 party string; 2 node_id string; 3 amount string; 4 epoch_seq string",
    Deposit: `
      1 id string; 2 status Deposit.Status; 3 party_id string; 4 asset string; 5 amount string;
      6 tx_hash string; 7 credited_timestamp int64; 8 created_timestamp int64;`,
    DispatchStrategy: "1 asset_for_metric string; 2 metric DispatchMetric; 3 markets string[]",
    ERC20: "1 contract_address string; 2 lifetime_limit string; 3 withdraw_threshold string",
    ERC20AssetDelist: "1 vega_asset_id string",
    ERC20AssetLimitsUpdated: `
      1 vega_asset_id string; 2 source_ethereum_address string; 3 lifetime_limits string;
      4 withdraw_threshold string;`,
    ERC20AssetList: "1 vega_asset_id string; 2 asset_source string",
    ERC20Deposit: `
      1 vega_asset_id string; 2 source_ethereum_address string; 3 target_party_id string; 4 amount string;`,
    ERC20Event: `
      1 index uint64; 2 block uint64; 1001 asset_list ERC20AssetList @action;
      1002 asset_delist ERC20AssetDelist @action; 1003 deposit ERC20Deposit @action;
      1004 withdrawal ERC20Withdrawal @action; 1005 asset_limits_updated ERC20AssetLimitsUpdated @action;
      1006 bridge_stopped bool @action; 1007 bridge_resumed bool @action;`,
    ERC20MultiSigEvent: `
      1 index uint64; 2 block uint64; 1001 signer_added ERC20SignerAdded @action;
      1002 signer_removed ERC20SignerRemoved @action; 1003 threshold_set ERC20ThresholdSet @action;`,
    ERC20SignerAdded: "1 new_signer string; 2 nonce string; 3 block_time int64",
    ERC20SignerRemoved: "1 old_signer string; 2 nonce string; 3 block_time int64",
    ERC20ThresholdSet: "1 new_threshold uint32; 2 nonce string; 3 block_time int64",
    ERC20Update: "1 lifetime_limit string; 2 withdraw_threshold string",
    ERC20Withdrawal: "1 vega_asset_id string; 2 target_ethereum_address string; 3 reference_nonce string",
    Epoch: `
      1 seq uint64; 2 timestamps EpochTimestamps; 3 validators Node[]; 4 delegations Delegation[];`,
    EpochData: "1 total int32; 2 offline int32; 3 online int32",
    EpochParticipation: "1 epoch Epoch; 2 offline uint64; 3 online uint64; 4 total_rewards double",
    EpochRewardSummary: `
      1 epoch uint64; 2 asset_id string; 3 market_id string; 4 reward_type string; 5 amount string;`,
    EpochTimestamps: `
      1 start_time int64; 2 expiry_time int64; 3 end_time int64; 4 first_block uint64;
      5 last_block uint64;`,
    Erc20WithdrawExt: "1 receiver_address string",
    ErrorDetail: "1 code int32; 2 message string; 3 inner string",
    EthereumConfig: `
      1 network_id string; 2 chain_id string; 3 collateral_bridge_contract EthereumContractConfig;
      4 confirmations uint32; 5 staking_bridge_contract EthereumContractConfig;
      6 token_vesting_contract EthereumContractConfig; 7 multisig_control_contract EthereumContractConfig;`,
    EthereumContractConfig: "1 address string; 6 deployment_block_height uint64",
    ExternalDataSourceSpec: "1 spec DataSourceSpec",
    Fee: "1 maker_fee string; 2 infrastructure_fee string; 3 liquidity_fee string",
    FeeFactors: "1 maker_fee string; 2 infrastructure_fee string; 3 liquidity_fee string",
    Fees: "1 factors FeeFactors",
    FinancialAmount: "1 amount string; 2 asset string",
    Future: `
      1 settlement_asset string; 2 quote_name string;
      3 data_source_spec_for_settlement_data DataSourceSpec;
      4 data_source_spec_for_trading_termination DataSourceSpec;
      5 data_source_spec_binding DataSourceSpecToFutureBinding;`,
    FutureProduct: `
      1 settlement_asset string; 2 quote_name string;
      3 data_source_spec_for_settlement_data DataSourceDefinition;
      4 data_source_spec_for_trading_termination DataSourceDefinition;
      5 data_source_spec_binding DataSourceSpecToFutureBinding;`,
    GovernanceData: `
      1 proposal Proposal; 2 yes Vote[]; 3 no Vote[]; 4 yes_party map<Vote>; 5 no_party map<Vote>;`,
    Instrument: `
      1 id string; 2 code string; 3 name string; 4 metadata InstrumentMetadata;
      100 future Future @product;`,
    InstrumentConfiguration: "1 name string; 2 code string; 100 future FutureProduct @product",
    InstrumentMetadata: "1 tags string[]",
    KeyValueBundle: "1 key string; 2 tolerance string; 3 value StateVarValue",
    LedgerEntry: `
      1 from_account AccountDetails; 2 to_account AccountDetails; 3 amount string; 4 type TransferType;
      5 timestamp int64; 6 from_account_balance string; 7 to_account_balance string;`,
    LedgerMovement: "1 entries LedgerEntry[]; 2 balances PostTransferBalance[]",
    LiquidityMonitoringParameters: `
      1 target_stake_parameters TargetStakeParameters; 2 triggering_ratio string;
      3 auction_extension int64;`,
    LiquidityOrder: "1 reference PeggedReference; 2 proportion uint32; 3 offset string",
    LiquidityOrderReference: "1 order_id string; 2 liquidity_order LiquidityOrder",
    LiquidityProviderFeeShare: `
      1 party string; 2 equity_like_share string; 3 average_entry_valuation string;
      4 average_score string;`,
    LiquidityProvision: `
      1 id string; 2 party_id string; 3 created_at int64; 4 updated_at int64; 5 market_id string;
      6 commitment_amount string; 7 fee string; 8 sells LiquidityOrderReference[];
      9 buys LiquidityOrderReference[]; 10 version uint64; 11 status LiquidityProvision.Status;
      12 reference string;`,
    LogNormalModelParams: "1 mu double; 2 r double; 3 sigma double",
    LogNormalRiskModel: "1 risk_aversion_parameter double; 2 tau double; 3 params LogNormalModelParams",
    MarginCalculator: "1 scaling_factors ScalingFactors",
    MarginLevels: `
      1 maintenance_margin string; 2 search_level string; 3 initial_margin string;
      4 collateral_release_level string; 5 party_id string; 6 market_id string; 7 asset string;
      8 timestamp int64;`,
    Market: `
      1 id string; 2 tradable_instrument TradableInstrument; 3 decimal_places uint64; 4 fees Fees;
      5 opening_auction AuctionDuration; 6 price_monitoring_settings PriceMonitoringSettings;
      7 liquidity_monitoring_parameters LiquidityMonitoringParameters; 8 trading_mode Market.TradingMode;
      9 state Market.State; 10 market_timestamps MarketTimestamps; 11 position_decimal_places int64;
      12 lp_price_range string; 13 linear_slippage_factor string; 14 quadratic_slippage_factor string;`,
    MarketData: `
      1 mark_price string; 2 best_bid_price string; 3 best_bid_volume uint64; 4 best_offer_price string;
      5 best_offer_volume uint64; 6 best_static_bid_price string; 7 best_static_bid_volume uint64;
      8 best_static_offer_price string; 9 best_static_offer_volume uint64; 10 mid_price string;
      11 static_mid_price string; 12 market string; 13 timestamp int64; 14 open_interest uint64;
      15 auction_end int64; 16 auction_start int64; 17 indicative_price string;
      18 indicative_volume uint64; 19 market_trading_mode Market.TradingMode; 20 trigger AuctionTrigger;
      21 extension_trigger AuctionTrigger; 22 target_stake string; 23 supplied_stake string;
      24 price_monitoring_bounds PriceMonitoringBounds[]; 25 market_value_proxy string;
      26 liquidity_provider_fee_share LiquidityProviderFeeShare[]; 27 market_state Market.State;
      28 next_mark_to_market int64; 29 last_traded_price string;`,
    MarketDepth: `
      1 market_id string; 2 buy PriceLevel[]; 3 sell PriceLevel[]; 4 sequence_number uint64;`,
    MarketDepthUpdate: `
      1 market_id string; 2 buy PriceLevel[]; 3 sell PriceLevel[]; 4 sequence_number uint64;
      5 previous_sequence_number uint64;`,
    MarketTimestamps: "1 proposed int64; 2 pending int64; 3 open int64; 4 close int64",
    MatrixValue: "1 value VectorValue[]",
    NetworkLimits: `
      1 can_propose_market bool; 2 can_propose_asset bool; 4 propose_market_enabled bool;
      5 propose_asset_enabled bool; 7 genesis_loaded bool; 8 propose_market_enabled_from int64;
      9 propose_asset_enabled_from int64;`,
    NetworkParameter: "1 key string; 2 value string",
    NewAsset: "1 changes AssetDetails",
    NewFreeform: "",
    NewMarket: "1 changes NewMarketConfiguration",
    NewMarketConfiguration: `
      1 instrument InstrumentConfiguration; 2 decimal_places uint64; 3 metadata string[];
      4 price_monitoring_parameters PriceMonitoringParameters;
      5 liquidity_monitoring_parameters LiquidityMonitoringParameters;
      100 simple SimpleModelParams @risk_parameters; 101 log_normal LogNormalRiskModel @risk_parameters;
      6 position_decimal_places int64; 8 lp_price_range string; 9 linear_slippage_factor string;
      10 quadratic_slippage_factor string;`,
    Node: `
      1 id string; 2 pub_key string; 3 tm_pub_key string; 4 ethereum_address string; 5 info_url string;
      6 location string; 7 staked_by_operator string; 8 staked_by_delegates string; 9 staked_total string;
      10 max_intended_stake string; 11 pending_stake string; 12 epoch_data EpochData;
      13 status NodeStatus; 14 delegations Delegation[]; 15 reward_score RewardScore;
      16 ranking_score RankingScore; 17 name string; 18 avatar_url string;`,
    NodeData: `
      1 staked_total string; 2 total_nodes uint32; 3 inactive_nodes uint32; 4 tendermint_nodes NodeSet;
      5 ersatz_nodes NodeSet; 6 pending_nodes NodeSet; 7 uptime float;`,
    NodeSet: `
      1 total uint32; 2 inactive uint32; 3 promoted string[]; 4 demoted string[]; 5 maximum uint32?;`,
    OracleData: "1 external_data vega.data.v1.ExternalData",
    OracleSpec: "1 external_data_source_spec ExternalDataSourceSpec",
    Order: `
      1 id string; 2 market_id string; 3 party_id string; 4 side Side; 5 price string; 6 size uint64;
      7 remaining uint64; 8 time_in_force Order.TimeInForce; 9 type Order.Type; 10 created_at int64;
      11 status Order.Status; 12 expires_at int64; 13 reference string; 14 reason OrderError?;
      15 updated_at int64; 16 version uint64; 17 batch_id uint64; 18 pegged_order PeggedOrder;
      19 liquidity_provision_id string; 20 post_only bool; 21 reduce_only bool;`,
    OrderCancellationConfirmation: "1 order Order",
    OrderConfirmation: "1 order Order; 2 trades Trade[]; 3 passive_orders_affected Order[]",
    Party: "1 id string",
    PeggedOrder: "1 reference PeggedReference; 2 offset string",
    Position: `
      1 market_id string; 2 party_id string; 3 open_volume int64; 4 realised_pnl string;
      5 unrealised_pnl string; 6 average_entry_price string; 7 updated_at int64;
      8 loss_socialisation_amount string; 9 position_status PositionStatus;`,
    PositionTrade: "1 volume int64; 2 price string",
    PostTransferBalance: "1 account AccountDetails; 2 balance string",
    PriceLevel: "1 price string; 2 number_of_orders uint64; 3 volume uint64",
    PriceMonitoringBounds: `
      1 min_valid_price string; 2 max_valid_price string; 3 trigger PriceMonitoringTrigger;
      4 reference_price string;`,
    PriceMonitoringParameters: "1 triggers PriceMonitoringTrigger[]",
    PriceMonitoringSettings: "1 parameters PriceMonitoringParameters",
    PriceMonitoringTrigger: "1 horizon int64; 2 probability string; 3 auction_extension int64",
    Proposal: `
      1 id string; 2 reference string; 3 party_id string; 4 state Proposal.State; 5 timestamp int64;
      6 terms ProposalTerms; 7 reason ProposalError?; 8 error_details string?;
      9 rationale ProposalRationale; 10 required_participation string; 11 required_majority string;
      12 required_liquidity_provider_participation string?;
      13 required_liquidity_provider_majority string?;`,
    ProposalRationale: "1 description string; 4 title string",
    ProposalTerms: `
      1 closing_timestamp int64; 2 enactment_timestamp int64; 3 validation_timestamp int64;
      101 update_market UpdateMarket @change; 102 new_market NewMarket @change;
      103 update_network_parameter UpdateNetworkParameter @change; 104 new_asset NewAsset @change;
      105 new_freeform NewFreeform @change; 106 update_asset UpdateAsset @change;`,
    RankingScore: `
      1 stake_score string; 2 performance_score string; 3 previous_status ValidatorNodeStatus;
      4 status ValidatorNodeStatus; 5 voting_power uint32; 6 ranking_score string;`,
    Reward: `
      1 asset_id string; 2 party_id string; 3 epoch uint64; 4 amount string; 5 percentage_of_total string;
      6 received_at int64; 7 market_id string; 8 reward_type string;`,
    RewardScore: `
      1 raw_validator_score string; 2 performance_score string; 3 multisig_score string;
      4 validator_score string; 5 normalised_score string; 6 validator_status ValidatorNodeStatus;`,
    RewardSummary: "1 asset_id string; 2 party_id string; 3 amount string",
    RiskFactor: "1 market string; 2 short string; 3 long string",
    ScalarValue: "1 value string",
    ScalingFactors: "1 search_level double; 2 initial_margin double; 3 collateral_release double",
    SimpleModelParams: `
      1 factor_long double; 2 factor_short double; 3 max_move_up double; 4 min_move_down double;
      5 probability_of_trading double;`,
    SimpleRiskModel: "1 params SimpleModelParams",
    StakeDeposited: `
      1 ethereum_address string; 2 vega_public_key string; 3 amount string; 4 block_time int64;`,
    StakeRemoved: `
      1 ethereum_address string; 2 vega_public_key string; 3 amount string; 4 block_time int64;`,
    StakeTotalSupply: "1 token_address string; 2 total_supply string",
    StakingEvent: `
      1 index uint64; 2 block uint64; 1001 stake_deposited StakeDeposited @action;
      1002 stake_removed StakeRemoved @action; 1003 total_supply StakeTotalSupply @action;`,
    StateValueProposal: "1 state_var_id string; 2 event_id string; 3 kvb KeyValueBundle[]",
    StateVarValue: `
      1 scalar_val ScalarValue @value; 2 vector_val VectorValue @value; 3 matrix_val MatrixValue @value;`,
    TargetStakeParameters: "1 time_window int64; 2 scaling_factor double",
    TradableInstrument: `
      1 instrument Instrument; 2 margin_calculator MarginCalculator;
      100 log_normal_risk_model LogNormalRiskModel @risk_model;
      101 simple_risk_model SimpleRiskModel @risk_model;`,
    Trade: `
      1 id string; 2 market_id string; 3 price string; 4 size uint64; 5 buyer string; 6 seller string;
      7 aggressor Side; 8 buy_order string; 9 sell_order string; 10 timestamp int64; 11 type Trade.Type;
      12 buyer_fee Fee; 13 seller_fee Fee; 14 buyer_auction_batch uint64; 15 seller_auction_batch uint64;`,
    TradeSet: "1 trades Trade[]",
    Transfer: `
      1 owner string; 2 amount FinancialAmount; 3 type TransferType; 4 min_amount string;
      5 market_id string;`,
    TransferRequest: `
      1 from_account Account[]; 2 to_account Account[]; 3 amount string; 4 min_amount string;
      5 asset string; 7 type TransferType;`,
    UpdateAsset: "1 asset_id string; 2 changes AssetDetailsUpdate",
    UpdateFutureProduct: `
      1 quote_name string; 2 data_source_spec_for_settlement_data DataSourceDefinition;
      3 data_source_spec_for_trading_termination DataSourceDefinition;
      4 data_source_spec_binding DataSourceSpecToFutureBinding;`,
    UpdateInstrumentConfiguration: "1 code string; 100 future UpdateFutureProduct @product",
    UpdateMarket: "1 market_id string; 2 changes UpdateMarketConfiguration",
    // The oneof stands where NewMarketConfiguration has it (that one is recorded, this one is inferred).
    UpdateMarketConfiguration: `
      1 instrument UpdateInstrumentConfiguration; 2 metadata string[];
      3 price_monitoring_parameters PriceMonitoringParameters;
      4 liquidity_monitoring_parameters LiquidityMonitoringParameters;
      100 simple SimpleModelParams @risk_parameters; 101 log_normal LogNormalRiskModel @risk_parameters;
      5 lp_price_range string; 6 linear_slippage_factor string; 7 quadratic_slippage_factor string;`,
    UpdateNetworkParameter: "1 changes NetworkParameter",
    VectorValue: "1 value string[]",
    Vote: `
      1 party_id string; 2 value Vote.Value; 3 proposal_id string; 4 timestamp int64;
      5 total_governance_token_balance string; 6 total_governance_token_weight string;
      7 total_equity_like_share_weight string;`,
    WithdrawExt: "1 erc20 Erc20WithdrawExt @ext",
    Withdrawal: `
      1 id string; 2 party_id string; 3 amount string; 4 asset string; 5 status Withdrawal.Status;
      6 ref string; 8 tx_hash string; 9 created_timestamp int64; 10 withdrawn_timestamp int64;
      11 ext WithdrawExt;`,
  },
  enums: {
    AccountType: `
      0 ACCOUNT_TYPE_UNSPECIFIED; 1 ACCOUNT_TYPE_INSURANCE; 2 ACCOUNT_TYPE_SETTLEMENT;
      3 ACCOUNT_TYPE_MARGIN; 4 ACCOUNT_TYPE_GENERAL; 5 ACCOUNT_TYPE_FEES_INFRASTRUCTURE;
      6 ACCOUNT_TYPE_FEES_LIQUIDITY; 7 ACCOUNT_TYPE_FEES_MAKER; 9 ACCOUNT_TYPE_BOND;
      10 ACCOUNT_TYPE_EXTERNAL; 11 ACCOUNT_TYPE_GLOBAL_INSURANCE; 12 ACCOUNT_TYPE_GLOBAL_REWARD;
      13 ACCOUNT_TYPE_PENDING_TRANSFERS; 14 ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES;
      15 ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES; 16 ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES;
      17 ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS;`,
    "Asset.Status": `
      0 STATUS_UNSPECIFIED; 1 STATUS_PROPOSED; 2 STATUS_REJECTED; 3 STATUS_PENDING_LISTING;
      4 STATUS_ENABLED;`,
    AuctionTrigger: `
      0 AUCTION_TRIGGER_UNSPECIFIED; 1 AUCTION_TRIGGER_BATCH; 2 AUCTION_TRIGGER_OPENING;
      3 AUCTION_TRIGGER_PRICE; 4 AUCTION_TRIGGER_LIQUIDITY; 5 AUCTION_TRIGGER_LIQUIDITY_TARGET_NOT_MET;
      6 AUCTION_TRIGGER_UNABLE_TO_DEPLOY_LP_ORDERS;`,
    ChainStatus: `
      0 CHAIN_STATUS_UNSPECIFIED; 1 CHAIN_STATUS_DISCONNECTED; 2 CHAIN_STATUS_REPLAYING;
      3 CHAIN_STATUS_CONNECTED;`,
    "DataSourceSpec.Status": "0 STATUS_UNSPECIFIED; 1 STATUS_ACTIVE; 2 STATUS_DEACTIVATED",
    "Deposit.Status": "0 STATUS_UNSPECIFIED; 1 STATUS_OPEN; 2 STATUS_CANCELLED; 3 STATUS_FINALIZED",
    DispatchMetric: `
      0 DISPATCH_METRIC_UNSPECIFIED; 1 DISPATCH_METRIC_MAKER_FEES_PAID;
      2 DISPATCH_METRIC_MAKER_FEES_RECEIVED; 3 DISPATCH_METRIC_LP_FEES_RECEIVED;
      4 DISPATCH_METRIC_MARKET_VALUE;`,
    EpochAction: "0 EPOCH_ACTION_UNSPECIFIED; 1 EPOCH_ACTION_START; 2 EPOCH_ACTION_END",
    Interval: `
      -1 INTERVAL_BLOCK; 0 INTERVAL_UNSPECIFIED; 60 INTERVAL_I1M; 300 INTERVAL_I5M; 900 INTERVAL_I15M;
      3600 INTERVAL_I1H; 21600 INTERVAL_I6H; 86400 INTERVAL_I1D;`,
    "LiquidityProvision.Status": `
      0 STATUS_UNSPECIFIED; 1 STATUS_ACTIVE; 2 STATUS_STOPPED; 3 STATUS_CANCELLED; 4 STATUS_REJECTED;
      5 STATUS_UNDEPLOYED; 6 STATUS_PENDING;`,
    "Market.State": `
      0 STATE_UNSPECIFIED; 1 STATE_PROPOSED; 2 STATE_REJECTED; 3 STATE_PENDING; 4 STATE_CANCELLED;
      5 STATE_ACTIVE; 6 STATE_SUSPENDED; 7 STATE_CLOSED; 8 STATE_TRADING_TERMINATED; 9 STATE_SETTLED;`,
    "Market.TradingMode": `
      0 TRADING_MODE_UNSPECIFIED; 1 TRADING_MODE_CONTINUOUS; 2 TRADING_MODE_BATCH_AUCTION;
      3 TRADING_MODE_OPENING_AUCTION; 4 TRADING_MODE_MONITORING_AUCTION; 5 TRADING_MODE_NO_TRADING;`,
    NodeStatus: "0 NODE_STATUS_UNSPECIFIED; 1 NODE_STATUS_VALIDATOR; 2 NODE_STATUS_NON_VALIDATOR",
    "Order.Status": `
      0 STATUS_UNSPECIFIED; 1 STATUS_ACTIVE; 2 STATUS_EXPIRED; 3 STATUS_CANCELLED; 4 STATUS_STOPPED;
      5 STATUS_FILLED; 6 STATUS_REJECTED; 7 STATUS_PARTIALLY_FILLED; 8 STATUS_PARKED;`,
    "Order.TimeInForce": `
      0 TIME_IN_FORCE_UNSPECIFIED; 1 TIME_IN_FORCE_GTC; 2 TIME_IN_FORCE_GTT; 3 TIME_IN_FORCE_IOC;
      4 TIME_IN_FORCE_FOK; 5 TIME_IN_FORCE_GFA; 6 TIME_IN_FORCE_GFN;`,
    "Order.Type": "0 TYPE_UNSPECIFIED; 1 TYPE_LIMIT; 2 TYPE_MARKET; 3 TYPE_NETWORK",
    OrderError: `
      0 ORDER_ERROR_UNSPECIFIED; 1 ORDER_ERROR_INVALID_MARKET_ID; 2 ORDER_ERROR_INVALID_ORDER_ID;
      3 ORDER_ERROR_OUT_OF_SEQUENCE; 4 ORDER_ERROR_INVALID_REMAINING_SIZE; 5 ORDER_ERROR_TIME_FAILURE;
      6 ORDER_ERROR_REMOVAL_FAILURE; 7 ORDER_ERROR_INVALID_EXPIRATION_DATETIME;
      8 ORDER_ERROR_INVALID_ORDER_REFERENCE; 9 ORDER_ERROR_EDIT_NOT_ALLOWED; 10 ORDER_ERROR_AMEND_FAILURE;
      11 ORDER_ERROR_NOT_FOUND; 12 ORDER_ERROR_INVALID_PARTY_ID; 13 ORDER_ERROR_MARKET_CLOSED;
      14 ORDER_ERROR_MARGIN_CHECK_FAILED; 15 ORDER_ERROR_MISSING_GENERAL_ACCOUNT;
      16 ORDER_ERROR_INTERNAL_ERROR; 17 ORDER_ERROR_INVALID_SIZE; 18 ORDER_ERROR_INVALID_PERSISTENCE;
      19 ORDER_ERROR_INVALID_TYPE; 20 ORDER_ERROR_SELF_TRADING;
      21 ORDER_ERROR_INSUFFICIENT_FUNDS_TO_PAY_FEES; 22 ORDER_ERROR_INCORRECT_MARKET_TYPE;
      23 ORDER_ERROR_INVALID_TIME_IN_FORCE; 24 ORDER_ERROR_CANNOT_SEND_GFN_ORDER_DURING_AN_AUCTION;
      25 ORDER_ERROR_CANNOT_SEND_GFA_ORDER_DURING_CONTINUOUS_TRADING;
      26 ORDER_ERROR_CANNOT_AMEND_TO_GTT_WITHOUT_EXPIRYAT; 27 ORDER_ERROR_EXPIRYAT_BEFORE_CREATEDAT;
      28 ORDER_ERROR_CANNOT_HAVE_GTC_AND_EXPIRYAT; 29 ORDER_ERROR_CANNOT_AMEND_TO_FOK_OR_IOC;
      30 ORDER_ERROR_CANNOT_AMEND_TO_GFA_OR_GFN; 31 ORDER_ERROR_CANNOT_AMEND_FROM_GFA_OR_GFN;
      32 ORDER_ERROR_CANNOT_SEND_IOC_ORDER_DURING_AUCTION;
      33 ORDER_ERROR_CANNOT_SEND_FOK_ORDER_DURING_AUCTION; 34 ORDER_ERROR_MUST_BE_LIMIT_ORDER;
      35 ORDER_ERROR_MUST_BE_GTT_OR_GTC; 36 ORDER_ERROR_WITHOUT_REFERENCE_PRICE;
      37 ORDER_ERROR_BUY_CANNOT_REFERENCE_BEST_ASK_PRICE;
      40 ORDER_ERROR_OFFSET_MUST_BE_GREATER_OR_EQUAL_TO_ZERO;
      41 ORDER_ERROR_SELL_CANNOT_REFERENCE_BEST_BID_PRICE;
      42 ORDER_ERROR_OFFSET_MUST_BE_GREATER_THAN_ZERO; 43 ORDER_ERROR_INSUFFICIENT_ASSET_BALANCE;
      44 ORDER_ERROR_CANNOT_AMEND_PEGGED_ORDER_DETAILS_ON_NON_PEGGED_ORDER;
      45 ORDER_ERROR_UNABLE_TO_REPRICE_PEGGED_ORDER; 46 ORDER_ERROR_UNABLE_TO_AMEND_PRICE_ON_PEGGED_ORDER;
      47 ORDER_ERROR_NON_PERSISTENT_ORDER_OUT_OF_PRICE_BOUNDS; 48 ORDER_ERROR_TOO_MANY_PEGGED_ORDERS;
      49 ORDER_ERROR_POST_ONLY_ORDER_WOULD_TRADE;
      50 ORDER_ERROR_REDUCE_ONLY_ORDER_WOULD_NOT_REDUCE_POSITION;`,
    PeggedReference: `
      0 PEGGED_REFERENCE_UNSPECIFIED; 1 PEGGED_REFERENCE_MID; 2 PEGGED_REFERENCE_BEST_BID;
      3 PEGGED_REFERENCE_BEST_ASK;`,
    PositionStatus: `
      0 POSITION_STATUS_UNSPECIFIED; 1 POSITION_STATUS_ORDERS_CLOSED; 2 POSITION_STATUS_CLOSED_OUT;
      4 POSITION_STATUS_DISTRESSED;`,
    "Proposal.State": `
      0 STATE_UNSPECIFIED; 1 STATE_FAILED; 2 STATE_OPEN; 3 STATE_PASSED; 4 STATE_REJECTED;
      5 STATE_DECLINED; 6 STATE_ENACTED; 7 STATE_WAITING_FOR_NODE_VOTE;`,
    ProposalError: `
      0 PROPOSAL_ERROR_UNSPECIFIED; 1 PROPOSAL_ERROR_CLOSE_TIME_TOO_SOON;
      2 PROPOSAL_ERROR_CLOSE_TIME_TOO_LATE; 3 PROPOSAL_ERROR_ENACT_TIME_TOO_SOON;
      4 PROPOSAL_ERROR_ENACT_TIME_TOO_LATE; 5 PROPOSAL_ERROR_INSUFFICIENT_TOKENS;
      6 PROPOSAL_ERROR_INVALID_INSTRUMENT_SECURITY; 7 PROPOSAL_ERROR_NO_PRODUCT;
      8 PROPOSAL_ERROR_UNSUPPORTED_PRODUCT; 11 PROPOSAL_ERROR_NO_TRADING_MODE;
      12 PROPOSAL_ERROR_UNSUPPORTED_TRADING_MODE; 13 PROPOSAL_ERROR_NODE_VALIDATION_FAILED;
      14 PROPOSAL_ERROR_MISSING_BUILTIN_ASSET_FIELD; 15 PROPOSAL_ERROR_MISSING_ERC20_CONTRACT_ADDRESS;
      16 PROPOSAL_ERROR_INVALID_ASSET; 17 PROPOSAL_ERROR_INCOMPATIBLE_TIMESTAMPS;
      18 PROPOSAL_ERROR_NO_RISK_PARAMETERS; 19 PROPOSAL_ERROR_NETWORK_PARAMETER_INVALID_KEY;
      20 PROPOSAL_ERROR_NETWORK_PARAMETER_INVALID_VALUE;
      21 PROPOSAL_ERROR_NETWORK_PARAMETER_VALIDATION_FAILED;
      22 PROPOSAL_ERROR_OPENING_AUCTION_DURATION_TOO_SMALL;
      23 PROPOSAL_ERROR_OPENING_AUCTION_DURATION_TOO_LARGE;
      25 PROPOSAL_ERROR_COULD_NOT_INSTANTIATE_MARKET; 26 PROPOSAL_ERROR_INVALID_FUTURE_PRODUCT;
      30 PROPOSAL_ERROR_INVALID_RISK_PARAMETER; 31 PROPOSAL_ERROR_MAJORITY_THRESHOLD_NOT_REACHED;
      32 PROPOSAL_ERROR_PARTICIPATION_THRESHOLD_NOT_REACHED; 33 PROPOSAL_ERROR_INVALID_ASSET_DETAILS;
      34 PROPOSAL_ERROR_UNKNOWN_TYPE; 35 PROPOSAL_ERROR_UNKNOWN_RISK_PARAMETER_TYPE;
      36 PROPOSAL_ERROR_INVALID_FREEFORM; 37 PROPOSAL_ERROR_INSUFFICIENT_EQUITY_LIKE_SHARE;
      38 PROPOSAL_ERROR_INVALID_MARKET; 39 PROPOSAL_ERROR_TOO_MANY_MARKET_DECIMAL_PLACES;
      40 PROPOSAL_ERROR_TOO_MANY_PRICE_MONITORING_TRIGGERS;
      41 PROPOSAL_ERROR_ERC20_ADDRESS_ALREADY_IN_USE; 42 PROPOSAL_ERROR_LP_PRICE_RANGE_NONPOSITIVE;
      43 PROPOSAL_ERROR_LP_PRICE_RANGE_TOO_LARGE; 44 PROPOSAL_ERROR_LINEAR_SLIPPAGE_FACTOR_OUT_OF_RANGE;
      45 PROPOSAL_ERROR_QUADRATIC_SLIPPAGE_FACTOR_OUT_OF_RANGE;`,
    Side: "0 SIDE_UNSPECIFIED; 1 SIDE_BUY; 2 SIDE_SELL",
    "Trade.Type": `
      0 TYPE_UNSPECIFIED; 1 TYPE_DEFAULT; 2 TYPE_NETWORK_CLOSE_OUT_GOOD; 3 TYPE_NETWORK_CLOSE_OUT_BAD;`,
    TransferType: `
      0 TRANSFER_TYPE_UNSPECIFIED; 1 TRANSFER_TYPE_LOSS; 2 TRANSFER_TYPE_WIN; 4 TRANSFER_TYPE_MTM_LOSS;
      5 TRANSFER_TYPE_MTM_WIN; 6 TRANSFER_TYPE_MARGIN_LOW; 7 TRANSFER_TYPE_MARGIN_HIGH;
      8 TRANSFER_TYPE_MARGIN_CONFISCATED; 9 TRANSFER_TYPE_MAKER_FEE_PAY;
      10 TRANSFER_TYPE_MAKER_FEE_RECEIVE; 11 TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY;
      12 TRANSFER_TYPE_INFRASTRUCTURE_FEE_DISTRIBUTE; 13 TRANSFER_TYPE_LIQUIDITY_FEE_PAY;
      14 TRANSFER_TYPE_LIQUIDITY_FEE_DISTRIBUTE; 15 TRANSFER_TYPE_BOND_LOW; 16 TRANSFER_TYPE_BOND_HIGH;
      18 TRANSFER_TYPE_WITHDRAW; 19 TRANSFER_TYPE_DEPOSIT; 20 TRANSFER_TYPE_BOND_SLASHING;
      21 TRANSFER_TYPE_REWARD_PAYOUT; 22 TRANSFER_TYPE_TRANSFER_FUNDS_SEND;
      23 TRANSFER_TYPE_TRANSFER_FUNDS_DISTRIBUTE; 24 TRANSFER_TYPE_CLEAR_ACCOUNT;
      25 TRANSFER_TYPE_CHECKPOINT_BALANCE_RESTORE;`,
    ValidatorNodeStatus: `
      0 VALIDATOR_NODE_STATUS_UNSPECIFIED; 1 VALIDATOR_NODE_STATUS_TENDERMINT;
      2 VALIDATOR_NODE_STATUS_ERSATZ; 3 VALIDATOR_NODE_STATUS_PENDING;`,
    "Vote.Value": "0 VALUE_UNSPECIFIED; 1 VALUE_NO; 2 VALUE_YES",
    "Withdrawal.Status": "0 STATUS_UNSPECIFIED; 1 STATUS_OPEN; 2 STATUS_REJECTED; 3 STATUS_FINALIZED",
  },
};
