// The faucet as an Elysia application: free units of built-in assets for whoever asks (reference 60, section 3.5).
import { Elysia } from "elysia";
import { ChainCallError } from "../../engine/chain-port.ts";
import { docsPlugin } from "../../http/docs.ts";
import { ApiError } from "../../http/errors.ts";
import { ANY_HOST, readBody, retryAfter } from "../../http/http.ts";
import { ServerStatus } from "../../http/status.ts";
import { rfc3339Nano } from "../../wire/time-text.ts";
import { DAMAGED, noteFailure } from "../data/app.ts";
import { CoolDown, isExempt } from "./cool-down.ts";
import { checkAsset, MintRefusal, readMint } from "./mint.ts";
import type { FaucetPort } from "./port.ts";

const COOL_DOWN_MS = 60_000;
const BODY_BYTES_MAX = 4 * 1024;
const CORS = { "access-control-allow-origin": "*" };

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
  const mint = async (request: Request): Promise<Response> => {
    if (status.isDamaged) throw DAMAGED;
    const { party, asset, amount } = readMint(await readBody(request, BODY_BYTES_MAX));
    checkAsset(await port.asset(asset), amount);
    const mustWait = !isExempt(options.addressOf?.(request));
    if (mustWait) checkCoolDown(coolDown, party, asset);
    try {
      await port.deposit(party, asset, amount);
    } catch (error) {
      if (mustWait) coolDown.takeBack(party, asset);
      throw error;
    }
    return answer(200, { success: true });
  };
  const app = new Elysia({ name: "faucet", strictPath: true, precompile: true, handler: ANY_HOST });
  app.get("/api/v1/health", () => answer(200, { success: true }));
  app.post("/api/v1/mint", ({ request }) => mint(request), { parse: "none" });
  app.all("/api/v1/health", () => notAllowed("GET"), { parse: "none" });
  app.all("/api/v1/mint", ({ request }) => preflightOr405(request), { parse: "none" });
  app.use(
    docsPlugin({ signposts: ["/"], parts: async () => (await import("./openapi.ts")).faucetDocument() }),
  );
  app.all("/*", () => answer(404, { error: "not found" }), { parse: "none" });
  app.onError(({ error }) => failed(status, error));
  return app;
}

function notAllowed(allow: string): Response {
  return Response.json({ error: "method not allowed" }, { status: 405, headers: { ...CORS, allow } });
}

function preflightOr405(request: Request): Response {
  if (request.method !== "OPTIONS") return notAllowed("POST");
  const headers = {
    ...CORS,
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
  coolDown.begin(party, asset);
}

function answer(status: number, body: object): Response {
  return Response.json(body, { status, headers: { ...CORS, ...retryAfter(status) } });
}

function failed(status: ServerStatus, error: unknown): Response {
  if (error instanceof MintRefusal) return answer(error.status, { error: error.message });
  if (error instanceof ApiError) return answer(error.status, { error: error.message });
  if (error instanceof ChainCallError) return answer(500, { error: error.message });
  const told = noteFailure(status, error);
  return answer(told.status, { error: told === DAMAGED ? told.message : "the network could not be asked" });
}
