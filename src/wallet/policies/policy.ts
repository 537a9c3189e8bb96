// A policy: which programs may have what signed, as data. A request that no rule allows is refused, or asked about. A policy is
// pinned by its hash, so that nobody changes it unseen.
import { createHash } from "node:crypto";
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { readShortText } from "../../files/short-file.ts";
import { COMMANDS, type CommandKind } from "../../wire/transaction-commands.ts";
import { parseUniqueJson, RepeatedMember } from "../../wire/unique-json.ts";
import { plainJson } from "../approvals/formatting.ts";

export const ANY = "*";

/** `*` stands for any. */
export type Names = readonly string[];

interface AssetLimit {
  /** Of the asset's smallest unit, as decimal digits. */
  readonly perTransaction?: string;
  /** In one epoch of the network, all transactions under the rule together. */
  readonly perEpoch?: string;
}

export interface Rule {
  readonly name: string;
  /** Hosts of pages. A rule applies to them and to the tokens. */
  readonly hostnames?: Names;
  /** Identifiers of long-living tokens. */
  readonly tokens?: Names;
  readonly wallets?: Names;
  readonly keys?: Names;
  /** Whether programs that were paired may connect and see the keys without anybody being asked. */
  readonly connect?: boolean;
  /** SHA-256 of the token that such a program shows when it connects. */
  readonly pairing?: string;
  readonly purposes?: readonly ("send" | "sign" | "check")[];
  readonly commands?: readonly (CommandKind | "*")[];
  /** By asset. The rule does not allow to move any other asset. */
  readonly assets?: Readonly<Record<string, AssetLimit>>;
  /** Keys and addresses that tokens may go to; any without. */
  readonly recipients?: Names;
  readonly transactionsPerEpoch?: number;
}

export interface Policy {
  readonly version: 1;
  readonly name: string;
  readonly rules: readonly Rule[];
  /** Seconds that an epoch of the network takes at least; a day without. Limits of an epoch hold at least so long. */
  readonly epochSecondsMin?: number;
  /** Of what no rule allows. */
  readonly otherwise: "reject" | "ask";
}

const POLICY_BYTES_MAX = 1024 * 1024;

/** Returns the first invalid value in a member; undefined for a valid member. */
type MemberRule = (value: unknown) => Problem | undefined;

interface Problem {
  /** Below the member: `[1]`, `["3d9d"].perEpoch`; empty for the member itself. */
  readonly at: string;
  readonly value: unknown;
  readonly may: string;
}

const RULE_MEMBERS: Readonly<Record<keyof Rule, MemberRule>> = {
  name: isOf("a text", isText),
  hostnames: listOf('a hostname, or "*" for any', isText),
  tokens: listOf('a token\'s name (lyra wallet token list), or "*" for any', isText),
  wallets: listOf('a wallet\'s name, or "*" for any', isText),
  keys: listOf('a public key, or "*" for any', isText),
  connect: isOf("true or false", (value) => typeof value === "boolean"),
  pairing: isOf("64 hexadecimal digits in small letters (lyra wallet policy pair)", (value) =>
    /^[0-9a-f]{64}$/.test(textOf(value)),
  ),
  purposes: listOf("send, sign or check", (value) => ["send", "sign", "check"].includes(textOf(value))),
  commands: listOf(
    `"*" for any, or a command: ${Object.keys(COMMANDS).join(", ")}`,
    (value) => value === "*" || Object.hasOwn(COMMANDS, textOf(value)),
  ),
  assets: limitsProblem,
  recipients: listOf('a public key or an Ethereum address, or "*" for any', isText),
  transactionsPerEpoch: isOf("a whole number, 0 or more", isWhole),
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function isOf(may: string, isGood: (value: unknown) => boolean): MemberRule {
  return (value) => (isGood(value) ? undefined : { at: "", value, may });
}

function listOf(may: string, isGood: (value: unknown) => boolean): MemberRule {
  return (value) => {
    if (!Array.isArray(value)) return { at: "", value, may: `a list, each of ${may}` };
    const wrong = value.findIndex((entry) => !isGood(entry));
    return wrong < 0 ? undefined : { at: `[${wrong}]`, value: value[wrong], may };
  };
}

const LIMITS: readonly string[] = ["perTransaction", "perEpoch"];
const LIMIT = 'an amount in the asset\'s smallest unit, as a text of digits such as "1000000"';

function limitsProblem(value: unknown): Problem | undefined {
  const table = "an object of limits by asset";
  if (!isObject(value)) return { at: "", value, may: table };
  for (const [asset, limit] of Object.entries(value)) {
    const place = `[${JSON.stringify(asset)}]`;
    if (!isObject(limit)) return { at: place, value: limit, may: `an object with ${LIMITS.join(" and ")}` };
    for (const [name, amount] of Object.entries(limit)) {
      if (!LIMITS.includes(name)) return { at: place, value: name, may: `only ${LIMITS.join(" and ")}` };
      if (!/^\d{1,80}$/.test(textOf(amount))) return { at: `${place}.${name}`, value: amount, may: LIMIT };
    }
  }
  return undefined;
}

/** @throws NodeError `policy_invalid`, with the member that is wrong */
export function readPolicy(text: string): Policy {
  let value: unknown;
  try {
    value = parseUniqueJson(text);
  } catch (error) {
    throw invalid(error instanceof RepeatedMember ? error.message : "it is not JSON");
  }
  const policy = object(value, "the policy", ["version", "name", "rules", "otherwise", "epochSecondsMin"]);
  const { version, name, otherwise, epochSecondsMin, rules } = policy;
  if (version !== 1) throw wrongValue("version", version, "1");
  if (!isText(name)) throw wrongValue("name", name, "a text");
  if (otherwise !== "reject" && otherwise !== "ask")
    throw wrongValue("otherwise", otherwise, '"reject" or "ask"');
  if (epochSecondsMin !== undefined && !isWhole(epochSecondsMin))
    throw wrongValue("epochSecondsMin", epochSecondsMin, "whole seconds, 0 or more");
  if (!Array.isArray(rules)) throw wrongValue("rules", rules, "a list of rules");
  const names = new Set<string>();
  for (const [at, rule] of rules.entries()) {
    checkRule(rule, `rules[${at}]`);
    const { name: title } = rule as Rule;
    if (names.has(title)) throw invalid(`two rules are called ${shownValue(title)}`);
    names.add(title);
  }
  return policy as unknown as Policy;
}

/** An epoch of the network takes a day (`validators.epoch.length`); ours begin with blocks, so some of them are shorter. */
const EPOCH_SECONDS = 86_400;
const SHORTER = 0.99;

export function epochMsOf({ epochSecondsMin = EPOCH_SECONDS }: Policy): number {
  return epochSecondsMin * SHORTER * 1_000;
}

export function loadPolicy(path: string): { readonly policy: Policy; readonly hash: string } {
  let text: string;
  try {
    text = readShortText(path, POLICY_BYTES_MAX);
  } catch (error) {
    throw invalid(`${path} cannot be read: ${reasonOf(error)}`);
  }
  const policy = readPolicy(text);
  return { policy, hash: policyHash(policy) };
}

/** SHA-256 of the policy with its members in order: blanks and the order of members make no difference. */
export function policyHash(policy: Policy): string {
  return createHash("sha256")
    .update(JSON.stringify(ordered(policy)))
    .digest("hex");
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, ordered(member)]));
}

function checkRule(value: unknown, place: string): void {
  const rule = object(value, place, Object.keys(RULE_MEMBERS));
  if (rule.name === undefined) throw invalid(`${place}.name is missing`);
  if (rule.hostnames === undefined && rule.tokens === undefined) {
    throw invalid(`${place} names neither hostnames nor tokens: say "*" for any`);
  }
  for (const [name, problemOf] of Object.entries(RULE_MEMBERS)) {
    const problem = rule[name] === undefined ? undefined : problemOf(rule[name]);
    if (problem !== undefined) throw wrongValue(`${place}.${name}${problem.at}`, problem.value, problem.may);
  }
  if (rule.connect === true && rule.pairing === undefined) {
    throw invalid(
      `${place} lets any local program connect that writes the hostname: pair it (lyra wallet policy pair)`,
    );
  }
}

function object(value: unknown, place: string, members: readonly string[]): Record<string, unknown> {
  if (!isObject(value)) throw wrongValue(place, value, "an object");
  // A member that is misspelt would be a limit that does not hold.
  const stray = Object.keys(value).find((name) => !members.includes(name));
  if (stray !== undefined)
    throw invalid(`${place} has an unknown member ${shownValue(stray)}; it may have ${members.join(", ")}`);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

const SHOWN_MAX = 60;

/** A value as JSON, cut where it is long. */
function shownValue(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return plainJson(json.length > SHOWN_MAX ? `${json.slice(0, SHOWN_MAX)}…` : json);
}

function wrongValue(place: string, value: unknown, may: string): NodeError {
  if (value === undefined) return invalid(`${place} is missing: it is ${may}`);
  return invalid(`${place} is ${shownValue(value)}, and may be ${may}`);
}

function invalid(why: string): NodeError {
  return new NodeError(
    "wallet.policy",
    "policy_invalid",
    `the policy cannot be used: ${why}`,
    "see docs/wallet.md",
  );
}
