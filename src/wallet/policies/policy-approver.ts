// Decides by a policy; requests that the policy leaves open go to the next approver.
import { NodeError } from "../../errors/node-error.ts";
import type {
  ApprovalRequest,
  Approver,
  Decision,
  KeysRequest,
  Outcome,
  TransactionRequest,
} from "../approvals/approver.ts";
import { readCommand } from "../signing/transaction.ts";
import { decide, hasEpochLimit, isCounted, type PolicyRequest, type Verdict } from "./decision.ts";
import { ANY, epochMsOf, type Policy, type Rule } from "./policy.ts";
import type { LoggedRequest } from "./request-log.ts";
import { EpochUsage } from "./usage.ts";

interface PolicyApproverOptions {
  readonly policy: Policy;
  readonly hash: string;
  /** For what the policy wants asked, and for passphrases. */
  readonly person?: Approver;
  /** Approvals from before the service was started again. */
  readonly usage?: EpochUsage;
  /** The time of day, Unix milliseconds. */
  readonly wallMs?: () => number;
}

export class PolicyApprover implements Approver {
  readonly name: string;
  readonly decidesOnTokens = true;
  private readonly usage: EpochUsage;
  /** Approvals that were counted and are not over. */
  private readonly onItsWay = new Map<string, Counted>();

  constructor(private readonly options: PolicyApproverOptions) {
    this.name = `policy ${options.policy.name}, ${options.hash}`;
    this.usage = options.usage ?? new EpochUsage(epochMsOf(options.policy));
  }

  async decide(request: ApprovalRequest, signal: AbortSignal | undefined): Promise<Decision> {
    const { policy, person } = this.options;
    if (request.kind === "passphrase") return person?.decide(request, signal) ?? { outcome: "rejected" };
    if (request.kind === "transaction" && hasEpochLimit(policy)) {
      const { wallMs = Date.now } = this.options;
      this.usage.enterEpoch(await request.epoch(), wallMs());
    }
    const verdict = decide(policy, policyRequestOf(request), this.usage);
    if (verdict.kind === "allow") {
      const { rule, spending, wallet } = verdict;
      if (request.kind === "keys") return keysOf(rule, request);
      if (request.kind === "transaction" && isCounted(rule)) {
        // Counted at once: a second request may come before this one is sent.
        const takeBack = this.usage.add(rule.name, spending);
        this.onItsWay.set(request.id, { takeBack, isSigned: false });
      }
      return { outcome: "approved", ...(wallet !== undefined && { wallet }) };
    }
    if (verdict.kind === "ask" && person !== undefined) return person.decide(request, signal);
    return { outcome: "rejected", reason: verdict.reasons.join("; ") };
  }

  /** A second signature of one approval is one transaction more: a node that lied about the first can have both. */
  signing(request: TransactionRequest): void {
    const counted = this.onItsWay.get(request.id);
    if (counted === undefined) {
      this.options.person?.signing?.(request);
      return;
    }
    if (counted.isSigned) {
      const verdict = decide(this.options.policy, request, this.usage);
      if (verdict.kind !== "allow") throw limitReached(verdict.reasons.join("; "));
      this.usage.add(verdict.rule.name, verdict.spending);
    }
    counted.isSigned = true;
  }

  /** A signed transaction stays counted, whatever a node says became of it: the chain may take it all the same. */
  settled(request: TransactionRequest, outcome: Outcome): void {
    const counted = this.onItsWay.get(request.id);
    this.onItsWay.delete(request.id);
    if (counted === undefined) {
      this.options.person?.settled?.(request, outcome);
      return;
    }
    try {
      if (!counted.isSigned) counted.takeBack();
    } catch {
      // It stays counted where that cannot be written: why it was not sent is what its sender is told.
    }
  }
}

interface Counted {
  readonly takeBack: () => void;
  isSigned: boolean;
}

function limitReached(reasons: string): NodeError {
  return new NodeError(
    "wallet.policy",
    "policy_limit",
    `it would have to be signed again, and may not: ${reasons}`,
  );
}

/** A page sees no key that the rule does not name. */
function keysOf({ keys = [ANY] }: Rule, request: KeysRequest): Decision {
  if (keys.includes(ANY)) return { outcome: "approved" };
  const allowedKeys = request.keys.map(({ publicKey }) => publicKey).filter((key) => keys.includes(key));
  if (allowedKeys.length === 0) return { outcome: "rejected", reason: "no key of the wallet is in the rule" };
  return { outcome: "approved", allowedKeys };
}

function policyRequestOf(request: Exclude<ApprovalRequest, { kind: "passphrase" }>): PolicyRequest {
  if (request.kind === "transaction") return request;
  const wallets = request.kind === "connection" ? request.wallets : [request.wallet];
  const pairing = request.kind === "connection" ? request.pairing : undefined;
  return { kind: request.kind, hostname: request.hostname, wallets, pairing };
}

// A policy's decisions on past requests.

export interface Simulated {
  readonly entry: LoggedRequest;
  readonly verdict: "allow" | "reject" | "ask" | "unreadable";
  /** The rule that allows it, or why none does. */
  readonly why: string;
}

export function simulate(policy: Policy, entries: readonly LoggedRequest[]): Simulated[] {
  const usage = new EpochUsage(epochMsOf(policy));
  return entries.map((entry) => {
    const request = loggedRequestOf(entry);
    if (request === undefined) return { entry, verdict: "unreadable", why: "the entry holds no command" };
    if (entry.epoch !== undefined) usage.enterEpoch(BigInt(entry.epoch), Date.parse(entry.time) || 0);
    const verdict = decide(policy, request, usage);
    if (verdict.kind === "allow" && request.kind === "transaction")
      usage.add(verdict.rule.name, verdict.spending);
    return { entry, verdict: verdict.kind, why: reasonOf(verdict) };
  });
}

function loggedRequestOf(entry: LoggedRequest): PolicyRequest | undefined {
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
