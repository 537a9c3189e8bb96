// The planes of a devnet: the data plane, the node plane with the developer's tools, the faucet. Loaded after the
// first block is made.

import type { ChainPort, DevnetPort } from "../engine/chain-port.ts";
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError } from "../errors/node-error.ts";
import { homeWord } from "../http/command-line.ts";
import { Ports } from "../http/drain.ts";
import type { Limits } from "../http/limits.ts";
import { joinRoutes } from "../http/plugin.ts";
import { requestBudget } from "../http/request-budget.ts";
import { ServerStatus } from "../http/status.ts";
import { BUILD } from "../node/build.ts";
import { defaultHome } from "../node/config.ts";
import { DiskReporter } from "../node/disk-report.ts";
import { HomeWatch } from "../node/home-watch.ts";
import type { Reading } from "../node/reading.ts";
import { storeFacts } from "../node/reading.ts";
import { scrubRounds } from "../node/scrub.ts";
import { serveData } from "../planes/data/app.ts";
import { type DevnetTools, devnetTools } from "../planes/devnet/app.ts";
import type { ToolsAccess } from "../planes/devnet/loopback.ts";
import type { NameReport } from "../planes/devnet/names.ts";
import { transactionStory } from "../planes/devnet/transaction-story.ts";
import { factsRoutes } from "../planes/explorer/facts-routes.ts";
import { explorerOf, explorerRoutes, type LoadExplorer } from "../planes/explorer/routes.ts";
import { serveFaucet } from "../planes/faucet/app.ts";
import type { FaucetPort } from "../planes/faucet/mint.ts";
import { graphqlRoutes } from "../planes/graphql/routes.ts";
import { serveGrpc } from "../planes/grpc/port.ts";
import { mountedNode, serveNode } from "../planes/node/app.ts";
import { NodeContext } from "../planes/node/context.ts";
import { NodePlane } from "../planes/node/plane.ts";
import { frontPage, pageRoutes } from "../planes/page/routes.ts";
import { systemTimeNs } from "./clock.ts";

/** Rest between two steps of the store's check: floods of transactions need the processor more. */
const SCRUB_REST_MS = 100;

export interface PlanesOptions {
  readonly kind: "devnet" | "validator";
  readonly home: string;
  readonly host: string;
  /** 0 picks a free one. */
  readonly dataPort: number;
  readonly nodePort: number;
  readonly faucetPort: number;
  /** Where the consensus engine's RPC is served, if it is. */
  readonly cometPort?: number;
  /** Ports of gRPC, each if it is served. */
  readonly grpcNodePort?: number;
  readonly grpcDataPort?: number;
  readonly limits: Limits;
  /** Other machines that may use the tools. */
  readonly toolsAccess?: ToolsAccess;
  /** Why the data may be incomplete; undefined when it is complete. */
  notReady(): string | undefined;
}

export class Planes {
  private node: NodePlane | undefined;
  private readonly stopping = Promise.withResolvers<void>();
  private readonly status = new ServerStatus();
  private readonly ports = new Ports(this.status);
  private isStopping = false;
  private scrubbing: Promise<void> | undefined;
  private stopNotifying = () => {};
  private watch: HomeWatch | undefined;
  private scrubbedUs: number | undefined;
  private lost: string | undefined;
  private readonly explorer: LoadExplorer;

  /** @param reading stays open when the planes are closed */
  constructor(
    private readonly options: PlanesOptions,
    private readonly reading: Reading,
  ) {
    this.explorer = explorerOf(reading.plane);
  }

  /** Listens on all ports. @throws NodeError when one is in use; then on none */
  serve(chain: DevnetPort, parties: () => NameReport) {
    const { host, dataPort, nodePort, faucetPort, limits } = this.options;
    requestBudget.bytesMax = limits.requestsBytesMax;
    const story = async (hash: string) =>
      transactionStory(this.reading.db, hash, await chain.refusalOf(hash));
    const tools: DevnetTools = devnetTools(
      { chain, parties, story, read: (path, values) => this.reading.reader.get(path, values) },
      this.options.toolsAccess,
    );
    const node = new NodePlane(this.nodeContext(chain), this.reading.plane);
    this.node = node;
    const { status } = this;
    status.kind = this.options.kind;
    if (status.kind === "devnet") status.homeWord = homeWord(this.options.home, defaultHome());
    const data = serveData(this.reading.plane, status, {
      host,
      port: dataPort,
      mounted: joinRoutes(
        graphqlRoutes(this.reading.plane, status, node),
        explorerRoutes(this.reading.plane, status, this.explorer),
        factsRoutes(
          this.reading.plane,
          status,
          this.explorer,
          async (hash) => (await chain.refusalOf(hash))?.outcome.details?.sentence,
        ),
        pageRoutes(status, BUILD),
        mountedNode(node, status),
      ),
      front: (request) => frontPage(status, request),
    });
    this.ports.add(data);
    this.stopNotifying = chain.onBlock(({ height }) => {
      this.reading.plane.notifyCommit();
      status.ingest.note(() => height);
    });
    status.source = this.statusSource(chain);
    const nodeServer = serveNode(node, { host, port: nodePort, status }, tools);
    this.ports.add(nodeServer);
    // The faucet gives without limit: it stays on this machine, wherever the others listen.
    const faucet = serveFaucet(this.faucet(chain), {
      host: "127.0.0.1",
      port: faucetPort,
      nowMs: () => Number(systemTimeNs() / 1_000_000n),
      status,
    });
    this.ports.add(faucet);
    this.scrubbing = this.scrub(status);
    this.watch = new HomeWatch(this.options.home, (failure) => {
      if (failure) logFailure(failure);
      else logNotice("devnet", `the home ${this.options.home} is back in its place`);
      this.lost = failure && `the home is lost: ${failure.code}`;
    });
    return { data, node: nodeServer, faucet };
  }

  /** Listens for followers of the chain, where that is asked for. @throws NodeError when the port is in use */
  async serveComet(chain: DevnetPort) {
    const { host, cometPort: port, limits } = this.options;
    if (port === undefined) return undefined;
    const { serveComet } = await import("../planes/comet/app.ts");
    const node = this.nodeContext(chain);
    const server = serveComet({ host, port, chain, node, db: this.reading.db, limits, status: this.status });
    this.ports.add(server);
    return server;
  }

  /** Listens for gRPC; to be called after `serve`. @throws NodeError when a port is in use */
  async serveGrpc() {
    const { host, grpcNodePort, grpcDataPort } = this.options;
    const planes = {
      data: this.reading.plane,
      node: this.node,
      status: this.status,
      explorer: this.explorer,
    };
    const listening = async (kind: "node" | "data", port: number | undefined) => {
      if (port === undefined) return undefined;
      const server = await serveGrpc({ kind, ...planes }, { host, port, portFlag: `--grpc-${kind}-port` });
      this.ports.add(server);
      return server;
    };
    return {
      grpcNode: await listening("node", grpcNodePort),
      grpcData: await listening("data", grpcDataPort),
    };
  }

  /** Stops serving from a damaged store. */
  private scrub(status: ServerStatus): Promise<void> {
    const { home } = this.options;
    const isStopping = () => this.isStopping;
    const rounds = {
      home,
      isStopping,
      stopped: this.stopping.promise,
      restMs: SCRUB_REST_MS,
      pagesOnly: true,
      onRound: (timeUs: number) => {
        this.scrubbedUs = timeUs;
      },
    };
    return scrubRounds(rounds).catch((error) => {
      if (!(error instanceof NodeError)) throw error;
      logFailure(error);
      status.noteDamage();
    });
  }

  async close(): Promise<void> {
    await this.ports.drain();
    this.isStopping = true;
    this.watch?.stop();
    this.stopNotifying();
    this.stopping.resolve();
    await this.scrubbing;
  }

  private nodeContext(chain: ChainPort): NodeContext {
    return new NodeContext(chain, {
      limits: this.options.limits,
      build: BUILD,
      nowNs: systemTimeNs,
      stopping: this.reading.plane.stopping,
    });
  }

  private faucet(chain: DevnetPort): FaucetPort {
    const { reader } = this.reading;
    return {
      async asset(id) {
        const answer = reader.find<{
          asset: { details: { builtinAsset?: { maxFaucetAmountMint: string } } };
        }>("/api/v2/asset/{asset_id}", { assetId: id });
        const mintMax = answer?.asset.details.builtinAsset?.maxFaucetAmountMint;
        return answer && { mintMax: mintMax === undefined ? undefined : BigInt(mintMax) };
      },
      deposit: (party, asset, amount) => chain.bridge.deposit(party, asset, amount),
    };
  }

  /** A validator that began behind a snapshot answers without assets, parties and parameters that have not changed since. */
  private rowsMissing(): string | undefined {
    const first = this.reading.plane.head()?.firstHeight ?? 1;
    if (first === 1) return undefined;
    return `its rows begin at block ${first}, and answers lack what came before: stop it, and run lyra history fetch`;
  }

  private statusSource(chain: DevnetPort) {
    const { home, notReady, kind } = this.options;
    // A devnet is not kept for so long that its growth matters.
    const disk =
      kind === "validator"
        ? new DiskReporter(home, this.reading.db, { bytes: undefined, retention: "archive" })
        : undefined;
    return {
      ...storeFacts(home, this.reading.plane),
      notReady: () => this.lost ?? notReady() ?? (kind === "validator" ? this.rowsMissing() : undefined),
      scrubbedUs: () => this.scrubbedUs,
      haltedMarkets: () => chain.status.haltedMarkets,
      releases: () => chain.status.releases,
      consensus: () => chain.status.consensus,
      ...(disk && { disk: () => disk.report() }),
    };
  }
}
