/** `lyra replay --re-execute` by the sources, also of networks before 0.71: bun scripts/re-execute.ts RECORDING.evts[.gz] [--rules default] [--show N] [--json] */
import { parseArgs } from "node:util";
import { reExecute } from "../src/cli/re-execute.ts";
import { NodeError } from "../src/errors/node-error.ts";
import { NetworkBefore071 } from "./older-networks.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rules: { type: "string", default: "0.71.6" },
    show: { type: "string", default: "3" },
    json: { type: "boolean", default: false },
  },
});
if (positionals.length === 0) {
  console.error("usage: bun scripts/re-execute.ts RECORDING.evts[.gz] [--rules default] [--show N] [--json]");
  process.exit(2);
}
const { show, json } = values;
const rules = values.rules === "default" ? "default" : "0.71.6";
try {
  process.exitCode = await reExecute(positionals, {
    ...{ rules, show: Number(show), json, quiet: true },
    older: () => new NetworkBefore071(),
  });
} catch (error) {
  if (!(error instanceof NodeError)) throw error;
  console.error([error.message, error.hint].join("\n"));
  process.exitCode = 1;
}
