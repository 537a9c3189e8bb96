// Cases for transfers, withdrawals, staking and oracle data (docs/protocol/30-node-api-commands.md#42-transfer to
// #45-delegation-commands and #411-validator-commands-and-oracle-data).
import {
  addressCases,
  BYTES_100,
  BYTES_101,
  type CasesByKind,
  choiceCases,
  ID,
  identifierCases,
  KEY,
  publicKeyCases,
  requiredCase,
} from "./cases.ts";

const POOL = "ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES";
const oneOff = {
  fromAccountType: "ACCOUNT_TYPE_GENERAL",
  to: KEY,
  toAccountType: "ACCOUNT_TYPE_GENERAL",
  asset: ID,
  amount: "1000",
  reference: BYTES_100,
  oneOff: {},
};
const { oneOff: _, ...unscheduled } = oneOff;
const recurring = { ...unscheduled, recurring: { startEpoch: "3", endEpoch: "3", factor: "0.5" } };
const toPool = {
  ...recurring,
  toAccountType: POOL,
  recurring: {
    startEpoch: "3",
    factor: "1",
    dispatchStrategy: { assetForMetric: ID, metric: "DISPATCH_METRIC_MAKER_FEES_PAID" },
  },
};
const STRATEGY = "recurring.dispatchStrategy";

/** A pool, with the metric that it takes. */
const pool = (account: string, metric: string) => ({
  toAccountType: `ACCOUNT_TYPE_REWARD_${account}`,
  [`${STRATEGY}.metric`]: `DISPATCH_METRIC_${metric}`,
});

export const fundsCases: CasesByKind = {
  transfer: {
    valid: {
      oneOff,
      recurring,
      toPool,
      toRewards: { ...oneOff, to: "0".repeat(64), toAccountType: "ACCOUNT_TYPE_GLOBAL_REWARD" },
      received: { ...toPool, ...unnested(pool("MAKER_RECEIVED_FEES", "MAKER_FEES_RECEIVED")) },
      liquidity: { ...toPool, ...unnested(pool("LP_RECEIVED_FEES", "LP_FEES_RECEIVED")) },
      proposers: { ...toPool, ...unnested(pool("MARKET_PROPOSERS", "MARKET_VALUE")) },
    },
    cases: [
      { rule: "transfer.amount (is required)", broken: { amount: "0" }, kept: { amount: "1" } },
      { rule: "transfer.amount (not a valid integer)", broken: { amount: "1 0" } },
      { rule: "transfer.amount (must be positive)", broken: { amount: "-5" }, kept: { amount: "+5" } },
      requiredCase("transfer.to", "to"),
      { rule: "transfer_to (should be a valid vega public key)", broken: { to: "ab" }, kept: { to: ID } },
      {
        rule: "transfer.to_account_type (is not a valid value)",
        broken: { toAccountType: 0 },
      },
      {
        rule: "transfer_to (is not a valid value)",
        on: "toRewards",
        broken: { to: KEY },
      },
      {
        rule: "transfer.from_account_type (is not a valid value)",
        broken: { fromAccountType: "ACCOUNT_TYPE_BOND" },
      },
      ...identifierCases("transfer.asset", "asset"),
      {
        rule: "transfer.reference (must be less than 100 characters)",
        broken: { reference: BYTES_101 },
        kept: { reference: BYTES_100 },
      },
      requiredCase("transfer.kind", "oneOff"),
      {
        rule: "transfer.to_account_type (account type is not valid for one off transfer)",
        broken: { toAccountType: "ACCOUNT_TYPE_BOND" },
      },
      {
        rule: "transfer.kind.deliver_on (must be positive or zero)",
        broken: { "oneOff.deliverOn": "-1" },
        kept: { "oneOff.deliverOn": "0" },
      },
      {
        rule: "transfer.account.to (transfers to metric-based reward accounts must be recurring transfers that specify a distribution metric)",
        broken: { toAccountType: POOL },
        text:
          "transfer.account.to (transfers to metric-based reward accounts must be recurring transfers that specify a distribution metric), " +
          "transfer.to_account_type (account type is not valid for one off transfer)",
      },
      {
        rule: "transfer.kind.end_epoch (must be positive)",
        on: "recurring",
        broken: { "recurring.endEpoch": "0" },
        kept: { "recurring.endEpoch": undefined },
        text: "transfer.kind.end_epoch (must be positive, must be after start_epoch)",
      },
      {
        rule: "transfer.kind.start_epoch (must be positive)",
        on: "recurring",
        broken: { "recurring.startEpoch": "0" },
        kept: { "recurring.startEpoch": "1" },
      },
      {
        rule: "transfer.kind.end_epoch (must be after start_epoch)",
        on: "recurring",
        broken: { "recurring.endEpoch": "2" },
        kept: { "recurring.endEpoch": "3" },
      },
      {
        rule: "transfer.kind.factor (not a valid float)",
        on: "recurring",
        broken: { "recurring.factor": "half" },
        kept: { "recurring.factor": "1.5e-3" },
      },
      {
        rule: "transfer.kind.factor (must be positive)",
        on: "recurring",
        broken: { "recurring.factor": "0.000" },
        kept: { "recurring.factor": ".0001" },
      },
      {
        rule: "transfer.kind.dispatch_strategy (is not a valid value)",
        on: "toPool",
        broken: { toAccountType: "ACCOUNT_TYPE_GENERAL" },
      },
      {
        rule: "transfer.kind.dispatch_strategy.asset_for_metric (unknown asset)",
        on: "toPool",
        broken: { [`${STRATEGY}.assetForMetric`]: "" },
        kept: { ...pool("MARKET_PROPOSERS", "MARKET_VALUE"), [`${STRATEGY}.assetForMetric`]: "" },
      },
      {
        rule: "transfer.kind.dispatch_strategy.asset_for_metric (should be a valid vega ID)",
        on: "toPool",
        broken: { [`${STRATEGY}.assetForMetric`]: "BTC" },
      },
      {
        rule: "transfer.kind.dispatch_strategy.dispatch_metric (is not a valid value)",
        on: "toPool",
        broken: { [`${STRATEGY}.metric`]: "DISPATCH_METRIC_MARKET_VALUE" },
      },
    ],
  },
  cancelTransfer: {
    valid: { one: { transferId: ID } },
    cases: identifierCases("cancel_transfer.transfer_id", "transferId"),
  },
  withdrawSubmission: {
    valid: {
      bridged: { amount: "5", asset: ID, ext: { erc20: { receiverAddress: `0x${"5b".repeat(20)}` } } },
      builtin: { amount: "5", asset: ID },
    },
    cases: [
      {
        rule: "withdraw_submission.amount (is required)",
        broken: { amount: "-1" },
        kept: { amount: "1" },
      },
      { rule: "withdraw_submission.amount (not a valid integer)", broken: { amount: "0x5" } },
      ...identifierCases("withdraw_submission.asset", "asset"),
      {
        rule: "withdraw_ext.ext (unsupported withdraw extended details)",
        broken: { "ext.erc20": undefined },
        kept: { ext: undefined },
      },
      ...addressCases("withdraw_ext.erc20.received_address", "ext.erc20.receiverAddress"),
    ],
  },
  delegateSubmission: {
    valid: { one: { nodeId: ID, amount: "1" } },
    cases: [
      { rule: "delegate_submission.amount (is required)", broken: { amount: "" } },
      { rule: "delegate_submission.amount (not a valid integer)", broken: { amount: "1." } },
      ...publicKeyCases("delegate_submission.node_id", "nodeId"),
    ],
  },
  undelegateSubmission: {
    valid: { now: { nodeId: ID, amount: "0", method: "METHOD_NOW" }, all: { nodeId: ID, method: 2 } },
    cases: [
      { rule: "undelegate_submission.method (is required)", broken: { method: 3 }, kept: { method: 2 } },
      ...publicKeyCases("undelegate_submission.node_id", "nodeId"),
    ],
  },
  oracleDataSubmission: {
    valid: { json: { source: "ORACLE_SOURCE_JSON", payload: "e30=" } },
    cases: [
      requiredCase("oracle_data_submission.payload", "payload"),
      ...choiceCases("oracle_data_submission.source", "source"),
    ],
  },
};

/** The members of a pool's patch as members of a transfer. */
function unnested(patch: Record<string, string>): object {
  return {
    toAccountType: patch.toAccountType,
    recurring: {
      startEpoch: "3",
      factor: "1",
      dispatchStrategy: { assetForMetric: ID, metric: patch[`${STRATEGY}.metric`] },
    },
  };
}
