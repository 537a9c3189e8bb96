// Decides by a policy; what the policy wants asked goes to whoever can be asked.
import type {
  ApprovalRequest,
  Approver,
  Decision,
  KeysRequest,
  TransactionRequest,
} from "../approvals/approver.ts";
import { hasEpochLimit, isCounted, type Judged, judge } from "./judge.ts";
import { ANY, type Policy, type Rule } from "./policy.ts";
import { EpochUsage } from "./usage.ts";

export interface PolicyApproverOptions {
  readonly policy: Policy;
  readonly hash: string;
  /** For what the policy wants asked, and for passphrases. */
  readonly person?: Approver;
  /** What was approved before the service was started again. */
  readonly usage?: EpochUsage;
}

export class PolicyApprover implements Approver {
  readonly name: string;
  readonly decidesOnTokens = true;
  private readonly usage: EpochUsage;
  /** How to take back what was approved and has not left yet. */
  private readonly onItsWay = new Map<string, () => void>();

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
      if (request.kind === "keys") return keysOf(rule, request);
      if (request.kind === "transaction" && isCounted(rule)) {
        // Counted at once: a second request may come before this one is sent.
        this.onItsWay.set(request.id, this.usage.add(rule.name, spending));
      }
      return { outcome: "approved", ...(wallet !== undefined && { wallet }) };
    }
    if (verdict.kind === "ask" && person !== undefined) return person.decide(request, signal);
    return { outcome: "rejected", reason: verdict.reasons.join("; ") };
  }

  settled({ id }: TransactionRequest, isSent: boolean): void {
    const takeBack = this.onItsWay.get(id);
    this.onItsWay.delete(id);
    try {
      if (!isSent) takeBack?.();
    } catch {
      // It stays counted where that cannot be written: why it was not sent is what its sender is told.
    }
  }
}

/** A page sees no key that the rule does not name. */
function keysOf({ keys = [ANY] }: Rule, request: KeysRequest): Decision {
  if (keys.includes(ANY)) return { outcome: "approved" };
  const allowedKeys = request.keys.map(({ publicKey }) => publicKey).filter((key) => keys.includes(key));
  if (allowedKeys.length === 0) return { outcome: "rejected", reason: "no key of the wallet is in the rule" };
  return { outcome: "approved", allowedKeys };
}

function judged(request: Exclude<ApprovalRequest, { kind: "passphrase" }>): Judged {
  if (request.kind === "transaction") return request;
  const wallets = request.kind === "connection" ? request.wallets : [request.wallet];
  return { kind: request.kind, hostname: request.hostname, wallets };
}
