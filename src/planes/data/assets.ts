// Assets (docs/protocol/10-data-api-endpoints.md#46-assets).
import { wholeText } from "../../history/csv.ts";
import { internal, invalidArgument, notFound } from "../../http/errors.ts";
import { CursorError, encodeCursor, PaginationError, pageRequest, type Row } from "../../http/pagination.ts";
import { type Asset, readAssetAt } from "../../wire/generated/vega.ts";
import { canonicalIdentifier, InvalidIdentifier, isAssetIdentifier } from "../../wire/identifiers.ts";
import { type Connection, connectionOf, type DataContext, type Paged } from "./context.ts";
import { endpoint, get } from "./entry.ts";

const NO_RESOURCE = "no resource corresponding to this id";
const CURRENT = "assets_current c JOIN assets a ON a.block = c.block AND a.id = c.id";

interface AssetRow extends Row {
  data: Uint8Array;
}

/** The asset as the service shows it: lower-case id, limits never empty, a source only where the event has one. */
export function assetOf(data: Uint8Array): Asset {
  const asset = readAssetAt(data, 0, data.length);
  asset.id = canonicalIdentifier(asset.id);
  const details = asset.details;
  if (!details) return asset;
  // The core's quantum may have decimals, the service's column has none
  // (docs/protocol/60-state-engine-governance.md#56-quantum-uses).
  details.quantum = wholeText(details.quantum);
  if (details.builtinAsset && details.builtinAsset.maxFaucetAmountMint === "")
    details.builtinAsset = undefined;
  if (details.erc20) {
    if (details.erc20.contractAddress === "") details.erc20 = undefined;
    else {
      details.erc20.lifetimeLimit ||= "0";
      details.erc20.withdrawThreshold ||= "0";
    }
  }
  return asset;
}

/** Current state of an asset, undefined if there is none. @throws InvalidIdentifier */
export function findAsset(context: DataContext, id: string): Asset | undefined {
  const interned = context.ids.find(id);
  if (!interned) return undefined;
  const row = context.get<AssetRow>(`SELECT a.data FROM ${CURRENT} WHERE c.id = ?`, interned.ref);
  return row && assetOf(row.data);
}

const listAssets = endpoint({
  path: "/api/v2/assets",
  request: "datanode.api.v2.ListAssetsRequest",
  response: "datanode.api.v2.ListAssetsResponse",
  tag: "Assets",
  summary: "List assets",
  description: "All assets in their current state, by id. With `assetId`, that asset alone, or 404.",
  handle(context, request) {
    const assetId = request.assetId ?? "";
    if (assetId !== "") return { assets: oneAsset(context, assetId) };
    return { assets: pageOfAssets(context, request) };
  },
});

function oneAsset(context: DataContext, assetId: string): Connection<Asset> {
  const prefix = `failed to get asset by ID: ${assetId.slice(0, 200)}: `;
  let asset: Asset | undefined;
  try {
    asset = findAsset(context, assetId);
  } catch (error) {
    if (!(error instanceof InvalidIdentifier)) throw error;
    throw invalidArgument("failed to get asset for ID", prefix + error.message);
  }
  if (!asset) throw notFound("failed to get asset for ID", prefix + NO_RESOURCE);
  const cursor = encodeCursor(JSON.stringify({ id: asset.id }));
  return connectionOf([{ node: asset, cursor }]);
}

function pageOfAssets(context: DataContext, { pagination }: Paged): Connection<Asset> {
  try {
    return context.list<AssetRow, Asset>({
      query: { select: "a.data", from: CURRENT, where: [], params: [], order: [{ sql: "c.id" }] },
      page: pageRequest(pagination, context.limits),
      key: (cursor) => [cursor.ref("id")],
      cursor: (row) => JSON.stringify({ id: context.ids.text(row.k0 as bigint) }),
      node: (row) => assetOf(row.data),
    });
  } catch (error) {
    // The one list that reports bad paging as its own failure (docs/protocol/10-data-api-serving.md#31-input-handling).
    if (error instanceof PaginationError)
      throw internal("failed to get assets", `${error.message}: invalid pagination`);
    if (error instanceof CursorError) throw internal("failed to get assets", error.message);
    throw error;
  }
}

const getAsset = get({
  path: "/api/v2/asset/{asset_id}",
  request: "datanode.api.v2.GetAssetRequest",
  response: "datanode.api.v2.GetAssetResponse",
  tag: "Assets",
  summary: "Get an asset",
  missing: "failed to get asset for ID",
  member: "asset",
  read(context, request) {
    const id = request.assetId;
    if (id === "") throw invalidArgument("missing asset ID");
    if (!isAssetIdentifier(id) && id !== "VOTE") throw invalidArgument("invalid asset ID");
    return findAsset(context, id);
  },
});

export const assetEndpoints = [listAssets, getAsset];
