/**
 * The validators (docs/protocol/60-state-engine-staking.md#75-validator-set-events to #77-heartbeats and
 * #91-vega-key-rotation to #93-announce-node): those of the genesis and those that announced themselves, their work in
 * each block, and their statuses in the next epoch.
 */

import { compare } from "../wire/arithmetic.ts";
import { Decimal } from "../wire/decimal.ts";
import type {
  AnnounceNode,
  EthereumKeyRotateSubmission,
  KeyRotateSubmission,
  ValidatorHeartbeat,
} from "../wire/generated/commands.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import { consensusKey } from "./consensus-set.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { GenesisValidator } from "./genesis.ts";
import { EthereumKeyRotations, KeyRotations } from "./key-rotations.ts";
import type { Multisig } from "./multisig.ts";
import { announcedNode, genesisNode, invalidValidator, type NodeRecord, Nodes } from "./nodes.ts";
import { HeartbeatTracker, Proposers } from "./performance.ts";
import type { EpochInfo, EpochReader, NodeStatus, ParameterReader } from "./ports.ts";
import * as scoring from "./scores.ts";
import { nextStatuses, Randomness, votingPower } from "./scores.ts";
import { type EpochStakes, NO_STAKE, type StakeByNode } from "./stakes.ts";

const { zero, one } = Decimal;
/** Epochs after which an idle node is dropped (docs/protocol/60-state-engine-staking.md#76-scores-at-epoch-end, "Removal"). */
const IDLE_EPOCHS = 10n;

/** The validators' links to domains that need them. */
interface ValidatorLinks {
  readonly signers: Multisig;
  /** A node votes and delegates with another key from here on. */
  readonly onKeyRotated: (oldKey: string, newKey: string) => void;
}

/** A validator's part of the rewards of the epoch that ended. */
export interface RewardScore {
  readonly nodeId: string;
  readonly vegaPubKey: string;
  readonly normalised: Decimal;
}

/** Results of the end of an epoch for the rewards: groups as they were in it. */
export interface EpochScores {
  readonly stakes: StakeByNode;
  readonly tendermint: readonly RewardScore[];
  readonly ersatz: readonly RewardScore[];
}

interface Ranking {
  readonly stakeScore: Decimal;
  readonly performance: Decimal;
  readonly ranking: Decimal;
}

export class Validators extends Nodes {
  private readonly proposers: Proposers;
  private readonly heartbeats: HeartbeatTracker;
  readonly keyRotations: KeyRotations;
  readonly ethereumKeyRotations: EthereumKeyRotations;
  private linked: ValidatorLinks | undefined;

  constructor(
    core: Core,
    private readonly params: ParameterReader,
    private readonly epochs: EpochReader,
  ) {
    super(core);
    this.proposers = new Proposers(core);
    this.heartbeats = new HeartbeatTracker(core, params, epochs, this);
    this.keyRotations = new KeyRotations(core, this);
    this.ethereumKeyRotations = new EthereumKeyRotations(core, epochs, this);
  }

  /** Must be called before the first block. */
  connect(links: ValidatorLinks): void {
    this.linked = links;
  }

  /** @param validators by consensus key, as in the genesis document @throws NodeError `genesis_invalid` */
  initGenesis(validators: Readonly<Record<string, GenesisValidator>> = {}): void {
    for (const key of Object.keys(validators).sort(compare)) {
      const node = genesisNode(key, validators[key]!);
      if (this.records.has(node.nodeId) || this.nodeByKey(node.vegaPubKey) !== undefined) {
        throw invalidValidator(key, "its id or its Vega key is that of another validator");
      }
      this.add(node, 0n);
    }
  }

  /** The AnnounceNode command. @throws CommandError */
  announceNode(payload: AnnounceNode): void {
    if (this.records.has(payload.id)) {
      throw new CommandError("a vega node is already registered with the blockchain node");
    }
    if (this.nodeByKey(payload.vegaPubKey) !== undefined) {
      throw new CommandError("vega public key is already used by a node");
    }
    const node = announcedNode(payload);
    const key = consensusKey(node.tmPubKey);
    // Two nodes with one would be one validator twice, at which a consensus engine stops.
    if (this.nodes().some((other) => consensusKey(other.tmPubKey) === key)) {
      throw new CommandError("blockchain public key is already used by a node");
    }
    this.add(node, this.epochs.current.seq);
  }

  /** The ValidatorHeartbeat command. @throws CommandError */
  acceptHeartbeat(payload: ValidatorHeartbeat): void {
    this.heartbeats.acceptHeartbeat(payload);
  }

  /** The text that this node has to sign as its heartbeat. */
  heartbeatDue(nodeId: string): string | undefined {
    if (this.records.get(nodeId)?.status === "tendermint") return undefined;
    return this.heartbeats.expectedMessage(nodeId);
  }

  /** The KeyRotateSubmission command. @throws CommandError */
  keyRotate(payload: KeyRotateSubmission): void {
    this.keyRotations.submitRotation(payload);
  }

  /** The EthereumKeyRotateSubmission command. @throws CommandError */
  ethereumKeyRotate(payload: EthereumKeyRotateSubmission): void {
    this.ethereumKeyRotations.submitRotation(payload, this.links.signers, this.proposers.seconds);
  }

  /**
   * docs/protocol/60-state-engine-blocks.md#14-beginblock-order, step 8.
   * @param proposer node id of the validator that proposed the block
   */
  onBeginBlock(proposer?: string): void {
    const { signers, onKeyRotated } = this.links;
    this.heartbeats.onBeginBlock();
    this.proposers.countBlock(proposer);
    signers.changes.dropReflected();
    this.keyRotations.onBeginBlock(onKeyRotated);
    this.ethereumKeyRotations.onBeginBlock(signers, this.proposers.seconds);
  }

  /**
   * Scores of the epoch that ended, then the set of the one to come (docs/protocol/60-state-engine-blocks.md#17-epochs,
   * step 3 of a boundary).
   */
  onEpochEnd(epoch: EpochInfo, stakes: EpochStakes): EpochScores {
    const random = new Randomness(this.proposers.seconds, "validators");
    const scores = this.score(epoch, stakes.ended, random);
    this.rank(epoch, stakes.next, random);
    this.proposers.endEpoch();
    return scores;
  }

  private score(epoch: EpochInfo, stakes: StakeByNode, random: Randomness): EpochScores {
    const params = scoring.scoreParameters(this.params);
    const performance = this.performances(stakes, params);
    const optimal = scoring.optimalStake(this.tendermint().map(idOf), stakes, params);
    const scoreGroup = (status: "tendermint" | "ersatz") => {
      const nodes = this.withStatus(status);
      const raw = scoring.rawScores(nodes.map(idOf), stakes, optimal, params);
      const weights = weighted(raw, performance);
      const multisig =
        status === "tendermint"
          ? scoring.multisigScores(nodes, weights, this.links.signers, params.multisigSigners)
          : new Map(nodes.map(({ nodeId }) => [nodeId, one] as const));
      const validator = weighted(weights, multisig);
      const normalised = scoring.normalised(validator, random);
      for (const { nodeId } of nodes) {
        this.core.emit("validatorScore", {
          nodeId,
          epochSeq: epoch.seq.toString(),
          validatorScore: validator.get(nodeId)!.toString(),
          normalisedScore: normalised.get(nodeId)!.toString(),
          validatorPerformance: performance.get(nodeId)!.toString(),
          rawValidatorScore: raw.get(nodeId)!.toString(),
          validatorStatus: status,
          multisigScore: multisig.get(nodeId)!.toString(),
        });
      }
      return nodes.map(({ nodeId, vegaPubKey }) => ({
        nodeId,
        vegaPubKey,
        normalised: normalised.get(nodeId)!,
      }));
    };
    return { stakes, tendermint: scoreGroup("tendermint"), ersatz: scoreGroup("ersatz") };
  }

  private performances(stakes: StakeByNode, params: scoring.ScoreParameters): Map<string, Decimal> {
    const totalPower = this.totalPower();
    return new Map(
      this.nodes().map(({ nodeId, status, power }) => {
        const facts: scoring.PerformanceFacts = {
          status,
          stake: stakes.get(nodeId) ?? NO_STAKE,
          proposed: this.proposers.proposedBy(nodeId),
          blocks: this.proposers.blocks,
          power,
          totalPower,
          forwarded: this.forwardedBy(nodeId),
          heartbeats: this.heartbeats.goodCount(nodeId),
        };
        return [nodeId, scoring.performanceScore(facts, params)] as const;
      }),
    );
  }

  /** Promotes, demotes, drops; gives the validators their voting power; emits all of it. */
  private rank(epoch: EpochInfo, stakes: StakeByNode, random: Randomness): void {
    const before = this.nodes();
    const rankings = this.rankings(stakes);
    for (const { nodeId } of before) {
      if (rankings.get(nodeId)!.ranking.isPositive()) this.update(nodeId, { rankedHeight: this.core.height });
    }
    this.applyStatuses(rankings, random);
    this.applyPower(stakes, rankings);
    const dropped = this.nodes().filter((node) =>
      this.isIdle(node, epoch, stakes, rankings.get(node.nodeId)!),
    );
    this.changeSigners(before, dropped, epoch);
    for (const { nodeId, status } of before) {
      const now = dropped.some((node) => node.nodeId === nodeId) ? undefined : this.records.get(nodeId);
      const { stakeScore, performance, ranking } = rankings.get(nodeId)!;
      this.core.emit("rankingEvent", {
        nodeId,
        stakeScore: stakeScore.toString(),
        performanceScore: performance.toString(),
        rankingScore: ranking.toString(),
        previousStatus: status,
        nextStatus: now?.status ?? "removed",
        epochSeq: (epoch.seq + 1n).toString(),
        tmVotingPower: Number(now?.power ?? 0n),
      });
    }
    for (const node of dropped) this.drop(node, epoch.seq);
  }

  private rankings(stakes: StakeByNode): Map<string, Ranking> {
    const params = scoring.scoreParameters(this.params);
    const performances = this.performances(stakes, params);
    const stakeScores = scoring.stakeScores(this.nodes().map(idOf), stakes);
    return new Map(
      this.nodes().map(({ nodeId, status }) => {
        const stakeScore = stakeScores.get(nodeId)!;
        const performance = performances.get(nodeId)!;
        const bonus = status === "pending" ? one : one.plus(params.incumbentBonus);
        return [
          nodeId,
          { stakeScore, performance, ranking: stakeScore.times(performance).times(bonus) },
        ] as const;
      }),
    );
  }

  private applyStatuses(rankings: ReadonlyMap<string, Ranking>, random: Randomness): void {
    const { signers } = this.links;
    const tendermint = this.params.integer("network.validators.tendermint.number");
    const factor = this.params.decimal("network.validators.ersatz.multipleOfTendermintValidators");
    const ersatz = factor.times(Decimal.of(tendermint)).truncated();
    const ranked = this.nodes().map(({ nodeId, status, statusHeight, ethereumAddress }) => ({
      nodeId,
      status,
      statusHeight,
      ranking: rankings.get(nodeId)!.ranking,
      isSigner: signers.isSigner(ethereumAddress),
    }));
    const slots = { tendermint: Number(tendermint), ersatz: Number(ersatz) };
    const contract = { signers: signers.signers().length, threshold: signers.threshold() };
    const statuses = nextStatuses(ranked, slots, contract, random);
    for (const { nodeId, status: before } of ranked) {
      const status = statuses.get(nodeId)!;
      if (status === before) continue;
      this.update(nodeId, { status, statusHeight: this.core.height, power: 0n });
      if (before === "tendermint") this.heartbeats.beginAnswered(nodeId);
    }
  }

  private applyPower(stakes: StakeByNode, rankings: ReadonlyMap<string, Ranking>): void {
    const params = scoring.scoreParameters(this.params);
    const ids = this.tendermint().map(idOf);
    const raw = scoring.rawScores(ids, stakes, scoring.optimalStake(ids, stakes, params), params);
    const performance = new Map([...rankings].map(([id, ranking]) => [id, ranking.performance] as const));
    for (const [nodeId, power] of votingPower(weighted(raw, performance))) {
      if (this.records.get(nodeId)!.power !== power) this.update(nodeId, { power });
    }
  }

  /**
   * Asks for the signatures that bring the contract in line with the new set
   * (docs/protocol/60-state-engine-staking.md#95-signer-change-signatures).
   */
  private changeSigners(
    before: readonly NodeRecord[],
    dropped: readonly NodeRecord[],
    epoch: EpochInfo,
  ): void {
    const { signers } = this.links;
    const was = new Map<string, NodeStatus>(before.map(({ nodeId, status }) => [nodeId, status]));
    const after = this.nodes().filter((node) => !dropped.includes(node));
    const promoted = after.filter(
      ({ nodeId, status }) => status === "tendermint" && was.get(nodeId) !== status,
    );
    const demoted = before.filter(
      ({ nodeId, status }) => status === "tendermint" && this.records.get(nodeId)!.status !== status,
    );
    const { seconds } = this.proposers;
    signers.changes.prepareChanges("add", promoted.map(signerOf), epoch.seq, seconds);
    signers.changes.prepareChanges("remove", demoted.map(signerOf), epoch.seq, seconds);
    for (const { nodeId, submitterAddress } of [...promoted].sort(byAddress)) {
      if (submitterAddress !== "") signers.changes.issueChanges("add", nodeId, submitterAddress);
    }
    for (const { nodeId } of [...demoted].sort(byAddress)) {
      for (const { submitterAddress } of this.tendermint()) {
        if (submitterAddress !== "") signers.changes.issueChanges("remove", nodeId, submitterAddress);
      }
    }
  }

  private isIdle(node: NodeRecord, epoch: EpochInfo, stakes: StakeByNode, { ranking }: Ranking): boolean {
    if (node.status === "tendermint" || ranking.isPositive()) return false;
    if ((stakes.get(node.nodeId) ?? NO_STAKE).total > 0n) return false;
    if (node.status === "pending" && epoch.seq < node.fromEpoch + IDLE_EPOCHS) return false;
    const epochSeconds = this.params.duration("validators.epoch.length") / SECOND_NS;
    return BigInt(this.core.height - node.rankedHeight) > IDLE_EPOCHS * epochSeconds;
  }

  private drop(node: NodeRecord, epoch: bigint): void {
    this.heartbeats.remove(node.nodeId);
    this.keyRotations.cancel(node.nodeId);
    this.ethereumKeyRotations.cancel(node.nodeId);
    this.remove(node, epoch);
  }

  private get links(): ValidatorLinks {
    if (this.linked === undefined) throw new Error("the validators are not connected");
    return this.linked;
  }
}

function idOf({ nodeId }: { readonly nodeId: string }): string {
  return nodeId;
}

function signerOf({ nodeId, ethereumAddress }: NodeRecord) {
  return { nodeId, address: ethereumAddress };
}

function byAddress(a: NodeRecord, b: NodeRecord): number {
  return compare(a.ethereumAddress, b.ethereumAddress);
}

function weighted(
  scores: ReadonlyMap<string, Decimal>,
  weights: ReadonlyMap<string, Decimal>,
): Map<string, Decimal> {
  return new Map([...scores].map(([id, score]) => [id, score.times(weights.get(id) ?? zero)] as const));
}
