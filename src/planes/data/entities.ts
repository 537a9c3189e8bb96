// Everything that one transaction made (gRPC `ListEntities`): rows of its blocks that name it, as the lists of their resources
// show them.

import { Grpc } from "../../errors/statuses.ts";
import { ApiError, invalidArgument } from "../../http/errors.ts";
import { amountText, type StoredAmount } from "../../store/amount.ts";
import { TX_NONE } from "../../store/schema.ts";
import { hexBytes, hexOf, isHex, isHex64 } from "../../wire/identifiers.ts";
import { assetOf } from "./assets.ts";
import { depositOf, signaturesOf, withdrawalOf } from "./bridge.ts";
import type { DataContext } from "./context.ts";
import { resource } from "./entry.ts";
import { proposalOf, voteOf } from "./governance.ts";
import { provisionOf } from "./liquidity.ts";
import { marketOf } from "./markets.ts";
import { upgradeOf } from "./network.ts";
import { dataOf, specOf } from "./oracles.ts";
import { orderOf } from "./orders.ts";
import { marginLevelsOf, positionOf } from "./positions.ts";
import { rewardOf } from "./rewards.ts";
import { tradeOf } from "./trades.ts";
import { transferOf } from "./transfers.ts";
import { firstNodes, rotationOf } from "./validators.ts";

/** Transactions with rows that are looked through, the newest first: about 50 ms of work. */
const SEARCHED_TXS_MAX = 500_000;
/** Rows of one list. */
const ROWS_MAX = 10_000;

/** The blocks that may hold rows of the transaction, and its number in them. */
interface Place {
  readonly tx: bigint;
  readonly first: number;
  readonly last: number;
}

/** Number of a block itself: its own rows stand under its hash. */
const TX_OF_BLOCK = 0n;

interface DataRow {
  readonly data: Uint8Array;
  readonly block: bigint;
}

/** Lists of the answer whose rows keep the message, with the order of their table's key. */
const MESSAGES: Readonly<
  Record<
    string,
    { readonly table: string; readonly order: string; of(context: DataContext, row: DataRow): object }
  >
> = {
  orders: { table: "orders", order: "block, ord", of: (_, { data }) => orderOf(data) },
  transfers: {
    table: "transfers",
    order: "block, ref",
    of: (context, { data, block }) => transferOf(data, context.timeNs(block)),
  },
  trades: {
    table: "trades",
    order: "block, ord",
    of: (context, { data, block }) => tradeOf(context, data, block),
  },
  oracleSpecs: { table: "oracle_specs", order: "id, block", of: (_, { data }) => specOf(data) },
  oracleData: { table: "oracle_data", order: "block, ord", of: (_, { data }) => dataOf(data) },
  markets: { table: "markets", order: "block, id", of: (_, { data }) => marketOf(data) },
  marginLevels: {
    table: "margin_levels",
    order: "block, account",
    of: (context, { data, block }) => marginLevelsOf(context, data, block),
  },
  rewards: { table: "rewards", order: "block, ord", of: (_, { data }) => rewardOf(data) },
  deposits: { table: "deposits", order: "block, id", of: (_, { data }) => depositOf(data) },
  withdrawals: { table: "withdrawals", order: "block, id", of: (_, { data }) => withdrawalOf(data) },
  assets: { table: "assets", order: "block, id", of: (_, { data }) => assetOf(data) },
  liquidityProvisions: {
    table: "liquidity_provisions",
    order: "block, id",
    of: (_, { data }) => provisionOf(data),
  },
  proposals: { table: "proposals", order: "block, id", of: (_, { data }) => proposalOf(data) },
  keyRotations: { table: "key_rotations", order: "block, node", of: (_, { data }) => rotationOf(data) },
  protocolUpgradeProposals: {
    table: "upgrade_proposals",
    order: "height, tag, block",
    of: (_, row) => upgradeOf(row),
  },
};

export const listEntities = resource({
  request: "datanode.api.v2.ListEntitiesRequest",
  response: "datanode.api.v2.ListEntitiesResponse",
  narrowing: "the transaction made too much for one answer",
  handle(context, request) {
    const hash = request.transactionHash ?? "";
    if (hash === "" || !isHex(hash)) throw invalidArgument("invalid transaction hash");
    if (!isHex64(hash)) return {};
    // Rows of the block itself, and those that later blocks name it for.
    const places = [placeOfBlock(context, hash), placeOf(context, hash)].filter(
      (place) => place !== undefined,
    );
    const entities: Record<string, object[]> = {};
    for (const place of places) {
      for (const [member, list] of Object.entries(entitiesAt(context, place)))
        entities[member] = [...(entities[member] ?? []), ...list];
    }
    return entities;
  },
});

function entitiesAt(context: DataContext, place: Place): Record<string, object[]> {
  const entities: Record<string, object[]> = {};
  for (const [member, { table, order, of }] of Object.entries(MESSAGES)) {
    const rows = rowsOf<DataRow>(context, `SELECT data, block FROM ${table} t`, place, order);
    entities[member] = rows.map((row) => of(context, row));
  }
  return {
    ...entities,
    ...collateral(context, place),
    ...others(context, place),
    ...signers(context, place),
  };
}

/** The block that has the hash, as the place of its own rows. */
function placeOfBlock(context: DataContext, hash: string): Place | undefined {
  const newest = context.head?.no ?? 0;
  const sql = "SELECT no FROM blocks WHERE no > ? AND hash = ? ORDER BY no DESC LIMIT 1";
  const row = context.get<{ no: bigint }>(sql, newest - SEARCHED_TXS_MAX, hexBytes(hash)!);
  return row && { tx: TX_OF_BLOCK, first: Number(row.no), last: Number(row.no) };
}

/** @throws ApiError 429 where older transactions were not looked through */
function placeOf(context: DataContext, hash: string): Place | undefined {
  const newest = Number(context.get<{ id: bigint | null }>("SELECT max(id) AS id FROM txs")?.id ?? 0n);
  const from = newest - SEARCHED_TXS_MAX;
  const row = context.get<{ tx: bigint }>(
    "SELECT id AS tx FROM txs WHERE id > ? AND hash = ? ORDER BY id DESC LIMIT 1",
    from,
    hexBytes(hash)!,
  );
  if (row === undefined) {
    if (from <= 0) return undefined;
    const text = `the transaction is not among the newest ${SEARCHED_TXS_MAX} that are looked through`;
    throw new ApiError(Grpc.resourceExhausted, text);
  }
  return { tx: row.tx, ...blocksAround(context, row.tx) };
}

/** Tables in the order of blocks in which most transactions have a row. */
const DENSE_TABLES = ["balances", "orders"] as const;

/** Numbers of transactions go up with the blocks: the neighbours' rows say between which blocks this one's are. */
function blocksAround(context: DataContext, tx: bigint): Pick<Place, "first" | "last"> {
  const head = context.head?.no ?? 0;
  let [first, last] = [0, head];
  for (const table of DENSE_TABLES) {
    const sql = `SELECT block, tx FROM ${table} WHERE block >= ? AND tx > ${TX_NONE} ORDER BY block LIMIT 1`;
    const rowFrom = (no: number) => context.get<{ block: bigint; tx: bigint }>(sql, no);
    /** The first block from which on the next row is of a transaction that is not `isBefore`. */
    const firstBlock = (isBefore: (other: bigint) => boolean) => {
      let [low, high] = [0, head + 1];
      while (low < high) {
        const middle = (low + high) >>> 1;
        const row = rowFrom(middle);
        if (row !== undefined && isBefore(row.tx)) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    first = Math.max(first, firstBlock((other) => other < tx) - 1);
    last = Math.min(last, Number(rowFrom(firstBlock((other) => other <= tx))?.block ?? head));
  }
  return { first, last };
}

function rowsOf<R>(context: DataContext, select: string, { tx, first, last }: Place, order: string): R[] {
  const sql = `${select} WHERE t.block BETWEEN ? AND ? AND t.tx = ? ORDER BY ${order
    .split(", ")
    .map((column) => `t.${column}`)
    .join(", ")} LIMIT ?`;
  return context.all<R>(sql, first, last, tx, ROWS_MAX);
}

interface BalanceRow {
  readonly hash: Uint8Array;
  readonly party: bigint;
  readonly asset: bigint;
  readonly market: bigint;
  readonly type: bigint;
  readonly balance: StoredAmount;
  readonly account_tx: bigint;
  readonly account_block: bigint;
}

interface LedgerRow {
  readonly block: bigint;
  readonly quantity: StoredAmount;
  readonly kind: bigint;
  readonly transfer_time: bigint;
  readonly from_balance: StoredAmount;
  readonly to_balance: StoredAmount;
  readonly asset: bigint;
  readonly from_party: bigint;
  readonly from_market: bigint;
  readonly from_type: bigint;
  readonly to_party: bigint;
  readonly to_market: bigint;
  readonly to_type: bigint;
}

/** Balances, the accounts among them that are new, and entries of the ledger. */
function collateral(context: DataContext, place: Place) {
  const text = (ref: bigint) => context.ids.text(ref);
  const balances = rowsOf<BalanceRow>(
    context,
    `SELECT a.hash, a.party, a.asset, a.market, a.type, t.balance, a.tx AS account_tx,
      a.block AS account_block FROM balances t JOIN accounts a ON a.ref = t.account`,
    place,
    "block, account",
  ).map(({ hash, account_tx, account_block, ...row }) => ({
    isNew: account_tx === place.tx && account_block >= place.first && account_block <= place.last,
    id: hexOf(hash),
    owner: text(row.party),
    balance: amountText(row.balance),
    asset: text(row.asset),
    marketId: text(row.market),
    type: Number(row.type),
  }));
  const entries = rowsOf<LedgerRow>(
    context,
    `SELECT t.block, t.quantity, t.type AS kind, t.transfer_time, t.from_balance, t.to_balance, f.asset,
      f.party AS from_party, f.market AS from_market, f.type AS from_type,
      o.party AS to_party, o.market AS to_market, o.type AS to_type
      FROM ledger t JOIN accounts f ON f.ref = t.from_account JOIN accounts o ON o.ref = t.to_account`,
    place,
    "block, n",
  );
  const side = (asset: bigint, party: bigint, market: bigint, type: bigint) => ({
    assetId: text(asset),
    type: Number(type),
    owner: text(party) || undefined,
    marketId: text(market) || undefined,
  });
  return {
    accounts: balances.filter(({ isNew }) => isNew),
    balanceChanges: balances,
    ledgerEntries: entries.map((row) => ({
      fromAccount: side(row.asset, row.from_party, row.from_market, row.from_type),
      toAccount: side(row.asset, row.to_party, row.to_market, row.to_type),
      amount: amountText(row.quantity),
      type: Number(row.kind),
      timestamp: context.timeNs(row.block),
      fromAccountBalance: amountText(row.from_balance),
      toAccountBalance: amountText(row.to_balance),
    })),
  };
}

/** Lists whose rows are columns. */
function others(context: DataContext, place: Place) {
  const text = (ref: bigint) => context.ids.text(ref);
  const rows = <R>(select: string, order: string) => rowsOf<R>(context, select, place, order);
  return {
    positions: rows<{ state: string; k0: bigint; k1: bigint; k2: bigint }>(
      "SELECT state, block AS k0, party AS k1, market AS k2 FROM positions t",
      "block, party, market",
    ).map((row) => positionOf(context, row)),
    votes: rows<{ data: Uint8Array; first_time: bigint }>(
      "SELECT data, first_time FROM votes t",
      "block, proposal, party",
    ).map(voteOf),
    parties: rows<{ id: bigint }>("SELECT id FROM parties t", "block, id").map(({ id }) => ({
      id: text(id),
    })),
    delegations: rows<{ party: bigint; node: bigint; epoch: bigint; amount: StoredAmount }>(
      "SELECT party, node, epoch, amount FROM delegations t",
      "block, ord",
    ).map(({ party, node, epoch, amount }) => ({
      party: text(party),
      nodeId: text(node),
      amount: amountText(amount),
      epochSeq: epoch.toString(),
    })),
    nodeSignatures: rows<{ resource: Uint8Array; sig: Uint8Array; kind: bigint }>(
      "SELECT resource, sig, kind FROM node_signatures t",
      "resource, sig",
    ).map(({ resource, sig, kind }) => ({ id: hexOf(resource), sig, kind: Number(kind) })),
    networkParameters: rows<{ key: string; value: string }>(
      "SELECT key, value FROM network_parameters t",
      "key, block",
    ),
    ethereumKeyRotations: rows<{ node: bigint; old_address: string; new_address: string; height: bigint }>(
      "SELECT node, old_address, new_address, height FROM ethereum_key_rotations t",
      "block, ord",
    ).map(({ node, old_address, new_address, height }) => ({
      nodeId: text(node),
      oldAddress: old_address,
      newAddress: new_address,
      blockHeight: height,
    })),
  };
}

interface SignerRow {
  readonly id: Uint8Array;
  readonly added: bigint;
  readonly signer: string;
  readonly submitter: string;
  readonly nonce: string;
  readonly time: bigint;
  readonly epoch: bigint;
}

/** Bundles of the multisig contract, and the validators that a chain began with. */
function signers(context: DataContext, place: Place) {
  const bundles = rowsOf<SignerRow>(
    context,
    "SELECT id, added, signer, submitter, nonce, time, epoch FROM multisig_signers t",
    place,
    "time, id",
  );
  const of = (isAdded: bigint) => bundles.filter(({ added }) => added === isAdded);
  const rest = ({ id, submitter, nonce, time, epoch }: SignerRow) => ({
    submitter,
    nonce,
    timestamp: time * 1_000n,
    signatures: signaturesOf(context, id),
    epochSeq: epoch.toString(),
  });
  return {
    erc20MultiSigSignerAddedBundles: of(1n).map((row) => ({ newSigner: row.signer, ...rest(row) })),
    erc20MultiSigSignerRemovedBundles: of(0n).map((row) => ({ oldSigner: row.signer, ...rest(row) })),
    nodes: place.tx === TX_OF_BLOCK && place.first === 1 ? firstNodes(context) : [],
  };
}
