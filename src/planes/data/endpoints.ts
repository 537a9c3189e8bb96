// Every unary resource of the data API. Order matters only where two paths match: the later one wins.
import type { Endpoint, Resource } from "../../http/endpoint.ts";
import { assetEndpoints } from "./assets.ts";
import { accountEndpoints, listBalanceChanges } from "./balances.ts";
import { bridgeEndpoints } from "./bridge.ts";
import { candleEndpoints } from "./candles.ts";
import type { DataContext } from "./context.ts";
import { listEntities } from "./entities.ts";
import { resource } from "./entry.ts";
import { estimateEndpoints } from "./estimates.ts";
import { governanceEndpoints } from "./governance.ts";
import { ledgerEndpoints } from "./ledger.ts";
import { liquidityEndpoints } from "./liquidity.ts";
import { getRiskFactors, marketEndpoints } from "./markets.ts";
import { networkEndpoints } from "./network.ts";
import { networkHistoryEndpoints, networkHistoryResources } from "./network-history.ts";
import { oracleEndpoints } from "./oracles.ts";
import { orderEndpoints } from "./orders.ts";
import { partyEndpoints } from "./parties.ts";
import { listPositions, positionEndpoints } from "./positions.ts";
import { rewardEndpoints } from "./rewards.ts";
import { tradeEndpoints } from "./trades.ts";
import { transferEndpoints } from "./transfers.ts";
import { validatorEndpoints } from "./validators.ts";

export const DATA_ENDPOINTS: readonly Endpoint<DataContext>[] = [
  ...assetEndpoints,
  listBalanceChanges,
  ...validatorEndpoints,
  // After the validators: `/api/v2/node/signatures` is not the node "signatures".
  ...bridgeEndpoints,
  ...networkEndpoints,
  ...governanceEndpoints,
  ...marketEndpoints,
  ...estimateEndpoints,
  ...candleEndpoints,
  ...orderEndpoints,
  ...tradeEndpoints,
  ...positionEndpoints,
  ...liquidityEndpoints,
  ...oracleEndpoints,
  ...rewardEndpoints,
  ...accountEndpoints,
  ...ledgerEndpoints,
  ...transferEndpoints,
  ...partyEndpoints,
  ...networkHistoryEndpoints,
];

const ping = resource({
  request: "datanode.api.v2.PingRequest",
  response: "datanode.api.v2.PingResponse",
  handle: () => ({}),
});

/** Those that the interface has no path for: over gRPC alone. */
export const UNROUTED_RESOURCES: readonly Resource<DataContext>[] = [
  listEntities,
  listPositions,
  getRiskFactors,
  ...networkHistoryResources,
  ping,
];
