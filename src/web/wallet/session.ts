// The session of this tab with the wallet: opened by the link in the address, kept by a cookie and a secret of this origin.
import { signal } from "@preact/signals";
import type { PageState } from "../../http/wallet-page-bodies.ts";
import { visible } from "../format.ts";

type SessionState = "opening" | "open" | "away" | "none";

export const sessionState = signal<SessionState>("opening");
/** The reason why there is no session. */
export const refusal = signal("");
export const walletState = signal<PageState | undefined>(undefined);

const API = "/page/api";
const SECRET = "lyra.wallet.secret";
const RETRY_MS = 1_000;
/** Longer than the wallet waits for news. */
const READ_MS = 30_000;

/** A refusal by the wallet. */
class WalletRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** @throws WalletRefusal, and what fetch throws */
export async function callWallet<T>(path: string, body?: object): Promise<T> {
  const headers: Record<string, string> = { "x-lyra-page": sessionStorage.getItem(SECRET) ?? "" };
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await fetch(API + path, {
    method: body === undefined ? "GET" : "POST",
    headers,
    credentials: "same-origin",
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // A transfer waits for a person; everything else is answered soon.
    ...(body === undefined && { signal: AbortSignal.timeout(READ_MS) }),
  });
  const answer = (await response.json()) as T & { code?: string; message?: string };
  if (response.ok) return answer;
  // It may carry words of a node.
  const message = visible(answer.message ?? "the wallet refused it");
  if (response.status === 401) endSession(message);
  throw new WalletRefusal(response.status, answer.code ?? "", message);
}

function endSession(why: string): void {
  sessionStorage.removeItem(SECRET);
  refusal.value = why;
  walletState.value = undefined;
  sessionState.value = "none";
}

export async function closeSession(): Promise<void> {
  await callWallet("/end", {}).catch(() => {});
  endSession("the session is closed");
}

export async function startSession(): Promise<void> {
  const link = /^#open=(\w+)$/.exec(location.hash)?.[1];
  if (link !== undefined) {
    // The used link does not stay in the address and in the history.
    history.replaceState(null, "", "/");
    try {
      const { secret } = await callWallet<{ secret: string }>("/open", { link });
      sessionStorage.setItem(SECRET, secret);
    } catch (error) {
      endSession(error instanceof Error ? error.message : String(error));
      return;
    }
  } else if (sessionStorage.getItem(SECRET) === null) {
    sessionState.value = "none";
    return;
  }
  await follow();
}

/** Asks for the state again and again; the wallet answers when it has changed. */
async function follow(): Promise<void> {
  for (;;) {
    try {
      const since = walletState.value?.version;
      const next = await callWallet<PageState>(since === undefined ? "/state" : `/state?since=${since}`);
      walletState.value = next;
      sessionState.value = "open";
    } catch (error) {
      if (error instanceof WalletRefusal && error.status === 401) return;
      sessionState.value = "away";
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
