// Stake and delegation (docs/protocol/60-state-engine-staking.md#71-stake-linking to #76-scores-at-epoch-end).
import { UndelegateSubmissionMethod } from "../../src/wire/generated/commands.ts";
import { StakeLinkingStatus, StakeLinkingType } from "../../src/wire/generated/events.ts";
import { VALIDATORS, type Validator } from "./cast.ts";
import type { Epochs } from "./epochs.ts";
import { ratio } from "./ratio.ts";
import { addressOf, idOf } from "./seeded.ts";
import { Step, type World } from "./world.ts";

/** Ethereum block that a Lyra block sees. */
const ETHEREUM_HEIGHT_START = 21_000_000;
const CONFIRM_BLOCKS = 2;

type Delegations = Map<string, Map<string, bigint>>;

/** Stake of one validator in an epoch. */
export interface NodeStake {
  readonly validator: Validator;
  readonly total: bigint;
  readonly byDelegators: ReadonlyMap<string, bigint>;
}

export class Staking {
  private readonly stakes = new Map<string, bigint>();
  private current: Delegations = new Map();
  private next: Delegations = new Map();

  constructor(
    private readonly world: World,
    private readonly epochs: Epochs,
  ) {
    epochs.onEnd((epoch) => this.tellScores(epoch));
    epochs.onStart((epoch) => this.tellNext(epoch));
  }

  stakeOf(party: string): bigint {
    return this.stakes.get(party) ?? 0n;
  }

  get supply(): bigint {
    return [...this.stakes.values()].reduce((a, b) => a + b, 0n);
  }

  /** Adds stake, or takes it away when `amount` is negative. It counts two blocks later. */
  link(height: number, party: string, amount: bigint): void {
    const { world } = this;
    const id = world.newId("stake linking");
    const isLink = amount > 0n;
    const linking = {
      id,
      type: isLink ? StakeLinkingType.TYPE_LINK : StakeLinkingType.TYPE_UNLINK,
      ts: world.secondsAt(height) - 30n,
      party,
      amount: String(isLink ? amount : -amount),
      txHash: `0x${idOf("ethereum transaction", id)}`,
      blockHeight: BigInt(ETHEREUM_HEIGHT_START + Math.floor(height / 12)),
      blockTime: world.secondsAt(height) - 30n,
      logIndex: 3n,
      ethereumAddress: addressOf("wallet", party),
    };
    world.transaction(height, { party: VALIDATORS[0].pubKey, silent: true }, () => {
      world.emit({ stakeLinking: { ...linking, status: StakeLinkingStatus.STATUS_PENDING } });
    });
    world.at(height + CONFIRM_BLOCKS, Step.stake, () => {
      if (!this.stakes.has(party)) world.emit({ party: { id: party } });
      this.stakes.set(party, this.stakeOf(party) + amount);
      const status = StakeLinkingStatus.STATUS_ACCEPTED;
      world.emit({ stakeLinking: { ...linking, status, finalizedAt: world.now } });
    });
  }

  delegate(height: number, party: string, node: Validator, amount: bigint): void {
    const command = { delegateSubmission: { nodeId: node.id, amount: String(amount) } };
    this.world.transaction(height, { party, command }, () => this.changeNext(party, node, amount));
  }

  undelegate(height: number, party: string, node: Validator, amount: bigint): void {
    const method = UndelegateSubmissionMethod.METHOD_AT_END_OF_EPOCH;
    const command = { undelegateSubmission: { nodeId: node.id, amount: String(amount), method } };
    this.world.transaction(height, { party, command }, () => this.changeNext(party, node, -amount));
  }

  private changeNext(party: string, node: Validator, by: bigint): void {
    const nodes = this.next.get(party) ?? new Map<string, bigint>();
    const amount = (nodes.get(node.id) ?? 0n) + by;
    nodes.set(node.id, amount);
    this.next.set(party, nodes);
    const total = [...nodes.values()].reduce((a, b) => a + b, 0n);
    if (amount < 0n || total > this.stakeOf(party)) throw new Error(`${party} cannot delegate ${by}`);
    this.tell(party, node.id, amount, this.epochs.seq + 1);
  }

  /** The stake that counts for the epoch that now ends. */
  nodeStakes(): NodeStake[] {
    return VALIDATORS.map((validator) => {
      const byDelegators = new Map<string, bigint>();
      let total = 0n;
      for (const [party, nodes] of this.current) {
        const amount = nodes.get(validator.id) ?? 0n;
        if (amount === 0n) continue;
        total += amount;
        if (party !== validator.pubKey) byDelegators.set(party, amount);
      }
      return { validator, total, byDelegators };
    });
  }

  private tellScores(epoch: number): void {
    const stakes = this.nodeStakes();
    const all = stakes.reduce((sum, node) => sum + node.total, 0n);
    for (const { validator, total } of stakes) {
      const score = ratio(total, all);
      this.world.emit({
        validatorScore: {
          nodeId: validator.id,
          epochSeq: String(epoch),
          validatorScore: score,
          normalisedScore: score,
          validatorPerformance: "1",
          rawValidatorScore: score,
          validatorStatus: "tendermint",
          multisigScore: "1",
        },
      });
    }
    for (const { validator, total } of stakes) {
      const score = ratio(total, all);
      this.world.emit({
        rankingEvent: {
          nodeId: validator.id,
          stakeScore: score,
          performanceScore: "1",
          rankingScore: ratio(total * 2n, all),
          previousStatus: "tendermint",
          nextStatus: "tendermint",
          epochSeq: String(epoch + 1),
          tmVotingPower: all === 0n ? 10 : Number((total * 10_000n) / all),
        },
      });
    }
  }

  private tellNext(epoch: number): void {
    this.current = new Map([...this.next].map(([party, nodes]) => [party, new Map(nodes)]));
    for (const party of [...this.next.keys()].sort()) {
      const nodes = this.next.get(party)!;
      for (const id of [...nodes.keys()].sort()) this.tell(party, id, nodes.get(id)!, epoch + 1);
    }
  }

  private tell(party: string, nodeId: string, amount: bigint, epoch: number): void {
    this.world.emit({
      delegationBalance: { party, nodeId, amount: String(amount), epochSeq: String(epoch) },
    });
  }
}
