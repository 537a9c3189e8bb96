// A market: candles, depth, trades, and below them orders, positions, margins, liquidity and terms.
import { useSignal } from "@preact/signals";
import type * as api from "../../client/api.generated.ts";
import type { Auctions } from "../../http/chain-bodies.ts";
import { shellWord } from "../../http/shell-word.ts";
import { Amount, Scaled } from "../components/amount.tsx";
import { triggerWords } from "../components/auction-marks.ts";
import { Candles } from "../components/candles.tsx";
import { Asset, Id, Party } from "../components/id.tsx";
import { Json } from "../components/json.tsx";
import { Ladder } from "../components/ladder.tsx";
import { Badge, Facts, Heading, Panel } from "../components/panel.tsx";
import { CallView, Empty } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { Tabs } from "../components/tabs.tsx";
import { FullTime, Time } from "../components/time.tsx";
import { OrderTable, PositionTable } from "../components/trading.tsx";
import { reverts } from "../data/node.ts";
import { useCall, useList, useRead } from "../data/read.ts";
import { enumWords } from "../format.ts";
import { place, setQuery } from "../shell/router.ts";
import type { ViewProps } from "../view-props.ts";
import { Ticket } from "./market-ticket.tsx";
import { instrumentOf, type Market, type MarketData, MarketState } from "./markets.tsx";

const TRADES = 16;
const INTERVALS = ["1 minute", "5 minutes", "15 minutes", "1 hour", "6 hours", "1 day"] as const;
const SECONDS: Readonly<Record<(typeof INTERVALS)[number], number>> = {
  "1 minute": 60,
  "5 minutes": 300,
  "15 minutes": 900,
  "1 hour": 3_600,
  "6 hours": 21_600,
  "1 day": 86_400,
};
const AUCTIONS_SHOWN = 3;

export default function MarketView({ params }: ViewProps) {
  return (
    <CallView
      name="markets.get"
      query={{ marketId: params.id ?? "" }}
      missing="No market has this identifier"
    >
      {({ market }) => <MarketPage market={market} />}
    </CallView>
  );
}

function MarketPage({ market }: { readonly market: Market }) {
  const { id } = market;
  const instrument = instrumentOf(market);
  const { data: answer } = useCall("markets.getLatestData", { marketId: id });
  const data = answer?.marketData;
  const decimals = Number(market.decimalPlaces);
  const positionDecimals = Number(market.positionDecimalPlaces);
  return (
    <>
      <Heading title={instrument.code || "Market"}>
        <span class="muted">{instrument.name}</span>
        <MarketState market={market} data={data} />
      </Heading>
      <TradingMode data={data} decimals={decimals} positionDecimals={positionDecimals} />
      <Panel title="Prices">
        <div class="figures">
          <Price
            title="Mark price"
            value={data?.markPrice}
            decimals={decimals}
            unit={instrument.future?.quoteName}
          />
          <Price title="Best bid" value={data?.bestBidPrice} decimals={decimals} />
          <Price title="Best offer" value={data?.bestOfferPrice} decimals={decimals} />
          <Price title="Open interest" value={data?.openInterest} decimals={positionDecimals} />
        </div>
      </Panel>
      <div class="market-grid">
        <Panel title="Candles" more={<Intervals />}>
          <MarketCandles market={market} data={data} />
        </Panel>
        <Panel title="Depth">
          <Ladder market={id} decimals={decimals} positionDecimals={positionDecimals} />
        </Panel>
        <Panel title="Trades">
          <Trades market={market} />
        </Panel>
      </div>
      <Ticket market={market} />
      <Tabs
        label="About the market"
        tabs={[
          {
            id: "orders",
            title: "Orders",
            content: () => <OrderTable filter={{ marketIds: [id] }} hidden="market" />,
          },
          {
            id: "positions",
            title: "Positions",
            content: () => <PositionTable filter={{ marketIds: [id] }} hidden="market" />,
          },
          { id: "margins", title: "Margins", content: () => <Margins market={id} /> },
          { id: "liquidity", title: "Liquidity", content: () => <Liquidity market={market} data={data} /> },
          { id: "terms", title: "Terms", content: () => <Terms market={market} /> },
        ]}
      />
    </>
  );
}

interface PriceProps {
  readonly title: string;
  readonly value: string | undefined;
  readonly decimals: number;
  readonly unit?: string | undefined;
}

function Price({ title, value, decimals, unit }: PriceProps) {
  return (
    <div class="figure">
      <span class="figure-title">{title}</span>
      <span class="figure-value">
        {value === undefined || value === "0" || value === "" ? (
          "–"
        ) : (
          <Scaled value={value} decimals={decimals} />
        )}
      </span>
      <span class="muted">{unit}</span>
    </div>
  );
}

interface TradingModeProps {
  readonly data: MarketData | undefined;
  readonly decimals: number;
  readonly positionDecimals: number;
}

/** Takes the same room in every mode: an auction begins and ends while people read what is below. */
function TradingMode({ data, decimals, positionDecimals }: TradingModeProps) {
  const mode = data?.marketTradingMode;
  const words = enumWords(mode, "TRADING_MODE_");
  if (data === undefined || !mode?.includes("AUCTION"))
    return (
      <section key="mode" class="trading-mode" aria-label="Trading mode">
        <span>{words && `Trading mode: ${words}`}</span>
      </section>
    );
  const { trigger, auctionStart, auctionEnd, indicativePrice, indicativeVolume } = data;
  return (
    <section key="auction" class="trading-mode auction" aria-label="Auction">
      <strong>{words}</strong>
      <span>begun by {enumWords(trigger, "AUCTION_TRIGGER_")}</span>
      <span>
        since <Time at={auctionStart} />, until <Time at={auctionEnd} />
      </span>
      <span>
        would trade <Scaled value={indicativeVolume} decimals={positionDecimals} /> at{" "}
        <Scaled value={indicativePrice} decimals={decimals} />
      </span>
    </section>
  );
}

function interval(): (typeof INTERVALS)[number] {
  return INTERVALS.find((each) => each === place.value.query.get("interval")) ?? "1 minute";
}

function Intervals() {
  return (
    <fieldset class="choices">
      <legend class="hidden">Length of a candle</legend>
      {INTERVALS.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === interval()}
          onClick={() => setQuery("interval", each === INTERVALS[0] ? undefined : each)}
        >
          {each.replace(/ (\w).*/, "$1")}
        </button>
      ))}
    </fieldset>
  );
}

interface MarketCandlesProps {
  readonly market: Market;
  readonly data: MarketData | undefined;
}

function MarketCandles({ market, data: marketData }: MarketCandlesProps) {
  const { id, decimalPlaces, positionDecimalPlaces } = market;
  const { data } = useCall("candles.listIntervals", { marketId: id }, { isLive: false });
  const from = useSignal<number | undefined>(undefined);
  const { data: past } = useRead<Auctions>(
    from.value === undefined || marketData === undefined
      ? undefined
      : `/lyra/v1/markets/${id}/auctions?from=${from.value}`,
    // Looked for in thousands of blocks: read again when one begins, is extended or ends.
    { isLive: false, turn: `${marketData?.auctionStart} ${marketData?.auctionEnd} ${reverts.value}` },
  );
  const candleId = data?.intervalToCandleId.find((each) => each.interval === interval())?.candleId;
  if (data === undefined) return <div class="candles" aria-busy="true" />;
  if (candleId === undefined)
    return <Empty title="No candles of this length" command={`lyra devnet market run ${shellWord(id)} 50`} />;
  return (
    <>
      <Candles
        key={candleId}
        candleId={candleId}
        decimals={Number(decimalPlaces)}
        positionDecimals={Number(positionDecimalPlaces)}
        seconds={SECONDS[interval()]}
        auctions={past?.auctions}
        onRead={(first) => {
          from.value = first;
        }}
        label={`Candles of ${instrumentOf(market).code}`}
      />
      <PastAuctions auctions={past?.auctions ?? []} since={past?.since ?? null} />
      <p class="chart-credit muted">
        Chart by{" "}
        <a href="https://www.tradingview.com/" rel="noreferrer">
          TradingView
        </a>
      </p>
    </>
  );
}

/** The marks of the chart in words, in room for as many as are shown. */
function PastAuctions({ auctions, since }: Auctions) {
  const shown = auctions.slice(0, AUCTIONS_SHOWN);
  return (
    <ul class="auctions" aria-label="Auctions">
      {shown.map(({ start, left, end, trigger, extension }, place) => (
        <li key={place}>
          <Badge tone={left === null ? "warn" : "plain"}>{triggerWords(trigger)}</Badge> <Time at={start} />{" "}
          to {left !== null ? <Time at={left} /> : end === null ? "now" : <Time at={end} />}
          {left === null && " at the earliest"}
          {extension !== "AUCTION_TRIGGER_UNSPECIFIED" && `, extended by ${triggerWords(extension)}`}
        </li>
      ))}
      {(auctions.length > shown.length || since !== null) && (
        <li class="muted">
          {auctions.length > shown.length && `and ${auctions.length - shown.length} before`}
          {since !== null && (
            <>
              {" "}
              (looked for since <Time at={since} />)
            </>
          )}
        </li>
      )}
    </ul>
  );
}

function Trades({ market }: { readonly market: Market }) {
  const { data, failure } = useList(
    "trades.list",
    { marketIds: [market.id] },
    {
      rows: TRADES,
    },
  );
  return (
    <Table
      label="trades"
      rows={{ data, failure }}
      expected={TRADES}
      empty={
        <Empty
          title="No trade yet"
          command={`lyra devnet market run ${shellWord(instrumentOf(market).code)} 50`}
        />
      }
      columns={[
        {
          title: "Price",
          isNumber: true,
          cell: ({ price, aggressor }) => (
            <span class={aggressor === "SIDE_BUY" ? "buy" : "sell"}>
              <Scaled value={price} decimals={Number(market.decimalPlaces)} />
            </span>
          ),
        },
        {
          title: "Size",
          isNumber: true,
          cell: ({ size }) => <Scaled value={size} decimals={Number(market.positionDecimalPlaces)} />,
        },
        { title: "Time", isNumber: true, cell: ({ timestamp }) => <Time at={timestamp} /> },
      ]}
    />
  );
}

type MarginLevels = api.MarginLevels;

function Margins({ market }: { readonly market: string }) {
  const pages = useList("positions.listMarginLevels", { marketId: market });
  const level = (member: "maintenanceMargin" | "searchLevel" | "initialMargin" | "collateralReleaseLevel") =>
    ((row: MarginLevels) => <Amount amount={row[member]} asset={row.asset} />) as (
      row: MarginLevels,
    ) => ReturnType<typeof Amount>;
  return (
    <section class="panel">
      <Table
        label="margins"
        rows={pages}
        empty={
          <Empty
            title="Nobody has a margin here"
            command={`lyra devnet market run ${shellWord(market)} 50`}
          />
        }
        columns={[
          { title: "Party", isWide: true, cell: ({ partyId }) => <Party id={partyId} isBare /> },
          { title: "Maintenance", isNumber: true, cell: level("maintenanceMargin") },
          { title: "Search", isNumber: true, isMinor: true, cell: level("searchLevel") },
          { title: "Initial", isNumber: true, isMinor: true, cell: level("initialMargin") },
          { title: "Release", isNumber: true, isMinor: true, cell: level("collateralReleaseLevel") },
        ]}
      />
    </section>
  );
}

function Liquidity({ market, data }: { readonly market: Market; readonly data: MarketData | undefined }) {
  const asset = instrumentOf(market).future?.settlementAsset ?? "";
  const commitment = `{"liquidityProvisionSubmission":{"marketId":${JSON.stringify(market.id)},…}}`;
  const pages = useList("liquidity.listProvisions", { marketId: market.id, live: true });
  return (
    <section class="panel">
      {data !== undefined && (
        <Facts
          rows={[
            ["Target stake", <Amount key="target" amount={data.targetStake} asset={asset} />],
            ["Supplied stake", <Amount key="supplied" amount={data.suppliedStake} asset={asset} />],
          ]}
        />
      )}
      <Table
        label="liquidity provisions"
        rows={pages}
        empty={
          <Empty
            title="Nobody provides liquidity"
            command={`lyra devnet impersonate PARTY ${shellWord(commitment)}`}
          />
        }
        columns={[
          { title: "Party", isWide: true, cell: ({ partyId }) => <Party id={partyId} isBare /> },
          {
            title: "Committed",
            isNumber: true,
            cell: (row) => <Amount amount={row.commitmentAmount} asset={asset} />,
          },
          {
            title: "Fee",
            isNumber: true,
            isMinor: true,
            cell: ({ fee }) => <span class="number">{fee}</span>,
          },
          { title: "Status", cell: ({ status }) => enumWords(status, "STATUS_") },
          { title: "Time", isNumber: true, isMinor: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
      />
    </section>
  );
}

function Terms({ market }: { readonly market: Market }) {
  const { id, decimalPlaces, positionDecimalPlaces, marketTimestamps } = market;
  const { future } = instrumentOf(market);
  return (
    <section class="panel">
      <Facts
        rows={[
          ["Identifier", <Id key="id" id={id} isLong />],
          ["Proposal", <Id key="proposal" id={id} kind="proposal" isBare />],
          ["Settled in", future && <Asset key="asset" id={future.settlementAsset} />],
          ["Decimals of prices", decimalPlaces],
          ["Decimals of sizes", positionDecimalPlaces],
          ["Proposed", <FullTime key="proposed" at={marketTimestamps?.proposed} />],
          ["Opened", <FullTime key="open" at={marketTimestamps?.open} />],
          ["Closed", <FullTime key="close" at={marketTimestamps?.close} />],
        ]}
      />
      <Json title="Terms in full" value={market} />
    </section>
  );
}
