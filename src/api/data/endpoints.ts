// Every unary resource of the data API. Order matters only where two paths match: the later one wins.
import type { Endpoint } from "../endpoint.ts";
import { assetEndpoints } from "./assets.ts";
import { listBalanceChanges } from "./balances.ts";
import { checkpointEndpoints } from "./checkpoints.ts";
import type { DataContext } from "./context.ts";
import { depositEndpoints } from "./deposits.ts";
import { epochEndpoints } from "./epochs.ts";
import { governanceEndpoints } from "./governance.ts";
import { keyRotationEndpoints } from "./key-rotations.ts";
import { networkEndpoints } from "./network.ts";
import { networkParameterEndpoints } from "./network-parameters.ts";
import { nodeSignatureEndpoints } from "./node-signatures.ts";
import { nodeEndpoints } from "./nodes.ts";
import { upgradeEndpoints } from "./upgrades.ts";
import { voteEndpoints } from "./votes.ts";

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
];
