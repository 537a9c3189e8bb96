// Rules by name: `details.rule` of a refusal (src/chain/admission; docs/protocol/40-pow-spam.md).
import { type CodeEntry, type Explanation, explanationsOf, textsOf } from "./explanation.ts";
import { CAUSES, FIXES } from "./shared.ts";

const NEWER_BLOCK = "Take the last block (GET /blockchain/height), sign again, and make a new proof.";

const NEW_PROOF =
  "Make a new proof with another random tid for a recent block: lyra pow solve, or let the wallet send it.";

const POW = {
  pow_tid_seen: {
    text: "proof of work tid already seen",
    meaning: "A transaction with this tid waits for its block already.",
    cause:
      "The tid may even be somebody else's, since all senders share them. A node of the network says so of everything that it has looked at since the last block: there a check uses up the proof too, also one that failed, and on a devnet a refused submission under --rules 0.71.6.",
    fix: `Wait for the next block and send it again, or: ${NEW_PROOF}`,
  },
  pow_tid_too_long: {
    text: "proof of work tid is longer than 256 bytes",
    meaning: "The identifier of the proof of work is too long.",
    cause:
      "A tid is any text; wallets send 64 hexadecimal digits. The network has no limit, so this refusal is Lyra's own.",
    fix: NEW_PROOF,
  },
  pow_tid_used: {
    text: "proof of work tid already used",
    meaning: "A transaction with this tid is in a block already.",
    cause: "A proof is good for one transaction.",
    fix: NEW_PROOF,
  },
  pow_hash_used: {
    text: "transaction hash already used",
    meaning: "This very transaction is in a block already.",
    cause:
      "Its bytes are the same as those of a transaction that was delivered while its block height was in the window.",
    fix: "It is done: look for its hash in the data API. To do the same again, sign it again: the nonce makes it another transaction.",
  },
  pow_banned: {
    text: "party is banned from sending transactions",
    meaning: "This key may not send anything for a while.",
    cause:
      "It sent more transactions on one block than the proofs of work allowed. A ban lasts 1/48 of an epoch, at least 30 seconds.",
    fix: "Wait until `bannedUntil` of GET /statistics/spam/YOUR_KEY. On a devnet: lyra devnet pardon. Then keep to `txPerBlock` a block, or to `expectedDifficulty`.",
  },
  pow_too_old: {
    text: "transaction too old",
    meaning: "The block that the transaction names is forgotten.",
    cause: "Its height lies before everything that the node keeps of the proof-of-work parameters.",
    fix: NEWER_BLOCK,
  },
  pow_unknown_height: {
    text: "unknown block height for tx:<hash>, command:<name>, party:<key>",
    meaning: "The block that the transaction names cannot be used for a proof of work.",
    cause:
      "It is older than the last `spamPowNumberOfPastBlocks` blocks, or not made yet: the sender's node is behind or ahead, or the transaction waited too long.",
    fix: NEWER_BLOCK,
  },
  pow_invalid: {
    text: "failed to verify proof of work",
    meaning: "The proof is invalid or too weak.",
    cause:
      "SHA3-256 of the prefix, block hash, tid and nonce has fewer leading zero bits than asked for; or the block hash was taken in upper case, decoded, or from another height; or there is no tid.",
    fix: "Check it with: lyra pow verify. The hash is hashed as lower-case text, the nonce as eight bytes, big end first.",
  },
  pow_quota: {
    text: "too many transactions per block",
    meaning:
      "More transactions were built on one block than the sender's proofs allow; the sender is banned.",
    cause:
      "A block takes `spamPowNumberOfTxPerBlock` transactions of a party. With increasing difficulty it takes more, each group one bit harder.",
    fix: "Wait for the ban to end. Build on a newer block, or make each proof as hard as `expectedDifficulty` in the spam statistics says.",
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

/** A policy of the spam engine as its texts call it: what it counts, and the parameters of its limits. */
const POLICIES = {
  proposal: {
    counted: "proposals",
    maximum: "spam.protection.max.proposals",
    minimum: "spam.protection.proposal.min.tokens",
  },
  delegation: {
    counted: "delegations and undelegations together",
    maximum: "spam.protection.max.delegations",
    minimum: "spam.protection.delegation.min.tokens",
  },
  transfer: {
    counted: "transfers and their cancellations together",
    maximum: "spam.protection.maxUserTransfersPerEpoch",
    minimum: "none: it is 0",
  },
  validatorJoin: {
    counted: "announcements of a node",
    maximum: "one an epoch, fixed",
    minimum: "reward.staking.delegation.minimumValidatorStake",
  },
  issueSignature: {
    counted: "requests to issue signatures",
    maximum: "one an epoch, fixed",
    minimum: "spam.protection.minMultisigUpdates",
  },
  vote: {
    counted: "votes on one proposal",
    maximum: "spam.protection.max.votes",
    minimum: "spam.protection.voting.min.tokens, doubled while many votes are refused",
  },
} as const satisfies Readonly<Record<string, { counted: string; maximum: string; minimum: string }>>;

/** A policy by its name in rules and texts. */
export type SpamPolicy = keyof typeof POLICIES;

function policyRules(name: SpamPolicy): Readonly<Record<string, CodeEntry>> {
  const { counted, maximum, minimum } = POLICIES[name];
  const isVote = name === "vote";
  const ban = isVote ? "votes" : name;
  const count = isVote
    ? "party has already voted the maximum number of times per proposal per epoch"
    : `party has already submitted the maximum number of ${name} requests per epoch`;
  const tokens = isVote
    ? "party has insufficient associated governance tokens in their staking account to submit votes"
    : `party has insufficient associated governance tokens in their staking account to submit ${name} request`;
  return {
    [`spam_${name}_banned`]: {
      text: `party is banned from submitting ${ban} until the earlier between <time> and the beginning of the next epoch`,
      meaning: "The key may not send this kind of command for a while.",
      cause: `At least half of its ${isVote ? "votes" : counted} in one block were refused. The ban lasts 1/48 of an epoch, at least 30 seconds, and ends with the epoch at the latest.`,
      fix: "Wait for the time in the text or for the next epoch. Count what you send: GET /statistics/spam/YOUR_KEY.",
    },
    [`spam_${name}_tokens`]: {
      text: tokens,
      meaning: "The sender has too few staked tokens for this kind of command.",
      cause: `Whoever sends it has to have a minimum of the governance token staked, delegated or not (${minimum}).`,
      fix: "Stake more; `minTokensRequired` in GET /statistics/spam/YOUR_KEY is what it takes, in the token's smallest unit. On a devnet: lyra devnet stake.",
    },
    [`spam_${name}_count`]: {
      text: count,
      meaning: "The quota of this epoch is used up.",
      cause: `A party may send so many ${counted} in an epoch (${maximum}). Sending on leads to a ban.`,
      fix: "Wait for the next epoch: `epochExpiryTime` in GET /statistics. On a devnet: lyra devnet epoch end.",
    },
  };
}

/** Refusals that no rule of admission gave: the chain names them by their code. */
const OTHERS = {
  undecodable_transaction: {
    meaning: "The bytes are no transaction (code 60).",
    cause: "They were broken off, encoded twice, or are no protobuf message at all.",
    fix: "Send the serialised `Transaction` in standard base64.",
  },
  invalid_transaction: {
    meaning:
      "The transaction breaks a rule of form, or is not signed by its sender for this chain (code 60).",
    cause: CAUSES.code(60),
    fix: "The text names each property and what is wrong with it; look up the words in parentheses here.",
  },
  not_allowed: {
    meaning: "The network's limits do not allow this kind of command at the moment (code 51).",
    cause: CAUSES.code(51),
    fix: FIXES.networkLimits,
  },
  block_gas: {
    text: "gas wanted <n> is greater than max gas <n>",
    meaning: "No block has room for it (code 51).",
    cause: "It wants more gas than `network.transactions.maxgasperblock`.",
    fix: FIXES.split,
  },
  command_failed: {
    meaning: "The command's own rules refuse it (code 70).",
    cause: CAUSES.code(70),
    fix: "Look up the text here, without its numbers.",
  },
  batch_partly_failed: {
    meaning: "A part of a batch failed (code 71).",
    cause: CAUSES.code(71),
    fix: "The text has the error of each instruction by its index.",
  },
  unsupported_command: {
    meaning: "This chain cannot carry out such a command (code 80).",
    cause: CAUSES.code(80),
    fix: FIXES.otherNetwork,
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

/** Rules of admission: they refuse with code 89. */
export type AdmissionRule = keyof typeof POW | `spam_${SpamPolicy}_${"banned" | "tokens" | "count"}`;
export type RuleName = AdmissionRule | keyof typeof OTHERS;

const ENTRIES: Readonly<Record<string, CodeEntry>> = {
  ...POW,
  ...Object.assign({}, ...(Object.keys(POLICIES) as SpamPolicy[]).map(policyRules)),
  ...OTHERS,
};

export const RULES: readonly Explanation[] = explanationsOf("rule", ENTRIES);

/** The original's text of a rule, word for word. @param gaps for its `<...>`, in order */
export function ruleText(rule: AdmissionRule, gaps: readonly (string | number)[] = []): string {
  const [text] = textsOf(ENTRIES[rule]!);
  let next = 0;
  return text!.replace(/<[^>]*>/g, () => `${gaps[next++]}`);
}
