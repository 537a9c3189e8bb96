// The sender's side of the spam rules: refuses what the node would refuse, and ban for (reference 40, section 6,
// step 2). It remembers what was sent this epoch, because the node only counts finished blocks.
import { NodeError } from "../../errors.ts";
import type { GetSpamStatisticsResponse, SpamStatistics } from "../../wire/generated/core-api.ts";
import { COMMANDS, type CommandKind } from "../../wire/transaction-commands.ts";
import type { SimplePolicyName } from "../spam/engine.ts";

const STATISTIC = {
  proposal: "proposals",
  delegation: "delegations",
  transfer: "transfers",
  validatorJoin: "nodeAnnouncements",
  issueSignature: "issueSignatures",
} as const satisfies Readonly<Record<SimplePolicyName, keyof SpamStatistics>>;

interface Memory {
  epochSeq: bigint;
  /** Sent this epoch, by policy, and by proposal for votes. */
  readonly sent: Map<string, bigint>;
}

export class SubmissionGuard {
  private readonly memories = new Map<string, Memory>();

  /**
   * Counts a command that is about to be sent.
   * @param proposal the proposal voted on, for votes
   * @throws NodeError `party_banned` or `maximum_reached`
   */
  admit(fresh: GetSpamStatisticsResponse, party: string, command: CommandKind, proposal = ""): void {
    const statistics = fresh.statistics;
    if (!statistics) return;
    const memory = this.memoryOf(`${fresh.chainId} ${party}`, statistics.epochSeq);
    const powBan = statistics.pow?.bannedUntil;
    if (powBan !== undefined) throw banned("all transactions", powBan);
    const { spamPolicy: policy } = COMMANDS[command];
    // Cancelling a transfer is counted by the node but not here, as in the original.
    if (policy === undefined || command === "cancelTransfer") return;
    const { max, count, bannedUntil } = standing(statistics, policy, proposal);
    if (bannedUntil !== undefined) throw banned("transactions of this type", bannedUntil);
    const key = policy === "vote" ? `vote ${proposal}` : policy;
    const remembered = memory.sent.get(key) ?? 0n;
    const used = remembered > count ? remembered : count;
    if (used >= max) throw maximumReached(max);
    memory.sent.set(key, used + 1n);
  }

  private memoryOf(key: string, epochSeq: bigint): Memory {
    const known = this.memories.get(key);
    if (known && known.epochSeq >= epochSeq) return known;
    const memory: Memory = { epochSeq, sent: new Map() };
    this.memories.set(key, memory);
    return memory;
  }
}

function standing(statistics: SpamStatistics, policy: SimplePolicyName | "vote", proposal: string) {
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

function banned(what: string, until: string): NodeError {
  const text = `party is banned from submitting ${what} until ${until}`;
  return new NodeError("submission.check", "party_banned", text, "the ban ends by itself");
}

function maximumReached(max: bigint): NodeError {
  const text = `party has already submitted the maximum number of transactions of this type per epoch (${max})`;
  return new NodeError("submission.check", "maximum_reached", text, "the next epoch takes more");
}
