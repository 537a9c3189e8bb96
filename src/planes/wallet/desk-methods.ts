// What a second terminal does with waiting requests, over the local socket: see them in words, and answer.
import type { ApprovalRequest, Decision } from "../../wallet/approvals/approver.ts";
import type { ApprovalDesk } from "../../wallet/approvals/desk.ts";
import { outcomeLine, shown } from "../../wallet/approvals/shown.ts";
import { mismatch, Params } from "../../wallet/service/params.ts";
import { invalidParams } from "../../wallet/service/rpc.ts";

export interface LocalParts {
  /** Undefined where nobody is asked. */
  readonly desk: ApprovalDesk | undefined;
  readonly status: Readonly<Record<string, unknown>>;
}

type LocalMethod = (parts: LocalParts, params: unknown) => Promise<unknown>;

const list: LocalMethod = async ({ desk }) => ({ requests: (desk?.requests ?? []).map(shown) });

/** For whoever asks again and again: of many long requests, only the one that is to be answered. */
const next: LocalMethod = async ({ desk }) => {
  const first = desk?.requests[0];
  return { request: first === undefined ? null : shown(first) };
};

const waits: LocalMethod = async ({ desk }, value) => ({
  waits: desk?.get(new Params(value).text("id", "request")) !== undefined,
});

/** What became of a transaction that was approved; null as long as that is not known. */
const outcome: LocalMethod = async ({ desk }, value) => {
  const found = desk?.outcomeOf(new Params(value).text("id", "request"));
  return { outcome: found === undefined ? null : outcomeLine(found) };
};

const answer: LocalMethod = async ({ desk }, value) => {
  const params = new Params(value);
  const id = params.text("id", "request");
  const request = desk?.get(id);
  if (request === undefined) throw invalidParams("the request does not wait any more");
  const decision = decisionOf(params, request);
  const reach = decision.outcome === "rejected" ? params.optionalText("reach") : "";
  if (reach === "site") await desk!.block(request.hostname);
  else if (reach === "all") desk!.rejectAll();
  else if (reach !== "") throw mismatch();
  return { answered: reach !== "" || desk!.answer(id, decision), kind: request.kind };
};

const rejectAll: LocalMethod = async ({ desk }) => ({ rejected: desk?.rejectAll() ?? 0 });

const status: LocalMethod = async (parts) => ({ ...parts.status, waiting: parts.desk?.requests.length ?? 0 });

export const deskMethods: Readonly<Record<string, LocalMethod>> = {
  "approvals.list": list,
  "approvals.next": next,
  "approvals.waits": waits,
  "approvals.outcome": outcome,
  "approvals.answer": answer,
  "approvals.reject_all": rejectAll,
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
  if (request.kind === "connection" && wallet === "" && request.wallets.length > 1) {
    throw invalidParams("the wallet is required");
  }
  const passphrase = params.optionalText("passphrase");
  if (request.kind === "passphrase" && passphrase === "") throw invalidParams("the passphrase is required");
  const allowedKeys = params.optionalTexts("allowedKeys");
  const isOffered = (key: string) =>
    request.kind === "keys" && request.keys.some(({ publicKey }) => publicKey === key);
  if (!allowedKeys.every(isOffered)) throw invalidParams("the public key does not exist");
  return {
    outcome,
    ...(wallet !== "" && { wallet }),
    ...(params.has("keep") && { isKept: params.optionalBoolean("keep") }),
    ...(allowedKeys.length > 0 && { allowedKeys }),
    ...(passphrase !== "" && { passphrase: new Uint8Array(Buffer.from(passphrase, "utf8")) }),
  };
}
