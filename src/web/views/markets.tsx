import type * as api from "../../client/api.generated.ts";
import { Scaled } from "../components/amount.tsx";
import { Asset, Id } from "../components/id.tsx";
import { Badge, Heading } from "../components/panel.tsx";
import { commandText, Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { useCall, useList } from "../data/read.ts";
import { enumWords } from "../format.ts";

export type Market = api.Market;

const NO_INSTRUMENT = { code: "", name: "", future: undefined } as const;
export const instrumentOf = ({ tradableInstrument }: Market) =>
  tradableInstrument?.instrument ?? NO_INSTRUMENT;

/** Prices are in the market's decimals. */
export type MarketData = api.MarketData;

export function MarketState({
  market,
  data,
}: {
  readonly market: Market;
  readonly data: MarketData | undefined;
}) {
  const state = data?.marketState ?? market.state;
  const mode = data?.marketTradingMode ?? market.tradingMode;
  if (state !== "STATE_ACTIVE" && state !== "STATE_SUSPENDED" && state !== "STATE_PENDING")
    return <Badge tone="plain">{enumWords(state, "STATE_")}</Badge>;
  const isTrading = mode === "TRADING_MODE_CONTINUOUS";
  return (
    <Badge tone={isTrading ? "good" : "warn"}>
      {isTrading ? "trading" : enumWords(mode, "TRADING_MODE_")}
    </Badge>
  );
}

const ENDED = /SETTLED|CLOSED|CANCELLED|REJECTED/;

export default function MarketList() {
  const pages = useList("markets.list", {});
  const { data } = useCall("markets.listLatestData", {});
  const dataOf = ({ id }: Market) => data?.marketsData.find(({ market }) => market === id);
  const price = (market: Market, member: "markPrice" | "bestBidPrice" | "bestOfferPrice") => {
    const value = dataOf(market)?.[member] ?? "0";
    return value === "0" ? (
      <span class="muted">–</span>
    ) : (
      <Scaled value={value} decimals={Number(market.decimalPlaces)} />
    );
  };
  return (
    <>
      <Heading title="Markets" />
      <section class="panel">
        <Table
          label="markets"
          rows={pages}
          empty={
            <Empty title="No market yet" command="lyra devnet market create btc">
              The tool proposes a market, votes, provides liquidity and opens it;{" "}
              <code>{commandText("lyra devnet market run BTC/USD 200")}</code> lets a crowd trade.
            </Empty>
          }
          columns={[
            {
              title: "Market",
              cell: (market) => (
                <Id id={market.id} kind="market" name={instrumentOf(market).code || undefined} isBare />
              ),
            },
            {
              title: "Name",
              isWide: true,
              isMinor: true,
              cell: (market) => instrumentOf(market).name,
            },
            { title: "State", cell: (market) => <MarketState market={market} data={dataOf(market)} /> },
            { title: "Mark price", isNumber: true, cell: (market) => price(market, "markPrice") },
            { title: "Bid", isNumber: true, isMinor: true, cell: (market) => price(market, "bestBidPrice") },
            {
              title: "Offer",
              isNumber: true,
              isMinor: true,
              cell: (market) => price(market, "bestOfferPrice"),
            },
            {
              title: "Open interest",
              isNumber: true,
              isMinor: true,
              cell: (market) =>
                ENDED.test(market.state) ? (
                  <span class="muted">–</span>
                ) : (
                  <Scaled
                    value={dataOf(market)?.openInterest ?? "0"}
                    decimals={Number(market.positionDecimalPlaces)}
                  />
                ),
            },
            {
              title: "Settled in",
              isMinor: true,
              cell: (market) => <Asset id={instrumentOf(market).future?.settlementAsset ?? ""} />,
            },
          ]}
        />
      </section>
    </>
  );
}
