// Descriptions: the core node's requests and answers.
export const TRANSACTIONS = `
vega.commands.v1.Transaction
  inputData: The command, as bytes: what the signature is over, behind the chain's identifier.
  signature: Signature of the input data.
  address: Ethereum address of the sender; not in use, give \`pubKey\`.
  pubKey: Public key of the sender, 64 hexadecimal digits.
  version: Version of the format.
  pow: Proof of work against a recent block.
vega.commands.v1.Signature
  value: The signature, hexadecimal.
  algo: Name of the algorithm: \`vega/ed25519\`.
  version: Version of the algorithm: 1.
vega.commands.v1.ProofOfWork
  tid: Identifier that the proof was made for; each can be used once.
  nonce: Number that makes the hash as small as the difficulty asks.
vega.api.v1.SubmitTransactionRequest
  tx: The signed transaction.
  type: What the answer waits for.
vega.api.v1.SubmitRawTransactionRequest
  tx: The signed transaction in its binary form.
  type: What the answer waits for.
vega.api.v1.CheckTransactionRequest
  tx: The signed transaction.
vega.api.v1.CheckRawTransactionRequest
  tx: The signed transaction in its binary form.
vega.api.v1.SubmitTransactionResponse
  txHash: Hash of the transaction, upper-case hexadecimal.
  data: Why the transaction was refused; empty when it was not.
  height: Height of the block that holds it when the request waited for one, else 0.
vega.api.v1.SubmitRawTransactionResponse
  txHash: Hash of the transaction, upper-case hexadecimal.
  data: Why the transaction was refused; empty when it was not.
  height: Height of the block that holds it when the request waited for one, else 0.
vega.api.v1.CheckTransactionResponse
  gasWanted: Share of a block that the transaction would take.
  gasUsed: Always 0; a check executes nothing.
  data: Why the transaction would be refused; empty when it would not.
  info: Further words about the refusal; empty when there are none.
vega.api.v1.CheckRawTransactionResponse
  gasWanted: Share of a block that the transaction would take.
  gasUsed: Always 0; a check executes nothing.
  data: Why the transaction would be refused; empty when it would not.
  info: Further words about the refusal; empty when there are none.
vega.api.v1.LastBlockHeightResponse
  height: Height of the last block.
  hash: Hash of the last block, hexadecimal: what a proof of work is made over.
  spamPowHashFunction: Name of the hash function of proofs of work, such as \`sha3_24_rounds\`.
  spamPowDifficulty: Zero bits that the hash of a proof must begin with.
  spamPowNumberOfPastBlocks: Blocks back from the last one that a proof may be made over.
  spamPowNumberOfTxPerBlock: Transactions with a proof over one block at this difficulty.
  spamPowIncreasingDifficulty: Whether more of them are taken at a higher difficulty.
vega.api.v1.GetVegaTimeResponse
  timestamp: Time of the last block, Unix nanoseconds.
vega.api.v1.GetSpamStatisticsResponse
  statistics: What the party has sent, and may still send.
vega.api.v1.SpamStatistics
  proposals: Proposals in this epoch.
  delegations: Delegations and their removals in this epoch.
  transfers: Transfers in this epoch.
  nodeAnnouncements: Announcements of nodes in this epoch.
  votes: Votes, by proposal.
  pow: Proofs of work over recent blocks.
  issueSignatures: Requests for signatures for the multisig contract in this epoch.
  epochSeq: Number of the current epoch.
vega.api.v1.SpamStatistic
  countForEpoch: Transactions of this kind that the party has sent in the epoch.
  maxForEpoch: Most that it may send in the epoch.
  bannedUntil: Time until which it may send none, RFC 3339; absent when it is not banned.
  minTokensRequired: Stake that it needs to send one, in the staking asset's smallest units.
vega.api.v1.VoteSpamStatistics
  statistics: Votes by proposal.
  maxForEpoch: Most votes on one proposal in an epoch.
  bannedUntil: Time until which the party may not vote, RFC 3339; absent when it is not banned.
vega.api.v1.VoteSpamStatistic
  proposal: Identifier of the proposal.
  countForEpoch: Votes of the party on it in this epoch.
  minTokensRequired: Stake that it needs to vote, in the staking asset's smallest units.
vega.api.v1.PoWStatistic
  blockStates: Recent blocks that a proof may be made over.
  bannedUntil: Time until which the party may send nothing, RFC 3339; absent when it is not banned.
  numberOfPastBlocks: Blocks back from the last one that a proof may be made over.
vega.api.v1.PoWBlockState
  blockHeight: Height of the block.
  blockHash: Hash of the block, hexadecimal.
  transactionsSeen: Transactions of the party with a proof over it.
  expectedDifficulty: Zero bits that the next proof over it must have; absent when no more are taken.
  hashFunction: Name of the hash function.
  difficulty: Zero bits that the first proofs over it must have.
  txPerBlock: Transactions that are taken at each difficulty.
  increasingDifficulty: Whether more of them are taken at a higher difficulty.
vega.api.v1.Account
  party: Public key of the party that owns it; 64 zeros for an account of the network.
  market: Identifier of the market that it belongs to; empty for an account outside markets.
  balance: Amount, in the asset's smallest units.
  asset: Identifier of the asset that it holds.
  type: Name of the type of account, such as \`ACCOUNT_TYPE_GENERAL\`.
vega.api.v1.ListDelegationsResponse
  delegations: Stake given to validators, by epoch.
vega.api.v1.ListNetworkLimitsResponse
  networkLimits: Limits as they are now; null while none are known.
vega.api.v1.ListPartiesStakeResponse
  partiesStake: Stake by party.
vega.api.v1.ListProposalsResponse
  proposals: Proposals in their current state.
vega.api.v1.ListValidatorsResponse
  validators: Validators with their latest announcement.
vega.api.v1.PartyStake
  party: Public key of the party.
  currentStakeAvailable: Stake that counts for it now, in the staking asset's smallest units.
  stakeLinkings: Deposits and removals of stake that it comes from.
vega.api.v1.StatisticsResponse
  statistics: Where the chain stands.
vega.api.v1.Statistics
  blockHeight: Height of the last block.
  backlogLength: Transactions that wait for a block.
  totalPeers: Always 0; this node does not count it.
  genesisTime: Time of the genesis, RFC 3339.
  currentTime: Time of this machine, RFC 3339.
  vegaTime: Time of the last block, RFC 3339.
  status: Whether the chain goes on; disconnected when it has stopped for good.
  txPerBlock: Transactions in the last block.
  averageTxBytes: Average length of a transaction, in bytes.
  averageOrdersPerBlock: Always 0; this node does not count it.
  tradesPerSecond: Always 0; this node does not count it.
  ordersPerSecond: Always 0; this node does not count it.
  totalMarkets: Always 0; the network does not fill it.
  totalAmendOrder: Always 0; this node does not count it.
  totalCancelOrder: Always 0; this node does not count it.
  totalCreateOrder: Always 0; this node does not count it.
  totalOrders: Always 0; this node does not count it.
  totalTrades: Always 0; this node does not count it.
  orderSubscriptions: Always 0; the network does not fill it.
  tradeSubscriptions: Always 0; the network does not fill it.
  candleSubscriptions: Always 0; the network does not fill it.
  marketDepthSubscriptions: Always 0; the network does not fill it.
  positionsSubscriptions: Always 0; the network does not fill it.
  accountSubscriptions: Always 0; the network does not fill it.
  marketDataSubscriptions: Always 0; the network does not fill it.
  marketDepthUpdatesSubscriptions: Always 0; the network does not fill it.
  appVersionHash: Revision of the source that the program was built from.
  appVersion: Version of the interface, such as \`v0.71.6\`.
  chainVersion: Version of the consensus engine's interface.
  blockDuration: Time between the last two blocks, in nanoseconds.
  uptime: Time at which the process began, RFC 3339.
  blockHash: Hash of the last block, hexadecimal.
  epochSeq: Number of the current epoch.
  epochStartTime: Time at which it began, RFC 3339.
  epochExpiryTime: Time from which it may end, RFC 3339.
  eventCount: Events since the chain began here.
  eventsPerSecond: Events of the last block, per second of block time.
`;
