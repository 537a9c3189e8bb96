// A policy: which programs may have what signed, as data. A request that no rule allows is refused, or asked about. A policy is
// pinned by its hash, so that nobody changes it unseen.
import { createHash } from "node:crypto";
import { NodeError, reasonOf } from "../../errors/node-error.ts";
import { readShortText } from "../../files/short-file.ts";
import { COMMANDS, type CommandKind } from "../../wire/transaction-commands.ts";

// JSON lets a member stand twice in one object, and its readers take one of them in silence: in a policy, a limit that
// its author reads and nobody keeps.

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

interface Level {
  /** Of an object; a list has none. */
  readonly names: Set<string> | undefined;
  /** Of the level within the one above. */
  readonly place: string;
  /** The member, or the number of the entry, that is being read. */
  at: string;
  count: number;
}

/**
 * The place of the first member that stands twice in its object, such as `rules[0].assets`.
 * @param text JSON that was parsed without an error
 */
export function repeatedMember(text: string): string | undefined {
  const levels: Level[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === "{" || token === "[") {
      levels.push({
        names: token === "{" ? new Set() : undefined,
        place: level === undefined ? "" : placeOf(level),
        at: "",
        count: 0,
      });
    } else if (token === "}" || token === "]") {
      levels.pop();
    } else if (token === ",") {
      level!.count++;
    } else if (token === ":") {
      const { names } = level!;
      level!.at = JSON.parse(last) as string;
      if (names!.has(level!.at)) return placeOf(level!);
      names!.add(level!.at);
    }
    last = token;
  }
  return undefined;
}

function placeOf({ names, place, at, count }: Level): string {
  if (names === undefined) return `${place}[${count}]`;
  const isPlain = /^\w{1,80}$/.test(at);
  if (isPlain) return place === "" ? at : `${place}.${at}`;
  return `${place}[${JSON.stringify(at.slice(0, 80))}]`;
}

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
const RULE_MEMBERS: Readonly<Record<keyof Rule, (value: unknown) => boolean>> = {
  name: (value) => isText(value),
  hostnames: isTexts,
  tokens: isTexts,
  wallets: isTexts,
  keys: isTexts,
  connect: (value) => typeof value === "boolean",
  pairing: (value) => /^[0-9a-f]{64}$/.test(String(value)),
  purposes: (value) => isTexts(value) && value.every((one) => ["send", "sign", "check"].includes(one)),
  commands: (value) => isTexts(value) && value.every((one) => one === "*" || Object.hasOwn(COMMANDS, one)),
  assets: isLimits,
  recipients: isTexts,
  transactionsPerEpoch: isWhole,
};

/** @throws NodeError `policy_invalid`, with the member that is wrong */
export function readPolicy(text: string): Policy {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("it is not JSON");
  }
  const repeated = repeatedMember(text);
  if (repeated !== undefined) throw invalid(`${repeated} is there twice`);
  const policy = object(value, "the policy", ["version", "name", "rules", "otherwise", "epochSecondsMin"]);
  if (policy.version !== 1) throw invalid("version must be 1");
  if (!isText(policy.name)) throw invalid("name must be a text");
  if (policy.otherwise !== "reject" && policy.otherwise !== "ask") {
    throw invalid('otherwise must be "reject" or "ask"');
  }
  const { epochSecondsMin } = policy;
  if (epochSecondsMin !== undefined && !isWhole(epochSecondsMin))
    throw invalid("epochSecondsMin must be whole seconds");
  if (!Array.isArray(policy.rules)) throw invalid("rules must be a list");
  const names = new Set<string>();
  for (const [at, rule] of policy.rules.entries()) {
    checkRule(rule, `rules[${at}]`);
    const { name } = rule as Rule;
    if (names.has(name)) throw invalid(`two rules are called ${JSON.stringify(name)}`);
    names.add(name);
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
  for (const [name, check] of Object.entries(RULE_MEMBERS)) {
    if (rule[name] !== undefined && !check(rule[name]))
      throw invalid(`${place}.${name} is not what it should be`);
  }
  if (rule.connect === true && rule.pairing === undefined) {
    throw invalid(
      `${place} lets any local program connect that writes the hostname: pair it (lyra wallet policy pair)`,
    );
  }
}

function object(value: unknown, place: string, memberNames: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid(`${place} is not an object`);
  // A member that is misspelt would be a limit that does not hold.
  const stray = Object.keys(value).find((name) => !memberNames.includes(name));
  if (stray !== undefined) throw invalid(`${place} has an unknown member ${JSON.stringify(stray)}`);
  return value as Record<string, unknown>;
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isLimits(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((limit) => {
    if (typeof limit !== "object" || limit === null) return false;
    return Object.entries(limit).every(
      ([name, amount]) =>
        ["perTransaction", "perEpoch"].includes(name) && /^\d{1,80}$/.test(String(amount)) && isText(amount),
    );
  });
}

function invalid(why: string): NodeError {
  return new NodeError(
    "wallet.policy",
    "policy_invalid",
    `the policy cannot be used: ${why}`,
    "see docs/wallet.md",
  );
}
