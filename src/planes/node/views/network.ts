// Views of the network as a whole: parameters, limits, validators, assets.

import { readValidatorUpdateAt, type ValidatorUpdate } from "../../../wire/generated/events.ts";
import { readAssetAt, readNetworkLimitsAt } from "../../../wire/generated/vega.ts";
import { endpoint } from "../../data/entry.ts";
import { Filter } from "./filter.ts";

const TAG = "State of the network";

interface MessageRow {
  readonly data: Uint8Array;
}

const networkParameters = endpoint({
  path: "/network/parameters",
  request: "vega.api.v1.ListNetworkParametersRequest",
  response: "vega.api.v1.ListNetworkParametersResponse",
  tag: TAG,
  summary: "List network parameters",
  description: "Current values, by key. With `networkParameterKey`, that one alone, or none.",
  narrowing: "give networkParameterKey",
  handle(context, request) {
    const filter = new Filter(context);
    const key = request.networkParameterKey ?? "";
    if (key !== "") filter.equal("key", key);
    const from = "key, value FROM network_parameters_current";
    return { networkParameters: filter.rows<object>(from, "key", "give networkParameterKey") };
  },
});

const networkLimits = endpoint({
  path: "/network/limits",
  request: "vega.api.v1.ListNetworkLimitsRequest",
  response: "vega.api.v1.ListNetworkLimitsResponse",
  tag: TAG,
  summary: "Get what may be proposed",
  handle(context) {
    const row = context.get<MessageRow>("SELECT data FROM network_limits ORDER BY block DESC LIMIT 1");
    return { networkLimits: row && readNetworkLimitsAt(row.data, 0, row.data.length) };
  },
});

const assets = endpoint({
  path: "/assets",
  request: "vega.api.v1.ListAssetsRequest",
  response: "vega.api.v1.ListAssetsResponse",
  tag: TAG,
  summary: "List assets",
  description: "By id. With `asset`, that one alone, or none.",
  narrowing: "give asset",
  handle(context, request) {
    const rows = new Filter(context)
      .reference("c.id", request.asset ?? "")
      .rows<MessageRow>(
        "a.data FROM assets_current c JOIN assets a ON a.block = c.block AND a.id = c.id",
        "c.id",
        "give asset",
      );
    return { assets: rows.map(({ data }) => readAssetAt(data, 0, data.length)) };
  },
});

interface NodeRow extends MessageRow {
  readonly pub_key: string;
  readonly ethereum_address: string;
}

const validators = endpoint({
  path: "/validators",
  request: "vega.api.v1.ListValidatorsRequest",
  response: "vega.api.v1.ListValidatorsResponse",
  tag: TAG,
  summary: "List validators",
  description: "The latest update of each node, by node id, with the keys that it has now.",
  narrowing: "the data API has pages",
  handle(context) {
    const rows = new Filter(context).rows<NodeRow>(
      "pub_key, ethereum_address, data FROM nodes",
      "id",
      "the data API has pages",
    );
    return { validators: rows.map(validatorOf) };
  },
});

/** Keys that were rotated since the update are the new ones; one that was not stays spelled as it came. */
function validatorOf({ data, pub_key, ethereum_address }: NodeRow): ValidatorUpdate {
  const update = readValidatorUpdateAt(data, 0, data.length);
  if (update.vegaPubKey.toLowerCase() !== pub_key) update.vegaPubKey = pub_key;
  if (update.ethereumAddress.toLowerCase() !== ethereum_address) update.ethereumAddress = ethereum_address;
  return update;
}

export const networkViews = [networkParameters, networkLimits, assets, validators];
