// Every resource of the node plane: those that ask the chain, and the views of its state.

import type { Endpoint } from "../../http/endpoint.ts";
import type { DataContext } from "../data/context.ts";
import { propagateChainEvent } from "./chain-events.ts";
import { chainStateEndpoints } from "./chain-state.ts";
import type { ChainEndpoint, UnroutedCall } from "./context.ts";
import { submissionEndpoints } from "./submission.ts";
import { governanceViews } from "./views/governance.ts";
import { networkViews } from "./views/network.ts";
import { partyViews } from "./views/parties.ts";

export const CHAIN_ENDPOINTS: readonly ChainEndpoint[] = [...submissionEndpoints, ...chainStateEndpoints];
export const UNROUTED_CALLS: readonly UnroutedCall[] = [propagateChainEvent];
export const VIEW_ENDPOINTS: readonly Endpoint<DataContext>[] = [
  ...networkViews,
  ...partyViews,
  ...governanceViews,
];
