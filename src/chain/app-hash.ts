/**
 * The application hash: a commitment to all that a chain goes on from, and to nothing else: the state, admission's part of
 * it included, and where the chain stands. It has no history: a state that was executed, loaded, taken back or
 * synchronised has the same (docs/decisions/037-application-hash.md).
 */
import { sha256Of } from "../crypto/sha.ts";
import type { State } from "../engine/state.ts";
import type { ChainPoint } from "./chain-store.ts";

const FORMAT = "lyra-state-1";

/** Lower-case hex. The state's changes must be taken. */
export function appHashOf(state: State, point: Omit<ChainPoint, "appHash">): string {
  const { height, hash, timeNs, previousTimeNs, txs, blockEvents, ledgerEntries, events } = point;
  const place = [height, hash, timeNs, previousTimeNs, txs, blockEvents, ledgerEntries, events];
  return sha256Of(`${FORMAT}\n${state.digest()}\n${place.join("\n")}`, new Uint8Array(32)).toHex();
}
