// Every unary resource of the data API. Order matters only where two paths match: the later one wins.
import type { Endpoint } from "../../http/endpoint.ts";
import { accountEndpoints } from "./accounts.ts";
import { assetEndpoints } from "./assets.ts";
import { listBalanceChanges } from "./balances.ts";
import { bundleEndpoints } from "./bundles.ts";
import { candleEndpoints } from "./candles.ts";
import { checkpointEndpoints } from "./checkpoints.ts";
import type { DataContext } from "./context.ts";
import { delegationEndpoints } from "./delegations.ts";
import { depositEndpoints } from "./deposits.ts";
import { epochEndpoints } from "./epochs.ts";
import { governanceEndpoints } from "./governance.ts";
import { keyRotationEndpoints } from "./key-rotations.ts";
import { ledgerEndpoints } from "./ledger.ts";
import { liquidityEndpoints } from "./liquidity.ts";
import { marginLevelEndpoints } from "./margin-levels.ts";
import { marketDataEndpoints } from "./market-data.ts";
import { marketDepthEndpoints } from "./market-depth.ts";
import { marketEndpoints } from "./markets.ts";
import { networkEndpoints } from "./network.ts";
import { networkHistoryEndpoints } from "./network-history.ts";
import { networkParameterEndpoints } from "./network-parameters.ts";
import { nodeSignatureEndpoints } from "./node-signatures.ts";
import { nodeEndpoints } from "./nodes.ts";
import { oracleEndpoints } from "./oracles.ts";
import { orderEndpoints } from "./orders.ts";
import { partyEndpoints } from "./parties.ts";
import { positionEndpoints } from "./positions.ts";
import { rewardEndpoints } from "./rewards.ts";
import { stakeEndpoints } from "./stake.ts";
import { tradeEndpoints } from "./trades.ts";
import { transferEndpoints } from "./transfers.ts";
import { upgradeEndpoints } from "./upgrades.ts";
import { voteEndpoints } from "./votes.ts";
import { withdrawalEndpoints } from "./withdrawals.ts";

export const DATA_ENDPOINTS: readonly Endpoint<DataContext>[] = [
  ...assetEndpoints,
  ...depositEndpoints,
  listBalanceChanges,
  ...keyRotationEndpoints,
  ...nodeEndpoints,
  // After the nodes: `/api/v2/node/signatures` is not the node "signatures".
  ...nodeSignatureEndpoints,
  ...epochEndpoints,
  ...networkEndpoints,
  ...networkParameterEndpoints,
  ...voteEndpoints,
  ...governanceEndpoints,
  ...checkpointEndpoints,
  ...upgradeEndpoints,
  ...marketEndpoints,
  ...marketDataEndpoints,
  ...marketDepthEndpoints,
  ...candleEndpoints,
  ...orderEndpoints,
  ...tradeEndpoints,
  ...positionEndpoints,
  ...marginLevelEndpoints,
  ...liquidityEndpoints,
  ...oracleEndpoints,
  ...withdrawalEndpoints,
  ...bundleEndpoints,
  ...rewardEndpoints,
  ...accountEndpoints,
  ...ledgerEndpoints,
  ...transferEndpoints,
  ...partyEndpoints,
  ...stakeEndpoints,
  ...delegationEndpoints,
  ...networkHistoryEndpoints,
];
