// `lyra devnet VERB ...`: the developer's tools from the command line, over the address of a running devnet.

import { devnetHomes, devnetNodeUrl } from "../devnet/home.ts";
import { ExitCode, NodeError, reasonOf } from "../errors/node-error.ts";
import type { ProgramCode } from "../errors/program-codes.ts";
import { type Answer, requestAnswer } from "../fetch/answer.ts";
import { readShortText } from "../files/short-file.ts";
import { isOptional, plainName } from "../http/declaration.ts";
import { TOOL_LIST, type ToolPath } from "../planes/devnet/declarations.ts";
import { DUMP_BYTES_MAX } from "../planes/devnet/limits.ts";
import type { Member } from "../planes/devnet/members.ts";
import { parseUniqueJson, RepeatedMember } from "../wire/unique-json.ts";
import { type Commands, command, type Flag, option, type ValuesOf } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { NODE_URL } from "./flags.ts";

type Tool = (typeof TOOL_LIST)[number];
/** Bytes of a member that is read from a file. */
const MEMBER_BYTES_MAX = 1024 * 1024;
/** Long enough for a month of blocks. */
const TOOL_MS = 30 * 60_000;

/** The commands behind `lyra devnet`, one for each tool. */
export function toolCommands(): Commands {
  return Object.fromEntries(
    TOOL_LIST.map((tool) => [
      tool.path.replace("/", " "),
      { summary: tool.summary, hintWords: 3, load: async () => commandOf(tool) },
    ]),
  );
}

const COMMON = {
  notes: `  A PARTY may be a name (alice to judy), an ASSET a symbol. A word in [] may be
  left out, or ''.`,
  json: "the tool's own answer, see docs/devnet.md",
};

function commandOf(tool: Tool) {
  const { file } = tool;
  if (file === undefined) {
    return command({
      ...COMMON,
      flags: { ...membersOf(tool), ...NODE_URL } as Readonly<Record<string, Flag>>,
      run: ({ values, typed }) => useTool(tool, bodyOf(tool, values), { values, typed }),
    });
  }
  return command({
    ...COMMON,
    words: { FILE: { text: file.meaning } },
    flags: NODE_URL,
    wrongWords() {
      throw verbError(`${tool.path} takes one file`, tool.path);
    },
    run: ({ words, ...flags }) => useTool(tool, readDump(words.FILE, file.bytesMax), flags),
  });
}

/** Members are words, and flags, too: `market create eth` is `market create --preset eth`. */
function membersOf({ members }: Tool): Record<string, Flag> {
  const flags = Object.entries(members).flatMap(([word, { meaning, fileFlag }]): [string, Flag][] => {
    const name = plainName(word);
    const place = isOptional(word) ? "optional" : "required";
    const flag: [string, Flag] = [name, { type: "string", text: meaning, place }];
    if (fileFlag === undefined) return [flag];
    return [flag, [fileFlag, option("FILE", `${name.toUpperCase()} from a file`)]];
  });
  return Object.fromEntries(flags);
}

type DevnetValues = ValuesOf<typeof NODE_URL>;

export interface DevnetFlags {
  readonly values: DevnetValues;
  /** Flags without their variables. */
  readonly typed: DevnetValues;
}

async function useTool(tool: Tool, body: string, { values, typed }: DevnetFlags): Promise<number> {
  const url = devnetUrl(values, typed);
  const answer = await callTool(url, tool, body);
  process.stdout.write(`${values.json ? answer : prettyJson(answer)}\n`);
  return ExitCode.done;
}

/** Points to the help of verbs, which explains their words. */
function verbError(message: string, path = ""): NodeError {
  return new NodeError("devnet", "usage", message, `see: ${helpCommand(path)}`);
}

const helpCommand = (path: string) => `lyra devnet help ${path.replace("/", " ")}`.trimEnd();

/** Asks a tool of the devnet at this address. @returns its JSON @throws NodeError */
export function useDevnetTool(url: string, path: ToolPath, body: object = {}): Promise<string> {
  return callTool(url, TOOL_LIST.find((tool) => tool.path === path)!, JSON.stringify(body));
}

/** The devnet of the flags, else of the variable, else the one that runs in a usual home. @throws NodeError */
export function devnetUrl({ home, ...values }: DevnetValues, typed: DevnetValues): string {
  const url = typed["node-url"] ?? (home === undefined ? values["node-url"] : undefined);
  if (url !== undefined) return checkedUrl(url);
  const running = devnetNodeUrl(home === undefined ? devnetHomes() : [home]);
  if (running !== undefined) return running;
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

/** @param flags members by name, whether they were given by place or by name */
function bodyOf(tool: Tool, flags: Readonly<Record<string, unknown>>): string {
  const body: Record<string, unknown> = {};
  for (const [word, member] of Object.entries(tool.members)) {
    const name = plainName(word);
    const value = flags[name];
    if (typeof value === "string") body[name] = memberOf(tool, name, member, value);
    const file = member.fileFlag === undefined ? undefined : flags[member.fileFlag];
    if (typeof file === "string") body[name] = readMember(tool, name, member, file);
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
  try {
    return parseUniqueJson(withoutMark(text));
  } catch (error) {
    const why = error instanceof RepeatedMember ? `: ${error.message}` : " is not JSON";
    throw verbError(`${file}${why}`, tool.path);
  }
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
    return parseUniqueJson(word);
  } catch (error) {
    if (error instanceof RepeatedMember) throw verbError(`in the ${name}, ${error.message}`, path);
    const fromFile = fileFlag === undefined ? "" : `; --${fileFlag} FILE reads one`;
    throw verbError(`a ${name} is JSON, such as '${sample}'${fromFile}`, path);
  }
}

/** @throws NodeError with the tool's own sentence and hint */
async function callTool(url: string, { method, path }: Tool, body: string): Promise<string> {
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
  const text = await bodyText(response, url);
  if (response.isOk) {
    if (jsonIn(text) === undefined) throw noDevnet("its answer is not JSON");
    return text;
  }
  const { code, message, hint } = refusalIn(text);
  throw new NodeError(
    "devnet.tool",
    // A newer node may have codes that this program lacks.
    code as ProgramCode,
    message,
    hint || (response.status === 404 ? "this node is not a devnet" : `see: ${helpCommand(path)}`),
  );
}

async function bodyText(answer: Answer, url: string): Promise<string> {
  try {
    return await answer.text(DUMP_BYTES_MAX);
  } catch (error) {
    throw answerLost(url, error);
  }
}

/** The node ended during the call, so its outcome is unknown. */
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

const withoutMark = (text: string) => text.replace(/^\ufeff/, "");

/** Parses JSON behind an optional byte order mark. @returns undefined for invalid JSON */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(withoutMark(text)) as unknown;
  } catch {
    return undefined;
  }
}

function prettyJson(answer: string): string {
  return process.stdout.isTTY ? JSON.stringify(JSON.parse(answer), undefined, 2) : answer;
}
