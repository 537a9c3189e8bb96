/** Commands of validators (docs/protocol/30-node-api-commands.md#48-announcenode to #411-validator-commands-and-oracle-data). */

import * as messages from "../../errors/validation.ts";
import {
  type AnnounceNode,
  type ChainEvent,
  type EthereumKeyRotateSubmission,
  type IssueSignatures,
  type KeyRotateSubmission,
  type NodeSignature,
  NodeSignatureKind,
  type NodeVote,
  type ProtocolUpgradeProposal,
  type Signature,
  type StateVariableProposal,
  type ValidatorHeartbeat,
} from "../generated/commands.ts";
import type { KeyValueBundle, StateValueProposal } from "../generated/vega.ts";
import { isHex } from "../identifiers.ts";
import { all, type Check, each, first, rule, when } from "./check.ts";
import {
  choice,
  ethereumAddress,
  longerThan,
  needed,
  optionalEthereumAddress,
  present,
  publicKey,
  required,
} from "./fields.ts";

/** A required signature in hexadecimal; a missing one is reported on `missing`. */
function hexSignature<T>(
  missing: string,
  value: string,
  of: (command: T) => Signature | undefined,
): Check<T> {
  return first(
    rule(missing, messages.IS_REQUIRED, (command) => (of(command)?.value ?? "") === ""),
    rule(value, messages.SHOULD_BE_HEX, (command) => !isHex(of(command)!.value)),
  );
}

export const announceNode: Check<AnnounceNode> = all(
  publicKey("announce_node.vega_pub_key", (command) => command.vegaPubKey),
  publicKey("announce_node.id", (command) => command.id),
  ethereumAddress("announce_node.ethereum_address", (command) => command.ethereumAddress),
  required("announce_node.chain_pub_key", (command) => command.chainPubKey),
  hexSignature(
    "announce_node.ethereum_signature",
    "announce_node.ethereum_signature.value",
    (command) => command.ethereumSignature,
  ),
  hexSignature(
    "announce_node.vega_signature",
    "announce_node.vega_signature.value",
    (command) => command.vegaSignature,
  ),
  optionalEthereumAddress("announce_node.submitter_address", (command) => command.submitterAddress),
);

export const issueSignatures: Check<IssueSignatures> = all(
  required("issue_signatures.validator_node_id", (command) => command.validatorNodeId),
  ethereumAddress("issue_signatures.submitter", (command) => command.submitter),
  rule(
    "issue_signatures.kind",
    messages.IS_NOT_VALID,
    ({ kind }) =>
      kind !== NodeSignatureKind.NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED &&
      kind !== NodeSignatureKind.NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_REMOVED,
  ),
);

export const keyRotateSubmission: Check<KeyRotateSubmission> = all(
  required("key_rotate_submission.new_pub_key", (command) => command.newPubKey),
  required("key_rotate_submission.current_pub_key_hash", (command) => command.currentPubKeyHash),
  rule(
    "key_rotate_submission.new_pub_key_index",
    messages.IS_REQUIRED,
    (command) => command.newPubKeyIndex === 0,
  ),
  rule("key_rotate_submission.target_block", messages.IS_REQUIRED, (command) => command.targetBlock === 0n),
);

export const ethereumKeyRotateSubmission: Check<EthereumKeyRotateSubmission> = all(
  ethereumAddress("ethereum_key_rotate_submission.new_address", (command) => command.newAddress),
  ethereumAddress("ethereum_key_rotate_submission.current_address", (command) => command.currentAddress),
  rule(
    "ethereum_key_rotate_submission.target_block",
    messages.IS_REQUIRED,
    (command) => command.targetBlock === 0n,
  ),
  // The network's own spelling (docs/protocol/30-node-api-events.md#13-easily-missed, surprise 12).
  present("ethereum_key_rotate_submission.signature", (command) => command.ethereumSignature),
  optionalEthereumAddress(
    "ethereum_key_rotate_submission.submitter_address",
    (command) => command.submitterAddress,
  ),
);

/** Most bytes of a vote's resource reference: ten times a client's reference. */
const NODE_VOTE_REFERENCE_BYTES_MAX = 1000;

export const nodeVote: Check<NodeVote> = all(
  required("node_vote.reference", (command) => command.reference),
  rule("node_vote.reference", messages.REFERENCE_TOO_LONG, (command) =>
    longerThan(command.reference, NODE_VOTE_REFERENCE_BYTES_MAX),
  ),
);

export const nodeSignature: Check<NodeSignature> = all(
  required("node_signature.id", (command) => command.id),
  required("node_signature.sig", (command) => command.sig),
  choice("node_signature.kind", (command) => command.kind, "vega.commands.v1.NodeSignatureKind"),
);

/** A built-in asset's event comes from no other chain, so it has no transaction hash there. */
export const chainEvent: Check<ChainEvent> = when(
  (command) => command.builtin === undefined,
  present("chain_event.event", (command) => command.erc20 ?? command.stakingEvent ?? command.erc20Multisig),
  required("chain_event.tx_id", (command) => command.txId),
);

/**
 * The original crashes where `vega_signature` is missing (docs/protocol/30-node-api-events.md#13-easily-missed,
 * surprise 18); here it is required.
 */
export const validatorHeartbeat: Check<ValidatorHeartbeat> = all(
  publicKey("validator_heartbeat.node_id", (command) => command.nodeId),
  hexSignature(
    "validator_heartbeat.ethereum_signature.value",
    "validator_heartbeat.ethereum_signature.value",
    (command) => command.ethereumSignature,
  ),
  hexSignature(
    "validator_heartbeat.vega_signature.value",
    "validator_heartbeat.vega_signature.value",
    (command) => command.vegaSignature,
  ),
  required("validator_heartbeat.vega_signature.algo", (command) => command.vegaSignature?.algo ?? ""),
);

const BUNDLE = "state_variable_proposal.key_value_bundle";

export const stateVariableProposal: Check<StateVariableProposal> = needed(
  "state_variable_proposal.missing_proposal",
  (command) => command.proposal,
  required("state_variable_proposal.event_id", (proposal: StateValueProposal) => proposal.eventId),
  required("state_variable_proposal.state_var_id", (proposal: StateValueProposal) => proposal.stateVarId),
  required(BUNDLE, (proposal: StateValueProposal) => proposal.kvb),
  each(
    (proposal: StateValueProposal) => proposal.kvb,
    required(`${BUNDLE}.#.key`, (entry: KeyValueBundle) => entry.key),
    present(`${BUNDLE}.#.value`, (entry: KeyValueBundle) => entry.value),
  ),
);

export const protocolUpgradeProposal: Check<ProtocolUpgradeProposal> = required(
  "protocol_upgrade_proposal.vega_release_tag",
  (command) => command.vegaReleaseTag,
);
