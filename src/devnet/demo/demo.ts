/**
 * A month on a devnet, in seconds: every kind of thing that happens without markets, by real transactions, so that
 * whoever starts has something to look at. Time is frozen between the scenes, so that every run tells the same story.
 */
import { systemTimeNs } from "../clock.ts";
import type { Devnet } from "../devnet.ts";
import * as money from "./money.ts";
import * as politics from "./politics.ts";
import { Stage } from "./stage.ts";
import * as validators from "./validators.ts";

interface Scene {
  readonly day: number;
  readonly title: string;
  play(stage: Stage): Promise<unknown>;
}

const DAYS = 30;
/** A day is an epoch. */
const DAY_SECONDS = 10;
/** Blocks of a day besides those that transactions make: enough for a first history segment in the end. */
const STEPS = 25;
/** The whole month, with what the scenes take of it: how far back a new chain begins. */
export const DEMO_SECONDS = 440;

const SCENES: readonly Scene[] = [
  { day: 1, title: "transfers of every kind", play: money.transfersOfEveryKind },
  { day: 2, title: "stake and delegations", play: validators.stakeAndDelegate },
  { day: 3, title: "a second node is announced", play: validators.announce },
  { day: 4, title: "freeform proposals", play: politics.freeforms },
  { day: 6, title: "deposits", play: money.deposits },
  { day: 7, title: "a network parameter changes", play: politics.parameterChange },
  { day: 9, title: "reward accounts", play: money.rewardAccounts },
  { day: 10, title: "new assets", play: politics.newAssets },
  { day: 12, title: "withdrawals and a claim", play: money.withdrawals },
  { day: 14, title: "mistakes", play: money.mistakes },
  { day: 15, title: "a new Vega key", play: validators.rotateVegaKey },
  { day: 17, title: "limits of an asset change", play: politics.assetLimits },
  { day: 19, title: "a transfer is cancelled", play: money.cancelTransfer },
  { day: 20, title: "delegations are taken back", play: validators.undelegate },
  { day: 22, title: "a new Ethereum key", play: validators.rotateEthereumKey },
  { day: 24, title: "the bridge stops and goes on", play: money.bridgeStopped },
  { day: 26, title: "the bridge's threshold", play: validators.threshold },
  { day: 28, title: "an upgrade is proposed", play: validators.upgrade },
];

/** What differs while the demo plays, and what it is afterwards. */
const PARAMETERS = [
  ["validators.epoch.length", `${DAY_SECONDS}s`, "1m"],
  ["snapshot.interval.length", "100", "1000"],
  ["network.checkpoint.timeElapsedBetweenCheckpoints", "10s", "1m"],
] as const;

export interface DemoResult {
  readonly days: number;
  readonly transactions: number;
  /** Transactions that the chain had to refuse, and did. */
  readonly refusals: number;
}

/**
 * Plays the month. The chain makes blocks on demand meanwhile.
 * @param progress told how far it is, 0 to 1, and what happens
 * @param nowNs the system's time, which the story ends at
 */
export async function playDemo(
  devnet: Devnet,
  progress: (part: number, note: string) => void = () => {},
  nowNs: () => bigint = systemTimeNs,
): Promise<DemoResult> {
  const { chain } = devnet;
  const stage = new Stage(devnet);
  await chain.setBlockMode({ kind: "instant" });
  await chain.freezeClock(true);
  for (const [key, value] of PARAMETERS) await chain.setParameter(key, value);
  let isWelcome = false;
  for (let day = 1; day <= DAYS; day++) {
    for (const { title, play } of SCENES.filter((scene) => scene.day === day)) {
      progress((day - 1) / DAYS, `day ${day}: ${title}`);
      await play(stage);
    }
    progress((day - 0.5) / DAYS, `day ${day}`);
    await money.dailyPayments(stage);
    for (let step = 0; step < STEPS; step++) await stage.pass(DAY_SECONDS / STEPS);
    if (!isWelcome && day > 3) isWelcome = await validators.welcome(stage);
    await chain.endEpoch();
  }
  for (const [key, , value] of PARAMETERS) await chain.setParameter(key, value);
  await chain.freezeClock(false);
  // The story began in the past, to end now.
  const now = nowNs();
  if (now > chain.status.timeNs) await chain.setNextBlockTime(now);
  await chain.mine(1);
  return { days: DAYS, transactions: stage.transactions, refusals: stage.refusals };
}
