// Who can sign for this page: a devnet's parties, by the tool that executes unsigned commands, and the keys of a wallet.
import { signal } from "@preact/signals";
import { parties } from "./names.ts";
import { postToNode, RequestFailure } from "./node.ts";
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

/** The one chosen, else a key of the wallet: whoever connected it means to use it. */
export function signer(): Signer | undefined {
  const all = signers();
  return (
    all.find((each) => signerId(each) === chosen.value) ??
    all.find(({ kind }) => kind === "wallet") ??
    all.at(0)
  );
}

/** Who signs for this party, if this page can have it signed. */
export function signerFor(party: string): Signer | undefined {
  const current = signer();
  if (current?.publicKey === party) return current;
  return signers().findLast(({ publicKey }) => publicKey === party);
}

export type Sending =
  | { readonly stage: "waiting"; readonly by: Signer["kind"]; readonly cancel: () => void }
  | { readonly stage: "sent"; readonly hash: string }
  | { readonly stage: "failed"; readonly text: string };

/** Has a command signed and sent. @param note of each stage */
export async function send(by: Signer, command: object, note: (sending: Sending) => void): Promise<void> {
  const abort = new AbortController();
  note({ stage: "waiting", by: by.kind, cancel: () => abort.abort() });
  try {
    const hash =
      by.kind === "wallet"
        ? await sendByWallet(by.publicKey, command, abort.signal)
        : await impersonate(by.publicKey, command);
    note({ stage: "sent", hash });
  } catch (error) {
    if (!(error instanceof RequestFailure || error instanceof WalletFailure)) throw error;
    note({ stage: "failed", text: error.message });
  }
}

async function impersonate(party: string, command: object): Promise<string> {
  const { txHash } = await postToNode<{ txHash: string }>("/devnet/impersonate", { party, command });
  return txHash;
}
