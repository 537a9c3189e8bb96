// The Ethereum bridge: deposits, withdrawals, the validators' signatures over a resource, and bundles of values and
// signatures as the bridge's contracts want them (docs/protocol/10-data-api-endpoints.md#45-geterc20withdrawalapproval,
// #47-deposits, #52-withdrawals, #58-listnodesignatures and #518-erc20-bundles).
import type { RequestOf, Sent } from "../../http/endpoint.ts";
import { type ApiError, internal, invalidArgument, notFound } from "../../http/errors.ts";
import { CursorError, type Row } from "../../http/pagination.ts";
import type { NodeSignature } from "../../wire/generated/commands.ts";
import type { DateRange } from "../../wire/generated/datanode.ts";
import {
  type Asset,
  type Deposit,
  readDepositAt,
  readProposalAt,
  readWithdrawalAt,
  type Withdrawal,
} from "../../wire/generated/vega.ts";
import {
  canonicalIdentifier,
  hexOf,
  InvalidIdentifier,
  identifierBytes,
  isHex64,
  isIdentifier,
} from "../../wire/identifiers.ts";
import { SECOND_NS } from "../../wire/time-text.ts";
import { findAsset } from "./assets.ts";
import { rfc3339 } from "./blocks.ts";
import {
  Conditions,
  type Connection,
  type CursorReader,
  type DataContext,
  dateRange,
  isPartyFilter,
  truncatedNs,
} from "./context.ts";
import { endpoint, get } from "./entry.ts";
import { parseEpoch } from "./values.ts";

/** Deposits and withdrawals are kept and paged alike: by the block of their last update, their id and their party. */
interface BridgedRow extends Row {
  data: Uint8Array;
}

type Page = ReturnType<DataContext["page"]>;

/** Joins the current state of each to its row; `c` and `d` name the two. */
function currentRows(table: "deposits" | "withdrawals"): string {
  return `${table}_current c JOIN ${table} d ON d.block = c.block AND d.id = c.id AND d.party = c.party`;
}

/** The request's party, "" when all are wanted. @throws ApiError 400 */
function filterParty({ partyId = "" }: { readonly partyId?: string }): string {
  if (partyId !== "" && !isPartyFilter(partyId)) throw invalidArgument("invalid party id");
  return partyId;
}

/** A page. The date range applies to the time of the last update. */
function listBridged<T>(
  context: DataContext,
  period: Sent<DateRange> | undefined,
  list: {
    readonly table: "deposits" | "withdrawals";
    readonly partyId: string;
    readonly page: Page;
    node(data: Uint8Array): T;
  },
) {
  const range = dateRange(context, period, "c.block");
  if (list.partyId !== "") {
    range.add("c.party = ?", context.ids.position(list.partyId));
  }
  const order = [{ sql: "c.block" }, { sql: "c.id" }, { sql: "c.party" }];
  return context.list<BridgedRow, T>({
    query: { select: "d.data", from: currentRows(list.table), ...range, order },
    page: list.page,
    key: (cursor) => {
      const place = [cursor.block("vegaTime"), cursor.bytes("id")];
      return cursor.has("partyId") ? [...place, cursor.ref("partyId")] : place;
    },
    cursor: (row) =>
      JSON.stringify({
        vegaTime: context.cursorTime(row.k0!),
        id: hexOf(row.k1 as Uint8Array),
        partyId: context.ids.text(row.k2 as bigint),
      }),
    node: (row) => list.node(row.data),
  });
}

/** The latest state of one, by id. */
function findBridged(
  context: DataContext,
  table: "deposits" | "withdrawals",
  id: string,
): Uint8Array | undefined {
  const sql = `SELECT d.data FROM ${currentRows(table)} WHERE c.id = ? ORDER BY c.block DESC LIMIT 1`;
  return context.get<BridgedRow>(sql, Buffer.from(id, "hex"))?.data;
}

export function depositOf(data: Uint8Array): Deposit {
  const deposit = readDepositAt(data, 0, data.length);
  deposit.id = canonicalIdentifier(deposit.id);
  deposit.partyId = canonicalIdentifier(deposit.partyId);
  deposit.asset = canonicalIdentifier(deposit.asset);
  deposit.amount = BigInt(deposit.amount).toString();
  deposit.creditedTimestamp = truncatedNs(deposit.creditedTimestamp);
  deposit.createdTimestamp = truncatedNs(deposit.createdTimestamp);
  return deposit;
}

const listDeposits = endpoint({
  path: "/api/v2/deposits",
  request: "datanode.api.v2.ListDepositsRequest",
  response: "datanode.api.v2.ListDepositsResponse",
  tag: "Deposits",
  summary: "List deposits",
  description:
    "Every deposit in its current state, by the time of its last update. The date range applies to that time: start inclusive, end exclusive.",
  handle(context, request) {
    const page = context.page(request);
    const partyId = filterParty(request);
    const list = { table: "deposits", partyId, page, node: depositOf } as const;
    return context.query("failed to get deposit", () => ({
      deposits: listBridged(context, request.dateRange, list),
    }));
  },
});

const getDeposit = get({
  path: "/api/v2/deposit/{id}",
  request: "datanode.api.v2.GetDepositRequest",
  response: "datanode.api.v2.GetDepositResponse",
  tag: "Deposits",
  summary: "Get a deposit",
  missing: "failed to get deposit",
  member: "deposit",
  read(context, request) {
    const id = request.id;
    if (id === "") throw invalidArgument("missing deposit ID");
    if (!isHex64(id)) throw invalidArgument("not a valid vega id");
    const data = findBridged(context, "deposits", id);
    return data && depositOf(data);
  },
});

export function withdrawalOf(data: Uint8Array): Withdrawal {
  const withdrawal = readWithdrawalAt(data, 0, data.length);
  withdrawal.id = canonicalIdentifier(withdrawal.id);
  withdrawal.partyId = canonicalIdentifier(withdrawal.partyId);
  withdrawal.asset = canonicalIdentifier(withdrawal.asset);
  withdrawal.amount = BigInt(withdrawal.amount).toString();
  withdrawal.createdTimestamp = truncatedNs(withdrawal.createdTimestamp);
  withdrawal.withdrawnTimestamp = truncatedNs(withdrawal.withdrawnTimestamp);
  // Never null: the original keeps an absent extension as an empty object.
  withdrawal.ext ??= { erc20: undefined };
  return withdrawal;
}

/**
 * The latest state of a withdrawal.
 * @throws ApiError 400 for a missing or malformed id, 404 for an unknown one
 */
function requireWithdrawal(context: DataContext, id: string): Withdrawal {
  if (id === "") throw invalidArgument("missing withdrawal ID");
  if (!isHex64(id)) throw invalidArgument("invalid withdrawal ID");
  const data = findBridged(context, "withdrawals", id);
  if (!data) throw notFound("failed to get withdrawal");
  return withdrawalOf(data);
}

const listWithdrawals = endpoint({
  path: "/api/v2/withdrawals",
  request: "datanode.api.v2.ListWithdrawalsRequest",
  response: "datanode.api.v2.ListWithdrawalsResponse",
  tag: "Withdrawals",
  summary: "List withdrawals",
  description:
    "Every withdrawal in its current state, by the time of its last update. The date range applies to that time: start inclusive, end exclusive.",
  handle(context, request) {
    const partyId = filterParty(request);
    const page = context.page(request);
    const list = { table: "withdrawals", partyId, page, node: withdrawalOf } as const;
    return context.query("failed to get withdrawal", () => ({
      withdrawals: listBridged(context, request.dateRange, list),
    }));
  },
});

const getWithdrawal = endpoint({
  path: "/api/v2/withdrawal/{id}",
  request: "datanode.api.v2.GetWithdrawalRequest",
  response: "datanode.api.v2.GetWithdrawalResponse",
  tag: "Withdrawals",
  summary: "Get a withdrawal",
  handle: (context, request) => ({ withdrawal: requireWithdrawal(context, request.id) }),
});

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

interface SignatureRow extends Row {
  k1: Uint8Array;
  kind: bigint;
}

const listNodeSignatures = endpoint({
  path: "/api/v2/node/signatures",
  request: "datanode.api.v2.ListNodeSignaturesRequest",
  response: "datanode.api.v2.ListNodeSignaturesResponse",
  tag: "Nodes",
  summary: "List node signatures",
  description: "Signatures of validators over the resource `id`, by their bytes.",
  handle(context, request) {
    const id = request.id ?? "";
    if (id === "") throw invalidArgument("missing resource ID");
    const page = context.page(request);
    return context.query(
      "failed to get notary for resource ID",
      () => {
        const resource = identifierBytes(id);
        const resourceId = canonicalIdentifier(id);
        const signatures = context.list<SignatureRow, NodeSignature>({
          query: {
            select: "s.kind",
            from: "node_signatures s",
            where: ["s.resource = ?"],
            params: [resource],
            order: [{ sql: "s.resource" }, { sql: "s.sig" }],
          },
          page,
          key: (cursor) => [cursor.bytes("resource_id"), signatureOf(cursor)],
          cursor: (row) =>
            JSON.stringify({ resource_id: resourceId, sig: Buffer.from(row.k1).toString("base64") }),
          node: (row) => ({ id: resourceId, sig: row.k1, kind: Number(row.kind) }),
        });
        return { signatures };
      },
      `resourceID: ${id.slice(0, 200)}: `,
    );
  },
});

function signatureOf(cursor: CursorReader): Uint8Array {
  const text = cursor.string("sig");
  if (!BASE64.test(text)) throw new CursorError("parsing cursor: member sig is not base64");
  return Buffer.from(text, "base64");
}

const HEX_ADDRESS = /^0x(?:[0-9a-f]{2})*$/;

/** All signatures over a resource in one text, in the order of their bytes; empty, without `0x`, for none. */
export function signaturesOf(context: DataContext, resource: Uint8Array): string {
  const sql = "SELECT sig FROM node_signatures WHERE resource = ? ORDER BY sig";
  const rows = context.all<{ sig: Uint8Array }>(sql, resource);
  return rows.length === 0 ? "" : `0x${rows.map((row) => hexOf(row.sig)).join("")}`;
}

/** Contract address of an ERC20 asset, in its own letter case. @throws ApiError 500 for any other asset */
function contractOf(asset: Asset | undefined): string {
  const address = asset?.details?.erc20?.contractAddress;
  if (!address) throw notErc20();
  return address;
}

function notErc20(): ApiError {
  return internal("invalid erc20 token contract address");
}

/** A 64-digit id read as one number, as the bridge's nonces are made. */
function nonceOf(id: string): string {
  return BigInt(`0x${id}`).toString();
}

const getWithdrawalApproval = endpoint({
  path: "/api/v2/erc20/asset/withdrawal/bundle",
  request: "datanode.api.v2.GetERC20WithdrawalApprovalRequest",
  response: "datanode.api.v2.GetERC20WithdrawalApprovalResponse",
  tag: "ERC20 bridge",
  summary: "Get the bundle that approves a withdrawal",
  description: "Whatever the withdrawal's status; `creation` is in Unix seconds.",
  handle(context, request) {
    const withdrawal = requireWithdrawal(context, request.withdrawalId ?? "");
    const signatures = signaturesOf(context, Buffer.from(withdrawal.id, "hex"));
    return {
      assetSource: contractOf(findAsset(context, withdrawal.asset)),
      amount: withdrawal.amount,
      nonce: withdrawal.ref,
      signatures,
      targetAddress: withdrawal.ext?.erc20?.receiverAddress ?? "",
      creation: withdrawal.createdTimestamp / SECOND_NS,
    };
  },
});

const getListAssetBundle = endpoint({
  path: "/api/v2/erc20/asset/list/bundle",
  request: "datanode.api.v2.GetERC20ListAssetBundleRequest",
  response: "datanode.api.v2.GetERC20ListAssetBundleResponse",
  tag: "ERC20 bridge",
  summary: "Get the bundle that lists an asset on the bridge",
  handle(context, request) {
    const id = request.assetId ?? "";
    if (id === "") throw invalidArgument("missing asset ID");
    if (!isHex64(id)) throw invalidArgument("invalid asset ID");
    const asset = findAsset(context, id);
    if (!asset) throw notFound("failed to get asset for ID");
    return {
      assetSource: contractOf(asset),
      vegaAssetId: asset.id,
      nonce: nonceOf(asset.id),
      signatures: signaturesOf(context, Buffer.from(id, "hex")),
    };
  },
});

const getSetAssetLimitsBundle = endpoint({
  path: "/api/v2/erc20/asset/limits/bundle",
  request: "datanode.api.v2.GetERC20SetAssetLimitsBundleRequest",
  response: "datanode.api.v2.GetERC20SetAssetLimitsBundleResponse",
  tag: "ERC20 bridge",
  summary: "Get the bundle that sets an asset's limits on the bridge",
  handle(context, request) {
    const id = request.proposalId ?? "";
    if (id === "") throw invalidArgument("proposal id is a required parameter");
    if (!isHex64(id)) throw invalidArgument("invalid proposal id");
    const proposalId = Buffer.from(id, "hex");
    const sql =
      "SELECT p.data FROM proposals_current c JOIN proposals p ON p.block = c.block AND p.id = c.id WHERE c.id = ?";
    const row = context.get<{ data: Uint8Array }>(sql, proposalId);
    if (!row) throw notFound("failed to get proposal");
    const update = readProposalAt(row.data, 0, row.data.length).terms?.updateAsset;
    if (!update) throw internal("not an update asset proposal");
    // Proposals are stored whatever asset they name, as in the original.
    const asset = isIdentifier(update.assetId) && findAsset(context, canonicalIdentifier(update.assetId));
    if (!asset) throw notFound("failed to get asset for ID");
    const limits = update.changes?.erc20;
    if (!limits) throw notErc20();
    return {
      assetSource: contractOf(asset),
      vegaAssetId: asset.id,
      nonce: nonceOf(id),
      lifetimeLimit: limits.lifetimeLimit,
      threshold: limits.withdrawThreshold,
      signatures: signaturesOf(context, proposalId),
    };
  },
});

interface SignerRow extends Row {
  signer: string;
  submitter: string;
  nonce: string;
  epoch: bigint;
}

interface SignerNode {
  readonly submitter: string;
  readonly nonce: string;
  readonly timestamp: bigint;
  readonly signatures: string;
  readonly epochSeq: string;
}

type SignersRequest = RequestOf<"datanode.api.v2.ListERC20MultiSigSignerAddedBundlesRequest">;

/** Events of one kind (signers added, or removed) by their own time and signature id. */
function listSigners<N>(
  context: DataContext,
  request: SignersRequest,
  added: boolean,
  node: (signer: string, rest: SignerNode) => N,
): { bundles: Connection<N> } {
  const { nodeId = "", submitter = "", epochSeq = "" } = request;
  const epoch = epochSeq === "" ? undefined : parseEpoch(epochSeq, "epochSql");
  const page = context.page(request);
  const failure = `failed to get ${added ? "added" : "removed"} multisig events`;
  return context.query(failure, () => {
    const conditions = new Conditions();
    conditions.add("s.added = ?", added ? 1 : 0);
    if (nodeId !== "") conditions.add("s.node = ?", context.ids.position(nodeId));
    if (submitter !== "") {
      const address = submitter.toLowerCase();
      if (!HEX_ADDRESS.test(address)) throw new InvalidIdentifier(submitter);
      conditions.add("s.submitter = ?", address);
    }
    if (epoch !== undefined) conditions.add("s.epoch = ?", epoch);
    const bundles = context.list<SignerRow, N>({
      query: {
        select: "s.signer, s.submitter, s.nonce, s.epoch",
        from: "multisig_signers s",
        ...conditions,
        order: [{ sql: "s.time" }, { sql: "s.id" }],
      },
      page,
      key: (cursor) => [cursor.timeUs("vega_time"), cursor.bytes("id")],
      cursor: (row) =>
        JSON.stringify({ vega_time: rfc3339(Number(row.k0)), id: hexOf(row.k1 as Uint8Array) }),
      node: (row) =>
        node(row.signer, {
          submitter: row.submitter,
          nonce: row.nonce,
          timestamp: (row.k0 as bigint) * 1000n,
          signatures: signaturesOf(context, row.k1 as Uint8Array),
          epochSeq: row.epoch.toString(),
        }),
    });
    return { bundles };
  });
}

const listSignerAdded = endpoint({
  path: "/api/v2/erc20/multisigcontrol/signer/added/bundles",
  request: "datanode.api.v2.ListERC20MultiSigSignerAddedBundlesRequest",
  response: "datanode.api.v2.ListERC20MultiSigSignerAddedBundlesResponse",
  tag: "ERC20 bridge",
  summary: "List the bundles that add signers to the multisig contract",
  handle: (context, request) =>
    listSigners(context, request, true, (newSigner, rest) => ({ newSigner, ...rest })),
});

const listSignerRemoved = endpoint({
  path: "/api/v2/erc20/multisigcontrol/signer/removed/bundles",
  request: "datanode.api.v2.ListERC20MultiSigSignerRemovedBundlesRequest",
  response: "datanode.api.v2.ListERC20MultiSigSignerRemovedBundlesResponse",
  tag: "ERC20 bridge",
  summary: "List the bundles that remove signers from the multisig contract",
  description: "A bundle for each validator that may submit it.",
  handle: (context, request) =>
    listSigners(context, request, false, (oldSigner, rest) => ({ oldSigner, ...rest })),
});

export const bridgeEndpoints = [
  listDeposits,
  getDeposit,
  listWithdrawals,
  getWithdrawal,
  listNodeSignatures,
  getWithdrawalApproval,
  getListAssetBundle,
  getSetAssetLimitsBundle,
  listSignerAdded,
  listSignerRemoved,
];
