/**
 * The wallet service: answers JSON-RPC requests of pages and programs
 * (docs/protocol/50-wallet-service.md#1-http-service to #3-methods). It knows no HTTP: what it needs of a request is in
 * `Caller`, and what goes back beside the body is in `Answer`.
 */

import { reasonOf } from "../../errors/node-error.ts";
import type { LoggedRequest } from "../policies/request-log.ts";
import type { UnlockedWallet } from "../unlocked-wallet.ts";
import { approvedOrThrow, rejected, rpcErrorOf, withoutAddresses } from "./failures.ts";
import { connectWallet, disconnectWallet, getChainId, listKeys } from "./methods.ts";
import { unlockedWallet } from "./open-wallets.ts";
import {
  errorText,
  internalError,
  invalidRequest,
  methodNotFound,
  parseRequest,
  RpcError,
  type RpcRequest,
  resultText,
  tokenError,
  tooMany,
} from "./rpc.ts";
import {
  AuthorizationHeader,
  Call,
  type Caller,
  type CallService,
  type Connection,
  type Method,
  OneTimeParams,
  type ServiceLimits,
  type ServiceParts,
} from "./running-call.ts";
import { hostnameOf, RateLimiter, siteOf } from "./sites.ts";
import type { ApiToken } from "./tokens.ts";
import { authorization, tokenIn } from "./tokens.ts";
import { checkTransaction, sendTransaction, signTransaction } from "./transactions.ts";

export interface Answer {
  readonly status: number;
  /** Undefined for a notification. */
  readonly body: string | undefined;
  /** The `Authorization` header: a new token, or the good one that came. */
  readonly authorization: string | undefined;
  readonly retryAfterSeconds?: number;
}

const SERVICE_LIMITS: ServiceLimits = {
  depthMax: 100,
  requests: { perSecond: 200, burst: 5_000 },
};

interface Incoming extends Omit<RpcRequest, "params"> {
  readonly definition: MethodEntry | undefined;
  readonly given: OneTimeParams;
}

interface MethodEntry {
  readonly run: Method;
  /** For the document. */
  readonly meaning: string;
  /** Reports an unforeseen failure. */
  readonly coarse: string;
  /** The others are not given any: they would keep them for as long as a person thinks. */
  readonly hasParams?: true;
}

export const METHODS: Readonly<Record<string, MethodEntry>> = {
  "client.check_transaction": {
    run: checkTransaction,
    meaning: "signs a transaction and has a node check it; nothing is sent",
    coarse: "could not check transaction",
    hasParams: true,
  },
  "client.connect_wallet": {
    run: connectWallet,
    meaning: "asks the user for a session; the token is in the header `Authorization`",
    coarse: "could not connect to the wallet",
  },
  "client.disconnect_wallet": {
    run: disconnectWallet,
    meaning: "ends the session",
    coarse: "could not disconnect from the wallet",
  },
  "client.get_chain_id": {
    run: getChainId,
    meaning: "tells the chain of the node",
    coarse: "could not get the chain ID from the node",
  },
  "client.list_keys": {
    run: listKeys,
    meaning: "tells the public keys that the session may use",
    coarse: "could not list the keys",
  },
  "client.send_transaction": {
    run: sendTransaction,
    meaning: "asks the user to sign a transaction, and sends it",
    coarse: "could not send transaction",
    hasParams: true,
  },
  "client.sign_transaction": {
    run: signTransaction,
    meaning: "asks the user to sign a transaction, and gives it back",
    coarse: "could not sign transaction",
    hasParams: true,
  },
};

/** Sorted. */
export const METHOD_NAMES: readonly string[] = Object.keys(METHODS).sort();

/** Time for which an epoch that was asked for counts as the running one in the log, milliseconds. */
const EPOCH_MS = 5_000;

export class WalletService implements CallService {
  private readonly limits: ServiceLimits;
  private readonly requests: RateLimiter;
  /** The running calls of each hostname. */
  private readonly running = new Map<string, Set<AbortController>>();
  private isLogBroken = false;
  private epoch: { readonly atMs: number; readonly value: Promise<bigint | undefined> } | undefined;

  constructor(readonly parts: ServiceParts) {
    this.limits = { ...SERVICE_LIMITS, ...parts.limits };
    this.requests = new RateLimiter(this.limits.requests, parts.nowMs);
  }

  /** Answers a body. Every failure is an answer. */
  answer(body: string, caller: Caller): Promise<Answer> {
    let request: RpcRequest;
    try {
      request = parseRequest(body, this.limits);
    } catch (error) {
      return Promise.resolve(failure("", rpcErrorOf(error, "the request cannot be read")));
    }
    const { jsonrpc, method, params, id } = request;
    const definition = Object.hasOwn(METHODS, method) ? METHODS[method]! : undefined;
    const given = new OneTimeParams(definition?.hasParams ? params : undefined);
    const answer = this.carryOut({ jsonrpc, method, id, definition, given }, caller);
    // A notification is carried out all the same, and keeps the token it earned.
    return id === "" ? answer.then((reply) => ({ ...reply, status: 204, body: undefined })) : answer;
  }

  /** Ends whatever a hostname has and does, at once. @returns how many sessions */
  async revokeHostname(hostname: string): Promise<number> {
    for (const controller of this.running.get(hostname) ?? []) controller.abort();
    return this.parts.sessions.endAll({ hostname }, true);
  }

  /** Ends whatever the site of a hostname has and does, and refuses it from now on. */
  async block(hostname: string): Promise<void> {
    const site = siteOf(hostname);
    const { blocked, sessions } = this.parts;
    await blocked?.block(site);
    const names = [...sessions.all.map((session) => session.hostname), ...this.running.keys()];
    for (const name of new Set(names)) if (siteOf(name) === site) await this.revokeHostname(name);
  }

  /** Counts a request that costs something. @throws RpcError with HTTP status 429 */
  count(hostname: string): void {
    const seconds = this.requests.acquire(hostname);
    if (seconds > 0) throw tooMany(`too many requests: try again in ${seconds} s`);
  }

  /** Notes a request in the log. A done request stays done where it cannot be noted. */
  record(entry: LoggedRequest): void {
    const { log, onTrouble } = this.parts;
    try {
      log.append(entry);
      this.isLogBroken = false;
    } catch (error) {
      if (!this.isLogBroken) onTrouble?.(`the log of requests cannot be written: ${reasonOf(error)}`);
      this.isLogBroken = true;
    }
  }

  /** The network's epoch as it was a moment ago, for the log; undefined when no node says. */
  async recentEpoch(ask: () => Promise<bigint>): Promise<bigint | undefined> {
    const { nowMs } = this.parts;
    if (this.epoch === undefined || nowMs() - this.epoch.atMs > EPOCH_MS) {
      this.epoch = { atMs: nowMs(), value: ask().catch(() => undefined) };
    }
    return this.epoch.value;
  }

  /** A wallet to work with; its passphrase is asked for when it is locked. */
  unlocked(name: string, call: Call, onRejected = rejected.connection): Promise<UnlockedWallet> {
    return unlockedWallet(this.parts, name, call, (decision) => approvedOrThrow(decision, onRejected));
  }

  private async carryOut(
    { jsonrpc, method, id, definition, given }: Incoming,
    caller: Caller,
  ): Promise<Answer> {
    const echo = new AuthorizationHeader();
    let call: Call | undefined;
    try {
      if (jsonrpc !== "2.0") throw invalidRequest("the API only supports JSON-RPC 2.0");
      if (method === "") throw invalidRequest("the method is required");
      if (definition === undefined) throw unknownMethod(method);
      const hostname = hostnameOf(caller.origin, caller.referer);
      const session = await this.recognise(caller, hostname, echo);
      call = new Call(this, this.running, { given, hostname, caller, echo, connection: session });
      const body = resultText(id, await definition.run(call));
      return { status: 200, body, authorization: echo.header };
    } catch (thrown) {
      const error = call?.reasonToStop ?? thrown;
      if (!(error instanceof RpcError) && process.env.LYRA_DEBUG) console.error(error);
      const said = withoutAddresses(rpcErrorOf(error, definition?.coarse ?? "the request failed"));
      return failure(id, said, echo.header);
    } finally {
      call?.close();
    }
  }

  /**
   * A good token is echoed on every answer, whatever the method, and whatever comes of it: the published client
   * drops its token when an answer has none (docs/protocol/50-wallet-service.md#25-the-public-client).
   * @returns the connection of the token, or the failure of a wrong one
   */
  private async recognise(
    caller: Caller,
    hostname: string,
    echo: AuthorizationHeader,
  ): Promise<Connection | RpcError> {
    const { sessions } = this.parts;
    try {
      const token = tokenIn(caller.authorization);
      const session = sessions.find(token);
      if (session === undefined) {
        const { id, wallet } = await this.tokenOf(caller);
        echo.set(authorization(token));
        return { kind: "token", id, wallet };
      }
      if (session.hostname !== hostname) {
        return tokenError(
          "the hostname from the request does not match the one that initiated the connection",
        );
      }
      // Not when it ended meanwhile: the client would go on with a token that is good for nothing.
      echo.set(authorization(token), () => sessions.isOpen(session));
      return { kind: "session", session, wallet: session.wallet };
    } catch (error) {
      return error instanceof RpcError ? error : internalError("the tokens cannot be read");
    }
  }

  /** A program's token. @throws RpcError -32003 for an unknown or expired one */
  async tokenOf({ authorization: header }: Caller): Promise<ApiToken> {
    const { tokens, wallMs } = this.parts;
    const session = await tokens?.find(tokenIn(header), wallMs());
    if (session !== undefined) return session;
    throw tokenError("there is no connection associated to this authentication token");
  }

  /** Counts a request with a wrong token. @throws RpcError what is wrong with it, or HTTP status 429 */
  refuse(error: RpcError, hostname: string): never {
    this.count(hostname);
    throw error;
  }
}

function unknownMethod(method: string): RpcError {
  return method.startsWith("admin.")
    ? methodNotFound("administrative endpoints are not exposed, for security reasons")
    : methodNotFound(`method "${method}" is not supported`);
}

const STATUS: Readonly<Record<number, number>> = {
  [-32000]: 429,
  [-32002]: 401,
  [-32003]: 401,
  [-32603]: 500,
};

function failure(id: string, error: RpcError, header?: string): Answer {
  const status = error.status ?? STATUS[error.code] ?? 400;
  const seconds = status === 429 ? Number(/(\d+) s$/.exec(error.data)?.[1] ?? 1) : undefined;
  return {
    status,
    body: errorText(id, error),
    authorization: status === 401 ? undefined : header,
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  };
}
