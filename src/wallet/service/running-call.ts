// A running call: the context of its method, its end, and the token that goes back with its answer.
import type { Approver } from "../approvals/approver.ts";
import type { NetworkFacts } from "../approvals/network-facts.ts";
import type { LoggedRequest, RequestLog } from "../policies/request-log.ts";
import type { RandomBytes } from "../random.ts";
import type { TransactionSender } from "../sending/sender.ts";
import type { UnlockedWallet } from "../unlocked-wallet.ts";
import type { rejected } from "./failures.ts";
import type { KnownChains } from "./known-chains.ts";
import type { OpenWallets } from "./open-wallets.ts";
import { connectionClosed, interrupted, RpcError } from "./rpc.ts";
import { connectionEnded, type Session, type Sessions } from "./sessions.ts";
import type { BlockedSites, RateLimit } from "./sites.ts";
import { originOf } from "./sites.ts";
import type { ApiToken, ApiTokens } from "./tokens.ts";
import { authorization, tokenIn } from "./tokens.ts";

/** The claims of a request about its sender. */
export interface Caller {
  readonly origin: string | null;
  readonly referer: string | null;
  readonly authorization: string | null;
  /** A page can send it to any address without asking the browser's leave first: its type is one of a form's. */
  readonly isSimple: boolean;
  /**
   * Called when the answer may take as long as a person does.
   * @returns what says that the caller went away
   */
  waits(): AbortSignal | undefined;
}

/** A page's connection, or a program's. */
export type Connection =
  | { readonly kind: "session"; readonly session: Session; readonly wallet: string }
  | { readonly kind: "token"; readonly id: string; readonly wallet: string };

export interface ServiceLimits {
  /** Levels of objects and lists in a body. */
  readonly depthMax: number;
  /** Of a hostname: connections, transactions, wrong tokens, and what else asks a person or a node. */
  readonly requests: RateLimit;
}

export interface ServiceParts {
  readonly wallets: OpenWallets;
  readonly sessions: Sessions;
  /** Without, there are none. */
  readonly tokens: ApiTokens | undefined;
  /** Without, none is. */
  readonly blocked: BlockedSites | undefined;
  readonly approver: Approver;
  readonly sender: TransactionSender;
  readonly facts: NetworkFacts;
  readonly chains: KnownChains;
  readonly log: RequestLog;
  readonly random: RandomBytes;
  /** The time of day, Unix milliseconds. */
  readonly wallMs: () => number;
  /** A clock that only goes forward, milliseconds. */
  readonly nowMs: () => number;
  /** Whether a session outlives the service unless its user says otherwise. */
  readonly keepSessions: boolean;
  readonly limits?: Partial<ServiceLimits>;
  /** A notice to the owner, in a sentence. */
  onTrouble?(sentence: string): void;
}

/** The service as its methods see it. */
export interface CallService {
  readonly parts: ServiceParts;
  count(hostname: string): void;
  record(entry: LoggedRequest): void;
  recentEpoch(ask: () => Promise<bigint>): Promise<bigint | undefined>;
  unlocked(name: string, call: Call, onRejected?: typeof rejected.connection): Promise<UnlockedWallet>;
  tokenOf(caller: Caller): Promise<ApiToken>;
  refuse(error: RpcError, hostname: string): never;
}

/** @returns the result as JSON text; undefined for a method without one */
export type Method = (call: Call) => Promise<string | undefined>;

/** Parameters, handed over once: what waits for a person or a node does not keep them. */
export class OneTimeParams {
  constructor(private params: unknown) {}

  release(): unknown {
    const { params } = this;
    this.params = undefined;
    return params;
  }
}

interface CallParts {
  readonly given: OneTimeParams;
  readonly hostname: string;
  readonly caller: Caller;
  readonly echo: AuthorizationHeader;
  /** The connection of the token that came, or its fault. */
  readonly connection: Connection | RpcError;
}

/** The context of a method. The signal that stops a call costs something only when the call takes its time. */
export class Call {
  private controller: AbortController | undefined;
  private isGone = false;
  private callOff: () => void = () => {};

  /** @param running what each hostname is doing now */
  constructor(
    readonly service: CallService,
    private readonly running: Map<string, Set<AbortController>>,
    private readonly parts: CallParts,
  ) {}

  get given(): OneTimeParams {
    return this.parts.given;
  }

  get hostname(): string {
    return this.parts.hostname;
  }

  /** As the caller wrote it; the page's host where it said no more. */
  get origin(): string {
    const { caller, hostname } = this.parts;
    return originOf(caller.origin, caller.referer) ?? hostname;
  }

  /** Whether any page could have sent it unasked. */
  get isSimple(): boolean {
    return this.parts.caller.isSimple;
  }

  /** @throws RpcError -32003 */
  connection(): Connection {
    const { connection, hostname } = this.parts;
    return connection instanceof RpcError ? this.service.refuse(connection, hostname) : connection;
  }

  /** The token that came, if it looks like one. @throws RpcError -32003 */
  token(): string {
    return tokenIn(this.parts.caller.authorization);
  }

  /** Sets the header that hands a token out. */
  handOut(token: string): void {
    this.parts.echo.set(authorization(token));
  }

  /** The connection has ended: nothing is echoed any more. */
  dropToken(): void {
    this.parts.echo.set(undefined);
  }

  /** The caller went away, or was thrown out. To be asked for by what takes its time. */
  get signal(): AbortSignal {
    if (this.controller !== undefined) return this.controller.signal;
    const controller = new AbortController();
    this.controller = controller;
    const controllers = this.running.get(this.hostname) ?? new Set();
    this.running.set(this.hostname, controllers.add(controller));
    const signal = this.parts.caller.waits();
    const leave = () => {
      this.isGone = true;
      controller.abort();
    };
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave, { once: true });
    this.callOff = () => signal?.removeEventListener("abort", leave);
    return controller.signal;
  }

  /**
   * For after that time.
   * @throws when the caller went away or was thrown out, its session was ended by force, or its token was removed
   */
  async checkOpen(): Promise<void> {
    const { connection, caller } = this.parts;
    if (!(connection instanceof RpcError) && connection.kind === "token") await this.service.tokenOf(caller);
    this.signal.throwIfAborted();
    if (connection instanceof RpcError || connection.kind !== "session") return;
    if (this.service.parts.sessions.isClosed(connection.session)) throw connectionEnded();
  }

  /** Why whatever failed has to be told as something else: it was stopped. */
  get reasonToStop(): RpcError | undefined {
    if (!this.controller?.signal.aborted) return undefined;
    return this.isGone ? interrupted() : connectionClosed();
  }

  close(): void {
    if (this.controller === undefined) return;
    this.callOff();
    const controllers = this.running.get(this.hostname);
    controllers?.delete(this.controller);
    if (controllers?.size === 0) this.running.delete(this.hostname);
  }
}

/** The `Authorization` header of an answer, for as long as its token is good. */
export class AuthorizationHeader {
  private value: string | undefined;
  private isGood: () => boolean = () => true;

  get header(): string | undefined {
    return this.isGood() ? this.value : undefined;
  }

  set(value: string | undefined, isGood = () => true): void {
    this.value = value;
    this.isGood = isGood;
  }
}
