// Decides by a policy; what the policy wants asked goes to whoever can be asked.
import type { ApprovalRequest, Approver, Decision, TransactionRequest } from "../approvals/approver.ts";
import { hasEpochLimit, type Judged, judge } from "./judge.ts";
import type { Policy } from "./policy.ts";
import type { Spending } from "./spending.ts";
import { EpochUsage } from "./usage.ts";

export interface PolicyApproverOptions {
  readonly policy: Policy;
  readonly hash: string;
  /** For what the policy wants asked, and for passphrases. */
  readonly person?: Approver;
  /** What was approved before the service was started again. */
  readonly usage?: EpochUsage;
}

interface Allowed {
  readonly rule: string;
  readonly spending: readonly Spending[];
}

export class PolicyApprover implements Approver {
  readonly name: string;
  readonly decidesOnTokens = true;
  private readonly usage: EpochUsage;
  private readonly allowed = new Map<string, Allowed>();

  constructor(private readonly options: PolicyApproverOptions) {
    this.name = `policy ${options.policy.name}, ${options.hash}`;
    this.usage = options.usage ?? new EpochUsage();
  }

  async decide(request: ApprovalRequest, signal: AbortSignal | undefined): Promise<Decision> {
    const { policy, person } = this.options;
    if (request.kind === "passphrase") return person?.decide(request, signal) ?? { outcome: "rejected" };
    if (request.kind === "transaction" && hasEpochLimit(policy)) this.usage.enter(await request.epoch());
    const verdict = judge(policy, judged(request), this.usage);
    if (verdict.kind === "allow") {
      const { rule, spending, wallet } = verdict;
      if (request.kind === "transaction") {
        // Counted at once: a second request may come before this one is sent.
        this.usage.add(rule.name, spending);
        this.allowed.set(request.id, { rule: rule.name, spending });
      }
      return { outcome: "approved", ...(wallet !== undefined && { wallet }) };
    }
    if (verdict.kind === "ask" && person !== undefined) return person.decide(request, signal);
    return { outcome: "rejected", reason: verdict.reasons.join("; ") };
  }

  settled({ id }: TransactionRequest, isSent: boolean): void {
    const allowed = this.allowed.get(id);
    this.allowed.delete(id);
    if (allowed !== undefined && !isSent) this.usage.add(allowed.rule, allowed.spending, -1);
  }
}

function judged(request: Exclude<ApprovalRequest, { kind: "passphrase" }>): Judged {
  if (request.kind === "transaction") return request;
  const wallets = request.kind === "connection" ? request.wallets : [request.wallet];
  return { kind: request.kind, hostname: request.hostname, wallets };
}
