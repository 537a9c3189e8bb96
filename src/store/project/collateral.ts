// Accounts, balances, ledger entries, parties, assets, deposits, withdrawals, transfers
// (docs/protocol/60-state-engine-parameters.md#142-mapping).

import type { Database } from "bun:sqlite";
import { type BlockEvent, Field } from "../../wire/block.ts";
import type { Init } from "../../wire/codec.ts";
import {
  type LedgerMovements,
  readLedgerMovementsAt,
  readTransferAt,
  type Transfer,
} from "../../wire/generated/events.ts";
import type { Account, AccountDetails } from "../../wire/generated/vega.ts";
import {
  readAccountAt,
  readAssetAt,
  readDepositAt,
  readPartyAt,
  readWithdrawalAt,
} from "../../wire/generated/vega.ts";
import type { StoredAmount } from "../amount.ts";
import { idBytes, storedAmount } from "../field.ts";
import type { AccountFields, AccountKey } from "../ids.ts";
import { TransferRows } from "../transfers.ts";
import { assetChecks, depositChecks, type FieldChecks, transferChecks, withdrawalChecks } from "./checks.ts";
import {
  append,
  type BlockContext,
  insertOnce,
  microseconds,
  on,
  type Projection,
  payload,
  upsert,
} from "./context.ts";

const ACCOUNT: AccountFields = { owner: "owner", asset: "asset", market: "market_id" };
const FROM_ACCOUNT = accountFields("ledger_movements.entries.from_account");
const TO_ACCOUNT = accountFields("ledger_movements.entries.to_account");

function accountFields(path: string): AccountFields {
  return { owner: `${path}.owner`, asset: `${path}.asset_id`, market: `${path}.market_id` };
}

/** Balance of an account after the events so far; a text where it will most likely not be the last of the block. */
interface Touched {
  readonly partyNo: number;
  balance: StoredAmount | string;
  tx: number;
}

/**
 * Balances: one row for each account and block, the last value of the block
 * (docs/protocol/10-data-api-endpoints.md#41-listbalancechanges).
 */
export function balances(db: Database): Projection {
  const history = upsert(db, "balances", "block, account, balance, tx");
  const byParty = upsert(db, "balances_by_party", "era, party_no, block, account, balance");
  const current = upsert(db, "balances_current", "account, block, balance");
  const touched = new Map<number, Touched>();
  /**
   * The same, by account id, where a block's events come as messages, which is all of them or none: most accounts
   * change several times in a block.
   */
  const touchedByAccount = new Map<string, Touched>();
  const intern = (block: BlockContext, m: Init<Account>, tx: number): AccountKey =>
    block.accounts.intern(m.owner ?? "", m.asset ?? "", m.marketId ?? "", m.type ?? 0, block.no, tx, ACCOUNT);
  const touch = (account: AccountKey, text: string, tx: number): Touched => {
    const row = { partyNo: account.partyNo, balance: storedAmount(text, "balance"), tx };
    touched.set(account.ref, row);
    return row;
  };
  const clear = () => {
    touched.clear();
    touchedByAccount.clear();
  };
  return {
    handlers: [
      [
        Field.account,
        (block, event) => {
          const tx = block.tx(event);
          const { message } = event;
          if (message === undefined) {
            const account = readAccountAt(event.bytes, event.start, event.end);
            touch(intern(block, account, tx), account.balance, tx);
            return;
          }
          const { id = "", balance = "" }: Init<Account> = message;
          const again = touchedByAccount.get(id);
          if (again !== undefined) {
            again.balance = balance;
            again.tx = tx;
            return;
          }
          const row = touch(intern(block, message, tx), balance, tx);
          if (id !== "") touchedByAccount.set(id, row);
        },
      ],
    ],
    endBlock(block) {
      if (touched.size === 0) return;
      for (const [account, { partyNo, balance: last, tx }] of touched) {
        const balance = typeof last === "string" ? storedAmount(last, "balance") : last;
        history.run(block.no, account, balance, tx);
        byParty.run(block.nextEra(), partyNo, block.no, account, balance);
        current.run(account, block.no, balance);
      }
      clear();
    },
    reset: clear,
  };
}

/** Ledger: one row for each entry inside the movements. */
export function ledger(db: Database): Projection {
  const entries = append(
    db,
    "ledger",
    "block, n, from_account, to_account, quantity, type, transfer_time, from_balance, to_balance, tx",
  );
  const byParty = append(db, "ledger_by_party", "era, party_no, block, n");
  /** Messages name an account by the same object again and again. */
  let keys = new WeakMap<Init<AccountDetails>, AccountKey>();
  const intern = (
    block: BlockContext,
    { owner = "", assetId = "", marketId = "", type = 0 }: Init<AccountDetails>,
    tx: number,
    fields: AccountFields,
  ): AccountKey => block.accounts.intern(owner, assetId, marketId, type, block.no, tx, fields);
  const internKnown: typeof intern = (block, details, tx, fields) => {
    let account = keys.get(details);
    if (account === undefined) keys.set(details, (account = intern(block, details, tx, fields)));
    return account;
  };
  const read = (event: BlockEvent): Init<LedgerMovements> =>
    event.message ?? readLedgerMovementsAt(event.bytes, event.start, event.end);
  return {
    handlers: [
      [
        Field.ledgerMovements,
        (block, event) => {
          const tx = block.tx(event);
          const accountOf = event.message === undefined ? intern : internKnown;
          for (const movement of read(event).ledgerMovements ?? []) {
            for (const m of movement.entries ?? []) {
              const from = accountOf(block, m.fromAccount ?? {}, tx, FROM_ACCOUNT);
              const to = accountOf(block, m.toAccount ?? {}, tx, TO_ACCOUNT);
              const n = block.ordOf(block.nextLedgerEntry());
              entries.run(
                block.no,
                n,
                from.ref,
                to.ref,
                storedAmount(m.amount ?? "", "ledger_movements.entries.amount"),
                m.type ?? 0,
                microseconds(m.timestamp ?? 0n),
                storedAmount(m.fromAccountBalance ?? "", "ledger_movements.entries.from_account_balance"),
                storedAmount(m.toAccountBalance ?? "", "ledger_movements.entries.to_account_balance"),
                tx,
              );
              byParty.run(block.nextEra(), from.partyNo, block.no, n);
              if (to.partyNo !== from.partyNo) byParty.run(block.nextEra(), to.partyNo, block.no, n);
            }
          }
        },
      ],
    ],
    reset: () => {
      keys = new WeakMap();
    },
  };
}

export function parties(db: Database): Projection {
  const insert = insertOnce(db, "parties", "id, block, tx");
  return {
    handlers: [
      on(Field.party, readPartyAt, (block, m, event) => {
        insert.run(block.ids.intern(m.id, "id").ref, block.no, block.tx(event));
      }),
    ],
  };
}

export function assets(db: Database): Projection {
  const history = upsert(db, "assets", "block, id, tx, data");
  const current = upsert(db, "assets_current", "id, block");
  return {
    handlers: [
      on(Field.asset, readAssetAt, (block, m, event) => {
        assetChecks.check(m);
        const id = block.ids.intern(m.id, "id").ref;
        history.run(block.no, id, block.tx(event), payload(event));
        current.run(id, block.no);
      }),
    ],
  };
}

/** A table of messages that have an identifier of their own and belong to a party. */
const partyTable =
  <Message extends { readonly id: string; readonly partyId: string }>(
    table: string,
    field: number,
    read: (bytes: Uint8Array, start: number, end: number) => Message,
    checks: FieldChecks,
  ) =>
  (db: Database): Projection => {
    const history = upsert(db, table, "block, id, party, tx, data");
    const current = upsert(db, `${table}_current`, "id, party, block");
    return {
      handlers: [
        on(field, read, (block, m, event) => {
          checks.check(m);
          const id = idBytes(m.id, "id");
          const party = block.ids.intern(m.partyId, "party_id").ref;
          history.run(block.no, id, party, block.tx(event), payload(event));
          current.run(id, party, block.no);
        }),
      ],
    };
  };

export const deposits = partyTable("deposits", Field.deposit, readDepositAt, depositChecks);
export const withdrawals = partyTable("withdrawals", Field.withdrawal, readWithdrawalAt, withdrawalChecks);

export function transfers(db: Database): Projection {
  const rows = new TransferRows(db);
  const read = (event: BlockEvent): Init<Transfer> =>
    event.message ?? readTransferAt(event.bytes, event.start, event.end);
  return {
    handlers: [
      [
        Field.transfer,
        (block, event) => {
          const m = read(event);
          transferChecks.check(m);
          rows.put(block.no, {
            id: idBytes(m.id ?? "", "id"),
            tx: block.tx(event),
            data: payload(event),
            fromNo: block.ids.intern(m.from ?? "", "from").no,
            toNo: block.ids.intern(m.to ?? "", "to").no,
          });
        },
      ],
    ],
  };
}
