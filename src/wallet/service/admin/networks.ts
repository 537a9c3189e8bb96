// Administrative methods about settings of networks.

import { fileURLToPath } from "node:url";
import { NodeError, reasonOf } from "../../../errors/node-error.ts";
import { readShortText } from "../../../files/short-file.ts";
import { shortText } from "../../sending/raw-submission.ts";
import { NETWORK_BYTES_MAX, type NetworkSettings, networkExists, readNetwork } from "../networks.ts";
import { mismatch, Params } from "../params.ts";
import { internalError, invalidParams, isObject, memberOf } from "../rpc.ts";
import type { AdminMethod } from "./shared.ts";

const FETCH_MS = 10_000;

const list: AdminMethod = async ({ networks }) => ({
  networks: networks.names().map((name) => ({ name, metadata: networks.get(name).metadata })),
});

const describe: AdminMethod = async ({ networks }, value) =>
  networks.get(new Params(value).text("name", "network name"));

const update: AdminMethod = async ({ networks }, value) => {
  const params = new Params(value);
  const name = params.text("name", "network name");
  networks.get(name);
  const network = networkOf(name, params);
  if (network.api.grpc.hosts.length === 0 && network.api.rest.hosts.length === 0) {
    throw invalidParams("network configuration does not have any gRPC host set");
  }
  networks.put(network);
};

const importNetwork: AdminMethod = async ({ networks }, value) => {
  const params = new Params(value);
  const url = params.optionalText("url");
  if (url === "") throw invalidParams("a network source is required");
  const text = await sourceOf(url);
  let network: NetworkSettings;
  try {
    network = readNetwork(params.optionalText("name"), text);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw invalidParams(error.message);
  }
  if (network.name === "") throw invalidParams("the network name is required");
  if (networks.has(network.name) && !params.optionalBoolean("overwrite")) throw networkExists();
  networks.put(network);
  return { name: network.name };
};

const remove: AdminMethod = async ({ networks }, value) => {
  networks.remove(new Params(value).text("name", "network name"));
};

function networkOf(name: string, params: Params): NetworkSettings {
  const api = params.optionalParams("api");
  const apps = params.optionalParams("apps");
  const hosts = (kind: string) => api?.optionalParams(kind)?.optionalTexts("hosts") ?? [];
  return {
    name,
    metadata: params.list("metadata").map((entry) => {
      const [key, value] = isObject(entry) ? [memberOf(entry, "key"), memberOf(entry, "value")] : [];
      if (typeof key !== "string" || typeof value !== "string") throw mismatch();
      return { key, value };
    }),
    api: {
      grpc: {
        hosts: hosts("grpc"),
        retries: Number(api?.optionalParams("grpc")?.optionalWhole("retries") ?? 0n),
      },
      rest: { hosts: hosts("rest") },
      graphQL: { hosts: hosts("graphQL") },
    },
    apps: {
      explorer: apps?.optionalText("explorer") ?? "",
      console: apps?.optionalText("console") ?? "",
      governance: apps?.optionalText("governance") ?? "",
    },
  };
}

/** A file's text, from `file://` or the web. A page about a file on GitHub is not such a file. */
async function sourceOf(source: string): Promise<string> {
  const url = URL.parse(source);
  if (url === null || !["file:", "http:", "https:"].includes(url.protocol)) {
    throw invalidParams("the URL is an invalid network source: it begins with http://, https:// or file://");
  }
  const page = /^\/([^/]+)\/([^/]+)\/blob\/(.+\.toml)$/.exec(url.pathname);
  if (url.hostname === "github.com" && page !== null) {
    const raw = `https://raw.githubusercontent.com/${page[1]}/${page[2]}/${page[3]}`;
    throw invalidParams(
      `this is a page about the file, an invalid network source; the file itself is at ${raw}`,
    );
  }
  try {
    if (url.protocol === "file:") return readShortText(fileURLToPath(url), NETWORK_BYTES_MAX);
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return await shortText(response, NETWORK_BYTES_MAX);
  } catch (error) {
    throw internalError(`could not import the network: ${reasonOf(error)}`);
  }
}

export const networkMethods = {
  "admin.list_networks": list,
  "admin.describe_network": describe,
  "admin.update_network": update,
  "admin.import_network": importNetwork,
  "admin.remove_network": remove,
} satisfies Readonly<Record<string, AdminMethod>>;
