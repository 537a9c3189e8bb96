// Administrative methods about settings of networks.

import { existsSync } from "node:fs";
import { reasonOf } from "../../../errors/node-error.ts";
import { requestAnswer } from "../../../fetch/answer.ts";
import { readShortText } from "../../../files/short-file.ts";
import {
  NETWORK_BYTES_MAX,
  type NetworkSettings,
  networkExists,
  networkProblem,
  readNetwork,
} from "../networks.ts";
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
  const network = readNetwork(params.optionalText("name"), await sourceOf(url));
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

const FILE = "file://";
const INVALID = "invalid network source";

/** The text of a network's file, from `file://` and a path, or the web. A page about a file on GitHub is not such a file. */
async function sourceOf(source: string): Promise<string> {
  const shown = (text: string) => JSON.stringify(text);
  if (source.startsWith(FILE)) {
    const path = source.slice(FILE.length);
    if (!existsSync(path)) throw invalidParams(`the network source file does not exist: ${INVALID}`);
    const failure = `could not read the network configuration at ${shown(path)}`;
    return readable("network source file is empty", failure, () => readShortText(path, NETWORK_BYTES_MAX));
  }
  const url = URL.parse(source);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw invalidParams(`the URL is an ${INVALID}: it begins with http://, https:// or file://`);
  }
  const page = /^(.*?)\/blob(\/.+\.toml)$/.exec(url.pathname);
  if (url.hostname === "github.com" && page !== null) {
    const raw = `${url.protocol}//raw.githubusercontent.com${page[1]}${page[2]}`;
    throw invalidParams(`this is a page about the file, an ${INVALID}; the file itself is at ${raw}`);
  }
  const failure = `could not fetch the network configuration from ${shown(source)}`;
  return readable("network source url points to an empty file", failure, async () => {
    const answer = await requestAnswer(url, { timeoutMs: FETCH_MS, redirect: "follow" });
    if (answer.isOk) return answer.text(NETWORK_BYTES_MAX);
    await answer.discard();
    throw new Error(`the server answered ${answer.status}`);
  });
}

async function readable(empty: string, failure: string, read: () => string | Promise<string>) {
  let text: string;
  try {
    text = await read();
  } catch (error) {
    throw internalError(`${failure}: ${reasonOf(error)}`);
  }
  if (text === "") throw invalidParams(`${empty}: ${INVALID}`);
  const problem = networkProblem(text);
  if (problem !== undefined) throw internalError(`${failure}: ${problem}`);
  return text;
}

export const networkMethods = {
  "admin.list_networks": list,
  "admin.describe_network": describe,
  "admin.update_network": update,
  "admin.import_network": importNetwork,
  "admin.remove_network": remove,
} satisfies Readonly<Record<string, AdminMethod>>;
