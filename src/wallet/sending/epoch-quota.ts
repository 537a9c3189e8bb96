// How many commands of a kind a key may still send this epoch (reference 40, section 4): refuses what the network
// would refuse, and perhaps ban for. The network counts finished blocks only, so what was sent is remembered here.
//
// Different from the original: what was never sent is given back, cancelled transfers count as the network counts
// them, and what is on its way while an epoch ends counts for the next one as well.
import type { NodeError } from "../../errors.ts";
import type { SpamStatistics } from "../../wire/generated/core-api.ts";
import { COMMANDS, type CommandKind, type SpamPolicy } from "../../wire/transaction-commands.ts";
import { sendError } from "./node-client.ts";

const STATISTIC = {
  proposal: "proposals",
  delegation: "delegations",
  transfer: "transfers",
  validatorJoin: "nodeAnnouncements",
  issueSignature: "issueSignatures",
} as const satisfies Readonly<Record<Exclude<SpamPolicy, "vote">, keyof SpamStatistics>>;

/** Blocks after which a transaction has arrived, or is lost. */
const ON_ITS_WAY_BLOCKS = 5n;

interface SentCommand {
  readonly key: string;
  readonly height: bigint;
}

export interface EpochUse {
  readonly command: CommandKind;
  /** The proposal voted on, for votes. */
  readonly proposal?: string;
  /** The newest block. */
  readonly height: bigint;
}

export class EpochQuota {
  private epoch = -1n;
  private sent: SentCommand[] = [];

  /**
   * Counts a command that is about to be sent.
   * @returns a function that takes it back, for one that was never sent
   * @throws NodeError `party_banned`, `maximum_reached`, in the original's words
   */
  reserve(statistics: SpamStatistics, { command, proposal = "", height }: EpochUse): () => void {
    const { spamPolicy: policy } = COMMANDS[command];
    if (policy === undefined) return () => {};
    this.enter(statistics.epochSeq, height);
    const { max, count, bannedUntil } = standing(statistics, policy, proposal);
    if (bannedUntil) throw banned("transactions of this type", bannedUntil);
    const key = policy === "vote" ? `vote ${proposal}` : policy;
    const remembered = BigInt(this.sent.filter((one) => one.key === key).length);
    if ((remembered > count ? remembered : count) >= max) throw maximumReached(max);
    // What the network has counted and this wallet does not remember is not sent once more by it.
    const missing = count > remembered ? Number(count - remembered) : 0;
    for (let index = 0; index < missing; index++) this.sent.push({ key, height: 0n });
    const mine = { key, height };
    this.sent.push(mine);
    return () => {
      this.sent = this.sent.filter((one) => one !== mine);
    };
  }

  private enter(epoch: bigint, height: bigint): void {
    // Late statistics are of an epoch that is over.
    if (epoch <= this.epoch) return;
    this.epoch = epoch;
    this.sent = this.sent.filter((one) => one.height + ON_ITS_WAY_BLOCKS >= height);
  }
}

function standing(statistics: SpamStatistics, policy: SpamPolicy, proposal: string) {
  if (policy === "vote") {
    const { votes } = statistics;
    const vote = votes?.statistics.find((entry) => entry.proposal === proposal);
    return {
      max: votes?.maxForEpoch ?? 0n,
      count: vote?.countForEpoch ?? 0n,
      bannedUntil: votes?.bannedUntil,
    };
  }
  const statistic = statistics[STATISTIC[policy]];
  return {
    max: statistic?.maxForEpoch ?? 0n,
    count: statistic?.countForEpoch ?? 0n,
    bannedUntil: statistic?.bannedUntil,
  };
}

/** @param until as the network wrote it: RFC 3339, or Unix nanoseconds where the original answers */
export function banned(what: string, until: string): NodeError {
  const text = `party is banned from submitting ${what} until ${until}`;
  return sendError("party_banned", text, "the ban ends by itself");
}

function maximumReached(max: bigint): NodeError {
  const text = `party has already submitted the maximum number of transactions of this type per epoch (${max})`;
  return sendError("maximum_reached", text, "the next epoch takes more");
}
