// A core node (`--core URL`): how far a sidecar is behind is counted against its head, and where no `--comet` is given the node
// port is served from it.
import { CometError, CometUnreachable } from "../comet/client.ts";
import { CoreChain } from "../comet/core-chain.ts";
import { CoreClient } from "../comet/core-client.ts";
import { nanosecondsOf } from "../comet/time.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import type { SourceState } from "../http/status.ts";
import { ChainStatus } from "../wire/generated/vega.ts";
import { serveNodePorts } from "./block-follower.ts";
import type { SidecarConfig } from "./sidecar-config.ts";
import { SourceLog } from "./source-log.ts";
import type { SourceStatus } from "./source-status.ts";
import type { ServedHome } from "./start.ts";

const STOP_MS = 500;

interface CoreContext extends ServedHome {
  readonly config: SidecarConfig;
  readonly status: SourceStatus;
  readonly chain: unknown;
}

type CoreNews = Parameters<SourceStatus["set"]>[1] & { readonly state: SourceState; readonly text: string };

/** @throws NodeError when a port of the node is in use */
export async function startCore({ config, status, node, plane, serverStatus, ports, chain }: CoreContext) {
  const { core } = config;
  if (core === undefined) return undefined;
  const client = new CoreClient(core);
  const own = chain instanceof CoreChain ? chain : undefined;
  const server = own && (await serveNodePorts(own, { config, plane, serverStatus, ports }));
  let isStopping = false;
  const log = new SourceLog("sidecar.core", core);
  const tell = (news: CoreNews) => {
    status.set("core", news);
    log.note(news);
  };
  status.set("core", { state: "waiting", text: `${core} was not reached yet` });
  const done = (async () => {
    while (!isStopping) {
      await look(client, tell, node.head()?.chainId, own);
      await Bun.sleep(config.lookMs);
    }
  })();
  return {
    ...(server && { addresses: server.addresses }),
    async stop() {
      isStopping = true;
      await Promise.race([done, Bun.sleep(STOP_MS)]);
    },
  };
}

async function look(
  client: CoreClient,
  tell: (news: CoreNews) => void,
  storedChain: string | undefined,
  own: CoreChain | undefined,
): Promise<void> {
  try {
    const statistics = await client.statistics();
    const { chainId } = statistics;
    if (storedChain !== undefined && chainId !== storedChain) {
      const words = `the core is of chain '${chainId.slice(0, 100)}', and this home holds '${storedChain}'`;
      own?.forgetChain(words);
      tell({ state: "stopped", code: "chain_mismatch", text: words });
      return;
    }
    await own?.update(statistics);
    tell({
      state: "receiving",
      text: "",
      nodeHeight: Number(statistics.blockHeight),
      nodeTimeUs: Number(nanosecondsOf(statistics.vegaTime) / 1_000n),
      isCatchingUp: statistics.status === ChainStatus.CHAIN_STATUS_REPLAYING,
    });
  } catch (error) {
    const isAway = error instanceof CometUnreachable || error instanceof CometError;
    const text =
      isAway || !(error instanceof NodeError)
        ? `${client.url} cannot be reached: ${reasonOf(error)}`
        : error.message;
    own?.setTrouble(text);
    if (error instanceof NodeError && !isAway) tell({ state: "stopped", code: error.code, text });
    else tell({ state: "waiting", text });
  }
}
