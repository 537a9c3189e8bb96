// `lyra devnet VERB ...`: the developer's tools from the command line, over the address of a running devnet.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TOOLS, type Tool } from "../api/devnet/tools.ts";
import { ExitCode, NodeError } from "../errors.ts";
import { defaultHome } from "../node/config.ts";
import { type DevnetAddress, devnetAddressFile } from "../node/devnet-address.ts";
import { readArguments, usageError } from "./arguments.ts";

/** Words of a verb, and what follows them by position. */
const LOAD: Tool = {
  method: "POST",
  path: "load",
  summary: "become the chain of a dump",
  body: { FILE: "as dump wrote it" },
  run: () => ({}),
};
const VERBS: readonly Tool[] = [...TOOLS, LOAD];
const VERB_COLUMNS = 44;

/** `lyra devnet help`: every verb in a line of its own. `lyra devnet help VERB`: what its words are. */
export function explainVerbs(words: readonly string[]): number {
  const named = words.length === 0 ? VERBS : VERBS.filter(({ path }) => isBegun(path, words));
  if (named.length === 0) throw unknownVerb(words);
  const lines = named.flatMap((tool) => [
    `  ${verbOf(tool).padEnd(VERB_COLUMNS)} ${tool.summary}`,
    ...(words.length === 0 ? [] : Object.entries(tool.body).map(wordLine)),
  ]);
  const tail = "A PARTY may be a name (alice to judy), an ASSET a symbol. A word in [] may be left out.";
  process.stdout.write(`${lines.join("\n")}\n\n  ${tail}\n`);
  return ExitCode.done;
}

/** `time forward DURATION` */
function verbOf({ path, body }: Tool): string {
  const words = Object.keys(body).map((name) => (name.endsWith("?") ? `[${name.slice(0, -1)}]` : name));
  return [path.replace("/", " "), ...words.map((word) => word.toUpperCase())].join(" ");
}

function wordLine([name, meaning]: readonly [string, string]): string {
  return `      ${name
    .replace("?", "")
    .toUpperCase()
    .padEnd(VERB_COLUMNS - 4)} ${meaning}`;
}

/** Whether `bridge/deposit` is `bridge`, or `bridge deposit`. */
function isBegun(path: string, words: readonly string[]): boolean {
  const parts = path.split("/");
  return words.length <= parts.length && words.every((word, at) => parts[at] === word);
}

function unknownVerb(words: readonly string[]): NodeError {
  return usageError("devnet", `there is no 'devnet ${words.join(" ").slice(0, 60)}'`);
}

/** The tool that these words begin with; undefined when they name none. */
export function findVerb(words: readonly string[]): { tool: Tool; rest: readonly string[] } | undefined {
  for (const count of [2, 1]) {
    const path = words.slice(0, count).join("/");
    const tool = VERBS.find((known) => known.path === path);
    if (tool && words.length >= count) return { tool, rest: words.slice(count) };
  }
  return undefined;
}

export async function useTool(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("devnet", argv, {
    home: { type: "string" },
    "node-url": { type: "string" },
    json: { type: "boolean" },
    quiet: { type: "boolean" },
  });
  const found = findVerb(positionals);
  if (!found) throw unknownVerb(positionals);
  const url = nodeUrl(values["node-url"], values.home);
  const body = await bodyOf(found.tool, found.rest, url);
  const answer = await ask(url, found.tool, body);
  process.stdout.write(`${values.json ? answer : pretty(answer)}\n`);
  return ExitCode.done;
}

/** The running devnet: by flag, by environment, or by the file in its home. */
function nodeUrl(flag: string | undefined, home: string | undefined): string {
  const given = flag ?? process.env.LYRA_NODE_URL;
  if (given !== undefined) return given.replace(/\/+$/, "");
  const candidates = home === undefined ? [".lyra", defaultHome()] : [home];
  for (const folder of candidates) {
    const file = join(folder, devnetAddressFile);
    if (existsSync(file)) return (JSON.parse(readFileSync(file, "utf8")) as DevnetAddress).nodeUrl;
  }
  throw new NodeError(
    "devnet.tool",
    "devnet_unknown",
    "no running devnet was found",
    "start one with: lyra devnet, or name it with --node-url URL or --home DIR",
    ExitCode.notReady,
  );
}

async function bodyOf(tool: Tool, words: readonly string[], url: string): Promise<string> {
  if (tool === LOAD) {
    const [file, ...more] = words;
    if (file === undefined || more.length > 0) throw usageError("devnet", "load takes one file");
    return readDump(file);
  }
  const names = Object.keys(tool.body);
  if (words.length > names.length)
    throw usageError("devnet", `${tool.path} takes ${names.length} words at the most`);
  const missing = names.slice(words.length).find((name) => !name.endsWith("?"));
  if (missing !== undefined) throw usageError("devnet", `${tool.path} needs ${missing.toUpperCase()}`);
  const known = await aliases(names, words, url);
  const body: Record<string, unknown> = {};
  for (const [at, word] of words.entries()) {
    const name = names[at]!.replace("?", "");
    body[name] = memberOf(name, known.get(word) ?? word);
  }
  return JSON.stringify(body);
}

function readDump(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const text = `the dump ${file} cannot be read (${(error as { code?: string }).code ?? "unknown"})`;
    throw new NodeError(
      "devnet.load",
      "dump_unreadable",
      text,
      "make one with: lyra devnet dump > FILE",
      ExitCode.usage,
    );
  }
}

/** `alice` and `tUSD` stand for a key and an asset's id, where a word is none itself. */
async function aliases(
  names: readonly string[],
  words: readonly string[],
  url: string,
): Promise<ReadonlyMap<string, string>> {
  const isNamed = words.some(
    (word, at) => /^(party|asset)$/.test(names[at]!) && !/^[0-9a-fA-F]{64}$/.test(word),
  );
  if (!isNamed) return new Map();
  const report = JSON.parse(await ask(url, VERBS.find(({ path }) => path === "parties")!, "")) as {
    assets?: { symbol: string; id: string }[];
    parties: { name: string; publicKey: string; balances: { symbol: string; asset: string }[] }[];
  };
  const assets = (report.assets ?? []).map(({ symbol, id }) => [symbol, id] as const);
  // Of several assets with one symbol it is the one that the parties hold.
  const held = report.parties.flatMap(({ name, publicKey, balances }) => [
    [name, publicKey] as const,
    ...balances.map(({ symbol, asset }) => [symbol, asset] as const),
  ]);
  return new Map([...assets, ...held]);
}

function memberOf(name: string, word: string): unknown {
  if (name === "frozen" || name === "remove") {
    if (word === "true" || word === "false") return word === "true";
    return word;
  }
  if (name !== "command") return word;
  try {
    return JSON.parse(word) as unknown;
  } catch {
    throw usageError("devnet", "a command is JSON, such as '{\"voteSubmission\": {...}}'");
  }
}

/** @throws NodeError with the tool's own sentence and hint */
async function ask(url: string, { method, path }: Tool, body: string): Promise<string> {
  let response: Response;
  try {
    response = await fetch(`${url}/devnet/${path}`, { method, ...(method === "POST" && { body }) });
  } catch {
    const hint = "is it running? start one with: lyra devnet";
    throw new NodeError(
      "devnet.tool",
      "devnet_unreachable",
      `${url} does not answer`,
      hint,
      ExitCode.notReady,
    );
  }
  const text = await response.text();
  if (response.ok) return text;
  const { message, details } = errorOf(text);
  const hint = details[0]?.inner || (response.status === 404 ? "this node is no devnet" : "");
  throw new NodeError("devnet.tool", details[0]?.message ?? "refused", message, hint);
}

function errorOf(text: string): { message: string; details: { message: string; inner: string }[] } {
  try {
    const { message = "the devnet refused it", details = [] } = JSON.parse(text);
    return { message, details };
  } catch {
    return { message: "the devnet refused it", details: [] };
  }
}

function pretty(answer: string): string {
  return process.stdout.isTTY ? JSON.stringify(JSON.parse(answer), undefined, 2) : answer;
}
