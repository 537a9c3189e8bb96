/** Events as statements that can be compared: what each is about, and its whole text. */
import type { FieldDifference } from "./difference.ts";
import type { RecordedEvent } from "./recorded-blocks.ts";
import { entriesOf, isKept, isOfMarkets } from "./recorded-money.ts";

/** An event, and how to find the other chain's. */
export interface Statement {
  readonly subject: string;
  /** The whole payload. */
  readonly text: string;
  readonly event: RecordedEvent;
}

/** Statements of a block by kind, in order. */
export type Said = Map<string, Statement[]>;

export const short = (id: string | undefined) =>
  id === undefined || id === "" ? "the network" : id.slice(0, 8);

/** Members that are compared, with what they are about. */
const SUBJECTS: Readonly<Record<string, (payload: RecordedEvent["payload"]) => string>> = {
  order: ({ id, status }) => `order ${short(id)} of status ${status}`,
  trade: ({ id, buyer, seller }) => `trade ${short(id)} of ${short(buyer)} and ${short(seller)}`,
  settlePosition: ({ marketId, partyId }) => `${short(partyId)} on ${short(marketId)}`,
  settleDistressed: ({ marketId, partyId }) => `${short(partyId)} on ${short(marketId)}`,
  distressedOrders: ({ marketId }) => `market ${short(marketId)}`,
  distressedPositions: ({ marketId }) => `market ${short(marketId)}`,
  lossSocialization: ({ marketId, partyId }) => `${short(partyId)} on ${short(marketId)}`,
  settleMarket: ({ marketId }) => `market ${short(marketId)}`,
  liquidityProvision: ({ id, status }) => `provision ${short(id)} of status ${status}`,
  marginLevels: ({ marketId, partyId }) => `${short(partyId)} on ${short(marketId)}`,
  positionStateEvent: ({ marketId, partyId }) => `${short(partyId)} on ${short(marketId)}`,
  auction: ({ marketId, leave }) => `auction of ${short(marketId)} ${leave ? "left" : "held"}`,
  oracleData: ({ externalData }) => `data ${JSON.stringify(externalData.data.data)}`,
  marketData: ({ market }) => `market ${short(market)}`,
  marketTick: ({ id }) => `market ${short(id)}`,
  marketCreated: ({ id }) => `market ${short(id)}`,
  marketUpdated: ({ id, state }) => `market ${short(id)} in state ${state}`,
};
export const LEDGER = "ledgerEntry";

type EventSeen = Omit<RecordedEvent, "tx"> & { readonly tx?: string };

/**
 * @param lastOnly kinds of which the last event about a subject counts
 * @param foreign markets whose movements are left out
 */
export function saidOf(
  events: readonly EventSeen[],
  lastOnly: ReadonlySet<string>,
  foreign: ReadonlySet<string> = new Set(),
): Said {
  const said: Said = new Map();
  const add = (kind: string, subject: string, event: RecordedEvent) => {
    let statements = said.get(kind) ?? [];
    if (lastOnly.has(kind)) statements = statements.filter((before) => before.subject !== subject);
    statements.push({ subject, text: textOf(event.payload), event });
    said.set(kind, statements);
  };
  for (const { member, payload, tx = "" } of events) {
    const subject = SUBJECTS[member]?.(payload);
    if (subject !== undefined) add(member, subject, { member, payload, tx });
    if (member !== "ledgerMovements") continue;
    const entries = entriesOf(payload);
    if (!isOfMarkets(entries)) continue;
    const accounts = entries.flatMap(({ fromAccount, toAccount }) => [fromAccount, toAccount]);
    if (accounts.some((account) => foreign.has(account?.marketId))) continue;
    for (const { type, amount, fromAccount, toAccount, ...rest } of entries) {
      const subjectOfEntry = `type ${type} ${short(fromAccount?.owner)} to ${short(toAccount?.owner)}`;
      const entry = { type, amount, fromAccount, toAccount, ...rest };
      if (!isKept(fromAccount)) delete entry.fromAccountBalance;
      if (!isKept(toAccount)) delete entry.toAccountBalance;
      add(LEDGER, subjectOfEntry, { member, payload: entry, tx });
    }
  }
  return said;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? part.toString() : part));
}

/** Every field in which two payloads differ. */
export function differingFields(recorded: unknown, executed: unknown, path = ""): FieldDifference[] {
  const isNested =
    typeof recorded === "object" && typeof executed === "object" && recorded !== null && executed !== null;
  if (!isNested) {
    const [a, b] = [textOf(recorded) ?? "absent", textOf(executed) ?? "absent"];
    return a === b ? [] : [{ path, recorded: a, made: b }];
  }
  const names = new Set([...Object.keys(recorded), ...Object.keys(executed)]);
  const at = (value: object, name: string) => (value as Record<string, unknown>)[name];
  return [...names].flatMap((name) =>
    differingFields(at(recorded, name), at(executed, name), path === "" ? name : `${path}.${name}`),
  );
}
