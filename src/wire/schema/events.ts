// The bus events and their envelope.
// Notation: see ./notation.ts. Fields stand in declaration order, which is the order of JSON members.
import type { PackageSchema } from "./notation.ts";

export const events: PackageSchema = {
  name: "vega.events.v1",
  file: "events",
  messages: {
    AuctionEvent: `
      1 market_id string; 2 opening_auction bool; 3 leave bool; 4 start int64; 5 end int64;
      6 trigger vega.AuctionTrigger; 7 extension_trigger vega.AuctionTrigger;`,
    BeginBlock: "1 height uint64; 2 timestamp int64; 3 hash string",
    BusEvent: `
      1 id string; 2 block string; 3 type BusEventType; 4 version uint32; 5 chain_id string;
      6 tx_hash string; 101 time_update TimeUpdate @event; 102 ledger_movements LedgerMovements @event;
      103 position_resolution PositionResolution @event; 104 order vega.Order @event;
      105 account vega.Account @event; 106 party vega.Party @event; 107 trade vega.Trade @event;
      108 margin_levels vega.MarginLevels @event; 109 proposal vega.Proposal @event;
      110 vote vega.Vote @event; 111 market_data vega.MarketData @event;
      112 node_signature vega.commands.v1.NodeSignature @event;
      113 loss_socialization LossSocialization @event; 114 settle_position SettlePosition @event;
      115 settle_distressed SettleDistressed @event; 116 market_created vega.Market @event;
      117 asset vega.Asset @event; 118 market_tick MarketTick @event;
      119 withdrawal vega.Withdrawal @event; 120 deposit vega.Deposit @event;
      121 auction AuctionEvent @event; 122 risk_factor vega.RiskFactor @event;
      123 network_parameter vega.NetworkParameter @event;
      124 liquidity_provision vega.LiquidityProvision @event; 125 market_updated vega.Market @event;
      126 oracle_spec vega.OracleSpec @event; 127 oracle_data vega.OracleData @event;
      129 delegation_balance DelegationBalanceEvent @event;
      130 validator_score ValidatorScoreEvent @event; 131 epoch_event EpochEvent @event;
      132 validator_update ValidatorUpdate @event; 133 stake_linking StakeLinking @event;
      134 reward_payout RewardPayoutEvent @event; 135 checkpoint CheckpointEvent @event;
      136 key_rotation KeyRotation @event; 137 state_var StateVar @event;
      138 network_limits vega.NetworkLimits @event; 139 transfer Transfer @event;
      140 ranking_event ValidatorRankingEvent @event;
      141 erc20_multisig_signer_event ERC20MultiSigSignerEvent @event;
      142 erc20_multisig_set_threshold_event ERC20MultiSigThresholdSetEvent @event;
      143 erc20_multisig_signer_added ERC20MultiSigSignerAdded @event;
      144 erc20_multisig_signer_removed ERC20MultiSigSignerRemoved @event;
      145 position_state_event PositionStateEvent @event;
      146 ethereum_key_rotation EthereumKeyRotation @event;
      147 protocol_upgrade_event ProtocolUpgradeEvent @event; 148 begin_block BeginBlock @event;
      149 end_block EndBlock @event; 150 protocol_upgrade_started ProtocolUpgradeStarted @event;
      151 settle_market SettleMarket @event; 152 transaction_result TransactionResult @event;
      153 core_snapshot_event CoreSnapshotData @event;
      154 protocol_upgrade_data_node_ready ProtocolUpgradeDataNodeReady @event;
      155 distressed_orders DistressedOrders @event; 156 expired_orders ExpiredOrders @event;
      157 distressed_positions DistressedPositions @event; 1001 market MarketEvent @event;
      2001 tx_err_event TxErrorEvent @event;`,
    CheckpointEvent: "1 hash string; 2 block_hash string; 3 block_height uint64",
    CoreSnapshotData: `
      1 block_height uint64; 2 block_hash string; 3 core_version string; 4 protocol_upgrade_block bool;`,
    DelegationBalanceEvent: "1 party string; 2 node_id string; 3 amount string; 4 epoch_seq string",
    DistressedOrders: "1 market_id string; 2 parties string[]",
    DistressedPositions: "1 market_id string; 2 distressed_parties string[]; 3 safe_parties string[]",
    ERC20MultiSigSignerAdded: `
      1 signature_id string; 2 validator_id string; 3 timestamp int64; 4 new_signer string;
      5 submitter string; 6 nonce string; 7 epoch_seq string;`,
    ERC20MultiSigSignerEvent: `
      1 id string; 2 type ERC20MultiSigSignerEvent.Type; 3 signer string; 4 nonce string;
      5 block_time int64; 6 tx_hash string; 7 log_index uint64; 8 block_number uint64;`,
    ERC20MultiSigSignerRemoved: `
      1 signature_submitters ERC20MultiSigSignerRemovedSubmitter[]; 2 validator_id string;
      3 timestamp int64; 4 old_signer string; 5 nonce string; 6 epoch_seq string;`,
    ERC20MultiSigSignerRemovedSubmitter: "1 signature_id string; 2 submitter string",
    ERC20MultiSigThresholdSetEvent: `
      1 id string; 2 new_threshold uint32; 3 nonce string; 4 block_time int64; 5 tx_hash string;
      6 log_index uint64; 7 block_number uint64;`,
    EndBlock: "1 height uint64",
    EpochEvent: `
      1 seq uint64; 2 action vega.EpochAction; 3 start_time int64; 4 expire_time int64; 5 end_time int64;`,
    EthereumKeyRotation:
      "1 node_id string; 2 old_address string; 3 new_address string; 4 block_height uint64",
    ExpiredOrders: "1 market_id string; 2 order_ids string[]",
    KeyRotation: "1 node_id string; 2 old_pub_key string; 3 new_pub_key string; 4 block_height uint64",
    LedgerMovements: "1 ledger_movements vega.LedgerMovement[]",
    LossSocialization: "1 market_id string; 2 party_id string; 3 amount string",
    MarketEvent: "1 market_id string; 2 payload string",
    MarketTick: "1 id string; 2 time int64",
    OneOffTransfer: "1 deliver_on int64",
    PositionResolution: "1 market_id string; 2 distressed int64; 3 closed int64; 4 mark_price string",
    PositionStateEvent: `
      1 party_id string; 2 market_id string; 3 size int64; 4 potential_buys int64;
      5 potential_sells int64; 6 vw_buy_price string; 7 vw_sell_price string;`,
    ProtocolUpgradeDataNodeReady: "1 last_block_height uint64",
    ProtocolUpgradeEvent: `
      1 upgrade_block_height uint64; 2 vega_release_tag string; 3 approvers string[];
      4 status ProtocolUpgradeProposalStatus;`,
    ProtocolUpgradeStarted: "1 last_block_height uint64",
    RecurringTransfer: `
      1 start_epoch uint64; 2 end_epoch uint64?; 3 factor string;
      4 dispatch_strategy vega.DispatchStrategy;`,
    RewardPayoutEvent: `
      1 party string; 2 epoch_seq string; 3 asset string; 4 amount string;
      5 percent_of_total_reward string; 6 timestamp int64; 7 reward_type string; 8 market string;`,
    SettleDistressed: "1 market_id string; 2 party_id string; 3 margin string; 4 price string",
    SettleMarket: "1 market_id string; 2 price string; 3 position_factor string",
    SettlePosition: `
      1 market_id string; 2 party_id string; 3 price string; 4 trade_settlements TradeSettlement[];
      5 position_factor string;`,
    StakeLinking: `
      1 id string; 2 type StakeLinking.Type; 3 ts int64; 4 party string; 5 amount string;
      6 status StakeLinking.Status; 7 finalized_at int64; 8 tx_hash string; 9 block_height uint64;
      10 block_time int64; 11 log_index uint64; 12 ethereum_address string;`,
    StateVar: "1 id string; 2 event_id string; 3 state string",
    StreamStartEvent: "1 chain_id string",
    TimeUpdate: "1 timestamp int64",
    TradeSettlement: "1 size int64; 2 price string; 3 market_price string",
    TransactionResult: `
      1 party_id string; 2 status bool; 3 hash string;
      101 order_submission vega.commands.v1.OrderSubmission @transaction;
      102 order_amendment vega.commands.v1.OrderAmendment @transaction;
      103 order_cancellation vega.commands.v1.OrderCancellation @transaction;
      104 proposal vega.commands.v1.ProposalSubmission @transaction;
      105 vote_submission vega.commands.v1.VoteSubmission @transaction;
      106 liquidity_provision_submission vega.commands.v1.LiquidityProvisionSubmission @transaction;
      107 withdraw_submission vega.commands.v1.WithdrawSubmission @transaction;
      108 delegate_submission vega.commands.v1.DelegateSubmission @transaction;
      109 undelegate_submission vega.commands.v1.UndelegateSubmission @transaction;
      111 liquidity_provision_cancellation vega.commands.v1.LiquidityProvisionCancellation @transaction;
      112 liquidity_provision_amendment vega.commands.v1.LiquidityProvisionAmendment @transaction;
      113 transfer vega.commands.v1.Transfer @transaction;
      114 cancel_transfer vega.commands.v1.CancelTransfer @transaction;
      115 announce_node vega.commands.v1.AnnounceNode @transaction;
      116 oracle_data_submission vega.commands.v1.OracleDataSubmission @transaction;
      117 protocol_upgrade_proposal vega.commands.v1.ProtocolUpgradeProposal @transaction;
      118 issue_signatures vega.commands.v1.IssueSignatures @transaction;
      119 batch_market_instructions vega.commands.v1.BatchMarketInstructions @transaction;
      120 key_rotate_submission vega.commands.v1.KeyRotateSubmission @transaction;
      121 ethereum_key_rotate_submission vega.commands.v1.EthereumKeyRotateSubmission @transaction;
      1001 success TransactionResult.SuccessDetails @extra;
      1002 failure TransactionResult.FailureDetails @extra;`,
    "TransactionResult.FailureDetails": "1 error string",
    "TransactionResult.SuccessDetails": "",
    Transfer: `
      1 id string; 2 from string; 3 from_account_type vega.AccountType; 4 to string;
      5 to_account_type vega.AccountType; 6 asset string; 7 amount string; 8 reference string;
      9 status Transfer.Status; 10 timestamp int64; 11 reason string?; 101 one_off OneOffTransfer @kind;
      102 recurring RecurringTransfer @kind;`,
    TxErrorEvent: `
      1 party_id string; 2 err_msg string;
      101 order_submission vega.commands.v1.OrderSubmission @transaction;
      102 order_amendment vega.commands.v1.OrderAmendment @transaction;
      103 order_cancellation vega.commands.v1.OrderCancellation @transaction;
      104 proposal vega.commands.v1.ProposalSubmission @transaction;
      105 vote_submission vega.commands.v1.VoteSubmission @transaction;
      106 liquidity_provision_submission vega.commands.v1.LiquidityProvisionSubmission @transaction;
      107 withdraw_submission vega.commands.v1.WithdrawSubmission @transaction;
      108 delegate_submission vega.commands.v1.DelegateSubmission @transaction;
      109 undelegate_submission vega.commands.v1.UndelegateSubmission @transaction;
      111 liquidity_provision_cancellation vega.commands.v1.LiquidityProvisionCancellation @transaction;
      112 liquidity_provision_amendment vega.commands.v1.LiquidityProvisionAmendment @transaction;
      113 transfer vega.commands.v1.Transfer @transaction;
      114 cancel_transfer vega.commands.v1.CancelTransfer @transaction;
      115 announce_node vega.commands.v1.AnnounceNode @transaction;
      116 oracle_data_submission vega.commands.v1.OracleDataSubmission @transaction;
      117 protocol_upgrade_proposal vega.commands.v1.ProtocolUpgradeProposal @transaction;
      118 issue_signatures vega.commands.v1.IssueSignatures @transaction;
      119 batch_market_instructions vega.commands.v1.BatchMarketInstructions @transaction;`,
    ValidatorRankingEvent: `
      1 node_id string; 2 stake_score string; 3 performance_score string; 4 ranking_score string;
      5 previous_status string; 6 next_status string; 7 epoch_seq string; 8 tm_voting_power uint32;`,
    ValidatorScoreEvent: `
      1 node_id string; 2 epoch_seq string; 3 validator_score string; 4 normalised_score string;
      5 validator_performance string; 6 raw_validator_score string; 7 validator_status string;
      8 multisig_score string;`,
    ValidatorUpdate: `
      1 node_id string; 2 vega_pub_key string; 3 ethereum_address string; 4 tm_pub_key string;
      5 info_url string; 6 country string; 7 name string; 8 avatar_url string;
      9 vega_pub_key_index uint32; 10 added bool; 11 from_epoch uint64; 12 submitter_address string;
      13 epoch_seq uint64;`,
  },
  enums: {
    BusEventType: `
      0 BUS_EVENT_TYPE_UNSPECIFIED; 1 BUS_EVENT_TYPE_ALL; 2 BUS_EVENT_TYPE_TIME_UPDATE;
      3 BUS_EVENT_TYPE_LEDGER_MOVEMENTS; 4 BUS_EVENT_TYPE_POSITION_RESOLUTION; 5 BUS_EVENT_TYPE_ORDER;
      6 BUS_EVENT_TYPE_ACCOUNT; 7 BUS_EVENT_TYPE_PARTY; 8 BUS_EVENT_TYPE_TRADE;
      9 BUS_EVENT_TYPE_MARGIN_LEVELS; 10 BUS_EVENT_TYPE_PROPOSAL; 11 BUS_EVENT_TYPE_VOTE;
      12 BUS_EVENT_TYPE_MARKET_DATA; 13 BUS_EVENT_TYPE_NODE_SIGNATURE;
      14 BUS_EVENT_TYPE_LOSS_SOCIALIZATION; 15 BUS_EVENT_TYPE_SETTLE_POSITION;
      16 BUS_EVENT_TYPE_SETTLE_DISTRESSED; 17 BUS_EVENT_TYPE_MARKET_CREATED; 18 BUS_EVENT_TYPE_ASSET;
      19 BUS_EVENT_TYPE_MARKET_TICK; 20 BUS_EVENT_TYPE_WITHDRAWAL; 21 BUS_EVENT_TYPE_DEPOSIT;
      22 BUS_EVENT_TYPE_AUCTION; 23 BUS_EVENT_TYPE_RISK_FACTOR; 24 BUS_EVENT_TYPE_NETWORK_PARAMETER;
      25 BUS_EVENT_TYPE_LIQUIDITY_PROVISION; 26 BUS_EVENT_TYPE_MARKET_UPDATED;
      27 BUS_EVENT_TYPE_ORACLE_SPEC; 28 BUS_EVENT_TYPE_ORACLE_DATA; 29 BUS_EVENT_TYPE_DELEGATION_BALANCE;
      30 BUS_EVENT_TYPE_VALIDATOR_SCORE; 31 BUS_EVENT_TYPE_EPOCH_UPDATE;
      32 BUS_EVENT_TYPE_VALIDATOR_UPDATE; 33 BUS_EVENT_TYPE_STAKE_LINKING;
      34 BUS_EVENT_TYPE_REWARD_PAYOUT_EVENT; 35 BUS_EVENT_TYPE_CHECKPOINT; 36 BUS_EVENT_TYPE_STREAM_START;
      37 BUS_EVENT_TYPE_KEY_ROTATION; 38 BUS_EVENT_TYPE_STATE_VAR; 39 BUS_EVENT_TYPE_NETWORK_LIMITS;
      40 BUS_EVENT_TYPE_TRANSFER; 41 BUS_EVENT_TYPE_VALIDATOR_RANKING;
      42 BUS_EVENT_TYPE_ERC20_MULTI_SIG_SIGNER_EVENT; 43 BUS_EVENT_TYPE_ERC20_MULTI_SIG_SET_THRESHOLD;
      44 BUS_EVENT_TYPE_ERC20_MULTI_SIG_SIGNER_ADDED; 45 BUS_EVENT_TYPE_ERC20_MULTI_SIG_SIGNER_REMOVED;
      46 BUS_EVENT_TYPE_POSITION_STATE; 47 BUS_EVENT_TYPE_ETHEREUM_KEY_ROTATION;
      48 BUS_EVENT_TYPE_PROTOCOL_UPGRADE_PROPOSAL; 49 BUS_EVENT_TYPE_BEGIN_BLOCK;
      50 BUS_EVENT_TYPE_END_BLOCK; 51 BUS_EVENT_TYPE_PROTOCOL_UPGRADE_STARTED;
      52 BUS_EVENT_TYPE_SETTLE_MARKET; 53 BUS_EVENT_TYPE_TRANSACTION_RESULT;
      54 BUS_EVENT_TYPE_SNAPSHOT_TAKEN; 55 BUS_EVENT_TYPE_PROTOCOL_UPGRADE_DATA_NODE_READY;
      56 BUS_EVENT_TYPE_DISTRESSED_ORDERS_CLOSED; 57 BUS_EVENT_TYPE_EXPIRED_ORDERS;
      58 BUS_EVENT_TYPE_DISTRESSED_POSITIONS; 101 BUS_EVENT_TYPE_MARKET; 201 BUS_EVENT_TYPE_TX_ERROR;`,
    "ERC20MultiSigSignerEvent.Type": "0 TYPE_UNSPECIFIED; 1 TYPE_ADDED; 2 TYPE_REMOVED",
    ProtocolUpgradeProposalStatus: `
      0 PROTOCOL_UPGRADE_PROPOSAL_STATUS_UNSPECIFIED; 1 PROTOCOL_UPGRADE_PROPOSAL_STATUS_PENDING;
      2 PROTOCOL_UPGRADE_PROPOSAL_STATUS_APPROVED; 3 PROTOCOL_UPGRADE_PROPOSAL_STATUS_REJECTED;`,
    "StakeLinking.Status": "0 STATUS_UNSPECIFIED; 1 STATUS_PENDING; 2 STATUS_ACCEPTED; 3 STATUS_REJECTED",
    "StakeLinking.Type": "0 TYPE_UNSPECIFIED; 1 TYPE_LINK; 2 TYPE_UNLINK",
    "Transfer.Status": `
      0 STATUS_UNSPECIFIED; 1 STATUS_PENDING; 2 STATUS_DONE; 3 STATUS_REJECTED; 4 STATUS_STOPPED;
      5 STATUS_CANCELLED;`,
  },
};
