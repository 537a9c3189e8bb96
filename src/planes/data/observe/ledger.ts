// The stream of ledger movements (docs/protocol/10-data-api-streams.md#62-streams). Rows of the store have their
// entries one by one, without the balances after a movement, so they are read from the events of a block.
import { BusEventType } from "../../../wire/generated/events.ts";
import type { EventTopic } from "./event-fan-out.ts";
import type { Description } from "./kind.ts";
import { Element, FramedMessage } from "./message.ts";

const MOVEMENT_BYTES = 1_000;

export const ledgerMovements: Description = {
  path: "ledger/movements",
  method: "ObserveLedgerMovements",
  request: "datanode.api.v2.ObserveLedgerMovementsRequest",
  response: "datanode.api.v2.ObserveLedgerMovementsResponse",
  summary: "Follow ledger movements",
  description: "Each movement with its entries and the balances after it, one a message.",
};

const FRAME = { element: "vega.LedgerMovement", member: "ledgerMovement", isList: false } as const;

export const ledgerTopic: EventTopic = {
  key: "ledger",
  messagesOf: (height, place, events) =>
    events
      .filter(({ type }) => type === BusEventType.BUS_EVENT_TYPE_LEDGER_MOVEMENTS)
      .flatMap(({ message }) => message.ledgerMovements?.ledgerMovements ?? [])
      .map((movement) => new FramedMessage(height, place, FRAME, [new Element(0, movement, MOVEMENT_BYTES)])),
};
