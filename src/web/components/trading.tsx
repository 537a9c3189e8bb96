// Live orders and positions, of a market or of a party.
import type * as api from "../../client/api.generated.ts";
import type { RequestOf } from "../data/calls.ts";
import { marketOf } from "../data/names.ts";
import { useList } from "../data/read.ts";
import { type Signer, signerFor, signers } from "../data/signing.ts";
import { enumWords } from "../format.ts";
import { link } from "../shell/router.ts";
import { Amount, Scaled } from "./amount.tsx";
import { Id, Market, Party } from "./id.tsx";
import { Progress, useSending } from "./signed-form.tsx";
import { Empty } from "./states.tsx";
import { type Column, Table } from "./table.tsx";
import { Time } from "./time.tsx";

interface TradingProps {
  readonly filter: RequestOf<"positions.listAll">["filter"];
  /** The same in every row. */
  readonly hidden: "market" | "party";
}

interface OfMarket {
  readonly marketId: string;
  readonly partyId: string;
}

type Order = api.Order;

/** A price or a size in the decimals of its market. */
function InMarket({ value, market, isSize = false }: { value: string; market: string; isSize?: boolean }) {
  const facts = marketOf(market);
  return <Scaled value={value} decimals={(isSize ? facts?.positionDecimals : facts?.decimals) ?? 0} />;
}

const ownerOf = <Row extends OfMarket>(hidden: TradingProps["hidden"]): Column<Row> =>
  hidden === "market"
    ? { title: "Party", isWide: true, cell: ({ partyId }) => <Party id={partyId} isBare /> }
    : { title: "Market", isWide: true, cell: ({ marketId }) => <Market id={marketId} /> };

export type Expiry = `TIME_IN_FORCE_${"GTC" | "GTT" | "IOC" | "FOK" | "GFN" | "GFA"}`;

export const ORDER_EXPIRIES: Readonly<Record<Expiry, string>> = {
  TIME_IN_FORCE_GTC: "until cancelled",
  TIME_IN_FORCE_GTT: "until a time",
  TIME_IN_FORCE_IOC: "at once, in part or whole",
  TIME_IN_FORCE_FOK: "at once, as a whole",
  TIME_IN_FORCE_GFN: "outside of auctions only",
  TIME_IN_FORCE_GFA: "in auctions only",
};
function kindOf({ peggedOrder, liquidityProvisionId, timeInForce }: Order): string {
  if (liquidityProvisionId !== "") return "liquidity";
  if (peggedOrder !== null) return `pegged to ${enumWords(peggedOrder.reference, "PEGGED_REFERENCE_")}`;
  return ORDER_EXPIRIES[timeInForce as Expiry] ?? enumWords(timeInForce, "TIME_IN_FORCE_");
}

/** In the query of a market's address: the order that its ticket amends. */
export const AMENDED = "amend";

interface OrderActionsProps {
  readonly order: Order;
  readonly isWaiting: boolean;
  readonly sendBy: (by: Signer, command: object) => Promise<void>;
}

/** Of orders whose party can sign here. */
function OrderActions({ order, isWaiting, sendBy }: OrderActionsProps) {
  const { id, marketId, partyId, liquidityProvisionId } = order;
  const by = signerFor(partyId);
  if (by === undefined || liquidityProvisionId !== "") return null;
  const orderCancellation = { orderId: id, marketId };
  return (
    <span class="actions">
      <a href={`${link("market", marketId)}?${AMENDED}=${encodeURIComponent(id)}`}>Amend</a>
      <button
        type="button"
        class="small"
        disabled={isWaiting}
        onClick={() => sendBy(by, { orderCancellation })}
      >
        Cancel
      </button>
    </span>
  );
}

export function OrderTable({ filter, hidden }: TradingProps) {
  const pages = useList("orders.list", { filter: { ...filter, liveOnly: true } });
  const { sending, sendBy } = useSending();
  const isWaiting = sending.value?.stage === "waiting";
  return (
    <section class="panel trading">
      {sending.value !== undefined && <Progress sending={sending} />}
      <Table
        label="orders"
        rows={pages}
        empty={<Empty title="No order is in the book" command="lyra devnet market run MARKET 50" />}
        columns={[
          {
            title: "Side",
            cell: ({ side }) => (
              <span class={side === "SIDE_BUY" ? "buy" : "sell"}>{side === "SIDE_BUY" ? "buy" : "sell"}</span>
            ),
          },
          {
            title: "Price",
            isNumber: true,
            cell: ({ price, marketId }) => <InMarket value={price} market={marketId} />,
          },
          {
            title: "Remaining",
            isNumber: true,
            cell: ({ remaining, marketId }) => <InMarket value={remaining} market={marketId} isSize />,
          },
          ownerOf(hidden),
          { title: "Kind", isMinor: true, cell: kindOf },
          { title: "Order", isMinor: true, cell: ({ id }) => <Id id={id} kind="order" isBare /> },
          { title: "Time", isNumber: true, isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
          ...(signers().length === 0
            ? []
            : [
                {
                  title: "Change",
                  cell: (order: Order) => <OrderActions {...{ order, isWaiting, sendBy }} />,
                },
              ]),
        ]}
      />
    </section>
  );
}

export function PositionTable({ filter, hidden }: TradingProps) {
  const pages = useList("positions.listAll", { filter });
  const money = (amount: string, market: string) => (
    <Amount amount={amount} asset={marketOf(market)?.asset ?? ""} />
  );
  return (
    <section class="panel trading positions">
      <Table
        label="positions"
        rows={pages}
        empty={<Empty title="No position is open" command="lyra devnet market run MARKET 50" />}
        columns={[
          ownerOf(hidden),
          {
            title: "Open",
            isNumber: true,
            cell: ({ openVolume, marketId }) => <InMarket value={openVolume} market={marketId} isSize />,
          },
          {
            title: "Entry price",
            isNumber: true,
            isMinor: true,
            cell: ({ averageEntryPrice, marketId }) => (
              <InMarket value={averageEntryPrice} market={marketId} />
            ),
          },
          {
            title: "Unrealised",
            isNumber: true,
            cell: ({ unrealisedPnl, marketId }) => money(unrealisedPnl, marketId),
          },
          {
            title: "Realised",
            isNumber: true,
            isMinor: true,
            cell: ({ realisedPnl, marketId }) => money(realisedPnl, marketId),
          },
        ]}
      />
    </section>
  );
}
