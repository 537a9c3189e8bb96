/**
 * The commands that a transaction can carry (docs/protocol/30-node-api-commands.md#41-command-table), with the
 * properties that follow from a command's kind alone.
 */
import type { SpamPolicy } from "../errors/rules.ts";
import type { InputData } from "./generated/commands.ts";

/** A command is named as the member of `InputData` that holds it. */
export type CommandKind = Exclude<keyof InputData, "nonce" | "blockHeight">;
export type CommandPayload<K extends CommandKind> = NonNullable<InputData[K]>;

interface CommandDefinition {
  /** The name of the oneof's member on the wire. */
  readonly field: string;
  /** Field number in `InputData`. */
  readonly number: number;
  /** The network's internal number of the command. */
  readonly byte: number;
  /** Name for people. */
  readonly displayName: string;
  /** Sent by validators as part of their work: no proof of work, no height rule, first in a block. */
  readonly isValidatorCommand: boolean;
  readonly spamPolicy: SpamPolicy | undefined;
  /** Whether a `TransactionResult` event reports its execution. */
  readonly hasResultEvent: boolean;
  /** Refused while markets and assets cannot be proposed ("trading disabled"); a batch is not. */
  readonly isTrading: boolean;
  /** Order in a block: higher first (docs/protocol/30-node-api-endpoints.md#72-checktx-order). */
  readonly priority: number;
}

interface Marks {
  readonly validator?: true;
  readonly spam?: SpamPolicy;
  readonly silent?: true;
  readonly trading?: true;
  readonly priority?: number;
}

function define(
  field: string,
  number: number,
  byte: number,
  displayName: string,
  marks: Marks = {},
): CommandDefinition {
  const isValidatorCommand = marks.validator ?? false;
  return {
    field,
    number,
    byte,
    displayName,
    isValidatorCommand,
    spamPolicy: marks.spam,
    hasResultEvent: !marks.silent,
    isTrading: marks.trading ?? false,
    priority: marks.priority ?? (isValidatorCommand ? 10_000 : 1),
  };
}

const trading: Marks = { trading: true };
/** Validators' work is not reported, except changes of keys. */
const work: Marks = { validator: true, silent: true };
const keys: Marks = { validator: true };

export const COMMANDS: { readonly [K in CommandKind]: CommandDefinition } = {
  orderSubmission: define("order_submission", 1001, 0x40, "Submit Order", trading),
  orderCancellation: define("order_cancellation", 1002, 0x41, "Cancel Order", trading),
  orderAmendment: define("order_amendment", 1003, 0x42, "Amend Order", trading),
  withdrawSubmission: define("withdraw_submission", 1004, 0x44, "Withdraw"),
  proposalSubmission: define("proposal_submission", 1005, 0x45, "Proposal", {
    spam: "proposal",
    priority: 100,
  }),
  voteSubmission: define("vote_submission", 1006, 0x46, "Vote on Proposal", { spam: "vote", priority: 100 }),
  liquidityProvisionSubmission: define(
    "liquidity_provision_submission",
    1007,
    0x4a,
    "Liquidity Provision Order",
    trading,
  ),
  delegateSubmission: define("delegate_submission", 1008, 0x4d, "Delegate", { spam: "delegation" }),
  undelegateSubmission: define("undelegate_submission", 1009, 0x4e, "Undelegate", { spam: "delegation" }),
  liquidityProvisionCancellation: define(
    "liquidity_provision_cancellation",
    1010,
    0x52,
    "Cancel LiquidityProvision Order",
    trading,
  ),
  liquidityProvisionAmendment: define(
    "liquidity_provision_amendment",
    1011,
    0x53,
    "Amend LiquidityProvision Order",
    trading,
  ),
  transfer: define("transfer", 1012, 0x54, "Transfer Funds", { spam: "transfer" }),
  cancelTransfer: define("cancel_transfer", 1013, 0x55, "Cancel Transfer Funds", { spam: "transfer" }),
  announceNode: define("announce_node", 1014, 0x47, "Register new Node", { spam: "validatorJoin" }),
  batchMarketInstructions: define("batch_market_instructions", 1015, 0x5a, "Batch Market Instructions"),
  nodeVote: define("node_vote", 2002, 0x48, "Node Vote", work),
  nodeSignature: define("node_signature", 2003, 0x49, "Node Signature", work),
  chainEvent: define("chain_event", 2004, 0x4b, "Chain Event", work),
  keyRotateSubmission: define("key_rotate_submission", 2005, 0x50, "Key Rotate Submission", keys),
  stateVariableProposal: define("state_variable_proposal", 2006, 0x51, "State Variable Proposal", work),
  validatorHeartbeat: define("validator_heartbeat", 2007, 0x56, "Validator Heartbeat", work),
  ethereumKeyRotateSubmission: define(
    "ethereum_key_rotate_submission",
    2008,
    0x57,
    "Ethereum Key Rotate Submission",
    keys,
  ),
  // Numbered among the validators' commands, but these two need a proof of work.
  protocolUpgradeProposal: define("protocol_upgrade_proposal", 2009, 0x58, "Protocol Upgrade"),
  issueSignatures: define("issue_signatures", 2010, 0x59, "Issue Signatures", { spam: "issueSignature" }),
  oracleDataSubmission: define("oracle_data_submission", 3001, 0x4c, "Submit Oracle Data"),
};

export const COMMAND_KINDS = Object.keys(COMMANDS) as readonly CommandKind[];

/** The kind of the command in `input`; undefined for a missing or unknown one. */
export function commandKindOf(input: InputData): CommandKind | undefined {
  return COMMAND_KINDS.find((kind) => input[kind] !== undefined);
}
