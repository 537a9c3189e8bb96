// Oracle specs and oracle data (docs/protocol/10-data-api-serving.md#32-cursor-encoding).

import { BUILTIN_TIME } from "../../engine/markets/oracles.ts";
import { invalidArgument, notFound } from "../../http/errors.ts";
import type { KeyValue, Param, Row } from "../../http/pagination.ts";
import { type Filter, PropertyKeyType } from "../../wire/generated/data.ts";
import {
  type DataSourceDefinition,
  type OracleData,
  type OracleSpec,
  readOracleDataAt,
  readOracleSpecAt,
} from "../../wire/generated/vega.ts";
import { canonicalIdentifier, hexOf, identifierBytes, isHex64 } from "../../wire/identifiers.ts";
import { type CursorReader, truncatedNs } from "./context.ts";
import { endpoint, list } from "./entry.ts";
import { lenientIdentifier } from "./values.ts";

/** The newest row of each spec. */
const CURRENT_SPEC = "s.block = (SELECT max(n.block) FROM oracle_specs n WHERE n.id = s.id)";

interface DataRow extends Row {
  data: Uint8Array;
}

/** Filters of the chain's own time: of its conditions the first alone counts. */
function timeFilters(definition: DataSourceDefinition | undefined): Filter[] {
  const conditions = (definition?.internal?.time?.conditions ?? []).slice(0, 1);
  if (conditions.length === 0) return [];
  const type = PropertyKeyType.TYPE_TIMESTAMP;
  return [{ key: { name: BUILTIN_TIME, type, numberDecimalPlaces: undefined }, conditions }];
}

/** A spec as the service shows it: by signers and filters, which is all that it keeps of a source, also of an internal one. */
export function specOf(data: Uint8Array): OracleSpec {
  const oracleSpec = readOracleSpecAt(data, 0, data.length);
  const spec = oracleSpec.externalDataSourceSpec?.spec;
  if (spec) {
    const oracle = spec.data?.external?.oracle ?? { signers: [], filters: timeFilters(spec.data) };
    spec.data = { internal: undefined, external: { oracle } };
    spec.id = canonicalIdentifier(spec.id);
    spec.createdAt = truncatedNs(spec.createdAt);
    spec.updatedAt = truncatedNs(spec.updatedAt);
  }
  return oracleSpec;
}

export function dataOf(data: Uint8Array): OracleData {
  const oracleData = readOracleDataAt(data, 0, data.length);
  const external = oracleData.externalData?.data;
  if (external) {
    external.matchedSpecIds = external.matchedSpecIds.map(lenientIdentifier);
    external.broadcastAt = truncatedNs(external.broadcastAt);
  }
  return oracleData;
}

const listOracleSpecs = list({
  path: "/api/v2/oracle/specs",
  request: "datanode.api.v2.ListOracleSpecsRequest",
  response: "datanode.api.v2.ListOracleSpecsResponse",
  tag: "Oracles",
  summary: "List oracle specs",
  description: "Each spec in its current state, by id.",
  failure: "failed retrieve data for oracle specs",
  member: "oracleSpecs",
  rows(context, page) {
    return context.list<DataRow, OracleSpec>({
      query: {
        select: "s.data",
        from: "oracle_specs s",
        where: [CURRENT_SPEC],
        params: [],
        order: [{ sql: "s.id" }, { sql: "s.block" }],
      },
      page,
      key: (cursor) => [cursor.bytes("id"), cursor.block("vegaTime")],
      cursor: (row) =>
        JSON.stringify({ vegaTime: context.cursorTime(row.k1!), id: hexOf(row.k0 as Uint8Array) }),
      node: (row) => specOf(row.data),
    });
  },
});

const getOracleSpec = endpoint({
  path: "/api/v2/oracle/spec/{oracle_spec_id}",
  request: "datanode.api.v2.GetOracleSpecRequest",
  response: "datanode.api.v2.GetOracleSpecResponse",
  tag: "Oracles",
  summary: "Get an oracle spec",
  handle(context, request) {
    const id = request.oracleSpecId;
    if (id === "") throw invalidArgument("missing oracle spec ID");
    if (!isHex64(id)) throw invalidArgument("invalid oracle spec ID");
    const sql = "SELECT data FROM oracle_specs WHERE id = ? ORDER BY block DESC LIMIT 1";
    const row = context.get<DataRow>(sql, Buffer.from(id, "hex"));
    if (!row)
      throw notFound(
        "failed retrieve data for oracle spec",
        `OracleSpecId: ${id}: no resource corresponding to this id`,
      );
    return { oracleSpec: specOf(row.data) };
  },
});

const listOracleData = endpoint({
  path: "/api/v2/oracle/data",
  request: "datanode.api.v2.ListOracleDataRequest",
  response: "datanode.api.v2.ListOracleDataResponse",
  tag: "Oracles",
  summary: "List oracle data",
  description:
    "By time. With `oracleSpecId` all that matched that spec; without it, of data that agree in specs and values, the last.",
  handle(context, request) {
    const page = context.page(request);
    const specId = request.oracleSpecId ?? "";
    return context.query("failed retrieve data for oracle data", () => {
      const [table, where, params]: [string, string[], Param[]] =
        specId === ""
          ? ["oracle_data_current", [], []]
          : ["oracle_data_by_spec", ["k.spec = ?"], [identifierBytes(specId)]];
      const oracleData = context.list<DataRow, OracleData>({
        query: {
          select: "d.data",
          from: `${table} k CROSS JOIN oracle_data d ON d.block = k.block AND d.ord = k.ord`,
          where,
          params,
          order: [{ sql: "k.block" }, { sql: "k.ord" }],
        },
        page,
        key: dataKey,
        cursor: (row) =>
          JSON.stringify({
            vegaTime: context.cursorTime(row.k0!),
            signers: signersOf(row.data),
            ord: Number(row.k1),
          }),
        node: (row) => dataOf(row.data),
      });
      return { oracleData };
    });
  },
});

/** Signers have no order in the store, so `ord` names the place in a block. */
function dataKey(cursor: CursorReader): KeyValue[] {
  const block = cursor.block("vegaTime");
  return cursor.has("ord") ? [block, cursor.number("ord")] : [block];
}

function signersOf(data: Uint8Array): string[] {
  const signers = readOracleDataAt(data, 0, data.length).externalData?.data?.signers ?? [];
  return signers.map((signer) => signer.pubKey?.key ?? signer.ethAddress?.address ?? "");
}

export const oracleEndpoints = [listOracleSpecs, getOracleSpec, listOracleData];
