/**
 * Limits of what may be proposed now (docs/protocol/60-state-engine-governance.md#57-limits-engine): flags of the
 * genesis, and two dates that are network parameters. A date that has passed when it is set counts as no date.
 */

import type { CommandText } from "../errors/result-codes.ts";
import { timeNs } from "../wire/time-text.ts";
import type { CheckedTransaction } from "../wire/transaction-check.ts";
import { COMMANDS } from "../wire/transaction-commands.ts";
import type { Core } from "./core.ts";
import { CommandError, ResultCode } from "./errors.ts";
import type { GenesisAppState } from "./genesis.ts";
import type { ParameterReader } from "./ports.ts";
import type { Cell } from "./state.ts";
import { INT64_MAX } from "./values.ts";

const MARKET_DATE = "limits.markets.proposeEnabledFrom";
const ASSET_DATE = "limits.assets.proposeEnabledFrom";

interface LimitsState {
  /** The genesis has been read; until then nothing may be proposed. */
  readonly genesisLoaded: boolean;
  readonly marketEnabled: boolean;
  readonly assetEnabled: boolean;
  readonly canProposeMarket: boolean;
  readonly canProposeAsset: boolean;
  /** Unix nanoseconds; 0 for no date. */
  readonly marketFromNs: bigint;
  readonly assetFromNs: bigint;
}

const INITIAL: LimitsState = {
  genesisLoaded: false,
  marketEnabled: false,
  assetEnabled: false,
  canProposeMarket: false,
  canProposeAsset: false,
  marketFromNs: 0n,
  assetFromNs: 0n,
};

export class Limits {
  private readonly state: Cell<LimitsState>;

  constructor(
    private readonly core: Core,
    params: ParameterReader,
  ) {
    this.state = core.state.cell("limits", INITIAL);
    params.watch([MARKET_DATE], (_key, date) => this.update({ marketFromNs: this.futureDate(date) }));
    params.watch([ASSET_DATE], (_key, date) => this.update({ assetFromNs: this.futureDate(date) }));
  }

  /** Flags that are left out are on. */
  initGenesis(flags: GenesisAppState["network_limits"] = {}): void {
    const { propose_market_enabled: marketEnabled = true, propose_asset_enabled: assetEnabled = true } =
      flags;
    this.update({ genesisLoaded: true, marketEnabled, assetEnabled });
  }

  /** Sends the limits when a date has come. */
  onTick(): void {
    const before = this.state.get();
    const now = this.evaluated(before, "tick");
    const isSame =
      now.canProposeMarket === before.canProposeMarket && now.canProposeAsset === before.canProposeAsset;
    if (isSame) return;
    this.state.set(now);
    this.emit();
  }

  get canProposeMarket(): boolean {
    return this.state.get().canProposeMarket;
  }

  get canProposeAsset(): boolean {
    return this.state.get().canProposeAsset;
  }

  /** Orders and liquidity provision. */
  get canTrade(): boolean {
    return this.canProposeMarket && this.canProposeAsset;
  }

  /**
   * The rule about commands that are not allowed now (docs/protocol/60-state-engine-blocks.md#16-transactions, step 3).
   * @throws CommandError code 51
   */
  checkEnabled(command: Pick<CheckedTransaction, "kind" | "payload">): void {
    if (COMMANDS[command.kind].isTrading && !this.canTrade) throw notAllowed("trading disabled");
    if (command.kind !== "proposalSubmission") return;
    const { terms } = command.payload as { terms?: { newMarket?: object; newAsset?: object } };
    if (terms?.newMarket !== undefined && !this.canProposeMarket)
      throw notAllowed("market proposal disabled");
    if (terms?.newAsset !== undefined && !this.canProposeAsset) throw notAllowed("asset proposal disabled");
  }

  private update(change: Partial<LimitsState>): void {
    this.state.set(this.evaluated({ ...this.state.get(), ...change }, "update"));
    this.emit();
  }

  /** A tick exactly at a date changes nothing yet. */
  private evaluated(state: LimitsState, when: "update" | "tick"): LimitsState {
    const can = (enabled: boolean, before: boolean, fromNs: bigint) => {
      if (!enabled) return false;
      if (this.core.nowNs === fromNs && when === "tick") return before;
      return this.core.nowNs >= fromNs;
    };
    return {
      ...state,
      canProposeMarket: can(state.marketEnabled, state.canProposeMarket, state.marketFromNs),
      canProposeAsset: can(state.assetEnabled, state.canProposeAsset, state.assetFromNs),
    };
  }

  private futureDate(date: string): bigint {
    const fromNs = timeNs(date) ?? 0n;
    return fromNs > this.core.nowNs ? fromNs : 0n;
  }

  private emit(): void {
    const state = this.state.get();
    this.core.emit("networkLimits", {
      canProposeMarket: state.canProposeMarket,
      canProposeAsset: state.canProposeAsset,
      proposeMarketEnabled: state.marketEnabled,
      proposeAssetEnabled: state.assetEnabled,
      genesisLoaded: state.genesisLoaded,
      proposeMarketEnabledFrom: clamped(state.marketFromNs),
      proposeAssetEnabledFrom: clamped(state.assetFromNs),
    });
  }
}

/** A date within the event's 64 bits of nanoseconds, which end in the year 2262. */
function clamped(dateNs: bigint): bigint {
  return dateNs < INT64_MAX ? dateNs : INT64_MAX;
}

function notAllowed(text: CommandText): CommandError {
  return new CommandError(text, { code: ResultCode.notAllowed });
}
