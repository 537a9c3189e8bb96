// Words for commands of governance and of validators.
import type { Init } from "../../wire/codec.ts";
import type { ChainEvent } from "../../wire/generated/commands.ts";
import { exactAmountText, exactStakeText } from "./amounts.ts";
import { named } from "./plain-text.ts";
import { type Describe, enumWord, line, said, timeWord, words } from "./words-helpers.ts";
import { limitLines, newAssetLines, newMarketLines } from "./words-proposals.ts";

const VALIDATOR = "this is a validator's command: approve it only if you run a validator and expect it";

const voteSubmission: Describe<"voteSubmission"> = ({ proposalId = "", value }) => {
  const vote = enumWord("vega.Vote.Value", value, "VALUE_");
  return words(`Vote ${vote} on the proposal ${named(proposalId)}`, [
    line("proposal", proposalId),
    line("vote", vote),
  ]);
};

const proposalSubmission: Describe<"proposalSubmission"> = ({ reference, terms, rationale }, { assets }) => {
  const parameter = terms?.updateNetworkParameter?.changes;
  const kind = terms?.newMarket
    ? "a new market"
    : terms?.updateMarket
      ? `a change of market ${named(terms.updateMarket.marketId ?? "")}`
      : parameter
        ? `the network parameter ${named(parameter.key ?? "")} to be ${named(parameter.value ?? "")}`
        : terms?.newAsset
          ? `the new asset ${named(terms.newAsset.changes?.symbol ?? "")}`
          : terms?.updateAsset
            ? `a change of asset ${named(terms.updateAsset.assetId ?? "")}`
            : terms?.newFreeform
              ? "a text to vote on"
              : "something this version does not know";
  return words(`Propose ${kind}`, [
    said("title", rationale?.title),
    said("description", rationale?.description),
    ...newMarketLines(terms?.newMarket?.changes),
    ...newAssetLines(terms?.newAsset?.changes),
    ...limitLines(terms?.updateAsset?.changes?.erc20, terms?.updateAsset?.assetId ?? "", assets),
    line("voting ends", timeWord(terms?.closingTimestamp, "s")),
    line("takes effect", timeWord(terms?.enactmentTimestamp, "s")),
    said("reference", reference),
  ]);
};

const announceNode: Describe<"announceNode"> = (node) =>
  words(
    `Announce the validator ${named(node.name ?? "")}`,
    [
      line("identifier", node.id),
      line("key", node.vegaPubKey),
      line("Ethereum address", node.ethereumAddress),
      line("submitter", node.submitterAddress),
      line("chain key", node.chainPubKey),
      said("country", node.country),
      said("address for information", node.infoUrl),
      line("from epoch", node.fromEpoch),
    ],
    [VALIDATOR],
  );

const issueSignatures: Describe<"issueSignatures"> = ({ submitter, kind, validatorNodeId = "" }) =>
  words(`Ask for signatures about the validator ${named(validatorNodeId)}`, [
    line("kind", enumWord("vega.commands.v1.NodeSignatureKind", kind, "NODE_SIGNATURE_KIND_")),
    line("submitted by", submitter),
  ]);

const keyRotateSubmission: Describe<"keyRotateSubmission"> = ({
  newPubKey = "",
  currentPubKeyHash,
  targetBlock,
}) =>
  words(
    `Replace the validator's key by ${named(newPubKey)}`,
    [line("hash of the old key", currentPubKeyHash), line("at block", targetBlock)],
    [VALIDATOR],
  );

const ethereumKeyRotateSubmission: Describe<"ethereumKeyRotateSubmission"> = (rotation) =>
  words(
    `Replace the validator's Ethereum address by ${named(rotation.newAddress ?? "")}`,
    [
      line("the old address", rotation.currentAddress),
      line("submitted by", rotation.submitterAddress),
      line("at block", rotation.targetBlock),
    ],
    [VALIDATOR],
  );

const protocolUpgradeProposal: Describe<"protocolUpgradeProposal"> = ({
  upgradeBlockHeight,
  vegaReleaseTag = "",
}) =>
  words(
    `Propose to upgrade the network to ${named(vegaReleaseTag)}`,
    [line("at block", upgradeBlockHeight)],
    [VALIDATOR],
  );

const nodeVote: Describe<"nodeVote"> = ({ reference, type }) =>
  words(
    "Confirm something seen outside of the network, as a validator",
    [line("kind", enumWord("vega.commands.v1.NodeVote.Type", type, "TYPE_")), line("reference", reference)],
    [VALIDATOR],
  );

const nodeSignature: Describe<"nodeSignature"> = ({ id, kind }) =>
  words(
    "Publish a validator's signature",
    [
      line("kind", enumWord("vega.commands.v1.NodeSignatureKind", kind, "NODE_SIGNATURE_KIND_")),
      line("of", id),
    ],
    [VALIDATOR],
  );

const chainEvent: Describe<"chainEvent"> = (event, { assets, stakeAsset }) => {
  const { txId, builtin, erc20, stakingEvent, erc20Multisig } = event;
  const kind = builtin
    ? "a built-in asset"
    : erc20
      ? "the ERC20 bridge"
      : stakingEvent
        ? "staking"
        : erc20Multisig
          ? "the multisignature"
          : "something unknown";
  const moved = builtin?.deposit ?? builtin?.withdrawal ?? erc20?.deposit;
  const staked = stakingEvent?.stakeDeposited ?? stakingEvent?.stakeRemoved;
  const limits = erc20?.assetLimitsUpdated;
  return words(
    `Report an event of ${kind}, as a validator`,
    [
      line("transaction", txId),
      line("what", whatHappened(event)),
      line("amount", moved && exactAmountText(moved.amount ?? "", moved.vegaAssetId ?? "", assets)),
      line("key", builtin?.deposit?.partyId ?? builtin?.withdrawal?.partyId ?? erc20?.deposit?.targetPartyId),
      line("asset", erc20?.withdrawal?.vegaAssetId ?? limits?.vegaAssetId),
      line(
        "Ethereum address",
        erc20?.withdrawal?.targetEthereumAddress ?? erc20?.deposit?.sourceEthereumAddress,
      ),
      line("amount", staked && exactStakeText(staked.amount ?? "", stakeAsset, assets)),
      line("key", staked?.vegaPublicKey),
      line("Ethereum address", staked?.ethereumAddress),
      ...limitLines(
        limits && { lifetimeLimit: limits.lifetimeLimits, withdrawThreshold: limits.withdrawThreshold },
        limits?.vegaAssetId ?? "",
        assets,
      ),
    ],
    [VALIDATOR],
  );
};

function whatHappened({ builtin, erc20, stakingEvent }: Init<ChainEvent>): string | undefined {
  if (builtin?.deposit ?? erc20?.deposit) return "a deposit";
  if (builtin?.withdrawal ?? erc20?.withdrawal) return "a withdrawal";
  if (stakingEvent?.stakeDeposited) return "stake was added";
  if (stakingEvent?.stakeRemoved) return "stake was removed";
  return erc20?.assetLimitsUpdated && "an asset's limits changed";
}

const stateVariableProposal: Describe<"stateVariableProposal"> = () =>
  words("Propose a state variable, as a validator", [], [VALIDATOR]);

const validatorHeartbeat: Describe<"validatorHeartbeat"> = ({ nodeId }) =>
  words("Show that a validator is alive", [line("validator", nodeId)], [VALIDATOR]);

const oracleDataSubmission: Describe<"oracleDataSubmission"> = ({ source, payload }) =>
  words("Publish data of an oracle", [
    line("source", enumWord("vega.commands.v1.OracleDataSubmission.OracleSource", source, "ORACLE_SOURCE_")),
    said("data", Buffer.from(payload ?? []).toString("utf8")),
  ]);

export const networkWords = {
  voteSubmission,
  proposalSubmission,
  announceNode,
  issueSignatures,
  keyRotateSubmission,
  ethereumKeyRotateSubmission,
  protocolUpgradeProposal,
  nodeVote,
  nodeSignature,
  chainEvent,
  stateVariableProposal,
  validatorHeartbeat,
  oracleDataSubmission,
};
