// Components of a checkpoint, with which another chain can begin.
// Notation: see ./notation.ts. Fields stand in declaration order, which is the order of JSON members.
import type { PackageSchema } from "./notation.ts";

export const checkpoint: PackageSchema = {
  name: "vega.checkpoint.v1",
  file: "checkpoint",
  messages: {
    AssetAction: `
      1 id string; 2 state uint32; 3 asset string; 4 block_number uint64; 5 tx_index uint64;
      6 hash string; 7 builtin_deposit vega.BuiltinAssetDeposit; 8 erc20_deposit vega.ERC20Deposit;
      9 asset_list vega.ERC20AssetList; 10 erc20_asset_limits_updated vega.ERC20AssetLimitsUpdated;
      11 erc20_bridge_stopped bool; 12 erc20_bridge_resumed bool;`,
    AssetBalance: "1 party string; 2 asset string; 3 balance string",
    AssetEntry: "1 id string; 2 asset_details vega.AssetDetails",
    Assets: "1 assets AssetEntry[]; 2 pending_listing_assets AssetEntry[]",
    Banking: `
      1 transfers_at_time ScheduledTransferAtTime[]; 2 recurring_transfers RecurringTransfers;
      3 bridge_state BridgeState; 4 asset_actions AssetAction[]; 5 last_seen_eth_block uint64;
      6 seen_refs string[];`,
    Block: "1 height int64",
    BridgeState: "1 active bool; 2 block_height uint64; 3 log_index uint64",
    Checkpoint: `
      1 governance bytes; 2 assets bytes; 3 collateral bytes; 4 network_parameters bytes;
      5 delegation bytes; 6 epoch bytes; 7 block bytes; 8 rewards bytes; 9 banking bytes;
      10 validators bytes; 11 staking bytes; 12 multisig_control bytes; 13 market_tracker bytes;`,
    CheckpointState: "1 hash bytes; 2 state bytes",
    Collateral: "1 balances AssetBalance[]",
    Delegate: "1 active DelegateEntry[]; 2 pending DelegateEntry[]; 3 auto_delegation string[]",
    DelegateEntry: `
      1 party string; 2 node string; 3 amount string; 4 undelegate bool; 5 epoch_seq uint64;`,
    MarketActivityTracker: `
      1 market string; 2 asset string; 3 maker_fees_received PartyFees[]; 4 maker_fees_paid PartyFees[];
      5 lp_fees PartyFees[]; 6 proposer string; 7 bonus_paid string[]; 8 value_traded string;
      9 ready_to_delete bool;`,
    MarketTracker: "1 market_activity MarketActivityTracker[]",
    MultisigControl: `
      1 signers vega.events.v1.ERC20MultiSigSignerEvent[];
      2 threshold_set vega.events.v1.ERC20MultiSigThresholdSetEvent; 3 last_block_seen uint64;`,
    NetParams: "1 params vega.NetworkParameter[]",
    PartyAmount: "1 party string; 2 amount string",
    PartyFees: "1 party string; 2 fee string",
    PendingEthereumKeyRotation:
      "1 relative_target_block_height uint64; 2 node_id string; 3 new_address string",
    PendingKeyRotation: `
      1 relative_target_block_height uint64; 2 node_id string; 3 new_pub_key string;
      4 new_pub_key_index uint32;`,
    PendingRewardPayout: `
      1 from_account string; 2 asset string; 3 party_amount PartyAmount[]; 4 total_reward string;
      5 epoch_seq string; 6 timestamp int64;`,
    Proposals: "1 proposals vega.Proposal[]",
    RecurringTransfers: "1 recurring_transfers vega.events.v1.Transfer[]",
    RewardPayout: "1 payout_time int64; 2 rewards_payout PendingRewardPayout[]",
    Rewards: "1 rewards RewardPayout[]",
    ScheduledTransfer: `
      1 transfer vega.Transfer; 2 account_type vega.AccountType; 3 reference string;
      4 oneoff_transfer vega.events.v1.Transfer;`,
    ScheduledTransferAtTime: "1 deliver_on int64; 2 transfers ScheduledTransfer[]",
    Staking: "1 accepted vega.events.v1.StakeLinking[]; 2 last_block_seen uint64",
    ValidatorState: `
      1 validator_update vega.events.v1.ValidatorUpdate; 2 status int32; 3 eth_events_forwarded uint64;
      4 validator_power int64; 5 ranking_score vega.RankingScore; 6 heartbeat_block_index int32;
      7 heartbeat_block_sigs bool[];`,
    Validators: `
      1 validator_state ValidatorState[]; 2 pending_key_rotations PendingKeyRotation[];
      3 pending_ethereum_key_rotations PendingEthereumKeyRotation[];`,
  },
  enums: {},
};
