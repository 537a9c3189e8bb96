// lyra wallet network: settings of networks, one file each in the original's form.

import { NodeError, reasonOf } from "../errors/node-error.ts";
import { requestAnswer } from "../fetch/answer.ts";
import { readShortText } from "../files/short-file.ts";
import { defaultHome } from "../node/config.ts";
import { networksFolder } from "../planes/wallet/start.ts";
import { plain, plainJson } from "../wallet/approvals/formatting.ts";
import { HttpNode } from "../wallet/sending/http-node.ts";
import {
  CHAIN_ID,
  NETWORK_BYTES_MAX,
  type NetworkSettings,
  Networks,
  networkExists,
  readNetwork,
} from "../wallet/service/networks.ts";
import { command, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { NODE_URLS } from "./flags.ts";
import { green } from "./terminal.ts";
import { answer, answerList } from "./wallet-opening.ts";

const NETWORK_NAME = { NAME: { text: "the network" } } as const;
const FORCE = { force: toggle("replace the network of that name") } as const;
const FETCH_MS = 10_000;
const networksOf = ({ home }: { readonly home?: string | undefined }) =>
  new Networks(networksFolder(home ?? defaultHome()));

export const list = command({
  json: "{networks: [{name, metadata}]}",
  async run({ values }) {
    const networks = networksOf(values);
    const all = networks.names().map((name) => networks.get(name));
    return answerList(
      values,
      { networks: all.map(({ name, metadata }) => ({ name, metadata })) },
      {
        lines: all.map(
          ({ name, api }) => `${name.padEnd(20)} ${api.rest.hosts.map((host) => plain(host)).join(" ")}`,
        ),
        nothing: "there is no network: lyra wallet network add NAME --node-url URL",
      },
    );
  },
});

export const describe = command({
  words: NETWORK_NAME,
  json: "the settings, as in the original's file",
  async run({ words: { NAME: name }, values }) {
    const network = networksOf(values).get(name);
    return answer(values, network, { text: plainJson(JSON.stringify(network, undefined, 2)) });
  },
});

export const add = command({
  words: NETWORK_NAME,
  usage: ["NAME --node-url URL... [flags]"],
  flags: {
    "node-url": { ...NODE_URLS["node-url"], text: "a node of it; may come again ($LYRA_NODE_URL)" },
    "chain-id": option("ID", "its chain: no other is sent to"),
    ...FORCE,
  },
  json: "{name, filePath}",
  async run({ words: { NAME: name }, values }) {
    const hosts = values["node-url"] ?? [];
    if (hosts.length === 0) throw usageError("wallet", "say at least one --node-url URL");
    for (const host of hosts) new HttpNode(host);
    const chainId = values["chain-id"];
    const network: NetworkSettings = {
      name,
      metadata: chainId === undefined ? [] : [{ key: CHAIN_ID, value: chainId }],
      api: { grpc: { hosts: [], retries: 0 }, rest: { hosts }, graphQL: { hosts: [] } },
      apps: { explorer: "", console: "", governance: "" },
    };
    return storeNetwork(networksOf(values), network, values);
  },
});

export const importNetwork = command({
  words: { FILE_OR_URL: { text: "a file of the original" } },
  flags: {
    name: option("NAME", "its name here (default: the file's)"),
    ...FORCE,
  },
  json: "{name, filePath}",
  async run({ words: { FILE_OR_URL: source }, values }) {
    const network = readNetwork(values.name ?? "", await textOf(source));
    if (network.name === "")
      throw usageError("wallet", "the file does not say the network's name: --name NAME");
    return storeNetwork(networksOf(values), network, values);
  },
});

export const rename = command({
  words: { ...NETWORK_NAME, NEW_NAME: { text: "a name that is free" } },
  json: "{name}",
  async run({ words: { NAME: name, NEW_NAME: newName }, values }) {
    networksOf(values).rename(name, newName);
    return answer(values, { name: newName }, { note: green(`${name} is called ${newName} now`) });
  },
});

export const remove = command({
  words: NETWORK_NAME,
  json: "{removed}",
  async run({ words: { NAME: name }, values }) {
    networksOf(values).remove(name);
    return answer(values, { removed: name }, { note: green(`${name} is removed`) });
  },
});

export const locate = command({
  words: NETWORK_NAME,
  json: "{path}",
  async run({ words: { NAME: name }, values }) {
    const networks = networksOf(values);
    networks.get(name);
    const path = networks.locationOf(name);
    return answer(values, { path }, { text: path });
  },
});

interface PutValues {
  readonly force?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

function storeNetwork(networks: Networks, network: NetworkSettings, values: PutValues): number {
  if (networks.has(network.name) && !values.force) throw networkExists();
  networks.put(network);
  const filePath = networks.locationOf(network.name);
  return answer(
    values,
    { name: network.name, filePath },
    { note: green(`${plain(network.name)} is kept in ${filePath}`) },
  );
}

async function textOf(source: string): Promise<string> {
  try {
    if (!/^https?:\/\//.test(source)) return readShortText(source, NETWORK_BYTES_MAX);
    const response = await requestAnswer(source, { timeoutMs: FETCH_MS, redirect: "follow" });
    if (response.isOk) return await response.text(NETWORK_BYTES_MAX);
    await response.discard();
    throw new Error(`the server answered ${response.status}`);
  } catch (error) {
    throw new NodeError(
      "wallet.network",
      "network_unreadable",
      `${plain(source)} cannot be read: ${reasonOf(error)}`,
    );
  }
}
