/** Deposits of builtin and of ERC20 assets (reference 60, sections 3.1, 3.3 and 3.4). */
import { sha3HexOf } from "../crypto/sha3.ts";
import { NodeVoteType } from "../wire/generated/commands.ts";
import {
  AccountType,
  type BuiltinAssetDeposit,
  DepositStatus,
  type ERC20Deposit,
  TransferType,
} from "../wire/generated/vega.ts";
import { isHex64 } from "../wire/identifiers.ts";
import { readAmount, without0x } from "./amounts.ts";
import type { AssetActions, ForeignPlace, OpenDeposit } from "./asset-actions.ts";
import { accountId, type Collateral, ZERO_PARTY } from "./collateral.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import { type AssetReader, knownAsset } from "./known-asset.ts";

export class Deposits {
  constructor(
    private readonly core: Core,
    private readonly collateral: Collateral,
    private readonly assets: AssetReader,
    private readonly actions: AssetActions,
  ) {
    actions.on("deposit", { finalise: (id, deposit) => this.credit(id, deposit) });
  }

  /**
   * A deposit of a builtin asset; its id is the identifier of the transaction in hand.
   * @param nonce the chain event's; a second deposit with the same one is never credited
   * @throws CommandError
   */
  builtin(event: BuiltinAssetDeposit, nonce: bigint): void {
    const deposit = this.read(event.vegaAssetId, event.partyId, event.amount, "");
    this.emit(this.core.currentTx.id, deposit, DepositStatus.STATUS_OPEN);
    if (knownAsset(this.assets, deposit.asset).details.builtinAsset === undefined) {
      this.refuse(deposit, "non builtin asset used for builtin asset chain event");
    }
    const txHash = builtinTxHash(nonce);
    this.start(deposit, { assetClass: "builtin", block: 0n, txHash, logIndex: 0n });
  }

  /** A deposit that was made on the Ethereum bridge. @throws CommandError */
  erc20(event: ERC20Deposit, place: ForeignPlace): void {
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
    this.actions.start(this.core.currentTx.id, NodeVoteType.TYPE_FUNDS_DEPOSITED, "deposit", place, deposit);
  }

  private refuse(deposit: OpenDeposit, text: string): never {
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

/** What stands for a transaction where there is no other chain: SHA3-256 of the nonce's eight bytes, big-endian. */
export function builtinTxHash(nonce: bigint): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(nonce);
  return sha3HexOf(bytes);
}
