/** The rules of every command by its kind, and how a command is checked (docs/protocol/30-node-api-commands.md#4-commands). */

import * as messages from "../../errors/validation.ts";
import type {
  DelegateSubmission,
  OracleDataSubmission,
  UndelegateSubmission,
} from "../generated/commands.ts";
import type { CommandKind, CommandPayload } from "../transaction-commands.ts";
import { all, type Check, PropertyErrors, rule } from "./check.ts";
import { amount, choice, isNamed, publicKey, required } from "./fields.ts";
import {
  batchMarketInstructions,
  liquidityProvisionAmendment,
  liquidityProvisionCancellation,
  liquidityProvisionSubmission,
  orderAmendment,
  orderCancellation,
  orderSubmission,
} from "./orders.ts";
import { proposalSubmission, voteSubmission } from "./proposals.ts";
import { cancelTransfer, transfer, withdrawSubmission } from "./transfers.ts";
import {
  announceNode,
  chainEvent,
  ethereumKeyRotateSubmission,
  issueSignatures,
  keyRotateSubmission,
  nodeSignature,
  nodeVote,
  protocolUpgradeProposal,
  stateVariableProposal,
  validatorHeartbeat,
} from "./validators.ts";

// Data brought to the chain (docs/protocol/30-node-api-commands.md#411-validator-commands-and-oracle-data).

const oracleDataSubmission: Check<OracleDataSubmission> = all(
  required("oracle_data_submission.payload", (command) => command.payload),
  choice(
    "oracle_data_submission.source",
    (command) => command.source,
    "vega.commands.v1.OracleDataSubmission.OracleSource",
  ),
);

// Delegation of stake (docs/protocol/30-node-api-commands.md#45-delegation-commands).

const delegateSubmission: Check<DelegateSubmission> = all(
  amount("delegate_submission.amount", (command) => command.amount),
  publicKey("delegate_submission.node_id", (command) => command.nodeId),
);

/** The amount is checked at execution, where "0" means everything. */
const undelegateSubmission: Check<UndelegateSubmission> = all(
  rule(
    "undelegate_submission.method",
    messages.IS_REQUIRED,
    ({ method }) => method === 0 || !isNamed("vega.commands.v1.UndelegateSubmission.Method", method),
  ),
  publicKey("undelegate_submission.node_id", (command) => command.nodeId),
);

export const COMMAND_CHECKS: { readonly [K in CommandKind]: Check<CommandPayload<K>> } = {
  orderSubmission,
  orderCancellation,
  orderAmendment,
  withdrawSubmission,
  proposalSubmission,
  voteSubmission,
  liquidityProvisionSubmission,
  delegateSubmission,
  undelegateSubmission,
  liquidityProvisionCancellation,
  liquidityProvisionAmendment,
  transfer,
  cancelTransfer,
  announceNode,
  batchMarketInstructions,
  nodeVote,
  nodeSignature,
  chainEvent,
  keyRotateSubmission,
  stateVariableProposal,
  validatorHeartbeat,
  ethereumKeyRotateSubmission,
  protocolUpgradeProposal,
  issueSignatures,
  oracleDataSubmission,
};

/** The stateless errors of a command. */
export function checkCommand<K extends CommandKind>(kind: K, payload: CommandPayload<K>): PropertyErrors {
  const errors = new PropertyErrors();
  noteCommandErrors(kind, payload, errors);
  return errors;
}

/** Adds the stateless errors of a command. */
export function noteCommandErrors<K extends CommandKind>(
  kind: K,
  payload: CommandPayload<K>,
  errors: PropertyErrors,
): void {
  COMMAND_CHECKS[kind].run(payload, errors, []);
}
