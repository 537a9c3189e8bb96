// Everything that can be explained.
import { DETAIL_CODES } from "./detail-codes.ts";
import { EXECUTION } from "./execution.ts";
import { type Explanation, messages, table } from "./explanation.ts";
import { CHAIN_CODES } from "./program/chain.ts";
import { HISTORY_CODES } from "./program/history.ts";
import { SENDING_CODES } from "./program/sending.ts";
import { STORE_CODES } from "./program/store.ts";
import { WALLET_CODES as WALLET_FILE_CODES } from "./program/wallet.ts";
import { PROPOSAL_REASONS } from "./proposal-reasons.ts";
import { RESULT_CODES } from "./result-codes.ts";
import { RULES } from "./rules.ts";
import { STATUSES } from "./statuses.ts";
import { VALIDATION } from "./validation.ts";
import { VALIDATOR_TEXTS } from "./validators.ts";
import { WALLET_CODES } from "./wallet-codes.ts";

/** In the order in which they are shown where several match. */
export const CATALOGUE: readonly Explanation[] = [
  ...table("result code", RESULT_CODES),
  ...RULES,
  ...VALIDATION,
  ...messages("execution", EXECUTION),
  ...messages("execution", VALIDATOR_TEXTS),
  ...PROPOSAL_REASONS,
  ...STATUSES,
  ...DETAIL_CODES,
  ...table("wallet code", WALLET_CODES),
  ...table("program code", STORE_CODES),
  ...table("program code", HISTORY_CODES),
  ...table("program code", CHAIN_CODES),
  ...table("program code", SENDING_CODES),
  ...table("program code", WALLET_FILE_CODES),
];
