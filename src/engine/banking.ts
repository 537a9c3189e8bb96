/** What parties do with money that is no trade: deposits, withdrawals, transfers (reference 60, sections 3, 4, 8). */
import type { CancelTransfer, Transfer, WithdrawSubmission } from "../wire/generated/commands.ts";
import { AssetActions } from "./asset-actions.ts";
import { Bridge, type BridgedAssets } from "./bridge.ts";
import type { Collateral } from "./collateral.ts";
import type { Core } from "./core.ts";
import { Deposits } from "./deposits.ts";
import { CommandError } from "./errors.ts";
import type { Domain, EpochInfo, NotaryPort, ParameterReader, WitnessPort } from "./ports.ts";
import { type MarketScores, NO_MARKETS, RecurringTransfers } from "./recurring.ts";
import { TransferMovements } from "./transfer-movements.ts";
import { readTransfer, TransferRules } from "./transfer-rules.ts";
import { OneOffTransfers } from "./transfers.ts";
import { Withdrawals } from "./withdrawals.ts";

export class Banking implements Domain {
  readonly bridge: Bridge;
  readonly deposits: Deposits;
  readonly withdrawals: Withdrawals;
  readonly actions: AssetActions;
  private readonly rules: TransferRules;
  readonly oneOff: OneOffTransfers;
  readonly recurring: RecurringTransfers;

  /** @param onWithdrawal called after each withdrawal that succeeds: a checkpoint follows it (section 4.3) */
  constructor(
    private readonly core: Core,
    params: ParameterReader,
    collateral: Collateral,
    assets: BridgedAssets,
    witness: WitnessPort,
    notary: NotaryPort,
    onWithdrawal: () => void,
    markets: MarketScores = NO_MARKETS,
  ) {
    this.actions = new AssetActions(core, witness);
    this.bridge = new Bridge(core, assets, notary, this.actions);
    this.deposits = new Deposits(core, collateral, assets, this.actions);
    const { bridge } = this;
    this.withdrawals = new Withdrawals(core, params, collateral, assets, notary, bridge, onWithdrawal);
    this.rules = new TransferRules(params, collateral, assets);
    const movements = new TransferMovements(collateral, this.rules);
    this.oneOff = new OneOffTransfers(core, collateral, this.rules, movements);
    this.recurring = new RecurringTransfers(core, collateral, this.rules, movements, markets);
  }

  /** The Withdraw command. @throws CommandError */
  withdraw(payload: WithdrawSubmission): void {
    this.withdrawals.withdraw(payload);
  }

  /** The Transfer command. @throws CommandError */
  transfer(payload: Transfer): void {
    const request = readTransfer(payload, this.core.currentTx, this.core.nowNs);
    if (payload.oneOff !== undefined) this.oneOff.submit(request, payload.oneOff);
    else if (payload.recurring !== undefined) this.recurring.submit(request, payload.recurring);
    else throw new CommandError("unsupported transfer kind");
  }

  /** What the mempool asks of a Transfer command. @throws CommandError */
  checkTransfer(payload: Transfer): void {
    this.rules.checkAdmission(readTransfer(payload, this.core.currentTx, this.core.nowNs));
  }

  /** The CancelTransfer command. @throws CommandError */
  cancelTransfer(payload: CancelTransfer): void {
    this.recurring.cancel(payload.transferId, this.core.currentTx.party);
  }

  /** Section 1.5, #12. */
  onTick(): void {
    this.actions.onTick();
    this.oneOff.onTick();
  }

  /** Before rewards are paid (section 1.7). */
  onEpochEnd(epoch: Pick<EpochInfo, "seq">): void {
    this.recurring.onEpochEnd(epoch.seq);
  }
}
