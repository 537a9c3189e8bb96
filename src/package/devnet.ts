/// <reference lib="esnext.disposable" preserve="true" />
/**
 * `lyra/devnet`: local networks for tests, each in a process of its own, under Node and Bun (docs/package.md).
 */
export type { SendOptions, SentTransaction } from "../devnet/party-client.ts";
export { NodeError } from "../errors/node-error.ts";
export { UndelegateSubmissionMethod } from "../wire/generated/commands.ts";
// Enumerations of the members of commands.
export {
  AccountType,
  DispatchMetric,
  OrderTimeInForce,
  OrderType,
  PeggedReference,
  Side,
  VoteValue,
} from "../wire/generated/vega.ts";
export type { CommandInit } from "../wire/transaction.ts";
export type { ChainOptions } from "./chain-options.generated.ts";
export { type Fixture, fixture, type Revertible } from "./fixture.ts";
export type { BlockCondition, MineTarget, MineUntilOptions } from "./mine-until.ts";
export type { DevnetOptions, ProcessOptions, StopSignal } from "./options.ts";
export type { Party } from "./party.ts";
export { connectPool, type DevnetPool, type PoolOptions, startPool } from "./pool.ts";
export type { Devnet } from "./running-devnet.ts";
export { startDevnet } from "./start-devnet.ts";
export type {
  Amount,
  BridgeSignersChoice as SignerChanges,
  DevnetStatus,
  DevnetTools,
  MarketCreateChoice as MarketChoice,
  PendingAnswer as PendingTransactions,
} from "./tools.generated.ts";
