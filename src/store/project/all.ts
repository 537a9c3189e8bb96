// Every projection of the store, in the order their rows are written within a block.
import { assets, balances, deposits, ledger, parties, transfers, withdrawals } from "./collateral.ts";
import type { ProjectionFactory } from "./context.ts";
import { proposals, votes } from "./governance.ts";
import { liquidity, marginLevels, marketData, markets, oracles, trades } from "./markets.ts";
import { chain, keys, parameters, rewards, signatures, stake, txResults, validators } from "./network.ts";
import { orders } from "./orders.ts";
import { positions } from "./positions.ts";

export const PROJECTIONS: readonly ProjectionFactory[] = [
  parties,
  assets,
  balances,
  ledger,
  deposits,
  withdrawals,
  transfers,
  parameters,
  chain,
  validators,
  keys,
  signatures,
  stake,
  rewards,
  proposals,
  votes,
  markets,
  marketData,
  orders,
  trades,
  positions,
  marginLevels,
  liquidity,
  oracles,
  txResults,
];
