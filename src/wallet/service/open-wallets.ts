// The wallets that the service has unlocked. They lock after idle time; a file that is removed or gets another
// passphrase by somebody else is noticed.

import { randomUUID } from "node:crypto";
import { wipe } from "../../crypto/secrets.ts";
import { NodeError } from "../../errors/node-error.ts";
import type { Approved, Approver, Decision } from "../approvals/approver.ts";
import type { UnlockedWallet } from "../unlocked-wallet.ts";
import type { WalletStore } from "../wallet-store.ts";
import { tokenError } from "./rpc.ts";

// Locks idle wallets: a clock for one wallet, or for all of a service.

interface IdleLockOptions {
  /** Time without use until the lock, milliseconds. */
  readonly idleMs: number;
  /** Called once: locks. */
  readonly lock: () => void;
  /** A clock that goes on while the machine sleeps, milliseconds. */
  readonly nowMs: () => number;
  /** As `setTimeout`; calls back later at the earliest. @returns how to call it off */
  readonly later: (action: () => void, delayMs: number) => () => void;
}

/** `later` of the runtime; a waiting lock keeps no process alive. */
function laterByTimer(action: () => void, delayMs: number): () => void {
  const timer = setTimeout(action, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}

/** The longest that timers of the runtime wait: of a longer delay they make one millisecond. */
const DELAY_MAX_MS = 2 ** 31 - 1;

export class IdleLock {
  private deadlineMs: number;
  private callOff: (() => void) | undefined;
  private isOver = false;

  constructor(private readonly options: IdleLockOptions) {
    this.deadlineMs = options.nowMs() + options.idleMs;
    this.wait(options.idleMs);
  }

  /**
   * Says that there was use, and gives it the whole time again. Timers stand still while a machine sleeps: what
   * became too old meanwhile is locked now, and not used once more.
   * @returns whether it is still unlocked
   */
  touch(): boolean {
    if (!this.isOver && this.options.nowMs() >= this.deadlineMs) this.expire();
    if (!this.isOver) this.deadlineMs = this.options.nowMs() + this.options.idleMs;
    return !this.isOver;
  }

  /** Locks never: what it watched over is locked already, or goes on by itself. */
  stop(): void {
    this.isOver = true;
    this.callOff?.();
  }

  private wait(delayMs: number): void {
    this.callOff = this.options.later(
      () => {
        if (this.isOver) return;
        // A clock that was set back keeps nothing unlocked for as long as it was set back.
        this.deadlineMs = Math.min(this.deadlineMs, this.options.nowMs() + this.options.idleMs);
        const leftMs = this.deadlineMs - this.options.nowMs();
        if (leftMs <= 0) this.expire();
        else this.wait(leftMs);
      },
      Math.min(delayMs, DELAY_MAX_MS),
    );
  }

  private expire(): void {
    this.stop();
    this.options.lock();
  }
}

interface OpenWalletsOptions {
  readonly store: WalletStore;
  /** Time without use until a wallet locks, milliseconds; never without. */
  readonly idleMs?: number;
  /** A clock that goes on while the machine sleeps, milliseconds. */
  readonly nowMs: () => number;
  /** Interval at which files are looked at, milliseconds; 0: never. */
  readonly checkMs?: number;
  /** A wallet is gone, or was changed so that this one is not good any more. */
  onLost(name: string, why: "removed" | "changed"): void;
}

const CHECK_MS = 1_000;

interface Open {
  readonly wallet: UnlockedWallet;
  readonly idle: IdleLock | undefined;
}

export class OpenWallets {
  private readonly open = new Map<string, Open>();
  private readonly timer: ReturnType<typeof setInterval> | undefined;
  private isChecking = false;

  constructor(private readonly options: OpenWalletsOptions) {
    const { checkMs = CHECK_MS } = options;
    if (checkMs === 0) return;
    this.timer = setInterval(() => this.check(), checkMs);
    this.timer.unref();
  }

  get store(): WalletStore {
    return this.options.store;
  }

  /** An unlocked wallet, and a use of it; undefined when it is locked. */
  get(name: string): UnlockedWallet | undefined {
    const open = this.open.get(name);
    if (open === undefined || open.wallet.isLocked || open.idle?.touch() === false) return undefined;
    return open.wallet;
  }

  /** An unlocked wallet, to look at: this does not count as a use. */
  peek(name: string): UnlockedWallet | undefined {
    const wallet = this.open.get(name)?.wallet;
    return wallet?.isLocked === false ? wallet : undefined;
  }

  /** @throws NodeError `wallet_unknown`, `wrong_passphrase` */
  async unlock(name: string, passphrase: Uint8Array): Promise<UnlockedWallet> {
    return this.adopt(await this.store.unlock(name, passphrase));
  }

  /** The same with a passphrase that came as text. */
  async unlockByText(name: string, text: string): Promise<UnlockedWallet> {
    const passphrase = new Uint8Array(Buffer.from(text, "utf8"));
    return this.unlock(name, passphrase).finally(() => wipe(passphrase));
  }

  /** Keeps a wallet that was unlocked elsewhere, unless one of that name is open already. */
  adopt(wallet: UnlockedWallet): UnlockedWallet {
    const open = this.get(wallet.name);
    if (open !== undefined) {
      if (open !== wallet) wallet.lock();
      return open;
    }
    const { idleMs, nowMs } = this.options;
    const lock = () => this.lock(wallet.name);
    const idle =
      idleMs === undefined ? undefined : new IdleLock({ idleMs, lock, nowMs, later: laterByTimer });
    this.open.set(wallet.name, { wallet, idle });
    return wallet;
  }

  /** @returns whether it was unlocked */
  lock(name: string): boolean {
    const open = this.open.get(name);
    this.open.delete(name);
    open?.idle?.stop();
    if (open === undefined) return false;
    open.wallet.lock();
    // Native keys are wiped when they are collected, and only then.
    Bun.gc(true);
    return true;
  }

  /** Looks at the files of all open wallets, for what other processes did to them. */
  async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    try {
      for (const [name, { wallet }] of [...this.open]) await this.checkOne(name, wallet);
    } finally {
      this.isChecking = false;
    }
  }

  close(): void {
    clearInterval(this.timer);
    for (const name of [...this.open.keys()]) this.lock(name);
  }

  private async checkOne(name: string, wallet: UnlockedWallet): Promise<void> {
    try {
      if (!wallet.isLocked) await wallet.refresh();
    } catch (error) {
      const code = error instanceof NodeError ? error.code : "";
      if (code === "wallet_locked") return;
      this.lock(name);
      this.options.onLost(name, code === "wallet_unknown" ? "removed" : "changed");
    }
  }
}

// Getting a wallet unlocked: it is already, or the passphrase is asked for until it is right or nobody answers.

const ATTEMPTS_MAX = 10;

interface UnlockingParts {
  readonly wallets: OpenWallets;
  readonly approver: Approver;
  readonly wallMs: () => number;
}

interface Asking {
  readonly hostname: string;
  readonly origin: string;
  readonly signal: AbortSignal;
}

const asking = new WeakMap<OpenWallets, SharedQuestions<UnlockedWallet>>();

/** @throws RpcError of `approve` when there is no passphrase; -32003 when the wallet is gone */
export function unlockedWallet(
  parts: UnlockingParts,
  name: string,
  caller: Asking,
  approve: (decision: Decision) => Approved,
): Promise<UnlockedWallet> {
  const open = parts.wallets.get(name);
  if (open !== undefined) return Promise.resolve(open);
  const questions = asking.get(parts.wallets) ?? new SharedQuestions<UnlockedWallet>();
  asking.set(parts.wallets, questions);
  const { hostname, origin, signal } = caller;
  const key = `${hostname}\n${name}`;
  return questions.ask(key, signal, () => ask(parts, name, { hostname, origin, signal }, approve));
}

async function ask(
  { wallets, approver, wallMs }: UnlockingParts,
  wallet: string,
  { hostname, origin, signal }: Asking,
  approve: (decision: Decision) => Approved,
): Promise<UnlockedWallet> {
  if (!(await wallets.store.has(wallet))) {
    throw tokenError("there is no connection associated to this authentication token");
  }
  let reason = "it is locked";
  for (let attempt = 1; ; attempt++) {
    const receivedAt = new Date(wallMs()).toISOString();
    const request = {
      kind: "passphrase",
      id: randomUUID(),
      ...{ hostname, origin, receivedAt, wallet, reason },
    } as const;
    const { passphrase } = approve(await approver.decide(request, signal));
    if (passphrase === undefined) throw new NodeError("wallet", "wallet_locked", "the wallet is locked");
    try {
      return await wallets.unlock(wallet, passphrase);
    } catch (error) {
      if (!(error instanceof NodeError) || error.code !== "wrong_passphrase" || attempt >= ATTEMPTS_MAX)
        throw error;
      reason = "the passphrase was wrong";
    } finally {
      wipe(passphrase);
    }
  }
}

// Questions to the user that wait for an answer: a caller that needs the same answer waits for the same question, so that a
// page that asks twice is asked about once.

interface Waiting<T> {
  readonly answer: Promise<T>;
  /** Of the one who asked. */
  readonly signal: AbortSignal;
}

export class SharedQuestions<T> {
  private readonly waiting = new Map<string, Waiting<T>>();

  /** When the one who asked goes away, the next one asks again. */
  async ask(name: string, signal: AbortSignal, question: () => Promise<T>): Promise<T> {
    for (;;) {
      const waiting = this.waiting.get(name);
      if (waiting === undefined) return this.start(name, signal, question);
      try {
        return await waiting.answer;
      } catch (error) {
        if (!waiting.signal.aborted || signal.aborted) throw error;
      }
    }
  }

  private start(name: string, signal: AbortSignal, question: () => Promise<T>): Promise<T> {
    const answer = question().finally(() => this.waiting.delete(name));
    this.waiting.set(name, { answer, signal });
    return answer;
  }
}
