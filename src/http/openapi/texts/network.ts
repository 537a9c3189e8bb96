// Descriptions: parties, stake, validators, epochs, the network itself.
export const NETWORK = `
vega.Party
  id: Public key of the party, 64 hexadecimal digits, or \`network\`.
vega.Delegation
  party: Public key of the party whose stake it is.
  amount: Stake that is given, in the staking asset's smallest units.
  epochSeq: Number of the epoch that it counts in.
vega.events.v1.StakeLinking
  id: Identifier of the linking.
  type: Whether stake was added or taken away.
  ts: Time of the Ethereum block, Unix seconds.
  party: Public key of the party whose stake it is.
  amount: Amount of stake, in the staking asset's smallest units.
  status: Whether the validators have confirmed it.
  finalizedAt: Time at which they had, Unix nanoseconds; 0 while they have not.
  txHash: Hash of the transaction on Ethereum.
  blockHeight: Height of the Ethereum block.
  blockTime: Time of the Ethereum block, Unix seconds.
  logIndex: Place of the event in that block.
  ethereumAddress: Ethereum address that added or took away the stake.
vega.Epoch
  seq: Number of the epoch, from 0.
  timestamps: Begin and end of the epoch.
  validators: Validators of the epoch, by identifier.
  delegations: Stake that parties had given to validators.
vega.EpochTimestamps
  startTime: Time at which it began, Unix nanoseconds.
  expiryTime: Time from which it may end, Unix nanoseconds.
  endTime: Time at which it ended, Unix nanoseconds; 0 while it runs.
  firstBlock: Height of its first block; 0 when no block of exactly that time is known.
  lastBlock: Height of its last block; 0 while it runs, or when no block of exactly that time is known.
vega.Node
  id: Identifier of the validator.
  pubKey: Key that its transactions on this network are signed with, hexadecimal.
  tmPubKey: Key that it takes part in consensus with, base64.
  ethereumAddress: Ethereum address that it signs bundles for the bridge with.
  infoUrl: Page that the operator tells more on.
  location: Country of the operator, two letters of ISO 3166.
  stakedByOperator: Stake that it has given itself, in the staking asset's smallest units.
  stakedByDelegates: Stake that others have given it, in the staking asset's smallest units.
  stakedTotal: Sum of both, in the staking asset's smallest units.
  maxIntendedStake: Always 0; the network knows no such limit.
  pendingStake: By how much its stake changes with the next epoch, in the staking asset's smallest units; may be negative.
  epochData: Always null; how often it was online is not recorded.
  status: Whether it validates; always that it does, as only such nodes are listed.
  rewardScore: Share of the rewards; null when none was computed for the epoch.
  rankingScore: Standing among the validators; null when none was computed for the epoch.
  name: Name that the operator gave it.
  avatarUrl: Address of a picture; empty when there is none.
vega.EpochData
  total: Epochs in which it was a validator.
  offline: Epochs in which it was offline.
  online: Epochs in which it was online.
vega.RewardScore
  rawValidatorScore: Share of the stake of its group, with what exceeds the optimum taken off; decimal text from 0 to 1.
  multisigScore: 1 when the multisig contract has it as a signer as far as it must, else 0; decimal text.
  validatorScore: Product of the other scores, decimal text from 0 to 1.
  normalisedScore: Its share among the scores of its group, by which rewards are paid; decimal text from 0 to 1.
  validatorStatus: Group that it belongs to.
vega.RankingScore
  stakeScore: Share of all validators' stake, decimal text from 0 to 1.
  previousStatus: Group that it belonged to in the epoch before.
  status: Group that it belongs to.
  votingPower: Weight of its vote in consensus; those of the consensus validators sum up to about 10,000.
  rankingScore: Product of both scores by which validators are promoted, with a bonus for those that have the place; decimal text.
vega.NodeData
  stakedTotal: Stake of all validators, in the staking asset's smallest units.
  totalNodes: Validators of all groups.
  inactiveNodes: Those with a performance of 0.
  tendermintNodes: Validators that take part in consensus.
  ersatzNodes: Validators that stand by.
  pendingNodes: Nodes that have announced themselves and do not validate yet.
  uptime: Length of the completed epochs in minutes.
vega.NodeSet
  total: Nodes of the group.
  inactive: Those with a performance of 0.
  promoted: Identifiers of the nodes that came up into the group with this epoch.
  demoted: Identifiers of the nodes that came down into the group with this epoch.
  maximum: Most nodes that the group can have; absent for pending nodes.
vega.NetworkLimits
  canProposeMarket: Whether markets can be proposed now.
  canProposeAsset: Whether assets can be proposed now.
  proposeMarketEnabled: Whether the genesis allows proposals of markets at all.
  proposeAssetEnabled: Whether the genesis allows proposals of assets at all.
  genesisLoaded: Whether the genesis was read.
  proposeMarketEnabledFrom: Time from which assets can be proposed, Unix nanoseconds; 0 for none. The network fills it so.
  proposeAssetEnabledFrom: Time from which assets can be proposed, Unix nanoseconds; 0 for none.
vega.commands.v1.NodeSignature
  id: Identifier of what is signed.
  sig: The signature: 65 bytes for the Ethereum contracts.
  kind: Kind of what is signed.
vega.events.v1.KeyRotation
  oldPubKey: Key that is no longer used, hexadecimal.
  newPubKey: Key that is used from then on, hexadecimal.
  blockHeight: Height of the block that the change took effect at.
vega.events.v1.EthereumKeyRotation
  oldAddress: Ethereum address that is no longer used.
  newAddress: Ethereum address that is used from then on.
  blockHeight: Height of the block that the change took effect at.
vega.events.v1.CoreSnapshotData
  blockHeight: Height of the block after which it was made.
  blockHash: Hash of that block, hexadecimal.
  coreVersion: Version of the core that made it.
  protocolUpgradeBlock: Whether it was made for an upgrade; always false on the data API.
vega.events.v1.ProtocolUpgradeEvent
  upgradeBlockHeight: Height of the block at which the network stops for the upgrade.
  vegaReleaseTag: Version that it goes on with, such as \`v0.72.0\`.
  approvers: Keys of the validators that approve it, hexadecimal.
  status: What has become of the proposal.
vega.events.v1.ValidatorUpdate
  vegaPubKey: Key that its transactions on this network are signed with, hexadecimal.
  ethereumAddress: Ethereum address that it signs bundles for the bridge with.
  tmPubKey: Key that it takes part in consensus with, base64.
  infoUrl: Page that the operator tells more on.
  country: Country of the operator, two letters of ISO 3166.
  name: Name that the operator gave it.
  avatarUrl: Address of a picture; empty when there is none.
  vegaPubKeyIndex: Number of the key among those derived by the operator's wallet.
  added: Whether it was added; false when it was removed.
  fromEpoch: Number of the epoch from which it counts.
  submitterAddress: Ethereum address that may bring the bundle of this change to the multisig contract.
  epochSeq: Number of the epoch in which it was announced.
`;
