// Descriptions: the frames of answers of the data API, and small messages of its own.
export const FRAMES = `
datanode.api.v2.PageInfo
  hasNextPage: Whether rows follow the last one of this page in the order of the list.
  hasPreviousPage: Whether rows stand before the first one of this page.
  startCursor: Cursor of the first row of the page; empty when the page has no row.
  endCursor: Cursor of the last row of the page; empty when the page has no row.

datanode.api.v2.AccountBalance
  owner: Public key of the party that owns the account, or \`network\`.
  balance: Amount in the account now, in the asset's smallest units.
  asset: Identifier of the asset that the account holds.
  marketId: Identifier of the market that the account belongs to; empty for an account outside markets.
  type: Purpose of the account.
datanode.api.v2.AggregatedBalance
  timestamp: Time of the block after which the account held this, Unix nanoseconds.
  balance: Amount in the account after that block, in the asset's smallest units.
  partyId: Public key of the party that owns the account, or \`network\`.
  assetId: Identifier of the asset that the account holds.
  marketId: Identifier of the market that the account belongs to; empty for an account outside markets.
  accountType: Purpose of the account.
datanode.api.v2.AggregatedLedgerEntry
  timestamp: Time of the block with this movement, Unix nanoseconds.
  quantity: Amount that was moved, in the asset's smallest units.
  transferType: Reason of the movement.
  assetId: Identifier of the asset that was moved.
  fromAccountType: Purpose of the account that paid.
  toAccountType: Purpose of the account that received.
  fromAccountPartyId: Owner of the account that paid: a public key, or \`network\`.
  toAccountPartyId: Owner of the account that received: a public key, or \`network\`.
  fromAccountMarketId: Market of the account that paid; absent for an account outside markets.
  toAccountMarketId: Market of the account that received; absent for an account outside markets.
  fromAccountBalance: Amount left in the paying account after the movement, in the asset's smallest units.
  toAccountBalance: Amount in the receiving account after the movement, in the asset's smallest units.
datanode.api.v2.Candle
  start: Begin of the period, Unix nanoseconds.
  lastUpdate: Time of the last trade in the period, Unix nanoseconds.
  high: Highest price of the period, in the market's price units.
  low: Lowest price of the period, in the market's price units.
  open: Price of the first trade of the period, in the market's price units.
  close: Price of the last trade of the period, in the market's price units.
  volume: Size traded in the period, in the market's size units.
datanode.api.v2.Checkpoint
  hash: Hash of the checkpoint's contents, hexadecimal.
  blockHash: Hash of the block after which it was made, hexadecimal.
  atBlock: Height of that block.
datanode.api.v2.ERC20MultiSigSignerAddedBundle
  newSigner: Ethereum address that becomes a signer of the multisig contract.
  submitter: Ethereum address that must bring the bundle to the contract.
  epochSeq: Number of the epoch in which the signer was added.
  nonce: Number that the contract takes once, and that the signatures cover; a decimal number of up to 256 bits.
  timestamp: Time of the block that made the bundle, Unix nanoseconds.
  signatures: \`0x\` and the validators' signatures one behind the other; empty while there is none.
datanode.api.v2.ERC20MultiSigSignerRemovedBundle
  oldSigner: Ethereum address that is not a signer of the multisig contract any more.
  submitter: Ethereum address that must bring the bundle to the contract.
  epochSeq: Number of the epoch in which the signer was removed.
  nonce: Number that the contract takes once, and that the signatures cover; a decimal number of up to 256 bits.
  timestamp: Time of the block that made the bundle, Unix nanoseconds.
  signatures: \`0x\` and the validators' signatures one behind the other; empty while there is none.
datanode.api.v2.GetERC20ListAssetBundleResponse
  assetSource: Ethereum address of the token contract that the bridge shall take.
  vegaAssetId: Identifier that the asset has on the network.
  nonce: Number that the bridge takes once, and that the signatures cover; a decimal number of up to 256 bits.
  signatures: \`0x\` and the validators' signatures one behind the other; empty while there is none.
datanode.api.v2.GetERC20SetAssetLimitsBundleResponse
  assetSource: Ethereum address of the token contract whose limits change.
  vegaAssetId: Identifier that the asset has on the network.
  nonce: Number that the bridge takes once, and that the signatures cover; a decimal number of up to 256 bits.
  lifetimeLimit: Most that one Ethereum address may deposit over all time, in the asset's smallest units.
  threshold: Withdrawals of more than this wait out the bridge's delay, in the asset's smallest units.
  signatures: \`0x\` and the validators' signatures one behind the other; empty while there is none.
datanode.api.v2.GetERC20WithdrawalApprovalResponse
  assetSource: Ethereum address of the token contract that pays.
  amount: Amount that is paid, in the asset's smallest units.
  nonce: Number that the bridge takes once: the withdrawal's \`ref\`.
  signatures: \`0x\` and the validators' signatures one behind the other; empty while there are none.
  targetAddress: Ethereum address that receives the tokens.
  creation: Time at which the withdrawal was made, Unix seconds, as the signatures cover it.
datanode.api.v2.HistorySegment
  fromHeight: Height of the segment's first block.
  toHeight: Height of the segment's last block.
  historySegmentId: Identifier of the segment, made from its contents.
  previousHistorySegmentId: Identifier of the segment before it; empty for the first one.
  databaseVersion: Version of the tables' columns in the segment.
  chainId: Identifier of the chain that the blocks are of.
datanode.api.v2.InfoResponse
  version: Version of the interface that is served, such as \`v0.71.6\`.
  commitHash: Revision of the source that the program was built from.
datanode.api.v2.IntervalToCandleId
  interval: Length of each candle: \`block\`, or such as \`5 minutes\`.
  candleId: Identifier to ask for these candles with.

datanode.api.v2.GetAssetResponse
  asset: The asset.
datanode.api.v2.GetDepositResponse
  deposit: The deposit.
datanode.api.v2.GetEpochResponse
  epoch: The epoch.
datanode.api.v2.GetGovernanceDataResponse
  data: The proposal and the votes on it.
datanode.api.v2.GetLastTradeResponse
  trade: The market's last trade; null when there was none.
datanode.api.v2.GetLatestMarketDataResponse
  marketData: The market's latest data.
datanode.api.v2.GetLatestMarketDepthResponse
  buy: Price levels of the buying side, highest price first.
  sell: Price levels of the selling side, lowest price first.
  lastTrade: The market's last trade; null when there was none.
  sequenceNumber: Number of the last change to the book that is contained here.
datanode.api.v2.GetMarketDataHistoryByIDResponse
  marketData: The market's data as it changed.
datanode.api.v2.GetMarketResponse
  market: The market.
datanode.api.v2.GetNetworkDataResponse
  nodeData: Counts of the validators, and their stake.
datanode.api.v2.GetNetworkHistoryBootstrapPeersResponse
  bootstrapPeers: Addresses of peers to begin with; always empty, as this node has no swarm.
datanode.api.v2.GetNetworkHistoryStatusResponse
  ipfsAddress: Address of this node in a swarm; empty, as there is none.
  swarmKey: Key of the swarm; empty, as there is none.
  swarmKeySeed: Text that the swarm's key is made from; empty, as there is no swarm.
  connectedPeers: Addresses of connected peers; always empty.
datanode.api.v2.GetNetworkLimitsResponse
  limits: Limits as they are now.
datanode.api.v2.GetNetworkParameterResponse
  networkParameter: The parameter and its current value.
datanode.api.v2.GetNodeResponse
  node: The validator in the current epoch.
datanode.api.v2.GetOracleSpecResponse
  oracleSpec: The spec.
datanode.api.v2.GetOrderResponse
  order: The order, in the version that was asked for.
datanode.api.v2.GetPartyResponse
  party: The party.
datanode.api.v2.GetProtocolUpgradeStatusResponse
  ready: Whether the node has written everything that has to be there before an agreed upgrade.
datanode.api.v2.GetStakeResponse
  currentStakeAvailable: Stake that counts for the party now, in the smallest units of the staking asset.
  stakeLinkings: Deposits and removals of stake that it comes from.
datanode.api.v2.GetVegaTimeResponse
  timestamp: Time of the last block, Unix nanoseconds.
datanode.api.v2.GetWithdrawalResponse
  withdrawal: The withdrawal.
datanode.api.v2.ListAccountsResponse
  accounts: Accounts with their current balances.
datanode.api.v2.ListAllNetworkHistorySegmentsResponse
  segments: Segments that can be exported.
datanode.api.v2.ListAllPositionsResponse
  positions: Positions with their profits; closed ones stay with a volume of 0.
datanode.api.v2.ListAssetsResponse
  assets: Assets, those that are only proposed among them.
datanode.api.v2.ListBalanceChangesResponse
  balances: A row for each block and account whose balance it changed.
datanode.api.v2.ListCandleDataResponse
  candles: Candles in which there was a trade.
datanode.api.v2.ListCandleIntervalsResponse
  intervalToCandleId: Lengths of candles with the identifier to ask for each.
datanode.api.v2.ListCheckpointsResponse
  checkpoints: Checkpoints that the network has made.
datanode.api.v2.ListCoreSnapshotsResponse
  coreSnapshots: Snapshots that the core has made.
datanode.api.v2.ListDelegationsResponse
  delegations: Stake given to validators, by epoch.
datanode.api.v2.ListDepositsResponse
  deposits: Deposits in their current state.
datanode.api.v2.ListERC20MultiSigSignerAddedBundlesResponse
  bundles: Bundles that add a signer to the multisig contract.
datanode.api.v2.ListERC20MultiSigSignerRemovedBundlesResponse
  bundles: Bundles that remove a signer from the multisig contract.
datanode.api.v2.ListEpochRewardSummariesResponse
  summaries: Sums of the rewards of each epoch.
datanode.api.v2.ListEthereumKeyRotationsResponse
  keyRotations: Changes of validators' Ethereum addresses.
datanode.api.v2.ListGovernanceDataResponse
  connection: Proposals with the votes on each, open ones first.
datanode.api.v2.ListKeyRotationsResponse
  rotations: Changes of validators' network keys.
datanode.api.v2.ListLedgerEntriesResponse
  ledgerEntries: Movements between accounts, one row each.
datanode.api.v2.ListLiquidityProvisionsResponse
  liquidityProvisions: Commitments in their latest version.
datanode.api.v2.ListMarginLevelsResponse
  marginLevels: Latest margin levels by party and market.
datanode.api.v2.ListMarketsResponse
  markets: Markets; those that were rejected are left out.
datanode.api.v2.ListNetworkParametersResponse
  networkParameters: Parameters with their current values, by key.
datanode.api.v2.ListNodeSignaturesResponse
  signatures: Validators' signatures of the resource.
datanode.api.v2.ListNodesResponse
  nodes: Validators of the epoch.
datanode.api.v2.ListOracleDataResponse
  oracleData: Data that oracles have sent.
datanode.api.v2.ListOracleSpecsResponse
  oracleSpecs: Specs of the data that markets wait for.
datanode.api.v2.ListOrderVersionsResponse
  orders: Versions of the order, the latest first.
datanode.api.v2.ListOrdersResponse
  orders: Orders in their current version.
datanode.api.v2.ListPartiesResponse
  parties: Parties, \`network\` among them.
datanode.api.v2.ListProtocolUpgradeProposalsResponse
  protocolUpgradeProposals: Upgrades that validators have proposed.
datanode.api.v2.ListRewardSummariesResponse
  summaries: Sums of the rewards by party and asset.
datanode.api.v2.ListRewardsResponse
  rewards: Rewards, one row for each payment.
datanode.api.v2.ListTradesResponse
  trades: Trades, by the time of their block.
datanode.api.v2.ListTransfersResponse
  transfers: Transfers in their current state.
datanode.api.v2.ListVotesResponse
  votes: Votes, the latest of each party on each proposal.
datanode.api.v2.ListWithdrawalsResponse
  withdrawals: Withdrawals in their current state.
`;
