// The wallets that the service has unlocked. They lock after idle time; a file that is removed or gets another
// passphrase by somebody else is noticed.
import { NodeError } from "../../errors/node-error.ts";
import { IdleLock, laterByTimer } from "../idle-lock.ts";
import type { UnlockedWallet } from "../unlocked-wallet.ts";
import type { WalletStore } from "../wallet-store.ts";

interface OpenWalletsOptions {
  readonly store: WalletStore;
  /** Time without use until a wallet locks, milliseconds; never without. */
  readonly idleMs?: number;
  /** A clock that goes on while the machine sleeps, milliseconds. */
  readonly nowMs: () => number;
  /** How often files are looked at, milliseconds; 0: never. */
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

  /** @throws NodeError `wallet_unknown`, `wrong_passphrase` */
  async unlock(name: string, passphrase: Uint8Array): Promise<UnlockedWallet> {
    return this.adopt(await this.store.unlock(name, passphrase));
  }

  /** Keeps a wallet that was unlocked elsewhere. One of that name that is open already stays the one. */
  adopt(wallet: UnlockedWallet): UnlockedWallet {
    const known = this.get(wallet.name);
    if (known !== undefined) {
      if (known !== wallet) wallet.lock();
      return known;
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
