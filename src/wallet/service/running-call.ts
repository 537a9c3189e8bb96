// One call while it runs: what its method gets, what ends it, and the token that goes back with its answer.
import { originOf } from "./hostname.ts";
import { connectionClosed, interrupted, RpcError } from "./rpc.ts";
import type { Caller, Connection, WalletService } from "./service.ts";
import { connectionEnded } from "./sessions.ts";
import { authorization, tokenIn } from "./tokens.ts";

/** Parameters, handed over once: what waits for a person or a node does not keep them. */
export class Given {
  constructor(private params: unknown) {}

  take(): unknown {
    const { params } = this;
    this.params = undefined;
    return params;
  }
}

export interface CallParts {
  readonly given: Given;
  readonly hostname: string;
  readonly caller: Caller;
  readonly echo: Echo;
  /** Whose token came, or what is wrong with it. */
  readonly found: Connection | RpcError;
}

/** What a method gets. What stops the call costs something only when it takes its time. */
export class Call {
  private controller: AbortController | undefined;
  private isGone = false;
  private callOff: () => void = () => {};

  /** @param running what each hostname is doing now */
  constructor(
    readonly service: WalletService,
    private readonly running: Map<string, Set<AbortController>>,
    private readonly parts: CallParts,
  ) {}

  get given(): Given {
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
    const { found, hostname } = this.parts;
    return found instanceof RpcError ? this.service.refuse(found, hostname) : found;
  }

  /** The token that came, if it looks like one. @throws RpcError -32003 */
  token(): string {
    return tokenIn(this.parts.caller.authorization);
  }

  /** Sets the header that hands a token out. */
  handOut(token: string): void {
    this.parts.echo.set(authorization(token));
  }

  /** The connection is over: nothing is echoed any more. */
  forget(): void {
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
    const { found, caller } = this.parts;
    if (!(found instanceof RpcError) && found.kind === "token") await this.service.tokenOf(caller);
    this.signal.throwIfAborted();
    if (found instanceof RpcError || found.kind !== "session") return;
    if (this.service.parts.sessions.isClosed(found.session)) throw connectionEnded();
  }

  /** Why whatever failed has to be told as something else: it was stopped. */
  get reasonToStop(): RpcError | undefined {
    if (!this.controller?.signal.aborted) return undefined;
    return this.isGone ? interrupted() : connectionClosed();
  }

  end(): void {
    if (this.controller === undefined) return;
    this.callOff();
    const controllers = this.running.get(this.hostname);
    controllers?.delete(this.controller);
    if (controllers?.size === 0) this.running.delete(this.hostname);
  }
}

/** The `Authorization` header of an answer, for as long as its token is good. */
export class Echo {
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
