// GraphQL over the first blocks of the sample, without a port and with one.
import { DEFAULT_LIMITS, type Limits } from "../../../src/http/limits.ts";
import { ServerStatus } from "../../../src/http/status.ts";
import { dataApp, serveData } from "../../../src/planes/data/app.ts";
import { graphqlRoutes } from "../../../src/planes/graphql/routes.ts";
import { StreamedChain, sampleBlocks } from "../../support/streamed-chain.ts";

const BLOCKS = 400;
let blocks: ReturnType<typeof sampleBlocks> | undefined;

export interface Answered {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
  readonly body: any;
  readonly headers: Headers;
}

export async function graphqlRig(limits: Partial<Limits> = {}) {
  blocks ??= sampleBlocks();
  const chain = new StreamedChain(await blocks, { ...DEFAULT_LIMITS, ...limits });
  chain.commit(BLOCKS);
  const status = new ServerStatus();
  const app = dataApp(chain.plane, status, undefined, graphqlRoutes(chain.plane, status));
  const post = async (body: unknown, headers: Record<string, string> = {}): Promise<Answered> => {
    const response = await app.handle(
      new Request("http://localhost/graphql", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), headers: response.headers };
  };
  return {
    chain,
    app,
    post,
    ask: (query: string, variables?: object) => post({ query, variables }),
    /** Listens on a free port. */
    listen: () =>
      serveData(chain.plane, status, {
        host: "127.0.0.1",
        port: 0,
        mounted: graphqlRoutes(chain.plane, status),
      }),
    close: () => chain.close(),
  };
}

export type GraphqlRig = Awaited<ReturnType<typeof graphqlRig>>;
