// The memory of everything that was sent, by chain and key: one for a process, whatever nodes it talks to. Two
// memories of the same key would each give away the same places.
import { EpochQuota } from "./epoch-quota.ts";
import type { PlannerOptions } from "./plan.ts";
import { ProofPlanner } from "./planner.ts";
import type { SentLedger } from "./sent-ledger.ts";

export interface PartyMemory {
  readonly planner: ProofPlanner;
  readonly quota: EpochQuota;
  /** Before a place is given away. */
  remember(): void;
}

export interface PlannerBookOptions extends PlannerOptions {
  /** What is to outlive the process. */
  readonly ledger?: SentLedger;
}

export class PlannerBook {
  private readonly memories = new Map<string, PartyMemory>();

  constructor(private readonly options: PlannerBookOptions = {}) {}

  of(chainId: string, party: string): PartyMemory {
    const key = `${party} ${chainId}`;
    const known = this.memories.get(key);
    if (known !== undefined) return known;
    const { ledger } = this.options;
    const planner = new ProofPlanner(this.options);
    const quota = new EpochQuota();
    const remembered = ledger?.load(chainId, party);
    if (remembered !== undefined) planner.load(remembered);
    if (remembered?.quota !== undefined) quota.load(remembered.quota);
    const remember = () => ledger?.save(chainId, party, { ...planner.save(), quota: quota.save() });
    const memory = { planner, quota, remember };
    this.memories.set(key, memory);
    return memory;
  }

  close(): void {
    this.options.ledger?.close();
  }
}
