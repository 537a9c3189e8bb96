/**
 * Stake linked on Ethereum (docs/protocol/60-state-engine-staking.md#71-stake-linking): a chain event opens a linking,
 * the validators look at it, and the tick that finds their verdict accepts or rejects it.
 */

import { sha3HexOf } from "../crypto/sha.ts";
import { compare } from "../wire/arithmetic.ts";
import type { Init } from "../wire/codec.ts";
import { NodeVoteType } from "../wire/generated/commands.ts";
import { type StakeLinking, StakeLinkingStatus, StakeLinkingType } from "../wire/generated/events.ts";
import type { StakeDeposited, StakeTotalSupply, StakingEvent } from "../wire/generated/vega.ts";
import { isHex64 } from "../wire/identifiers.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { StakeReader, WitnessPort } from "./ports.ts";
import type { Cell, Table } from "./state.ts";
import { parseUint, UINT_MAX } from "./values.ts";

/** Time that validators have to look at an event (docs/protocol/60-state-engine-staking.md#71-stake-linking). */
const WITNESS_NS = 21n * 24n * 3_600n * SECOND_NS;
const LINKING_KIND = "stake-linking";
const SUPPLY_KIND = "stake-total-supply";
const DUPLICATED = "duplicated stake deposited event";

export interface Linking {
  readonly id: string;
  /** StakeLinkingType: link or unlink. */
  readonly type: number;
  /** Time of the Ethereum block, Unix seconds. */
  readonly seconds: bigint;
  readonly party: string;
  readonly amount: bigint;
  /** StakeLinkingStatus */
  readonly status: number;
  readonly finalizedNs: bigint;
  readonly txHash: string;
  readonly block: bigint;
  readonly logIndex: bigint;
  readonly ethereumAddress: string;
}

interface Supply {
  /** Undefined until it is known. */
  readonly total: bigint | undefined;
  /** The validators are looking at an event. */
  readonly pending: boolean;
}

export class Staking implements StakeReader {
  private readonly linkings: Table<Linking>;
  /** Digests of events that were seen: value is the linking's id. */
  private readonly seen: Table<string>;
  /** Verdicts of this block's witness tick that the stake tick has not taken yet: id → accepted. */
  private readonly verdicts: Table<boolean>;
  private readonly supply: Cell<Supply>;
  /** Ids of accepted linkings by party: follows `linkings`. */
  private readonly accepted = new Map<string, Set<string>>();
  /** Balances that have been computed since the party's last change. */
  private readonly balances = new Map<string, bigint>();

  constructor(
    private readonly core: Core,
    private readonly witness: WitnessPort,
  ) {
    this.linkings = core.state.table("staking.linkings");
    this.seen = core.state.table("staking.seen");
    this.verdicts = core.state.table("staking.verdicts");
    this.supply = core.state.cell<Supply>("staking.supply", { total: undefined, pending: false });
    this.linkings.onChange((id, before, now) => this.index(id, before, now));
    witness.onOutcome(LINKING_KIND, (id, _payload, accepted) => this.verdicts.set(id, accepted));
    witness.onOutcome<string>(SUPPLY_KIND, (_id, total, accepted) => {
      this.supply.set({ total: accepted ? BigInt(total) : undefined, pending: false });
    });
  }

  balance(party: string): bigint | undefined {
    const ids = this.accepted.get(party);
    if (ids === undefined) return undefined;
    let balance = this.balances.get(party);
    if (balance === undefined) {
      balance = stakeBalance([...ids].map((id) => this.linkings.get(id)!));
      this.balances.set(party, balance);
    }
    return balance;
  }

  totalSupply(): bigint {
    return this.supply.get().total ?? 0n;
  }

  /** Parties that have a staking account, in order. For views. */
  parties(): readonly string[] {
    return [...this.accepted.keys()].sort(compare);
  }

  /**
   * A chain event of the staking or vesting bridge; its transaction's id becomes the linking's.
   * @param ethereumTx hash of the Ethereum transaction, from the chain event's `tx_id`
   * @throws CommandError
   */
  processEvent(event: StakingEvent, ethereumTx: string): void {
    if (event.stakeDeposited !== undefined) {
      this.open(StakeLinkingType.TYPE_LINK, event.stakeDeposited, event, ethereumTx);
    } else if (event.stakeRemoved !== undefined) {
      this.open(StakeLinkingType.TYPE_UNLINK, event.stakeRemoved, event, ethereumTx);
    } else if (event.totalSupply !== undefined) {
      this.openSupply(event.totalSupply);
    } else {
      throw new CommandError("unsupported staking event");
    }
  }

  /** Every accepted linking, by id. For checkpoints. */
  acceptedLinkings(): readonly Linking[] {
    return this.linkings.values().filter(({ status }) => status === StakeLinkingStatus.STATUS_ACCEPTED);
  }

  /** A linking that was accepted before the chain restarted (docs/protocol/60-state-engine-parameters.md#12-checkpoints). */
  restore(linking: Linking): void {
    if (!this.accepted.has(linking.party)) this.core.emit("party", { id: linking.party });
    this.seen.set(linkingDigest(linking), linking.id);
    this.put({ ...linking, status: StakeLinkingStatus.STATUS_ACCEPTED });
  }

  /** The stake verifier's tick (docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact, step 7). */
  onTick(): void {
    for (const [id, accepted] of this.verdicts.entries()) {
      this.verdicts.delete(id);
      const linking = this.linkings.get(id)!;
      if (accepted && !this.accepted.has(linking.party)) this.core.emit("party", { id: linking.party });
      const status = accepted ? StakeLinkingStatus.STATUS_ACCEPTED : StakeLinkingStatus.STATUS_REJECTED;
      this.put({ ...linking, status, finalizedNs: this.core.nowNs });
    }
  }

  /** @param stake deposits and removals have the same fields */
  private open(type: number, stake: StakeDeposited, event: StakingEvent, txHash: string): void {
    const { id } = this.core.currentTx;
    const amount = parseUint(stake.amount);
    if (amount === undefined) {
      throw new CommandError("invalid stake event: the amount is no base-10 number of at most 256 bits");
    }
    if (amount === 0n) throw new CommandError("invalid stake event: the amount must be above 0");
    if (!isHex64(stake.vegaPublicKey)) throw new CommandError("invalid party");
    if (stake.blockTime <= 0n) throw new CommandError("invalid stake event: the block time must be above 0");
    const linking: Linking = {
      id,
      type,
      seconds: stake.blockTime,
      party: stake.vegaPublicKey,
      amount,
      status: StakeLinkingStatus.STATUS_PENDING,
      finalizedNs: 0n,
      txHash,
      block: event.block,
      logIndex: event.index,
      ethereumAddress: stake.ethereumAddress,
    };
    const digest = linkingDigest(linking);
    if (this.linkings.has(id) || this.seen.has(digest)) throw new CommandError(DUPLICATED);
    this.seen.set(digest, id);
    this.put(linking);
    const voteType =
      type === StakeLinkingType.TYPE_LINK
        ? NodeVoteType.TYPE_STAKE_DEPOSITED
        : NodeVoteType.TYPE_STAKE_REMOVED;
    const deadlineNs = this.core.nowNs + WITNESS_NS;
    this.witness.requestVotes({ id, kind: LINKING_KIND, voteType, deadlineNs, payload: id });
  }

  private openSupply({ tokenAddress, totalSupply }: StakeTotalSupply): void {
    const { total, pending } = this.supply.get();
    if (total !== undefined) throw new CommandError("stake total supply already processed");
    if (pending) throw new CommandError("stake total supply being processed");
    if (!/^[0-9]{1,78}$/.test(totalSupply)) throw new CommandError("invalid stake total supply event");
    this.supply.set({ total: undefined, pending: true });
    this.witness.requestVotes({
      id: sha3HexOf(Buffer.from(`tokenAddress(${tokenAddress}) totalSupply(${totalSupply})`, "utf8")),
      kind: SUPPLY_KIND,
      voteType: NodeVoteType.TYPE_STAKE_TOTAL_SUPPLY,
      deadlineNs: this.core.nowNs + WITNESS_NS,
      payload: totalSupply,
    });
  }

  private put(linking: Linking): void {
    this.linkings.set(linking.id, linking);
    this.core.emit("stakeLinking", linkingMessage(linking));
  }

  private index(id: string, before: Linking | undefined, now: Linking | undefined): void {
    const { party } = (now ?? before)!;
    this.balances.delete(party);
    const ids = this.accepted.get(party) ?? new Set();
    if (now?.status === StakeLinkingStatus.STATUS_ACCEPTED) ids.add(id);
    else ids.delete(id);
    if (ids.size > 0) this.accepted.set(party, ids);
    else this.accepted.delete(party);
  }
}

/** As the bus and checkpoints write it. */
export function linkingMessage(linking: Linking): Init<StakeLinking> {
  const { id, type, seconds, party, amount, status, finalizedNs, txHash, block, logIndex } = linking;
  return {
    ...{ id, type, ts: seconds, party, amount: amount.toString(), status, finalizedAt: finalizedNs, txHash },
    ...{ blockHeight: block, blockTime: seconds, logIndex, ethereumAddress: linking.ethereumAddress },
  };
}

/**
 * Balance of accepted linkings, in 256 bits; 0 as long as one takes out more than there is
 * (docs/protocol/60-state-engine-staking.md#71-stake-linking).
 */
export function stakeBalance(linkings: readonly Linking[]): bigint {
  let balance = 0n;
  for (const { type, amount } of [...linkings].sort(byTime)) {
    balance += type === StakeLinkingType.TYPE_LINK ? amount : -amount;
    if (balance < 0n) return 0n;
  }
  return balance > UINT_MAX ? UINT_MAX : balance;
}

/** By time, links before unlinks (their numbers are in that order), then by id. */
function byTime(a: Linking, b: Linking): number {
  if (a.seconds !== b.seconds) return a.seconds < b.seconds ? -1 : 1;
  return a.type - b.type || compare(a.id, b.id);
}

/** Identity of an event, the same for every forwarder (docs/protocol/60-state-engine-staking.md#71-stake-linking, "Dedup hash"). */
function linkingDigest({ block, logIndex, txHash, party, ethereumAddress, amount, type }: Linking): string {
  const name = type === StakeLinkingType.TYPE_LINK ? "TYPE_LINK" : "TYPE_UNLINK";
  return sha3HexOf(
    Buffer.from(`${block}${logIndex}${txHash}${party}${ethereumAddress}${amount}${name}`, "utf8"),
  );
}
