// lyra wallet network: settings of networks, one file each in the original's form.

import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
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
import { COMMON, usageError } from "./arguments.ts";
import { dim, green, say } from "./terminal.ts";
import { pickVerb } from "./wallet-help.ts";
import { answer, print, readWords } from "./wallet-opening.ts";

export const runNetwork = (argv: string[]): Promise<number> =>
  pickVerb("network", argv, {
    list,
    describe,
    add,
    import: importNetwork,
    rename,
    remove,
    delete: remove,
    locate,
  });

const FETCH_MS = 10_000;
const networksOf = ({ home }: { readonly home?: string | undefined }) =>
  new Networks(networksFolder(home ?? defaultHome()));

async function list(argv: string[]): Promise<number> {
  const [values] = readWords(argv, [], COMMON);
  const networks = networksOf(values);
  const all = networks.names().map((name) => networks.get(name));
  if (values.json) print({ networks: all.map(({ name, metadata }) => ({ name, metadata })) });
  else {
    for (const { name, api } of all)
      process.stdout.write(`${name.padEnd(20)} ${api.rest.hosts.map((host) => plain(host)).join(" ")}\n`);
    if (all.length === 0 && !values.quiet)
      say(dim("there is no network: lyra wallet network add NAME --node-url URL"));
  }
  return ExitCode.done;
}

async function describe(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], COMMON);
  const network = networksOf(values).get(name);
  return answer(values, network, { text: plainJson(JSON.stringify(network, undefined, 2)) });
}

async function add(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], {
    ...COMMON,
    "node-url": { type: "string", multiple: true },
    "chain-id": { type: "string" },
    force: { type: "boolean" },
  });
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
  return put(networksOf(values), network, values);
}

async function importNetwork(argv: string[]): Promise<number> {
  const [values, source] = readWords(argv, ["FILE_OR_URL"], {
    ...COMMON,
    name: { type: "string" },
    force: { type: "boolean" },
  });
  const network = readNetwork(values.name ?? "", await textOf(source));
  if (network.name === "")
    throw usageError("wallet", "the file does not say the network's name: --name NAME");
  return put(networksOf(values), network, values);
}

async function rename(argv: string[]): Promise<number> {
  const [values, name, newName] = readWords(argv, ["NAME", "NEW_NAME"], COMMON);
  networksOf(values).rename(name, newName);
  return answer(values, { name: newName }, { note: green(`${name} is called ${newName} now`) });
}

async function remove(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], COMMON);
  networksOf(values).remove(name);
  return answer(values, { removed: name }, { note: green(`${name} is removed`) });
}

async function locate(argv: string[]): Promise<number> {
  const [values, name] = readWords(argv, ["NAME"], COMMON);
  const networks = networksOf(values);
  networks.get(name);
  const path = networks.locationOf(name);
  return answer(values, { path }, { text: path });
}

interface PutValues {
  readonly force?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

function put(networks: Networks, network: NetworkSettings, values: PutValues): number {
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
