// Attributes of a transaction that the consensus engine indexes: its sender, its command, and the command's subject.
import { type CheckedTransaction, readTrusted } from "./transaction-check.ts";
import { COMMANDS } from "./transaction-commands.ts";
import { PropertyErrors } from "./validate/check.ts";

/** Indexed attributes of a transaction, each with its event's name in front: `command.type`. */
export type Attributes = readonly (readonly [name: string, value: string])[];

/** The attributes of a readable transaction. */
export function attributesOf({
  bytes,
  hash,
}: {
  readonly bytes: Uint8Array;
  readonly hash: string;
}): Attributes {
  let tx: CheckedTransaction | PropertyErrors;
  try {
    tx = readTrusted(bytes, hash.toLowerCase());
  } catch {
    return [];
  }
  return tx instanceof PropertyErrors ? [] : attributesOfChecked(tx);
}

/** The same of a transaction that was read before. */
export function attributesOfChecked(tx: CheckedTransaction): Attributes {
  const payload = tx.payload as unknown as { readonly [name: string]: unknown };
  const text = (name: string) => (typeof payload[name] === "string" ? (payload[name] as string) : "");
  const named = NAMED[tx.kind] ?? [];
  const more = named.flatMap(([name, member]): [string, string][] =>
    text(member) === "" ? [] : [[`command.${name}`, text(member)]],
  );
  return [["tx.submitter", tx.party], ["command.type", COMMANDS[tx.kind].displayName], ...more];
}

/** The same as events of the consensus engine, which has the name of each in front of its attributes. */
export function eventsOf(attributes: Attributes) {
  const events: { type: string; attributes: { key: string; value: string; index: boolean }[] }[] = [];
  for (const [name, value] of attributes) {
    const dot = name.indexOf(".");
    const type = name.slice(0, dot);
    let event = events.find((each) => each.type === type);
    if (event === undefined) {
      event = { type, attributes: [] };
      events.push(event);
    }
    event.attributes.push({ key: name.slice(dot + 1), value, index: true });
  }
  return events;
}

type Named = readonly (readonly [attribute: string, member: string])[];
const MARKET: Named = [["market", "marketId"]];
const REFERENCE: Named = [["reference", "reference"]];
const NAMED: { readonly [K in CheckedTransaction["kind"]]?: Named } = {
  orderSubmission: [...MARKET, ...REFERENCE],
  orderCancellation: MARKET,
  orderAmendment: MARKET,
  liquidityProvisionSubmission: [...MARKET, ...REFERENCE],
  liquidityProvisionAmendment: [...MARKET, ...REFERENCE],
  liquidityProvisionCancellation: MARKET,
  transfer: [["asset", "asset"], ...REFERENCE],
  withdrawSubmission: [["asset", "asset"]],
  proposalSubmission: REFERENCE,
  nodeVote: REFERENCE,
  voteSubmission: [["proposal", "proposalId"]],
};
