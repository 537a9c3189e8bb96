// Every unary resource of the data API. Order matters only where two paths match: the later one wins.
import type { Endpoint } from "../endpoint.ts";
import { assetEndpoints } from "./assets.ts";
import { listBalanceChanges } from "./balances.ts";
import type { DataContext } from "./context.ts";
import { depositEndpoints } from "./deposits.ts";

export const DATA_ENDPOINTS: readonly Endpoint<DataContext>[] = [
  ...assetEndpoints,
  ...depositEndpoints,
  listBalanceChanges,
];
