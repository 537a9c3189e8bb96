/**
 * A validator: a chain whose blocks a consensus engine makes, behind the interfaces of a devnet. The engine is a process
 * of its own (CometBFT), which dials the socket that this one serves.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { AbciChain } from "../abci/abci-chain.ts";
import { Application } from "../abci/application.ts";
import { type AbciAddress, AbciServer } from "../abci/server.ts";
import type { AdmissionRules } from "../chain/admission/rules.ts";
import type { MempoolLimits } from "../chain/options.ts";
import { CometClient } from "../comet/client.ts";
import { handOver } from "../comet/hand-over.ts";
import { machineClockUs, systemTimeNs } from "../devnet/clock.ts";
import { type DevnetAddress, devnetAddressFile, genesisOf } from "../devnet/home.ts";
import { DEVNET_PARTIES } from "../devnet/keys.ts";
import { PlanesThread } from "../devnet/planes-thread.ts";
import type { ChainStatus, TxOutcome } from "../engine/chain-port.ts";
import { Engine } from "../engine/engine.ts";
import { type Genesis, readGenesis } from "../engine/genesis.ts";
import { marketRulesOf } from "../engine/markets/rules.ts";
import { NodeError } from "../errors/node-error.ts";
import { lockHome } from "../files/lock.ts";
import { writeFileWhole } from "../files/whole-file.ts";
import { DEFAULT_LIMITS, type Limits } from "../http/limits.ts";
import { type OnClose, startWithUndo } from "../http/undo-start.ts";
import { BUILD } from "../node/build.ts";
import { freeBytes } from "../node/disk-report.ts";
import { Reading } from "../node/reading.ts";
import { openWriter } from "../store/database.ts";
import { EventTap } from "../store/event-feed.ts";
import { startDuties } from "./duties.ts";
import { checkGivenGenesis } from "./given-genesis.ts";
import { readKeys } from "./key-file.ts";
import { ReadinessWatch } from "./readiness-watch.ts";
import { ValidatorTools } from "./tools.ts";

/** An engine that answers later is one that hangs. */
const LOOK_TIMEOUT_MS = 3_000;

export interface ValidatorConfig {
  readonly kind: "validator";
  readonly home: string;
  /** The genesis document of a new chain; a home with a chain keeps its own. */
  readonly genesis?: string;
  /** Where the consensus engine dials. */
  readonly abci: AbciAddress;
  /** RPC of the own consensus engine, which takes what is submitted here. */
  readonly consensusRpc: string;
  /**
   * The file with its keys, or the number of the devnet's validator whose PUBLIC keys this one works with; and where the simulated
   * Ethereum answers. Without them it only makes blocks.
   */
  readonly duties?: { readonly keys: string | number; readonly ethereumUrl: string };
  readonly rules?: AdmissionRules;
  /** Blocks that the consensus engine keeps at the least; default 0: all. */
  readonly retainBlocks?: number;
  /** Room for transactions that wait; that of the consensus engine must be larger. */
  readonly mempool?: MempoolLimits;
  /** An event file that every block is appended to. */
  readonly record?: string;
  /** A data node that gets every event, as a core sends them: `tcp://HOST:PORT` or `unix:PATH`. */
  readonly eventsTo?: string;
  /** Called with a line about that data node. */
  readonly onEventsLine?: (text: string) => void;
  readonly segmentLength?: number;
  readonly host?: string;
  /** Default 0: a free one. */
  readonly dataPort?: number;
  readonly nodePort?: number;
  readonly faucetPort?: number;
  /** Where gRPC is served; default 0, a free one; "off": nowhere. */
  readonly grpcNodePort?: number | "off";
  readonly grpcDataPort?: number | "off";
  readonly limits?: Partial<Limits>;
  /** Called with every failure in the background. */
  readonly onProblem?: (error: unknown) => void;
  /** Called with every verdict. */
  onOutcome?(outcome: TxOutcome): void;
}

export interface Validator {
  readonly chainId: string;
  readonly home: string;
  readonly dataUrl: string;
  readonly address: ValidatorAddress;
  readonly status: ChainStatus;
  /** "resumed at block 812: ..."; "a new chain". */
  readonly resumed: string;
  /** Settles when the HTTP thread ends by itself, or its keys are not those of its consensus engine. */
  readonly broken: Promise<NodeError>;
  stop(): Promise<void>;
}

/** The content of `--config-out`, and of the file in the home. */
interface ValidatorAddress extends DevnetAddress {
  /** Where the consensus engine dials, as its `proxy_app`. */
  readonly abci: string;
}

/** Starts a validator: everything listens when this returns. @throws NodeError */
export function startValidator(options: ValidatorConfig): Promise<Validator> {
  return startWithUndo((onClose, close) => start(options, onClose, close));
}

async function start(
  options: ValidatorConfig,
  onClose: OnClose,
  close: () => Promise<void>,
): Promise<Validator> {
  const { home, host = "127.0.0.1", grpcNodePort = 0, grpcDataPort = 0 } = options;
  const { dataPort = 0, nodePort = 0, faucetPort = 0 } = options;
  const lock = lockHome(home);
  onClose(() => lock.release());
  const link = new PlanesThread();
  onClose(() => link.end());
  const db = openWriter(home);
  onClose(() => db.close());
  const genesis = genesisFor(home, db, options);
  const keys = typeof options.duties?.keys === "string" ? readKeys(options.duties.keys, genesis) : undefined;
  const tap = new EventTap();
  const { segments, recorder } = await segmentsOf(home, db, options);
  onClose(() => segments.stop());
  const sending = options.eventsTo === undefined ? undefined : await import("../devnet/sending.ts");
  const outbox = sending?.openOutbox(db, home, options.eventsTo!);
  const node = new CometClient(options.consensusRpc);
  const { checkTransaction, onHalt } = link.chainOptions;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  let engine: Engine | undefined;
  let watch: ReadinessWatch | undefined;
  const chain: AbciChain = new AbciChain({
    db,
    genesis,
    makeEngine: (follower) =>
      (engine = new Engine(genesis, { ...follower, marketRules: marketRulesOf(options.rules) })),
    startedNs: BigInt(Math.round(performance.timeOrigin)) * 1_000_000n,
    tap,
    keepTexts: true,
    ...(options.rules && { rules: options.rules }),
    ...(options.mempool && { limits: options.mempool }),
    ...(options.record && { recordTo: options.record }),
    ...(outbox && { outbox }),
    onCommitted: (height) => {
      watch?.noteBlock();
      segments.onCommitted(height);
    },
    report: () => watch?.report(),
    onSettled: () => recorder.onCommitted(),
    onOutcome: (outcome) => options.onOutcome?.(outcome),
    onHalt,
    checkTransaction,
    broadcast: (bytes) =>
      handOver([node], bytes, undefined, `the consensus engine at ${options.consensusRpc}`),
  });
  const application = new Application(chain, BUILD.version, options.retainBlocks);
  const server = new AbciServer({
    answer: (request, connection) => application.answer(request, connection),
    opened: () => duties?.engineChanged(),
    closed(connection) {
      application.closed(connection);
      duties?.engineChanged();
    },
  });
  watch = new ReadinessWatch({
    chain,
    engine: new CometClient(options.consensusRpc, LOOK_TIMEOUT_MS),
    isDialled: () => server.connections > 0,
    isTakingState: () => application.isTakingState,
    doubleSigned: (address) => application.doubleSignings.report(address),
    freeBytes: () => freeBytes(home),
    nowNs: systemTimeNs,
    machineClockUs,
    onChange: () => onHalt(),
  });
  const sender = outbox && sending!.startSending(undefined, outbox, options);
  if (sender) onClose(() => sender.stop());
  onClose(() => chain.stop());
  link.start();
  link.connectFeed(tap);
  onClose(() => link.close());
  const reading = new Reading(home, limits);
  onClose(() => reading.close());
  const broken = Promise.withResolvers<NodeError>();
  void link.broken.then(broken.resolve);
  const duties =
    options.duties &&
    startDuties({
      ...{ chain, engine: () => engine!, genesis, reader: reading.reader, ...options.duties },
      consensus: node,
      onKeysDiffer: broken.resolve,
      keys: keys ?? Number(options.duties.keys),
      firstNonce: systemTimeNs(),
    });
  if (duties) onClose(() => duties.stop());
  const parameter = (key: string) => engine?.domains.params.text(key);
  const listening = await link.serve(new ValidatorTools(chain, node, duties && { ...duties, parameter }), {
    ...{ kind: "validator" as const, home, host, dataPort, nodePort, faucetPort, limits },
    ...(grpcNodePort !== "off" && { grpcNodePort }),
    ...(grpcDataPort !== "off" && { grpcDataPort }),
    parties: DEVNET_PARTIES,
  });
  onClose(() => application.idle());
  const port = server.listen(options.abci);
  onClose(() => server.stop());
  watch.start();
  onClose(() => watch.end());
  const { node: nodePlane, data, faucet, grpcNode, grpcData } = listening;
  const address: ValidatorAddress = {
    ...{ nodeUrl: nodePlane.url, dataUrl: data.url, faucetUrl: faucet.url },
    ...{ nodePort: nodePlane.port, dataPort: data.port, faucetPort: faucet.port },
    ...(grpcNode && { grpcNodeAddress: grpcNode.address, grpcNodePort: grpcNode.port }),
    ...(grpcData && { grpcDataAddress: grpcData.address, grpcDataPort: grpcData.port }),
    abci: "path" in options.abci ? `unix://${options.abci.path}` : `tcp://${options.abci.host}:${port}`,
    ...{ chainId: genesis.chainId, home, pid: process.pid },
  };
  const addressFile = join(home, devnetAddressFile);
  writeFileWhole(addressFile, `${JSON.stringify(address)}\n`);
  onClose(() => rmSync(addressFile, { force: true }));
  if (chain.committed.height > 0) segments.onCommitted(chain.committed.height);
  return {
    ...{ chainId: genesis.chainId, home, dataUrl: data.url, address },
    get status() {
      return chain.status;
    },
    resumed: chain.resumption.sentence,
    broken: broken.promise,
    stop: close,
  };
}

/** The home's own genesis, or the one of a new chain. @throws NodeError `genesis_missing`, `genesis_invalid`, `genesis_differs` */
function genesisFor(home: string, db: ReturnType<typeof openWriter>, options: ValidatorConfig): Genesis {
  const fresh = () => {
    if (options.genesis !== undefined) return options.genesis;
    throw new NodeError(
      "validator.genesis",
      "genesis_needed",
      "a validator's chain begins with its network's genesis, and none is given",
      "give it with --genesis FILE: the genesis.json of the consensus engine",
    );
  };
  // Read before it is written beside the store.
  const fileGenesis = options.genesis === undefined ? undefined : readGenesis(options.genesis);
  const own = readGenesis(genesisOf(home, db, fresh).text);
  if (fileGenesis !== undefined) checkGivenGenesis(home, fileGenesis, own);
  return own;
}

async function segmentsOf(home: string, db: ReturnType<typeof openWriter>, options: ValidatorConfig) {
  const [{ SegmentMaker }, { SegmentRecorder }] = await Promise.all([
    import("../history/segment-maker.ts"),
    import("../history/segment-table.ts"),
  ]);
  // A block's transaction is open until its commit, and may be undone: segments are recorded outside of it.
  const recorder = new SegmentRecorder(db);
  const segments = new SegmentMaker({
    home,
    db,
    ...(options.segmentLength !== undefined && { segmentLength: options.segmentLength }),
    record: (row) => recorder.record(row),
    onProblem: (error) => options.onProblem?.(error),
  });
  return { segments, recorder };
}
