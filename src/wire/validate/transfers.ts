/**
 * Moving funds: transfers, their cancellation, withdrawals (docs/protocol/30-node-api-commands.md#42-transfer to
 * #44-withdrawsubmission).
 */

import * as messages from "../../errors/validation.ts";
import type {
  CancelTransfer,
  OneOffTransfer,
  RecurringTransfer,
  Transfer,
  WithdrawSubmission,
} from "../generated/commands.ts";
import { AccountType, DispatchMetric, type Erc20WithdrawExt, type WithdrawExt } from "../generated/vega.ts";
import { isHex64 } from "../identifiers.ts";
import { all, type Check, first, part, rule, when } from "./check.ts";
import {
  amount,
  bigFloatSign,
  ethereumAddress,
  identifier,
  integerSign,
  isInteger,
  isNamed,
  longerThan,
  present,
  REFERENCE_BYTES_MAX,
  required,
} from "./fields.ts";

/** Owner of the reward pool: 64 zeros. */
const ZERO_PARTY = "0".repeat(64);

/** Reward pools that pay by a metric, with their metrics. */
const METRIC_OF_POOL: ReadonlyMap<number, number> = new Map([
  [AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES, DispatchMetric.DISPATCH_METRIC_MAKER_FEES_PAID],
  [AccountType.ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES, DispatchMetric.DISPATCH_METRIC_MAKER_FEES_RECEIVED],
  [AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES, DispatchMetric.DISPATCH_METRIC_LP_FEES_RECEIVED],
  [AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS, DispatchMetric.DISPATCH_METRIC_MARKET_VALUE],
]);

/** Targets of a one-off transfer; the unspecified type already has its own error. */
const ONE_OFF_TARGETS: ReadonlySet<number> = new Set([
  AccountType.ACCOUNT_TYPE_UNSPECIFIED,
  AccountType.ACCOUNT_TYPE_GENERAL,
  AccountType.ACCOUNT_TYPE_GLOBAL_REWARD,
]);

const goesToMetricPool = (transfer: Transfer) => METRIC_OF_POOL.has(transfer.toAccountType);

const oneOff: Check<Transfer> = all(
  rule(
    "transfer.to_account_type",
    messages.NOT_FOR_ONE_OFF,
    (transfer) => !ONE_OFF_TARGETS.has(transfer.toAccountType),
  ),
  part(
    (transfer) => transfer.oneOff,
    rule(
      "transfer.kind.deliver_on",
      messages.MUST_BE_POSITIVE_OR_ZERO,
      (kind: OneOffTransfer) => kind.deliverOn < 0n,
    ),
  ),
  rule("transfer.account.to", messages.METRIC_NEEDS_RECURRING, goesToMetricPool),
);

const schedule: Check<RecurringTransfer> = all(
  rule("transfer.kind.end_epoch", messages.MUST_BE_POSITIVE, (kind) => kind.endEpoch === 0n),
  rule("transfer.kind.start_epoch", messages.MUST_BE_POSITIVE, (kind) => kind.startEpoch === 0n),
  rule(
    "transfer.kind.end_epoch",
    messages.MUST_BE_AFTER_START,
    (kind) => kind.endEpoch !== undefined && kind.endEpoch < kind.startEpoch,
  ),
  first(
    rule("transfer.kind.factor", messages.NOT_A_FLOAT, (kind) => bigFloatSign(kind.factor) === undefined),
    rule("transfer.kind.factor", messages.MUST_BE_POSITIVE, (kind) => bigFloatSign(kind.factor)! <= 0),
  ),
);

const STRATEGY = "transfer.kind.dispatch_strategy";
const strategyOf = (transfer: Transfer) => transfer.recurring!.dispatchStrategy!;

/** Dispatch of a reward pool, for a transfer with a strategy. */
const strategy: Check<Transfer> = all(
  rule(STRATEGY, messages.IS_NOT_VALID, (transfer) => !goesToMetricPool(transfer)),
  rule(
    `${STRATEGY}.asset_for_metric`,
    messages.UNKNOWN_ASSET,
    (transfer) =>
      strategyOf(transfer).assetForMetric === "" &&
      transfer.toAccountType !== AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS,
  ),
  rule(`${STRATEGY}.asset_for_metric`, messages.SHOULD_BE_AN_ID, (transfer) => {
    const asset = strategyOf(transfer).assetForMetric;
    return asset !== "" && !isHex64(asset);
  }),
  rule(`${STRATEGY}.dispatch_metric`, messages.IS_NOT_VALID, (transfer) => {
    const metric = METRIC_OF_POOL.get(transfer.toAccountType);
    return metric !== undefined && strategyOf(transfer).metric !== metric;
  }),
);

/**
 * `transfer_to` and `transfer.account.to` are the network's own spellings
 * (docs/protocol/30-node-api-events.md#13-easily-missed, surprise 12).
 */
export const transfer: Check<Transfer> = all(
  first(
    // Zero is reported as missing.
    rule(
      "transfer.amount",
      messages.IS_REQUIRED,
      ({ amount }) => amount === "" || (isInteger(amount) && integerSign(amount) === 0),
    ),
    rule("transfer.amount", messages.NOT_AN_INTEGER, (command) => !isInteger(command.amount)),
    rule("transfer.amount", messages.MUST_BE_POSITIVE, (command) => integerSign(command.amount) < 0),
  ),
  first(
    required("transfer.to", (command) => command.to),
    rule("transfer_to", messages.SHOULD_BE_A_PUBLIC_KEY, (command) => !isHex64(command.to)),
  ),
  rule(
    "transfer.to_account_type",
    messages.IS_NOT_VALID,
    ({ toAccountType }) => toAccountType === 0 || !isNamed("vega.AccountType", toAccountType),
  ),
  rule(
    "transfer_to",
    messages.IS_NOT_VALID,
    (command) =>
      command.toAccountType === AccountType.ACCOUNT_TYPE_GLOBAL_REWARD && command.to !== ZERO_PARTY,
  ),
  rule(
    "transfer.from_account_type",
    messages.IS_NOT_VALID,
    (command) => command.fromAccountType !== AccountType.ACCOUNT_TYPE_GENERAL,
  ),
  identifier("transfer.asset", (command) => command.asset),
  rule("transfer.reference", messages.LESS_THAN_100_CHARACTERS, (command) =>
    longerThan(command.reference, REFERENCE_BYTES_MAX),
  ),
  present("transfer.kind", (command) => command.oneOff ?? command.recurring),
  when((command) => command.oneOff !== undefined, oneOff),
  part((command) => command.recurring, schedule),
  when((command) => command.recurring?.dispatchStrategy !== undefined, strategy),
);

export const cancelTransfer: Check<CancelTransfer> = identifier(
  "cancel_transfer.transfer_id",
  (command) => command.transferId,
);

/** The details' properties have the network's own spelling as well. */
const withdrawDetails: Check<WithdrawExt> = all(
  rule("withdraw_ext.ext", messages.UNSUPPORTED_WITHDRAW_EXT, (ext) => ext.erc20 === undefined),
  part(
    (ext) => ext.erc20,
    ethereumAddress(
      "withdraw_ext.erc20.received_address",
      (erc20: Erc20WithdrawExt) => erc20.receiverAddress,
    ),
  ),
);

export const withdrawSubmission: Check<WithdrawSubmission> = all(
  amount("withdraw_submission.amount", (command) => command.amount),
  identifier("withdraw_submission.asset", (command) => command.asset),
  part((command) => command.ext, withdrawDetails),
);
