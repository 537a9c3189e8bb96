// `lyra devnet VERB ...`: the developer's tools from the command line, over the address of a running devnet.

import { devnetHomes, devnetNodeUrl } from "../devnet/home.ts";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import type { ProgramCode } from "../errors/program-codes.ts";
import { type Answer, requestAnswer } from "../fetch/answer.ts";
import { readShortText } from "../files/short-file.ts";
import { isOptional, plainName } from "../http/declaration.ts";
import { type Declaration, TOOL_LIST, type ToolPath } from "../planes/devnet/declarations.ts";
import { DUMP_BYTES_MAX } from "../planes/devnet/limits.ts";
import type { Member } from "../planes/devnet/members.ts";
import { didYouMean, looseWords, readArguments, usageError } from "./arguments.ts";

type Tool = (typeof TOOL_LIST)[number];
const VERB_COLUMNS = 44;
/** Flags of every verb. Its words are flags, too: `market create eth` is `market create --preset eth`. */
const FLAGS = {
  home: { type: "string" },
  "node-url": { type: "string" },
  json: { type: "boolean" },
  quiet: { type: "boolean" },
} as const;
/** Of a member that is read from a file. */
const MEMBER_BYTES_MAX = 1024 * 1024;
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
  const named = words.length === 0 ? TOOL_LIST : TOOL_LIST.filter(({ path }) => isBegun(path, words));
  if (named.length === 0) return undefined;
  const lines = named.flatMap((tool) => [
    `  ${verbOf(tool).padEnd(VERB_COLUMNS)} ${tool.summary}`,
    ...(words.length === 0 ? [] : meaningsOf(tool).map(wordLine)),
  ]);
  const tail =
    "A PARTY may be a name (alice to judy), an ASSET a symbol. A word in [] may be left out, or ''.";
  return `${lines.join("\n")}\n\n  ${tail}\n`;
}

/** `time forward DURATION` */
function verbOf(tool: Tool): string {
  const words = meaningsOf(tool).map(([name]) => (isOptional(name) ? `[${plainName(name)}]` : name));
  return [tool.path.replace("/", " "), ...words.map((word) => word.toUpperCase())].join(" ");
}

/** The words of a verb by name, and what each one is. */
function meaningsOf({ members, file }: Declaration): (readonly [string, string])[] {
  if (file !== undefined) return [[file.word, file.meaning]];
  return Object.entries(members).map(([name, { meaning }]) => [name, meaning]);
}

function wordLine([name, meaning]: readonly [string, string]): string {
  return `      ${plainName(name)
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
  const known = TOOL_LIST.map(({ path }) => path.replace("/", " "));
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
    const tool = TOOL_LIST.find((known) => known.path === path);
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
  const called = findVerb(positionals);
  if (!called) throw unknownVerb(positionals);
  const url = devnetUrl(values["node-url"], values.home);
  const body = bodyOf(called.tool, called.rest, values);
  const answer = await ask(url, called.tool, body);
  process.stdout.write(`${values.json ? answer : pretty(answer)}\n`);
  return ExitCode.done;
}

/** Asks a tool of the devnet at this address. @returns its JSON @throws NodeError */
export function useDevnetTool(url: string, path: ToolPath, body: object = {}): Promise<string> {
  return ask(url, TOOL_LIST.find((tool) => tool.path === path)!, JSON.stringify(body));
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

function flagsOf(tool: Tool): Record<string, { type: "string" }> {
  return Object.fromEntries(flagNames(tool).map((name) => [name, { type: "string" as const }]));
}

function flagNames({ members }: Tool): readonly string[] {
  return Object.entries(members).flatMap(([name, { fileFlag }]) =>
    fileFlag === undefined ? [plainName(name)] : [plainName(name), fileFlag],
  );
}

/** Every verb with the flags that it takes, for completions. */
export function verbFlags(): ReadonlyMap<string, readonly string[]> {
  const common = Object.keys(FLAGS);
  return new Map(TOOL_LIST.map((tool) => [tool.path.replace("/", " "), [...flagNames(tool), ...common]]));
}

/** @param flags words that were given by their names */
function bodyOf(
  tool: Tool,
  words: readonly string[],
  flags: Readonly<Record<string, string | boolean | undefined>>,
): string {
  if (tool.file !== undefined) {
    const [file, ...more] = words;
    if (file === undefined || more.length > 0) throw verbError(`${tool.path} takes one file`, tool.path);
    return readDump(file, tool.file.bytesMax);
  }
  const verb = tool.path.replace("/", " ");
  const members = Object.entries(tool.members);
  const body: Record<string, unknown> = {};
  for (const [word, member] of members) {
    const name = plainName(word);
    const value = flags[name];
    if (typeof value === "string") body[name] = memberOf(tool, name, member, value);
    const file = member.fileFlag === undefined ? undefined : flags[member.fileFlag];
    if (typeof file === "string") body[name] = readMember(tool, name, member, file);
  }
  // Words by position are those that no flag gave.
  const left = members.filter(([word]) => !(plainName(word) in body));
  if (words.length > left.length)
    throw verbError(`${verb} takes ${members.length} words at the most`, tool.path);
  const missing = left.slice(words.length).find(([word]) => !isOptional(word));
  if (missing !== undefined) throw verbError(`${verb} needs ${missing[0].toUpperCase()}`, tool.path);
  for (const [at, value] of words.entries()) {
    const [word, member] = left[at]!;
    // How the last of several is given alone.
    if (value === "" && isOptional(word)) continue;
    body[plainName(word)] = memberOf(tool, plainName(word), member, value);
  }
  return JSON.stringify(body);
}

function readMember(tool: Tool, name: string, { fileFlag }: Member, file: string): unknown {
  let text: string;
  try {
    text = readShortText(file, MEMBER_BYTES_MAX);
  } catch (error) {
    const message = `the ${name} ${file} cannot be read (${reasonOf(error)})`;
    throw new NodeError("devnet.tool", "usage", message, `--${fileFlag} takes a file with a ${name} as JSON`);
  }
  const value = jsonIn(text);
  if (value === undefined) throw verbError(`${file} is not JSON`, tool.path);
  return value;
}

function readDump(file: string, bytesMax: number): string {
  try {
    return readShortText(file, bytesMax);
  } catch (error) {
    const text = `the dump ${file} cannot be read (${reasonOf(error)})`;
    throw new NodeError("devnet.load", "dump_unreadable", text, "make one with: lyra devnet dump > FILE");
  }
}

function memberOf({ path }: Tool, name: string, { kind, sample, fileFlag }: Member, word: string): unknown {
  if (kind === "flag") return word === "true" || word === "false" ? word === "true" : word;
  if (kind !== "object") return word;
  try {
    return JSON.parse(word) as unknown;
  } catch {
    const fromFile = fileFlag === undefined ? "" : `; --${fileFlag} FILE reads one`;
    throw verbError(`a ${name} is JSON, such as '${sample}'${fromFile}`, path);
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
