// Runs in a tab before the page's own scripts: replaces every free text of an answer by a hostile one.
import type { StatusBody } from "../../src/http/status-body.ts";
import { Poison } from "./hostile-texts.ts";

const { poisonFrom } = globalThis as unknown as { readonly poisonFrom: number };
const poison = new Poison(poisonFrom);
Object.assign(globalThis, { poison });

/** All that carries texts of a chain or of its nodes; the schema of commands is the executable's own. */
const POISONED = /^\/(?:(?:api|lyra\/v1(?!\/addresses)|devnet(?!\/commands)|statistics)\/|status$)/;
const since = "2026-01-05T09:40:00Z";
/** Members that a devnet's status does not have. */
const STATUS: Partial<StatusBody> = {
  ready: false,
  reason: "a reason",
  haltedMarkets: [{ market: "a market", height: 1, step: "a step" }],
  sources: [{ kind: "comet", state: "stopped", text: "a log line", height: 1, since }],
};
const honestFetch = globalThis.fetch;
async function poisonedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await honestFetch(input, init);
  const { pathname } = new URL(response.url);
  if (!POISONED.test(pathname)) return response;
  const answer = await response.json();
  const text = JSON.stringify(poison.of(pathname === "/status" ? { ...answer, ...STATUS } : answer));
  return new Response(text, { status: response.status, headers: response.headers });
}
globalThis.fetch = Object.assign(poisonedFetch, honestFetch);
