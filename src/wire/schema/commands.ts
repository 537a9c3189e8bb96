// Commands of parties and validators, and the envelope of a transaction.
// Notation: see ./notation.ts. Fields stand in declaration order, which is the order of JSON members.
import type { PackageSchema } from "./notation.ts";

export const commands: PackageSchema = {
  name: "vega.commands.v1",
  file: "commands",
  messages: {
    AnnounceNode: `
      1 vega_pub_key string; 2 ethereum_address string; 3 chain_pub_key string; 4 info_url string;
      5 country string; 6 id string; 7 name string; 8 avatar_url string; 9 vega_pub_key_index uint32;
      10 from_epoch uint64; 11 ethereum_signature Signature; 12 vega_signature Signature;
      13 submitter_address string;`,
    BatchMarketInstructions: `
      1 cancellations OrderCancellation[]; 2 amendments OrderAmendment[]; 3 submissions OrderSubmission[];`,
    CancelTransfer: "1 transfer_id string",
    ChainEvent: `
      1 tx_id string; 2 nonce uint64; 1001 builtin vega.BuiltinAssetEvent @event;
      1002 erc20 vega.ERC20Event @event; 1005 staking_event vega.StakingEvent @event;
      1006 erc20_multisig vega.ERC20MultiSigEvent @event;`,
    DelegateSubmission: "1 node_id string; 2 amount string",
    EthereumKeyRotateSubmission: `
      1 target_block uint64; 2 new_address string; 3 current_address string; 4 submitter_address string;
      5 ethereum_signature Signature;`,
    InputData: `
      1 nonce uint64; 2 block_height uint64; 1001 order_submission OrderSubmission @command;
      1002 order_cancellation OrderCancellation @command; 1003 order_amendment OrderAmendment @command;
      1004 withdraw_submission WithdrawSubmission @command;
      1005 proposal_submission ProposalSubmission @command; 1006 vote_submission VoteSubmission @command;
      1007 liquidity_provision_submission LiquidityProvisionSubmission @command;
      1008 delegate_submission DelegateSubmission @command;
      1009 undelegate_submission UndelegateSubmission @command;
      1010 liquidity_provision_cancellation LiquidityProvisionCancellation @command;
      1011 liquidity_provision_amendment LiquidityProvisionAmendment @command;
      1012 transfer Transfer @command; 1013 cancel_transfer CancelTransfer @command;
      1014 announce_node AnnounceNode @command;
      1015 batch_market_instructions BatchMarketInstructions @command; 2002 node_vote NodeVote @command;
      2003 node_signature NodeSignature @command; 2004 chain_event ChainEvent @command;
      2005 key_rotate_submission KeyRotateSubmission @command;
      2006 state_variable_proposal StateVariableProposal @command;
      2007 validator_heartbeat ValidatorHeartbeat @command;
      2008 ethereum_key_rotate_submission EthereumKeyRotateSubmission @command;
      2009 protocol_upgrade_proposal ProtocolUpgradeProposal @command;
      2010 issue_signatures IssueSignatures @command;
      3001 oracle_data_submission OracleDataSubmission @command;`,
    IssueSignatures: "1 submitter string; 2 kind NodeSignatureKind; 3 validator_node_id string",
    KeyRotateSubmission: `
      1 new_pub_key_index uint32; 2 target_block uint64; 3 new_pub_key string;
      4 current_pub_key_hash string;`,
    LiquidityProvisionAmendment: `
      1 market_id string; 2 commitment_amount string; 3 fee string; 4 sells vega.LiquidityOrder[];
      5 buys vega.LiquidityOrder[]; 6 reference string;`,
    LiquidityProvisionCancellation: "1 market_id string",
    LiquidityProvisionSubmission: `
      1 market_id string; 2 commitment_amount string; 3 fee string; 4 sells vega.LiquidityOrder[];
      5 buys vega.LiquidityOrder[]; 6 reference string;`,
    NodeSignature: "1 id string; 2 sig bytes; 3 kind NodeSignatureKind",
    NodeVote: "2 reference string; 3 type NodeVote.Type",
    OneOffTransfer: "1 deliver_on int64",
    OracleDataSubmission: "1 source OracleDataSubmission.OracleSource; 2 payload bytes",
    OrderAmendment: `
      1 order_id string; 2 market_id string; 3 price string?; 4 size_delta int64; 5 expires_at int64?;
      6 time_in_force vega.Order.TimeInForce; 7 pegged_offset string;
      8 pegged_reference vega.PeggedReference;`,
    OrderCancellation: "1 order_id string; 2 market_id string",
    OrderSubmission: `
      1 market_id string; 2 price string; 3 size uint64; 4 side vega.Side;
      5 time_in_force vega.Order.TimeInForce; 6 expires_at int64; 7 type vega.Order.Type;
      8 reference string; 9 pegged_order vega.PeggedOrder; 10 post_only bool; 11 reduce_only bool;`,
    ProofOfWork: "1 tid string; 2 nonce uint64",
    ProposalSubmission: "1 reference string; 2 terms vega.ProposalTerms; 3 rationale vega.ProposalRationale",
    ProtocolUpgradeProposal: "1 upgrade_block_height uint64; 2 vega_release_tag string",
    RecurringTransfer: `
      1 start_epoch uint64; 2 end_epoch uint64?; 3 factor string;
      4 dispatch_strategy vega.DispatchStrategy;`,
    Signature: "1 value string; 2 algo string; 3 version uint32",
    StateVariableProposal: "1 proposal vega.StateValueProposal",
    Transaction: `
      1 input_data bytes; 2 signature Signature; 1001 address string @from; 1002 pub_key string @from;
      2000 version TxVersion; 3000 pow ProofOfWork;`,
    Transfer: `
      1 from_account_type vega.AccountType; 2 to string; 3 to_account_type vega.AccountType;
      4 asset string; 5 amount string; 6 reference string; 101 one_off OneOffTransfer @kind;
      102 recurring RecurringTransfer @kind;`,
    UndelegateSubmission: "1 node_id string; 2 amount string; 3 method UndelegateSubmission.Method",
    ValidatorHeartbeat: `
      1 node_id string; 2 ethereum_signature Signature; 3 vega_signature Signature; 4 message string;`,
    VoteSubmission: "1 proposal_id string; 2 value vega.Vote.Value",
    WithdrawSubmission: "1 amount string; 2 asset string; 3 ext vega.WithdrawExt",
  },
  enums: {
    NodeSignatureKind: `
      0 NODE_SIGNATURE_KIND_UNSPECIFIED; 1 NODE_SIGNATURE_KIND_ASSET_NEW;
      2 NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL; 3 NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED;
      4 NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_REMOVED; 5 NODE_SIGNATURE_KIND_ASSET_UPDATE;`,
    "NodeVote.Type": `
      0 TYPE_UNSPECIFIED; 1 TYPE_STAKE_DEPOSITED; 2 TYPE_STAKE_REMOVED; 3 TYPE_FUNDS_DEPOSITED;
      4 TYPE_SIGNER_ADDED; 5 TYPE_SIGNER_REMOVED; 6 TYPE_BRIDGE_STOPPED; 7 TYPE_BRIDGE_RESUMED;
      8 TYPE_ASSET_LISTED; 9 TYPE_LIMITS_UPDATED; 10 TYPE_STAKE_TOTAL_SUPPLY;
      11 TYPE_SIGNER_THRESHOLD_SET; 12 TYPE_GOVERNANCE_VALIDATE_ASSET;`,
    "OracleDataSubmission.OracleSource":
      "0 ORACLE_SOURCE_UNSPECIFIED; 1 ORACLE_SOURCE_OPEN_ORACLE; 2 ORACLE_SOURCE_JSON",
    TxVersion: "0 TX_VERSION_UNSPECIFIED; 2 TX_VERSION_V2; 3 TX_VERSION_V3",
    "UndelegateSubmission.Method": "0 METHOD_UNSPECIFIED; 1 METHOD_NOW; 2 METHOD_AT_END_OF_EPOCH",
  },
};
