/** Withdrawals, their bundles' signatures and their claims (reference 60, sections 4.1 to 4.5). */
import { bridgeDigest } from "../crypto/multisig.ts";
import { Decimal } from "../wire/decimal.ts";
import { NodeSignatureKind, type WithdrawSubmission } from "../wire/generated/commands.ts";
import {
  AccountType,
  type ERC20,
  type ERC20Withdrawal,
  TransferType,
  WithdrawalStatus,
} from "../wire/generated/vega.ts";
import { readAmount, without0x } from "./amounts.ts";
import type { Bridge } from "./bridge.ts";
import { accountId, type Collateral } from "./collateral.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import { type AssetReader, knownAsset } from "./known-asset.ts";
import { ETHEREUM_CONFIG } from "./parameter-definitions.ts";
import { collateralBridge, type EthereumConfig } from "./parameter-json.ts";
import type { NotaryPort, ParameterReader } from "./ports.ts";
import type { Cell, Table } from "./state/state.ts";

const SIGNATURE_KIND = NodeSignatureKind.NODE_SIGNATURE_KIND_ASSET_WITHDRAWAL;
const NANOSECONDS_A_SECOND = 1_000_000_000n;

export interface WithdrawalRecord {
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
  /** Who gets it on Ethereum; undefined where it needs nobody. */
  readonly receiver: string | undefined;
}

export class Withdrawals {
  /** Those of ERC20 assets: nobody asks for one of a builtin asset again. */
  private readonly table: Table<WithdrawalRecord>;
  /** Withdrawals made so far, rejected ones included (section 4.2). */
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

  /** The bridge has paid out a withdrawal (section 4.5). @throws CommandError */
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
      creation: withdrawal.createdNs / NANOSECONDS_A_SECOND,
      nonce: BigInt(withdrawal.ref),
    };
    const digest = bridgeDigest("withdraw_asset", values, target);
    this.notary.start(withdrawal.id, SIGNATURE_KIND, Buffer.from(digest).toString("hex"));
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
    text: string,
    numbers: Readonly<Record<string, bigint>>,
  ): never {
    this.put({ ...withdrawal, status: WithdrawalStatus.STATUS_REJECTED });
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
