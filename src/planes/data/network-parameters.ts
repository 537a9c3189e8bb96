// Network parameters (reference 10, section 5.11). The one list whose cursor is not JSON but the bare key, and
// which is always ascending. The value of `blockchains.ethereumConfig` is the recorded one, not a fixed text.
import type { Endpoint } from "../../http/endpoint.ts";
import { notFound } from "../../http/errors.ts";
import type { Row } from "../../http/pagination.ts";
import type { DataContext } from "./context.ts";

const FAILURE = "failed to get network parameters";

/** Current value of a parameter, undefined if the network has not told one. */
export function findParameter(context: DataContext, key: string): string | undefined {
  return context.get<{ value: string }>("SELECT value FROM network_parameters_current WHERE key = ?", key)
    ?.value;
}

const listNetworkParameters: Endpoint<DataContext> = {
  path: "/api/v2/network/parameters",
  request: "datanode.api.v2.ListNetworkParametersRequest",
  response: "datanode.api.v2.ListNetworkParametersResponse",
  tag: "Network",
  summary: "List network parameters",
  description: "Current values, ascending by key whatever `pagination.newestFirst` says.",
  handle(context, request) {
    const page = { ...context.page(request), newestFirst: false };
    return context.query(FAILURE, () => {
      const networkParameters = context.list<Row, object>({
        query: {
          select: "p.value",
          from: "network_parameters_current p",
          where: [],
          params: [],
          order: [{ sql: "p.key" }],
        },
        page,
        key: (cursor) => [cursor.text],
        cursor: (row) => row.k0 as string,
        node: (row) => ({ key: row.k0, value: row.value }),
      });
      return { networkParameters };
    });
  },
};

const getNetworkParameter: Endpoint<DataContext> = {
  path: "/api/v2/network/parameters/{key}",
  request: "datanode.api.v2.GetNetworkParameterRequest",
  response: "datanode.api.v2.GetNetworkParameterResponse",
  tag: "Network",
  summary: "Get a network parameter",
  handle(context, request) {
    const key = request.key as string;
    const value = findParameter(context, key);
    if (value === undefined) throw notFound(FAILURE);
    return { networkParameter: { key, value } };
  },
};

export const networkParameterEndpoints = [listNetworkParameters, getNetworkParameter];
