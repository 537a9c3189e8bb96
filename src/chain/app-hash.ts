/**
 * The application hash: a commitment to all that a chain goes on from, and to nothing else: the state, admission's part of
 * it included, and where the chain stands. It has no history: a state that was executed, loaded, taken back or
 * synchronised has the same (docs/decisions/037-application-hash.md).
 */
import { sha256Of } from "../crypto/sha.ts";
import type { State } from "../engine/state.ts";
import type { ChainPoint } from "./chain-store.ts";

const FORMAT = "lyra-state-1";

/** Where a chain stands, without the hash of its state. */
export type Place = Omit<ChainPoint, "appHash">;

/** Lower-case hex. The state's changes must be taken. */
export function appHashOf(state: State, place: Place): string {
  return appHashFrom(state.digest(), place);
}

/** @param digest of the state's entries */
export function appHashFrom(digest: string, place: Place): string {
  const { height, hash, timeNs, previousTimeNs, txs, blockEvents, ledgerEntries, events } = place;
  const members = [height, hash, timeNs, previousTimeNs, txs, blockEvents, ledgerEntries, events];
  return sha256Of(`${FORMAT}\n${digest}\n${members.join("\n")}`, new Uint8Array(32)).toHex();
}
