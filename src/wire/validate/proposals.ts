/**
 * Proposals and votes (docs/protocol/30-node-api-commands.md#46-proposalsubmission and #47-votesubmission). Times of a
 * proposal are Unix seconds. Markets: markets.ts.
 */

import * as messages from "../../errors/validation.ts";
import type { ProposalSubmission, VoteSubmission } from "../generated/commands.ts";
import type {
  AssetDetails,
  AssetDetailsUpdate,
  BuiltinAsset,
  ERC20,
  ERC20Update,
  NetworkParameter,
  NewAsset,
  ProposalRationale,
  ProposalTerms,
  UpdateAsset,
  UpdateNetworkParameter,
} from "../generated/vega.ts";
import { all, type Check, first, part, rule, when } from "./check.ts";
import {
  choice,
  identifier,
  longerThan,
  needed,
  positiveInteger,
  positiveNumber,
  present,
  required,
  shortReference,
} from "./fields.ts";
import { newMarket, updateMarket } from "./markets.ts";

const CHANGE = "proposal_submission.terms.change";

function quantum<T>(property: string, of: (details: T) => string): Check<T> {
  return first(required(property, of), positiveNumber(property, of));
}

/** The two limits of a bridged asset, new or changed. */
function bridgeLimits<T extends ERC20Update>(source: string): Check<T> {
  return all(
    positiveInteger(`${source}.lifetime_limit`, (erc20) => erc20.lifetimeLimit),
    positiveInteger(`${source}.withdraw_threshold`, (erc20) => erc20.withdrawThreshold),
  );
}

const NEW = `${CHANGE}.new_asset.changes`;
const newDetails: Check<AssetDetails> = all(
  required(`${NEW}.name`, (details) => details.name),
  required(`${NEW}.symbol`, (details) => details.symbol),
  quantum(`${NEW}.quantum`, (details) => details.quantum),
  present(`${NEW}.source`, (details) => details.builtinAsset ?? details.erc20),
  part(
    (details) => details.builtinAsset,
    positiveInteger(
      `${NEW}.source.builtin_asset.max_faucet_amount_mint`,
      (asset: BuiltinAsset) => asset.maxFaucetAmountMint,
    ),
  ),
  part(
    (details) => details.erc20,
    // Validators check the address when they read the contract.
    required(`${NEW}.source.erc20.contract_address`, (erc20: ERC20) => erc20.contractAddress),
    bridgeLimits<ERC20>(`${NEW}.source.erc20`),
  ),
);

const newAsset: Check<NewAsset> = needed(NEW, (change) => change.changes, newDetails);

const UPDATE = `${CHANGE}.update_asset`;
const updateDetails: Check<AssetDetailsUpdate> = all(
  quantum(`${UPDATE}.changes.quantum`, (details) => details.quantum),
  needed(
    `${UPDATE}.changes.source`,
    (details) => details.erc20,
    bridgeLimits<ERC20Update>(`${UPDATE}.changes.source.erc20`),
  ),
);

const updateAsset: Check<UpdateAsset> = all(
  identifier(`${UPDATE}.asset_id`, (change) => change.assetId),
  needed(`${UPDATE}.changes`, (change) => change.changes, updateDetails),
);

const TITLE_BYTES_MAX = 100;
const DESCRIPTION_BYTES_MAX = 20_000;

/** Only these four characters are trimmed; other white space is text. */
const isBlank = (text: string) => /^[ \n\r\t]*$/.test(text);

const rationale: Check<ProposalRationale> = all(
  rule("proposal_submission.rationale.description", messages.IS_REQUIRED, (why) => isBlank(why.description)),
  rule(
    "proposal_submission.rationale.description",
    messages.AT_MOST_20000_CHARACTERS,
    ({ description }) => !isBlank(description) && longerThan(description, DESCRIPTION_BYTES_MAX),
  ),
  rule("proposal_submission.rationale.title", messages.IS_REQUIRED, (why) => isBlank(why.title)),
  rule(
    "proposal_submission.rationale.title",
    messages.LESS_THAN_100_CHARACTERS,
    ({ title }) => !isBlank(title) && longerThan(title, TITLE_BYTES_MAX),
  ),
);

const TERMS = "proposal_submission.terms";

/** The proposed change. An unknown kind counts as missing, because the codec drops unknown fields. */
function changeOf(terms: ProposalTerms): object | undefined {
  return (
    terms.newMarket ??
    terms.updateMarket ??
    terms.updateNetworkParameter ??
    terms.newAsset ??
    terms.updateAsset ??
    terms.newFreeform
  );
}

/** A freeform proposal has no enactment, and only new assets are validated before the vote. */
const times: Check<ProposalTerms> = all(
  rule(`${TERMS}.closing_timestamp`, messages.MUST_BE_POSITIVE, (terms) => terms.closingTimestamp <= 0n),
  rule(
    `${TERMS}.validation_timestamp`,
    messages.MUST_BE_POSITIVE_OR_ZERO,
    (terms) => terms.validationTimestamp < 0n,
  ),
  rule(
    `${TERMS}.validation_timestamp`,
    messages.NOT_BEFORE_CLOSING,
    (terms) => terms.validationTimestamp >= terms.closingTimestamp,
  ),
  rule(
    `${TERMS}.enactment_timestamp`,
    messages.IS_NOT_SUPPORTED,
    (terms) => terms.newFreeform !== undefined && terms.enactmentTimestamp !== 0n,
  ),
  when(
    (terms) => terms.newFreeform === undefined,
    rule(
      `${TERMS}.enactment_timestamp`,
      messages.MUST_BE_POSITIVE,
      (terms) => terms.enactmentTimestamp <= 0n,
    ),
    rule(
      `${TERMS}.closing_timestamp`,
      messages.AFTER_ENACTMENT,
      (terms) => terms.closingTimestamp > terms.enactmentTimestamp,
    ),
  ),
  when(
    (terms) => terms.newAsset !== undefined,
    rule(
      `${TERMS}.validation_timestamp`,
      messages.MUST_BE_POSITIVE,
      (terms) => terms.validationTimestamp === 0n,
    ),
    rule(
      `${TERMS}.validation_timestamp`,
      messages.AFTER_CLOSING,
      (terms) => terms.validationTimestamp > terms.closingTimestamp,
    ),
  ),
  rule(
    `${TERMS}.validation_timestamp`,
    messages.IS_NOT_SUPPORTED,
    (terms) => terms.newAsset === undefined && terms.validationTimestamp !== 0n,
  ),
);

const PARAMETER = `${TERMS}.change.update_network_parameter.changes`;
const networkParameter: Check<UpdateNetworkParameter> = needed(
  PARAMETER,
  (change) => change.changes,
  required(`${PARAMETER}.key`, (parameter: NetworkParameter) => parameter.key),
  required(`${PARAMETER}.value`, (parameter: NetworkParameter) => parameter.value),
);

const change: Check<ProposalTerms> = all(
  present(`${TERMS}.change`, changeOf),
  part((terms) => terms.newMarket, newMarket),
  part((terms) => terms.updateMarket, updateMarket),
  part((terms) => terms.updateNetworkParameter, networkParameter),
  part((terms) => terms.newAsset, newAsset),
  part((terms) => terms.updateAsset, updateAsset),
);

export const proposalSubmission: Check<ProposalSubmission> = all(
  shortReference("proposal_submission.reference", (proposal) => proposal.reference),
  needed("proposal_submission.rationale", (proposal) => proposal.rationale, rationale),
  needed("proposal_submission.terms", (proposal) => proposal.terms, times, change),
);

export const voteSubmission: Check<VoteSubmission> = all(
  identifier("vote_submission.proposal_id", (vote) => vote.proposalId),
  choice("vote_submission.value", (vote) => vote.value, "vega.Vote.Value"),
);
