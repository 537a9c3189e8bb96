// Settings of networks: one TOML file each, in the original's form
// (docs/protocol/50-wallet-transactions.md#61-network-configuration-toml), so that its files can be used as they are.
// Lyra talks to the REST hosts; the gRPC hosts are kept.

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf, NodeError, reasonOf } from "../../errors/node-error.ts";
import type { MessageOf, ProgramCode } from "../../errors/program-codes.ts";
import { readShortText } from "../../files/short-file.ts";
import {
  confirm,
  type FileSteps,
  moveToFree,
  realSteps,
  removeOldLeftovers,
  writeFileWhole,
} from "../../files/whole-file.ts";
import { walletError } from "../errors.ts";

export interface NetworkSettings {
  readonly name: string;
  readonly metadata: readonly { readonly key: string; readonly value: string }[];
  readonly api: {
    readonly grpc: { readonly hosts: readonly string[]; readonly retries: number };
    readonly rest: { readonly hosts: readonly string[] };
    readonly graphQL: { readonly hosts: readonly string[] };
  };
  readonly apps: { readonly explorer: string; readonly console: string; readonly governance: string };
}

/** Bytes of a network's file. */
export const NETWORK_BYTES_MAX = 256 * 1024;
const EXTENSION = ".toml";
/** Key of the metadata that names the chain: nodes of other chains are then not used. */
export const CHAIN_ID = "chain-id";

export class Networks {
  constructor(
    private readonly folder: string,
    private readonly steps: FileSteps = realSteps,
    /** The time of day, Unix milliseconds. */
    private readonly wallMs: () => number = Date.now,
  ) {}

  /** Sorted. */
  names(): string[] {
    try {
      return readdirSync(this.folder)
        .filter((file) => file.endsWith(EXTENSION) && !file.startsWith("."))
        .map((file) => file.slice(0, -EXTENSION.length))
        .sort();
    } catch {
      return [];
    }
  }

  has(name: string): boolean {
    return this.names().includes(name);
  }

  /** @throws NodeError `network_unknown`, `network_invalid` */
  get(name: string): NetworkSettings {
    if (!this.has(checkName(name))) throw networkUnknown();
    const path = this.locationOf(name);
    let text: string;
    try {
      text = readShortText(path, NETWORK_BYTES_MAX);
    } catch (error) {
      throw invalid(`${path} cannot be read: ${reasonOf(error)}`);
    }
    return readNetwork(name, text);
  }

  put(network: NetworkSettings): void {
    const path = this.locationOf(network.name);
    this.attempt(path, () => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileWhole(path, Buffer.from(networkToml(network)), this.steps);
    });
  }

  remove(name: string): void {
    if (!this.has(checkName(name))) throw networkUnknown();
    const path = this.locationOf(name);
    this.attempt(path, () => this.steps.remove(path));
    confirm(path, this.steps);
  }

  rename(name: string, newName: string): void {
    if (!this.has(checkName(name))) throw networkUnknown();
    if (this.has(checkName(newName))) throw networkExists();
    const newPath = this.locationOf(newName);
    this.attempt(newPath, () => moveToFree(this.locationOf(name), newPath, this.steps));
    confirm(newPath, this.steps);
  }

  locationOf(name: string): string {
    return join(this.folder, `${checkName(name)}${EXTENSION}`);
  }

  private attempt(path: string, change: () => void): void {
    // There is no lock here: several may write at once.
    removeOldLeftovers(this.folder, this.wallMs(), this.steps);
    try {
      change();
    } catch (error) {
      if (error instanceof NodeError) throw error;
      const code = codeOf(error);
      if (code === "EEXIST") throw networkExists();
      throw walletError("file_unwritable", `${path} cannot be written: ${code ?? reasonOf(error)}`);
    }
  }
}

/**
 * Reads a file; keys are matched in any case, and files without a version are of the first one.
 * @param name the network's; a file of somebody else's may bring its own
 */
export function readNetwork(name: string, text: string): NetworkSettings {
  const problem = networkProblem(text);
  if (problem !== undefined) throw invalid(problem);
  const parsed = lowerKeys(Bun.TOML.parse(text));
  const file = tableOf(parsed);
  const api = tableOf(file.api);
  const grpc = tableOf(api.grpc);
  const isFirstVersion = file.fileversion !== 2;
  const apps = tableOf(file.apps);
  return {
    name: name === "" ? textOf(file.name) : name,
    metadata: (Array.isArray(file.metadata) ? file.metadata : []).map((entry) => {
      const { key, value } = tableOf(entry);
      return { key: textOf(key), value: textOf(value) };
    }),
    api: {
      grpc: { hosts: hostsOf(grpc.hosts), retries: Number(grpc.retries ?? 0) || 0 },
      rest: { hosts: hostsOf(tableOf(api.rest).hosts) },
      graphQL: { hosts: hostsOf(tableOf(api.graphql).hosts) },
    },
    apps: {
      explorer: textOf(apps.explorer),
      console: textOf(isFirstVersion ? tableOf(file.console).url : apps.console),
      governance: textOf(isFirstVersion ? tableOf(file.tokendapp).url : apps.governance),
    },
  };
}

/** Why a text cannot be read as a network's file; undefined where it can. */
export function networkProblem(text: string): string | undefined {
  if (text.length > NETWORK_BYTES_MAX) return "the file is too large";
  try {
    Bun.TOML.parse(text);
    return undefined;
  } catch {
    const kind = OTHER_KINDS[text.trimStart()[0] ?? ""];
    if (kind === undefined) return "it is not TOML";
    return `the content looks like it contains ${kind}, be sure your file has TOML formatting`;
  }
}

/** By their first character, with which no TOML begins. */
const OTHER_KINDS: Readonly<Record<string, string>> = { "<": "HTML", "{": "JSON" };

function networkToml({ metadata, api, apps }: NetworkSettings): string {
  const text = (value: string) => JSON.stringify(value);
  const hosts = (list: readonly string[]) => `[${list.map(text).join(", ")}]`;
  const lines = [
    "FileVersion = 2",
    "",
    ...metadata.flatMap(({ key, value }) => [
      "[[Metadata]]",
      `Key = ${text(key)}`,
      `Value = ${text(value)}`,
      "",
    ]),
    "[API]",
    "[API.GRPC]",
    `Hosts = ${hosts(api.grpc.hosts)}`,
    `Retries = ${api.grpc.retries}`,
    "[API.REST]",
    `Hosts = ${hosts(api.rest.hosts)}`,
    "[API.GraphQL]",
    `Hosts = ${hosts(api.graphQL.hosts)}`,
    "",
    "[Apps]",
    `Console = ${text(apps.console)}`,
    `Governance = ${text(apps.governance)}`,
    `Explorer = ${text(apps.explorer)}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** The chain that a network says it is; undefined where it does not. */
export function chainIdOf({ metadata }: NetworkSettings): string | undefined {
  return metadata.find(({ key }) => key === CHAIN_ID)?.value;
}

const networkUnknown = () => networkError("network_unknown", "the network does not exist");
export const networkExists = () =>
  networkError("network_exists", "a network with the same name already exists");

/** A network's name must be fit for a file's name (docs/protocol/50-wallet-transactions.md#61-network-configuration-toml). */
function checkName(name: string): string {
  if (name !== "" && !name.startsWith(".") && !/[/\\\p{C}]/u.test(name) && name.length <= 200) return name;
  throw networkError("network_name_invalid", "the network's name is not valid");
}

/** With all keys in small letters; tables whose names differ by their case only are one. */
function lowerKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerKeys);
  if (typeof value !== "object" || value === null) return value;
  const lower: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const name = key.toLowerCase();
    const next = lowerKeys(member);
    const isBothTables = isTable(lower[name]) && isTable(next);
    lower[name] = isBothTables ? { ...(lower[name] as object), ...(next as object) } : next;
  }
  return lower;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function tableOf(value: unknown): Readonly<Record<string, unknown>> {
  return isTable(value) ? value : {};
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const hostsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((host) => textOf(host) !== "") : [];

function networkError<Code extends ProgramCode>(code: Code, message: MessageOf<Code>): NodeError {
  return new NodeError("wallet.network", code, message, "see which there are: lyra wallet network list");
}

function invalid(why: string): NodeError {
  return new NodeError(
    "wallet.network",
    "network_invalid",
    `invalid network source: ${why}`,
    "see docs/wallet.md",
  );
}
