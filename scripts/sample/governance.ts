// Proposals and votes (docs/protocol/60-state-engine-governance.md#6-governance).
import type { Init } from "../../src/wire/codec.ts";
import {
  ProposalError,
  ProposalState,
  type ProposalTerms,
  VoteValue,
} from "../../src/wire/generated/vega.ts";
import { ratio } from "./ratio.ts";
import { idOf } from "./seeded.ts";
import type { Staking } from "./staking.ts";
import { Step, type World } from "./world.ts";

type Change = Omit<Init<ProposalTerms>, "closingTimestamp" | "enactmentTimestamp" | "validationTimestamp">;

export interface ProposalPlan {
  readonly name: string;
  readonly party: string;
  readonly title: string;
  readonly description: string;
  readonly change: Change;
  readonly height: number;
  readonly close: number;
  /** Height of the enactment; free-form proposals have none. */
  readonly enact?: number;
  readonly votes: readonly (readonly [height: number, party: string, isYes: boolean])[];
  /** Share of the market's liquidity that a party has, for changes of a market. */
  readonly equityShare?: Readonly<Record<string, string>>;
  /** The validators look at it first. */
  readonly isValidated?: boolean;
  /** Before and after the event that opens it, and before the ones that pass and enact it. */
  readonly onSubmit?: () => void;
  readonly onOpen?: () => void;
  readonly onPass?: () => void;
  readonly onPrepare?: () => void;
  readonly onEnact?: () => void;
}

const VALIDATION_BLOCKS = 6;
/** `governance.proposal.*.requiredMajority` in hundredths. */
const MAJORITY = 66n;

interface CastVote {
  readonly party: string;
  readonly isYes: boolean;
  readonly timestamp: bigint;
}

export class Governance {
  constructor(
    private readonly world: World,
    private readonly staking: Staking,
  ) {}

  static idOf(name: string): string {
    return idOf("proposal", name);
  }

  propose(plan: ProposalPlan): void {
    const { world } = this;
    const { command, tell } = this.teller(plan);
    const votes = new Map<string, CastVote>();
    world.transaction(plan.height, { party: plan.party, command }, () => {
      plan.onSubmit?.();
      tell(plan.isValidated ? ProposalState.STATE_WAITING_FOR_NODE_VOTE : ProposalState.STATE_OPEN);
      plan.onOpen?.();
    });
    if (plan.isValidated) {
      world.at(plan.height + VALIDATION_BLOCKS, Step.governance, () => tell(ProposalState.STATE_OPEN));
    }
    for (const [height, party, isYes] of plan.votes) this.vote(plan, votes, height, party, isYes);
    world.at(plan.close, Step.governance, () => this.close(plan, votes, tell));
  }

  /** A proposal that breaks a rule of time and is refused at once. */
  refuse(plan: ProposalPlan, reason: number, error: string): void {
    const { command, tell } = this.teller(plan);
    const failure = { name: "Proposal", error };
    this.world.transaction(plan.height, { party: plan.party, command, failure }, () => {
      tell(ProposalState.STATE_REJECTED, reason, error);
    });
  }

  private teller(plan: ProposalPlan) {
    const { world } = this;
    const isMarketUpdate = plan.change.updateMarket !== undefined;
    // A time has passed when the clock's second is strictly later
    // (docs/protocol/60-state-engine-governance.md#65-governance-tick-last-tick-listener).
    const terms = {
      ...plan.change,
      closingTimestamp: world.secondsAt(plan.close) - 1n,
      enactmentTimestamp: plan.enact === undefined ? 0n : world.secondsAt(plan.enact) - 1n,
      validationTimestamp: plan.isValidated ? world.secondsAt(plan.height + VALIDATION_BLOCKS) : 0n,
    };
    const rationale = { title: plan.title, description: plan.description };
    const reference = plan.name.replaceAll(" ", "-");
    const tell = (state: number, reason?: number, errorDetails?: string) =>
      world.emit({
        proposal: {
          id: Governance.idOf(plan.name),
          reference,
          partyId: plan.party,
          state,
          timestamp: world.timeAt(plan.height),
          terms,
          reason,
          errorDetails,
          rationale,
          requiredParticipation: "0.01",
          requiredMajority: "0.66",
          requiredLiquidityProviderParticipation: isMarketUpdate ? "0.00001" : "0",
          requiredLiquidityProviderMajority: isMarketUpdate ? "0.66" : "0",
        },
      });
    return { command: { proposal: { reference, terms, rationale } }, tell };
  }

  private vote(
    plan: ProposalPlan,
    votes: Map<string, CastVote>,
    height: number,
    party: string,
    isYes: boolean,
  ): void {
    const value = isYes ? VoteValue.VALUE_YES : VoteValue.VALUE_NO;
    const command = { voteSubmission: { proposalId: Governance.idOf(plan.name), value } };
    this.world.transaction(height, { party, command }, () => {
      const vote = { party, isYes, timestamp: this.world.now };
      votes.set(party, vote);
      this.tellVote(plan, vote, "0");
    });
  }

  private tellVote(plan: ProposalPlan, { party, isYes, timestamp }: CastVote, weight: string): void {
    this.world.emit({
      vote: {
        partyId: party,
        value: isYes ? VoteValue.VALUE_YES : VoteValue.VALUE_NO,
        proposalId: Governance.idOf(plan.name),
        timestamp,
        totalGovernanceTokenBalance: String(this.staking.stakeOf(party)),
        totalGovernanceTokenWeight: weight,
        totalEquityLikeShareWeight: plan.equityShare?.[party] ?? "0",
      },
    });
  }

  private close(
    plan: ProposalPlan,
    votes: ReadonlyMap<string, CastVote>,
    tell: (state: number, reason?: number) => void,
  ): void {
    const weigh = (list: CastVote[]) =>
      list.reduce((sum, vote) => sum + this.staking.stakeOf(vote.party), 0n);
    const all = weigh([...votes.values()]);
    const yes = weigh([...votes.values()].filter((vote) => vote.isYes));
    const hasPassed = all > 0n && yes * 100n >= all * MAJORITY;
    if (hasPassed) tell(ProposalState.STATE_PASSED);
    else tell(ProposalState.STATE_DECLINED, ProposalError.PROPOSAL_ERROR_MAJORITY_THRESHOLD_NOT_REACHED);
    for (const vote of votes.values()) {
      this.tellVote(plan, vote, ratio(this.staking.stakeOf(vote.party), all));
    }
    if (!hasPassed) return;
    plan.onPass?.();
    const enact = () => {
      plan.onPrepare?.();
      plan.onEnact?.();
      tell(ProposalState.STATE_ENACTED);
    };
    if (plan.enact === undefined) enact();
    else this.world.at(plan.enact, Step.governance, enact);
  }
}
