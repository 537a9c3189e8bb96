// A sidecar: a home that is served while its sources bring it forward. Each source is a part, started by itself.

import { CoreChain } from "../comet/core-chain.ts";
import { CoreClient } from "../comet/core-client.ts";
import type { ChainPort } from "../engine/chain-port.ts";
import type { HttpRoutes } from "../http/plugin.ts";
import type { ServerStatus } from "../http/status.ts";
import type { DataPlane } from "../planes/data/plane.ts";
import { mountedNode } from "../planes/node/app.ts";
import { hasEventSource, nodePlane, startBlockFollower } from "./block-follower.ts";
import { cometIndex } from "./comet-index.ts";
import { startCore } from "./core-source.ts";
import { eventsFolder, startEventSource } from "./event-source.ts";
import { eventStreamRoutes } from "./event-stream.ts";
import { machineTimeNs, RemoteChainStatus } from "./followed-chain.ts";
import { startFollowedSidecar } from "./followed-sidecar.ts";
import { checkMemory } from "./memory-limit.ts";
import { NodeLog } from "./node-log.ts";
import { completeSidecarConfig, type SidecarConfig, type SidecarNodeConfig } from "./sidecar-config.ts";
import { SourceStatus } from "./source-status.ts";
import { type DataNode, type ServedHome, serveHome } from "./start.ts";

/** Time makes a node that stands still not ready: looked at this often. */
const READY_LOOK_MS = 1_000;

export interface Sidecar extends DataNode {
  readonly status: SourceStatus;
}

/** Everything that a part may need. */
interface SidecarContext extends ServedHome {
  readonly config: SidecarConfig;
  /** To be told whatever happens to a source. */
  readonly status: SourceStatus;
  /** The chain behind `--comet`, or else behind `--core`. */
  readonly chain: ChainPort | undefined;
}

/** A part that runs. */
interface SidecarPart {
  /** Where it listens, for `--config-out`. */
  readonly addresses?: Readonly<Record<string, string | number>>;
  stop(): Promise<void>;
}

/** In the order of their start; stopped the other way round. A part that is not configured starts nothing. */
const PARTS: readonly ((context: SidecarContext) => Promise<SidecarPart | undefined>)[] = [
  startEventSource,
  startFollowedSidecar,
  startBlockFollower,
  startCore,
];

/** Routes of the data port besides the data API's. */
function routesOf(
  plane: DataPlane,
  status: ServerStatus,
  config: SidecarConfig,
  chain: ChainPort | undefined,
): HttpRoutes {
  const stream = eventStreamRoutes(plane, eventsFolder(config.home));
  if (chain === undefined) return stream;
  const node = mountedNode(nodePlane(chain, plane), status);
  return (app) => node(stream(app));
}

/** Every port listens when this returns. @throws NodeError */
export async function startSidecar(given: SidecarNodeConfig): Promise<Sidecar> {
  const config = completeSidecarConfig(given);
  checkMemory();
  let status: SourceStatus | undefined;
  const followed = config.comet === undefined ? undefined : new RemoteChainStatus();
  const chain =
    followed ??
    (config.core === undefined ? undefined : new CoreChain(new CoreClient(config.core), machineTimeNs()));
  const hasEvents = hasEventSource(config);
  const served = await serveHome(config, {
    kind: "sidecar",
    settings: {
      kind: "log",
      events: eventsFolder(config.home),
      eventLogBytes: config.eventLogBytes,
      allowGaps: config.allowGaps,
    },
    segmentsOfNew: "network",
    status: (own) => {
      // Without events the blocks that were followed are all that there is.
      status = new SourceStatus(config.lagBounds, hasEvents ? own : () => followed?.head() ?? own());
      if (followed) status.addPlane("node API", () => followed.head()?.height);
      return status;
    },
    routes: (plane, serverStatus) => routesOf(plane, serverStatus, config, chain),
    txIndex: config.comet === undefined ? undefined : cometIndex(config.comet),
    ...(chain && { node: (plane: DataPlane) => nodePlane(chain, plane) }),
  });
  const context: SidecarContext = { ...served, config, status: status!, chain };
  const parts: SidecarPart[] = [];
  const stop = async () => {
    clearInterval(look);
    // Sources run on while requests under way end.
    await served.ports.drain();
    for (const part of parts.splice(0).reverse()) await part.stop();
    await served.node.stop();
  };
  const log = new NodeLog();
  const look = setInterval(() => {
    log.noteReadiness(served.serverStatus.readiness().reason || undefined);
    log.noteClock(status!.lag().clockSkewSeconds ?? 0);
  }, READY_LOOK_MS);
  try {
    for (const start of PARTS) {
      const part = await start(context);
      if (part) parts.push(part);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const addresses = Object.assign({ ...served.node.addresses }, ...parts.map((part) => part.addresses ?? {}));
  return { ...served.node, addresses, status: status!, stop };
}
