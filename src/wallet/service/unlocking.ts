// Getting a wallet unlocked: it is already, or the passphrase is asked for until it is right or nobody answers.
import { randomUUID } from "node:crypto";
import { wipe } from "../../crypto/secrets.ts";
import { NodeError } from "../../errors/node-error.ts";
import type { Approved, Approver, Decision } from "../approvals/approver.ts";
import type { UnlockedWallet } from "../unlocked-wallet.ts";
import type { OpenWallets } from "./open-wallets.ts";
import { tokenError } from "./rpc.ts";
import { SharedQuestions } from "./shared-questions.ts";

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
