// An order ticket of a devnet: it sends as one of the devnet's parties, by the tool that executes unsigned commands.
import { useSignal } from "@preact/signals";
import { Command } from "../components/states.tsx";
import { parties } from "../data/names.ts";
import { nodeOrigin, postToNode, RequestFailure } from "../data/node.ts";
import { toWhole } from "../format.ts";
import type { Market } from "./markets.tsx";

const EXPIRIES = { TYPE_LIMIT: "TIME_IN_FORCE_GTC", TYPE_MARKET: "TIME_IN_FORCE_IOC" } as const;

export function Ticket({ market }: { readonly market: Market }) {
  const party = useSignal("");
  const side = useSignal<"SIDE_BUY" | "SIDE_SELL">("SIDE_BUY");
  const type = useSignal<keyof typeof EXPIRIES>("TYPE_LIMIT");
  const price = useSignal("");
  const size = useSignal("");
  const message = useSignal<{ readonly text: string; readonly isBad: boolean } | undefined>(undefined);
  const isSending = useSignal(false);
  const names = parties();
  // The tools answer the page of the node's own port.
  if (nodeOrigin() !== location.origin || names.length === 0) return null;
  const sender = party.value || names[0]!.title;
  const isLimit = type.value === "TYPE_LIMIT";
  const wholePrice = isLimit ? toWhole(price.value, Number(market.decimalPlaces)) : "";
  const wholeSize = toWhole(size.value, Number(market.positionDecimalPlaces));
  const orderSubmission = {
    marketId: market.id,
    side: side.value,
    type: type.value,
    timeInForce: EXPIRIES[type.value],
    size: wholeSize ?? "0",
    ...(isLimit && { price: wholePrice ?? "0" }),
  };
  const isWhole = wholePrice !== undefined && wholeSize !== undefined && wholeSize !== "0";
  const send = async (event: Event) => {
    event.preventDefault();
    if (!isWhole) return;
    isSending.value = true;
    try {
      const { height } = await postToNode<{ height: string }>("/devnet/impersonate", {
        party: sender,
        command: { orderSubmission },
      });
      message.value = { text: `in block ${height}`, isBad: false };
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      message.value = { text: error.message, isBad: true };
    } finally {
      isSending.value = false;
    }
  };
  return (
    <form class="panel ticket" aria-label="Send an order" onSubmit={send}>
      <h2>Send an order</h2>
      <label>
        Party
        <select value={sender} onChange={({ currentTarget }) => (party.value = currentTarget.value)}>
          {names.map(({ title }) => (
            <option key={title}>{title}</option>
          ))}
        </select>
      </label>
      <label>
        Side
        <select
          value={side.value}
          onChange={({ currentTarget }) => (side.value = currentTarget.value as typeof side.value)}
        >
          <option value="SIDE_BUY">buy</option>
          <option value="SIDE_SELL">sell</option>
        </select>
      </label>
      <label>
        Type
        <select
          value={type.value}
          onChange={({ currentTarget }) => (type.value = currentTarget.value as typeof type.value)}
        >
          <option value="TYPE_LIMIT">limit</option>
          <option value="TYPE_MARKET">market</option>
        </select>
      </label>
      <label>
        Size
        <input
          type="text"
          inputMode="decimal"
          required
          value={size.value}
          onInput={({ currentTarget }) => (size.value = currentTarget.value)}
        />
      </label>
      <label>
        Price
        <input
          type="text"
          inputMode="decimal"
          required={isLimit}
          disabled={!isLimit}
          value={price.value}
          onInput={({ currentTarget }) => (price.value = currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={!isWhole || isSending.value}>
        Send
      </button>
      <p class={message.value?.isBad ? "ticket-message bad" : "ticket-message"} role="status">
        {message.value?.text}
      </p>
      {isWhole && (
        <Command text={`lyra devnet impersonate ${sender} '${JSON.stringify({ orderSubmission })}'`} />
      )}
    </form>
  );
}
