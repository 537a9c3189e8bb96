// Approves whatever is asked. For a devnet, whose keys are public and whose money is none.
import { NodeError } from "../../errors/node-error.ts";
import type { ApprovalRequest, Approver, Decision } from "./approver.ts";

export class ApproveAll implements Approver {
  readonly name = "all";

  /** @throws NodeError where the chain is not a devnet of this process */
  constructor({ isDevnet }: { readonly isDevnet: boolean }) {
    if (isDevnet) return;
    throw new NodeError(
      "wallet.serve",
      "approve_all_refused",
      "a wallet approves everything only for a devnet",
      "use --wallet-approve ask, or a policy",
    );
  }

  async decide(request: ApprovalRequest): Promise<Decision> {
    if (request.kind === "connection") return { outcome: "approved", wallet: request.wallets[0]! };
    // A passphrase cannot be made up: wallets of a devnet are unlocked when it starts.
    return request.kind === "passphrase" ? { outcome: "rejected" } : { outcome: "approved" };
  }
}
