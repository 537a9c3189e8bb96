// The effect of a transaction in plain words: what leaves, to whom, in which asset. For people who decide on it.

import type { Init } from "../../wire/codec.ts";
import type {
  ChainEvent,
  OrderAmendment,
  OrderCancellation,
  OrderSubmission,
} from "../../wire/generated/commands.ts";
import type { AssetDetails, NewMarketConfiguration } from "../../wire/generated/vega.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import type { CommandKind } from "../../wire/transaction-commands.ts";
import type { MarketFacts } from "../sending/nodes.ts";
import {
  type AssetBook,
  amountText,
  commitmentText,
  type Describe,
  enumWord,
  exactAmountText,
  exactCommitmentText,
  exactStakeText,
  type Line,
  line,
  type MarketBook,
  named,
  priceText,
  said,
  sizeText,
  stakeText,
  timeWord,
  WORD_LINES_MAX,
  type Words,
  type WordsContext,
  words,
} from "./formatting.ts";

// Words for commands that move tokens: transfers, withdrawals, stake.

const account = (type: number | undefined) => enumWord("vega.AccountType", type, "ACCOUNT_TYPE_");
/** The party that stands for the network in transfers (docs/protocol/30-node-api-commands.md#42-transfer). */
const NETWORK = /^0{64}$/;

const transfer: Describe<"transfer"> = (
  { amount = "", asset = "", to = "", fromAccountType, toAccountType, reference, oneOff, recurring },
  context,
) => {
  const what = amountText(amount, asset, context.assets);
  const receiver = receiverOf(to, toAccountType, context);
  const title = recurring ? `Send ${what} every epoch to ${receiver}` : `Send ${what} to ${receiver}`;
  const end = recurring?.endEpoch;
  return words(
    title,
    [
      line("amount", exactAmountText(amount, asset, context.assets)),
      line("to", to),
      line("from account", account(fromAccountType)),
      line("to account", account(toAccountType)),
      line("delivered on", oneOff ? (timeWord(oneOff.deliverOn, "ns") ?? "at once") : undefined),
      recurring && line("from epoch", recurring.startEpoch),
      recurring && line("to epoch", end ?? "never: until it is cancelled"),
      recurring && line("each time multiplied by", recurring.factor),
      recurring?.dispatchStrategy &&
        line(
          "shared out by",
          `${enumWord("vega.DispatchMetric", recurring.dispatchStrategy.metric, "DISPATCH_METRIC_")} in ${recurring.dispatchStrategy.markets?.length || "all"} markets`,
        ),
      said("reference", reference),
    ],
    recurring && end === undefined ? ["it goes on without end until you cancel it"] : [],
  );
};

function receiverOf(to: string, toAccountType: number | undefined, { publicKey }: WordsContext): string {
  if (to === publicKey) return "your own key";
  if (to === "" || NETWORK.test(to)) return `the network (${account(toAccountType)})`;
  return named(to);
}

const withdrawSubmission: Describe<"withdrawSubmission"> = ({ amount = "", asset = "", ext }, { assets }) => {
  const what = amountText(amount, asset, assets);
  const receiver = ext?.erc20?.receiverAddress;
  return words(
    `Withdraw ${what} from the network to ${receiver ? `the Ethereum address ${named(receiver)}` : "outside"}`,
    [line("amount", exactAmountText(amount, asset, assets)), line("to the address", receiver)],
    ["the holder of that address has the tokens; the network cannot bring them back"],
  );
};

const delegateSubmission: Describe<"delegateSubmission"> = (
  { nodeId = "", amount = "" },
  { stakeAsset, assets },
) => {
  const what = stakeText(amount, stakeAsset, assets);
  return words(`Delegate ${what} to validator ${named(nodeId)}`, [
    line("validator", nodeId),
    line("amount", exactStakeText(amount, stakeAsset, assets)),
  ]);
};

const undelegateSubmission: Describe<"undelegateSubmission"> = (
  { nodeId = "", amount = "", method },
  { stakeAsset, assets },
) => {
  const what = /^0*$/.test(amount) ? "all stake" : stakeText(amount, stakeAsset, assets);
  return words(`Take ${what} back from validator ${named(nodeId)}`, [
    line("validator", nodeId),
    line("amount", what === "all stake" ? what : exactStakeText(amount, stakeAsset, assets)),
    line("when", enumWord("vega.commands.v1.UndelegateSubmission.Method", method, "METHOD_")),
  ]);
};

const cancelTransfer: Describe<"cancelTransfer"> = ({ transferId = "" }) =>
  words(`Cancel the recurring transfer ${named(transferId)}`, [line("transfer", transferId)]);

const moneyWords = {
  transfer,
  withdrawSubmission,
  delegateSubmission,
  undelegateSubmission,
  cancelTransfer,
};

// Words for commands of markets: orders and liquidity. Prices and sizes are whole numbers in the market's decimals;
// where a node does not say them, the numbers are shown as they are, and said to be.

const UNITS = "prices and sizes are in the market's smallest units";
/** Said where the decimals of a market are not known. */
const unitsOf = (ids: readonly (string | undefined)[], markets: MarketBook): string[] =>
  ids.every((id) => markets(id ?? "") !== undefined) ? [] : [UNITS];
/** The market, and what its instrument is called. */
const marketLine = (id: string | undefined, market: MarketFacts | undefined) =>
  line("market", market?.code ? `${id} ${named(market.code)}` : id);
const side = (value: number | undefined) => enumWord("vega.Side", value, "SIDE_");
const SIDE_BUY = 1;
const SIDE_SELL = 2;
const orderType = (value: number | undefined) => enumWord("vega.Order.Type", value, "TYPE_");

function orderTitle(
  { side: which, size = 0n, price = "", type, peggedOrder }: Init<OrderSubmission>,
  market: MarketFacts | undefined,
): string {
  const beside = which === SIDE_BUY ? "below" : which === SIDE_SELL ? "above" : "from";
  const at = peggedOrder
    ? `at ${priceText(peggedOrder.offset ?? "0", market)} ${beside} ${enumWord("vega.PeggedReference", peggedOrder.reference, "PEGGED_REFERENCE_")}`
    : price === ""
      ? "at the market's price"
      : `at ${priceText(price, market)}`;
  const verb = { buy: "Buy", sell: "Sell" }[side(which)] ?? `Order (${side(which)})`;
  return `${verb} ${sizeText(String(size), market)} ${at} (${orderType(type)} order)`;
}

const orderSubmission: Describe<"orderSubmission"> = (order, { markets }) => {
  const market = markets(order.marketId ?? "");
  return words(
    `${orderTitle(order, market)} on market ${named(order.marketId ?? "")}`,
    [
      marketLine(order.marketId, market),
      line("side", side(order.side)),
      line("size", order.size === undefined ? undefined : sizeText(String(order.size), market)),
      line("price", order.price && priceText(order.price, market)),
      line("time in force", enumWord("vega.Order.TimeInForce", order.timeInForce, "TIME_IN_FORCE_")),
      line("expires", timeWord(order.expiresAt, "ns")),
      order.postOnly ? line("post only", "yes") : undefined,
      order.reduceOnly ? line("reduce only", "yes") : undefined,
      said("reference", order.reference),
    ],
    unitsOf([order.marketId], markets),
  );
};

const cancellationTitle = ({ orderId, marketId }: Init<OrderCancellation>): string => {
  if (orderId) return `Cancel the order ${named(orderId)}`;
  return marketId ? `Cancel all orders on market ${named(marketId)}` : "Cancel all orders on all markets";
};

const orderCancellation: Describe<"orderCancellation"> = (cancellation, { markets }) =>
  words(cancellationTitle(cancellation), [
    line("order", cancellation.orderId),
    marketLine(cancellation.marketId, markets(cancellation.marketId ?? "")),
  ]);

const amendmentLines = (
  amendment: Init<OrderAmendment>,
  market: MarketFacts | undefined,
): (Line | undefined)[] => [
  line("order", amendment.orderId),
  marketLine(amendment.marketId, market),
  line("new price", amendment.price && priceText(amendment.price, market)),
  amendment.sizeDelta ? line("size changes by", sizeText(String(amendment.sizeDelta), market)) : undefined,
  line("expires", timeWord(amendment.expiresAt, "ns")),
  amendment.timeInForce
    ? line("time in force", enumWord("vega.Order.TimeInForce", amendment.timeInForce, "TIME_IN_FORCE_"))
    : undefined,
  amendment.peggedReference
    ? line("pegged to", enumWord("vega.PeggedReference", amendment.peggedReference, "PEGGED_REFERENCE_"))
    : undefined,
  line("pegged offset", amendment.peggedOffset && priceText(amendment.peggedOffset, market)),
];

const orderAmendment: Describe<"orderAmendment"> = (amendment, { markets }) =>
  words(
    `Change the order ${named(amendment.orderId ?? "")}`,
    amendmentLines(amendment, markets(amendment.marketId ?? "")),
    unitsOf([amendment.marketId], markets),
  );

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

const batchMarketInstructions: Describe<"batchMarketInstructions"> = (
  { cancellations = [], amendments = [], submissions = [] },
  { markets },
) => {
  const count = cancellations.length + amendments.length + submissions.length;
  let room = WORD_LINES_MAX;
  const some = <T>(list: readonly T[]): readonly T[] => {
    const taken = list.slice(0, room);
    room -= taken.length;
    return taken;
  };
  const description = words(
    `${counted(count, "instruction")} at once: ${[
      counted(cancellations.length, "cancellation"),
      counted(amendments.length, "change"),
      counted(submissions.length, "new order"),
    ].join(", ")}`,
    [
      ...some(cancellations).map((one, at) => line(`cancellation ${at + 1}`, cancellationTitle(one))),
      ...some(amendments).map((one, at) =>
        line(
          `change ${at + 1}`,
          amendmentLines(one, markets(one.marketId ?? ""))
            .flatMap((part) => (part ? [`${part[0]} ${part[1]}`] : []))
            .join(", "),
        ),
      ),
      ...some(submissions).map((one, at) => {
        const market = markets(one.marketId ?? "");
        const code = market?.code ? ` ${named(market.code)}` : "";
        return line(`order ${at + 1}`, `${orderTitle(one, market)} on ${named(one.marketId ?? "")}${code}`);
      }),
    ],
    unitsOf(
      [...amendments, ...submissions].map(({ marketId }) => marketId),
      markets,
    ),
  );
  return count > WORD_LINES_MAX ? { ...description, left: count - WORD_LINES_MAX } : description;
};

const liquidityProvisionSubmission: Describe<"liquidityProvisionSubmission"> = (provision, context) => {
  const { marketId = "", commitmentAmount = "" } = provision;
  const market = context.markets(marketId);
  const what = commitmentText(commitmentAmount, market, context.assets);
  return words(`Provide liquidity to market ${named(marketId)}, committing ${what}`, [
    marketLine(marketId, market),
    line("commitment", exactCommitmentText(commitmentAmount, market, context.assets)),
    line("fee", provision.fee),
    line("buy orders", provision.buys?.length),
    line("sell orders", provision.sells?.length),
    said("reference", provision.reference),
  ]);
};

const liquidityProvisionAmendment: Describe<"liquidityProvisionAmendment"> = (provision, context) => {
  const { marketId = "", commitmentAmount = "" } = provision;
  const market = context.markets(marketId);
  const what = commitmentAmount === "" ? undefined : commitmentText(commitmentAmount, market, context.assets);
  const title = `Change your liquidity on market ${named(marketId)}`;
  return words(what === undefined ? title : `${title}, committing ${what}`, [
    marketLine(marketId, market),
    line("new commitment", what && exactCommitmentText(commitmentAmount, market, context.assets)),
    line("new fee", provision.fee),
    line("buy orders", provision.buys?.length || undefined),
    line("sell orders", provision.sells?.length || undefined),
    said("reference", provision.reference),
  ]);
};

const liquidityProvisionCancellation: Describe<"liquidityProvisionCancellation"> = (
  { marketId = "" },
  { markets },
) =>
  words(`Take your liquidity back from market ${named(marketId)}`, [marketLine(marketId, markets(marketId))]);

const marketWords = {
  orderSubmission,
  orderCancellation,
  orderAmendment,
  batchMarketInstructions,
  liquidityProvisionSubmission,
  liquidityProvisionAmendment,
  liquidityProvisionCancellation,
};

// The effect of a proposal: the facts of a new market, the amounts of a new or changed asset.

type Lines = readonly (Line | undefined)[];

function newMarketLines(changes: Init<NewMarketConfiguration> | undefined): Lines {
  if (changes === undefined) return [];
  const { instrument, decimalPlaces = 0n, positionDecimalPlaces = 0n } = changes;
  return [
    said("instrument", instrument?.name),
    said("code", instrument?.code),
    line("settlement asset", instrument?.future?.settlementAsset),
    said("prices in", instrument?.future?.quoteName),
    line("decimals", `${decimalPlaces} of prices, ${positionDecimalPlaces} of sizes`),
  ];
}

/** Amounts are of the asset itself, by the symbol and the decimals that are proposed for it. */
function newAssetLines(changes: Init<AssetDetails> | undefined): Lines {
  if (changes === undefined) return [];
  const { name, symbol = "", decimals = 0n, erc20, builtinAsset } = changes;
  const isShort = decimals >= 0n && decimals <= 100n;
  const book: AssetBook = () => (isShort ? { symbol, decimals: Number(decimals) } : undefined);
  const mint = builtinAsset?.maxFaucetAmountMint;
  return [
    said("name", name),
    said("symbol", symbol),
    line("decimals", decimals),
    line("contract", erc20?.contractAddress),
    ...limitLines(erc20, "proposed", book),
    line("most from a faucet", mint && exactAmountText(mint, "proposed", book)),
  ];
}

interface Limits {
  readonly lifetimeLimit?: string | undefined;
  readonly withdrawThreshold?: string | undefined;
}

function limitLines(limits: Limits | undefined, asset: string, book: AssetBook): Lines {
  if (limits === undefined) return [];
  const { lifetimeLimit, withdrawThreshold } = limits;
  const amount = (text: string | undefined) => text && exactAmountText(text, asset, book);
  return [
    line("most of a key's deposits", amount(lifetimeLimit)),
    line("withdrawals wait from", amount(withdrawThreshold)),
  ];
}

// Words for commands of governance and of validators.

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

const networkWords = {
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

const DESCRIBE: { readonly [K in CommandKind]: Describe<K> } = {
  ...moneyWords,
  ...marketWords,
  ...networkWords,
};

/** The words of a command; every kind has some. */
export function wordsOf(command: CommandInit, context: WordsContext): Words {
  const describe = DESCRIBE[command.kind] as Describe<never>;
  return describe(command.payload as never, context);
}
