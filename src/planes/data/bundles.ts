// What an Ethereum bridge contract wants to see: values and the validators' signatures over them
// (reference 10, sections 4.5 and 5.18).

import type { Endpoint } from "../../http/endpoint.ts";
import { type ApiError, internal, invalidArgument, notFound } from "../../http/errors.ts";
import type { Param, Row } from "../../http/pagination.ts";
import type { RequestFields } from "../../http/query.ts";
import { type Asset, readProposalAt } from "../../wire/generated/vega.ts";
import {
  canonicalIdentifier,
  hexOf,
  InvalidIdentifier,
  isHex64,
  isIdentifier,
} from "../../wire/identifiers.ts";
import { findAsset } from "./assets.ts";
import { rfc3339 } from "./blocks.ts";
import type { Connection, DataContext } from "./context.ts";
import { parseEpoch } from "./epoch-text.ts";
import { requireWithdrawal } from "./withdrawals.ts";

const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const HEX_ADDRESS = /^0x(?:[0-9a-f]{2})*$/;

/** All signatures over a resource in one text, in the order of their bytes; empty, without `0x`, for none. */
function signaturesOf(context: DataContext, resource: Uint8Array): string {
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

const getWithdrawalApproval: Endpoint<DataContext> = {
  path: "/api/v2/erc20/asset/withdrawal/bundle",
  request: "datanode.api.v2.GetERC20WithdrawalApprovalRequest",
  response: "datanode.api.v2.GetERC20WithdrawalApprovalResponse",
  tag: "ERC20 bridge",
  summary: "Get the bundle that approves a withdrawal",
  description: "Whatever the withdrawal's status; `creation` is in Unix seconds.",
  handle(context, request) {
    const withdrawal = requireWithdrawal(context, (request.withdrawalId as string | undefined) ?? "");
    const signatures = signaturesOf(context, Buffer.from(withdrawal.id, "hex"));
    return {
      assetSource: contractOf(findAsset(context, withdrawal.asset)),
      amount: withdrawal.amount,
      nonce: withdrawal.ref,
      signatures,
      targetAddress: withdrawal.ext?.erc20?.receiverAddress ?? "",
      creation: withdrawal.createdTimestamp / NANOSECONDS_PER_SECOND,
    };
  },
};

const getListAssetBundle: Endpoint<DataContext> = {
  path: "/api/v2/erc20/asset/list/bundle",
  request: "datanode.api.v2.GetERC20ListAssetBundleRequest",
  response: "datanode.api.v2.GetERC20ListAssetBundleResponse",
  tag: "ERC20 bridge",
  summary: "Get the bundle that lists an asset on the bridge",
  handle(context, request) {
    const id = (request.assetId as string | undefined) ?? "";
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
};

const getSetAssetLimitsBundle: Endpoint<DataContext> = {
  path: "/api/v2/erc20/asset/limits/bundle",
  request: "datanode.api.v2.GetERC20SetAssetLimitsBundleRequest",
  response: "datanode.api.v2.GetERC20SetAssetLimitsBundleResponse",
  tag: "ERC20 bridge",
  summary: "Get the bundle that sets an asset's limits on the bridge",
  handle(context, request) {
    const id = (request.proposalId as string | undefined) ?? "";
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
};

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

/** Events of one kind (signers added, or removed) by their own time and signature id. */
function listSigners<N>(
  context: DataContext,
  request: RequestFields,
  added: boolean,
  node: (signer: string, rest: SignerNode) => N,
): { bundles: Connection<N> } {
  const { nodeId = "", submitter = "", epochSeq = "" } = request as Record<string, string | undefined>;
  const epoch = epochSeq === "" ? undefined : parseEpoch(epochSeq, "epochSql");
  const page = context.page(request);
  const failure = `failed to get ${added ? "added" : "removed"} multisig events`;
  return context.query(failure, () => {
    const where = ["s.added = ?"];
    const params: Param[] = [added ? 1 : 0];
    if (nodeId !== "") {
      where.push("s.node = ?");
      params.push(context.ids.position(nodeId));
    }
    if (submitter !== "") {
      const address = submitter.toLowerCase();
      if (!HEX_ADDRESS.test(address)) throw new InvalidIdentifier(submitter);
      where.push("s.submitter = ?");
      params.push(address);
    }
    if (epoch !== undefined) {
      where.push("s.epoch = ?");
      params.push(epoch);
    }
    const bundles = context.list<SignerRow, N>({
      query: {
        select: "s.signer, s.submitter, s.nonce, s.epoch",
        from: "multisig_signers s",
        where,
        params,
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

const listSignerAdded: Endpoint<DataContext> = {
  path: "/api/v2/erc20/multisigcontrol/signer/added/bundles",
  request: "datanode.api.v2.ListERC20MultiSigSignerAddedBundlesRequest",
  response: "datanode.api.v2.ListERC20MultiSigSignerAddedBundlesResponse",
  tag: "ERC20 bridge",
  summary: "List the bundles that add signers to the multisig contract",
  handle: (context, request) =>
    listSigners(context, request, true, (newSigner, rest) => ({ newSigner, ...rest })),
};

const listSignerRemoved: Endpoint<DataContext> = {
  path: "/api/v2/erc20/multisigcontrol/signer/removed/bundles",
  request: "datanode.api.v2.ListERC20MultiSigSignerRemovedBundlesRequest",
  response: "datanode.api.v2.ListERC20MultiSigSignerRemovedBundlesResponse",
  tag: "ERC20 bridge",
  summary: "List the bundles that remove signers from the multisig contract",
  description: "One for each validator that may submit it.",
  handle: (context, request) =>
    listSigners(context, request, false, (oldSigner, rest) => ({ oldSigner, ...rest })),
};

export const bundleEndpoints = [
  getWithdrawalApproval,
  getListAssetBundle,
  getSetAssetLimitsBundle,
  listSignerAdded,
  listSignerRemoved,
];
