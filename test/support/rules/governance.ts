// Cases for proposals and votes (docs/protocol/30-node-api-commands.md#46-proposalsubmission and #47-votesubmission).
import {
  BYTES_100,
  BYTES_101,
  type CasesByKind,
  choiceCases,
  ID,
  identifierCases,
  type Patch,
  type RuleCase,
  requiredCase,
} from "./cases.ts";
import { marketCases, newMarketProposal, updateMarketProposal } from "./markets.ts";

const proposal = (terms: object) => ({
  reference: BYTES_100,
  rationale: { title: "A title", description: "A description" },
  terms: { closingTimestamp: "10", enactmentTimestamp: "20", ...terms },
});
const bridged = {
  name: "Coin",
  symbol: "C",
  decimals: "5",
  quantum: "1",
  erc20: { contractAddress: "unchecked", lifetimeLimit: "1", withdrawThreshold: "1" },
};
const { erc20: _, ...unsourced } = bridged;
const builtin = { ...unsourced, builtinAsset: { maxFaucetAmountMint: "1" } };
const TERMS = "proposal_submission.terms";
const CHANGE = `${TERMS}.change`;

/** The cases of a whole number above zero. */
const countCases = (property: string, path: string, on: string): RuleCase[] => [
  requiredCase(property, path, on),
  { rule: `${property} (is not a valid number)`, on, broken: { [path]: "1.5" } },
  { rule: `${property} (must be positive)`, on, broken: { [path]: "0" }, kept: { [path]: "+1" } },
];
const quantumCases = (property: string, path: string, on: string): RuleCase[] => [
  requiredCase(property, path, on),
  { rule: `${property} (is not a valid number)`, on, broken: { [path]: "1,5" }, kept: { [path]: "1.5" } },
  { rule: `${property} (must be positive)`, on, broken: { [path]: "-0.5" }, kept: { [path]: "1e-9" } },
];
const time = (name: string, message: string, broken: Patch, more: Partial<RuleCase> = {}): RuleCase => ({
  rule: `${TERMS}.${name}_timestamp (${message})`,
  broken,
  ...more,
});

export const governanceCases: CasesByKind = {
  proposalSubmission: {
    valid: {
      freeform: proposal({ newFreeform: {}, enactmentTimestamp: "0" }),
      parameter: proposal({ updateNetworkParameter: { changes: { key: "any", value: "any" } } }),
      bridged: proposal({ newAsset: { changes: bridged }, validationTimestamp: "5" }),
      builtin: proposal({ newAsset: { changes: builtin }, validationTimestamp: "5" }),
      updateAsset: proposal({
        updateAsset: {
          assetId: ID,
          changes: { quantum: "1", erc20: { lifetimeLimit: "1", withdrawThreshold: "1" } },
        },
      }),
      newMarket: proposal(newMarketProposal),
      updateMarket: proposal(updateMarketProposal),
    },
    cases: [
      {
        rule: "proposal_submission.reference (reference is too long)",
        broken: { reference: BYTES_101 },
        kept: { reference: BYTES_100 },
      },
      requiredCase("proposal_submission.rationale", "rationale"),
      {
        rule: "proposal_submission.rationale.description (is required)",
        broken: { "rationale.description": " \n\r\t" },
        kept: { "rationale.description": "\u00a0" },
      },
      {
        rule: "proposal_submission.rationale.description (must not exceed 20000 characters)",
        broken: { "rationale.description": "a".repeat(20_001) },
        kept: { "rationale.description": "a".repeat(20_000) },
      },
      { rule: "proposal_submission.rationale.title (is required)", broken: { "rationale.title": " " } },
      {
        rule: "proposal_submission.rationale.title (must be less than 100 characters)",
        broken: { "rationale.title": BYTES_101 },
        kept: { "rationale.title": BYTES_100 },
      },
      requiredCase(TERMS, "terms"),
      requiredCase(CHANGE, "terms.updateNetworkParameter", "parameter"),
      time(
        "closing",
        "must be positive",
        { "terms.closingTimestamp": "0" },
        {
          kept: { "terms.closingTimestamp": "1" },
          text: `${TERMS}.closing_timestamp (must be positive), ${TERMS}.validation_timestamp (cannot be after or equal to closing time)`,
        },
      ),
      time(
        "validation",
        "must be positive or zero",
        { "terms.validationTimestamp": "-1" },
        {
          on: "bridged",
        },
      ),
      time(
        "validation",
        "cannot be after or equal to closing time",
        { "terms.validationTimestamp": "10" },
        {
          on: "bridged",
          kept: { "terms.validationTimestamp": "9" },
        },
      ),
      time("enactment", "is not supported", { "terms.enactmentTimestamp": "20" }),
      time(
        "enactment",
        "must be positive",
        { "terms.enactmentTimestamp": "0" },
        {
          on: "parameter",
          text: `${TERMS}.closing_timestamp (cannot be after enactment time), ${TERMS}.enactment_timestamp (must be positive)`,
        },
      ),
      time(
        "closing",
        "cannot be after enactment time",
        { "terms.closingTimestamp": "21" },
        {
          on: "parameter",
          kept: { "terms.closingTimestamp": "20" },
        },
      ),
      time(
        "validation",
        "must be positive",
        { "terms.validationTimestamp": "0" },
        {
          on: "bridged",
          kept: { "terms.validationTimestamp": "1" },
        },
      ),
      time(
        "validation",
        "cannot be after closing time",
        { "terms.validationTimestamp": "11" },
        {
          on: "bridged",
          text: `${TERMS}.validation_timestamp (cannot be after or equal to closing time, cannot be after closing time)`,
        },
      ),
      time("validation", "is not supported", { "terms.validationTimestamp": "5" }),
      requiredCase(
        `${CHANGE}.update_network_parameter.changes`,
        "terms.updateNetworkParameter.changes",
        "parameter",
      ),
      ...["key", "value"].map((member) =>
        requiredCase(
          `${CHANGE}.update_network_parameter.changes.${member}`,
          `terms.updateNetworkParameter.changes.${member}`,
          "parameter",
        ),
      ),
      ...newAssetCases(),
      ...identifierCases(`${CHANGE}.update_asset.asset_id`, "terms.updateAsset.assetId").map((row) => ({
        ...row,
        on: "updateAsset",
      })),
      requiredCase(`${CHANGE}.update_asset.changes`, "terms.updateAsset.changes", "updateAsset"),
      ...quantumCases(
        `${CHANGE}.update_asset.changes.quantum`,
        "terms.updateAsset.changes.quantum",
        "updateAsset",
      ),
      requiredCase(`${CHANGE}.update_asset.changes.source`, "terms.updateAsset.changes.erc20", "updateAsset"),
      ...limitCases("update_asset", "updateAsset", "updateAsset"),
      ...marketCases("new"),
      ...marketCases("update"),
    ],
  },
  voteSubmission: {
    valid: { yes: { proposalId: ID, value: "VALUE_YES" } },
    cases: [
      ...identifierCases("vote_submission.proposal_id", "proposalId"),
      ...choiceCases("vote_submission.value", "value"),
    ],
  },
};

function limitCases(property: string, member: string, on: string): RuleCase[] {
  const source = `${CHANGE}.${property}.changes.source.erc20`;
  const path = `terms.${member}.changes.erc20`;
  return [
    ...countCases(`${source}.lifetime_limit`, `${path}.lifetimeLimit`, on),
    ...countCases(`${source}.withdraw_threshold`, `${path}.withdrawThreshold`, on),
  ];
}

function newAssetCases(): RuleCase[] {
  const property = `${CHANGE}.new_asset.changes`;
  const path = "terms.newAsset.changes";
  return [
    requiredCase(property, path, "bridged"),
    requiredCase(`${property}.name`, `${path}.name`, "bridged"),
    requiredCase(`${property}.symbol`, `${path}.symbol`, "bridged"),
    ...quantumCases(`${property}.quantum`, `${path}.quantum`, "builtin"),
    requiredCase(`${property}.source`, `${path}.erc20`, "bridged"),
    ...countCases(
      `${property}.source.builtin_asset.max_faucet_amount_mint`,
      `${path}.builtinAsset.maxFaucetAmountMint`,
      "builtin",
    ),
    requiredCase(`${property}.source.erc20.contract_address`, `${path}.erc20.contractAddress`, "bridged"),
    ...limitCases("new_asset", "newAsset", "bridged"),
  ];
}
