/** Money in recorded events: whose accounts they are, and which movements are those of markets. */
import { TransferType } from "../wire/generated/vega.ts";
import { isOfBlock, type RecordedBlock, type RecordedEvent } from "./recorded-blocks.ts";

/** Type of general accounts. */
export const GENERAL = 4;
/** Insurance, settlement, margin, liquidity fees, bond, maker fees. */
const MARKET_ACCOUNTS: ReadonlySet<number> = new Set([1, 2, 3, 6, 7, 9]);
/** Paid by parties to trades, and to no account of a market; with transfers, too, but together with these. */
const { TRANSFER_TYPE_INFRASTRUCTURE_FEE_PAY: INFRASTRUCTURE_FEE } = TransferType;

/** Of a movement; also one of the accounts that it names. */
export type LedgerEntry = RecordedEvent["payload"];

export const entriesOf = (payload: RecordedEvent["payload"]): LedgerEntry[] =>
  payload.ledgerMovements.flatMap(({ entries }: { entries: LedgerEntry[] }) => entries);

/** Movements of markets have an account of one in them, or are that fee of trades which goes to no market alone. */
export const isOfMarkets = (entries: readonly LedgerEntry[]): boolean =>
  entries.some(
    ({ fromAccount, toAccount }) =>
      MARKET_ACCOUNTS.has(fromAccount?.type) || MARKET_ACCOUNTS.has(toAccount?.type),
  ) || entries.every(({ type }) => type === INFRASTRUCTURE_FEE);

export const isParty = (owner: string | undefined): boolean =>
  owner !== undefined && /^[0-9a-f]{64}$/.test(owner);

/** Of a general account. */
export const accountKey = (owner: string, asset: string): string => JSON.stringify([owner, asset]);

/** Balances of other accounts are the other domains' affair. */
export const isKept = (account: LedgerEntry): boolean =>
  MARKET_ACCOUNTS.has(account?.type) || account?.type === GENERAL;

/** Whether no transaction, and no movement of the block's own, has led to a balance. */
export function isSetAlone(block: RecordedBlock, account: RecordedEvent["payload"], tx: string): boolean {
  if (!isOfBlock(block, tx)) return false;
  const { owner, asset, balance } = account;
  const isIts = (of: LedgerEntry, now: string) =>
    of?.type === GENERAL && of.owner === owner && of.assetId === asset && now === balance;
  const leads = (entry: LedgerEntry) =>
    isIts(entry.fromAccount, entry.fromAccountBalance) || isIts(entry.toAccount, entry.toAccountBalance);
  return !block.events.some(
    ({ member, payload, tx: of }) =>
      member === "ledgerMovements" && of === tx && entriesOf(payload).some(leads),
  );
}
