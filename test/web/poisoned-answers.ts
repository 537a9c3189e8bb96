// Runs in a tab before the page's own scripts: replaces every free text of an answer by a hostile one.
import { Poison } from "./hostile-texts.ts";

const { poisonFrom } = globalThis as unknown as { readonly poisonFrom: number };
const poison = new Poison(poisonFrom);
Object.assign(globalThis, { poison });

/** All that carries texts of a chain; the schema of commands is the executable's own. */
const POISONED = /^\/(?:api|lyra\/v1(?!\/addresses)|devnet(?!\/commands))\//;
const honestFetch = globalThis.fetch;
async function poisonedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await honestFetch(input, init);
  if (!POISONED.test(new URL(response.url).pathname)) return response;
  const text = JSON.stringify(poison.of(await response.json()));
  return new Response(text, { status: response.status, headers: response.headers });
}
globalThis.fetch = Object.assign(poisonedFetch, honestFetch);
