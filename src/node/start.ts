// A data node: a home that is served, while recordings may be loaded into it.
import { logFailure, logNotice } from "../errors/log.ts";
import type { NodeError } from "../errors/node-error.ts";
import { type Lock, lockHome } from "../files/lock.ts";
import { chooseMode, type SegmentMode } from "../history/segment-bounds.ts";
import { Ports } from "../http/drain.ts";
import { type HttpRoutes, joinRoutes } from "../http/plugin.ts";
import { requestBudget } from "../http/request-budget.ts";
import { type LiveStatus, ServerStatus } from "../http/status.ts";
import type { ReplayResult } from "../ingest/replay.ts";
import { serveData } from "../planes/data/app.ts";
import { DataContext } from "../planes/data/context.ts";
import { DataPlane } from "../planes/data/plane.ts";
import type { TxIndex } from "../planes/explorer/comet-source.ts";
import { factsRoutes } from "../planes/explorer/facts-routes.ts";
import { explorerOf, explorerRoutes } from "../planes/explorer/routes.ts";
import { graphqlRoutes } from "../planes/graphql/routes.ts";
import { serveGrpc } from "../planes/grpc/port.ts";
import type { NodePlane } from "../planes/node/plane.ts";
import { frontPage, pageRoutes } from "../planes/page/routes.ts";
import { isReadOnlyHome, openReader, openWriter } from "../store/database.ts";
import type { ChainHead } from "../store/head.ts";
import { BUILD } from "./build.ts";
import { completeConfig, type DataNodeConfig, type NodeConfig } from "./config.ts";
import { DiskReporter } from "./disk-report.ts";
import { fileStatus, watchFile } from "./file-source.ts";
import { HomeWatch } from "./home-watch.ts";
import type { LiveSettings } from "./loading.ts";
import { storeFacts } from "./reading.ts";
import type { SourceStatus } from "./source-status.ts";
import { NoWriter, WriterThread, type Writing } from "./writer-thread.ts";

export interface DataNode {
  readonly home: string;
  readonly dataUrl: string;
  readonly dataPort: number;
  /** Where else it listens, as `--config-out` names it: `nodeUrl`, `eventsUrl`. */
  readonly addresses: Readonly<Record<string, string | number>>;
  head(): ChainHead | undefined;
  /** Settles when everything that was to be loaded is loaded (or could not be) and its segments are made. */
  readonly loaded: Promise<ReplayResult | undefined>;
  /** Settles when the writer's thread ends by itself after that; the node answers on, and is not ready. */
  readonly broken: Promise<NodeError>;
  /** Drains the ports (http/drain.ts) and closes the store; in two seconds if no request is under way and no balancer looks. */
  stop(): Promise<void>;
}

/** Starts a data node on a home. The port listens when this returns. @throws NodeError */
export async function startDataNode(given: DataNodeConfig): Promise<DataNode> {
  const config = completeConfig(given);
  const { follow } = config;
  if (follow === undefined) return (await serveHome(config)).node;
  let status: SourceStatus | undefined;
  const { node, writer } = await serveHome(config, {
    settings: { kind: "file", path: follow },
    status: (own) => {
      status = fileStatus(own);
      return status;
    },
  });
  watchFile(writer, status!);
  return node;
}

/** Of a node with live sources. */
interface LiveServing {
  readonly kind?: ServerStatus["kind"];
  readonly settings: LiveSettings;
  /** Cut of history in a home that has not begun, unless the configuration says so. */
  readonly segmentsOfNew?: SegmentMode;
  readonly status: (own: () => ChainHead | undefined) => LiveStatus & { notReady(): string | undefined };
  /** Further routes of the data port. */
  readonly routes?: (plane: DataPlane, status: ServerStatus) => HttpRoutes | undefined;
  /** The core node's plane, which the data port of gRPC answers for too. */
  readonly node?: (plane: DataPlane) => NodePlane | undefined;
  /** Where the block explorer finds transactions, beside the store. */
  readonly txIndex?: TxIndex | undefined;
}

/** A home that is served, with the writer's thread behind it. */
export interface ServedHome {
  readonly node: DataNode;
  readonly plane: DataPlane;
  readonly writer: Writing;
  /** Of all the node's ports. */
  readonly serverStatus: ServerStatus;
  /** All of them; a part of the node adds its own. */
  readonly ports: Ports;
}

/** @throws NodeError `segments_differ` for a home that was begun otherwise */
function prepareStore({ home, segments }: Pick<NodeConfig, "home" | "segments">, ofNew?: SegmentMode): void {
  const db = openWriter(home);
  try {
    chooseMode(db, segments, ofNew);
  } finally {
    db.close();
  }
}

/** @throws NodeError */
export async function serveHome(config: Omit<NodeConfig, "kind">, live?: LiveServing): Promise<ServedHome> {
  // A home that cannot be written needs no lock, and gets no writer.
  const isReadOnly = live === undefined && config.replay.length === 0 && isReadOnlyHome(config.home);
  const lock = isReadOnly ? NO_LOCK : lockHome(config.home);
  const cleanup: (() => void)[] = [() => lock.release()];
  try {
    // Makes or migrates the store before the first reader comes.
    if (!isReadOnly) prepareStore(config, live?.segmentsOfNew);
    const db = openReader(config.home);
    cleanup.unshift(() => db.close());
    const plane = new DataPlane(
      new DataContext(db, { limits: config.limits, build: BUILD, home: config.home }),
    );
    const status = new ServerStatus();
    if (live?.kind) status.kind = live.kind;
    const { home, host, limits } = config;
    requestBudget.bytesMax = limits.requestsBytesMax;
    const nodePlane = live?.node?.(plane);
    const explorer = explorerOf(plane, live?.txIndex);
    const server = serveData(plane, status, {
      host,
      port: config.dataPort,
      mounted: joinRoutes(
        graphqlRoutes(plane, status, nodePlane),
        explorerRoutes(plane, status, explorer),
        factsRoutes(plane, status, explorer),
        pageRoutes(status, BUILD),
        live?.routes?.(plane, status),
      ),
      front: (request) => frontPage(status, request),
    });
    cleanup.unshift(() => void server.stop());
    const { grpcDataPort } = config;
    const grpc =
      grpcDataPort === "off"
        ? undefined
        : await serveGrpc(
            { kind: "data", data: plane, node: nodePlane, status, explorer },
            { host, port: grpcDataPort, portFlag: "--grpc-data-port" },
          );
    if (grpc) cleanup.unshift(() => void grpc.stop());
    const writer = isReadOnly
      ? new NoWriter()
      : new WriterThread({
          home: config.home,
          segmentLength: config.segmentLength,
          segments: config.segments,
          replay: config.replay,
          disk: config.disk,
          ...(live && { live: live.settings }),
        });
    plane.streams.feed = writer.feed;
    const liveStatus = live?.status(() => plane.head());
    const ports = new Ports(status);
    ports.add(server, grpc);
    const notReady = () => writer.notReady() ?? liveStatus?.notReady();
    writer.onCommitted = () => {
      plane.notifyCommit();
      status.ingest.note(() => plane.head()?.height ?? 0);
    };
    const onHomeChange = (failure: NodeError | undefined) => {
      if (failure) logFailure(failure);
      else logNotice("serve", `the home ${config.home} is back in its place`);
      writer.noteLost(failure);
    };
    const watch = new HomeWatch(config.home, onHomeChange, { isStill: isReadOnly });
    cleanup.unshift(() => watch.stop());
    const disk = new DiskReporter(config.home, db, config.disk);
    status.source = {
      ...storeFacts(config.home, plane),
      ...(liveStatus && { live: liveStatus }),
      disk: () => disk.report(),
      scrubbedUs: () => writer.scrubbedUs,
      notReady,
    };
    const node: DataNode = {
      home,
      dataUrl: server.url,
      dataPort: server.port,
      addresses: grpc ? { grpcDataAddress: grpc.address, grpcDataPort: grpc.port } : {},
      head: () => plane.head(),
      loaded: writer.loaded,
      broken: writer.broken,
      stop: async () => {
        await ports.drain();
        watch.stop();
        // A commit that is reported while the store closes has no reader any more.
        writer.onCommitted = () => {};
        db.close();
        await writer.stop();
        lock.release();
      },
    };
    return { node, plane, writer, serverStatus: status, ports };
  } catch (error) {
    for (const undo of cleanup) undo();
    throw error;
  }
}

const NO_LOCK: Lock = { release: () => {} };
