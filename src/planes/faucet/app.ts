// The faucet as an Elysia application: free units of built-in assets for every caller
// (docs/protocol/60-state-engine-accounts.md#35-faucet-http-service-builtin-assets).
import { ChainCallError } from "../../engine/chain-port.ts";
import { NodeError } from "../../errors/node-error.ts";
import { DAMAGED, noteFailure } from "../../http/answers.ts";
import type { CorsPolicy } from "../../http/cors.ts";
import { docsPlugin } from "../../http/docs.ts";
import { ApiError } from "../../http/errors.ts";
import { listen, retryAfter, splitUrl, stopServer, urlOf } from "../../http/http.ts";
import { originOf } from "../../http/origin.ts";
import { httpPlugin, jsonBody, RAW } from "../../http/plugin.ts";
import { parseBody, parsePairs } from "../../http/query.ts";
import { ServerStatus } from "../../http/status.ts";
import { checkMembers, checkParameters } from "../../http/strict.ts";
import { rfc3339Nano } from "../../wire/time-text.ts";
import {
  CoolDown,
  checkAsset,
  type FaucetPort,
  isExempt,
  MintRefusal,
  type MintRequest,
  mintOf,
} from "./mint.ts";
import { HEALTH, MINT, MODELS } from "./route-documents.ts";

const COOL_DOWN_MS = 60_000;
const BODY_BYTES_MAX = 4 * 1024;
const BODY_DEPTH_MAX = 16;
/** Every caller may read the answers, a page or not. A preflight is answered by the route that it is for. */
const EVERY_CALLER: CorsPolicy = {
  headers: () => ({ "access-control-allow-origin": "*" }),
  preflight: () => undefined,
};

interface FaucetOptions {
  /** Time of this machine, Unix milliseconds. */
  nowMs(): number;
  /** Address of a request's sender; undefined where there is no socket. */
  addressOf?(request: Request): string | undefined;
  readonly coolDownMs?: number;
  /** That of the data plane: nothing is given away over a damaged store. */
  readonly status?: ServerStatus;
}

export function faucetApp(port: FaucetPort, options: FaucetOptions) {
  const coolDown = new CoolDown(options.coolDownMs ?? COOL_DOWN_MS, () => options.nowMs());
  const { status = new ServerStatus() } = options;
  const mint = async ({ party, asset, amount }: MintRequest, request: Request) => {
    checkAsset(await port.asset(asset), amount);
    const mustWait = !isExempt(options.addressOf?.(request));
    if (mustWait) checkCoolDown(coolDown, party, asset);
    try {
      await port.deposit(party, asset, amount);
    } catch (error) {
      if (mustWait) coolDown.cancel(party, asset);
      throw error;
    }
    return { success: true };
  };
  const app = httpPlugin({
    name: "faucet",
    cors: EVERY_CALLER,
    onError: (error) => failed(status, error),
  });
  // Before the form of a request: whatever it asks for, a damaged store gives nothing away.
  const reading = jsonBody(BODY_BYTES_MAX, (body) => {
    if (status.isDamaged) throw DAMAGED;
    return parseBody(body, BODY_DEPTH_MAX);
  });
  app
    .model(MODELS)
    .get(HEALTH_PATH, () => ({ success: true }), HEALTH)
    .all(HEALTH_PATH, () => notAllowed("GET, HEAD"), RAW)
    .post(
      MINT_PATH,
      ({ body, request }) => {
        const pairs = parsePairs(splitUrl(request.url).query);
        checkParameters(pairs, () => []);
        checkMembers(pairs, body, ["party", "amount", "asset"]);
        return mint(mintOf(body), request);
      },
      { ...MINT, ...reading },
    )
    .options(MINT_PATH, ({ request }) => mintPreflight(request), RAW)
    .all(MINT_PATH, () => notAllowed("POST"), RAW);
  app.use(
    docsPlugin({
      signposts: ["/"],
      app,
      parts: async () => (await import("./documentation.ts")).parts(),
      examples: async (paths) => (await import("./documentation.ts")).completed(paths),
    }),
  );
  app.all("/*", () => answer(404, { error: "not found" }), RAW);
  return app;
}

const HEALTH_PATH = "/api/v1/health";
const MINT_PATH = "/api/v1/mint";

function notAllowed(allow: string): Response {
  return Response.json({ error: "method not allowed" }, { status: 405, headers: { allow } });
}

/** Also an `OPTIONS` that is not a preflight. */
function mintPreflight(request: Request): Response {
  const headers = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "*",
  };
  return new Response(null, { status: 204, headers });
}

/** @throws MintRefusal 403 */
function checkCoolDown(coolDown: CoolDown, party: string, asset: string): void {
  const untilMs = coolDown.waitsUntil(party, asset);
  if (untilMs !== undefined) {
    const until = rfc3339Nano(BigInt(Math.ceil(untilMs)) * 1_000_000n);
    const text = `rate-limited (minting for party ${party} and asset ${asset.slice(0, 100)}) until ${until}`;
    throw new MintRefusal(403, text);
  }
  coolDown.start(party, asset);
}

function answer(status: number, body: object): Response {
  return Response.json(body, { status, headers: retryAfter(status) });
}

function failed(status: ServerStatus, error: unknown): Response {
  if (error instanceof MintRefusal) return answer(error.status, { error: error.message });
  if (error instanceof ApiError) return answer(error.status, { error: error.message });
  if (error instanceof ChainCallError) return answer(500, { error: error.message });
  const failure = noteFailure(status, error);
  return answer(failure.status, {
    error: failure === DAMAGED ? failure.message : "the network could not be asked",
  });
}

// The faucet on a port, on this machine alone: it gives without limit to every caller.

/** Bodies up to this are read, and refused with an error object; of a larger one nothing is read (a bare 413). */
const BODY_READ_BYTES_MAX = 64 * 1024;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;

interface FaucetServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Time of this machine, Unix milliseconds. */
  nowMs(): number;
  /** That of the data plane. */
  readonly status?: ServerStatus;
  /** Must be said for any other host than loopback. */
  readonly allowRemote?: boolean;
}

interface FaucetServer {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** Listens. @throws NodeError `not_loopback`, `port_in_use`, `cannot_listen` */
export function serveFaucet(faucet: FaucetPort, options: FaucetServerOptions): FaucetServer {
  const { host, port, status, allowRemote = false } = options;
  if (!allowRemote && !LOOPBACK.test(host)) {
    throw new NodeError(
      "serve",
      "not_loopback",
      `the faucet gives money to anyone who reaches it, and ${host} can be reached from other machines`,
      "leave it on 127.0.0.1, or allow it with its own flag",
    );
  }
  const addressOf = (request: Request) => server.requestIP(originOf(request))?.address;
  const app = faucetApp(faucet, { nowMs: () => options.nowMs(), addressOf, ...(status && { status }) });
  const listening = { host, port, bodyBytesMax: BODY_READ_BYTES_MAX, portFlag: "--faucet-port" };
  const server = listen(listening, app.fetch);
  options.status?.noteListening({ name: "faucet", host, port: server.port! });
  return { port: server.port!, url: urlOf(host, server.port!), stop: () => stopServer(server) };
}
