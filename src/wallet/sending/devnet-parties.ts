// Names of a devnet's parties, for recipients.

import { requestAnswer } from "../../fetch/answer.ts";
import type { NamedKey } from "../units.ts";

const ANSWER_BYTES_MAX = 1024 * 1024;
const ANSWER_MS = 2_000;
const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/|$)/i;

/**
 * Parties of a devnet on this machine; empty for every other node. Names are not asked of nodes elsewhere: such a node could
 * put its own key behind a name.
 */
export async function partiesOf(host: string): Promise<readonly NamedKey[]> {
  if (!LOOPBACK.test(host)) return [];
  try {
    const answer = await requestAnswer(`${host}/devnet/parties`, { timeoutMs: ANSWER_MS });
    if (!answer.isOk) {
      await answer.discard();
      return [];
    }
    const { parties } = JSON.parse(await answer.text(ANSWER_BYTES_MAX)) as { parties?: unknown };
    return Array.isArray(parties) ? parties.flatMap(keyOf) : [];
  } catch {
    return [];
  }
}

function keyOf(party: unknown): NamedKey[] {
  const { name, publicKey } = (party ?? {}) as { name?: unknown; publicKey?: unknown };
  if (typeof name !== "string" || typeof publicKey !== "string" || !/^[0-9a-f]{64}$/.test(publicKey))
    return [];
  return [{ name, publicKey, origin: "this devnet" }];
}
