// Whether the simulated Ethereum has lost what this chain has seen of it: calls on it would be answered, and count for nothing.

import { builtinTxHash } from "../engine/banking.ts";
import type { Domains } from "../engine/domains.ts";
import type { SimulatorState } from "../ethereum/bridge-simulator.ts";

/** Events after the last one that are looked for: not each is a deposit of a builtin asset. */
const NONCES_LOOKED_AT = 64n;

type Seen = Pick<Domains, "banking" | "staking" | "multisig">;

/** Of two thirds of the validators, so that none of them alone can say so. @param state of the simulated Ethereum */
export function lostEvents(state: string, { banking, staking, multisig }: Seen): string | undefined {
  const { blocks, builtinNonce } = JSON.parse(state) as Pick<SimulatorState, "blocks" | "builtinNonce">;
  const places = new Set(banking.actions.seenPlaces());
  const { signers, threshold } = multisig.known();
  let seen = 0n;
  for (const place of places) seen = later(seen, blockOf(place));
  for (const { block } of [...staking.acceptedLinkings(), ...signers, ...(threshold ? [threshold] : [])])
    seen = later(seen, block);
  const last = BigInt(blocks.block);
  if (seen > last) return `the chain has seen its block ${seen}, and its last one is ${last}`;
  for (let ahead = 1n; ahead <= NONCES_LOOKED_AT; ahead++) {
    const nonce = BigInt(builtinNonce) + ahead;
    if (places.has(`builtin/0/${builtinTxHash(nonce)}/0`))
      return `the chain has seen its event ${nonce}, and its last one is ${builtinNonce}`;
  }
  return undefined;
}

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** The Ethereum block in `erc20/block/hash/log`. */
function blockOf(place: string): bigint {
  const [, block = ""] = place.split("/");
  return /^\d{1,18}$/.test(block) ? BigInt(block) : 0n;
}
