// Data sources: oracle data, its signers and its filters.
// Notation: see ./notation.ts. Fields stand in declaration order, which is the order of JSON members.
import type { PackageSchema } from "./notation.ts";

export const data: PackageSchema = {
  name: "vega.data.v1",
  file: "data",
  messages: {
    Condition: "1 operator Condition.Operator; 2 value string",
    Data: `
      1 signers Signer[]; 2 data Property[]; 3 matched_spec_ids string[]; 4 broadcast_at int64;`,
    ETHAddress: "1 address string",
    ExternalData: "1 data Data",
    Filter: "1 key PropertyKey; 2 conditions Condition[]",
    Property: "1 name string; 2 value string",
    PropertyKey: "1 name string; 2 type PropertyKey.Type; 3 number_decimal_places uint64?",
    PubKey: "1 key string",
    Signer: "1 pub_key PubKey @signer; 2 eth_address ETHAddress @signer",
  },
  enums: {
    "Condition.Operator": `
      0 OPERATOR_UNSPECIFIED; 1 OPERATOR_EQUALS; 2 OPERATOR_GREATER_THAN;
      3 OPERATOR_GREATER_THAN_OR_EQUAL; 4 OPERATOR_LESS_THAN; 5 OPERATOR_LESS_THAN_OR_EQUAL;`,
    "PropertyKey.Type": `
      0 TYPE_UNSPECIFIED; 1 TYPE_EMPTY; 2 TYPE_INTEGER; 3 TYPE_STRING; 4 TYPE_BOOLEAN; 5 TYPE_DECIMAL;
      6 TYPE_TIMESTAMP;`,
  },
};
