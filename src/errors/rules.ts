// Rules by name: `details.rule` of a refusal (src/chain/admission; docs/protocol/40-pow-spam.md).
import { type Explanation, type Row, table } from "./explanation.ts";

const NEW_PROOF =
  "Make a new proof with another random tid for a recent block: lyra pow solve, or let the wallet send it.";

const POW = {
  pow_tid_seen: [
    "proof of work tid already seen",
    "A transaction with this tid waits for its block already.",
    "The tid may even be somebody else's, since all senders share them. A node of the network says so of everything that it has looked at since the last block: there a check uses up the proof too, also one that failed, and on a devnet a refused submission under --rules 0.71.6.",
    `Wait for the next block and send it again, or: ${NEW_PROOF}`,
  ],
  pow_tid_too_long: [
    "proof of work tid is longer than 256 bytes",
    "The identifier of the proof of work is too long.",
    "A tid is any text; wallets send 64 hexadecimal digits. The network has no limit, so this refusal is Lyra's own.",
    NEW_PROOF,
  ],
  pow_tid_used: [
    "proof of work tid already used",
    "A transaction with this tid is in a block already.",
    "A proof is good for one transaction.",
    NEW_PROOF,
  ],
  pow_hash_used: [
    "transaction hash already used",
    "This very transaction is in a block already.",
    "Its bytes are the same as those of a transaction that was delivered while its block height was in the window.",
    "It is done: look for its hash in the data API. To do the same again, sign it anew: the nonce makes it another transaction.",
  ],
  pow_banned: [
    "party is banned from sending transactions",
    "This key may not send anything for a while.",
    "It sent more transactions on one block than the proofs of work allowed. A ban lasts 1/48 of an epoch, at least 30 seconds.",
    "Wait until `bannedUntil` of GET /statistics/spam/YOUR_KEY. On a devnet: lyra devnet pardon. Then keep to `txPerBlock` a block, or to `expectedDifficulty`.",
  ],
  pow_too_old: [
    "transaction too old",
    "The block that the transaction names is forgotten.",
    "Its height lies before everything that the node keeps of the proof-of-work parameters.",
    "Take the last block (GET /blockchain/height), sign again, and make a new proof.",
  ],
  pow_unknown_height: [
    "unknown block height for tx:<hash>, command:<name>, party:<key>",
    "The block that the transaction names cannot be used for a proof of work.",
    "It is older than the last `spamPowNumberOfPastBlocks` blocks, or not made yet: the sender's node is behind or ahead, or the transaction waited too long.",
    "Take the last block (GET /blockchain/height), sign again, and make a new proof.",
  ],
  pow_invalid: [
    "failed to verify proof of work",
    "The proof is not one, or too weak.",
    "SHA3-256 of the prefix, block hash, tid and nonce has fewer leading zero bits than asked for; or the block hash was taken in upper case, decoded, or from another height; or there is no tid.",
    "Check it with: lyra pow verify. The hash is hashed as lower-case text, the nonce as eight bytes, big end first.",
  ],
  pow_quota: [
    "too many transactions per block",
    "More transactions were built on one block than the sender's proofs allow; the sender is banned.",
    "A block takes `spamPowNumberOfTxPerBlock` transactions of a party. With increasing difficulty it takes more, each group one bit harder.",
    "Wait for the ban to end. Build on a newer block, or make each proof as hard as `expectedDifficulty` in the spam statistics says.",
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** A policy of the spam engine, as its texts call it, and what it counts. */
const POLICIES = {
  proposal: ["proposals", "spam.protection.max.proposals"],
  delegation: ["delegations and undelegations together", "spam.protection.max.delegations"],
  transfer: ["transfers and their cancellations together", "spam.protection.maxUserTransfersPerEpoch"],
  validatorJoin: ["announcements of a node", "one an epoch, fixed"],
  issueSignature: ["requests to issue signatures", "one an epoch, fixed"],
  vote: ["votes on one proposal", "spam.protection.max.votes"],
} as const satisfies Readonly<Record<string, readonly [count: string, setting: string]>>;

/** A policy by its name in rules and texts. */
export type SpamPolicy = keyof typeof POLICIES;

const MINIMUM: Readonly<Record<SpamPolicy, string>> = {
  proposal: "spam.protection.proposal.min.tokens",
  delegation: "spam.protection.delegation.min.tokens",
  transfer: "none: it is 0",
  validatorJoin: "reward.staking.delegation.minimumValidatorStake",
  issueSignature: "spam.protection.minMultisigUpdates",
  vote: "spam.protection.voting.min.tokens, doubled while many votes are refused",
};

function policyRules(name: SpamPolicy): Readonly<Record<string, Row>> {
  const [counted, setting] = POLICIES[name];
  const isVote = name === "vote";
  const ban = isVote ? "votes" : name;
  const count = isVote
    ? "party has already voted the maximum number of times per proposal per epoch"
    : `party has already submitted the maximum number of ${name} requests per epoch`;
  const tokens = isVote
    ? "party has insufficient associated governance tokens in their staking account to submit votes"
    : `party has insufficient associated governance tokens in their staking account to submit ${name} request`;
  return {
    [`spam_${name}_banned`]: [
      `party is banned from submitting ${ban} until the earlier between <time> and the beginning of the next epoch`,
      "The key may not send this kind of command for a while.",
      `At least half of its ${isVote ? "votes" : counted} in one block were refused. The ban lasts 1/48 of an epoch, at least 30 seconds, and ends with the epoch at the latest.`,
      "Wait for the time in the text or for the next epoch. Count what you send: GET /statistics/spam/YOUR_KEY.",
    ],
    [`spam_${name}_tokens`]: [
      tokens,
      "The sender has too few staked tokens for this kind of command.",
      `Whoever sends it has to have a minimum of the governance token staked, delegated or not (${MINIMUM[name]}).`,
      "Stake more; `minTokensRequired` in GET /statistics/spam/YOUR_KEY is what it takes, in the token's smallest unit. On a devnet: lyra devnet stake.",
    ],
    [`spam_${name}_count`]: [
      count,
      "The quota of this epoch is used up.",
      `A party may send so many ${counted} in an epoch (${setting}). Sending on leads to a ban.`,
      "Wait for the next epoch: `epochExpiryTime` in GET /statistics. On a devnet: lyra devnet epoch end.",
    ],
  };
}

/** Refusals that no rule of admission gave: the chain names them by their code. */
const OTHERS = {
  undecodable_transaction: [
    "",
    "The bytes are no transaction (code 60).",
    "They were broken off, encoded twice, or are no protobuf message at all.",
    "Send the serialised `Transaction` in standard base64.",
  ],
  invalid_transaction: [
    "",
    "The transaction breaks a rule of form, or is not signed by its sender for this chain (code 60).",
    "See code 60.",
    "The text names each property and what is wrong with it; look up the words in parentheses here.",
  ],
  not_allowed: [
    "",
    "The network's limits do not allow this kind of command at the moment (code 51).",
    "See code 51.",
    "Look at GET /network/limits.",
  ],
  block_gas: [
    "gas wanted <n> is greater than max gas <n>",
    "No block has room for it (code 51).",
    "It wants more gas than `network.transactions.maxgasperblock`.",
    "Split it up.",
  ],
  command_failed: [
    "",
    "The command's own rules refuse it (code 70).",
    "See code 70.",
    "Look up the text here, without its numbers.",
  ],
  batch_partly_failed: [
    "",
    "A part of a batch failed (code 71).",
    "See code 71.",
    "The text has the error of each instruction by its index.",
  ],
  unsupported_command: [
    "",
    "This chain cannot carry out such a command (code 80).",
    "See code 80.",
    "Send it to a network that has this feature.",
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** Rules of admission: they refuse with code 89. */
export type AdmissionRule = keyof typeof POW | `spam_${SpamPolicy}_${"banned" | "tokens" | "count"}`;
export type RuleName = AdmissionRule | keyof typeof OTHERS;

const ROWS: Readonly<Record<string, Row>> = {
  ...POW,
  ...Object.assign({}, ...(Object.keys(POLICIES) as SpamPolicy[]).map(policyRules)),
  ...OTHERS,
};

export const RULES: readonly Explanation[] = table("rule", ROWS);

/** The original's text of a rule, word for word. @param gaps for its `<...>`, in order */
export function ruleText(rule: AdmissionRule, gaps: readonly (string | number)[] = []): string {
  const [text] = ROWS[rule]!;
  let next = 0;
  return (text as string).replace(/<[^>]*>/g, () => `${gaps[next++]}`);
}
