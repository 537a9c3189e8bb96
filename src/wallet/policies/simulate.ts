// What a policy would have said of past requests.
import { readCommand } from "../signing/transaction.ts";
import { type Judged, judge, type Verdict } from "./judge.ts";
import { epochMsOf, type Policy } from "./policy.ts";
import type { LoggedRequest } from "./request-log.ts";
import { EpochUsage } from "./usage.ts";

export interface Simulated {
  readonly entry: LoggedRequest;
  readonly verdict: "allow" | "reject" | "ask" | "unreadable";
  /** The rule that allows it, or why none does. */
  readonly why: string;
}

export function simulate(policy: Policy, entries: readonly LoggedRequest[]): Simulated[] {
  const usage = new EpochUsage(epochMsOf(policy));
  return entries.map((entry) => {
    const request = judgedOf(entry);
    if (request === undefined) return { entry, verdict: "unreadable", why: "the entry holds no command" };
    if (entry.epoch !== undefined) usage.enter(BigInt(entry.epoch), Date.parse(entry.time) || 0);
    const verdict = judge(policy, request, usage);
    if (verdict.kind === "allow" && request.kind === "transaction")
      usage.add(verdict.rule.name, verdict.spending);
    return { entry, verdict: verdict.kind, why: reasonOf(verdict) };
  });
}

function judgedOf(entry: LoggedRequest): Judged | undefined {
  const { hostname, wallet, token, publicKey = "", purpose = "send" } = entry;
  if (entry.kind !== "transaction") return { kind: entry.kind, hostname, wallets: [wallet], isPast: true };
  try {
    const command = readCommand(entry.command);
    return { kind: "transaction", hostname, token, wallet, publicKey, purpose, command };
  } catch {
    return undefined;
  }
}

function reasonOf(verdict: Verdict): string {
  return verdict.kind === "allow" ? verdict.rule.name : verdict.reasons.join("; ");
}
