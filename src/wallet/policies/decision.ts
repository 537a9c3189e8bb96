// The decision of a policy on a request. Pure: the use of this epoch is handed in.
import type { CommandInit } from "../../wire/transaction.ts";
import { isSameHash } from "../service/tokens.ts";
import { ANY, type Names, type Policy, type Rule } from "./policy.ts";

// The amounts that a command can move out of a key, by asset: policies limit them.

export interface Spending {
  readonly asset: string;
  readonly amount: bigint;
  /** Where it goes; empty for the network itself. */
  readonly recipient: string;
  /** Whether it comes again every epoch, without being asked for. */
  readonly isRecurring: boolean;
}

/** Commands whose worth cannot be read from them: a limit on amounts means nothing for these. */
const OPEN_ENDED: ReadonlySet<CommandInit["kind"]> = new Set([
  "orderSubmission",
  "orderAmendment",
  "batchMarketInstructions",
  "liquidityProvisionSubmission",
  "liquidityProvisionAmendment",
]);

function isOpenEnded({ kind }: CommandInit): boolean {
  return OPEN_ENDED.has(kind);
}

/** @returns undefined where it cannot be told, or the network would refuse the command */
export function spendingOf(command: CommandInit): readonly Spending[] | undefined {
  if (command.kind === "transfer") {
    const { asset = "", amount = "", to = "", recurring } = command.payload;
    return one(asset, amount, to, recurring !== undefined);
  }
  if (command.kind === "withdrawSubmission") {
    const { asset = "", amount = "", ext } = command.payload;
    return one(asset, amount, ext?.erc20?.receiverAddress ?? "", false);
  }
  return OPEN_ENDED.has(command.kind) ? undefined : [];
}

function one(asset: string, amount: string, recipient: string, isRecurring: boolean): Spending[] | undefined {
  if (!/^\d{1,80}$/.test(amount)) return undefined;
  return [{ asset, amount: BigInt(amount), recipient, isRecurring }];
}

interface PolicyTransaction {
  readonly kind: "transaction";
  readonly hostname: string;
  readonly token: string | undefined;
  readonly wallet: string;
  readonly publicKey: string;
  readonly purpose: "send" | "sign" | "check";
  readonly command: CommandInit;
}

interface PolicyConnection {
  readonly kind: "connection" | "keys";
  readonly hostname: string;
  /** Of a connection: those to choose from. */
  readonly wallets: readonly string[];
  /** Hash of the token that came with a connection; of past ones it is not known, and not asked for. */
  readonly pairing?: string | undefined;
  readonly isPast?: boolean;
}

export type PolicyRequest = PolicyTransaction | PolicyConnection;

/** The approvals under each rule this epoch. */
export interface Usage {
  transactions(rule: string): number;
  spent(rule: string, asset: string): bigint;
}

export type Verdict =
  | {
      readonly kind: "allow";
      readonly rule: Rule;
      readonly wallet?: string;
      readonly spending: readonly Spending[];
    }
  | { readonly kind: "reject" | "ask"; readonly reasons: readonly string[] };

/** The first rule that allows it; else why none does. */
export function decide(policy: Policy, request: PolicyRequest, usage: Usage): Verdict {
  const reasons: string[] = [];
  for (const rule of policy.rules) {
    const verdict =
      request.kind === "transaction" ? ofTransaction(rule, request, usage) : ofConnection(rule, request);
    if (typeof verdict !== "string") return verdict;
    reasons.push(`${rule.name}: ${verdict}`);
  }
  if (policy.rules.length === 0) reasons.push("the policy has no rule");
  return { kind: policy.otherwise, reasons };
}

/** Whether a request can be decided without knowing the epoch. */
export function hasEpochLimit({ rules }: Policy): boolean {
  return rules.some(isCounted);
}

/** Whether what was approved under the rule matters for what comes later in the epoch. */
export function isCounted({ transactionsPerEpoch, assets = {} }: Rule): boolean {
  return (
    transactionsPerEpoch !== undefined || Object.values(assets).some(({ perEpoch }) => perEpoch !== undefined)
  );
}

function ofConnection(rule: Rule, request: PolicyConnection): Verdict | string {
  const { hostname, wallets } = request;
  if (!isNamed(rule.hostnames ?? [], hostname)) return "the hostname is not in it";
  if (rule.connect !== true) return "it lets nobody connect";
  if (!isPaired(rule, request)) return "the token of its pairing did not come along";
  const wallet = wallets.find((name) => isNamed(rule.wallets ?? [ANY], name));
  return wallet === undefined ? "the wallet is not in it" : { kind: "allow", rule, wallet, spending: [] };
}

/** A session has shown the token when it began. */
function isPaired({ pairing }: Rule, request: PolicyConnection): boolean {
  if (request.kind !== "connection" || request.isPast) return true;
  return pairing !== undefined && request.pairing !== undefined && isSameHash(pairing, request.pairing);
}

function ofTransaction(rule: Rule, request: PolicyTransaction, usage: Usage): Verdict | string {
  const { hostname, token, wallet, publicKey, purpose, command } = request;
  const isSender =
    token === undefined ? isNamed(rule.hostnames ?? [], hostname) : isNamed(rule.tokens ?? [], token);
  if (!isSender) return token === undefined ? "the hostname is not in it" : "the token is not in it";
  if (!isNamed(rule.wallets ?? [ANY], wallet)) return "the wallet is not in it";
  if (!isNamed(rule.keys ?? [ANY], publicKey)) return "the key is not in it";
  if (!(rule.purposes ?? ["send", "check"]).includes(purpose)) return `it does not allow to ${purpose}`;
  if (!isNamed(rule.commands ?? [], command.kind)) return `the command ${command.kind} is not in it`;
  const most = rule.transactionsPerEpoch;
  if (most !== undefined && usage.transactions(rule.name) >= most)
    return `its ${most} transactions of this epoch are used`;
  const spending = spendingOf(command);
  if (spending === undefined) {
    const problem = `what ${command.kind} may cost cannot be told`;
    if (!isOpenEnded(command)) return problem;
    return rule.assets === undefined
      ? { kind: "allow", rule, spending: [] }
      : `${problem}, and it limits amounts`;
  }
  for (const one of spending) {
    const problem = spendingProblem(rule, one, usage);
    if (problem !== undefined) return problem;
  }
  return { kind: "allow", rule, spending };
}

function spendingProblem(
  rule: Rule,
  { asset, amount, recipient, isRecurring }: Spending,
  usage: Usage,
): string | undefined {
  const limit = Object.hasOwn(rule.assets ?? {}, asset) ? rule.assets![asset] : undefined;
  if (limit === undefined) return `the asset ${asset} is not in it`;
  if (rule.recipients !== undefined && !isNamed(rule.recipients, recipient))
    return "the recipient is not in it";
  const isLimited = limit.perTransaction !== undefined || limit.perEpoch !== undefined;
  if (isLimited && isRecurring) return "a transfer that comes again every epoch has no limit for one";
  if (limit.perTransaction !== undefined && amount > BigInt(limit.perTransaction)) {
    return `${amount} is more than its ${limit.perTransaction} for a transaction`;
  }
  if (limit.perEpoch === undefined) return undefined;
  const spent = usage.spent(rule.name, asset);
  return spent + amount > BigInt(limit.perEpoch)
    ? `${amount} on top of ${spent} is more than its ${limit.perEpoch} for an epoch`
    : undefined;
}

function isNamed(names: Names, name: string): boolean {
  return names.includes(ANY) || names.includes(name);
}
