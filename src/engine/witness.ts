/**
 * Events outside the chain are believed once validators with enough voting power have voted that they saw them
 * (docs/protocol/60-state-engine-accounts.md#33-builtin-deposit-flow). Outcomes come in the witness tick, in the order
 * of the resources' ids.
 */
import { compare } from "../wire/arithmetic.ts";
import { Decimal } from "../wire/decimal.ts";
import type { NodeVote } from "../wire/generated/commands.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { ParameterReader, ValidatorReader, WitnessPort, WitnessResource } from "./ports.ts";
import type { Table } from "./state.ts";

const REQUIRED_SHARE = "validators.vote.required";

/** Whether this part of the voting power, or this number of heads, is enough; the share has 16 decimals. */
export function isRequiredShare(part: bigint, whole: bigint, params: ParameterReader): boolean {
  if (part === 0n) return false;
  return !Decimal.of(part).dividedBy(Decimal.of(whole)).isLess(params.decimal(REQUIRED_SHARE));
}

interface Watched extends WitnessResource<unknown> {
  /** Node ids, in order. */
  readonly votes: readonly string[];
}

type OutcomeHandler = (id: string, payload: unknown, accepted: boolean) => void;

export class Witness implements WitnessPort {
  private readonly resources: Table<Watched>;
  private readonly handlers = new Map<string, OutcomeHandler>();

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    private readonly validators: ValidatorReader,
  ) {
    this.resources = core.state.table("witness.resources");
  }

  /** @throws CommandError when a resource of this id is already under verification */
  requestVotes<P>({ id, kind, voteType, deadlineNs, payload }: WitnessResource<P>): void {
    if (this.resources.has(id)) throw new CommandError("resource is already being verified");
    this.resources.set(id, { id, kind, voteType, deadlineNs, payload, votes: [] });
  }

  onOutcome<P>(kind: string, handler: (id: string, payload: P, accepted: boolean) => void): void {
    if (this.handlers.has(kind)) throw new Error(`outcomes of '${kind}' have a handler already`);
    this.handlers.set(kind, handler as OutcomeHandler);
  }

  /** The NodeVote command of the transaction in hand. @throws CommandError */
  nodeVote(payload: NodeVote): void {
    const node = this.validators.nodeByKey(this.core.currentTx.party);
    if (node === undefined) throw new CommandError("vote is not from a validator");
    if (!this.castVote(payload.reference, node.nodeId)) throw new CommandError("invalid resource ID");
  }

  /** A node's vote; a second vote of the same node has no effect. */
  castVote(reference: string, nodeId: string): boolean {
    const resource = this.resources.get(reference);
    if (resource === undefined) return false;
    if (resource.votes.includes(nodeId)) return true;
    this.resources.set(reference, { ...resource, votes: [...resource.votes, nodeId].sort(compare) });
    return true;
  }

  openResources(nodeId: string): readonly WitnessResource<unknown>[] {
    return this.resources.values().filter(({ votes }) => !votes.includes(nodeId));
  }

  /** Whether the next tick will find that enough have voted. */
  /** Ids of all that validators may still vote on. */
  openIds(): readonly string[] {
    return this.resources.keys();
  }

  hasPassed(): boolean {
    return this.resources.size > 0 && this.resources.values().some(({ votes }) => this.isEnough(votes));
  }

  /** docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact, #5. */
  onTick(): void {
    if (this.resources.size === 0) return;
    for (const [id, { kind, deadlineNs, payload, votes }] of this.resources.entries()) {
      const accepted = this.isEnough(votes);
      if (!accepted && deadlineNs >= this.core.nowNs) continue;
      this.resources.delete(id);
      const handler = this.handlers.get(kind);
      if (handler === undefined) throw new Error(`outcomes of '${kind}' have no handler`);
      handler(id, payload, accepted);
    }
  }

  private isEnough(votes: readonly string[]): boolean {
    if (votes.length === 0) return false;
    let power = 0n;
    for (const { nodeId, power: own } of this.validators.tendermint()) {
      if (votes.includes(nodeId)) power += own;
    }
    return isRequiredShare(power, this.validators.totalPower(), this.params);
  }
}
