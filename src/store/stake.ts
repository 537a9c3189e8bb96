// Stake of a party: what its accepted linkings come to (docs/protocol/60-state-engine-staking.md#8-transfers-and-rewards).
import type { Database } from "bun:sqlite";
import { readStakeLinkingAt, StakeLinkingStatus, StakeLinkingType } from "../wire/generated/events.ts";

/** Linkings in their latest state; the party is `c.party`. */
export const CURRENT_LINKINGS =
  "stake_linkings_current c CROSS JOIN stake_linkings s ON s.block = c.block AND s.id = c.id";

/** @param party reference of its identifier @returns undefined for a party without linkings */
export function stakeOf(db: Database, party: number): bigint | undefined {
  let stake: bigint | undefined;
  const rows = db.query(`SELECT s.data FROM ${CURRENT_LINKINGS} WHERE c.party = ?`).iterate(party);
  for (const { data } of rows as Iterable<{ data: Uint8Array }>) {
    const { type, status, amount } = readStakeLinkingAt(data, 0, data.length);
    stake ??= 0n;
    if (status !== StakeLinkingStatus.STATUS_ACCEPTED) continue;
    if (type === StakeLinkingType.TYPE_LINK) stake += BigInt(amount);
    if (type === StakeLinkingType.TYPE_UNLINK) stake -= BigInt(amount);
  }
  return stake;
}
