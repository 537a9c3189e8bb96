// What one call holds while it runs: what ends it, the token that goes back with its answer, and its parameters.
import { connectionClosed, interrupted, type RpcError } from "./rpc.ts";
import type { Caller } from "./service.ts";

/** Parameters, handed over once: what waits for a person or a node does not keep them. */
export class Given {
  constructor(private params: unknown) {}

  take(): unknown {
    const { params } = this;
    this.params = undefined;
    return params;
  }
}

/** What one call is doing, so that it can be stopped. It costs something only when it takes its time. */
export class Running {
  private controller: AbortController | undefined;
  private isGone = false;
  private callOff: () => void = () => {};

  constructor(
    private readonly all: Map<string, Set<AbortController>>,
    private readonly hostname: string,
    private readonly caller: Caller,
  ) {}

  get signal(): AbortSignal {
    if (this.controller !== undefined) return this.controller.signal;
    const controller = new AbortController();
    this.controller = controller;
    const controllers = this.all.get(this.hostname) ?? new Set();
    this.all.set(this.hostname, controllers.add(controller));
    const signal = this.caller.waits();
    const leave = () => {
      this.isGone = true;
      controller.abort();
    };
    if (signal?.aborted) leave();
    signal?.addEventListener("abort", leave, { once: true });
    this.callOff = () => signal?.removeEventListener("abort", leave);
    return controller.signal;
  }

  /** Why whatever failed has to be told as something else: it was stopped. */
  get reasonToStop(): RpcError | undefined {
    if (!this.controller?.signal.aborted) return undefined;
    return this.isGone ? interrupted() : connectionClosed();
  }

  end(): void {
    if (this.controller === undefined) return;
    this.callOff();
    const controllers = this.all.get(this.hostname);
    controllers?.delete(this.controller);
    if (controllers?.size === 0) this.all.delete(this.hostname);
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
