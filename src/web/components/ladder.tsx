// Depth of a market: the price levels nearest to each other, offers above bids.
import type * as api from "../../client/api.generated.ts";
import { shellWord } from "../../http/shell-word.ts";
import { useCall } from "../data/read.ts";
import { Scaled } from "./amount.tsx";
import { Empty, Failure } from "./states.tsx";

type Level = api.PriceLevel;

const LEVELS = 8;

interface LadderProps {
  readonly market: string;
  readonly decimals: number;
  readonly positionDecimals: number;
}

export function Ladder({ market, decimals, positionDecimals }: LadderProps) {
  const { data, failure } = useCall("markets.getLatestDepth", { marketId: market, maxDepth: LEVELS });
  if (failure !== undefined) return <Failure text={failure.message} />;
  if (data === undefined) return <div class="ladder" aria-busy="true" />;
  const { buy, sell } = data;
  if (buy.length + sell.length === 0)
    return <Empty title="The book is empty" command={`lyra devnet market run ${shellWord(market)} 50`} />;
  const most = Math.max(...[...buy, ...sell].map(({ volume }) => Number(volume)));
  // Levels keep their places, so that new ones move nothing.
  const row = (kind: "buy" | "sell") => (level: Level, place: number) => (
    <tr key={place} class={kind} style={{ "--part": `${(100 * Number(level.volume)) / most}%` }}>
      <td class="right">
        <span class={kind}>
          <Scaled value={level.price} decimals={decimals} />
        </span>
      </td>
      <td class="right">
        <Scaled value={level.volume} decimals={positionDecimals} />
      </td>
      <td class="right number muted">{level.numberOfOrders}</td>
    </tr>
  );
  return (
    <table class="ladder">
      <thead>
        <tr>
          <th scope="col" class="right">
            Price
          </th>
          <th scope="col" class="right">
            Size
          </th>
          <th scope="col" class="right">
            Orders
          </th>
        </tr>
      </thead>
      <tbody>{sell.slice(0, LEVELS).toReversed().map(row("sell"))}</tbody>
      <tbody>{buy.slice(0, LEVELS).map(row("buy"))}</tbody>
    </table>
  );
}
