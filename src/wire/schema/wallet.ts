// The one message a wallet is handed: a command and how to send it.
// Notation: see ./notation.ts. Fields stand in declaration order, which is the order of JSON members.
import type { PackageSchema } from "./notation.ts";

export const wallet: PackageSchema = {
  name: "vega.wallet.v1",
  file: "wallet",
  messages: {
    SubmitTransactionRequest: `
      1 pub_key string; 2 propagate bool; 1001 order_submission vega.commands.v1.OrderSubmission @command;
      1002 order_cancellation vega.commands.v1.OrderCancellation @command;
      1003 order_amendment vega.commands.v1.OrderAmendment @command;
      1004 withdraw_submission vega.commands.v1.WithdrawSubmission @command;
      1005 proposal_submission vega.commands.v1.ProposalSubmission @command;
      1006 vote_submission vega.commands.v1.VoteSubmission @command;
      1007 liquidity_provision_submission vega.commands.v1.LiquidityProvisionSubmission @command;
      1008 delegate_submission vega.commands.v1.DelegateSubmission @command;
      1009 undelegate_submission vega.commands.v1.UndelegateSubmission @command;
      1010 liquidity_provision_cancellation vega.commands.v1.LiquidityProvisionCancellation @command;
      1011 liquidity_provision_amendment vega.commands.v1.LiquidityProvisionAmendment @command;
      1012 transfer vega.commands.v1.Transfer @command;
      1013 cancel_transfer vega.commands.v1.CancelTransfer @command;
      1014 announce_node vega.commands.v1.AnnounceNode @command;
      1015 batch_market_instructions vega.commands.v1.BatchMarketInstructions @command;
      2002 node_vote vega.commands.v1.NodeVote @command;
      2003 node_signature vega.commands.v1.NodeSignature @command;
      2004 chain_event vega.commands.v1.ChainEvent @command;
      2005 key_rotate_submission vega.commands.v1.KeyRotateSubmission @command;
      2006 state_variable_proposal vega.commands.v1.StateVariableProposal @command;
      2007 validator_heartbeat vega.commands.v1.ValidatorHeartbeat @command;
      2008 ethereum_key_rotate_submission vega.commands.v1.EthereumKeyRotateSubmission @command;
      2009 protocol_upgrade_proposal vega.commands.v1.ProtocolUpgradeProposal @command;
      2010 issue_signatures vega.commands.v1.IssueSignatures @command;
      3001 oracle_data_submission vega.commands.v1.OracleDataSubmission @command;`,
  },
  enums: {},
};
