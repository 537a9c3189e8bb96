// Proposals of the two kinds that need no node and no market, their votes and what comes of them
// (docs/protocol/60-state-engine-governance.md#6-governance).
import { Decimal } from "../../src/wire/decimal.ts";
import type { ProposalSubmission, VoteSubmission } from "../../src/wire/generated/commands.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { durationOf, type Facts, Refusal } from "./naive-book.ts";
import { quotient, sum } from "./naive-nodes.ts";
import type { Staking, StakingData } from "./naive-staking.ts";

const State = { failed: 1, open: 2, passed: 3, rejected: 4, declined: 5, enacted: 6 } as const;

interface Proposal {
  readonly id: string;
  readonly party: string;
  readonly kind: "freeform" | "updateNetParam";
  readonly key: string;
  readonly value: string;
  readonly closing: bigint;
  readonly enactment: bigint;
  readonly participation: string;
  readonly majority: string;
  readonly sent: bigint;
  state: number;
  readonly votes: Map<string, { readonly value: number; readonly at: bigint }>;
}

export interface GovernanceData {
  active: Proposal[];
  /** Of all proposals that were ever open, for those who pick one to vote on. */
  readonly ids: string[];
}

/** The parts of the ledger that proposals use. */
interface GovernedLedger {
  readonly data: {
    readonly governance: GovernanceData;
    readonly parameters: Map<string, string>;
    readonly staking: Pick<StakingData, "totalSupply">;
    readonly now: bigint;
  };
  readonly facts: Facts;
  readonly nowSeconds: bigint;
  readonly staking: Pick<Staking, "balance">;
  parameter(key: string): string;
}

export class Governance {
  constructor(private readonly ledger: GovernedLedger) {}

  private get data(): GovernanceData {
    return this.ledger.data.governance;
  }

  submit({ terms }: ProposalSubmission, party: string, id: string): void {
    const { closingTimestamp: closing, enactmentTimestamp: enactment, updateNetworkParameter } = terms!;
    const { key = "", value = "" } = updateNetworkParameter?.changes ?? {};
    const kind = updateNetworkParameter === undefined ? "freeform" : "updateNetParam";
    if (kind === "updateNetParam") {
      if (!this.ledger.data.parameters.has(key)) throw new Refusal("unknown key");
      if (key === "blockchains.ethereumConfig") {
        throw new Refusal(`network parameter update disabled for ${key}`);
      }
    }
    const proposal: Proposal = {
      id,
      party,
      kind,
      key,
      value,
      closing,
      enactment,
      participation: this.ledger.parameter(`governance.proposal.${kind}.requiredParticipation`),
      majority: this.ledger.parameter(`governance.proposal.${kind}.requiredMajority`),
      sent: this.ledger.data.now,
      state: State.open,
      votes: new Map(),
    };
    const refusal = this.refusalOf(proposal);
    if (refusal !== undefined) {
      proposal.state = State.rejected;
      this.tell(proposal, refusal.reason);
      throw new Refusal(refusal.text);
    }
    this.data.active.push(proposal);
    this.data.ids.push(id);
    this.tell(proposal);
  }

  private refusalOf({ party, kind, key, value, closing, enactment }: Proposal): Rejection | undefined {
    const { now } = this.ledger.data;
    const limit = (name: string) =>
      now + durationOf(this.ledger.parameter(`governance.proposal.${kind}.${name}`));
    const tooSoon = (what: string, limit: bigint, actual: bigint) =>
      actual * SECOND_NS < limit &&
      `proposal ${what} time too soon, expected > ${timeOf(limit)}, got ${timeOf(actual * SECOND_NS)}`;
    const tooLate = (what: string, limit: bigint, actual: bigint) =>
      actual * SECOND_NS > limit &&
      `proposal ${what} time too late, expected < ${timeOf(limit)}, got ${timeOf(actual * SECOND_NS)}`;
    const soon = tooSoon("closing", limit("minClose"), closing);
    if (soon) return { reason: 1, text: soon };
    const late = tooLate("closing", limit("maxClose"), closing);
    if (late) return { reason: 2, text: late };
    if (kind === "updateNetParam") {
      const soon = tooSoon("enactment", limit("minEnact"), enactment);
      if (soon) return { reason: 3, text: soon };
      const late = tooLate("enactment", limit("maxEnact"), enactment);
      if (late) return { reason: 4, text: late };
    }
    const stake = this.ledger.staking.balance(party);
    if (stake === undefined) return { reason: 5, text: "no balance for party" };
    const least = BigInt(this.ledger.parameter(`governance.proposal.${kind}.minProposerBalance`));
    if (stake < least) {
      const text = `proposer have insufficient governance token, expected >= ${least} got ${stake}`;
      return { reason: 5, text };
    }
    if (kind === "updateNetParam" && !isAllowed(key, value)) return { reason: 21, text: undefined };
    return undefined;
  }

  vote({ proposalId, value }: VoteSubmission, party: string): void {
    const proposal = this.data.active.find(({ id }) => id === proposalId);
    if (proposal === undefined) throw new Refusal("proposal does not exist");
    if (proposal.state !== State.open) throw new Refusal("proposal is not open for votes");
    const stake = this.ledger.staking.balance(party);
    if (stake === undefined) throw new Refusal("no balance for party");
    const least = BigInt(this.ledger.parameter(`governance.proposal.${proposal.kind}.minVoterBalance`));
    if (stake < least) throw new Refusal("vote requires more tokens than the party has");
    proposal.votes.set(party, { value, at: this.ledger.data.now });
    this.ledger.facts.add("vote", proposalId, party, value, this.ledger.data.now, stake, "0");
  }

  tick(): void {
    const now = this.ledger.nowSeconds;
    const enacted: Proposal[] = [];
    const remaining: Proposal[] = [];
    for (const proposal of this.data.active) {
      if (proposal.state === State.open && proposal.closing < now) this.close(proposal);
      if (proposal.state === State.passed && (proposal.kind === "freeform" || proposal.enactment < now)) {
        enacted.push(proposal);
      } else if (proposal.state === State.open || proposal.state === State.passed) {
        remaining.push(proposal);
      }
    }
    this.data.active = remaining;
    for (const proposal of enacted) {
      if (proposal.kind === "updateNetParam") {
        this.ledger.data.parameters.set(proposal.key, proposal.value);
        this.ledger.facts.add("parameter", proposal.key, proposal.value);
      }
      proposal.state = State.enacted;
      this.tell(proposal);
    }
  }

  private close(proposal: Proposal): void {
    const balances = new Map(
      [...proposal.votes.keys()].map((party) => [party, this.ledger.staking.balance(party) ?? 0n]),
    );
    const total = sum([...balances.values()]);
    const yes = sum(
      [...proposal.votes].filter(([, { value }]) => value === 2).map(([party]) => balances.get(party)!),
    );
    const { majority, participation } = proposal;
    const { totalSupply } = this.ledger.data.staking;
    const least = Decimal.of(totalSupply).times(Decimal.parse(participation));
    const isMany = total > 0n && !Decimal.of(total).isLess(least);
    const isMost = !Decimal.of(yes).isLess(Decimal.of(total).times(Decimal.parse(majority)));
    proposal.state = isMany && isMost ? State.passed : State.declined;
    this.tell(proposal, isMany ? (isMost ? undefined : 31) : 32);
    const votes = [...proposal.votes].sort(
      ([one, a], [other, b]) => Number(a.at - b.at) || (one < other ? -1 : 1),
    );
    for (const [party, { value, at }] of votes) {
      const balance = balances.get(party)!;
      const weight = total === 0n ? "0" : String(quotient(balance, total));
      this.ledger.facts.add("vote", proposal.id, party, value, at, balance, weight);
    }
  }

  private tell({ id, party, state, sent, participation, majority }: Proposal, reason?: number): void {
    this.ledger.facts.add("proposal", id, party, state, sent, reason, participation, majority);
  }
}

interface Rejection {
  readonly reason: number;
  readonly text: string | undefined;
}

/** The bounds of the parameters that are proposed here (docs/protocol/60-state-engine-parameters.md#102-all-keys-and-defaults). */
function isAllowed(key: string, value: string): boolean {
  if (key === "validators.epoch.length") {
    const length = durationOf(value);
    return /^(\d+[hms])+$/.test(value) && length >= SECOND_NS && length <= 255n * 3_600n * SECOND_NS;
  }
  const within = BOUNDS[key];
  if (within === undefined) throw new Error(`the model does not know the bounds of ${key}`);
  if (!/^\d+(\.\d+)?$/.test(value)) return false;
  return within(Decimal.parse(value));
}

const n = (text: string) => Decimal.parse(text);
const fraction = (value: Decimal) => !n("1").isLess(value);
const positive = (value: Decimal) => value.isPositive();
const BOUNDS: Readonly<Record<string, (value: Decimal) => boolean>> = {
  "transfer.fee.factor": fraction,
  "transfer.minTransferQuantumMultiple": () => true,
  "spam.protection.minimumWithdrawalQuantumMultiple": (value) =>
    value.isPositive() && value.isLess(n("1000000")),
  "reward.staking.delegation.delegatorShare": fraction,
  "validators.delegation.minAmount": positive,
  "governance.proposal.freeform.requiredMajority": fraction,
  "governance.proposal.freeform.requiredParticipation": fraction,
};

/** A time as the network writes it, in UTC: with as many decimals of a second as it has. */
function timeOf(ns: bigint): string {
  const text = new Date(Number(ns / 1_000_000n)).toISOString();
  const fraction = String(ns % SECOND_NS)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${fraction && `.${fraction}`} +0000 UTC`;
}
