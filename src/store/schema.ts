// The store's tables. A released schema is never edited: a change is a new schema (a step of `MIGRATIONS`).
//
// Conventions (docs/architecture.md says why):
//  - `block` is the number of a row in `blocks`, counted from 1. Blocks with the same time in microseconds share
//    one row (docs/protocol/20-network-history-segments.md#64-the-doubled-first-height), so it is not the height.
//  - `ord` is a row's place in its block: `part << 24 | sequence`, where part counts the blocks that share a row.
//  - an id column that says INTEGER holds a reference into `ids`: the first six bytes of the identifier as a
//    signed number, so that references sort as the identifiers do; an account's is the first four of its id. `party_no`, `from_no` and `to_no` are
//    the short running number.
//  - `tx` is 0 for the hash in the row of `blocks`, else a row of `txs`; row 1 is the empty hash (no transaction).
//  - an amount that fits 63 bits is INTEGER, a larger one a big-endian BLOB: column type ANY.
//  - `data` is the event's own protobuf message, as it came.
//  - `blocks.hash` is empty where it follows from height and time and no row refers to it (store/head.ts).
//  - `name` holds history, one row for each key and block; `name_current` points at the newest row of a key.
import type { Database } from "bun:sqlite";
import { fillCurrentOracleData } from "./oracle-data.ts";
import { convertTransfers } from "./transfers.ts";
import { UNDO_COLUMNS, UndoLog } from "./undo-log.ts";

const schema1 = `
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE blocks(no INTEGER PRIMARY KEY, time INTEGER NOT NULL, height INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE txs(id INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT;
INSERT INTO txs(id, hash) VALUES(1, x'');
CREATE TABLE ids(ref INTEGER PRIMARY KEY, no INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;

CREATE TABLE parties(id INTEGER PRIMARY KEY, block INTEGER NOT NULL, tx INTEGER NOT NULL) STRICT;
CREATE INDEX parties_by_block ON parties(block, id);

CREATE TABLE accounts(ref INTEGER PRIMARY KEY, hash BLOB NOT NULL, party INTEGER NOT NULL, party_no INTEGER NOT NULL,
  asset INTEGER NOT NULL, market INTEGER NOT NULL, type INTEGER NOT NULL, block INTEGER NOT NULL, tx INTEGER NOT NULL) STRICT;
CREATE INDEX accounts_by_party ON accounts(party);
CREATE INDEX accounts_by_asset ON accounts(asset);
CREATE INDEX accounts_by_market ON accounts(market);
CREATE TABLE balances(block INTEGER NOT NULL, account INTEGER NOT NULL, balance ANY NOT NULL, tx INTEGER NOT NULL,
  PRIMARY KEY(block, account)) STRICT, WITHOUT ROWID;
CREATE TABLE balances_by_party(party_no INTEGER NOT NULL, block INTEGER NOT NULL, account INTEGER NOT NULL, balance ANY NOT NULL,
  PRIMARY KEY(party_no, block, account)) STRICT, WITHOUT ROWID;
CREATE TABLE balances_current(account INTEGER PRIMARY KEY, block INTEGER NOT NULL, balance ANY NOT NULL) STRICT;

CREATE TABLE ledger(block INTEGER NOT NULL, n INTEGER NOT NULL, from_account INTEGER NOT NULL, to_account INTEGER NOT NULL,
  quantity ANY NOT NULL, type INTEGER NOT NULL, transfer_time INTEGER NOT NULL,
  from_balance ANY NOT NULL, to_balance ANY NOT NULL, tx INTEGER NOT NULL, PRIMARY KEY(block, n)) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_by_party(party_no INTEGER NOT NULL, block INTEGER NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY(party_no, block, n)) STRICT, WITHOUT ROWID;

CREATE TABLE assets(block INTEGER NOT NULL, id INTEGER NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, id)) STRICT, WITHOUT ROWID;
CREATE TABLE assets_current(id INTEGER PRIMARY KEY, block INTEGER NOT NULL) STRICT;

CREATE TABLE deposits(block INTEGER NOT NULL, id BLOB NOT NULL, party INTEGER NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, id, party)) STRICT, WITHOUT ROWID;
CREATE TABLE deposits_current(id BLOB NOT NULL, party INTEGER NOT NULL, block INTEGER NOT NULL,
  PRIMARY KEY(id, party)) STRICT, WITHOUT ROWID;
CREATE INDEX deposits_current_by_block ON deposits_current(block, id, party);
CREATE INDEX deposits_current_by_party ON deposits_current(party, block, id);

CREATE TABLE withdrawals(block INTEGER NOT NULL, id BLOB NOT NULL, party INTEGER NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, id, party)) STRICT, WITHOUT ROWID;
CREATE TABLE withdrawals_current(id BLOB NOT NULL, party INTEGER NOT NULL, block INTEGER NOT NULL,
  PRIMARY KEY(id, party)) STRICT, WITHOUT ROWID;
CREATE INDEX withdrawals_current_by_block ON withdrawals_current(block, id, party);
CREATE INDEX withdrawals_current_by_party ON withdrawals_current(party, block, id);

CREATE TABLE transfers(block INTEGER NOT NULL, id BLOB NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, id)) STRICT, WITHOUT ROWID;
CREATE TABLE transfers_current(id BLOB PRIMARY KEY, block INTEGER NOT NULL, from_party INTEGER NOT NULL,
  to_party INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX transfers_current_by_block ON transfers_current(block, id);
CREATE INDEX transfers_current_by_from ON transfers_current(from_party, block, id);
CREATE INDEX transfers_current_by_to ON transfers_current(to_party, block, id);

CREATE TABLE rewards(block INTEGER NOT NULL, ord INTEGER NOT NULL, party INTEGER NOT NULL, asset INTEGER NOT NULL,
  epoch INTEGER NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(block, ord)) STRICT, WITHOUT ROWID;
CREATE INDEX rewards_by_epoch ON rewards(epoch, block, ord);
CREATE INDEX rewards_by_party ON rewards(party, epoch, block, ord);
CREATE INDEX rewards_by_asset ON rewards(asset, epoch, block, ord);
CREATE TABLE reward_totals(party INTEGER NOT NULL, asset INTEGER NOT NULL, amount ANY NOT NULL,
  PRIMARY KEY(party, asset)) STRICT, WITHOUT ROWID;
CREATE INDEX reward_totals_by_asset ON reward_totals(asset, party);
CREATE TABLE reward_totals_by_epoch(epoch INTEGER NOT NULL, asset INTEGER NOT NULL, market INTEGER NOT NULL, type TEXT NOT NULL,
  amount ANY NOT NULL, PRIMARY KEY(epoch, asset, market, type)) STRICT, WITHOUT ROWID;

CREATE TABLE delegations(block INTEGER NOT NULL, ord INTEGER NOT NULL, party INTEGER NOT NULL, node INTEGER NOT NULL,
  epoch INTEGER NOT NULL, amount ANY NOT NULL, tx INTEGER NOT NULL, PRIMARY KEY(block, ord)) STRICT, WITHOUT ROWID;
CREATE TABLE delegations_current(party INTEGER NOT NULL, node INTEGER NOT NULL, epoch INTEGER NOT NULL, block INTEGER NOT NULL,
  amount ANY NOT NULL, PRIMARY KEY(party, node, epoch)) STRICT, WITHOUT ROWID;
CREATE INDEX delegations_current_by_block ON delegations_current(block, party, node, epoch);
CREATE INDEX delegations_current_by_party ON delegations_current(party, block, node, epoch);
CREATE INDEX delegations_current_by_node ON delegations_current(node, block, party, epoch);
CREATE INDEX delegations_current_by_epoch ON delegations_current(epoch, node, party);

CREATE TABLE epochs(id INTEGER NOT NULL, block INTEGER NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(id, block)) STRICT, WITHOUT ROWID;

CREATE TABLE stake_linkings(block INTEGER NOT NULL, id BLOB NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, id)) STRICT, WITHOUT ROWID;
CREATE TABLE stake_linkings_current(id BLOB PRIMARY KEY, party INTEGER NOT NULL, block INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX stake_linkings_current_by_party ON stake_linkings_current(party, block, id);

CREATE TABLE nodes(id INTEGER PRIMARY KEY, block INTEGER NOT NULL, pub_key TEXT NOT NULL, ethereum_address TEXT NOT NULL,
  data BLOB NOT NULL) STRICT;
CREATE TABLE nodes_announced(node INTEGER NOT NULL, epoch INTEGER NOT NULL, block INTEGER NOT NULL, added INTEGER NOT NULL,
  PRIMARY KEY(node, epoch, block)) STRICT, WITHOUT ROWID;
CREATE TABLE ranking_scores(epoch INTEGER NOT NULL, node INTEGER NOT NULL, block INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(epoch, node)) STRICT, WITHOUT ROWID;
CREATE TABLE reward_scores(epoch INTEGER NOT NULL, node INTEGER NOT NULL, block INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(epoch, node)) STRICT, WITHOUT ROWID;
CREATE TABLE key_rotations(block INTEGER NOT NULL, node INTEGER NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, node)) STRICT, WITHOUT ROWID;
CREATE INDEX key_rotations_by_node ON key_rotations(node, block);
CREATE TABLE ethereum_key_rotations(block INTEGER NOT NULL, ord INTEGER NOT NULL, node INTEGER NOT NULL, old_address TEXT NOT NULL,
  new_address TEXT NOT NULL, height INTEGER NOT NULL, tx INTEGER NOT NULL, PRIMARY KEY(block, ord)) STRICT, WITHOUT ROWID;
CREATE TABLE node_signatures(resource BLOB NOT NULL, sig BLOB NOT NULL, kind INTEGER NOT NULL, block INTEGER NOT NULL,
  tx INTEGER NOT NULL, PRIMARY KEY(resource, sig)) STRICT, WITHOUT ROWID;
CREATE TABLE multisig_signers(id BLOB PRIMARY KEY, added INTEGER NOT NULL, node INTEGER NOT NULL, signer TEXT NOT NULL,
  submitter TEXT NOT NULL, nonce TEXT NOT NULL, time INTEGER NOT NULL, epoch INTEGER NOT NULL, block INTEGER NOT NULL,
  tx INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE INDEX multisig_signers_by_time ON multisig_signers(added, time, id);

CREATE TABLE network_parameters(key TEXT NOT NULL, block INTEGER NOT NULL, value TEXT NOT NULL, tx INTEGER NOT NULL,
  PRIMARY KEY(key, block)) STRICT, WITHOUT ROWID;
CREATE TABLE network_parameters_current(key TEXT PRIMARY KEY, value TEXT NOT NULL, block INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE network_limits(block INTEGER PRIMARY KEY, tx INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE checkpoints(block INTEGER NOT NULL, ord INTEGER NOT NULL, height INTEGER NOT NULL, tx INTEGER NOT NULL,
  data BLOB NOT NULL, PRIMARY KEY(block, ord)) STRICT, WITHOUT ROWID;
CREATE INDEX checkpoints_by_height ON checkpoints(height, block, ord);
CREATE TABLE core_snapshots(block INTEGER NOT NULL, height INTEGER NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, height)) STRICT, WITHOUT ROWID;
CREATE INDEX core_snapshots_by_height ON core_snapshots(height, block);
CREATE TABLE upgrade_proposals(height INTEGER NOT NULL, tag TEXT NOT NULL, block INTEGER NOT NULL, tx INTEGER NOT NULL,
  data BLOB NOT NULL, PRIMARY KEY(height, tag, block)) STRICT, WITHOUT ROWID;

CREATE TABLE proposals(block INTEGER NOT NULL, id BLOB NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, id)) STRICT, WITHOUT ROWID;
CREATE TABLE proposals_current(id BLOB PRIMARY KEY, block INTEGER NOT NULL, open INTEGER NOT NULL, state INTEGER NOT NULL,
  kind INTEGER NOT NULL, party INTEGER NOT NULL, reference TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX proposals_current_by_block ON proposals_current(open, block, id);
CREATE INDEX proposals_current_by_reference ON proposals_current(reference);
CREATE TABLE votes(block INTEGER NOT NULL, proposal BLOB NOT NULL, party INTEGER NOT NULL, first_time INTEGER NOT NULL,
  tx INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(block, proposal, party)) STRICT, WITHOUT ROWID;
CREATE TABLE votes_current(proposal BLOB NOT NULL, party INTEGER NOT NULL, block INTEGER NOT NULL,
  PRIMARY KEY(proposal, party)) STRICT, WITHOUT ROWID;
CREATE INDEX votes_current_by_party ON votes_current(party, block, proposal);
CREATE INDEX votes_current_by_proposal ON votes_current(proposal, block, party);

CREATE TABLE markets(block INTEGER NOT NULL, id INTEGER NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, id)) STRICT, WITHOUT ROWID;
CREATE TABLE markets_current(id INTEGER PRIMARY KEY, block INTEGER NOT NULL, state INTEGER NOT NULL) STRICT;
CREATE INDEX markets_current_by_block ON markets_current(block, id);
CREATE TABLE market_data(market INTEGER NOT NULL, block INTEGER NOT NULL, ord INTEGER NOT NULL, tx INTEGER NOT NULL,
  data BLOB NOT NULL, PRIMARY KEY(market, block, ord)) STRICT, WITHOUT ROWID;
CREATE TABLE risk_factors(market INTEGER PRIMARY KEY, block INTEGER NOT NULL, data BLOB NOT NULL) STRICT;

CREATE TABLE orders(block INTEGER NOT NULL, ord INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, tx INTEGER NOT NULL,
  data BLOB NOT NULL, PRIMARY KEY(block, ord)) STRICT, WITHOUT ROWID;
CREATE INDEX orders_by_id ON orders(id, version, block);
CREATE TABLE orders_current(id BLOB NOT NULL, created INTEGER NOT NULL, block INTEGER NOT NULL, ord INTEGER NOT NULL,
  market INTEGER NOT NULL, party INTEGER NOT NULL, status INTEGER NOT NULL, type INTEGER NOT NULL, tif INTEGER NOT NULL,
  from_liquidity INTEGER NOT NULL, live INTEGER NOT NULL, reference TEXT NOT NULL,
  PRIMARY KEY(id, created)) STRICT, WITHOUT ROWID;
CREATE INDEX orders_current_by_created ON orders_current(created DESC, id);
CREATE INDEX orders_current_by_party ON orders_current(party, created DESC, id);
CREATE INDEX orders_current_by_market ON orders_current(market, created DESC, id);
CREATE INDEX orders_current_live ON orders_current(market) WHERE live = 1;

CREATE TABLE trades(block INTEGER NOT NULL, ord INTEGER NOT NULL, market INTEGER NOT NULL, buyer INTEGER NOT NULL,
  seller INTEGER NOT NULL, buy_order BLOB NOT NULL, sell_order BLOB NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, ord)) STRICT, WITHOUT ROWID;
CREATE INDEX trades_by_market ON trades(market, block, ord);
CREATE INDEX trades_by_buyer ON trades(buyer, block, ord);
CREATE INDEX trades_by_seller ON trades(seller, block, ord);
CREATE INDEX trades_by_buy_order ON trades(buy_order);
CREATE INDEX trades_by_sell_order ON trades(sell_order);

CREATE TABLE positions(block INTEGER NOT NULL, party INTEGER NOT NULL, market INTEGER NOT NULL, tx INTEGER NOT NULL,
  state TEXT NOT NULL, PRIMARY KEY(block, party, market)) STRICT, WITHOUT ROWID;
CREATE TABLE positions_current(market INTEGER NOT NULL, party INTEGER NOT NULL, block INTEGER NOT NULL,
  PRIMARY KEY(market, party)) STRICT, WITHOUT ROWID;
CREATE INDEX positions_current_by_block ON positions_current(block, party, market);
CREATE INDEX positions_current_by_party ON positions_current(party, block, market);

CREATE TABLE margin_levels(block INTEGER NOT NULL, account INTEGER NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, account)) STRICT, WITHOUT ROWID;
CREATE TABLE margin_levels_current(account INTEGER PRIMARY KEY, block INTEGER NOT NULL) STRICT;
CREATE INDEX margin_levels_current_by_block ON margin_levels_current(block, account);

CREATE TABLE liquidity_provisions(block INTEGER NOT NULL, id BLOB NOT NULL, party INTEGER NOT NULL, market INTEGER NOT NULL,
  tx INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(block, id)) STRICT, WITHOUT ROWID;
CREATE INDEX liquidity_provisions_by_party ON liquidity_provisions(party, block, id);
CREATE INDEX liquidity_provisions_by_market ON liquidity_provisions(market, block, id);
CREATE TABLE liquidity_provisions_current(id BLOB PRIMARY KEY, block INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE oracle_specs(block INTEGER NOT NULL, id BLOB NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(id, block)) STRICT, WITHOUT ROWID;
CREATE TABLE oracle_data(block INTEGER NOT NULL, ord INTEGER NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, ord)) STRICT, WITHOUT ROWID;
CREATE TABLE oracle_data_by_spec(spec BLOB NOT NULL, block INTEGER NOT NULL, ord INTEGER NOT NULL,
  PRIMARY KEY(spec, block, ord)) STRICT, WITHOUT ROWID;

CREATE TABLE segments(to_height INTEGER PRIMARY KEY, from_height INTEGER NOT NULL, id TEXT NOT NULL, previous_id TEXT NOT NULL,
  database_version INTEGER NOT NULL, chain_id TEXT NOT NULL, bytes INTEGER NOT NULL) STRICT;
`;

const undoColumns = Array.from({ length: UNDO_COLUMNS }, (_, n) => `v${n} ANY`).join(", ");

// Tables of a local chain beside the rows of its blocks (docs/architecture.md): tables named `chain_…` are its own.
const schema2 = `
CREATE TABLE chain_meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE chain_blocks(height INTEGER PRIMARY KEY, app_hash BLOB NOT NULL) STRICT;
CREATE TABLE chain_txs(height INTEGER NOT NULL, n INTEGER NOT NULL, code INTEGER NOT NULL, impersonated INTEGER NOT NULL,
  bytes BLOB NOT NULL, PRIMARY KEY(height, n)) STRICT, WITHOUT ROWID;
CREATE TABLE chain_commands(height INTEGER PRIMARY KEY, command TEXT NOT NULL) STRICT;
CREATE TABLE chain_state(name TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(name, key)) STRICT, WITHOUT ROWID;
CREATE TABLE chain_snapshots(id INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT NOT NULL) STRICT;
CREATE TABLE chain_undo(level INTEGER NOT NULL) STRICT;
CREATE TABLE chain_undo_rows(level INTEGER NOT NULL, name TEXT NOT NULL, k0 ANY NOT NULL, k1 ANY NOT NULL, k2 ANY NOT NULL,
  k3 ANY NOT NULL, existed INTEGER NOT NULL, ${undoColumns}, PRIMARY KEY(level, name, k0, k1, k2, k3)) STRICT, WITHOUT ROWID;
`;

// Transfers by references instead of identifiers (store/transfers.ts): a third of the bytes, in a third of the pages.
const schema3 = `
ALTER TABLE transfers RENAME TO transfers_2;
ALTER TABLE transfers_current RENAME TO transfers_current_2;
DROP INDEX transfers_current_by_block;
DROP INDEX transfers_current_by_from;
DROP INDEX transfers_current_by_to;
CREATE TABLE transfers(block INTEGER NOT NULL, ref INTEGER NOT NULL, id BLOB NOT NULL, tx INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(block, ref)) STRICT, WITHOUT ROWID;
CREATE TABLE transfers_current(ref INTEGER PRIMARY KEY, block INTEGER NOT NULL, from_no INTEGER NOT NULL,
  to_no INTEGER NOT NULL) STRICT;
CREATE INDEX transfers_current_by_block ON transfers_current(block);
CREATE INDEX transfers_current_by_from ON transfers_current(from_no, block);
CREATE INDEX transfers_current_by_to ON transfers_current(to_no, block);
`;

// The live order of an identifier: a liquidity order is created again and again under its own, with a row each time.
const schema4 = `
CREATE INDEX orders_current_live_by_id ON orders_current(id) WHERE live = 1;
`;

// Blocks that a live source left out, by permission of the operator: reads say so, and a later source may fill the home again.
const schema5 = `
CREATE TABLE gaps(from_height INTEGER PRIMARY KEY, to_height INTEGER NOT NULL) STRICT;
`;

// Rows by party lie in eras (store/eras.ts). Those of a store from before are one era.
const schema6 = `
CREATE TABLE eras(no INTEGER PRIMARY KEY, first_block INTEGER NOT NULL, rows INTEGER NOT NULL) STRICT;
ALTER TABLE balances_by_party RENAME TO balances_by_party_5;
ALTER TABLE ledger_by_party RENAME TO ledger_by_party_5;
CREATE TABLE balances_by_party(era INTEGER NOT NULL, party_no INTEGER NOT NULL, block INTEGER NOT NULL, account INTEGER NOT NULL,
  balance ANY NOT NULL, PRIMARY KEY(era, party_no, block, account)) STRICT, WITHOUT ROWID;
CREATE TABLE ledger_by_party(era INTEGER NOT NULL, party_no INTEGER NOT NULL, block INTEGER NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY(era, party_no, block, n)) STRICT, WITHOUT ROWID;
INSERT INTO eras(no, first_block, rows) SELECT 1, min(no), (SELECT count(*) FROM balances_by_party_5) + (SELECT count(*) FROM ledger_by_party_5)
  FROM blocks HAVING count(*) > 0;
INSERT INTO balances_by_party SELECT 1, party_no, block, account, balance FROM balances_by_party_5 ORDER BY party_no, block, account;
INSERT INTO ledger_by_party SELECT 1, party_no, block, n FROM ledger_by_party_5 ORDER BY party_no, block, n;
DROP TABLE balances_by_party_5;
DROP TABLE ledger_by_party_5;
`;

// The last of the oracle data that agree in specs and values (store/oracle-data.ts): these a list without a spec shows.
const schema7 = `
CREATE TABLE oracle_data_current(key BLOB PRIMARY KEY, block INTEGER NOT NULL, ord INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX oracle_data_current_by_block ON oracle_data_current(block, ord);
`;

// Results of transactions, for the block explorer of a store without transactions of its own.
const schema8 = `
CREATE TABLE tx_results(block INTEGER NOT NULL, ord INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(block, ord)) STRICT, WITHOUT ROWID;
`;

// A party's live orders, newest first: with very many of them a page costs its own length.
const schema9 = `
DROP INDEX orders_current_live;
CREATE INDEX orders_current_live ON orders_current(market, party, created DESC, id) WHERE live = 1;
`;

/**
 * Tables that a store gets when it is first used in a certain way: sending to a data node, `--comet-port`, blocks of a
 * consensus engine, a disk budget.
 */
export const OPTIONAL_TABLES = {
  chain_outbox: `CREATE TABLE IF NOT EXISTS chain_outbox(id INTEGER PRIMARY KEY AUTOINCREMENT, height INTEGER NOT NULL,
  hash TEXT NOT NULL, bytes BLOB NOT NULL) STRICT`,
  chain_texts: `CREATE TABLE IF NOT EXISTS chain_texts(height INTEGER NOT NULL, n INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(height, n)) STRICT, WITHOUT ROWID`,
  chain_headers: `CREATE TABLE IF NOT EXISTS chain_headers(height INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL,
  proposer TEXT NOT NULL) STRICT`,
  retention:
    "CREATE TABLE IF NOT EXISTS retention(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
} as const satisfies Readonly<Record<string, string>>;

/** Row of `txs` that stands for "no transaction". */
export const TX_NONE = 1;

// The steps from an empty store to the newest schema, by number. A released step is never edited.

interface Migration {
  readonly version: number;
  /** Inside a transaction of its own. */
  run(db: Database): void;
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, run: (db) => db.run(schema1) },
  { version: 2, run: (db) => db.run(schema2) },
  {
    version: 3,
    run(db) {
      giveUpSnapshots(db);
      db.run(schema3);
      convertTransfers(db);
      db.run("DROP TABLE transfers_2; DROP TABLE transfers_current_2");
    },
  },
  { version: 4, run: (db) => db.run(schema4) },
  { version: 5, run: (db) => db.run(schema5) },
  {
    version: 6,
    run(db) {
      giveUpSnapshots(db);
      db.run(schema6);
    },
  },
  {
    version: 7,
    run(db) {
      giveUpSnapshots(db);
      db.run(schema7);
      fillCurrentOracleData(db);
    },
  },
  {
    version: 8,
    run(db) {
      giveUpSnapshots(db);
      db.run(schema8);
    },
  },
  { version: 9, run: (db) => db.run(schema9) },
];

/** Newest schema this program knows (`PRAGMA user_version` of a store it wrote). */
export const SCHEMA_VERSION = MIGRATIONS[MIGRATIONS.length - 1]!.version;

/** The way back to them leads through rows of the old tables, and past tables that are new. */
function giveUpSnapshots(db: Database): void {
  new UndoLog(db).remove();
  db.run("DELETE FROM chain_snapshots");
}
