// Requests and replies of the block explorer (docs/protocol/95-graphql-explorer.md#13-block-explorer-api).
// Notation: see ./notation.ts. Fields stand in declaration order, which is the order of JSON members.
import type { PackageSchema } from "./notation.ts";

export const explorer: PackageSchema = {
  name: "blockexplorer.api.v1",
  file: "explorer",
  messages: {
    GetTransactionRequest: "1 hash string",
    GetTransactionResponse: "1 transaction Transaction",
    InfoRequest: "",
    InfoResponse: "1 version string; 2 commit_hash string",
    // On the wire the filters are a map from text to text.
    ListTransactionsRequest: `
      1 limit uint32; 2 before string?; 3 after string?; 4 filters ListTransactionsRequest.FiltersEntry[];`,
    "ListTransactionsRequest.FiltersEntry": "1 key string; 2 value string",
    ListTransactionsResponse: "3 transactions Transaction[]",
    Transaction: `
      1 block uint64; 2 index uint32; 3 hash string; 4 submitter string; 5 type string; 6 code uint32;
      7 cursor string; 8 command vega.commands.v1.InputData; 9 signature vega.commands.v1.Signature;
      10 error string?;`,
  },
  enums: {},
};
