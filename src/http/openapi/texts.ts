// Meanings of the data API's parameters and groups, for people. A test asks that nothing is left out.
import { DEFAULT_LIMITS } from "../limits.ts";

const { pageRowsDefault, pageRowsMax, filterValuesMax } = DEFAULT_LIMITS;

/** Groups, in the order of the page. */
export const TAGS: Readonly<Record<string, string>> = {
  Accounts: "Balances as they are now.",
  Balances: "Balances as they changed, block by block.",
  Ledger: "Every movement of money between accounts.",
  Assets: "What can be held, moved and settled in.",
  Deposits: "Money that came from outside.",
  Withdrawals: "Money that goes out.",
  "ERC20 bridge": "Signed bundles that the contracts on Ethereum accept.",
  Transfers: "Money sent between parties, once or every epoch.",
  Rewards: "What was paid out at the ends of epochs.",
  Parties: "Who takes part, and their stake.",
  Delegations: "Stake given to validators.",
  Epochs: "Periods after which stake and rewards are counted.",
  Nodes: "Validators, their keys and signatures.",
  Governance: "Proposals and votes.",
  Network: "Parameters, limits, checkpoints and upgrades.",
  Markets: "Markets and their data.",
  Candles: "Prices and volumes by period.",
  Orders: "Orders and their versions.",
  Trades: "What was bought and sold.",
  Positions: "Open positions and margins.",
  Liquidity: "Commitments of liquidity providers.",
  Oracles: "Data from outside that markets settle on.",
  "Network history": "Blocks of the past as CSV, for as long as they are kept.",
  Service: "For whoever runs this node.",
};

const TIMES = "Unix time in nanoseconds";
const PARTY = "Identifier of a party: its public key, 64 hexadecimal digits";
const ASSET = "Identifier of an asset";
const MARKET = "Identifier of a market";
const NODE = "Identifier of a validator node";

/** Query and path parameters by name. Where a name means something else in one request, see `SPECIAL`. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  "pagination.first": `Rows on the page, counted from the start or from \`pagination.after\`: ${pageRowsDefault} without it, ${pageRowsMax} at the most.`,
  "pagination.after": "The page starts after this cursor: `pageInfo.endCursor` of the page before.",
  "pagination.last": `Rows on the page, counted back from the end or from \`pagination.before\`: ${pageRowsMax} at the most.`,
  "pagination.before": "The page ends before this cursor: `pageInfo.startCursor` of the page after.",
  "pagination.newestFirst": "Newest rows first, as without it; `false` turns the order around.",
  startTimestamp: `Only what is at or after this time, ${TIMES}.`,
  endTimestamp: `Only what is before this time, ${TIMES}.`,
  fromTimestamp: `Only candles that begin at or after this time, ${TIMES}; 0 for no bound.`,
  toTimestamp: `Only candles that begin before this time, ${TIMES}; 0 for no bound.`,
  fromEpoch: "Only epochs from this one on, inclusive.",
  toEpoch: "Only epochs up to this one, inclusive.",
  epochId: "Number of an epoch.",
  epochSeq: "Number of an epoch.",
  partyId: `${PARTY}.`,
  partyIds: `${PARTY}; repeat it for several, at most ${filterValuesMax}.`,
  party_id: `${PARTY}.`,
  pubkey: `${PARTY}.`,
  proposerPartyId: `${PARTY}, the one that proposed.`,
  assetId: `${ASSET}.`,
  assetIds: `${ASSET}; repeat it for several, at most ${filterValuesMax}.`,
  asset_id: `${ASSET}.`,
  marketId: `${MARKET}.`,
  marketIds: `${MARKET}; repeat it for several, at most ${filterValuesMax}.`,
  market_id: `${MARKET}.`,
  nodeId: `${NODE}.`,
  accountTypes: "Type of account; repeat it for several.",
  transferTypes: "Type of movement; repeat it for several.",
  closeOnAccountFilters: "`true`: an entry must match both account filters; `false`: either is enough.",
  orderId: "Identifier of an order.",
  orderIds: `Identifier of an order, on either side of the trade; repeat it for several, at most ${filterValuesMax}.`,
  order_id: "Identifier of an order.",
  statuses: "State of an order; repeat it for several.",
  types: "Type of an order; repeat it for several.",
  timeInForces: "How long an order stays; repeat it for several.",
  excludeLiquidity: "`true` leaves out the orders of liquidity provisions.",
  liveOnly: "`true` shows only orders that can still trade.",
  reference: "The text that was given as reference, exactly.",
  version: "Version of the order, from 1; without it the last one.",
  includeSettled: "`false` leaves out markets that are settled; without it they are there.",
  maxDepth: "Price levels on each side at the most; 0 for all.",
  candleId: "Identifier of a market's candles, from the list of intervals.",
  live: "`true` shows only provisions that are active, undeployed or pending, in their current state.",
  oracleSpecId: "Identifier of an oracle spec.",
  oracle_spec_id: "Identifier of an oracle spec.",
  proposalId: "Identifier of a proposal.",
  proposalState: "State of the proposal; without it every state.",
  proposalType: "Kind of change that is proposed; without it every kind.",
  proposalReference: "The text that was given as reference, exactly.",
  withdrawalId: "Identifier of a withdrawal.",
  direction: "Whether the party sends, receives, or either; wanted together with `pubkey`.",
  status: "State of the proposal; without it every state.",
  approvedBy: "Public key of a validator that approved.",
  submitter: "Ethereum address that will submit the bundle.",
  key: "Name of the parameter, such as `market.fee.factors.makerFee`.",
  table: "The table that is exported.",
  fromBlock: "First block: the `fromHeight` of a stored segment.",
  toBlock: "Last block: the `toHeight` of a stored segment.",
  manifest:
    "`true` adds a last entry to the archive: rows, bytes and SHA-256 of each file, and the segments' hashes.",
  networkParameterKey: "Name of the parameter, such as `market.fee.factors.makerFee`.",
  party: `${PARTY}.`,
  proposer: `${PARTY}, the one that proposed.`,
  asset: `${ASSET}.`,
  market: `${MARKET}.`,
  node: `${NODE}.`,
  proposal: "Identifier of a proposal.",
  pretty: "Indents the answer; any value, or none.",
};

/** Where the meaning depends on the request: `<request message>.<parameter>`. */
export const SPECIAL: Readonly<Record<string, string>> = {
  "GetEpochRequest.id": "Number of the epoch; 0 or none for the current one.",
  "GetDepositRequest.id": "Identifier of the deposit.",
  "GetWithdrawalRequest.id": "Identifier of the withdrawal.",
  "GetNodeRequest.id": `${NODE}.`,
  "ListNodeSignaturesRequest.id":
    "Identifier of what is signed: a withdrawal, an asset, a proposal or a signer bundle.",
  "ListNodesRequest.epochSeq": "Number of the epoch; none for the current one.",
  "ListAssetsRequest.assetId": `${ASSET}, to get that one alone.`,
  "ListPartiesRequest.partyId": `${PARTY}, to get that one alone.`,
  "GetERC20SetAssetLimitsBundleRequest.proposalId": "Identifier of the proposal that changed the asset.",
  "GetMarketDataHistoryByIDRequest.endTimestamp": `Only what is at or before this time, ${TIMES}.`,
  "ListLedgerEntriesRequest.filter.fromAccountFilter.partyIds": `${PARTY}, on the paying side; one at the most.`,
  "ListLedgerEntriesRequest.filter.toAccountFilter.partyIds": `${PARTY}, on the receiving side; one at the most.`,
  "ExportLedgerEntriesRequest.partyId": `${PARTY}, whose entries are exported.`,
  "ExportLedgerEntriesRequest.assetId": `${ASSET}, whose entries are exported.`,
};

/** Parameters without which the request is refused. */
export const REQUIRED: ReadonlySet<string> = new Set([
  "GetERC20WithdrawalApprovalRequest.withdrawalId",
  "GetERC20ListAssetBundleRequest.assetId",
  "GetERC20SetAssetLimitsBundleRequest.proposalId",
  "ListNodeSignaturesRequest.id",
  "ListCandleDataRequest.candleId",
  "ListCandleIntervalsRequest.marketId",
  "ExportLedgerEntriesRequest.partyId",
  "ExportLedgerEntriesRequest.assetId",
  "ExportNetworkHistoryRequest.table",
  "ExportNetworkHistoryRequest.fromBlock",
  "ExportNetworkHistoryRequest.toBlock",
]);
