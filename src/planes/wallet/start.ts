/**
 * Starts the wallet service: with a devnet in the same process, or by itself beside any node. It is the same call for the
 * command line, for a node and for tests.
 */

import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Solver } from "../../chain/admission/pow/solver.ts";
import { NodeError } from "../../errors/node-error.ts";
import { urlOf } from "../../http/http.ts";
import { type OnClose, startWithUndo } from "../../http/undo-start.ts";
import { DEFAULT_WALLET_PORT } from "../../http/wallet-address.ts";
import type { Approver } from "../../wallet/approvals/approver.ts";
import { ApprovalDesk } from "../../wallet/approvals/desk.ts";
import { NetworkFacts } from "../../wallet/approvals/network-facts.ts";
import { FolderKeystore } from "../../wallet/keystore/folder-keystore.ts";
import { PageAccess } from "../../wallet/page/access.ts";
import { Presence } from "../../wallet/page/presence.ts";
import { type RequestLog, RequestLogFile } from "../../wallet/policies/request-log.ts";
import { UsageJournalFile } from "../../wallet/policies/usage.ts";
import { secureRandom } from "../../wallet/random.ts";
import { HttpNode } from "../../wallet/sending/http-node.ts";
import type { NodeClient } from "../../wallet/sending/nodes.ts";
import { NodePool } from "../../wallet/sending/nodes.ts";
import { TransactionSender } from "../../wallet/sending/sender.ts";
import { FileLedger, PlannerBook } from "../../wallet/sending/sent-ledger.ts";
import { JsonFile } from "../../wallet/service/json-file.ts";
import { KnownChains, NO_CHAINS } from "../../wallet/service/known-chains.ts";
import { Networks } from "../../wallet/service/networks.ts";
import { OpenWallets } from "../../wallet/service/open-wallets.ts";
import type { ServiceLimits } from "../../wallet/service/running-call.ts";
import { WalletService } from "../../wallet/service/service.ts";
import { NO_SESSIONS, Sessions } from "../../wallet/service/sessions.ts";
import { BlockedSites, NONE_BLOCKED } from "../../wallet/service/sites.ts";
import { ApiTokens, NO_TOKENS } from "../../wallet/service/tokens.ts";
import type { UnlockedWallet } from "../../wallet/unlocked-wallet.ts";
import type { WalletStore } from "../../wallet/wallet-store.ts";
import { serveWallet, type WalletServer } from "./app.ts";
import { type LocalSocket, SOCKET_PATH_BYTES_MAX, serveLocally } from "./local-socket.ts";
import { pageHandler } from "./page.ts";
import { PageDesk } from "./page-desk.ts";

/** A chain in this process that says a lower height was taken back to it; its answers may still cross for a moment. */
const ORDERED_REWIND_MS = 50;
const BODY_BYTES_MAX = 2 * 1024 * 1024;
const SERVICE_FOLDER = "wallet-service";
const SOCKET_NAME = "wallet.sock";

export interface WalletServiceOptions {
  readonly store: WalletStore;
  /** Nodes to send to, one at the least. */
  readonly nodes: readonly NodeClient[];
  /** The only chain to sign for. Without, the one that the owner confirms at the first approval, for these nodes. */
  readonly chainId?: string;
  /** The nodes are a chain of this process: it is what it says, and nothing is to be confirmed. */
  readonly isOwnChain?: boolean;
  /** Decides on requests. An `ApprovalDesk` is also answered over the local socket. */
  readonly approver: Approver;
  /** The desk behind an approver that asks about some things only. */
  readonly desk?: ApprovalDesk;
  readonly host?: string;
  /** Default 1789; 0 picks a free one. */
  readonly port?: number;
  /** Listen on an address that other machines reach. */
  readonly allowRemote?: boolean;
  /** Names besides loopback's that requests may be sent to. */
  readonly allowedHosts?: readonly string[];
  /** Where tokens, kept sessions, the log and the memory of what was sent are; without one nothing outlives the service. */
  readonly home?: string;
  /** Whether there is a local socket; it needs a home. Default: where there is one. */
  readonly hasSocket?: boolean;
  /** Wallets that are unlocked already. */
  readonly unlocked?: readonly UnlockedWallet[];
  /** Time without use until a wallet locks, milliseconds; never without. */
  readonly idleLockMs?: number;
  /** Whether sessions outlive the service unless the user says otherwise. */
  readonly keepSessions?: boolean;
  /** No other wallet uses these keys: all of a block's quota is used at once (sending/planner.ts). */
  readonly isSoleUser?: boolean;
  readonly solver?: Solver;
  /** Time that a transaction waits for a block with room, milliseconds. */
  readonly waitMs?: number;
  /** Interval at which files and blocks are looked at, milliseconds; 0: never. */
  readonly checkMs?: number;
  readonly watchMs?: number;
  readonly bodyBytesMax?: number;
  readonly limits?: Partial<ServiceLimits>;
  /** A notice to the owner, in a sentence. */
  onTrouble?(sentence: string): void;
  /** The time of day, Unix milliseconds. */
  readonly wallMs?: () => number;
  /** A clock that only goes forward, milliseconds. */
  readonly nowMs?: () => number;
}

export interface RunningWalletService {
  /** The address for clients: `http://127.0.0.1:1789/api`. */
  readonly url: string;
  readonly port: number;
  readonly host: string;
  /** Makes the address that opens the page in one browser, once; the one before it ends. */
  pageLink(): string;
  /** Of the local socket. */
  readonly socket: string | undefined;
  /** Way in which requests are decided on, for banners. */
  readonly approval: string;
  readonly service: WalletService;
  fetch(request: Request): Response | Promise<Response>;
  /** Frees the port, locks the wallets, ends what waits. */
  close(): Promise<void>;
}

/** @throws NodeError `port_in_use`, `not_loopback`, `wallet_served` */
export function startWalletService(options: WalletServiceOptions): Promise<RunningWalletService> {
  return startWithUndo((onClose, close) => start(options, onClose, close));
}

async function start(
  options: WalletServiceOptions,
  onClose: OnClose,
  close: () => Promise<void>,
): Promise<RunningWalletService> {
  const { store, approver, home, host = "127.0.0.1", port = DEFAULT_WALLET_PORT } = options;
  checkHost(host, options.allowRemote === true);
  const { wallMs = Date.now, nowMs = () => performance.now() } = options;
  const files = home === undefined ? undefined : new ServiceFiles(join(home, SERVICE_FOLDER));
  const solver = options.solver ?? new Solver({ nowMs });
  if (options.solver === undefined) onClose(() => solver.close());
  const isOrdered = options.nodes.every((node) => node.isOrdered === true) && options.nodes.length === 1;
  const book = new PlannerBook({
    ...(files && { ledger: files.ledger() }),
    ...(isOrdered && { rewindMs: ORDERED_REWIND_MS, keepMs: 0 }),
    ...(options.isSoleUser && { isSoleUser: true }),
  });
  onClose(() => book.close());
  const senderOf = (
    nodes: readonly NodeClient[],
    chainId: string | undefined,
    watchMs: number | undefined,
  ) => {
    const pool = new NodePool(nodes, { nowMs, ...(chainId !== undefined && { chainId }) });
    const { waitMs } = options;
    const waiting = { ...(waitMs !== undefined && { waitMs }), ...(watchMs !== undefined && { watchMs }) };
    return new TransactionSender({
      nodes: pool,
      solver,
      random: secureRandom,
      nowMs,
      wallMs,
      book,
      ...waiting,
    });
  };
  const sender = senderOf(options.nodes, options.chainId, options.watchMs);
  onClose(() => sender.close());

  const chains = new KnownChains({
    nodes: options.nodes.map(({ host: node }) => node),
    chainId: options.chainId,
    isOwn: options.isOwnChain,
    file: files?.chains,
    now: () => new Date(wallMs()).toISOString(),
  });
  const expected = options.isOwnChain ? undefined : await chains.expected();
  if (expected !== undefined) sender.pin(expected);

  const sessions = new Sessions({
    random: secureRandom,
    now: () => new Date(wallMs()).toISOString(),
    ...(files && { file: files.sessions }),
  });
  await sessions.load();
  const desk = options.desk ?? (approver instanceof ApprovalDesk ? approver : undefined);
  const wallets = new OpenWallets({
    store,
    nowMs: wallMs,
    ...(options.idleLockMs !== undefined && { idleMs: options.idleLockMs }),
    ...(options.checkMs !== undefined && { checkMs: options.checkMs }),
    onLost: (name, why) => {
      desk?.dismiss(undefined, name);
      void sessions.endAll({ wallet: name }, why === "changed");
    },
  });
  onClose(() => wallets.close());
  for (const wallet of options.unlocked ?? []) wallets.adopt(wallet);

  const service = new WalletService({
    wallets,
    sessions,
    tokens: files?.tokens,
    blocked: files?.blocked,
    approver,
    sender,
    facts: new NetworkFacts(options.nodes),
    chains,
    log: {
      append: (entry) => {
        files?.log.append(entry);
        pageDesk.wake();
      },
    },
    random: secureRandom,
    wallMs,
    nowMs,
    keepSessions: options.keepSessions === true && files !== undefined,
    ...(options.limits && { limits: options.limits }),
    onTrouble: (sentence) => options.onTrouble?.(sentence),
  });

  desk?.serve({
    isConnected: (hostname) => sessions.all.some((session) => session.hostname === hostname),
    block: (hostname) => service.block(hostname),
  });
  const access = new PageAccess({ random: secureRandom, nowMs });
  const pageDesk = new PageDesk({
    ...{ desk, service, nodes: options.nodes, nowMs },
    log: home === undefined ? undefined : requestLogPath(home),
  });
  const server: WalletServer = serveWallet(service, {
    host,
    port,
    bodyBytesMax: options.bodyBytesMax ?? BODY_BYTES_MAX,
    allowedHosts: [...(options.allowedHosts ?? []), ...(options.allowRemote ? [host.toLowerCase()] : [])],
    page: (rest) =>
      pageHandler({ access, presence: new Presence(secureRandom, nowMs), desk: pageDesk, ...rest }),
  });
  const pageLink = () => `${urlOf(host, server.port)}/#open=${access.newLink()}`;
  onClose(() => server.stop());
  if (desk !== undefined) {
    onClose(() => {
      server.announceEnd();
      desk.close();
    });
  }
  let socket: LocalSocket | undefined;
  if (home !== undefined && files !== undefined && options.hasSocket !== false) {
    const admin = {
      wallets,
      sessions,
      tokens: files.tokens,
      solver,
      networks: new Networks(networksFolder(home)),
      revokeHostname: async (hostname: string) => {
        desk?.dismiss(hostname);
        return service.revokeHostname(hostname);
      },
      revokeWallet: async (wallet: string, hostname?: string) => {
        desk?.dismiss(hostname, wallet);
        const which = hostname === undefined ? { wallet } : { hostname, wallet };
        return sessions.endAll(which, true);
      },
      dismissWallet: (wallet: string) => {
        desk?.dismiss(undefined, wallet);
      },
      chainsOf: (nodes: readonly string[], chainId: string | undefined) =>
        new KnownChains({
          nodes,
          chainId,
          file: files.chains,
          now: () => new Date(wallMs()).toISOString(),
        }),
      senderTo: (hosts: readonly string[], chainId: string | undefined) =>
        senderOf(
          hosts.map((address) => new HttpNode(address)),
          chainId,
          0,
        ),
      wallMs,
    };
    const status = { url: server.url, approval: approver.name, pid: process.pid };
    socket = await serveLocally(socketPath(home), admin, { desk, status, pageLink });
    onClose(() => socket!.stop());
  }
  await sessions.applyRevocations();
  const { url, fetch } = server;
  return {
    url,
    pageLink,
    port: server.port,
    host,
    socket: socket?.path,
    approval: approver.name,
    service,
    fetch,
    close,
  };
}

/** The service's own files in the home. */
export class ServiceFiles {
  readonly tokens: ApiTokens;
  readonly sessions;
  readonly chains;
  readonly blocked: BlockedSites;
  readonly log: RequestLog;
  readonly usage: UsageJournalFile;

  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const documents = new FolderKeystore(folder);
    this.tokens = new ApiTokens(new JsonFile(documents, "tokens.json", NO_TOKENS));
    this.sessions = new JsonFile(documents, "sessions.json", NO_SESSIONS);
    this.chains = new JsonFile(documents, "chains.json", NO_CHAINS);
    const now = () => new Date().toISOString();
    this.blocked = new BlockedSites(new JsonFile(documents, "blocked.json", NONE_BLOCKED), now);
    this.log = new RequestLogFile(join(folder, "requests.jsonl"));
    this.usage = new UsageJournalFile(join(folder, "policy-usage.jsonl"));
  }

  ledger(): FileLedger {
    return new FileLedger(join(this.folder, "sent.db"));
  }
}

export function serviceFiles(home: string): ServiceFiles {
  return new ServiceFiles(join(home, SERVICE_FOLDER));
}

export const requestLogPath = (home: string) => join(home, SERVICE_FOLDER, "requests.jsonl");
export const networksFolder = (home: string) => join(home, "networks");

/** In the home; where its path is too long for a socket, in a folder of the user's among the temporary ones. */
export function socketPath(home: string): string {
  const path = join(home, SERVICE_FOLDER, SOCKET_NAME);
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return path;
  const digest = new Bun.CryptoHasher("sha256").update(path).digest("hex").slice(0, 16);
  return join(tmpdir(), `lyra-${process.getuid?.() ?? "user"}-${digest}`, SOCKET_NAME);
}

function checkHost(host: string, allowRemote: boolean): void {
  const isLoopback = host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
  if (isLoopback || allowRemote) return;
  throw new NodeError(
    "wallet.serve",
    "not_loopback",
    `${host} would open the wallet to other machines`,
    "leave --host away, or add --wallet-allow-remote",
  );
}
