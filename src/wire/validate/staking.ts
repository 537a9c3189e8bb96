/** Delegation of stake (reference 30, section 4.5). */

import * as say from "../../errors/validation.ts";
import type { DelegateSubmission, UndelegateSubmission } from "../generated/commands.ts";
import { all, type Check, rule } from "./check.ts";
import { amount, isNamed, publicKey } from "./fields.ts";

export const delegateSubmission: Check<DelegateSubmission> = all(
  amount("delegate_submission.amount", (command) => command.amount),
  publicKey("delegate_submission.node_id", (command) => command.nodeId),
);

/** The amount is looked at when the command is executed, where "0" means everything. */
export const undelegateSubmission: Check<UndelegateSubmission> = all(
  rule(
    "undelegate_submission.method",
    say.IS_REQUIRED,
    ({ method }) => method === 0 || !isNamed("vega.commands.v1.UndelegateSubmission.Method", method),
  ),
  publicKey("undelegate_submission.node_id", (command) => command.nodeId),
);
