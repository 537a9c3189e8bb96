// The index of a consensus engine's node, for the block explorer of a sidecar.
import { CometClient, CometError, CometUnreachable } from "../comet/client.ts";
import { NodeError } from "../errors/node-error.ts";
import { Grpc } from "../errors/statuses.ts";
import { ApiError } from "../http/errors.ts";
import type { TxIndex } from "../planes/explorer/comet-source.ts";

/** @param url of the node's RPC */
export function cometIndex(url: string): TxIndex {
  const client = new CometClient(url);
  return {
    height: () => withApiErrors(client.status().then(({ height }) => height)),
    search: (query, page) => withApiErrors(client.searchTxs(query, page)),
  };
}

/** @throws ApiError 503 where the node does not answer */
async function withApiErrors<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CometError || error instanceof CometUnreachable || error instanceof NodeError)
      throw new ApiError(Grpc.unavailable, `the consensus engine cannot be asked: ${error.message}`);
    throw error;
  }
}
