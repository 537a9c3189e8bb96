/**
 * Money of parties outside of trades: deposits, withdrawals, transfers
 * (docs/protocol/60-state-engine-accounts.md#3-deposits, #4-withdrawals-and-erc20-approval-bundles,
 * docs/protocol/60-state-engine-staking.md#8-transfers-and-rewards).
 */

import { bridgeDigest } from "../crypto/multisig.ts";
import { sha3HexOf } from "../crypto/sha.ts";
import type { CommandText } from "../errors/result-codes.ts";
import { Decimal } from "../wire/decimal.ts";
import {
  type CancelTransfer,
  NodeSignatureKind,
  NodeVoteType,
  type Transfer,
  type WithdrawSubmission,
} from "../wire/generated/commands.ts";
import {
  AccountType,
  type BuiltinAssetDeposit,
  DepositStatus,
  type ERC20,
  type ERC20Deposit,
  type ERC20Withdrawal,
  TransferType,
  WithdrawalStatus,
} from "../wire/generated/vega.ts";
import { hexOf, isHex64 } from "../wire/identifiers.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import { knownAsset, unitOf } from "./assets.ts";
import { AssetActions, Bridge, type BridgedAssets, type ForeignPlace, type OpenDeposit } from "./bridge.ts";
import { accountId, type Collateral, ZERO_PARTY } from "./collateral.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import { collateralBridge, ETHEREUM_CONFIG, type EthereumConfig } from "./parameter-definitions.ts";
import type { AssetReader, EpochInfo, NotaryPort, ParameterReader, WitnessPort } from "./ports.ts";
import { type MarketScores, NO_MARKETS, RecurringTransfers } from "./recurring.ts";
import type { Cell, Table } from "./state.ts";
import { OneOffTransfers, readTransfer, TransferMovements, TransferRules } from "./transfers.ts";
import { readAmount, without0x } from "./values.ts";

export class Banking {
  readonly bridge: Bridge;
  readonly deposits: Deposits;
  readonly withdrawals: Withdrawals;
  readonly actions: AssetActions;
  private readonly rules: TransferRules;
  readonly oneOff: OneOffTransfers;
  readonly recurring: RecurringTransfers;

  /**
   * @param onWithdrawal called after each withdrawal that succeeds: a checkpoint follows it
   * (docs/protocol/60-state-engine-accounts.md#43-flow)
   */
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
    if (payload.oneOff !== undefined) this.oneOff.submitOneOff(request, payload.oneOff);
    else if (payload.recurring !== undefined) this.recurring.submitRecurring(request, payload.recurring);
    else throw new CommandError("unsupported transfer kind");
  }

  /** The mempool's check of a Transfer command. @throws CommandError */
  checkTransfer(payload: Transfer): void {
    this.rules.checkAdmission(readTransfer(payload, this.core.currentTx, this.core.nowNs));
  }

  /** The CancelTransfer command. @throws CommandError */
  cancelTransfer(payload: CancelTransfer): void {
    this.recurring.cancel(payload.transferId, this.core.currentTx.party);
  }

  /** docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact, #12. */
  onTick(): void {
    this.actions.onTick();
    this.oneOff.onTick();
  }

  /** Before rewards are paid (docs/protocol/60-state-engine-blocks.md#17-epochs). */
  onEpochEnd(epoch: Pick<EpochInfo, "seq">): void {
    this.recurring.onEpochEnd(epoch.seq);
  }
}

// Deposits of builtin and of ERC20 assets (docs/protocol/60-state-engine-accounts.md#31-deposit-record,
// #33-builtin-deposit-flow and #34-erc20-deposit-flow).

export class Deposits {
  constructor(
    private readonly core: Core,
    private readonly collateral: Collateral,
    private readonly assets: AssetReader,
    private readonly actions: AssetActions,
  ) {
    actions.setFinaliser("deposit", { finalise: (id, deposit) => this.credit(id, deposit) });
  }

  /**
   * A deposit of a builtin asset; its id is the identifier of the transaction in hand.
   * @param nonce the chain event's; a second deposit with the same one is never credited
   * @throws CommandError
   */
  depositBuiltin(event: BuiltinAssetDeposit, nonce: bigint): void {
    const deposit = this.read(event.vegaAssetId, event.partyId, event.amount, "");
    this.emit(this.core.currentTx.id, deposit, DepositStatus.STATUS_OPEN);
    if (knownAsset(this.assets, deposit.asset).details.builtinAsset === undefined) {
      this.refuse(deposit, "non builtin asset used for builtin asset chain event");
    }
    const txHash = builtinTxHash(nonce);
    this.start(deposit, { assetClass: "builtin", block: 0n, txHash, logIndex: 0n });
  }

  /** A deposit that was made on the Ethereum bridge. @throws CommandError */
  depositErc20(event: ERC20Deposit, place: ForeignPlace): void {
    const deposit = this.read(event.vegaAssetId, event.targetPartyId, event.amount, place.txHash);
    if (knownAsset(this.assets, deposit.asset).details.erc20 === undefined) {
      this.refuse(deposit, "non ERC20 for ERC20 chain event");
    }
    this.emit(this.core.currentTx.id, deposit, DepositStatus.STATUS_OPEN);
    this.start(deposit, place);
  }

  private read(assetId: string, partyId: string, amountText: string, txHash: string): OpenDeposit {
    const asset = without0x(assetId);
    knownAsset(this.assets, asset);
    const party = without0x(partyId);
    if (!isHex64(party)) throw new CommandError("invalid party");
    const amount = readAmount(amountText, "invalid amount");
    if (amount === 0n) throw new CommandError("invalid amount");
    return { party, asset, amount, txHash, createdNs: this.core.nowNs };
  }

  private start(deposit: OpenDeposit, place: ForeignPlace): void {
    this.actions.startAction(
      this.core.currentTx.id,
      NodeVoteType.TYPE_FUNDS_DEPOSITED,
      "deposit",
      place,
      deposit,
    );
  }

  private refuse(deposit: OpenDeposit, text: CommandText): never {
    this.emit(this.core.currentTx.id, deposit, DepositStatus.STATUS_CANCELLED);
    throw new CommandError(text, { keepChanges: true });
  }

  private credit(id: string, deposit: OpenDeposit): void {
    const { asset, party, amount } = deposit;
    const treasury = accountId(asset, AccountType.ACCOUNT_TYPE_GLOBAL_REWARD);
    const general = accountId(asset, AccountType.ACCOUNT_TYPE_GENERAL, party);
    const target = party === ZERO_PARTY ? treasury : general;
    const isRefused = !this.collateral.hasAsset(asset) || !this.collateral.hasRoomFor(asset, amount);
    if (isRefused) {
      this.emit(id, deposit, DepositStatus.STATUS_CANCELLED);
      return;
    }
    if (target === general) this.collateral.ensureGeneral(party, asset);
    const movement = this.collateral.deposit(asset, target, amount, TransferType.TRANSFER_TYPE_DEPOSIT);
    this.collateral.emitMovements([movement]);
    this.emit(id, deposit, DepositStatus.STATUS_FINALIZED, this.core.nowNs);
  }

  private emit(id: string, deposit: OpenDeposit, status: number, creditedNs = 0n): void {
    this.core.emit("deposit", {
      id,
      status,
      partyId: deposit.party,
      asset: deposit.asset,
      amount: deposit.amount.toString(),
      txHash: deposit.txHash,
      creditedTimestamp: creditedNs,
      createdTimestamp: deposit.createdNs,
    });
  }
}

/** Transaction hash of a builtin deposit, which no other chain has: SHA3-256 of the nonce's eight bytes, big-endian. */
export function builtinTxHash(nonce: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(nonce);
  return sha3HexOf(bytes);
}

// Withdrawals, their bundles' signatures and their claims (docs/protocol/60-state-engine-accounts.md#41-command to
// #45-claim-on-ethereum).

const SIGNATURE_KIND = NodeSignatureKind.NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL;

interface WithdrawalRecord {
  readonly id: string;
  readonly party: string;
  readonly asset: string;
  readonly amount: bigint;
  /** vega.Withdrawal.Status */
  readonly status: number;
  readonly ref: string;
  /** Of the claim on Ethereum; empty before. */
  readonly txHash: string;
  readonly createdNs: bigint;
  /** Block time of the claim; 0 before. */
  readonly withdrawnNs: bigint;
  /** Receiver on Ethereum; undefined for a builtin asset. */
  readonly receiver: string | undefined;
}

export class Withdrawals {
  /** Withdrawals of ERC20 assets: those of builtin assets end at once. */
  private readonly table: Table<WithdrawalRecord>;
  /** Withdrawals made so far, rejected ones included (docs/protocol/60-state-engine-accounts.md#42-record). */
  private readonly count: Cell<bigint>;
  /** Reference → id; derived. */
  private readonly byRef = new Map<string, string>();

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    private readonly collateral: Collateral,
    private readonly assets: AssetReader,
    private readonly notary: NotaryPort,
    private readonly bridge: Bridge,
    private readonly onWithdrawal: () => void,
  ) {
    this.table = core.state.table("withdrawals");
    this.count = core.state.cell("withdrawals.count", 0n);
    this.table.onChange((_id, before, now) => {
      if (before !== undefined) this.byRef.delete(before.ref);
      if (now !== undefined) this.byRef.set(now.ref, now.id);
    });
  }

  get(id: string): WithdrawalRecord | undefined {
    return this.table.get(id);
  }

  /** The Withdraw command of the transaction in hand. @throws CommandError; a rejected withdrawal's events stay */
  withdraw(command: WithdrawSubmission): void {
    const { details } = knownAsset(this.assets, command.asset);
    const amount = readAmount(command.amount, "invalid amount");
    if (details.erc20 !== undefined) this.withdrawErc20(command, amount, details.erc20, details.quantum);
    else this.withdrawBuiltin(command.asset, amount);
    this.onWithdrawal();
  }

  /** The bridge has paid out a withdrawal (docs/protocol/60-state-engine-accounts.md#45-claim-on-ethereum). @throws CommandError */
  claim(event: ERC20Withdrawal, txHash: string): void {
    knownAsset(this.assets, without0x(event.vegaAssetId));
    const nonce = readAmount(event.referenceNonce, "invalid withdrawal reference nonce");
    const withdrawal = this.table.get(this.byRef.get(nonce.toString()) ?? "");
    if (withdrawal === undefined) throw new CommandError("invalid reference for withdrawal chain event");
    if (withdrawal.status !== WithdrawalStatus.STATUS_FINALIZED) {
      throw new CommandError("invalid withdrawal state");
    }
    if (!this.notary.isComplete(withdrawal.id, SIGNATURE_KIND))
      throw new CommandError("withdrawal not ready");
    this.put({ ...withdrawal, withdrawnNs: this.core.nowNs, txHash });
  }

  private withdrawBuiltin(asset: string, amount: bigint): void {
    const withdrawal = this.make(asset, amount, undefined);
    this.checkFunds(withdrawal);
    this.finalise(withdrawal);
  }

  private withdrawErc20(command: WithdrawSubmission, amount: bigint, erc20: ERC20, quantum: string): void {
    const receiver = command.ext?.erc20?.receiverAddress;
    if (receiver === undefined) throw new CommandError("missing withdraw submission erc20 ext");
    if (this.bridge.isStopped) {
      throw new CommandError("withdrawal issuance is disabled when the erc20 is stopped");
    }
    const target = collateralBridge(this.params.json<EthereumConfig>(ETHEREUM_CONFIG));
    if (target === undefined) throw new CommandError("no collateral bridge is configured");
    const withdrawal = this.make(command.asset, amount, receiver);
    this.put(withdrawal);
    this.checkMinimum(withdrawal, quantum);
    this.checkFunds(withdrawal);
    this.finalise(withdrawal);
    const values = {
      token: erc20.contractAddress,
      amount,
      receiver,
      creation: withdrawal.createdNs / SECOND_NS,
      nonce: BigInt(withdrawal.ref),
    };
    const digest = bridgeDigest("withdraw_asset", values, target);
    this.notary.requestSignatures(withdrawal.id, SIGNATURE_KIND, hexOf(digest));
  }

  private make(asset: string, amount: bigint, receiver: string | undefined): WithdrawalRecord {
    const { id, party } = this.core.currentTx;
    const count = this.count.get();
    this.count.set(count + 1n);
    return {
      id,
      party,
      asset,
      amount,
      status: WithdrawalStatus.STATUS_OPEN,
      ref: (count + this.core.nowSeconds).toString(),
      txHash: "",
      createdNs: this.core.nowNs,
      withdrawnNs: 0n,
      receiver,
    };
  }

  private checkMinimum(withdrawal: WithdrawalRecord, quantum: string): void {
    const multiple = this.params.decimal("spam.protection.minimumWithdrawalQuantumMultiple");
    const minimum = Decimal.parse(quantum).times(multiple).truncated();
    const { amount } = withdrawal;
    if (amount >= minimum) return;
    this.reject(withdrawal, "invalid withdrawal, amount under minimum required", { amount, minimum });
  }

  private checkFunds(withdrawal: WithdrawalRecord): void {
    const { asset, party, amount: needed } = withdrawal;
    const available = this.collateral.get(accountId(asset, AccountType.ACCOUNT_TYPE_GENERAL, party))?.balance;
    if (available === undefined)
      this.reject(withdrawal, "account does not exists", { available: 0n, needed });
    if (available < needed) this.reject(withdrawal, "not enough funds to withdraw", { available, needed });
  }

  private finalise(withdrawal: WithdrawalRecord): void {
    const { asset, party, amount } = withdrawal;
    const general = accountId(asset, AccountType.ACCOUNT_TYPE_GENERAL, party);
    const movement = this.collateral.withdraw(asset, general, amount, TransferType.TRANSFER_TYPE_WITHDRAW);
    this.collateral.emitMovements([movement]);
    this.put({ ...withdrawal, status: WithdrawalStatus.STATUS_FINALIZED });
  }

  private reject(
    withdrawal: WithdrawalRecord,
    text: CommandText,
    amounts: Readonly<Record<string, bigint>>,
  ): never {
    this.put({ ...withdrawal, status: WithdrawalStatus.STATUS_REJECTED });
    const numbers = { ...amounts, ...unitOf(knownAsset(this.assets, withdrawal.asset)) };
    throw new CommandError(text, { keepChanges: true, numbers });
  }

  private put(withdrawal: WithdrawalRecord): void {
    const { receiver } = withdrawal;
    if (receiver !== undefined) this.table.set(withdrawal.id, withdrawal);
    this.core.emit("withdrawal", {
      id: withdrawal.id,
      partyId: withdrawal.party,
      amount: withdrawal.amount.toString(),
      asset: withdrawal.asset,
      status: withdrawal.status,
      ref: withdrawal.ref,
      txHash: withdrawal.txHash,
      createdTimestamp: withdrawal.createdNs,
      withdrawnTimestamp: withdrawal.withdrawnNs,
      ...(receiver !== undefined && { ext: { erc20: { receiverAddress: receiver } } }),
    });
  }
}
