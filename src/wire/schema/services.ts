/**
 * The services, their methods in declaration order (interface of 0.71.6), in one text each: methods parted by `;`, each
 * `Name`, where requests are called `NameRequest` and answers `NameResponse`, or `Name other.Response`; with `>` behind
 * it the answers are a stream, with `<>` the requests too.
 */
const TABLES: Readonly<Record<string, string>> = {
  "datanode.api.v2.TradingDataService": `
    ListAccounts; ObserveAccounts >; Info; GetOrder; ListOrders; ListOrderVersions; ObserveOrders >;
    ListPositions; ListAllPositions; ObservePositions >; ListLedgerEntries; ExportLedgerEntries
    google.api.HttpBody >; ListBalanceChanges; GetLatestMarketData; ListLatestMarketData; GetLatestMarketDepth;
    ObserveMarketsDepth >; ObserveMarketsDepthUpdates >; ObserveMarketsData >; GetMarketDataHistoryByID;
    ListTransfers; GetNetworkLimits; ListCandleData; ObserveCandleData >; ListCandleIntervals; ListVotes;
    ObserveVotes >; ListERC20MultiSigSignerAddedBundles; ListERC20MultiSigSignerRemovedBundles;
    GetERC20ListAssetBundle; GetERC20SetAssetLimitsBundle; GetERC20WithdrawalApproval; GetLastTrade; ListTrades;
    ObserveTrades >; GetOracleSpec; ListOracleSpecs; ListOracleData; GetMarket; ListMarkets; GetParty;
    ListParties; ListMarginLevels; ObserveMarginLevels >; ListRewards; ListRewardSummaries;
    ListEpochRewardSummaries; GetDeposit; ListDeposits; GetWithdrawal; ListWithdrawals; GetAsset; ListAssets;
    ListLiquidityProvisions; ObserveLiquidityProvisions >; GetGovernanceData; ListGovernanceData;
    ObserveGovernance >; ListDelegations; GetNetworkData; GetNode; ListNodes; ListNodeSignatures; GetEpoch;
    EstimateFee; EstimateMargin; EstimatePosition; ListNetworkParameters; GetNetworkParameter; ListCheckpoints;
    GetStake; GetRiskFactors; ObserveEventBus <>; ObserveLedgerMovements >; ListKeyRotations;
    ListEthereumKeyRotations; GetVegaTime; GetProtocolUpgradeStatus; ListProtocolUpgradeProposals;
    ListCoreSnapshots; GetMostRecentNetworkHistorySegment; ListAllNetworkHistorySegments;
    GetActiveNetworkHistoryPeerAddresses; GetNetworkHistoryStatus; GetNetworkHistoryBootstrapPeers;
    ListEntities; ExportNetworkHistory google.api.HttpBody >; Ping`,
  "vega.api.v1.CoreService": `
    SubmitTransaction; PropagateChainEvent; Statistics; LastBlockHeight; GetVegaTime; ObserveEventBus <>;
    SubmitRawTransaction; CheckTransaction; CheckRawTransaction; GetSpamStatistics`,
  "vega.api.v1.CoreStateService": `
    ListAccounts; ListAssets; ListNetworkParameters; ListNetworkLimits; ListParties; ListValidators;
    ListMarkets; ListProposals; ListMarketsData; ListVotes; ListPartiesStake; ListDelegations`,
  "blockexplorer.api.v1.BlockExplorerService": "GetTransaction; ListTransactions; Info",
  "grpc.health.v1.Health":
    "Check HealthCheckRequest HealthCheckResponse; List HealthListRequest HealthListResponse; Watch HealthCheckRequest HealthCheckResponse >",
  "grpc.reflection.v1.ServerReflection":
    "ServerReflectionInfo ServerReflectionRequest ServerReflectionResponse <>",
  "grpc.reflection.v1alpha.ServerReflection":
    "ServerReflectionInfo ServerReflectionRequest ServerReflectionResponse <>",
};

export interface MethodDescriptor {
  readonly name: string;
  /** On the wire: `/vega.api.v1.CoreService/Statistics`. */
  readonly path: string;
  /** Full names of the messages. */
  readonly request: string;
  readonly response: string;
  readonly isRequestStream: boolean;
  readonly isResponseStream: boolean;
}

export interface ServiceDescriptor {
  /** Such as `vega.api.v1.CoreService`. */
  readonly fullName: string;
  readonly packageName: string;
  readonly methods: readonly MethodDescriptor[];
}

const METHOD = /^(\w+)(?: ([\w.]+))?(?: ([\w.]+))?(?: (<?>))?$/;

function parseMethod(text: string, service: string, packageName: string): MethodDescriptor {
  const found = METHOD.exec(text);
  if (found === null) throw new Error(`services: invalid method: "${text}"`);
  const [, name, first, second, stream] = found;
  const [request, response] = second === undefined ? [undefined, first] : [first, second];
  const full = (type: string) => (type.includes(".") ? type : `${packageName}.${type}`);
  return {
    name: name!,
    path: `/${service}/${name}`,
    request: full(request ?? `${name}Request`),
    response: full(response ?? `${name}Response`),
    isRequestStream: stream === "<>",
    isResponseStream: stream !== undefined,
  };
}

export const SERVICES: readonly ServiceDescriptor[] = Object.entries(TABLES).map(([fullName, text]) => {
  const packageName = fullName.slice(0, fullName.lastIndexOf("."));
  const methods = text
    .split(";")
    .map((part) => parseMethod(part.trim().replace(/\s+/g, " "), fullName, packageName));
  return { fullName, packageName, methods };
});

/** @throws Error for a name that is not a service's: a fault of the caller */
export function serviceNamed(fullName: string): ServiceDescriptor {
  const found = SERVICES.find((service) => service.fullName === fullName);
  if (found === undefined) throw new Error(`no service is called ${fullName}`);
  return found;
}
