// The head of a core node (`--core URL`), by its REST API: how far a sidecar is behind is counted against it.
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { ChainHead } from "../store/head.ts";
import type { SidecarConfig } from "./sidecar-config.ts";
import type { SourceStatus } from "./source-status.ts";

const LOOK_MS = 1_000;
const TIMEOUT_MS = 5_000;
const ANSWER_CHARACTERS_MAX = 1_000_000;

interface CoreContext {
  readonly config: SidecarConfig;
  readonly status: SourceStatus;
  readonly node: { head(): ChainHead | undefined };
}

export async function startCoreHead({ config, status, node }: CoreContext) {
  const { core } = config;
  if (core === undefined) return undefined;
  const stopping = new AbortController();
  status.set("core", { state: "waiting", text: `${core} was not reached yet` });
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await look(core, status, node.head()?.chainId, stopping.signal);
      await Bun.sleep(LOOK_MS);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await Promise.race([done, Bun.sleep(0)]);
    },
  };
}

async function look(
  core: string,
  status: SourceStatus,
  ownChain: string | undefined,
  stopping: AbortSignal,
): Promise<void> {
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(`${core}/statistics`, { redirect: "error", signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`status ${response.status}`);
    const { chainId, height, timeUs, isReplaying } = statisticsOf(text.slice(0, ANSWER_CHARACTERS_MAX));
    if (ownChain !== undefined && chainId !== ownChain) {
      const words = `the core is of chain '${chainId.slice(0, 100)}', and this home holds '${ownChain}'`;
      status.set("core", { state: "stopped", code: "chain_mismatch", text: words });
      return;
    }
    status.set("core", {
      state: "receiving",
      text: "",
      nodeHeight: height,
      nodeTimeUs: timeUs,
      isCatchingUp: isReplaying,
    });
  } catch (error) {
    if (stopping.aborted) return;
    if (error instanceof NodeError)
      status.set("core", { state: "stopped", code: error.code, text: error.message });
    else status.set("core", { state: "waiting", text: `${core} cannot be reached: ${reasonOf(error)}` });
  }
}

/** @throws NodeError for what is not a core's statistics (reference 30, section 5.1) */
function statisticsOf(text: string) {
  try {
    const { statistics } = JSON.parse(text) as { statistics: Record<string, unknown> };
    const height = Number(statistics.blockHeight);
    const timeUs = Date.parse(String(statistics.vegaTime)) * 1_000;
    const chainId = String(statistics.chainId);
    if (!Number.isSafeInteger(height) || Number.isNaN(timeUs)) throw new Error("no height");
    return { chainId, height, timeUs, isReplaying: statistics.status === "CHAIN_STATUS_REPLAYING" };
  } catch {
    throw new NodeError(
      "sidecar.core",
      "source_unusable",
      "the answer at --core is not a core's statistics",
      "give the address of its REST API, such as http://127.0.0.1:3003",
    );
  }
}
