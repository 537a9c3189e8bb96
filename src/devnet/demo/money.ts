// Scenes about money: transfers of every kind, deposits, withdrawals and their claims.
import { ZERO_PARTY } from "../../engine/collateral.ts";
import { AccountType } from "../../wire/generated/vega.ts";
import type { CommandInit } from "../../wire/transaction.ts";
import { DEVNET_PARTY_NAMES } from "../keys.ts";
import { ASSETS, type Name, type Stage } from "./stage.ts";

type AccountTypeNumber = (typeof AccountType)[keyof typeof AccountType];

const { ACCOUNT_TYPE_GENERAL: GENERAL, ACCOUNT_TYPE_GLOBAL_REWARD: TREASURY } = AccountType;
const RECEIVER = "0x5E1F5e1F5e1f5E1f5e1f5E1f5E1F5E1F5E1F5E1f";
const TOKEN = 10n ** 18n;

interface TransferWish {
  readonly to: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly toType?: AccountTypeNumber;
  readonly reference?: string;
}

function transfer(
  { to, asset, amount, toType = GENERAL, reference = "" }: TransferWish,
  kind: object,
): CommandInit {
  const accounts = { fromAccountType: GENERAL, to, toAccountType: toType };
  return { kind: "transfer", payload: { ...accounts, asset, amount: amount.toString(), reference, ...kind } };
}

/** Some of the parties pay each other. */
export async function dailyPayments(stage: Stage): Promise<void> {
  const names: readonly Name[] = DEVNET_PARTY_NAMES;
  for (let payment = 0; payment < 3; payment++) {
    const from = names[stage.random(names.length)]!;
    const to = names[stage.random(names.length)]!;
    if (from === to) continue;
    const asset = [ASSETS.dollar, ASSETS.euro, ASSETS.bridged][stage.random(3)]!;
    const amount = BigInt(1_000_000 + stage.random(50_000_000));
    await stage.send(
      from,
      transfer({ to: stage.key(to), asset, amount, reference: "lunch" }, { oneOff: {} }),
    );
  }
}

export async function transfersOfEveryKind(stage: Stage): Promise<void> {
  const { dollar, token } = ASSETS;
  const deliverOn = stage.chain.status.timeNs + 4_000_000_000n;
  const scheduled = { to: stage.key("bob"), asset: dollar, amount: 25_000_000n, reference: "rent" };
  await stage.send("alice", transfer(scheduled, { oneOff: { deliverOn } }));
  await stage.send(
    "bob",
    transfer({ to: ZERO_PARTY, asset: dollar, amount: 5_000_000n, toType: TREASURY }, { oneOff: {} }),
  );
  const epoch = stage.epoch;
  const salary = { to: stage.key("erin"), asset: dollar, amount: 40_000_000n, reference: "salary" };
  await stage.send(
    "dave",
    transfer(salary, { recurring: { startEpoch: epoch, endEpoch: epoch + 12n, factor: "0.9" } }),
  );
  const rewards = {
    to: ZERO_PARTY,
    asset: token,
    amount: 50n * TOKEN,
    toType: TREASURY,
    reference: "rewards",
  };
  await stage.send("frank", transfer(rewards, { recurring: { startEpoch: epoch, factor: "1" } }));
  const allowance = { to: stage.key("judy"), asset: ASSETS.euro, amount: 3_000_000n, reference: "allowance" };
  const id = await stage.send(
    "grace",
    transfer(allowance, { recurring: { startEpoch: epoch, factor: "1.1" } }),
  );
  stage.notes.set("allowance", id);
}

/** The accounts that reward traders are there for once somebody pays into them. */
export async function rewardAccounts(stage: Stage): Promise<void> {
  const startEpoch = stage.epoch;
  const types = [
    AccountType.ACCOUNT_TYPE_REWARD_MAKER_PAID_FEES,
    AccountType.ACCOUNT_TYPE_REWARD_MAKER_RECEIVED_FEES,
    AccountType.ACCOUNT_TYPE_REWARD_LP_RECEIVED_FEES,
    AccountType.ACCOUNT_TYPE_REWARD_MARKET_PROPOSERS,
  ];
  for (const toType of types) {
    const wish = { to: ZERO_PARTY, asset: ASSETS.euro, amount: 10_000_000n, toType, reference: "traders" };
    await stage.send(
      "heidi",
      transfer(wish, { recurring: { startEpoch, endEpoch: startEpoch + 1n, factor: "1" } }),
    );
  }
}

export async function cancelTransfer(stage: Stage): Promise<void> {
  const transferId = stage.notes.get("allowance")!;
  await stage.refused("alice", { kind: "cancelTransfer", payload: { transferId } });
  await stage.send("grace", { kind: "cancelTransfer", payload: { transferId } });
}

/** More than there is, and to nobody in particular. */
export async function mistakes(stage: Stage): Promise<void> {
  const tooMuch = { to: stage.key("alice"), asset: ASSETS.bitcoin, amount: 10n ** 20n };
  await stage.refused("ivan", transfer(tooMuch, { oneOff: {} }));
  const dust = { to: stage.key("alice"), asset: ASSETS.dollar, amount: 1n };
  await stage.refused("ivan", transfer(dust, { oneOff: {} }));
}

export async function deposits(stage: Stage): Promise<void> {
  const { bridge } = stage.chain;
  await bridge.deposit(stage.key("judy"), ASSETS.bridged, 75_000_000n);
  await bridge.deposit(stage.key("ivan"), ASSETS.bitcoin, 200_000_000n);
  await bridge.deposit(ZERO_PARTY, ASSETS.token, 2_000n * TOKEN);
}

function withdraw(asset: string, amount: bigint, isBridged: boolean): CommandInit {
  const ext = isBridged ? { ext: { erc20: { receiverAddress: RECEIVER } } } : {};
  return { kind: "withdrawSubmission", payload: { asset, amount: amount.toString(), ...ext } };
}

export async function withdrawals(stage: Stage): Promise<void> {
  await stage.send("carol", withdraw(ASSETS.dollar, 30_000_000n, false));
  const claimed = await stage.send("carol", withdraw(ASSETS.bridged, 120_000_000n, true));
  // This one is signed, and left unclaimed: its bundle stays to be looked at.
  stage.notes.set("withdrawal", await stage.send("dave", withdraw(ASSETS.bridged, 60_000_000n, true)));
  await stage.refused("dave", withdraw(ASSETS.bridged, 1n, true));
  await stage.settle();
  await stage.chain.bridge.claim(claimed);
}

export async function bridgeStopped(stage: Stage): Promise<void> {
  await stage.chain.bridge.stopBridge();
  await stage.refused("erin", withdraw(ASSETS.bridged, 50_000_000n, true));
  await stage.chain.bridge.resumeBridge();
  await stage.send("erin", withdraw(ASSETS.bridged, 50_000_000n, true));
}
