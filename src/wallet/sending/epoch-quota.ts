// Commands of a kind that a key may still send this epoch (docs/protocol/40-pow-spam.md#4-spam-policies): refuses what
// the network would refuse, and perhaps ban for. The network counts finished blocks only, so sent commands are
// remembered here.
//
// Different from the original: what was never sent is given back, cancelled transfers count as the network counts
// them, and what is on its way while an epoch ends counts for the next one as well, until it must have arrived.

import type { NodeError } from "../../errors/node-error.ts";
import type { SpamPolicy } from "../../errors/rules.ts";
import type { SpamStatistics } from "../../wire/generated/core-api.ts";
import { COMMANDS, type CommandKind } from "../../wire/transaction-commands.ts";
import { sendError } from "./nodes.ts";

const STATISTIC = {
  proposal: "proposals",
  delegation: "delegations",
  transfer: "transfers",
  validatorJoin: "nodeAnnouncements",
  issueSignature: "issueSignatures",
} as const satisfies Readonly<Record<Exclude<SpamPolicy, "vote">, keyof SpamStatistics>>;

/** Blocks after which a transaction has arrived, or is lost. */
const ON_ITS_WAY_BLOCKS = 5n;

/** Of a chain that restarted: how long what was sent before may yet be in it, milliseconds. */
const BEFORE_MS = 10_000;

interface SentCommand {
  readonly key: string;
  /** 0 for what the network has counted. */
  readonly height: bigint;
  /** 1; more for transactions that the network had counted and this wallet did not know of. */
  readonly times: bigint;
  readonly tag?: string | undefined;
  /** Until when it counts, where the chain restarted since. */
  goodUntilMs?: number;
}

/** The memory as plain JSON. */
export interface EpochQuotaState {
  readonly epoch: string;
  /** Left out by earlier versions. */
  readonly from?: string;
  readonly sent: readonly (readonly [key: string, height: string, times: string, tag?: string])[];
}

interface EpochUse {
  readonly command: CommandKind;
  /** The proposal voted on, for votes. */
  readonly proposal?: string;
  /** The newest block. */
  readonly height: bigint;
  /** Known by it, the same transaction counts once when it comes again. */
  readonly tag?: string | undefined;
  /** Number of restarts of the chain. */
  readonly beginnings?: number;
  readonly nowMs?: number;
}

export class EpochQuota {
  private epoch = -1n;
  /** The newest block when the epoch's number was first heard: what was sent before was sent in another epoch. */
  private from = 0n;
  private height = 0n;
  private beginnings = 0;
  private sent: SentCommand[] = [];

  /**
   * Counts a command that is about to be sent.
   * @returns a function that takes it back, for one that was never sent
   * @throws NodeError `party_banned`, `maximum_reached`, in the original's words
   */
  reserve(statistics: SpamStatistics, use: EpochUse): () => void {
    const { command, proposal = "", height, tag } = use;
    const { spamPolicy: policy } = COMMANDS[command];
    if (policy === undefined) return () => {};
    const isLate = !this.enterEpoch(statistics.epochSeq, use);
    const { max, count, bannedUntil } = standing(statistics, policy, proposal);
    if (bannedUntil) throw banned("transactions of this type", bannedUntil);
    const key = policy === "vote" ? `vote ${proposal}` : policy;
    const earlier =
      tag === undefined ? undefined : this.sent.find((one) => one.key === key && one.tag === tag);
    if (earlier !== undefined) return () => this.takeBack(earlier);
    if (!isLate) this.settle(key, count);
    const remembered = timesOf(this.sent.filter((one) => one.key === key));
    if ((remembered > count ? remembered : count) >= max) throw maximumReached(max);
    // Transactions that the network has counted and this wallet does not remember are not sent by it once more.
    const missing = count - remembered;
    if (missing > 0n && !isLate) this.sent.push({ key, height: 0n, times: missing });
    const mine = { key, height, times: 1n, tag };
    this.sent.push(mine);
    return () => this.takeBack(mine);
  }

  save(): EpochQuotaState {
    // Separate only while their height matters: the rest is sums.
    const sums = new Map<string, bigint>();
    const sent: EpochQuotaState["sent"][number][] = [];
    for (const { key, height, times, tag } of this.sent) {
      if (tag !== undefined) sent.push([key, `${height}`, `${times}`, tag]);
      else {
        const place = `${this.isOnItsWay(height) || this.isOfBefore(height) ? height : 0n} ${key}`;
        sums.set(place, (sums.get(place) ?? 0n) + times);
      }
    }
    for (const [place, times] of sums) {
      const [height, ...key] = place.split(" ");
      sent.push([key.join(" "), height!, `${times}`]);
    }
    return { epoch: `${this.epoch}`, from: `${this.from}`, sent };
  }

  load({ epoch, from = "0", sent }: EpochQuotaState): void {
    this.epoch = BigInt(epoch);
    this.from = BigInt(from);
    this.sent = sent.map(([key, height, times, tag]) => ({
      ...{ key, height: BigInt(height), times: BigInt(times), tag },
    }));
  }

  private takeBack(mine: SentCommand): void {
    this.sent = this.sent.filter((one) => one !== mine);
  }

  private isOnItsWay(height: bigint): boolean {
    return height > 0n && height + ON_ITS_WAY_BLOCKS >= this.height;
  }

  private isOfBefore(height: bigint): boolean {
    return height > 0n && height < this.from;
  }

  /**
   * Commands sent in the epoch before have arrived by now, in this one or in that: the network's count says which, and
   * lacks no more than what is on its way.
   */
  private settle(key: string, count: bigint): void {
    const isArrived = ({ height }: SentCommand) => this.isOfBefore(height) && !this.isOnItsWay(height);
    const own = this.sent.filter((one) => one.key === key);
    const arrived = own.filter(isArrived);
    if (arrived.length === 0) return;
    this.sent = this.sent.filter((one) => !arrived.includes(one));
    const onItsWay = own.filter(({ height }) => this.isOnItsWay(height));
    const counted = count + timesOf(onItsWay) - timesOf(own) + timesOf(arrived);
    const times = counted < timesOf(arrived) ? counted : timesOf(arrived);
    if (times > 0n) this.sent.push({ key, height: 0n, times });
  }

  /** @returns false for late statistics, of an epoch that has ended */
  private enterEpoch(epoch: bigint, { height, beginnings = 0, nowMs = 0 }: EpochUse): boolean {
    const isAnew = beginnings !== this.beginnings;
    this.beginnings = beginnings;
    // A node that was only far behind says the same: what it has not counted counts here a while longer.
    if (isAnew) for (const one of this.sent) one.goodUntilMs ??= nowMs + BEFORE_MS;
    this.sent = this.sent.filter(({ goodUntilMs }) => goodUntilMs === undefined || nowMs < goodUntilMs);
    if (isAnew || height > this.height) this.height = height;
    if (epoch > this.epoch && !isAnew) this.sent = this.sent.filter((one) => this.isOnItsWay(one.height));
    if (isAnew) this.from = 0n;
    else if (epoch > this.epoch) this.from = this.height;
    if (epoch < this.epoch && !isAnew) return false;
    this.epoch = epoch;
    return true;
  }
}

function timesOf(sent: readonly SentCommand[]): bigint {
  return sent.reduce((sum, { times }) => sum + times, 0n);
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
  return sendError(
    "party_banned",
    `party is banned from submitting ${what} until ${until}`,
    "the ban ends by itself",
  );
}

function maximumReached(max: bigint): NodeError {
  const text =
    `party has already submitted the maximum number of transactions of this type per epoch (${max})` as const;
  return sendError("maximum_reached", text, "the next epoch takes more");
}
