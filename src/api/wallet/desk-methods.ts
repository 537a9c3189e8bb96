// What a second terminal does with waiting requests, over the local socket: see them in words, and answer.
import type { ApprovalRequest, Decision } from "../../wallet/approvals/approver.ts";
import type { ApprovalDesk } from "../../wallet/approvals/desk.ts";
import { plain } from "../../wallet/approvals/plain-text.ts";
import type { Words } from "../../wallet/approvals/words.ts";
import { mismatch, Params } from "../../wallet/service/params.ts";
import { invalidParams } from "../../wallet/service/rpc.ts";

export interface LocalParts {
  /** Undefined where nobody is asked. */
  readonly desk: ApprovalDesk | undefined;
  readonly status: Readonly<Record<string, unknown>>;
}

type LocalMethod = (parts: LocalParts, params: unknown) => Promise<unknown>;

/** A request as it goes over the socket. Everything in it can be shown as it is, but for `raw`, which is JSON. */
export interface ShownRequest {
  readonly id: string;
  readonly kind: ApprovalRequest["kind"];
  readonly hostname: string;
  readonly receivedAt: string;
  readonly wallet?: string;
  readonly wallets?: readonly string[];
  readonly keys?: readonly { readonly name: string; readonly publicKey: string }[];
  readonly purpose?: string;
  readonly key?: { readonly name: string; readonly publicKey: string };
  readonly words?: Words;
  readonly raw?: string;
  readonly reason?: string;
}

export function shown(request: ApprovalRequest): ShownRequest {
  const { id, kind, receivedAt } = request;
  const common = { id, kind, hostname: plain(request.hostname), receivedAt };
  switch (request.kind) {
    case "connection":
      return { ...common, wallets: request.wallets };
    case "keys":
      return {
        ...common,
        wallet: request.wallet,
        keys: request.keys.map(({ name, publicKey }) => ({ name: plain(name), publicKey })),
      };
    case "passphrase":
      return { ...common, wallet: request.wallet, reason: request.reason };
    case "transaction": {
      const { wallet, purpose, publicKey, keyName, words, raw } = request;
      return { ...common, wallet, purpose, key: { name: plain(keyName), publicKey }, words, raw };
    }
  }
}

const list: LocalMethod = async ({ desk }) => ({ requests: (desk?.requests ?? []).map(shown) });

const answer: LocalMethod = async ({ desk }, value) => {
  const params = new Params(value);
  const id = params.text("id", "request");
  const request = desk?.get(id);
  if (request === undefined) throw invalidParams("the request does not wait any more");
  return { answered: desk!.answer(id, decisionOf(params, request)) };
};

const status: LocalMethod = async (parts) => ({ ...parts.status, waiting: parts.desk?.requests.length ?? 0 });

export const deskMethods: Readonly<Record<string, LocalMethod>> = {
  "approvals.list": list,
  "approvals.answer": answer,
  "service.status": status,
};

function decisionOf(params: Params, request: ApprovalRequest): Decision {
  const outcome = params.text("outcome", "outcome");
  if (outcome === "rejected" || outcome === "cancelled") return { outcome };
  if (outcome !== "approved") throw mismatch();
  const wallet = params.optionalText("wallet");
  if (request.kind === "connection" && wallet !== "" && !request.wallets.includes(wallet)) {
    throw invalidParams("the wallet does not exist");
  }
  const passphrase = params.optionalText("passphrase");
  if (request.kind === "passphrase" && passphrase === "") throw invalidParams("the passphrase is required");
  const allowedKeys = params.optionalTexts("allowedKeys");
  return {
    outcome,
    ...(wallet !== "" && { wallet }),
    ...(params.has("keep") && { isKept: params.optionalBoolean("keep") }),
    ...(allowedKeys.length > 0 && { allowedKeys }),
    ...(passphrase !== "" && { passphrase: new Uint8Array(Buffer.from(passphrase, "utf8")) }),
  };
}
