// What the scenarios share: the markets of the reference's section 10, and what is looked at.
import { createMarketRig, type MarketRigOptions, Play, type RigMarket } from "./rig.ts";

export const M2 = { simple: { long: 0, short: 0 } };
export const M3 = { simple: { long: 0.11, short: 0.1 } };
export const M4 = { simple: { long: 0.1, short: 0.1 } };
export const MD = { simple: { long: 0.2, short: 0.1 } };
export const LN = { logNormal: { lambda: 1e-6, tau: 0.1, sigma: 1 } };
export const MILLIONS = 100_000_000n;
export const FILLED = 5;
export const CANCELLED = 3;

export function market(config: Omit<RigMarket, "asset">, options: MarketRigOptions = {}): Play {
  const rig = createMarketRig(options);
  rig.createMarket("M", { asset: "ETH", ...config });
  return new Play(rig, "M");
}

/** A provider that can pay for its bond and for nothing else: its first orders void the provision. */
export const VOID = "lp void(100000000, 0.1, MID-1, MID+1)";
/** Transfer types. */
export const MAKER_PAY = 9;
export const INFRASTRUCTURE_PAY = 11;
export const LIQUIDITY_PAY = 13;
export const LIQUIDITY_DISTRIBUTE = 14;
export const MAKER_RECEIVE = 10;
export const total = (play: Play) => play.rig.accounts().reduce((sum, { balance }) => sum + balance, 0n);
export const socialised = (play: Play) =>
  play.rig.events("lossSocialization").map(({ payload }) => `${payload.partyId} ${payload.amount}`);

export function amounts(play: Play, type: number): bigint[] {
  return play.transfers(type).map(({ amount }) => amount);
}
