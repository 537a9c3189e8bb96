// The part of a sidecar that follows a consensus engine (`--comet URL`): its thread, and the node port.
import type { ChainPort } from "../engine/chain-port.ts";
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError, threadReason } from "../errors/node-error.ts";
import { workerUrl } from "../files/worker-url.ts";
import type { DataPlane } from "../planes/data/plane.ts";
import { serveGrpc } from "../planes/grpc/port.ts";
import { serveNode } from "../planes/node/app.ts";
import { NodeContext } from "../planes/node/context.ts";
import { NodePlane } from "../planes/node/plane.ts";
import { BUILD } from "./build.ts";
import { machineTimeNs, RemoteChainStatus } from "./followed-chain.ts";
import type { FromFollower, ToFollower } from "./follower.worker.ts";
import type { SidecarConfig } from "./sidecar-config.ts";
import { SourceLog } from "./source-log.ts";
import type { SourceStatus } from "./source-status.ts";
import type { ServedHome } from "./start.ts";

const ATTEMPT = "sidecar.comet";
const STOP_MS = 1_500;
/** The state of the last run is loaded within this time, however large it is. */
const RESTORE_MS = 10_000;
/** Disagreements are explained in the log up to this many a minute; all are counted. */
const EXPLAINED_MAX = 20;
const MINUTE_MS = 60_000;

interface FollowerContext extends ServedHome {
  readonly config: SidecarConfig;
  readonly status: SourceStatus;
  readonly chain: ChainPort | undefined;
}

/** Whether events come into the store, which bring parameters and epochs with them. */
export function hasEventSource({ events, eventsSocket, followSidecar }: SidecarConfig): boolean {
  return events !== undefined || eventsSocket !== undefined || followSidecar !== undefined;
}

export function nodePlane(chain: ChainPort, data: DataPlane): NodePlane {
  const { limits } = data.context;
  const { stopping } = data;
  return new NodePlane(
    new NodeContext(chain, { limits, build: BUILD, nowNs: machineTimeNs, stopping }),
    data,
  );
}

/** The node's ports: REST, and gRPC unless it is off. @throws NodeError when one is in use; then none listens */
export async function serveNodePorts(
  chain: ChainPort,
  {
    config,
    plane,
    serverStatus,
    ports,
  }: Pick<FollowerContext, "config" | "plane" | "serverStatus" | "ports">,
) {
  const { host, nodePort, grpcNodePort } = config;
  const node = nodePlane(chain, plane);
  const server = serveNode(node, { host, port: nodePort, status: serverStatus });
  try {
    const grpc =
      grpcNodePort === "off"
        ? undefined
        : await serveGrpc(
            { kind: "node", data: plane, node, status: serverStatus },
            { host, port: grpcNodePort, portFlag: "--grpc-node-port" },
          );
    ports.add(server, grpc);
    return {
      addresses: {
        nodeUrl: server.url,
        nodePort: server.port,
        ...(grpc && { grpcNodeAddress: grpc.address, grpcNodePort: grpc.port }),
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** @throws NodeError when a port of the node is in use */
export async function startBlockFollower(context: FollowerContext) {
  const { config, status, chain, writer } = context;
  const { comet } = config;
  if (comet === undefined || !(chain instanceof RemoteChainStatus)) return undefined;
  status.set("comet", { state: "waiting", text: `${comet} was not reached yet` });
  status.followed = () => ({ ...chain.counts, height: chain.head()?.height });
  status.addPart("follower", () => ({
    height: chain.head()?.height ?? null,
    ...chain.counts,
    completeFrom: chain.completeFrom ?? null,
  }));
  const worker = new Worker(workerUrl("node/follower.worker.ts"));
  const post = (message: ToFollower) => worker.postMessage(message);
  chain.connect(post);
  const stopped = Promise.withResolvers<void>();
  const restored = Promise.withResolvers<void>();
  const log = new DisagreementLog();
  const sourceLog = new SourceLog(ATTEMPT, comet);
  worker.onmessage = ({ data }: MessageEvent<FromFollower>) => {
    if (data.kind === "report") {
      setSource(status, data.report);
      sourceLog.note(data.report);
      chain.setTrouble(data.report.state === "receiving" ? undefined : data.report.text);
    }
    if (data.kind === "disagreements") log.add(data.list);
    else if (data.kind === "notice") logNotice(ATTEMPT, data.text);
    else if (data.kind === "stopped") stopped.resolve();
    else if (data.kind !== "report") {
      chain.receive(data);
      restored.resolve();
    }
  };
  worker.onerror = ({ message }) => {
    const failure = new NodeError(ATTEMPT, "internal", `the follower stopped: ${threadReason(message)}`);
    logFailure(failure);
    status.set("comet", { state: "stopped", code: "internal", text: failure.message });
    chain.close();
    stopped.resolve();
  };
  const { home, rules, core, lookMs } = config;
  post({
    kind: "follow",
    home,
    comet,
    core,
    rules,
    hasEvents: hasEventSource(config),
    lookMs,
    startedNs: chain.startedNs,
  });
  // The node API begins with the block of the last run.
  await Promise.race([restored.promise, stopped.promise, Bun.sleep(RESTORE_MS)]);
  const server = await serveNodePorts(chain, context).catch((error) => {
    worker.terminate();
    throw error;
  });
  const notifyCommitted = writer.onCommitted;
  writer.onCommitted = () => {
    notifyCommitted();
    post({ kind: "committed" });
  };
  return {
    addresses: server.addresses,
    async stop() {
      writer.onCommitted = notifyCommitted;
      post({ kind: "stop" });
      await Promise.race([stopped.promise, Bun.sleep(STOP_MS)]);
      chain.close();
      worker.terminate();
    },
  };
}

type Report = Extract<FromFollower, { kind: "report" }>["report"];

function setSource(status: SourceStatus, { nodeTimeNs, ...news }: Report): void {
  status.set("comet", {
    ...news,
    ...(nodeTimeNs !== undefined && { nodeTimeUs: Number(nodeTimeNs / 1_000n) }),
  });
}

/** Explains transactions on which the chain and the rules do not agree. */
class DisagreementLog {
  private minuteMs = Number.NEGATIVE_INFINITY;
  private explained = 0;

  add(list: Extract<FromFollower, { kind: "disagreements" }>["list"]): void {
    const nowMs = performance.now();
    if (nowMs - this.minuteMs > MINUTE_MS) {
      this.minuteMs = nowMs;
      this.explained = 0;
    }
    for (const { height, hash, text } of list) {
      if (++this.explained > EXPLAINED_MAX) return;
      logNotice(ATTEMPT, `block ${height}, transaction ${hash}: ${text}`);
    }
  }
}
