/**
 * The engine as the simulation drives it: no store, no signatures, no admission. The clients' view of a block is read
 * back from its events' bytes, and the state can be taken back to where it was marked.
 */
import { type BlockHeader, Engine, type TxResult } from "../../src/engine/engine.ts";
import { encodeValue } from "../../src/engine/state.ts";
import { type Block, Field } from "../../src/wire/block.ts";
import {
  readDelegationBalanceEventAt,
  readEpochEventAt,
  readLedgerMovementsAt,
  readRewardPayoutEventAt,
  readStakeLinkingAt,
  readTransferAt,
  readValidatorRankingEventAt,
  readValidatorScoreEventAt,
} from "../../src/wire/generated/events.ts";
import {
  type AccountDetails,
  readAccountAt,
  readDepositAt,
  readNetworkParameterAt,
  readPartyAt,
  readProposalAt,
  readVoteAt,
  readWithdrawalAt,
} from "../../src/wire/generated/vega.ts";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";
import { checkCommand } from "../../src/wire/validate/commands.ts";
import { accountOf, Facts, Type } from "./naive-book.ts";
import { genesisOf, type World } from "./world.ts";

/** The result of a block. */
export interface EngineBlock {
  /** As a store takes it. */
  readonly block: Block;
  readonly facts: readonly string[];
  readonly digest: string;
}

export class EngineRun {
  engine: Engine;
  private hold = 0;
  private resumeAt = { height: 0, timeNs: 0n, hash: "" };
  private digestAtMark = "";

  constructor(private readonly world: World) {
    this.engine = new Engine(genesisOf(world));
    this.engine.initChain();
    this.engine.commit();
  }

  get height(): number {
    return this.engine.core.height;
  }

  beginBlock(timeNs: bigint, proposer: string, height = this.height + 1): void {
    const header: BlockHeader = { height, timeNs, hash: height.toString(16).padStart(64, "0"), proposer };
    this.engine.beginBlock(header);
  }

  /** Admission's part that needs no state, and then the engine's. */
  execute(tx: CheckedTransaction): Pick<TxResult, "code" | "text"> {
    const errors = checkCommand(tx.kind, tx.payload as never);
    if (!errors.isEmpty) return { code: 60, text: errors.toString() };
    return this.engine.deliver(tx);
  }

  endBlock(): EngineBlock {
    this.engine.endBlock();
    const { block } = this.engine.commit();
    const facts = new Facts();
    for (const { field, bytes, start, end } of block.events) tell[field]?.(facts, bytes, start, end);
    const { height, timeNs, hash } = this.engine.core.block;
    const events = block.events.filter(({ field }) => field !== Field.beginBlock && field !== Field.endBlock);
    const place = { chainId: this.engine.chainId, height, timeNs, hash: hash.toUpperCase() };
    return { block: { ...place, ...block, events }, facts: facts.lines, digest: this.engine.state.digest() };
  }

  /** A node's score, by this block's events. */
  normalisedScore(nodeId: string, epoch: bigint): string {
    for (const { field, bytes, start, end } of this.engine.core.log.blockEvents().events) {
      if (field !== Field.validatorScore) continue;
      const score = readValidatorScoreEventAt(bytes, start, end);
      if (score.nodeId === nodeId && score.epochSeq === String(epoch)) return score.normalisedScore;
    }
    return "";
  }

  /** The place to come back to. */
  mark(): void {
    this.hold = this.engine.state.hold();
    this.resumeAt = { ...this.engine.core.block };
    this.digestAtMark = this.engine.state.digest();
  }

  /** @throws Error when the state is not what it was */
  reset(): void {
    this.engine.state.rollback(this.hold);
    this.engine.state.takeChanges();
    this.engine.resume(this.resumeAt);
    if (this.engine.state.digest() !== this.digestAtMark) throw new Error("the state was not taken back");
  }

  /** Another engine with the state of this one, as after a restart. */
  restarted(): EngineRun {
    const other = new EngineRun(this.world);
    other.engine = new Engine(genesisOf(this.world));
    // Through text, as a store would keep it.
    const entries = JSON.parse(JSON.stringify([...this.engine.state.entries()])) as {
      table: string;
      key: string;
      value: string;
    }[];
    other.engine.state.load(entries);
    other.engine.resume({ ...this.engine.core.block });
    if (other.engine.state.digest() !== this.engine.state.digest())
      throw new Error("the loaded state is another");
    return other;
  }

  /** Every general and system account's balance, as the state has it. */
  balances(): Map<string, bigint> {
    return new Map(
      this.engine.domains.collateral
        .entries()
        .map(([, { owner, asset, type, balance }]) => [accountOf(owner, asset, type), balance]),
    );
  }

  stateText(): string {
    return encodeValue([...this.engine.state.entries()].map(({ table, key, value }) => [table, key, value]));
  }
}

type Tell = (facts: Facts, bytes: Uint8Array, start: number, end: number) => void;

const accountText = ({ owner = "*", assetId, type, marketId }: AccountDetails) =>
  `${accountOf(owner, assetId, type)}${marketId === undefined ? "" : ` ${marketId}`}`;

const tell: Readonly<Record<number, Tell>> = {
  [Field.account]: (facts, ...place) => {
    const { owner, asset, type, balance } = readAccountAt(...place);
    if (type !== Type.external) facts.add("account", accountOf(owner, asset, type), balance);
  },
  [Field.party]: (facts, ...place) => facts.add("party", readPartyAt(...place).id),
  [Field.ledgerMovements]: (facts, ...place) => {
    for (const { entries } of readLedgerMovementsAt(...place).ledgerMovements) {
      for (const { type, fromAccount, toAccount, amount, fromAccountBalance, toAccountBalance } of entries) {
        const [from, to] = [accountText(fromAccount!), accountText(toAccount!)];
        facts.add("movement", `${type} ${from} > ${to} ${amount} ${fromAccountBalance} ${toAccountBalance}`);
      }
    }
  },
  [Field.deposit]: (facts, ...place) => {
    const event = readDepositAt(...place);
    const { id, status, partyId, asset, amount, txHash, createdTimestamp, creditedTimestamp } = event;
    facts.add("deposit", id, status, partyId, asset, amount, txHash, createdTimestamp, creditedTimestamp);
  },
  [Field.withdrawal]: (facts, ...place) => {
    const { id, status, partyId, amount, asset, ref, ...rest } = readWithdrawalAt(...place);
    const { createdTimestamp, txHash, withdrawnTimestamp } = rest;
    facts.add(
      "withdrawal",
      id,
      status,
      partyId,
      amount,
      asset,
      ref,
      createdTimestamp,
      txHash,
      withdrawnTimestamp,
    );
  },
  [Field.transfer]: (facts, ...place) => {
    const { id, status, from, to, toAccountType, asset, amount, timestamp, reason } = readTransferAt(
      ...place,
    );
    facts.add("transfer", id, status, from, to, toAccountType, asset, amount, timestamp, reason);
  },
  [Field.stakeLinking]: (facts, ...place) => {
    const { id, type, ts, party, amount, status, ...rest } = readStakeLinkingAt(...place);
    const { finalizedAt, txHash, blockHeight, logIndex } = rest;
    facts.add("stake", id, type, ts, party, amount, status, finalizedAt, txHash, blockHeight, logIndex);
  },
  [Field.delegationBalance]: (facts, ...place) => {
    const { party, nodeId, amount, epochSeq } = readDelegationBalanceEventAt(...place);
    facts.add("delegation", party, nodeId, amount, epochSeq);
  },
  [Field.epochUpdate]: (facts, ...place) => {
    const { seq, action, startTime, expireTime, endTime } = readEpochEventAt(...place);
    facts.add("epoch", seq, action, startTime, expireTime, endTime);
  },
  [Field.validatorScore]: (facts, ...place) => {
    const event = readValidatorScoreEventAt(...place);
    const { nodeId, epochSeq, validatorScore, normalisedScore, validatorPerformance } = event;
    const { rawValidatorScore, validatorStatus, multisigScore } = event;
    const scores = [validatorScore, normalisedScore, validatorPerformance, rawValidatorScore];
    facts.add("score", nodeId, epochSeq, ...scores, validatorStatus, multisigScore);
  },
  [Field.validatorRanking]: (facts, ...place) => {
    const event = readValidatorRankingEventAt(...place);
    const { nodeId, stakeScore, performanceScore, rankingScore, previousStatus, nextStatus, epochSeq } =
      event;
    const scores = [stakeScore, performanceScore, rankingScore];
    facts.add("ranking", nodeId, ...scores, previousStatus, nextStatus, epochSeq, event.tmVotingPower);
  },
  [Field.rewardPayout]: (facts, ...place) => {
    const { party, epochSeq, asset, amount, percentOfTotalReward, rewardType } = readRewardPayoutEventAt(
      ...place,
    );
    facts.add("reward", party, epochSeq, asset, amount, percentOfTotalReward, rewardType);
  },
  [Field.proposal]: (facts, ...place) => {
    const { id, partyId, state, timestamp, reason, ...rest } = readProposalAt(...place);
    const { requiredParticipation, requiredMajority } = rest;
    facts.add("proposal", id, partyId, state, timestamp, reason, requiredParticipation, requiredMajority);
  },
  [Field.vote]: (facts, ...place) => {
    const event = readVoteAt(...place);
    const { proposalId, partyId, value, timestamp } = event;
    const { totalGovernanceTokenBalance: balance, totalGovernanceTokenWeight: weight } = event;
    facts.add("vote", proposalId, partyId, value, timestamp, balance, weight);
  },
  [Field.networkParameter]: (facts, ...place) => {
    const { key, value } = readNetworkParameterAt(...place);
    facts.add("parameter", key, value);
  },
};
