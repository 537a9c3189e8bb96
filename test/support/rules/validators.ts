// Cases for what validators send (docs/protocol/30-node-api-commands.md#48-announcenode to
// #411-validator-commands-and-oracle-data).
import {
  ADDRESS,
  addressCases,
  type CasesByKind,
  choiceCases,
  ID,
  KEY,
  publicKeyCases,
  type RuleCase,
  requiredCase,
  wrongAddressCase,
} from "./cases.ts";

const hexCase = (property: string, path: string): RuleCase => ({
  rule: `${property} (should be hex encoded)`,
  broken: { [path]: "0x12" },
  kept: { [path]: "AB12" },
});

export const validatorCases: CasesByKind = {
  announceNode: {
    valid: {
      node: {
        vegaPubKey: KEY,
        ethereumAddress: ADDRESS,
        chainPubKey: "any",
        id: ID,
        ethereumSignature: { value: "12" },
        vegaSignature: { value: "34" },
      },
    },
    cases: [
      ...publicKeyCases("announce_node.vega_pub_key", "vegaPubKey"),
      ...publicKeyCases("announce_node.id", "id"),
      ...addressCases("announce_node.ethereum_address", "ethereumAddress"),
      requiredCase("announce_node.chain_pub_key", "chainPubKey"),
      requiredCase("announce_node.ethereum_signature", "ethereumSignature"),
      hexCase("announce_node.ethereum_signature.value", "ethereumSignature.value"),
      { rule: "announce_node.vega_signature (is required)", broken: { "vegaSignature.value": "" } },
      hexCase("announce_node.vega_signature.value", "vegaSignature.value"),
      wrongAddressCase("announce_node.submitter_address", "submitterAddress"),
    ],
  },
  issueSignatures: {
    valid: { added: { submitter: ADDRESS, kind: 3, validatorNodeId: "any" } },
    cases: [
      requiredCase("issue_signatures.validator_node_id", "validatorNodeId"),
      ...addressCases("issue_signatures.submitter", "submitter"),
      { rule: "issue_signatures.kind (is not a valid value)", broken: { kind: 5 }, kept: { kind: 4 } },
    ],
  },
  keyRotateSubmission: {
    valid: { one: { newPubKeyIndex: 2, targetBlock: "9", newPubKey: "any", currentPubKeyHash: "any" } },
    cases: [
      requiredCase("key_rotate_submission.new_pub_key", "newPubKey"),
      requiredCase("key_rotate_submission.current_pub_key_hash", "currentPubKeyHash"),
      { rule: "key_rotate_submission.new_pub_key_index (is required)", broken: { newPubKeyIndex: 0 } },
      { rule: "key_rotate_submission.target_block (is required)", broken: { targetBlock: "0" } },
    ],
  },
  ethereumKeyRotateSubmission: {
    valid: {
      one: { targetBlock: "9", newAddress: ADDRESS, currentAddress: ADDRESS, ethereumSignature: {} },
    },
    cases: [
      ...addressCases("ethereum_key_rotate_submission.new_address", "newAddress"),
      ...addressCases("ethereum_key_rotate_submission.current_address", "currentAddress"),
      { rule: "ethereum_key_rotate_submission.target_block (is required)", broken: { targetBlock: "0" } },
      requiredCase("ethereum_key_rotate_submission.signature", "ethereumSignature"),
      wrongAddressCase("ethereum_key_rotate_submission.submitter_address", "submitterAddress"),
    ],
  },
  nodeVote: {
    valid: { one: { reference: "any", type: 99 }, stake: { reference: "any", type: 1 } },
    cases: [
      requiredCase("node_vote.reference", "reference"),
      {
        rule: "node_vote.reference (reference is too long)",
        broken: { reference: "a".repeat(1001) },
        kept: { reference: "a".repeat(1000) },
      },
    ],
  },
  nodeSignature: {
    valid: { one: { id: "any", sig: "AQ==", kind: "NODE_SIGNATURE_KIND_ASSET_NEW" } },
    cases: [
      requiredCase("node_signature.id", "id"),
      requiredCase("node_signature.sig", "sig"),
      ...choiceCases("node_signature.kind", "kind"),
    ],
  },
  chainEvent: {
    valid: {
      stake: { txId: "any", stakingEvent: {} },
      builtin: { builtin: {} },
      bridge: { txId: "any", erc20: {} },
      multisig: { txId: "any", erc20Multisig: {} },
    },
    cases: [requiredCase("chain_event.event", "stakingEvent"), requiredCase("chain_event.tx_id", "txId")],
  },
  stateVariableProposal: {
    valid: {
      one: {
        proposal: { eventId: "any", stateVarId: "any", kvb: [{ key: "any", value: { scalarVal: {} } }] },
      },
    },
    cases: [
      requiredCase("state_variable_proposal.missing_proposal", "proposal"),
      requiredCase("state_variable_proposal.event_id", "proposal.eventId"),
      requiredCase("state_variable_proposal.state_var_id", "proposal.stateVarId"),
      requiredCase("state_variable_proposal.key_value_bundle", "proposal.kvb"),
      requiredCase("state_variable_proposal.key_value_bundle.#.key", "proposal.kvb.0.key"),
      {
        rule: "state_variable_proposal.key_value_bundle.#.value (is required)",
        broken: { "proposal.kvb.1": { key: "b" } },
        kept: { "proposal.kvb.1": { key: "b", value: {} } },
        text: "state_variable_proposal.key_value_bundle.1.value (is required)",
      },
    ],
  },
  validatorHeartbeat: {
    valid: {
      one: { nodeId: ID, ethereumSignature: { value: "12" }, vegaSignature: { value: "34", algo: "any" } },
    },
    cases: [
      ...publicKeyCases("validator_heartbeat.node_id", "nodeId"),
      requiredCase("validator_heartbeat.ethereum_signature.value", "ethereumSignature"),
      hexCase("validator_heartbeat.ethereum_signature.value", "ethereumSignature.value"),
      {
        rule: "validator_heartbeat.vega_signature.value (is required)",
        broken: { vegaSignature: undefined },
        text: "validator_heartbeat.vega_signature.algo (is required), validator_heartbeat.vega_signature.value (is required)",
      },
      hexCase("validator_heartbeat.vega_signature.value", "vegaSignature.value"),
      requiredCase("validator_heartbeat.vega_signature.algo", "vegaSignature.algo"),
    ],
  },
  protocolUpgradeProposal: {
    valid: { one: { vegaReleaseTag: "any" } },
    cases: [requiredCase("protocol_upgrade_proposal.vega_release_tag", "vegaReleaseTag")],
  },
};
