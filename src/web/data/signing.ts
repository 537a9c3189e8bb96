// Signers for this page: a devnet's parties, by the tool that executes unsigned commands, and the keys of a wallet.
import { signal } from "@preact/signals";
import type { Activity, TransactionStory } from "../../http/chain-bodies.ts";
import { parties } from "./names.ts";
import { get, head, onBeat, postToNode, RequestFailure } from "./node.ts";
import { FOLLOW_MS, outcomeOf } from "./outcome.ts";
import { sendByWallet, WalletFailure, walletKeys } from "./wallet.ts";

export interface Signer {
  readonly kind: "party" | "wallet";
  readonly publicKey: string;
  readonly title: string;
}

export const signerId = ({ kind, publicKey }: Signer) => `${kind} ${publicKey}`;

export function signers(): Signer[] {
  return [
    ...parties().map(({ id, title }) => ({ kind: "party", publicKey: id, title }) as const),
    ...(walletKeys() ?? []).map(
      ({ name, publicKey }) => ({ kind: "wallet", publicKey, title: name }) as const,
    ),
  ];
}

const chosen = signal("");

/** The choice holds for every form. */
export function choose(id: string): void {
  chosen.value = id;
}

/** The chosen signer, else a key of the wallet: a wallet is connected to be used. */
export function signer(): Signer | undefined {
  const all = signers();
  return (
    all.find((each) => signerId(each) === chosen.value) ??
    all.find(({ kind }) => kind === "wallet") ??
    all.at(0)
  );
}

/** The signer for this party, if this page can have it signed. */
export function signerFor(party: string): Signer | undefined {
  const current = signer();
  if (current?.publicKey === party) return current;
  return signers().findLast(({ publicKey }) => publicKey === party);
}

export type Sending =
  | { readonly stage: "waiting"; readonly by: Signer["kind"]; readonly cancel: () => void }
  | {
      readonly stage: "sent";
      readonly hash: string /** Where it is known already. */;
      readonly height?: number;
    }
  | { readonly stage: "failed"; readonly text: string; readonly hint: string };

/** Has a command signed and sent. @param signal takes back what waits in a wallet @param note of each stage */
export async function send(
  by: Signer,
  command: object,
  signal: AbortSignal,
  note: (sending: Sending) => void,
): Promise<void> {
  const abort = new AbortController();
  note({ stage: "waiting", by: by.kind, cancel: () => abort.abort() });
  try {
    const sent =
      by.kind === "wallet"
        ? { hash: await sendByWallet(by.publicKey, command, AbortSignal.any([signal, abort.signal])) }
        : await impersonate(by.publicKey, command);
    note({ stage: "sent", ...sent });
  } catch (error) {
    if (!(error instanceof RequestFailure || error instanceof WalletFailure)) throw error;
    const hint = error instanceof RequestFailure ? error.hint : "";
    note({ stage: "failed", text: error.message, hint });
  }
}

/** Executed by the time it is answered; a refusal is a failure. */
async function impersonate(party: string, command: object) {
  type Answer = { readonly txHash: string; readonly height: string };
  const { txHash, height } = await postToNode<Answer>("/devnet/impersonate", { party, command });
  return { hash: txHash, height: Number(height) };
}

/** The outcome of a transaction that a wallet has sent; undefined where no block has it for some minutes. */
export async function outcomeOfSent(hash: string, signal: AbortSignal) {
  const read = <T>(path: string) =>
    get<T>(path, signal).catch((error: unknown) => {
      if (error instanceof RequestFailure) return undefined;
      throw error;
    });
  const node = { height: () => head.value?.height ?? 0, read: read<Activity>, onBeat };
  const outcome = await outcomeOf(hash, node, AbortSignal.timeout(FOLLOW_MS), signal);
  if (outcome === undefined || outcome.code === 0) return outcome;
  const story = await read<TransactionStory>(`/lyra/v1/transactions/${hash}`);
  return { ...outcome, error: story?.sentence || outcome.error };
}
