/**
 * `lyra` under Node: a node in the caller's own process needs Bun, whose SQLite and HTTP server it uses. The names are those
 * of src/index.ts, so that an import of them gets this sentence and not the loader's.
 */
import { NodeError } from "../errors/node-error.ts";

function needsBun(): never {
  throw new NodeError(
    "lyra",
    "bun_needed",
    "a node in this process needs Bun, and this is another runtime",
    'under Node start a devnet with: import { startDevnet } from "lyra/devnet"',
  );
}

export {
  needsBun as createDevnet,
  needsBun as DEVNET_RECOVERY_PHRASE,
  needsBun as PartyClient,
  needsBun as startNode,
};

needsBun();
