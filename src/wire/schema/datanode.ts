// Requests and replies of the data node's service.
// Notation: see ./notation.ts. Fields stand in declaration order, which is the order of JSON members.
import type { PackageSchema } from "./notation.ts";

export const datanode: PackageSchema = {
  name: "datanode.api.v2",
  file: "datanode",
  messages: {
    AccountBalance: `
      2 owner string; 3 balance string; 4 asset string; 5 market_id string; 6 type vega.AccountType;`,
    AccountEdge: "1 node AccountBalance; 2 cursor string",
    AccountFilter: `
      1 asset_id string; 2 party_ids string[]; 3 market_ids string[]; 4 account_types vega.AccountType[];`,
    AccountSnapshotPage: "1 accounts AccountBalance[]; 2 last_page bool",
    AccountUpdates: "1 accounts AccountBalance[]",
    AccountsConnection: "1 edges AccountEdge[]; 2 page_info PageInfo",
    AggregatedBalance: `
      1 timestamp int64; 2 balance string; 4 party_id string?; 5 asset_id string?; 6 market_id string?;
      7 account_type vega.AccountType?;`,
    AggregatedBalanceConnection: "1 edges AggregatedBalanceEdge[]; 2 page_info PageInfo",
    AggregatedBalanceEdge: "1 node AggregatedBalance; 2 cursor string",
    AggregatedLedgerEntriesConnection: "1 edges AggregatedLedgerEntriesEdge[]; 2 page_info PageInfo",
    AggregatedLedgerEntriesEdge: "1 node AggregatedLedgerEntry; 2 cursor string",
    AggregatedLedgerEntry: `
      2 timestamp int64; 3 quantity string; 4 transfer_type vega.TransferType; 5 asset_id string?;
      6 from_account_type vega.AccountType; 7 to_account_type vega.AccountType;
      8 from_account_party_id string?; 9 to_account_party_id string?; 10 from_account_market_id string?;
      11 to_account_market_id string?; 12 from_account_balance string; 13 to_account_balance string;`,
    AssetEdge: "1 node vega.Asset; 2 cursor string",
    AssetsConnection: "1 edges AssetEdge[]; 2 page_info PageInfo",
    Candle: `
      1 start int64; 2 last_update int64; 3 high string; 4 low string; 5 open string; 6 close string;
      7 volume uint64;`,
    CandleDataConnection: "1 edges CandleEdge[]; 2 page_info PageInfo",
    CandleEdge: "1 node Candle; 2 cursor string",
    Checkpoint: "1 hash string; 2 block_hash string; 3 at_block uint64",
    CheckpointEdge: "1 node Checkpoint; 2 cursor string",
    CheckpointsConnection: "1 edges CheckpointEdge[]; 2 page_info PageInfo",
    CoreSnapshotConnection: "1 edges CoreSnapshotEdge[]; 2 page_info PageInfo",
    CoreSnapshotEdge: "1 node vega.events.v1.CoreSnapshotData; 2 cursor string",
    DateRange: "1 start_timestamp int64?; 2 end_timestamp int64?",
    DelegationEdge: "1 node vega.Delegation; 2 cursor string",
    DelegationsConnection: "1 edges DelegationEdge[]; 2 page_info PageInfo",
    DepositEdge: "1 node vega.Deposit; 2 cursor string",
    DepositsConnection: "1 edges DepositEdge[]; 2 page_info PageInfo",
    ERC20MultiSigSignerAddedBundle: `
      1 new_signer string; 2 submitter string; 4 nonce string; 5 timestamp int64; 6 signatures string;
      3 epoch_seq string;`,
    ERC20MultiSigSignerAddedBundleEdge: "1 node ERC20MultiSigSignerAddedBundle; 2 cursor string",
    ERC20MultiSigSignerAddedConnection: "1 edges ERC20MultiSigSignerAddedBundleEdge[]; 2 page_info PageInfo",
    ERC20MultiSigSignerAddedEdge: "1 node vega.events.v1.ERC20MultiSigSignerAdded; 2 cursor string",
    ERC20MultiSigSignerRemovedBundle: `
      1 old_signer string; 2 submitter string; 4 nonce string; 5 timestamp int64; 6 signatures string;
      7 epoch_seq string;`,
    ERC20MultiSigSignerRemovedBundleEdge: "1 node ERC20MultiSigSignerRemovedBundle; 2 cursor string",
    ERC20MultiSigSignerRemovedConnection:
      "1 edges ERC20MultiSigSignerRemovedBundleEdge[]; 2 page_info PageInfo",
    ERC20MultiSigSignerRemovedEdge: "1 node vega.events.v1.ERC20MultiSigSignerRemoved; 2 cursor string",
    EpochRewardSummaryConnection: "1 edges EpochRewardSummaryEdge[]; 2 page_info PageInfo",
    EpochRewardSummaryEdge: "1 node vega.EpochRewardSummary; 2 cursor string",
    EstimateFeeRequest: "1 market_id string; 2 price string; 3 size uint64",
    EstimateFeeResponse: "2 fee vega.Fee",
    EstimateMarginRequest: `
      1 market_id string; 2 party_id string; 3 side vega.Side; 4 type vega.Order.Type; 5 size uint64;
      6 price string;`,
    EstimateMarginResponse: "2 margin_levels vega.MarginLevels",
    EstimatePositionRequest: `
      1 market_id string; 2 open_volume int64; 3 orders OrderInfo[]; 4 collateral_available string?;`,
    EstimatePositionResponse: "1 margin MarginEstimate; 2 liquidation LiquidationEstimate",
    EthereumKeyRotationEdge: "1 node vega.events.v1.EthereumKeyRotation; 2 cursor string",
    EthereumKeyRotationsConnection: "1 edges EthereumKeyRotationEdge[]; 2 page_info PageInfo",
    ExportLedgerEntriesRequest: "1 party_id string; 2 asset_id string; 4 date_range DateRange?",
    ExportNetworkHistoryRequest: "1 from_block int64; 2 to_block int64; 3 table Table",
    GetActiveNetworkHistoryPeerAddressesRequest: "",
    GetActiveNetworkHistoryPeerAddressesResponse: "1 ip_addresses string[]",
    GetAssetRequest: "1 asset_id string",
    GetAssetResponse: "1 asset vega.Asset",
    GetBalanceHistoryRequest: `
      1 filter AccountFilter; 2 group_by AccountField[]; 3 pagination Pagination?;
      4 date_range DateRange?;`,
    GetBalanceHistoryResponse: "1 balances AggregatedBalanceConnection",
    GetDepositRequest: "1 id string",
    GetDepositResponse: "1 deposit vega.Deposit",
    GetERC20ListAssetBundleRequest: "1 asset_id string",
    GetERC20ListAssetBundleResponse:
      "1 asset_source string; 2 vega_asset_id string; 3 nonce string; 4 signatures string",
    GetERC20SetAssetLimitsBundleRequest: "1 proposal_id string",
    GetERC20SetAssetLimitsBundleResponse: `
      1 asset_source string; 2 vega_asset_id string; 3 nonce string; 4 lifetime_limit string;
      5 threshold string; 6 signatures string;`,
    GetERC20WithdrawalApprovalRequest: "1 withdrawal_id string",
    GetERC20WithdrawalApprovalResponse: `
      1 asset_source string; 2 amount string; 4 nonce string; 5 signatures string;
      6 target_address string; 7 creation int64;`,
    GetEpochRequest: "1 id uint64?",
    GetEpochResponse: "1 epoch vega.Epoch",
    GetGovernanceDataRequest: "1 proposal_id string?; 2 reference string?",
    GetGovernanceDataResponse: "1 data vega.GovernanceData",
    GetLastTradeRequest: "1 market_id string",
    GetLastTradeResponse: "1 trade vega.Trade",
    GetLatestMarketDataRequest: "1 market_id string",
    GetLatestMarketDataResponse: "1 market_data vega.MarketData",
    GetLatestMarketDepthRequest: "1 market_id string; 2 max_depth uint64?",
    GetLatestMarketDepthResponse: `
      1 market_id string; 2 buy vega.PriceLevel[]; 3 sell vega.PriceLevel[]; 4 last_trade vega.Trade;
      5 sequence_number uint64;`,
    GetMarketDataHistoryByIDRequest: `
      1 market_id string; 2 start_timestamp int64?; 3 end_timestamp int64?; 4 pagination Pagination?;`,
    GetMarketDataHistoryByIDResponse: "1 market_data MarketDataConnection",
    GetMarketRequest: "1 market_id string",
    GetMarketResponse: "1 market vega.Market",
    GetMostRecentNetworkHistorySegmentRequest: "",
    GetMostRecentNetworkHistorySegmentResponse: "1 segment HistorySegment; 2 swarm_key_seed string",
    GetNetworkDataRequest: "",
    GetNetworkDataResponse: "1 node_data vega.NodeData",
    GetNetworkHistoryBootstrapPeersRequest: "",
    GetNetworkHistoryBootstrapPeersResponse: "1 bootstrap_peers string[]",
    GetNetworkHistoryStatusRequest: "",
    GetNetworkHistoryStatusResponse: `
      1 ipfs_address string; 2 swarm_key string; 3 swarm_key_seed string; 5 connected_peers string[];`,
    GetNetworkLimitsRequest: "",
    GetNetworkLimitsResponse: "1 limits vega.NetworkLimits",
    GetNetworkParameterRequest: "1 key string",
    GetNetworkParameterResponse: "1 network_parameter vega.NetworkParameter",
    GetNodeRequest: "1 id string",
    GetNodeResponse: "1 node vega.Node",
    GetOracleSpecRequest: "1 oracle_spec_id string",
    GetOracleSpecResponse: "1 oracle_spec vega.OracleSpec",
    GetOrderRequest: "1 order_id string; 2 version int32?",
    GetOrderResponse: "1 order vega.Order",
    GetPartyRequest: "1 party_id string",
    GetPartyResponse: "1 party vega.Party",
    GetProtocolUpgradeStatusRequest: "",
    GetProtocolUpgradeStatusResponse: "1 ready bool",
    GetRiskFactorsRequest: "1 market_id string",
    GetRiskFactorsResponse: "1 risk_factor vega.RiskFactor",
    GetStakeRequest: "1 party_id string; 2 pagination Pagination?",
    GetStakeResponse: "1 current_stake_available string; 2 stake_linkings StakesConnection",
    GetVegaTimeRequest: "",
    GetVegaTimeResponse: "1 timestamp int64",
    GetWithdrawalRequest: "1 id string",
    GetWithdrawalResponse: "1 withdrawal vega.Withdrawal",
    GovernanceDataConnection: "1 edges GovernanceDataEdge[]; 2 page_info PageInfo",
    GovernanceDataEdge: "1 node vega.GovernanceData; 2 cursor string",
    HistorySegment: `
      1 from_height int64; 2 to_height int64; 3 history_segment_id string;
      4 previous_history_segment_id string; 5 database_version int64; 6 chain_id string;`,
    InfoRequest: "",
    InfoResponse: "1 version string; 2 commit_hash string",
    IntervalToCandleId: "1 interval string; 2 candle_id string",
    KeyRotationConnection: "1 edges KeyRotationEdge[]; 2 page_info PageInfo",
    KeyRotationEdge: "1 node vega.events.v1.KeyRotation; 2 cursor string",
    LedgerEntryFilter: `
      1 close_on_account_filters bool; 2 from_account_filter AccountFilter;
      3 to_account_filter AccountFilter; 5 transfer_types vega.TransferType[];`,
    LiquidationEstimate: "1 worst_case LiquidationPrice; 2 best_case LiquidationPrice",
    LiquidationPrice: `
      1 open_volume_only string; 2 including_buy_orders string; 3 including_sell_orders string;`,
    LiquidityProvisionsConnection: "1 edges LiquidityProvisionsEdge[]; 2 page_info PageInfo",
    LiquidityProvisionsEdge: "1 node vega.LiquidityProvision; 2 cursor string",
    ListAccountsRequest: "1 filter AccountFilter; 2 pagination Pagination?",
    ListAccountsResponse: "1 accounts AccountsConnection",
    ListAllNetworkHistorySegmentsRequest: "",
    ListAllNetworkHistorySegmentsResponse: "1 segments HistorySegment[]",
    ListAllPositionsRequest: "1 filter PositionsFilter; 2 pagination Pagination?",
    ListAllPositionsResponse: "1 positions PositionConnection",
    ListAssetsRequest: "1 asset_id string?; 2 pagination Pagination?",
    ListAssetsResponse: "1 assets AssetsConnection",
    ListBalanceChangesRequest: "1 filter AccountFilter; 5 pagination Pagination?; 6 date_range DateRange?",
    ListBalanceChangesResponse: "1 balances AggregatedBalanceConnection",
    ListCandleDataRequest: `
      1 candle_id string; 2 from_timestamp int64; 3 to_timestamp int64; 5 pagination Pagination?;`,
    ListCandleDataResponse: "1 candles CandleDataConnection",
    ListCandleIntervalsRequest: "1 market_id string",
    ListCandleIntervalsResponse: "1 interval_to_candle_id IntervalToCandleId[]",
    ListCheckpointsRequest: "1 pagination Pagination?",
    ListCheckpointsResponse: "1 checkpoints CheckpointsConnection",
    ListCoreSnapshotsRequest: "1 pagination Pagination?",
    ListCoreSnapshotsResponse: "1 core_snapshots CoreSnapshotConnection",
    ListDelegationsRequest:
      "1 party_id string?; 2 node_id string?; 3 epoch_id string?; 4 pagination Pagination?",
    ListDelegationsResponse: "1 delegations DelegationsConnection",
    ListDepositsRequest: "1 party_id string; 2 pagination Pagination?; 3 date_range DateRange?",
    ListDepositsResponse: "1 deposits DepositsConnection",
    ListERC20MultiSigSignerAddedBundlesRequest:
      "1 node_id string; 2 submitter string; 3 epoch_seq string; 4 pagination Pagination",
    ListERC20MultiSigSignerAddedBundlesResponse: "1 bundles ERC20MultiSigSignerAddedConnection",
    ListERC20MultiSigSignerRemovedBundlesRequest:
      "1 node_id string; 2 submitter string; 3 epoch_seq string; 4 pagination Pagination",
    ListERC20MultiSigSignerRemovedBundlesResponse: "1 bundles ERC20MultiSigSignerRemovedConnection",
    ListEntitiesRequest: "1 transaction_hash string",
    ListEntitiesResponse: `
      1 accounts vega.Account[]; 2 orders vega.Order[]; 3 positions vega.Position[];
      4 ledger_entries vega.LedgerEntry[]; 5 balance_changes AccountBalance[];
      6 transfers vega.events.v1.Transfer[]; 7 votes vega.Vote[];
      8 erc20_multi_sig_signer_added_bundles ERC20MultiSigSignerAddedBundle[];
      9 erc20_multi_sig_signer_removed_bundles ERC20MultiSigSignerRemovedBundle[]; 10 trades vega.Trade[];
      11 oracle_specs vega.OracleSpec[]; 12 oracle_data vega.OracleData[]; 13 markets vega.Market[];
      14 parties vega.Party[]; 15 margin_levels vega.MarginLevels[]; 16 rewards vega.Reward[];
      17 deposits vega.Deposit[]; 18 withdrawals vega.Withdrawal[]; 19 assets vega.Asset[];
      20 liquidity_provisions vega.LiquidityProvision[]; 21 proposals vega.Proposal[];
      22 delegations vega.Delegation[]; 23 nodes NodeBasic[];
      24 node_signatures vega.commands.v1.NodeSignature[]; 25 network_parameters vega.NetworkParameter[];
      26 key_rotations vega.events.v1.KeyRotation[];
      27 ethereum_key_rotations vega.events.v1.EthereumKeyRotation[];
      28 protocol_upgrade_proposals vega.events.v1.ProtocolUpgradeEvent[];`,
    ListEpochRewardSummariesRequest: "1 filter RewardSummaryFilter; 4 pagination Pagination?",
    ListEpochRewardSummariesResponse: "1 summaries EpochRewardSummaryConnection",
    ListEthereumKeyRotationsRequest: "1 node_id string?; 2 pagination Pagination?",
    ListEthereumKeyRotationsResponse: "1 key_rotations EthereumKeyRotationsConnection",
    ListGovernanceDataRequest: `
      1 proposal_state vega.Proposal.State?; 2 proposal_type ListGovernanceDataRequest.Type?;
      3 proposer_party_id string?; 4 proposal_reference string?; 5 pagination Pagination?;`,
    ListGovernanceDataResponse: "1 connection GovernanceDataConnection",
    ListKeyRotationsRequest: "1 node_id string?; 2 pagination Pagination?",
    ListKeyRotationsResponse: "1 rotations KeyRotationConnection",
    ListLatestMarketDataRequest: "",
    ListLatestMarketDataResponse: "1 markets_data vega.MarketData[]",
    ListLedgerEntriesRequest: "1 filter LedgerEntryFilter; 2 pagination Pagination?; 3 date_range DateRange?",
    ListLedgerEntriesResponse: "1 ledger_entries AggregatedLedgerEntriesConnection",
    ListLiquidityProvisionsRequest: `
      1 market_id string?; 2 party_id string?; 3 reference string?; 4 live bool?;
      5 pagination Pagination?;`,
    ListLiquidityProvisionsResponse: "1 liquidity_provisions LiquidityProvisionsConnection",
    ListMarginLevelsRequest: "1 party_id string; 2 market_id string; 3 pagination Pagination",
    ListMarginLevelsResponse: "1 margin_levels MarginConnection",
    ListMarketsRequest: "2 pagination Pagination?; 3 include_settled bool?",
    ListMarketsResponse: "1 markets MarketConnection",
    ListNetworkParametersRequest: "1 pagination Pagination?",
    ListNetworkParametersResponse: "1 network_parameters NetworkParameterConnection",
    ListNodeSignaturesRequest: "1 id string; 2 pagination Pagination?",
    ListNodeSignaturesResponse: "1 signatures NodeSignaturesConnection",
    ListNodesRequest: "1 epoch_seq uint64?; 2 pagination Pagination?",
    ListNodesResponse: "1 nodes NodesConnection",
    ListOracleDataRequest: "1 oracle_spec_id string?; 2 pagination Pagination?",
    ListOracleDataResponse: "1 oracle_data OracleDataConnection",
    ListOracleSpecsRequest: "2 pagination Pagination?",
    ListOracleSpecsResponse: "1 oracle_specs OracleSpecsConnection",
    ListOrderVersionsRequest: "1 order_id string; 4 pagination Pagination?",
    ListOrderVersionsResponse: "1 orders OrderConnection",
    ListOrdersRequest: "2 pagination Pagination?; 5 filter OrderFilter?",
    ListOrdersResponse: "1 orders OrderConnection",
    ListPartiesRequest: "1 party_id string; 2 pagination Pagination",
    ListPartiesResponse: "1 parties PartyConnection",
    ListPositionsRequest: "1 party_id string; 2 market_id string; 3 pagination Pagination?",
    ListPositionsResponse: "1 positions PositionConnection",
    ListProtocolUpgradeProposalsRequest: `
      1 status vega.events.v1.ProtocolUpgradeProposalStatus?; 2 approved_by string?;
      3 pagination Pagination?;`,
    ListProtocolUpgradeProposalsResponse: "1 protocol_upgrade_proposals ProtocolUpgradeProposalConnection",
    ListRewardSummariesRequest: "1 party_id string?; 2 asset_id string?; 3 pagination Pagination?",
    ListRewardSummariesResponse: "1 summaries vega.RewardSummary[]",
    ListRewardsRequest: `
      1 party_id string; 2 asset_id string?; 3 pagination Pagination?; 4 from_epoch uint64?;
      5 to_epoch uint64?;`,
    ListRewardsResponse: "1 rewards RewardsConnection",
    ListTradesRequest: `
      1 market_ids string[]; 2 order_ids string[]; 3 party_ids string[]; 4 pagination Pagination?;
      5 date_range DateRange?;`,
    ListTradesResponse: "1 trades TradeConnection",
    ListTransfersRequest: "1 pubkey string?; 2 direction TransferDirection; 3 pagination Pagination?",
    ListTransfersResponse: "1 transfers TransferConnection",
    ListVotesRequest: "1 party_id string?; 2 proposal_id string?; 3 pagination Pagination?",
    ListVotesResponse: "1 votes VoteConnection",
    ListWithdrawalsRequest: "1 party_id string; 2 pagination Pagination?; 3 date_range DateRange?",
    ListWithdrawalsResponse: "1 withdrawals WithdrawalsConnection",
    MarginConnection: "1 edges MarginEdge[]; 2 page_info PageInfo",
    MarginEdge: "1 node vega.MarginLevels; 2 cursor string",
    MarginEstimate: "1 worst_case vega.MarginLevels; 2 best_case vega.MarginLevels",
    MarketConnection: "1 edges MarketEdge[]; 2 page_info PageInfo",
    MarketDataConnection: "1 edges MarketDataEdge[]; 2 page_info PageInfo",
    MarketDataEdge: "1 node vega.MarketData; 2 cursor string",
    MarketEdge: "1 node vega.Market; 2 cursor string",
    NetworkParameterConnection: "1 edges NetworkParameterEdge[]; 2 page_info PageInfo",
    NetworkParameterEdge: "1 node vega.NetworkParameter; 2 cursor string",
    NodeBasic: `
      1 id string; 2 pub_key string; 3 tm_pub_key string; 4 ethereum_address string; 5 info_url string;
      6 location string; 13 status vega.NodeStatus; 17 name string; 18 avatar_url string;`,
    NodeEdge: "1 node vega.Node; 2 cursor string",
    NodeSignatureEdge: "1 node vega.commands.v1.NodeSignature; 2 cursor string",
    NodeSignaturesConnection: "1 edges NodeSignatureEdge[]; 2 page_info PageInfo",
    NodesConnection: "1 edges NodeEdge[]; 2 page_info PageInfo",
    ObserveAccountsRequest: "1 market_id string; 2 party_id string; 3 asset string; 4 type vega.AccountType",
    ObserveAccountsResponse: "1 snapshot AccountSnapshotPage @response; 2 updates AccountUpdates @response",
    ObserveCandleDataRequest: "1 candle_id string",
    ObserveCandleDataResponse: "1 candle Candle",
    ObserveDelegationsRequest: "1 party_id string?; 2 node_id string?",
    ObserveDelegationsResponse: "1 delegation vega.Delegation",
    ObserveEventBusRequest: `
      1 type vega.events.v1.BusEventType[]; 2 market_id string; 3 party_id string; 4 batch_size int64;`,
    ObserveEventBusResponse: "1 events vega.events.v1.BusEvent[]",
    ObserveGovernanceRequest: "1 party_id string?",
    ObserveGovernanceResponse: "1 data vega.GovernanceData",
    ObserveLedgerMovementsRequest: "",
    ObserveLedgerMovementsResponse: "1 ledger_movement vega.LedgerMovement",
    ObserveLiquidityProvisionsRequest: "1 market_id string?; 2 party_id string?",
    ObserveLiquidityProvisionsResponse: "1 liquidity_provisions vega.LiquidityProvision[]",
    ObserveMarginLevelsRequest: "1 party_id string; 2 market_id string?",
    ObserveMarginLevelsResponse: "1 margin_levels vega.MarginLevels",
    ObserveMarketsDataRequest: "1 market_ids string[]",
    ObserveMarketsDataResponse: "1 market_data vega.MarketData[]",
    ObserveMarketsDepthRequest: "1 market_ids string[]",
    ObserveMarketsDepthResponse: "1 market_depth vega.MarketDepth[]",
    ObserveMarketsDepthUpdatesRequest: "1 market_ids string[]",
    ObserveMarketsDepthUpdatesResponse: "1 update vega.MarketDepthUpdate[]",
    ObserveOrdersRequest: "1 market_ids string[]; 2 party_ids string[]; 3 exclude_liquidity bool?",
    ObserveOrdersResponse: "1 snapshot OrderSnapshotPage @response; 2 updates OrderUpdates @response",
    ObservePositionsRequest: "1 party_id string?; 2 market_id string?",
    ObservePositionsResponse:
      "1 snapshot PositionSnapshotPage @response; 2 updates PositionUpdates @response",
    ObserveRewardsRequest: "1 asset_id string?; 2 party_id string?",
    ObserveRewardsResponse: "1 reward vega.Reward",
    ObserveTradesRequest: "1 market_ids string[]; 2 party_ids string[]",
    ObserveTradesResponse: "1 trades vega.Trade[]",
    ObserveVotesRequest: "1 party_id string?; 2 proposal_id string?",
    ObserveVotesResponse: "1 vote vega.Vote",
    OracleDataConnection: "1 edges OracleDataEdge[]; 2 page_info PageInfo",
    OracleDataEdge: "1 node vega.OracleData; 2 cursor string",
    OracleSpecEdge: "1 node vega.OracleSpec; 2 cursor string",
    OracleSpecsConnection: "1 edges OracleSpecEdge[]; 2 page_info PageInfo",
    OrderConnection: "1 edges OrderEdge[]; 2 page_info PageInfo",
    OrderEdge: "1 node vega.Order; 2 cursor string",
    OrderFilter: `
      1 statuses vega.Order.Status[]; 2 types vega.Order.Type[];
      3 time_in_forces vega.Order.TimeInForce[]; 4 exclude_liquidity bool; 5 party_ids string[];
      6 market_ids string[]; 7 reference string?; 8 date_range DateRange?; 9 live_only bool?;`,
    OrderInfo: "1 side vega.Side; 2 price string; 3 remaining uint64; 4 is_market_order bool",
    OrderSnapshotPage: "1 orders vega.Order[]; 2 last_page bool",
    OrderUpdates: "1 orders vega.Order[]",
    PageInfo: `
      1 has_next_page bool; 2 has_previous_page bool; 3 start_cursor string; 4 end_cursor string;`,
    Pagination: `
      1 first int32?; 2 after string?; 3 last int32?; 4 before string?; 5 newest_first bool?;`,
    PartyConnection: "1 edges PartyEdge[]; 2 page_info PageInfo",
    PartyEdge: "1 node vega.Party; 2 cursor string",
    PingRequest: "",
    PingResponse: "",
    PositionConnection: "1 edges PositionEdge[]; 2 page_info PageInfo",
    PositionEdge: "1 node vega.Position; 2 cursor string",
    PositionSnapshotPage: "1 positions vega.Position[]; 2 last_page bool",
    PositionUpdates: "1 positions vega.Position[]",
    PositionsFilter: "1 party_ids string[]; 2 market_ids string[]",
    ProtocolUpgradeProposalConnection: "1 edges ProtocolUpgradeProposalEdge[]; 2 page_info PageInfo",
    ProtocolUpgradeProposalEdge: "1 node vega.events.v1.ProtocolUpgradeEvent; 2 cursor string",
    RewardEdge: "1 node vega.Reward; 2 cursor string",
    RewardSummaryFilter: `
      1 asset_ids string[]; 2 market_ids string[]; 3 from_epoch uint64?; 4 to_epoch uint64?;`,
    RewardsConnection: "1 edges RewardEdge[]; 2 page_info PageInfo",
    StakeLinkingEdge: "1 node vega.events.v1.StakeLinking; 2 cursor string",
    StakesConnection: "1 edges StakeLinkingEdge[]; 2 page_info PageInfo",
    TradeConnection: "1 edges TradeEdge[]; 2 page_info PageInfo",
    TradeEdge: "1 node vega.Trade; 2 cursor string",
    TransferConnection: "1 edges TransferEdge[]; 2 page_info PageInfo",
    TransferEdge: "1 node vega.events.v1.Transfer; 2 cursor string",
    VoteConnection: "1 edges VoteEdge[]; 2 page_info PageInfo",
    VoteEdge: "1 node vega.Vote; 2 cursor string",
    WithdrawalEdge: "1 node vega.Withdrawal; 2 cursor string",
    WithdrawalsConnection: "1 edges WithdrawalEdge[]; 2 page_info PageInfo",
  },
  enums: {
    AccountField: `
      0 ACCOUNT_FIELD_UNSPECIFIED; 1 ACCOUNT_FIELD_ID; 2 ACCOUNT_FIELD_PARTY_ID; 3 ACCOUNT_FIELD_ASSET_ID;
      4 ACCOUNT_FIELD_MARKET_ID; 5 ACCOUNT_FIELD_TYPE;`,
    LedgerEntryField: `
      0 LEDGER_ENTRY_FIELD_UNSPECIFIED; 1 LEDGER_ENTRY_FIELD_ACCOUNT_FROM_ID;
      2 LEDGER_ENTRY_FIELD_ACCOUNT_TO_ID; 3 LEDGER_ENTRY_FIELD_TRANSFER_TYPE;`,
    "ListGovernanceDataRequest.Type": `
      0 TYPE_UNSPECIFIED; 1 TYPE_ALL; 2 TYPE_NEW_MARKET; 3 TYPE_UPDATE_MARKET; 4 TYPE_NETWORK_PARAMETERS;
      5 TYPE_NEW_ASSET; 6 TYPE_NEW_FREE_FORM; 7 TYPE_UPDATE_ASSET;`,
    Table: `
      0 TABLE_UNSPECIFIED; 1 TABLE_BALANCES; 2 TABLE_CHECKPOINTS; 3 TABLE_DELEGATIONS; 4 TABLE_LEDGER;
      5 TABLE_ORDERS; 6 TABLE_TRADES; 7 TABLE_MARKET_DATA; 8 TABLE_MARGIN_LEVELS; 9 TABLE_POSITIONS;
      10 TABLE_LIQUIDITY_PROVISIONS; 11 TABLE_MARKETS; 12 TABLE_DEPOSITS; 13 TABLE_WITHDRAWALS;
      14 TABLE_BLOCKS; 15 TABLE_REWARDS;`,
    TransferDirection: `
      0 TRANSFER_DIRECTION_UNSPECIFIED; 1 TRANSFER_DIRECTION_TRANSFER_FROM;
      2 TRANSFER_DIRECTION_TRANSFER_TO; 3 TRANSFER_DIRECTION_TRANSFER_TO_OR_FROM;`,
  },
};
