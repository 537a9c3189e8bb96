// Descriptions: proposals and votes.
export const GOVERNANCE = `
vega.GovernanceData
  proposal: The proposal in its current state.
  yes: Latest votes for it.
  no: Latest votes against it.
  yesParty: Always empty; the votes are in \`yes\`.
  noParty: Always empty; the votes are in \`no\`.
vega.Proposal
  id: Identifier of the proposal, and of the asset or market that it makes.
  reference: Free text that the proposer gave.
  partyId: Public key of the party that proposed.
  state: What has become of the proposal.
  timestamp: Time of the block that it came in, Unix nanoseconds.
  terms: What is proposed, and when it is decided and done.
  reason: Why it was rejected or declined, or failed; absent when it was not.
  errorDetails: The same in words, with the numbers; absent when there is no reason.
  rationale: Why the proposer wants it.
  requiredParticipation: Share of all tokens that must vote, decimal text from 0 to 1.
  requiredMajority: Share of the voting tokens that must be for it, decimal text from 0 to 1.
  requiredLiquidityProviderParticipation: Share of the market's equity-like share that must vote, decimal text; absent unless a market is changed.
  requiredLiquidityProviderMajority: Share of the voting equity-like share that must be for it, decimal text; absent unless a market is changed.
vega.ProposalRationale
  description: The reasons at length; \`ipfs://\` addresses and Markdown are common.
  title: The proposal in one line.
vega.ProposalTerms
  closingTimestamp: Time at which voting ends, Unix seconds.
  enactmentTimestamp: Time at which it is carried out, Unix seconds; 0 for what is never carried out.
  validationTimestamp: Time by which validators must have confirmed a new asset, Unix seconds; 0 for other proposals.
  updateMarket: Change of a market. There when this is proposed.
  newMarket: A new market. There when this is proposed.
  updateNetworkParameter: Change of a network parameter. There when this is proposed.
  newAsset: A new asset. There when this is proposed.
  newFreeform: A statement that changes nothing by itself. There when this is proposed.
  updateAsset: Change of an asset. There when this is proposed.
vega.NewMarket
  changes: The market as it shall be.
vega.UpdateMarket
  marketId: Identifier of the market that changes.
  changes: Terms that the market gets.
vega.UpdateNetworkParameter
  changes: The parameter and the value that it gets.
vega.NetworkParameter
  key: Name of the parameter, such as \`market.fee.factors.makerFee\`.
  value: Value as text: a number, a length of time such as \`24h0m0s\`, or JSON.
vega.Vote
  partyId: Public key of the party that voted.
  value: For or against.
  proposalId: Identifier of the proposal.
  timestamp: Time of the vote, Unix nanoseconds.
  totalGovernanceTokenBalance: Governance tokens that the party had when it was last counted, in their smallest units.
  totalGovernanceTokenWeight: Share of these among the tokens of all votes on the proposal, decimal text from 0 to 1; 0 until voting has ended.
  totalEquityLikeShareWeight: Equity-like share of the party in the market that is to change, decimal text from 0 to 1; 0 for other proposals.
`;
