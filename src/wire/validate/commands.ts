/** The rules of every command (reference 30, section 4), and how one is checked. */
import type { CommandKind, CommandPayload } from "../transaction-commands.ts";
import type { Check } from "./check.ts";
import { proposalSubmission, voteSubmission } from "./governance.ts";
import {
  liquidityProvisionAmendment,
  liquidityProvisionCancellation,
  liquidityProvisionSubmission,
} from "./liquidity.ts";
import { oracleDataSubmission } from "./oracle.ts";
import { batchMarketInstructions, orderAmendment, orderCancellation, orderSubmission } from "./orders.ts";
import { PropertyErrors } from "./property-errors.ts";
import { delegateSubmission, undelegateSubmission } from "./staking.ts";
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

/** All that is wrong with a command by itself, without any state. */
export function checkCommand<K extends CommandKind>(kind: K, payload: CommandPayload<K>): PropertyErrors {
  const errors = new PropertyErrors();
  noteCommandErrors(kind, payload, errors);
  return errors;
}

/** The same, added to errors that there are already. */
export function noteCommandErrors<K extends CommandKind>(
  kind: K,
  payload: CommandPayload<K>,
  errors: PropertyErrors,
): void {
  COMMAND_CHECKS[kind].run(payload, errors, []);
}
