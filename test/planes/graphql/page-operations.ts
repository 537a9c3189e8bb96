// Queries of the network's pages in their form: with an operation's name, variables, fragments, and `__typename` in each
// object. In our own words, after the interface (docs/protocol/95-graphql-subscriptions.md#10-what-the-pages-use).

/** Subjects of the operations. */
export interface Subject {
  readonly party: string;
  readonly market: string;
  readonly asset: string;
  readonly node: string;
  readonly epoch: string;
  readonly order: string;
}

export interface PageOperation {
  readonly title: string;
  readonly query: string;
  readonly variables?: (subject: Subject) => object;
  /** Lists and objects of the answer, by their path, that must hold something on a devnet that trades. */
  readonly filled: readonly string[];
}

const PAGE_INFO = "pageInfo{startCursor endCursor hasNextPage hasPreviousPage __typename}";
const ASSET =
  "id symbol name decimals quantum status source{__typename ...on ERC20{contractAddress lifetimeLimit withdrawThreshold} ...on BuiltinAsset{maxFaucetAmountMint}} __typename";
const INSTRUMENT =
  "instrument{id name code metadata{tags __typename} product{__typename ...on Future{settlementAsset{id symbol name decimals __typename} quoteName dataSourceSpecForTradingTermination{id __typename} dataSourceSpecForSettlementData{id __typename} dataSourceSpecBinding{settlementDataProperty tradingTerminationProperty __typename}}} __typename}";
const MARKET_FRAGMENT = `fragment MarketFields on Market{id decimalPlaces positionDecimalPlaces state tradingMode fees{factors{makerFee infrastructureFee liquidityFee __typename} __typename} tradableInstrument{${INSTRUMENT} riskModel{__typename ...on LogNormalRiskModel{tau riskAversionParameter params{r sigma mu __typename}} ...on SimpleRiskModel{params{factorLong factorShort __typename}}} marginCalculator{scalingFactors{searchLevel initialMargin collateralRelease __typename} __typename} __typename} marketTimestamps{proposed pending open close __typename} __typename}`;
const MARKET_DATA =
  "market{id __typename} auctionEnd auctionStart marketTradingMode trigger staticMidPrice indicativePrice indicativeVolume bestStaticBidPrice bestStaticOfferPrice bestBidPrice bestOfferPrice bestBidVolume bestOfferVolume markPrice midPrice openInterest suppliedStake targetStake priceMonitoringBounds{minValidPrice maxValidPrice trigger{horizonSecs probability auctionExtensionSecs __typename} referencePrice __typename} __typename";
const ORDER =
  "id market{id __typename} type side size status rejectionReason price timeInForce remaining expiresAt createdAt updatedAt liquidityProvision{__typename} peggedOrder{__typename reference offset} __typename";
const DEPTH_SIDE = "{price volume numberOfOrders __typename}";
const CANDLE = "high low open close volume periodStart lastUpdateInPeriod __typename";
const NODE =
  "id name pubkey tmPubkey infoUrl location ethereumAddress stakedByOperator stakedByDelegates stakedTotal pendingStake avatarUrl status rewardScore{rawValidatorScore performanceScore multisigScore validatorScore normalisedScore validatorStatus __typename} rankingScore{status previousStatus rankingScore stakeScore performanceScore votingPower __typename} __typename";
const VOTES =
  "votes{yes{totalTokens totalNumber totalEquityLikeShareWeight __typename} no{totalTokens totalNumber totalEquityLikeShareWeight __typename} __typename}";
const TERMS =
  "terms{closingDatetime enactmentDatetime change{__typename ...on NewMarket{decimalPlaces metadata instrument{name code futureProduct{settlementAsset{id name symbol __typename} quoteName dataSourceSpecForSettlementData{sourceType{__typename ...on DataSourceDefinitionExternal{sourceType{__typename ...on DataSourceSpecConfiguration{signers{signer{__typename ...on PubKey{key} ...on ETHAddress{address}} __typename} filters{key{name type __typename} conditions{operator value __typename} __typename} __typename}}} ...on DataSourceDefinitionInternal{sourceType{__typename ...on DataSourceSpecConfigurationTime{conditions{operator value __typename} __typename}}}}} __typename} __typename}} ...on UpdateMarket{marketId} ...on NewAsset{name symbol decimals quantum source{__typename ...on BuiltinAsset{maxFaucetAmountMint} ...on ERC20{contractAddress}}} ...on UpdateAsset{quantum} ...on UpdateNetworkParameter{networkParameter{key value __typename}}} __typename}";
const PROPOSAL = `id reference rationale{title description __typename} state datetime rejectionReason errorDetails party{id __typename} ${VOTES} ${TERMS} __typename`;
const LEDGER_VARIABLES = ({ party }: Subject) => ({ partyId: party, pagination: { first: 100 } });

export const QUERIES: readonly PageOperation[] = [
  {
    title: "NodeCheck",
    query: "query NodeCheck{statistics{chainId blockHeight vegaTime __typename}}",
    filled: ["statistics.chainId"],
  },
  {
    title: "NodeGuard",
    query:
      "query NodeGuard{lastBlockHeight networkParametersConnection{edges{node{key value __typename} __typename} __typename}}",
    filled: ["lastBlockHeight", "networkParametersConnection.edges"],
  },
  {
    title: "BlockStatistics",
    query:
      "query BlockStatistics{statistics{blockHeight blockDuration appVersion appVersionHash status __typename}}",
    filled: ["statistics.blockHeight"],
  },
  {
    title: "Markets",
    query: `query Markets{marketsConnection{edges{node{...MarketFields __typename} __typename} __typename}} ${MARKET_FRAGMENT}`,
    filled: ["marketsConnection.edges"],
  },
  {
    title: "MarketsData",
    query: `query MarketsData{marketsConnection{edges{node{data{${MARKET_DATA}} __typename} __typename} __typename}}`,
    filled: ["marketsConnection.edges", "marketsConnection.edges.0.node.data"],
  },
  {
    title: "Market",
    query: `query Market($marketId:ID!){market(id:$marketId){...MarketFields openingAuction{durationSecs volume __typename} accountsConnection{edges{node{type asset{id __typename} balance __typename} __typename} __typename} priceMonitoringSettings{parameters{triggers{horizonSecs probability auctionExtensionSecs __typename} __typename} __typename} riskFactors{market short long __typename} liquidityMonitoringParameters{triggeringRatio targetStakeParameters{timeWindow scalingFactor __typename} __typename} proposal{id rationale{title description __typename} __typename} __typename}} ${MARKET_FRAGMENT}`,
    variables: ({ market }) => ({ marketId: market }),
    filled: ["market.accountsConnection.edges", "market.riskFactors"],
  },
  {
    title: "MarketDepth",
    query: `query MarketDepth($marketId:ID!){market(id:$marketId){id depth{sell${DEPTH_SIDE} buy${DEPTH_SIDE} sequenceNumber __typename} __typename}}`,
    variables: ({ market }) => ({ marketId: market }),
    filled: ["market.depth.buy", "market.depth.sell"],
  },
  {
    title: "Candles",
    query: `query Candles($marketId:ID!,$interval:Interval!,$since:String!){market(id:$marketId){id decimalPlaces positionDecimalPlaces tradableInstrument{instrument{id name code __typename} __typename} candlesConnection(interval:$interval,since:$since,pagination:{last:5000}){edges{node{${CANDLE}} __typename} __typename} __typename}}`,
    variables: ({ market }) => ({
      marketId: market,
      interval: "INTERVAL_I1H",
      since: "2020-01-01T00:00:00Z",
    }),
    filled: ["market.candlesConnection.edges"],
  },
  {
    title: "Trades",
    query: `query Trades($marketId:ID!,$pagination:Pagination){trades(filter:{marketIds:[$marketId]},pagination:$pagination){edges{node{id price size createdAt aggressor type market{id __typename} buyer{id __typename} seller{id __typename} buyerFee{makerFee infrastructureFee liquidityFee __typename} sellerFee{makerFee infrastructureFee liquidityFee __typename} __typename} cursor __typename} ${PAGE_INFO} __typename}}`,
    variables: ({ market }) => ({ marketId: market, pagination: { first: 50 } }),
    filled: ["trades.edges"],
  },
  {
    title: "Orders",
    query: `query Orders($partyId:ID!,$pagination:Pagination){party(id:$partyId){id ordersConnection(pagination:$pagination,filter:{order:{liveOnly:false,excludeLiquidity:false}}){edges{node{${ORDER}} cursor __typename} ${PAGE_INFO} __typename} __typename}}`,
    variables: ({ party }) => ({ partyId: party, pagination: { first: 1000 } }),
    filled: ["party.ordersConnection.edges"],
  },
  {
    title: "OrderById",
    query: `query OrderById($orderId:ID!,$version:Int){orderByID(id:$orderId,version:$version){${ORDER}}}`,
    variables: ({ order }) => ({ orderId: order }),
    filled: ["orderByID.id"],
  },
  {
    title: "Positions",
    query: `query Positions($partyIds:[ID!]!){positions(filter:{partyIds:$partyIds}){edges{node{realisedPNL openVolume unrealisedPNL averageEntryPrice updatedAt positionStatus lossSocializationAmount market{id __typename} party{id __typename} __typename} __typename} __typename}}`,
    variables: ({ party }) => ({ partyIds: [party] }),
    filled: ["positions.edges"],
  },
  {
    title: "Accounts",
    query: `query Accounts($partyId:ID!){party(id:$partyId){id accountsConnection{edges{node{type balance market{id __typename} asset{id __typename} __typename} __typename} __typename} __typename}}`,
    variables: ({ party }) => ({ partyId: party }),
    filled: ["party.accountsConnection.edges"],
  },
  {
    title: "Margins",
    query:
      "query Margins($partyId:ID!){party(id:$partyId){id marginsConnection{edges{node{maintenanceLevel searchLevel initialLevel collateralReleaseLevel asset{id __typename} market{id __typename} __typename} __typename} __typename} __typename}}",
    variables: ({ party }) => ({ partyId: party }),
    filled: ["party.marginsConnection.edges"],
  },
  {
    title: "EstimatePosition",
    query:
      "query EstimatePosition($marketId:ID!,$openVolume:String!,$orders:[OrderInfo!],$collateralAvailable:String){estimatePosition(marketId:$marketId,openVolume:$openVolume,orders:$orders,collateralAvailable:$collateralAvailable){margin{worstCase{maintenanceLevel searchLevel initialLevel collateralReleaseLevel __typename} bestCase{maintenanceLevel searchLevel initialLevel collateralReleaseLevel __typename} __typename} liquidation{worstCase{open_volume_only including_buy_orders including_sell_orders __typename} bestCase{open_volume_only including_buy_orders including_sell_orders __typename} __typename} __typename}}",
    variables: ({ market }) => ({
      marketId: market,
      openVolume: "0",
      collateralAvailable: "100000000000",
      orders: [{ side: "SIDE_BUY", price: "6000000", remaining: "100", isMarketOrder: false }],
    }),
    filled: ["estimatePosition.margin.worstCase.initialLevel", "estimatePosition.liquidation"],
  },
  {
    title: "EstimateFees",
    query:
      "query EstimateFees($marketId:ID!,$partyId:ID!,$price:String,$size:String!,$side:Side!,$timeInForce:OrderTimeInForce!,$expiration:Timestamp,$type:OrderType!){estimateFees(marketId:$marketId,partyId:$partyId,price:$price,size:$size,side:$side,timeInForce:$timeInForce,expiration:$expiration,type:$type){fees{makerFee infrastructureFee liquidityFee __typename} totalFeeAmount __typename}}",
    variables: ({ market, party }) => ({
      marketId: market,
      partyId: party,
      price: "6000000",
      size: "1000",
      side: "SIDE_BUY",
      timeInForce: "TIME_IN_FORCE_GTC",
      type: "TYPE_LIMIT",
    }),
    filled: ["estimateFees.totalFeeAmount"],
  },
  {
    title: "Assets",
    query: `query Assets{assetsConnection{edges{node{${ASSET}} __typename} __typename}}`,
    filled: ["assetsConnection.edges"],
  },
  {
    title: "Asset",
    query: `query Asset($assetId:ID!){assetsConnection(id:$assetId){edges{node{${ASSET}} __typename} __typename}}`,
    variables: ({ asset }) => ({ assetId: asset }),
    filled: ["assetsConnection.edges"],
  },
  {
    title: "PartyAssets",
    query: `query PartyAssets($partyId:ID!){party(id:$partyId){id accountsConnection{edges{node{type balance asset{${ASSET}} __typename} __typename} __typename} __typename}}`,
    variables: ({ party }) => ({ partyId: party }),
    filled: ["party.accountsConnection.edges"],
  },
  {
    title: "Deposits",
    query: `query Deposits($partyId:ID!){party(id:$partyId){id depositsConnection{edges{node{id status amount asset{${ASSET}} createdTimestamp creditedTimestamp txHash __typename} __typename} __typename} __typename}}`,
    variables: ({ party }) => ({ partyId: party }),
    filled: ["party.depositsConnection.edges"],
  },
  {
    title: "Withdrawals",
    query:
      "query Withdrawals($partyId:ID!){party(id:$partyId){id withdrawalsConnection{edges{node{id status amount asset{id symbol decimals __typename} createdTimestamp withdrawnTimestamp txHash details{__typename ...on Erc20WithdrawalDetails{receiverAddress}} pendingOnForeignChain:ref __typename} __typename} __typename} __typename}}",
    variables: ({ party }) => ({ partyId: party }),
    filled: ["party.id"],
  },
  {
    title: "LiquidityProvisions",
    query:
      "query LiquidityProvisions($marketId:ID!){market(id:$marketId){liquidityProvisionsConnection(live:true){edges{node{id createdAt updatedAt commitmentAmount fee status party{id accountsConnection(marketId:$marketId,type:ACCOUNT_TYPE_BOND){edges{node{type balance __typename} __typename} __typename} __typename} __typename} __typename} __typename} data{market{id __typename} liquidityProviderFeeShare{party{id __typename} equityLikeShare averageEntryValuation __typename} __typename} __typename}}",
    variables: ({ market }) => ({ marketId: market }),
    filled: ["market.liquidityProvisionsConnection.edges"],
  },
  {
    title: "LedgerEntries",
    query: `query LedgerEntries($partyId:ID!,$pagination:Pagination){ledgerEntries(filter:{FromAccountFilter:{partyIds:[$partyId]},ToAccountFilter:{partyIds:[$partyId]}},pagination:$pagination){edges{node{vegaTime fromAccountPartyId fromAccountMarketId toAccountPartyId toAccountMarketId fromAccountType toAccountType quantity assetId transferType fromAccountBalance toAccountBalance __typename} __typename} ${PAGE_INFO} __typename}}`,
    variables: LEDGER_VARIABLES,
    filled: ["ledgerEntries.edges"],
  },
  {
    title: "AccountHistory",
    query:
      "query AccountHistory($partyId:ID!,$assetId:ID!,$accountTypes:[AccountType!],$dateRange:DateRange){balanceChanges(filter:{partyIds:[$partyId],accountTypes:$accountTypes,assetId:$assetId},dateRange:$dateRange){edges{node{timestamp partyId balance marketId assetId accountType __typename} __typename} __typename}}",
    variables: ({ party, asset }) => ({
      partyId: party,
      assetId: asset,
      accountTypes: ["ACCOUNT_TYPE_GENERAL"],
    }),
    filled: ["balanceChanges.edges"],
  },
  {
    title: "OracleSpecs",
    query:
      "query OracleSpecs{oracleSpecsConnection{edges{node{dataSourceSpec{spec{id createdAt updatedAt status data{sourceType{__typename ...on DataSourceDefinitionInternal{sourceType{__typename ...on DataSourceSpecConfigurationTime{conditions{value operator __typename}}}} ...on DataSourceDefinitionExternal{sourceType{__typename ...on DataSourceSpecConfiguration{filters{key{name type __typename} conditions{value operator __typename} __typename} signers{signer{__typename ...on PubKey{key} ...on ETHAddress{address}} __typename} __typename}}}} __typename} __typename} __typename} dataConnection(pagination:{last:1}){edges{node{externalData{data{data{name value __typename} matchedSpecIds broadcastAt __typename} __typename} __typename} __typename} __typename} __typename} __typename} __typename}}",
    filled: ["oracleSpecsConnection.edges"],
  },
  {
    title: "Proposals",
    query: `query Proposals($proposalType:ProposalType,$inState:ProposalState){proposalsConnection(proposalType:$proposalType,inState:$inState){edges{node{${PROPOSAL}} __typename} __typename}}`,
    filled: ["proposalsConnection.edges"],
  },
  {
    title: "Proposal",
    query: `query Proposal($proposalId:ID!){proposal(id:$proposalId){${PROPOSAL}}}`,
    variables: ({ market }) => ({ proposalId: market }),
    filled: ["proposal.id"],
  },
  {
    title: "UserVotes",
    query:
      "query UserVotes($partyId:ID!){party(id:$partyId){id votesConnection{edges{node{proposalId vote{value datetime party{id stakingSummary{currentStakeAvailable __typename} __typename} __typename} __typename} __typename} __typename} __typename}}",
    variables: ({ party }) => ({ partyId: party }),
    filled: ["party.id"],
  },
  {
    title: "VoteButtons",
    query:
      "query VoteButtons($partyId:ID!){party(id:$partyId){id stakingSummary{currentStakeAvailable __typename} __typename}}",
    variables: ({ party }) => ({ partyId: party }),
    filled: ["party.stakingSummary"],
  },
  {
    title: "Nodes",
    query: `query Nodes{epoch{id timestamps{start end expiry __typename} __typename} nodesConnection{edges{node{${NODE}} __typename} __typename} nodeData{stakedTotal totalNodes inactiveNodes uptime __typename}}`,
    filled: ["epoch.id", "nodesConnection.edges", "nodeData"],
  },
  {
    title: "Staking",
    query: `query Staking($partyId:ID!,$nodeId:ID!){node(id:$nodeId){${NODE}} party(id:$partyId){id stakingSummary{currentStakeAvailable linkings{edges{node{id type status amount finalizedAt txHash __typename} __typename} __typename} __typename} delegationsConnection(nodeId:$nodeId,pagination:{last:50}){edges{node{amount epoch node{id __typename} party{id __typename} __typename} __typename} __typename} __typename} epoch{id timestamps{start end expiry __typename} __typename}}`,
    variables: ({ party, node }) => ({ partyId: party, nodeId: node }),
    filled: ["node.id", "party.id", "epoch.id"],
  },
  {
    title: "PreviousEpoch",
    query:
      "query PreviousEpoch($epochId:ID){epoch(id:$epochId){id validatorsConnection{edges{node{id stakedTotal rewardScore{rawValidatorScore performanceScore __typename} rankingScore{stakeScore __typename} __typename} __typename} __typename} __typename}}",
    variables: ({ epoch }) => ({ epochId: epoch }),
    filled: ["epoch.validatorsConnection.edges"],
  },
  {
    title: "Rewards",
    query:
      "query Rewards($partyId:ID!,$fromEpoch:Int,$toEpoch:Int){party(id:$partyId){id rewardsConnection(fromEpoch:$fromEpoch,toEpoch:$toEpoch){edges{node{rewardType asset{id symbol decimals __typename} party{id __typename} epoch{id __typename} amount percentageOfTotal receivedAt __typename} __typename} __typename} delegationsConnection{edges{node{amount epoch __typename} __typename} __typename} __typename} epoch{id timestamps{start end expiry __typename} __typename} epochRewardSummaries(filter:{fromEpoch:$fromEpoch,toEpoch:$toEpoch}){edges{node{epoch assetId amount rewardType __typename} __typename} __typename}}",
    variables: ({ party }) => ({ partyId: party, fromEpoch: 0, toEpoch: 100 }),
    filled: ["party.id", "epoch.id"],
  },
  {
    title: "UpgradeProposals",
    query:
      "query UpgradeProposals($inState:ProtocolUpgradeProposalStatus){protocolUpgradeProposals(inState:$inState){edges{node{upgradeBlockHeight vegaReleaseTag approvers status __typename} __typename} __typename}}",
    variables: () => ({ inState: "PROTOCOL_UPGRADE_PROPOSAL_STATUS_APPROVED" }),
    filled: [],
  },
  {
    title: "NetworkParam",
    query: "query NetworkParam($key:String!){networkParameter(key:$key){key value __typename}}",
    variables: () => ({ key: "reward.staking.delegation.minimumValidatorStake" }),
    filled: ["networkParameter.value"],
  },
  {
    title: "Treasury",
    query:
      "query Treasury{assetsConnection{edges{node{id networkTreasuryAccount:globalRewardPoolAccount{balance type __typename} takerFeeRewardAccount{balance __typename} makerFeeRewardAccount{balance __typename} lpFeeRewardAccount{balance __typename} marketProposerRewardAccount{balance __typename} infrastructureFeeAccount{balance __typename} __typename} __typename} __typename}}",
    filled: ["assetsConnection.edges"],
  },
  {
    title: "Parties",
    query:
      "query Parties($partyId:ID!){partiesConnection(id:$partyId){edges{node{id delegationsConnection{edges{node{amount node{id name __typename} epoch __typename} __typename} __typename} stakingSummary{currentStakeAvailable __typename} accountsConnection{edges{node{asset{name id decimals symbol __typename} type balance market{id decimalPlaces tradableInstrument{instrument{name __typename} __typename} __typename} __typename} __typename} __typename} __typename} __typename} __typename}}",
    variables: ({ party }) => ({ partyId: party }),
    filled: ["partiesConnection.edges.0.node.accountsConnection.edges"],
  },
];

export interface PageSubscription {
  readonly title: string;
  readonly query: string;
  readonly variables?: (subject: Subject) => object;
  /** Member of each payload's data. */
  readonly field: string;
  /** Nothing need come while the market trades. */
  readonly isQuiet?: boolean;
}

const ofParty = ({ party }: Subject) => ({ partyId: party });
const ofMarket = ({ market }: Subject) => ({ marketId: market });

export const SUBSCRIPTIONS: readonly PageSubscription[] = [
  {
    title: "NodeCheckTimeUpdate",
    query: "subscription NodeCheckTimeUpdate{busEvents(types:TimeUpdate,batchSize:1){id __typename}}",
    field: "busEvents",
  },
  {
    title: "MarketData",
    query: `subscription MarketData($marketId:ID!){marketsData(marketIds:[$marketId]){marketId markPrice bestBidPrice bestOfferPrice marketTradingMode staticMidPrice openInterest auctionEnd priceMonitoringBounds{minValidPrice maxValidPrice __typename} __typename}}`,
    variables: ofMarket,
    field: "marketsData",
  },
  {
    title: "MarketDepthUpdate",
    query: `subscription MarketDepthUpdate($marketId:ID!){marketsDepthUpdate(marketIds:[$marketId]){marketId sell${DEPTH_SIDE} buy${DEPTH_SIDE} sequenceNumber previousSequenceNumber __typename}}`,
    variables: ofMarket,
    field: "marketsDepthUpdate",
  },
  {
    title: "CandlesEvent",
    query: `subscription CandlesEvent($marketId:ID!,$interval:Interval!){candles(marketId:$marketId,interval:$interval){${CANDLE}}}`,
    variables: ({ market }) => ({ marketId: market, interval: "INTERVAL_I1M" }),
    field: "candles",
  },
  {
    title: "TradesUpdate",
    query:
      "subscription TradesUpdate($marketId:ID!){tradesStream(filter:{marketIds:[$marketId]}){id price size createdAt marketId buyerId sellerId aggressor type __typename}}",
    variables: ofMarket,
    field: "tradesStream",
  },
  {
    title: "OrdersUpdate",
    query:
      "subscription OrdersUpdate($partyId:ID!){orders(filter:{partyIds:[$partyId]}){id marketId type side size status rejectionReason price timeInForce remaining expiresAt createdAt updatedAt liquidityProvisionId peggedOrder{__typename reference offset} __typename}}",
    variables: ofParty,
    field: "orders",
  },
  {
    title: "PositionsSubscription",
    query:
      "subscription PositionsSubscription($partyId:ID!){positions(partyId:$partyId){realisedPNL openVolume unrealisedPNL averageEntryPrice updatedAt marketId lossSocializationAmount positionStatus partyId __typename}}",
    variables: ofParty,
    field: "positions",
  },
  {
    title: "AccountEvents",
    query:
      "subscription AccountEvents($partyId:ID!){accounts(partyId:$partyId){type balance assetId marketId partyId __typename}}",
    variables: ofParty,
    field: "accounts",
  },
  {
    title: "MarginsSubscription",
    query:
      "subscription MarginsSubscription($partyId:ID!){margins(partyId:$partyId){marketId asset partyId maintenanceLevel searchLevel initialLevel collateralReleaseLevel timestamp __typename}}",
    variables: ofParty,
    field: "margins",
  },
  {
    title: "LiquidityProvisionsUpdate",
    query:
      "subscription LiquidityProvisionsUpdate($partyId:ID,$marketId:ID){liquidityProvisions(partyId:$partyId,marketId:$marketId){id partyID createdAt updatedAt marketID commitmentAmount fee status __typename}}",
    variables: ofMarket,
    field: "liquidityProvisions",
    isQuiet: true,
  },
  {
    title: "OnProposal",
    query: `subscription OnProposal{proposals{id reference state __typename}}`,
    field: "proposals",
    isQuiet: true,
  },
  {
    title: "DepositEvent",
    query:
      "subscription DepositEvent($partyId:ID!){busEvents(partyId:$partyId,batchSize:0,types:[Deposit]){event{__typename ...on Deposit{id status amount createdTimestamp creditedTimestamp txHash asset{id symbol decimals __typename}}} __typename}}",
    variables: ofParty,
    field: "busEvents",
    isQuiet: true,
  },
  {
    title: "TransactionEvent",
    query:
      "subscription TransactionEvent($partyId:ID!){busEvents(partyId:$partyId,batchSize:0,types:[TransactionResult]){type event{__typename ...on TransactionResult{partyId hash status error}} __typename}}",
    variables: ofParty,
    field: "busEvents",
  },
];
