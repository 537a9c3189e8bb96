/**
 * The channel that only the local user reaches: a Unix socket with mode 0600 in a folder with mode 0700. Over it go
 * the administrative methods, and the approvals that a second terminal answers. One JSON-RPC request for each POST.
 */
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { checkSocket, checkSocketFolder } from "../../wallet/keystore/guard.ts";
import { ADMIN_METHODS, adminErrorOf } from "../../wallet/service/admin/admin.ts";
import type { AdminParts } from "../../wallet/service/admin/shared.ts";
import { RawJson } from "../../wallet/service/admin/transactions.ts";
import { lockWallet } from "../../wallet/service/admin/wallets.ts";
import {
  errorText,
  invalidRequest,
  methodNotFound,
  parseRequest,
  resultText,
} from "../../wallet/service/rpc.ts";
import { deskMethods, type LocalParts } from "./desk-methods.ts";

/** Bytes of the longest path that a socket can have (unix(7): 108 with its end). */
export const SOCKET_PATH_BYTES_MAX = 107;
const BODY_BYTES_MAX = 4 * 1024 * 1024;
const DEPTH_MAX = 100;
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
    const call = parseRequest(await request.text(), { depthMax: DEPTH_MAX });
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

function run(method: string, params: unknown, admin: AdminParts, local: LocalParts): Promise<unknown> {
  if (Object.hasOwn(ADMIN_METHODS, method)) return ADMIN_METHODS[method]!(admin, params);
  if (method === "service.lock_wallet") return lockWallet(admin, params);
  const known = Object.hasOwn(deskMethods, method) ? deskMethods[method] : undefined;
  if (known === undefined) throw methodNotFound(`method "${method}" is not supported`);
  return known(local, params);
}

/** A socket of a process that was killed is taken away; one that answers is another service's. */
async function removeLeftover(path: string): Promise<void> {
  if (!checkSocket(path)) return;
  const isAnswered = await fetch("http://wallet/", { unix: path, method: "POST", body: "{}" }).then(
    () => true,
    () => false,
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
