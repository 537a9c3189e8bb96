// A small chain for the tests of parameters, limits, assets and governance: the domains themselves, with stakes,
// witness, notary and collateral played by the test.

import { Assets } from "../../src/engine/assets.ts";
import { Core } from "../../src/engine/core.ts";
import { CommandError } from "../../src/engine/errors.ts";
import type { GenesisAppState, GenesisAsset } from "../../src/engine/genesis.ts";
import { Governance } from "../../src/engine/governance.ts";
import { Limits } from "../../src/engine/limits.ts";
import { NetworkParameters } from "../../src/engine/parameters.ts";
import type { NotaryPort, WitnessPort, WitnessResource } from "../../src/engine/ports.ts";
import { Decimal } from "../../src/wire/decimal.ts";
import { emptyProposalSubmission, type ProposalSubmission } from "../../src/wire/generated/commands.ts";
import { decodeBusEvent } from "../../src/wire/generated/events.ts";
import { emptyProposalTerms, type ProposalTerms } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { wholeEvent } from "../../src/wire/whole-event.ts";

/** 2030-01-01T00:00:00Z, the time of the genesis, in seconds. */
export const START = 1_893_456_000n;
export const ALICE = "a1".repeat(32);
export const BOB = "b0".repeat(32);
export const CAROL = "ca".repeat(32);

export const VOTE: GenesisAsset = {
  name: "Vote",
  symbol: "VOTE",
  decimals: 5,
  quantum: "1",
  source: { builtin_asset: { max_faucet_amount_mint: "10000" } },
};
export const TOKEN = "0x7070707070707070707070707070707070707070";
export const BRIDGE = "0x0b41d6e00000000000000000000000000000b41d";
export const ETHEREUM = JSON.stringify({
  network_id: "99",
  chain_id: "99",
  confirmations: 1,
  collateral_bridge_contract: { address: BRIDGE },
  multisig_control_contract: { address: TOKEN, deployment_block_height: 0 },
  staking_bridge_contract: { address: TOKEN, deployment_block_height: 0 },
});

export interface SeenEvent {
  readonly member: string;
  /** Without members that are not set. */
  readonly payload: Record<string, unknown>;
}

export class SmallChain {
  readonly core = new Core("small-chain");
  readonly params = new NetworkParameters(this.core);
  readonly limits = new Limits(this.core, this.params);
  readonly stakes = new Map<string, bigint>();
  supply = 0n;
  readonly enabled: string[] = [];
  readonly signed: { resource: string; kind: number; digest: string }[] = [];
  readonly faults: string[] = [];
  readonly validations: WitnessResource<unknown>[] = [];
  readonly assets: Assets;
  readonly governance: Governance;
  private takeOutcome: (id: string, payload: unknown, accepted: boolean) => void = () => {};
  private transactions = 0;

  constructor() {
    const { core, params } = this;
    const notary: NotaryPort = {
      requestSignatures: (resource, kind, digest) => this.signed.push({ resource, kind, digest }),
      isComplete: () => false,
    };
    const witness: WitnessPort = {
      requestVotes: (resource) => this.validations.push(resource),
      onOutcome: (_kind, take) => {
        this.takeOutcome = take as typeof this.takeOutcome;
      },
      castVote: () => false,
      openResources: () => [],
    };
    const stake = { balance: (party: string) => this.stakes.get(party), totalSupply: () => this.supply };
    const collateral = {
      enableAsset: (id: string) => {
        this.enabled.push(id);
        core.emit("account", { id });
      },
    };
    this.assets = new Assets(core, params, collateral, notary);
    params.useAssets((id) => this.assets.isEnabled(id));
    const markets = {
      has: () => false,
      checkNew: () => {},
      checkUpdate: () => {},
      completedTerms: (terms: ProposalTerms) => terms,
      usedTerms: (terms: ProposalTerms) => terms,
      equityShare: () => Decimal.zero,
      propose: () => {},
      onVoteClosed: () => {},
      update: () => {},
    };
    const onFault = (subject: string, error: unknown) => this.faults.push(`${subject}: ${error}`);
    this.governance = new Governance(core, params, this.assets, stake, witness, markets, onFault);
    this.at(START);
  }

  /**
   * The genesis of docs/protocol/60-state-engine-blocks.md#13-initchain, as far as these domains go; its events are
   * gone afterwards unless they are kept.
   */
  genesis(state: Partial<GenesisAppState> = {}): SeenEvent[] {
    this.assets.initGenesis(state.assets ?? { VOTE });
    this.params.initGenesis(state.network_parameters ?? { "blockchains.ethereumConfig": ETHEREUM });
    this.limits.initGenesis(state.network_limits);
    return this.events();
  }

  /** @param seconds Unix time */
  at(seconds: bigint, nanoseconds = 0n): this {
    const height = this.core.height + 1;
    this.core.block = { height, timeNs: seconds * SECOND_NS + nanoseconds, hash: "ab" };
    return this;
  }

  /**
   * Runs a tick of these domains, in the order of docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact.
   * @returns its events
   */
  tick(seconds: bigint, nanoseconds = 0n): SeenEvent[] {
    this.at(seconds, nanoseconds);
    this.params.onTick();
    this.limits.onTick();
    this.governance.onTick();
    return this.events();
  }

  /** Findings of the validators, as the witness reports them. */
  validated(id: string, accepted: boolean): void {
    this.takeOutcome(id, undefined, accepted);
  }

  /** Runs a command of a party. @returns the refusal's text, or "" ; events are kept as the engine keeps them */
  send(
    party: string,
    run: () => void,
    id = this.nextId(),
  ): { id: string; text: string; code: number; events: SeenEvent[] } {
    this.core.tx = { party, hash: "", id };
    const mark = this.core.state.mark();
    const length = this.core.log.length;
    try {
      run();
      return { id, text: "", code: 0, events: this.events() };
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const { keepChanges, code = 70 } = error.options;
      if (!keepChanges) {
        this.core.state.rollback(mark);
        this.core.log.truncate(length);
      }
      return { id, text: error.message, code, events: this.events() };
    } finally {
      this.core.tx = undefined;
    }
  }

  submit(party: string, terms: Partial<ProposalTerms>, id?: string) {
    const submission: ProposalSubmission = {
      ...emptyProposalSubmission(),
      reference: "ref",
      rationale: { title: "Title", description: "Description" },
      terms: { ...emptyProposalTerms(), ...terms },
    };
    return this.send(party, () => this.governance.submitProposal(submission), id);
  }

  vote(party: string, proposalId: string, value: number) {
    return this.send(party, () => this.governance.submitVote({ proposalId, value }));
  }

  /** The events since the last call. */
  events(): SeenEvent[] {
    const { events, txHashes } = this.core.log.blockEvents();
    const block = { chainId: "", height: 0, hash: "", txHashes };
    this.core.log.startBlock("AB");
    return events.map((emitted) => {
      const event = decodeBusEvent(wholeEvent(block, emitted)) as unknown as Record<string, unknown>;
      const member = Object.keys(event).find((name) => typeof event[name] === "object")!;
      return { member, payload: knownMembers(event[member] as object) };
    });
  }

  private nextId(): string {
    this.transactions += 1;
    return this.transactions.toString(16).padStart(64, "0");
  }
}

function knownMembers(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, isMessage(member) ? knownMembers(member as object) : member]),
  );
}

function isMessage(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

/** `member` of each event, and its state or status where it has one: `proposal 2`. */
export function outline(events: readonly SeenEvent[]): string[] {
  return events.map(({ member, payload }) => {
    const number = payload.state ?? payload.status;
    return number === undefined ? member : `${member} ${number}`;
  });
}
