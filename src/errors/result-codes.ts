// Result codes of a transaction (`code` of a submission; docs/protocol/30-node-api-endpoints.md#71-abci-result-codes).

import type { EXECUTION, VALIDATOR_TEXTS } from "./execution.ts";
import type { CodeEntry, Filled, TextOf } from "./explanation.ts";
import { FIXES } from "./shared.ts";

export const RESULT_CODES = {
  0: {
    meaning: "Accepted.",
    cause:
      "From a submission of TYPE_SYNC or TYPE_ASYNC: the node has taken the transaction into its mempool. From TYPE_COMMIT: it was executed.",
    fix: "Nothing. Whether a transaction that was taken was also executed is seen in the data API, in the next block.",
  },
  51: {
    text: ["trading disabled", "market proposal disabled", "asset proposal disabled"],
    meaning: "Not allowed now.",
    cause:
      "The network's limits do not allow this kind of command at the moment: trading, or proposals of markets or assets, are switched off.",
    fix: "Look at GET /network/limits, and try again when they are on.",
  },
  60: {
    text: [
      "unable to unmarshal transaction: <reason>",
      "tx.version (is required)",
      "tx.signature.value (invalid signature)",
      "tx (is required)",
    ],
    meaning: "Malformed, or not signed by its sender for this chain.",
    cause:
      "The bytes cannot be read, a property breaks a rule that needs no knowledge of the chain, or the signature does not verify: most often it was made for another chain id.",
    fix: "The text names each property and what is wrong with it; look up the words in parentheses here. For a signature, sign SHA3-256 of the chain id, a zero byte and the input data, with version 3.",
  },
  70: {
    meaning: "The command's own rules refuse it.",
    cause:
      "It is well-formed and was admitted, but cannot be carried out in the present state: too little money, an asset that does not exist, a proposal that is closed.",
    fix: "The text says which rule; look it up here. `details.numbers` has your own figures.",
  },
  71: {
    meaning: "A part of a batch failed.",
    cause: "Some instructions of the batch were carried out, others were not; those that were stay.",
    fix: "The text has the error of each instruction by its index. Send the failed ones again, corrected.",
  },
  80: {
    text: ["invalid vega command", "not supported by this chain"],
    meaning: "This chain cannot carry out such a command.",
    cause:
      "The command is known and well-formed, but nothing here executes it: markets and orders on a chain without trading, for example.",
    fix: FIXES.otherNetwork,
  },
  89: {
    meaning: "Refused by proof of work, replay protection or a spam rule.",
    cause:
      "The proof is weak, used or too old, the transaction was seen before, or its sender has used up a quota, has too few staked tokens, or is banned.",
    fix: "The text says which, and `details.rule` names it: look that up here. GET /statistics/spam/YOUR_KEY shows what you may still send.",
  },
} as const satisfies Readonly<Record<number, CodeEntry>>;

type Codes = typeof RESULT_CODES;

/** The texts with which the engine refuses a command: each is explained. */
export type CommandText =
  | Filled<keyof typeof EXECUTION | keyof typeof VALIDATOR_TEXTS>
  | TextOf<Codes[51]>
  | TextOf<Codes[80]>;
