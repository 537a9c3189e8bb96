// `lyra devnet VERB ...`: the developer's tools from the command line, over the address of a running devnet.

import { devnetHomes, devnetNodeUrl } from "../devnet/home.ts";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import type { ProgramCode } from "../errors/program-codes.ts";
import { type Answer, requestAnswer } from "../fetch/answer.ts";
import { readShortText } from "../files/short-file.ts";
import { DUMP_BYTES_MAX } from "../planes/devnet/limits.ts";
import { TOOLS, type Tool } from "../planes/devnet/tools.ts";
import { didYouMean, looseWords, readArguments, usageError } from "./arguments.ts";

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
/** Flags of every verb. Its words are flags, too: `market create eth` is `market create --preset eth`. */
const FLAGS = {
  home: { type: "string" },
  "node-url": { type: "string" },
  json: { type: "boolean" },
  quiet: { type: "boolean" },
} as const;
/** A word that is long, and JSON, is read from a file by this flag. */
const FROM_FILE = { flag: "file", member: "proposal" } as const;
const PROPOSAL_BYTES_MAX = 1024 * 1024;
/** The longest call makes a month of blocks. */
const TOOL_MS = 30 * 60_000;

/** `lyra devnet help`: every verb in a line of its own. `lyra devnet help VERB`: what its words are. */
export function explainVerbs(words: readonly string[]): number {
  const text = verbsText(words);
  if (text === undefined) throw unknownVerb(words);
  process.stdout.write(text);
  return ExitCode.done;
}

/** Undefined when no verb begins with these words. */
export function verbsText(words: readonly string[]): string | undefined {
  const named = words.length === 0 ? VERBS : VERBS.filter(({ path }) => isBegun(path, words));
  if (named.length === 0) return undefined;
  const lines = named.flatMap((tool) => [
    `  ${verbOf(tool).padEnd(VERB_COLUMNS)} ${tool.summary}`,
    ...(words.length === 0 ? [] : Object.entries(tool.body).map(wordLine)),
  ]);
  const tail =
    "A PARTY may be a name (alice to judy), an ASSET a symbol. A word in [] may be left out, or ''.";
  return `${lines.join("\n")}\n\n  ${tail}\n`;
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
  const [head = ""] = words;
  const known = VERBS.map(({ path }) => path.replace("/", " "));
  const group = known.filter((path) => path.startsWith(`${head} `)).map((path) => path.split(" ")[1]!);
  if (group.length > 0 && words.length === 1)
    return verbError(`devnet ${head} needs another word: ${group.join(", ")}`, head);
  const heads = known.map((path) => path.split(" ")[0]!).filter((path) => path !== head);
  const near = didYouMean(words.slice(0, 2).join(" "), known) || didYouMean(head, heads);
  return verbError(
    `there is no 'devnet ${words.join(" ").slice(0, 60)}'${near}`,
    group.length > 0 ? head : "",
  );
}

/** The verbs have a help of their own, which says what words they take. */
function verbError(message: string, path = ""): NodeError {
  return new NodeError("devnet", "usage", message, `see: ${helpCommand(path)}`);
}

const helpCommand = (path: string) => `lyra devnet help ${path.replace("/", " ")}`.trimEnd();

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
  const loose = looseWords(argv, FLAGS);
  const tool = findVerb(loose)?.tool;
  if (!tool) {
    readArguments("devnet", argv, FLAGS);
    throw unknownVerb(loose);
  }
  const verb = `devnet ${tool.path.replace("/", " ")}`;
  const { values, positionals } = readArguments(verb, argv, { ...flagsOf(tool), ...FLAGS });
  const found = findVerb(positionals);
  if (!found) throw unknownVerb(positionals);
  const url = devnetUrl(values["node-url"], values.home);
  const body = bodyOf(found.tool, found.rest, values);
  const answer = await ask(url, found.tool, body);
  process.stdout.write(`${values.json ? answer : pretty(answer)}\n`);
  return ExitCode.done;
}

/** Asks a tool of the devnet at this address. @returns its JSON @throws NodeError */
export function useDevnetTool(url: string, path: string, body: object = {}): Promise<string> {
  return ask(url, VERBS.find((tool) => tool.path === path)!, JSON.stringify(body));
}

/** The running devnet: by flag, by environment, or by the file in its home, or in one of the usual homes. */
export function devnetUrl(flag: string | undefined, home: string | undefined): string {
  const given = flag ?? process.env.LYRA_NODE_URL;
  if (given !== undefined) return checkedUrl(given);
  const found = devnetNodeUrl(home === undefined ? devnetHomes() : [home]);
  if (found !== undefined) return found;
  throw new NodeError(
    "devnet.tool",
    "devnet_unknown",
    "no running devnet was found",
    "start one with: lyra devnet, or name it with --node-url URL or --home DIR",
  );
}

/** Without slashes at its end. @throws NodeError with exit code 2 for a text that is not the address of a node */
function checkedUrl(text: string): string {
  const address = text.includes("://") ? text : `http://${text}`;
  const url = URL.parse(address);
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (isAddress && url.username === "" && url.password === "") return address.replace(/\/+$/, "");
  throw usageError("devnet", "a devnet's address is like http://127.0.0.1:3003");
}

const isOptional = (name: string) => name.endsWith("?");
const plainName = (name: string) => name.replace("?", "");

function flagsOf(tool: Tool): Record<string, { type: "string" }> {
  return Object.fromEntries(flagNames(tool).map((name) => [name, { type: "string" as const }]));
}

function flagNames(tool: Tool): readonly string[] {
  if (tool === LOAD) return [];
  const names = Object.keys(tool.body).map(plainName);
  return names.includes(FROM_FILE.member) ? [...names, FROM_FILE.flag] : names;
}

/** Every verb with the flags that it takes, for completions. */
export function verbFlags(): ReadonlyMap<string, readonly string[]> {
  const common = Object.keys(FLAGS);
  return new Map(VERBS.map((tool) => [tool.path.replace("/", " "), [...flagNames(tool), ...common]]));
}

/** @param flags words that were given by their names */
function bodyOf(
  tool: Tool,
  words: readonly string[],
  flags: Readonly<Record<string, string | boolean | undefined>>,
): string {
  if (tool === LOAD) {
    const [file, ...more] = words;
    if (file === undefined || more.length > 0) throw verbError("load takes one file", LOAD.path);
    return readDump(file);
  }
  const verb = tool.path.replace("/", " ");
  const body: Record<string, unknown> = {};
  for (const name of Object.keys(tool.body).map(plainName)) {
    const word = flags[name];
    if (typeof word === "string") body[name] = memberOf(name, word);
  }
  const file = flags[FROM_FILE.flag];
  if (typeof file === "string" && FROM_FILE.member in flagsOf(tool))
    body[FROM_FILE.member] = readProposal(file);
  // Words by position are those that no flag gave.
  const names = Object.keys(tool.body).filter((name) => !(plainName(name) in body));
  if (words.length > names.length) {
    throw verbError(`${verb} takes ${Object.keys(tool.body).length} words at the most`, tool.path);
  }
  const missing = names.slice(words.length).find((name) => !isOptional(name));
  if (missing !== undefined) throw verbError(`${verb} needs ${missing.toUpperCase()}`, tool.path);
  for (const [at, word] of words.entries()) {
    // How the last of several is given alone.
    if (word === "" && isOptional(names[at]!)) continue;
    const name = plainName(names[at]!);
    body[name] = memberOf(name, word);
  }
  return JSON.stringify(body);
}

function readProposal(file: string): unknown {
  let text: string;
  try {
    text = readShortText(file, PROPOSAL_BYTES_MAX);
  } catch (error) {
    const message = `the proposal ${file} cannot be read (${reasonOf(error)})`;
    throw new NodeError("devnet.market", "usage", message, "--file takes a file with a proposal as JSON");
  }
  const proposal = jsonIn(text);
  if (proposal === undefined) throw verbError(`${file} is not JSON`, "market/create");
  return proposal;
}

function readDump(file: string): string {
  try {
    return readShortText(file, DUMP_BYTES_MAX);
  } catch (error) {
    const text = `the dump ${file} cannot be read (${reasonOf(error)})`;
    throw new NodeError("devnet.load", "dump_unreadable", text, "make one with: lyra devnet dump > FILE");
  }
}

function memberOf(name: string, word: string): unknown {
  if (name === "frozen" || name === "remove") {
    if (word === "true" || word === "false") return word === "true";
    return word;
  }
  if (name !== "command" && name !== FROM_FILE.member) return word;
  try {
    return JSON.parse(word) as unknown;
  } catch {
    throw name === "command"
      ? verbError("a command is JSON, such as '{\"voteSubmission\": {...}}'", "impersonate")
      : verbError(
          "a proposal is JSON, such as '{\"changes\": {...}}'; --file FILE reads one",
          "market/create",
        );
  }
}

/** @throws NodeError with the tool's own sentence and hint */
async function ask(url: string, { method, path }: Tool, body: string): Promise<string> {
  let response: Answer;
  try {
    const token = process.env.LYRA_TOOLS_TOKEN;
    const headers = new Headers(token ? { authorization: `Bearer ${token}` } : {});
    const request = { method, headers, timeoutMs: TOOL_MS, ...(method === "POST" && { body }) };
    response = await requestAnswer(`${url}/devnet/${path}`, request);
  } catch (error) {
    const { code, name } = error as { code?: string; name?: string };
    if (code === "ECONNRESET" || name === "TimeoutError") throw answerLost(url, error);
    const hint = "is it running? start one with: lyra devnet";
    throw new NodeError("devnet.tool", "devnet_unreachable", `${url} does not answer`, hint);
  }
  const text = await wholeOf(response, url);
  if (response.isOk) {
    if (jsonIn(text) === undefined) throw noDevnet("its answer is not JSON");
    return text;
  }
  const { code, message, hint } = refusalIn(text);
  throw new NodeError(
    "devnet.tool",
    // Of a newer node it may be one that this program does not know.
    code as ProgramCode,
    message,
    hint || (response.status === 404 ? "this node is not a devnet" : `see: ${helpCommand(path)}`),
  );
}

async function wholeOf(answer: Answer, url: string): Promise<string> {
  try {
    return await answer.text(DUMP_BYTES_MAX);
  } catch (error) {
    throw answerLost(url, error);
  }
}

/** When a node ends in the middle, the outcome of the call is unknown. */
function answerLost(url: string, error: unknown): NodeError {
  return new NodeError(
    "devnet.tool",
    "answer_lost",
    `the answer of ${url} did not come whole: ${reasonOf(error)}`,
    "it may have done what was asked: see lyra devnet status",
  );
}

function noDevnet(why: string): NodeError {
  return new NodeError("devnet.tool", "no_devnet", `this node is not a devnet: ${why}`);
}

function refusalIn(text: string): { code: string; message: string; hint: string } {
  const textOf = (value: unknown) => (typeof value === "string" ? value : "");
  const answer = jsonIn(text) as { message?: unknown; details?: unknown } | null | undefined;
  const [first] = Array.isArray(answer?.details) ? answer.details : [];
  const detail = first as { message?: unknown; inner?: unknown } | null | undefined;
  return {
    code: textOf(detail?.message) || "refused",
    message: textOf(answer?.message) || "the devnet refused it",
    hint: textOf(detail?.inner),
  };
}

/** A byte order mark in front, as some editors leave it, counts for nothing. @returns undefined for a text that is not JSON */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, "")) as unknown;
  } catch {
    return undefined;
  }
}

function pretty(answer: string): string {
  return process.stdout.isTTY ? JSON.stringify(JSON.parse(answer), undefined, 2) : answer;
}
