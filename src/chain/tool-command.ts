// What the devnet's tools change inside a block, before its transactions: stored with it, so that it can be replayed.
import type { ChainEngine } from "./chain-engine.ts";

interface BalanceText {
  readonly party: string;
  readonly asset: string;
  /** Decimal, in the asset's smallest unit. */
  readonly balance: string;
}

export type ToolCommand =
  | { readonly kind: "balances"; readonly balances: readonly BalanceText[] }
  | { readonly kind: "parameter"; readonly key: string; readonly value: string };

/** @throws CommandError */
export function applyTool(engine: ChainEngine, command: ToolCommand): void {
  if (command.kind === "parameter") engine.setParameter(command.key, command.value);
  else {
    for (const { party, asset, balance } of command.balances)
      engine.setBalance(party, asset, BigInt(balance));
  }
}
