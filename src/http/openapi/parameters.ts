// Parameters of a request from the descriptor of its message, under the rules of
// docs/protocol/10-data-api-serving.md#14-query-parameter-parsing.
import { descriptionOf } from "../../wire/descriptions.ts";
import { type FieldDescriptor, messageDescriptor } from "../../wire/descriptors.ts";
import { enumSchema, INT64, UINT64 } from "./schemas.ts";
import type { Parameter, Schema } from "./types.ts";

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: "string" },
  bytes: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  uint32: { type: "integer", format: "uint32", minimum: 0, maximum: 4_294_967_295 },
  int64: INT64,
  uint64: UINT64,
  float: { type: "number" },
  double: { type: "number" },
};

/** Parameters without which the request is refused. */
const REQUIRED: ReadonlySet<string> = new Set([
  "GetERC20WithdrawalApprovalRequest.withdrawalId",
  "GetERC20ListAssetBundleRequest.assetId",
  "GetERC20SetAssetLimitsBundleRequest.proposalId",
  "ListNodeSignaturesRequest.id",
  "EstimateFeeRequest.marketId",
  "EstimateFeeRequest.price",
  "EstimateFeeRequest.size",
  "EstimateMarginRequest.marketId",
  "EstimateMarginRequest.side",
  "EstimateMarginRequest.size",
  "EstimatePositionRequest.marketId",
  "ListCandleDataRequest.candleId",
  "ListCandleIntervalsRequest.marketId",
  "ExportLedgerEntriesRequest.partyId",
  "ExportLedgerEntriesRequest.assetId",
  "ExportNetworkHistoryRequest.table",
  "ExportNetworkHistoryRequest.fromBlock",
  "ExportNetworkHistoryRequest.toBlock",
]);

/** Parameters in the path and in the query, in the order of the message. */
export function requestParameters(request: string, path: string): Parameter[] {
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!));
  const parameters: Parameter[] = [];
  collect(request, { message: request, prefix: "", description: "" }, inPath, parameters);
  return parameters;
}

/** Where a member stands in a request: in the request itself, or below one of its members. */
interface Place {
  readonly message: string;
  /** `filter.` */
  readonly prefix: string;
  /** Of the members above. */
  readonly description: string;
}

function collect(
  request: string,
  { message, prefix, description }: Place,
  inPath: ReadonlySet<string>,
  parameters: Parameter[],
): void {
  for (const field of messageDescriptor(message).fields) {
    const own = descriptionOf(message, field.jsonName) ?? "";
    const whole = description === "" ? own : `${description} ${own}`;
    const name = prefix + field.jsonName;
    if (prefix === "" && inPath.has(field.name)) {
      parameters.push({
        name: field.name,
        in: "path",
        description: whole,
        required: true,
        schema: scalarSchema(field),
      });
    } else if (field.kind !== "message") {
      parameters.push(queryParameter(request, name, whole, field));
    } else if (!field.repeated) {
      // A query has no form for a list of messages.
      const inner = { message: field.typeName, prefix: `${name}.`, description: whole };
      collect(request, inner, inPath, parameters);
    }
  }
}

function queryParameter(
  request: string,
  name: string,
  description: string,
  field: FieldDescriptor,
): Parameter {
  const value = scalarSchema(field);
  const isRequired = REQUIRED.has(`${localName(request)}.${name}`);
  return {
    name,
    in: "query",
    description,
    ...(isRequired ? { required: true } : {}),
    ...(field.repeated ? { style: "form", explode: true } : {}),
    schema: field.repeated ? { type: "array", items: value } : value,
  };
}

function scalarSchema(field: FieldDescriptor): Schema {
  if (field.kind !== "enum") return SCALARS[field.kind]!;
  return enumSchema(field.typeName);
}

/** `ListAssetsRequest` of `datanode.api.v2.ListAssetsRequest`. */
export function localName(fullName: string): string {
  return fullName.slice(fullName.lastIndexOf(".") + 1);
}
