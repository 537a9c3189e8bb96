// Descriptions: assets, deposits, withdrawals, transfers, rewards.
export const ASSETS = `
vega.Asset
  id: Identifier of the asset.
  details: Name, decimals and origin of the asset.
  status: Stage of the asset's life.
vega.AssetDetails
  name: Name of the asset.
  symbol: Short name of the asset; two assets may have the same.
  decimals: Digits after the point of a whole unit: with 5 of them the amount \`100000\` is 1.
  builtinAsset: An asset of the network alone, for tests. There when the asset has this kind.
  erc20: A token of Ethereum. There when the asset has this kind.
vega.BuiltinAsset
  maxFaucetAmountMint: Most that the faucet gives at a time, in the asset's smallest units.
vega.ERC20
  contractAddress: Ethereum address of the token contract.
vega.AssetDetailsUpdate
  erc20: New limits of the token at the bridge.
vega.NewAsset
  changes: The asset as it shall be.
vega.UpdateAsset
  changes: Details that the asset gets.
vega.Deposit
  id: Identifier of the deposit.
  status: What has become of the deposit.
  asset: Identifier of the asset that was deposited.
  amount: Amount, in the asset's smallest units.
  txHash: Hash of the transaction on Ethereum; empty for a built-in asset.
  creditedTimestamp: Time at which the amount was credited, Unix nanoseconds; 0 while it has not been.
  createdTimestamp: Time at which the network first saw it, Unix nanoseconds.
vega.Withdrawal
  id: Identifier of the withdrawal.
  amount: Amount, in the asset's smallest units.
  asset: Identifier of the asset that is withdrawn.
  status: What has become of the withdrawal.
  ref: Number that the bridge takes once for it, decimal; the \`nonce\` of its bundle.
  txHash: Hash of the transaction on Ethereum that claimed it; empty until then.
  createdTimestamp: Time at which it was asked for, Unix nanoseconds.
  withdrawnTimestamp: Time at which the network saw it claimed, Unix nanoseconds; 0 while it has not been.
  ext: Where it goes outside the network.
vega.WithdrawExt
  erc20: For a token of Ethereum; absent for a built-in asset.
vega.Erc20WithdrawExt
  receiverAddress: Ethereum address that receives the tokens.
vega.events.v1.Transfer
  id: Identifier of the transfer.
  from: Public key of the party that sends.
  fromAccountType: Account that it is taken from.
  to: Public key of the party that receives, or 64 zeros for an account of the network.
  toAccountType: Account that it goes to.
  asset: Identifier of the asset that is sent.
  amount: Amount of each payment, in the asset's smallest units; of a recurring one that of its first epoch.
  reference: Free text that the sender gave.
  status: What has become of the transfer.
  timestamp: Time of the block with its latest change, Unix nanoseconds.
  reason: Why it was rejected, stopped or cancelled; absent when it was not.
  oneOff: A single payment. There when the transfer has this kind.
  recurring: A payment every epoch. There when the transfer has this kind.
vega.events.v1.OneOffTransfer
  deliverOn: Time from which it is delivered, Unix nanoseconds; 0 for at once.
vega.events.v1.RecurringTransfer
  startEpoch: Number of the first epoch at whose end it pays.
  endEpoch: Number of the last one; absent when it goes on until it is cancelled.
  factor: What the amount is multiplied by from epoch to epoch, decimal text; \`1\` keeps it.
  dispatchStrategy: How a payment to a reward account is shared among markets; null for a payment to a party.
vega.DispatchStrategy
  assetForMetric: Identifier of the settlement asset whose markets count.
  metric: What the shares are measured by.
  markets: Identifiers of the markets that count; empty for all of that asset.
vega.Reward
  partyId: Public key of the party that was paid.
  assetId: Identifier of the asset that was paid.
  epoch: Number of the epoch that the reward is for.
  amount: Amount, in the asset's smallest units.
  percentageOfTotal: Share of all that was paid from the same account for the epoch, in per cent as decimal text: \`62.5\`.
  receivedAt: Time of the block with the payment, Unix nanoseconds.
  marketId: Identifier of the market that the reward is for; empty when it is for none.
  rewardType: Name of the type of account that paid, such as \`ACCOUNT_TYPE_GLOBAL_REWARD\`.
vega.RewardSummary
  amount: Sum of all rewards of the party in this asset, in its smallest units.
vega.EpochRewardSummary
  epoch: Number of the epoch.
  marketId: Identifier of the market that the rewards are for; empty when they are for none.
  rewardType: Name of the type of account that paid, such as \`ACCOUNT_TYPE_GLOBAL_REWARD\`.
  amount: Sum of the rewards, in the asset's smallest units.
`;
