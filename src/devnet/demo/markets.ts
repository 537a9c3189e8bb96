// The acts of the demonstration that trade: two markets, a crash with a close-out, an auction, and a settlement.
import { presetChanges } from "../../planes/devnet/markets.ts";
import type { Init } from "../../wire/codec.ts";
import type { InputData } from "../../wire/generated/commands.ts";
import { AccountType, DispatchMetric, VoteValue } from "../../wire/generated/vega.ts";
import { fromJson } from "../../wire/json.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import { ValidatorKeys } from "../keys.ts";
import type { PartyClient } from "../party-client.ts";
import { ASSETS, type Name, type Stage } from "./stage.ts";

const BUY = 1;
const SELL = 2;
const [GTC, GTT, IOC] = [1, 2, 3];
const LIMIT = 1;
const MARKET = 2;
const MIDDLE = 300_000n;
/** Contracts have two decimals. */
const CONTRACT = 100n;
const TRADERS: readonly Name[] = ["carol", "dave", "erin", "frank"];
/** In dollars' smallest units. */
const COMMITMENT = "5000000000";
const NEWCOMER_FUNDS = "200000000";
/** Keys that no other scene uses, of a party with little money. */
const NEWCOMER = new ValidatorKeys(4);

interface OrderWish {
  readonly side: number;
  readonly size: bigint;
  readonly price?: bigint;
  readonly timeInForce?: number;
  readonly expiresAt?: bigint;
  readonly peg?: { readonly reference: number; readonly offset: string };
}

function order(marketId: string, wish: OrderWish): CommandInit {
  const isMarket = wish.price === undefined && wish.peg === undefined;
  return {
    kind: "orderSubmission",
    payload: {
      marketId,
      side: wish.side,
      size: wish.size,
      price: wish.price?.toString() ?? "",
      timeInForce: wish.timeInForce ?? (isMarket ? IOC : GTC),
      expiresAt: wish.expiresAt ?? 0n,
      type: isMarket ? MARKET : LIMIT,
      reference: "demo",
      peggedOrder: wish.peg,
    },
  };
}

/** A market's proposal, its vote, its liquidity and its opening. @param note under which later scenes find it */
async function open(stage: Stage, note: string): Promise<void> {
  const now = stage.nowSeconds;
  const changes = presetChanges("eth", ASSETS.dollar, stage.key("judy"));
  const triggers = [{ horizon: "3600", probability: "0.9999", auctionExtension: "3" }];
  const terms = {
    closingTimestamp: (now + 3n).toString(),
    enactmentTimestamp: (now + 5n).toString(),
    newMarket: { changes: { ...changes, priceMonitoringParameters: { triggers } } },
  };
  const rationale = { title: `Ether, ${note}`, description: "A market of the demonstration" };
  const json = { proposalSubmission: { reference: note, rationale, terms } };
  const { proposalSubmission } = fromJson<InputData>("vega.commands.v1.InputData", json) as Init<InputData>;
  const id = await stage.send("alice", { kind: "proposalSubmission", payload: proposalSubmission! });
  stage.notes.set(note, id);
  for (const name of ["alice", "bob"] as const) {
    await stage.send(name, {
      kind: "voteSubmission",
      payload: { proposalId: id, value: VoteValue.VALUE_YES },
    });
  }
  await stage.pass(4);
  const shape = (reference: number) => [{ reference, proportion: 1, offset: "500" }];
  const provision = {
    marketId: id,
    commitmentAmount: COMMITMENT,
    fee: "0.001",
    buys: shape(2),
    sells: shape(3),
    reference: "demo",
  };
  await stage.send("ivan", { kind: "liquidityProvisionSubmission", payload: provision });
  const quotes = [
    ["grace", BUY, MIDDLE - 2_000n],
    ["heidi", SELL, MIDDLE + 2_000n],
    ["grace", BUY, MIDDLE],
    ["heidi", SELL, MIDDLE],
  ] as const;
  for (const [name, side, price] of quotes)
    await stage.send(name, order(id, { side, price, size: CONTRACT }));
  await stage.pass(3);
  await stage.pass(1);
}

export async function openMarkets(stage: Stage): Promise<void> {
  await open(stage, "market");
  await open(stage, "short-lived market");
}

/** Orders of every kind, around a price that wanders. */
export async function dailyTrades(stage: Stage): Promise<void> {
  const market = stage.notes.get("market");
  if (market === undefined) return;
  const middle = MIDDLE + BigInt(stage.random(2_001) - 1_000);
  const trader = () => TRADERS[stage.random(TRADERS.length)]!;
  for (let turn = 0; turn < 4; turn++) {
    const away = BigInt(100 + stage.random(900));
    const side = stage.random(2) === 0 ? BUY : SELL;
    const price = side === BUY ? middle - away : middle + away;
    await stage.send(trader(), order(market, { side, price, size: BigInt(10 + stage.random(90)) }));
  }
  const expiresAt = stage.chain.status.timeNs + 2_000_000_000n;
  await stage.send(
    trader(),
    order(market, { side: BUY, price: middle - 1_500n, size: 20n, timeInForce: GTT, expiresAt }),
  );
  await stage.send(trader(), order(market, { side: SELL, size: 15n, peg: { reference: 3, offset: "300" } }));
  const id = await stage.send("carol", order(market, { side: BUY, price: middle - 1_800n, size: 30n }));
  await stage.send("carol", {
    kind: "orderAmendment",
    payload: { orderId: id, marketId: market, sizeDelta: -10n },
  });
  await stage.send("carol", { kind: "orderCancellation", payload: { orderId: id, marketId: market } });
  await stage.send("grace", order(market, { side: stage.random(2) === 0 ? BUY : SELL, size: 10n }));
}

/** Rewards for traders. */
export async function marketRewards(stage: Stage): Promise<void> {
  const startEpoch = stage.epoch;
  const kinds = [
    [AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES, DispatchMetric.DISPATCH_METRIC_MAKER_FEES_PAID],
    [AccountType.ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES, DispatchMetric.DISPATCH_METRIC_MAKER_FEES_RECEIVED],
    [AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES, DispatchMetric.DISPATCH_METRIC_LP_FEES_RECEIVED],
  ] as const;
  for (const [toAccountType, metric] of kinds) {
    await stage.send("heidi", {
      kind: "transfer",
      payload: {
        fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
        toAccountType,
        to: "0".repeat(64),
        asset: ASSETS.dollar,
        amount: "20000000",
        reference: "makers and takers",
        recurring: {
          startEpoch,
          endEpoch: startEpoch + 4n,
          factor: "1",
          dispatchStrategy: { assetForMetric: ASSETS.dollar, metric, markets: [] },
        },
      },
    });
  }
}

/** A newcomer borrows too much, and the price falls. */
export async function crash(stage: Stage): Promise<void> {
  const market = stage.notes.get("short-lived market")!;
  const newcomer: PartyClient = stage.clientOf(NEWCOMER);
  await stage.send("bob", {
    kind: "transfer",
    payload: {
      fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      toAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      to: newcomer.party,
      asset: ASSETS.dollar,
      amount: NEWCOMER_FUNDS,
      reference: "good luck",
      oneOff: {},
    },
  });
  await stage.send("heidi", order(market, { side: SELL, price: MIDDLE + 100n, size: 500n }));
  await stage.sendBy(newcomer, order(market, { side: BUY, price: MIDDLE + 100n, size: 500n }));
  await stage.pass(2);
  await stage.send("grace", { kind: "orderCancellation", payload: { marketId: market } });
  await stage.send("grace", order(market, { side: BUY, price: MIDDLE - 25_000n, size: 900n }));
  await stage.send("dave", order(market, { side: SELL, price: MIDDLE - 25_000n, size: 50n }));
  // The jump begins an auction, which ends with the trade.
  await stage.pass(5);
  await stage.pass(2);
  await stage.pass(2);
}

/** The oracle ends the second market, and then says its last price. */
export async function settlement(stage: Stage): Promise<void> {
  const data = async (values: Readonly<Record<string, string>>) => {
    const payload = new TextEncoder().encode(JSON.stringify(values));
    await stage.send("judy", { kind: "oracleDataSubmission", payload: { source: 2, payload } });
    await stage.pass(1);
  };
  // Both markets listen to the same data: the first one ends with the second, and another takes its place.
  await data({ "trading.ETH/USD.terminated": "true" });
  await data({ "prices.ETH/USD.value": "295000" });
  await open(stage, "market");
}
