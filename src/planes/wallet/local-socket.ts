/**
 * The channel that only the local user reaches: a Unix socket with mode 0600 in a folder with mode 0700. Over it go
 * the administrative methods, and the approvals that a second terminal answers. Each POST is a JSON-RPC request.
 */
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { requestAnswer } from "../../fetch/answer.ts";
import { ApiError } from "../../http/errors.ts";
import { readBody } from "../../http/http.ts";
import type { ApprovalRequest, Decision } from "../../wallet/approvals/approver.ts";
import type { ApprovalDesk } from "../../wallet/approvals/desk.ts";
import { outcomeLine, shown } from "../../wallet/approvals/shown.ts";
import { checkSocket, checkSocketFolder } from "../../wallet/keystore/guard.ts";
import { ADMIN_METHODS, adminErrorOf } from "../../wallet/service/admin/admin.ts";
import type { AdminParts } from "../../wallet/service/admin/shared.ts";
import { RawJson } from "../../wallet/service/admin/transactions.ts";
import { lockWallet } from "../../wallet/service/admin/wallets.ts";
import { mismatch, Params } from "../../wallet/service/params.ts";
import {
  errorText,
  internalError,
  invalidParams,
  invalidRequest,
  methodNotFound,
  parseRequest,
  resultText,
} from "../../wallet/service/rpc.ts";
import type { DeskMethods } from "./local-methods.ts";

/** Bytes of the longest path that a socket can have (unix(7): 108 with its end). */
export const SOCKET_PATH_BYTES_MAX = 107;
const BODY_BYTES_MAX = 4 * 1024 * 1024;
const DEPTH_MAX = 100;
/** A service that does not answer by then exists, and is busy. */
const ANSWER_MS = 5_000;
const JSON_TYPE = { "content-type": "application/json-rpc" };

export interface LocalSocket {
  readonly path: string;
  stop(): Promise<void>;
}

/** Listens. @throws NodeError `wallet_served` when another process does, `socket_unusable` */
export async function serveLocally(path: string, admin: AdminParts, local: LocalParts): Promise<LocalSocket> {
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
    throw unusable(path, `a socket's path has at most ${SOCKET_PATH_BYTES_MAX} bytes`);
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Another user may have made it first.
  checkSocketFolder(dirname(path));
  await removeLeftover(path);
  const before = process.umask(0o177);
  let server: ReturnType<typeof Bun.serve>;
  try {
    server = Bun.serve({
      unix: path,
      maxRequestBodySize: BODY_BYTES_MAX,
      fetch: (request) => answer(request, admin, local),
    });
    chmodSync(path, 0o600);
  } catch (error) {
    throw unusable(path, reasonOf(error));
  } finally {
    process.umask(before);
  }
  return {
    path,
    async stop() {
      await server.stop(true);
      rmSync(path, { force: true });
    },
  };
}

async function answer(request: Request, admin: AdminParts, local: LocalParts): Promise<Response> {
  let id = "";
  try {
    if (request.method !== "POST") throw invalidRequest("only POST is supported");
    const call = parseRequest(await bodyOf(request), { depthMax: DEPTH_MAX });
    id = call.id;
    if (call.jsonrpc !== "2.0") throw invalidRequest("the API only supports JSON-RPC 2.0");
    const result = await run(call.method, call.params, admin, local);
    const json =
      result instanceof RawJson ? result.text : result === undefined ? undefined : JSON.stringify(result);
    return new Response(resultText(id, json), { headers: JSON_TYPE });
  } catch (error) {
    return new Response(errorText(id, adminErrorOf(error)), { status: 400, headers: JSON_TYPE });
  }
}

async function bodyOf(request: Request): Promise<string> {
  try {
    return await readBody(request, BODY_BYTES_MAX);
  } catch (error) {
    throw error instanceof ApiError ? internalError(error.message) : error;
  }
}

function run(method: string, params: unknown, admin: AdminParts, local: LocalParts): Promise<unknown> {
  if (Object.hasOwn(ADMIN_METHODS, method)) return ADMIN_METHODS[method]!(admin, params);
  if (method === "service.lock_wallet") return lockWallet(admin, params);
  if (!Object.hasOwn(deskMethods, method)) throw methodNotFound(`method "${method}" is not supported`);
  return deskMethods[method as keyof DeskMethods](local, params);
}

/** A socket of a process that was killed is taken away; one that answers is another service's. */
async function removeLeftover(path: string): Promise<void> {
  if (!checkSocket(path)) return;
  const isAnswered = await requestAnswer("http://wallet/", {
    unix: path,
    method: "POST",
    body: "{}",
    timeoutMs: ANSWER_MS,
  }).then(
    (answer) => answer.discard().then(() => true),
    // A process that holds the socket and says nothing has it all the same.
    (error: unknown) => (error as { name?: string }).name === "TimeoutError",
  );
  if (isAnswered) {
    throw new NodeError(
      "wallet.serve",
      "wallet_served",
      `another process serves the wallets of this home already (${path})`,
      "stop it, or use another --home",
    );
  }
  rmSync(path);
}

function unusable(path: string, why: string): NodeError {
  return new NodeError(
    "wallet.serve",
    "socket_unusable",
    `${path} cannot be used: ${why}`,
    "choose another --home",
  );
}

// The waiting requests, for a second terminal: it shows them in words, and answers.

interface LocalParts {
  /** Undefined where no person is asked. */
  readonly desk: ApprovalDesk | undefined;
  readonly status: Readonly<Record<string, unknown>>;
  /** Makes an address of the wallet's page. */
  pageLink(): string;
}

type DeskFunctions = {
  readonly [Method in keyof DeskMethods]: (
    parts: LocalParts,
    params: unknown,
  ) => Promise<DeskMethods[Method]["result"]>;
};

export const deskMethods: DeskFunctions = {
  "approvals.list": async ({ desk }) => ({ requests: (desk?.requests ?? []).map(shown) }),

  /** For a terminal that polls: of many long requests, only the one that is to be answered. */
  async "approvals.next"({ desk }) {
    const first = desk?.requests[0];
    return { request: first === undefined ? null : shown(first) };
  },

  "approvals.waits": async ({ desk }, value) => ({
    waits: desk?.get(new Params(value).text("id", "request")) !== undefined,
  }),

  async "approvals.outcome"({ desk }, value) {
    const outcome = desk?.lastOutcomeOf(new Params(value).text("id", "request"));
    return { outcome: outcome === undefined ? null : outcomeLine(outcome) };
  },

  "approvals.answer": answerRequest,

  "approvals.reject_all": async ({ desk }) => ({ rejected: desk?.rejectAll() ?? 0 }),

  "service.page_link": async ({ pageLink }) => ({ url: pageLink() }),

  "service.status": async ({ status, desk }) => ({ ...status, waiting: desk?.requests.length ?? 0 }),
};

async function answerRequest(
  { desk }: LocalParts,
  value: unknown,
): Promise<DeskMethods["approvals.answer"]["result"]> {
  const params = new Params(value);
  const id = params.text("id", "request");
  const request = desk?.get(id);
  if (request === undefined) throw invalidParams("the request does not wait any more");
  const decision = decisionOf(params, request);
  const reach = decision.outcome === "rejected" ? params.optionalText("reach") : "";
  if (reach === "site") await desk!.blockSiteOf(request);
  else if (reach === "all") desk!.rejectAll();
  else if (reach !== "") throw mismatch();
  return { answered: reach !== "" || desk!.answer(id, decision), kind: request.kind };
}

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
