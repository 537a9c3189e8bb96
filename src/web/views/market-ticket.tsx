// The order ticket of a market: a new order, or an amendment of the one that the address names.
import { useSignal } from "@preact/signals";
import type * as api from "../../client/api.generated.ts";
import { withDecimals } from "../../wire/amount-text.ts";
import { Flag, SelectField, TextField, TimeField } from "../components/fields.tsx";
import { Id } from "../components/id.tsx";
import { SignedForm } from "../components/signed-form.tsx";
import { AMENDED, type Expiry, ORDER_EXPIRIES } from "../components/trading.tsx";
import { useCall, useOfThisChain } from "../data/read.ts";
import { enumWords, numberProblem, timeMs, toWhole } from "../format.ts";
import { place, setQuery } from "../shell/router.ts";
import type { Market } from "./markets.tsx";

const REFERENCE_BYTES_MAX = 100;

type Side = "SIDE_BUY" | "SIDE_SELL";
type Type = "TYPE_LIMIT" | "TYPE_MARKET";
type Peg = "" | `PEGGED_REFERENCE_${"MID" | "BEST_BID" | "BEST_ASK"}`;

const AT_ONCE: readonly Expiry[] = ["TIME_IN_FORCE_IOC", "TIME_IN_FORCE_FOK"];
const OF_PEGGED: readonly Expiry[] = ["TIME_IN_FORCE_GTC", "TIME_IN_FORCE_GTT", "TIME_IN_FORCE_GFN"];
const OF_AMENDED: readonly Expiry[] = ["TIME_IN_FORCE_GTC", "TIME_IN_FORCE_GTT"];

const PEGS: Readonly<Record<Exclude<Peg, "">, string>> = {
  PEGGED_REFERENCE_BEST_BID: "the best bid",
  PEGGED_REFERENCE_BEST_ASK: "the best offer",
  PEGGED_REFERENCE_MID: "the middle",
};

const expiryOptions = (list: readonly Expiry[]) => list.map((each) => [each, ORDER_EXPIRIES[each]] as const);
const pegOptions = (side: Side) =>
  (Object.entries(PEGS) as [Exclude<Peg, "">, string][]).filter(
    ([peg]) => peg !== (side === "SIDE_BUY" ? "PEGGED_REFERENCE_BEST_ASK" : "PEGGED_REFERENCE_BEST_BID"),
  );

/** A local time as Unix nanoseconds; undefined where it is not a time. */
function nanoseconds(local: string): string | undefined {
  const ms = Date.parse(local);
  return Number.isFinite(ms) && ms > 0 ? `${ms}000000` : undefined;
}

export function Ticket({ market }: { readonly market: Market }) {
  const amended = place.value.query.get(AMENDED);
  return amended === null ? (
    <NewOrder market={market} />
  ) : (
    <Amendment key={amended} market={market} id={amended} />
  );
}

function NewOrder({ market }: { readonly market: Market }) {
  const side = useSignal<Side>("SIDE_BUY");
  const type = useSignal<Type>("TYPE_LIMIT");
  const chosenExpiry = useSignal<Expiry>("TIME_IN_FORCE_GTC");
  const chosenPeg = useSignal<Peg>("");
  const size = useSignal("");
  const price = useSignal("");
  const offset = useSignal("");
  const until = useSignal("");
  const reference = useSignal("");
  const isPostOnly = useSignal(false);
  const isReduceOnly = useSignal(false);

  const isLimit = type.value === "TYPE_LIMIT";
  const pegs = pegOptions(side.value);
  const peg = isLimit ? (pegs.find(([each]) => each === chosenPeg.value)?.[0] ?? "") : "";
  const expiries = !isLimit ? AT_ONCE : peg !== "" ? OF_PEGGED : (Object.keys(ORDER_EXPIRIES) as Expiry[]);
  const expiry = expiries.includes(chosenExpiry.value) ? chosenExpiry.value : expiries[0]!;
  const isAtOnce = AT_ONCE.includes(expiry);
  const hasPrice = isLimit && peg === "";
  const hasTime = expiry === "TIME_IN_FORCE_GTT";

  const decimals = Number(market.decimalPlaces);
  const sizeDecimals = Number(market.positionDecimalPlaces);
  const wholeSize = toWhole(size.value, sizeDecimals);
  const wholePrice = hasPrice ? toWhole(price.value, decimals) : "";
  const wholeOffset = peg === "" ? "" : toWhole(offset.value, decimals);
  const expiresAt = hasTime ? nanoseconds(until.value) : "";
  const isWhole =
    ![wholeSize, wholePrice, wholeOffset, expiresAt].includes(undefined) &&
    ![wholeSize, wholePrice].includes("0") &&
    new TextEncoder().encode(reference.value).length <= REFERENCE_BYTES_MAX;
  const orderSubmission = {
    marketId: market.id,
    side: side.value,
    type: type.value,
    timeInForce: expiry,
    size: wholeSize,
    ...(hasPrice && { price: wholePrice }),
    ...(peg !== "" && { peggedOrder: { reference: peg, offset: wholeOffset } }),
    ...(hasTime && { expiresAt }),
    ...(isPostOnly.value && isLimit && !isAtOnce && { postOnly: true }),
    ...(isReduceOnly.value && isAtOnce && { reduceOnly: true }),
    ...(reference.value !== "" && { reference: reference.value }),
  };
  return (
    <SignedForm title="Send an order" command={isWhole ? { orderSubmission } : undefined}>
      <SelectField
        label="Side"
        value={side.value}
        onChange={(next) => (side.value = next)}
        options={[
          ["SIDE_BUY", "buy"],
          ["SIDE_SELL", "sell"],
        ]}
      />
      <SelectField
        label="Type"
        value={type.value}
        onChange={(next) => (type.value = next)}
        options={[
          ["TYPE_LIMIT", "limit"],
          ["TYPE_MARKET", "market"],
        ]}
      />
      <TextField label="Size" value={size} isNumber problem={numberProblem(size.value, sizeDecimals)} />
      <TextField
        label="Price"
        value={price}
        isNumber
        isDisabled={!hasPrice}
        problem={hasPrice ? numberProblem(price.value, decimals) : undefined}
      />
      <SelectField
        label="Good"
        value={expiry}
        onChange={(next) => (chosenExpiry.value = next)}
        options={expiryOptions(expiries)}
      />
      {hasTime && <TimeField label="Until" value={until} />}
      {isLimit && (
        <SelectField
          label="Pegged to"
          value={peg}
          onChange={(next) => (chosenPeg.value = next)}
          options={[["", "nothing"], ...pegs]}
        />
      )}
      {peg !== "" && (
        <TextField
          label="Offset"
          value={offset}
          isNumber
          problem={numberProblem(offset.value, decimals, true)}
        />
      )}
      <TextField label="Reference" value={reference} isOptional maxLength={REFERENCE_BYTES_MAX} />
      <Flag label="Post only" value={isPostOnly} isDisabled={!isLimit || isAtOnce} />
      <Flag label="Reduce only" value={isReduceOnly} isDisabled={!isAtOnce} />
    </SignedForm>
  );
}

interface AmendmentProps {
  readonly market: Market;
  readonly id: string;
}

function Amendment({ market, id }: AmendmentProps) {
  const { data, failure } = useCall("orders.get", { orderId: id });
  const order = data?.order;
  if (failure !== undefined || (order !== undefined && order.marketId !== market.id))
    return <NewOrder market={market} />;
  if (order === undefined) return <section class="panel ticket" aria-busy="true" />;
  return <AmendmentForm market={market} order={order} />;
}

/** As the field of a local time takes it. */
function localField(ns: string): string {
  const ms = timeMs(ns);
  if (ms === undefined) return "";
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function AmendmentForm({ market, order }: { readonly market: Market; readonly order: api.Order }) {
  const decimals = Number(market.decimalPlaces);
  const sizeDecimals = Number(market.positionDecimalPlaces);
  const plain = (whole: string, places: number) => withDecimals(whole, places).replaceAll(",", "");
  const size = useSignal(plain(order.size, sizeDecimals));
  const price = useSignal(plain(order.price, decimals));
  const offset = useSignal(plain(order.peggedOrder?.offset ?? "", decimals));
  const until = useSignal(localField(order.expiresAt));
  const expiry = useSignal<Expiry>(order.timeInForce as Expiry);
  const peg = useSignal<Peg>((order.peggedOrder?.reference ?? "") as Peg);
  /** Version of the order when an amendment was sent: changes of its size add to each other. */
  const sentVersion = useOfThisChain<string | undefined>(undefined);
  const isPegged = order.peggedOrder !== null;
  const hasTime = expiry.value === "TIME_IN_FORCE_GTT";

  const wholeSize = toWhole(size.value, sizeDecimals);
  const wholePrice = isPegged ? "" : toWhole(price.value, decimals);
  const wholeOffset = isPegged ? toWhole(offset.value, decimals) : "";
  const expiresAt = hasTime ? nanoseconds(until.value) : "";
  const isWhole =
    ![wholeSize, wholePrice, wholeOffset, expiresAt].includes(undefined) &&
    ![wholeSize, wholePrice].includes("0");
  const changes = !isWhole
    ? {}
    : {
        ...(wholeSize !== order.size && { sizeDelta: (BigInt(wholeSize!) - BigInt(order.size)).toString() }),
        ...(!isPegged && wholePrice !== order.price && { price: wholePrice }),
        ...(isPegged && wholeOffset !== order.peggedOrder!.offset && { peggedOffset: wholeOffset }),
        ...(isPegged && peg.value !== order.peggedOrder!.reference && { peggedReference: peg.value }),
        ...(expiry.value !== order.timeInForce && { timeInForce: expiry.value }),
        ...(hasTime &&
          until.value !== localField(order.expiresAt) && { timeInForce: expiry.value, expiresAt }),
      };
  const isChanged = Object.keys(changes).length > 0;
  const orderAmendment = { orderId: order.id, marketId: market.id, ...changes };
  const current = order.timeInForce as Expiry;
  return (
    <SignedForm
      title="Amend an order"
      command={isChanged ? { orderAmendment } : undefined}
      hold={{
        isHeld: sentVersion.value === order.version,
        onSent: () => (sentVersion.value = order.version),
        onRefused: () => (sentVersion.value = undefined),
      }}
      more={
        <button type="button" onClick={() => setQuery(AMENDED, undefined)}>
          Back to a new order
        </button>
      }
    >
      <p class="wallet-line">
        <Id id={order.id} kind="order" isBare /> {enumWords(order.side, "SIDE_")}
      </p>
      <TextField label="Size" value={size} isNumber problem={numberProblem(size.value, sizeDecimals)} />
      {isPegged ? (
        <>
          <SelectField
            label="Pegged to"
            value={peg.value}
            onChange={(next) => (peg.value = next)}
            options={pegOptions(order.side as Side)}
          />
          <TextField
            label="Offset"
            value={offset}
            isNumber
            problem={numberProblem(offset.value, decimals, true)}
          />
        </>
      ) : (
        <TextField label="Price" value={price} isNumber problem={numberProblem(price.value, decimals)} />
      )}
      <SelectField
        label="Good"
        value={expiry.value}
        onChange={(next) => (expiry.value = next)}
        options={expiryOptions([...new Set([current, ...OF_AMENDED])])}
      />
      {hasTime && <TimeField label="Until" value={until} />}
    </SignedForm>
  );
}
