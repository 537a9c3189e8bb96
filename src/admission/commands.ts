// What admission knows of each command, by its member of `vega.commands.v1.InputData` (reference 30, section 4.1;
// reference 40, sections 3.1 and 4.1).
import type { InputData } from "../wire/generated/commands.ts";

export type CommandMember = Exclude<keyof InputData, "nonce" | "blockHeight">;
export type PolicyName = "proposal" | "delegation" | "transfer" | "validatorJoin" | "issueSignature" | "vote";

export interface AdmissionCommand {
  /** How texts call it. */
  readonly name: string;
  /** Sent by validators and exempt from proof of work. Issuing signatures and upgrades are not. */
  readonly isValidatorCommand: boolean;
  /** The spam policy that counts it; undefined when none does. */
  readonly policy: PolicyName | undefined;
}

const user = (name: string, policy?: PolicyName): AdmissionCommand => ({
  name,
  isValidatorCommand: false,
  policy,
});
const validator = (name: string): AdmissionCommand => ({ name, isValidatorCommand: true, policy: undefined });

export const COMMANDS: Readonly<Record<CommandMember, AdmissionCommand>> = {
  orderSubmission: user("Submit Order"),
  orderCancellation: user("Cancel Order"),
  orderAmendment: user("Amend Order"),
  withdrawSubmission: user("Withdraw"),
  proposalSubmission: user("Proposal", "proposal"),
  voteSubmission: user("Vote on Proposal", "vote"),
  liquidityProvisionSubmission: user("Liquidity Provision Order"),
  delegateSubmission: user("Delegate", "delegation"),
  undelegateSubmission: user("Undelegate", "delegation"),
  liquidityProvisionCancellation: user("Cancel LiquidityProvision Order"),
  liquidityProvisionAmendment: user("Amend LiquidityProvision Order"),
  transfer: user("Transfer Funds", "transfer"),
  cancelTransfer: user("Cancel Transfer Funds", "transfer"),
  announceNode: user("Register new Node", "validatorJoin"),
  batchMarketInstructions: user("Batch Market Instructions"),
  nodeVote: validator("Node Vote"),
  nodeSignature: validator("Node Signature"),
  chainEvent: validator("Chain Event"),
  keyRotateSubmission: validator("Key Rotate Submission"),
  stateVariableProposal: validator("State Variable Proposal"),
  validatorHeartbeat: validator("Validator Heartbeat"),
  ethereumKeyRotateSubmission: validator("Ethereum Key Rotate Submission"),
  protocolUpgradeProposal: user("Protocol Upgrade"),
  issueSignatures: user("Issue Signatures", "issueSignature"),
  oracleDataSubmission: user("Submit Oracle Data"),
};
