/** Data brought to the chain (reference 30, section 4.11). */
import type { OracleDataSubmission } from "../generated/commands.ts";
import { all, type Check } from "./check.ts";
import { choice, required } from "./fields.ts";

export const oracleDataSubmission: Check<OracleDataSubmission> = all(
  required("oracle_data_submission.payload", (command) => command.payload),
  choice(
    "oracle_data_submission.source",
    (command) => command.source,
    "vega.commands.v1.OracleDataSubmission.OracleSource",
  ),
);
