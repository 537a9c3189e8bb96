/**
 * A chain on one thread, asked by another: the calls of `DevnetPort` as messages. What is asked in one turn of the
 * event loop travels together, and so do the answers, because a message costs as much as a few calls.
 */
import { SignatureVerifier } from "../chain/admission/verifier/verifier.ts";
import {
  type BridgePort,
  ChainCallError,
  type ChainPort,
  type ChainStatus,
  type ClockStatus,
  type DevnetPort,
  type TxOutcome,
} from "../engine/chain-port.ts";
import { CommandError } from "../engine/errors.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { WireError, type WireErrorCode } from "../wire/errors.ts";
import {
  checkTransaction,
  INVALID_SIGNATURE,
  readClaim,
  readTrusted,
  type Verdict,
} from "../wire/transaction-check.ts";
import { PropertyErrors } from "../wire/validate/property-errors.ts";
import {
  type GoodOutcomes,
  isGood,
  packOutcomes,
  packTxs,
  type SignatureFinding,
  type TxBatch,
  type TxCall,
  type TxTask,
  unpackOutcomes,
  unpackTxs,
} from "./tx-batch.ts";

type Methods<T> = {
  [K in keyof T]: T[K] extends (...values: never[]) => Promise<unknown> ? K : never;
}[keyof T];
/** `submit` and `check` have a way of their own. */
type Method =
  | Exclude<Methods<DevnetPort>, undefined | "submit" | "check">
  | `bridge.${string & Methods<BridgePort>}`;

interface Call {
  readonly id: number;
  readonly method: Method;
  readonly values: readonly unknown[];
}

type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorText };

export interface ErrorText {
  readonly kind: "call" | "node" | "command" | "wire" | "other";
  readonly code: string;
  readonly message: string;
  readonly attempt: string;
  readonly hint: string;
}

/** From the side that asks. */
export type CallMessage =
  | { readonly kind: "calls"; readonly calls: readonly Call[] }
  | { readonly kind: "txs"; readonly txs: TxBatch };

/** From the side that has the chain. */
export type ChainMessage =
  | {
      readonly kind: "answers";
      readonly answers: readonly Answer[];
      readonly good: GoodOutcomes;
      /** As it is now: transactions come into it between blocks. */
      readonly mempool: ChainStatus["mempool"];
    }
  | { readonly kind: "status"; readonly status: ChainStatus };

/** The side that has the chain: takes calls and posts answers, and the status after every block. */
export class ChainHost {
  private answers: Answer[] = [];
  private good: { readonly id: number; readonly outcome: TxOutcome }[] = [];
  private isFlushing = false;
  /** What the other side has found of the signature; the chain need not do it again. */
  private readonly signatures = new WeakMap<Uint8Array, Exclude<SignatureFinding, "unknown">>();
  private end: (() => void) | undefined;

  constructor(private readonly post: (message: ChainMessage) => void) {}

  /** For the chain's options: verifies what nobody has verified yet. */
  readonly checkTransaction = (bytes: Uint8Array, chainId: string, hash: string): Verdict => {
    const signature = this.signatures.get(bytes);
    if (signature === undefined) return checkTransaction(bytes, chainId);
    const transaction = readTrusted(bytes, hash);
    // Refused before anybody looks at the signature.
    if (transaction instanceof PropertyErrors) return checkTransaction(bytes, chainId);
    return signature === "valid" ? { ok: true, transaction } : INVALID_SIGNATURE;
  };

  serve(chain: DevnetPort): void {
    this.end = chain.onBlock((status) => this.post({ kind: "status", status }));
    this.chain = chain;
    this.post({ kind: "status", status: chain.status });
  }

  /** Something has changed that is no block: the chain has halted, or goes on. */
  tell(): void {
    if (this.chain !== undefined) this.post({ kind: "status", status: this.chain.status });
  }

  take(message: CallMessage): void {
    if (message.kind === "txs") {
      for (const call of unpackTxs(message.txs)) this.takeTx(call);
      return;
    }
    for (const call of message.calls) {
      this.run(call).then(
        (value) => this.answer({ id: call.id, value }),
        (error) => this.answer({ id: call.id, error: errorText(error) }),
      );
    }
  }

  private takeTx({ id, bytes, task, signature }: TxCall): void {
    if (signature !== "unknown") this.signatures.set(bytes, signature);
    const failed = (error: unknown) => this.answer({ id, error: errorText(error) });
    const { chain } = this;
    if (chain === undefined) {
      failed(notThere());
      return;
    }
    const judged = task === "check" ? chain.check(bytes) : chain.submit(bytes, WAITS[task]);
    judged.then((outcome) => {
      if (isGood(outcome)) this.good.push({ id, outcome });
      else this.answers.push({ id, value: outcome });
      this.flushSoon();
    }, failed);
  }

  close(): void {
    this.end?.();
  }

  private chain: DevnetPort | undefined;

  private async run({ method, values }: Call): Promise<unknown> {
    const { chain } = this;
    if (chain === undefined) throw notThere();
    const [room, name] = method.startsWith("bridge.")
      ? [chain.bridge, method.slice("bridge.".length)]
      : [chain, method];
    const call = (room as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>)[
      name
    ]!;
    return call.apply(room, [...values]);
  }

  private answer(answer: Answer): void {
    this.answers.push(answer);
    this.flushSoon();
  }

  private flushSoon(): void {
    if (this.isFlushing) return;
    this.isFlushing = true;
    setImmediate(() => {
      this.isFlushing = false;
      const { answers, good, chain } = this;
      this.answers = [];
      this.good = [];
      const mempool = chain?.status.mempool ?? NO_MEMPOOL;
      this.post({ kind: "answers", answers, good: packOutcomes(good), mempool });
    });
  }
}

const WAITS = { submit: "check", commit: "commit" } as const;

function notThere(): ChainCallError {
  return new ChainCallError("stopped", "the chain is not there yet");
}

const NO_MEMPOOL: ChainStatus["mempool"] = { count: 0, bytes: 0 };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The side that asks: the chain as it seems from there. */
export class RemoteChain implements DevnetPort {
  readonly bridge: BridgePort;
  private latest: ChainStatus | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private readonly listeners = new Set<(status: ChainStatus) => void>();
  /** Of one kind: what is asked in some order arrives in it. */
  private calls: Call[] = [];
  private txs: TxCall[] = [];
  private isFlushing = false;
  private nextId = 0;
  private readonly verifier = new SignatureVerifier();

  constructor(private readonly post: (message: CallMessage) => void) {
    this.bridge = {
      deposit: (...values) => this.call("bridge.deposit", values),
      stake: (...values) => this.call("bridge.stake", values),
      unstake: (...values) => this.call("bridge.unstake", values),
      list: (...values) => this.call("bridge.list", values),
      setLimits: (...values) => this.call("bridge.setLimits", values),
      addSigner: (...values) => this.call("bridge.addSigner", values),
      removeSigner: (...values) => this.call("bridge.removeSigner", values),
      setThreshold: (...values) => this.call("bridge.setThreshold", values),
      claim: (...values) => this.call("bridge.claim", values),
      stopBridge: () => this.call("bridge.stopBridge", []),
      resumeBridge: () => this.call("bridge.resumeBridge", []),
    };
  }

  /** Takes a message of the other side. */
  take(message: ChainMessage): void {
    if (message.kind === "status") {
      this.latest = message.status;
      for (const listener of this.listeners) listener(message.status);
      return;
    }
    if (this.latest !== undefined) this.latest = { ...this.latest, mempool: message.mempool };
    for (const { id, outcome } of unpackOutcomes(message.good)) this.waitingFor(id)?.resolve(outcome);
    for (const answer of message.answers) {
      const waiting = this.waitingFor(answer.id);
      if ("error" in answer) waiting?.reject(errorOf(answer.error));
      else waiting?.resolve(answer.value);
    }
  }

  private waitingFor(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  /** Everything that still waits is told that the chain is gone. */
  close(): void {
    this.verifier.close();
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(new ChainCallError("stopped", "the node is stopping"));
  }

  get status(): ChainStatus {
    if (this.latest === undefined) throw new ChainCallError("stopped", "the chain is not there yet");
    return this.latest;
  }

  onBlock(listener: (status: ChainStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  submit(bytes: Uint8Array, wait: "check" | "commit"): Promise<TxOutcome> {
    return this.send(bytes, wait === "commit" ? "commit" : "submit");
  }

  check(bytes: Uint8Array): Promise<TxOutcome> {
    return this.send(bytes, "check");
  }

  spamStatistics = (party: string) =>
    this.call<ReturnType<ChainPort["spamStatistics"]>>("spamStatistics", [party]);
  refusalOf = (hash: string) => this.call<ReturnType<DevnetPort["refusalOf"]>>("refusalOf", [hash]);
  mine = (blocks: number) => this.call<Promise<ChainStatus>>("mine", [blocks]);
  forwardTime = (nanoseconds: bigint) => this.call<Promise<ClockStatus>>("forwardTime", [nanoseconds]);
  setNextBlockTime = (timeNs: bigint) => this.call<Promise<ClockStatus>>("setNextBlockTime", [timeNs]);
  freezeClock = (frozen: boolean) => this.call<Promise<ClockStatus>>("freezeClock", [frozen]);
  setBlockMode: DevnetPort["setBlockMode"] = (mode) => this.call("setBlockMode", [mode]);
  endEpoch = () => this.call<Promise<ChainStatus>>("endEpoch", []);
  snapshot = () => this.call<Promise<string>>("snapshot", []);
  revert = (id: string) => this.call<Promise<ChainStatus>>("revert", [id]);
  checkpoint = () => this.call<Promise<string>>("checkpoint", []);
  dump = () => this.call<Promise<string>>("dump", []);
  load = (dump: string) => this.call<Promise<ChainStatus>>("load", [dump]);
  impersonate: DevnetPort["impersonate"] = (...values) => this.call("impersonate", values);
  setBalance: DevnetPort["setBalance"] = (...values) => this.call("setBalance", values);
  setBalances: DevnetPort["setBalances"] = (...values) => this.call("setBalances", values);
  setParameter: DevnetPort["setParameter"] = (...values) => this.call("setParameter", values);
  ban: DevnetPort["ban"] = (...values) => this.call("ban", values);

  /**
   * Sends a transaction on with its signature verified here. All else is the chain's to judge, and to say in one form.
   */
  private send(bytes: Uint8Array, task: TxTask): Promise<TxOutcome> {
    const { latest } = this;
    if (latest === undefined) return Promise.reject(notThere());
    const claim = readClaim(bytes, latest.chainId);
    if (claim === undefined) return this.sendOn(bytes, task, "unknown");
    const verified = this.verifier.verify(claim.publicKey, claim.digest, claim.signature);
    return verified.then((isValid) => this.sendOn(bytes, task, isValid ? "valid" : "invalid"));
  }

  private sendOn(bytes: Uint8Array, task: TxTask, signature: SignatureFinding): Promise<TxOutcome> {
    return this.answerTo((id) => {
      if (this.calls.length > 0) this.flush();
      this.txs.push({ id, bytes, task, signature });
    });
  }

  private call<P extends Promise<unknown>>(method: Method, values: readonly unknown[]): P {
    return this.answerTo((id) => {
      if (this.txs.length > 0) this.flush();
      this.calls.push({ id, method, values });
    });
  }

  private answerTo<P extends Promise<unknown>>(ask: (id: number) => void): P {
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      this.waiting.set(id, { resolve, reject });
      ask(id);
      if (this.isFlushing) return;
      this.isFlushing = true;
      setImmediate(() => {
        this.isFlushing = false;
        this.flush();
      });
    }) as P;
  }

  private flush(): void {
    const { calls, txs } = this;
    this.calls = [];
    this.txs = [];
    if (calls.length > 0) this.post({ kind: "calls", calls });
    if (txs.length > 0) this.post({ kind: "txs", txs: packTxs(txs) });
  }
}

export function errorText(error: unknown): ErrorText {
  const message = reasonOf(error);
  const none = { code: "", attempt: "", hint: "" };
  if (error instanceof ChainCallError) return { ...none, kind: "call", code: error.code, message };
  if (error instanceof CommandError) return { ...none, kind: "command", message };
  if (error instanceof WireError) return { ...none, kind: "wire", code: error.code, message };
  if (error instanceof NodeError) {
    return { kind: "node", code: error.code, message, attempt: error.attempt, hint: error.hint };
  }
  return { ...none, kind: "other", message };
}

export function errorOf({ kind, code, message, attempt, hint }: ErrorText): Error {
  if (kind === "call") return new ChainCallError(code, message);
  if (kind === "command") return new CommandError(message);
  if (kind === "wire") return new WireError(code as WireErrorCode, message);
  if (kind === "node") return new NodeError(attempt, code, message, hint);
  return new Error(message);
}
