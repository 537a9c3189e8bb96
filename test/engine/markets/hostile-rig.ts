// A market without margins, whose parties hold more than any order can ask for.
import { expect } from "bun:test";
import { createMarketRig, type MarketRig, Play } from "./rig.ts";

export const HUGE = 10n ** 70n;
export const FREE = { simple: { long: 0, short: 0 } };

export function opened(config: object = FREE): { rig: MarketRig; play: Play } {
  const rig = createMarketRig({ assets: { ETH: { decimals: 18 } } });
  rig.createMarket("M", { asset: "ETH", positionDecimals: 6, decimals: 0, ...config });
  const play = new Play(rig, "M").deposit(HUGE, "p1", "p2", "lp");
  play.run("p1 B 1@90; p2 S 1@110; p1 B 1@100; p2 S 1@100").open();
  return { rig, play };
}

export const sound = ({ rig }: { rig: MarketRig }) => {
  rig.nextBlock(1, 3);
  expect(rig.faults).toEqual([]);
};
