/** Bonds of liquidity providers (docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress). */

import { smaller } from "../../wire/arithmetic.ts";
import { Decimal } from "../../wire/decimal.ts";
import { TransferType } from "../../wire/generated/vega.ts";
import type { Movement } from "../collateral.ts";
import type { MarketParts } from "./market-parts.ts";

const PENALTY = "market.liquidity.bondPenaltyParameter";

export class Bonds {
  constructor(private readonly parts: Pick<MarketParts, "market" | "provisions">) {}

  /**
   * Penalty for a bond that paid a margin: part of the shortfall goes to the insurance pool
   * (docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress).
   * @param movements receives the penalty, for one event
   * @returns whether money has moved
   */
  slash(party: string, shortfall: bigint, movements: Movement[]): boolean {
    const { market, provisions } = this.parts;
    // A provision that was never deployed costs no penalty.
    if (provisions.get(party)?.isPending !== false) return false;
    const { accounts } = market;
    const penalty = Decimal.of(shortfall).times(market.params.decimal(PENALTY)).floor();
    const from = [accounts.bond(party), accounts.margin(party)];
    // Emitted even if it is zero.
    movements.push(
      accounts.move(from, accounts.insurance, penalty, TransferType.TRANSFER_TYPE_BOND_SLASHING),
    );
    return penalty > 0n;
  }

  /**
   * Refills bonds up to their commitments, as far as general accounts allow
   * (docs/protocol/70-trading-liquidity.md#75-bond-slashing-and-distress).
   */
  refillAll(): void {
    const { market, provisions } = this.parts;
    const { accounts } = market;
    const movements: Movement[] = [];
    for (const { party, commitment } of provisions.list()) {
      const missing = commitment - accounts.balance(accounts.bond(party));
      const amount = smaller(missing, accounts.balance(accounts.general(party)));
      if (amount <= 0n) continue;
      accounts.ensureBond(party);
      const type = TransferType.TRANSFER_TYPE_BOND_LOW;
      movements.push(accounts.move([accounts.general(party)], accounts.bond(party), amount, type));
    }
    accounts.emit(movements);
  }

  /** Moves an amount from the general account to the bond; undefined if the account has less. */
  fill(party: string, amount: bigint): Movement | undefined {
    const { accounts } = this.parts.market;
    const general = accounts.general(party);
    if (accounts.balance(general) < amount) return undefined;
    return accounts.move([general], accounts.bond(party), amount, TransferType.TRANSFER_TYPE_BOND_LOW);
  }

  /** Brings an existing bond to an amount that the general account can pay for. */
  adjust(party: string, amount: bigint): void {
    const { accounts } = this.parts.market;
    const bond = accounts.balance(accounts.bond(party));
    const movement = amount >= bond ? this.fill(party, amount - bond) : this.empty(party, bond - amount);
    if (movement !== undefined) accounts.emit([movement]);
  }

  empty(party: string, amount: bigint): Movement | undefined {
    const { accounts } = this.parts.market;
    if (amount === 0n) return undefined;
    const type = TransferType.TRANSFER_TYPE_BOND_HIGH;
    return accounts.move([accounts.bond(party)], accounts.general(party), amount, type);
  }

  returnAll(party: string): void {
    const { accounts } = this.parts.market;
    const movement = this.empty(party, accounts.balance(accounts.bond(party)));
    if (movement !== undefined) accounts.emit([movement]);
  }
}
