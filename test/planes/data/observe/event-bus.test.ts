// The event bus and ledger movements (docs/protocol/30-node-api-events.md#11-observeeventbus): filters, batches,
// deadlines; nothing of a block is missing.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "bun:test";
import { BusMessage, EventBusObservation } from "../../../../src/planes/data/observe/event-bus.ts";
import type { StreamMessage } from "../../../../src/planes/data/observe/message.ts";
import type { Observation } from "../../../../src/planes/data/observe/observation.ts";
import type { Block } from "../../../../src/wire/block.ts";
import { type BusEvent, decodeBusEvent } from "../../../../src/wire/generated/events.ts";
import { renderJson } from "../../../../src/wire/json.ts";
import { wholeEvent } from "../../../../src/wire/whole-event.ts";
import { StreamedChain, sampleBlocks } from "../../../support/streamed-chain.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

let blocks: Block[];
let chain: StreamedChain;
beforeAll(async () => {
  blocks = await sampleBlocks();
});
beforeEach(() => {
  chain = new StreamedChain(blocks);
});
afterEach(() => chain.close());

const TYPE = "BUS_EVENT_TYPE_";
const [ALL, ORDER, ACCOUNT, TRADE, MARKET] = [1, 5, 6, 8, 101];

/** All that waits. */
function taken(observation: Observation): StreamMessage[] {
  const messages: StreamMessage[] = [];
  for (let one = observation.poll(); one !== undefined; one = observation.poll()) messages.push(one);
  return messages;
}

function eventsOf(messages: readonly StreamMessage[]): Json[] {
  return messages.flatMap((message) => JSON.parse(message.textIn("stream")).events);
}

/** The events of blocks, from the recording itself. */
function recorded(from: readonly Block[], isWanted: (event: BusEvent) => boolean = () => true): Json[] {
  const events = from.flatMap((block) =>
    block.whole!.map((event) => decodeBusEvent(wholeEvent(block, event))),
  );
  return events
    .filter(isWanted)
    .map((event) => JSON.parse(renderJson("vega.events.v1.BusEvent", event, "stream")));
}

describe("the bus", () => {
  test("tells every event of the blocks after the one that it begins at, whatever kind it is", async () => {
    chain.commit(700);
    const observation = await chain.plane.streams.observeEventBus({ type: [ALL] });
    expect(observation.height).toBe(chain.height);
    const rest = chain.left;
    const messages: StreamMessage[] = [];
    while (!chain.isDone) {
      chain.commit(100);
      messages.push(...taken(observation));
    }
    const events = eventsOf(messages);
    expect(events).toEqual(recorded(rest));
    expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(20);
    for (const message of messages) expect((message as BusMessage).events.length).toBeLessThanOrEqual(500);
    expect(messages.map(({ message }) => (message as { events: unknown[] }).events.length)).toEqual(
      messages.map((message) => JSON.parse(message.textIn("stream")).events.length),
    );
  });

  test("keeps events of the types asked for; a market's are five", async () => {
    chain.commit(300);
    const rest = chain.left;
    const some = await chain.plane.streams.observeEventBus({ type: [ORDER, TRADE] });
    const ofMarkets = await chain.plane.streams.observeEventBus({ type: [MARKET] });
    while (!chain.isDone) chain.commit(100);
    expect(eventsOf(taken(some))).toEqual(recorded(rest, ({ type }) => type === ORDER || type === TRADE));
    const events = eventsOf(taken(ofMarkets));
    expect(events).toEqual(recorded(rest, ({ type }) => [4, 17, 19, 22, 26].includes(type)));
    expect(events.length).toBeGreaterThan(2);
  });

  test("keeps events that carry a party or a market, and both where both are asked for", async () => {
    chain.commit(300);
    const rest = chain.left;
    const trades = recorded(rest, ({ type }) => type === TRADE);
    const { buyer: partyId, marketId } = trades[0]!.trade;
    const byParty = await chain.plane.streams.observeEventBus({ partyId: partyId.toUpperCase() });
    const byMarket = await chain.plane.streams.observeEventBus({ marketId });
    const both = await chain.plane.streams.observeEventBus({ partyId, marketId, type: [TRADE] });
    while (!chain.isDone) chain.commit(100);
    const ofParty = eventsOf(taken(byParty));
    const has = (event: Json, text: string) => JSON.stringify(event).includes(text);
    for (const event of ofParty) expect(has(event, partyId)).toBe(true);
    const accounts = recorded(rest, ({ type, account }) => type === ACCOUNT && account?.owner === partyId);
    expect(ofParty.filter(({ type }) => type === ACCOUNT)).toEqual(accounts);
    expect(ofParty.filter(({ type }) => type === TRADE)).toEqual(
      trades.filter(({ trade }) => trade.buyer === partyId || trade.seller === partyId),
    );
    for (const event of eventsOf(taken(byMarket))) expect(has(event, marketId)).toBe(true);
    expect(eventsOf(taken(both))).toEqual(
      trades.filter(
        ({ trade }) => trade.marketId === marketId && (trade.buyer === partyId || trade.seller === partyId),
      ),
    );
  });

  test.each([[[0]], [[36]], [[999]], [[5, 0]]])("refuses types that are never sent: %j", async (type) => {
    const refused = chain.plane.streams.observeEventBus({ type });
    await expect(refused).rejects.toMatchObject({
      grpc: 3,
      details: [{ code: 10015, message: "malformed request", inner: "invalid proto event type" }],
    });
    expect(chain.plane.streams.count).toBe(0);
  });

  test("a subscriber that joins later begins behind what was told", async () => {
    chain.commit(100);
    const first = await chain.plane.streams.observeEventBus({});
    chain.commit(50);
    const second = await chain.plane.streams.observeEventBus({});
    expect(second.height).toBe(chain.height);
    const rest = chain.left.slice(0, 30);
    chain.commit(30);
    expect(eventsOf(taken(second))).toEqual(recorded(rest));
    expect(eventsOf(taken(first)).slice(-1)).toEqual(recorded(rest).slice(-1));
    first.close();
    second.close();
    expect(chain.tap.isOpen).toBe(false);
  });
});

describe("ledger movements", () => {
  test("each is a message, with entries and balances", async () => {
    chain.commit(100);
    const observation = await chain.plane.streams.observe("ObserveLedgerMovements", {});
    const rest = chain.left;
    while (!chain.isDone) chain.commit(100);
    const movements = taken(observation).map(
      (message) => JSON.parse(message.textIn("stream")).ledgerMovement,
    );
    const expected = recorded(rest, ({ ledgerMovements }) => ledgerMovements !== undefined);
    expect(movements).toEqual(expected.flatMap(({ ledgerMovements }) => ledgerMovements.ledgerMovements));
    expect(movements.length).toBeGreaterThan(100);
    expect(movements[0]).toMatchObject({ entries: [expect.anything()], balances: expect.anything() });
  });
});

describe("batches", () => {
  const open = (batchSize: bigint) => chain.plane.streams.observeEventBus({ type: [ACCOUNT], batchSize });
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
  afterAll(() => void jest.useRealTimers());

  test("have exactly the size, each once it was asked for", async () => {
    chain.commit(100);
    const expected = recorded(chain.left, ({ type }) => type === ACCOUNT);
    const observation = await open(7n);
    chain.commit(1_000);
    const received: Json[] = [];
    for (let n = 0; n < 5; n++) {
      const batches = taken(observation);
      expect(batches).toHaveLength(1);
      const events = eventsOf(batches);
      expect(events).toHaveLength(7);
      received.push(...events);
      observation.askNext({ batchSize: 7n });
    }
    expect(received).toEqual(expected.slice(0, 35));
    // Another size sends what waits at once.
    taken(observation);
    observation.askNext({ batchSize: 0n });
    chain.commit(100);
    const rest = eventsOf(taken(observation));
    expect(rest.length).toBeGreaterThan(30);
    expect(rest).toEqual(expected.slice(42, 42 + rest.length));
  });

  test("that are not asked for within five seconds end the stream", async () => {
    chain.commit(100);
    const observation = await open(2n);
    chain.commit(1_000);
    expect(taken(observation)).toHaveLength(1);
    jest.advanceTimersByTime(4_900);
    observation.askNext({ batchSize: 2n });
    expect(taken(observation)).toHaveLength(1);
    jest.advanceTimersByTime(5_100);
    expect(() => observation.poll()).toThrow(expect.objectContaining({ grpc: 4 }));
    expect(observation.isEnded).toBe(true);
    expect(chain.plane.streams.count).toBe(0);
  });

  test("refuse a size beyond all bounds", async () => {
    await expect(open(100_001n)).rejects.toMatchObject({ grpc: 3 });
  });

  test("end a client for which 100,000 events wait", () => {
    const place = { no: 0, part: 0 };
    let isClosed = false;
    const options = { height: 1, place, hash: "", backlogBytesMax: 1_000, wantsHeights: false };
    const observation = new EventBusObservation({ ...options, onClosed: () => (isClosed = true) }, 5);
    const event = { type: 6, encoded: new Uint8Array(10) } as never;
    const many = new BusMessage(2, { no: 1, part: 0 }, new Array(10_000).fill(event));
    for (let n = 0; n < 12; n++) observation.push(many);
    expect(() => observation.poll()).toThrow(
      expect.objectContaining({
        grpc: 13,
        details: [expect.objectContaining({ code: 10010, inner: "channel closed" })],
      }),
    );
    expect(isClosed).toBe(true);
  });
});

test("names of types are those of the interface", () => {
  expect(renderJson("vega.events.v1.BusEvent", { type: 5 }, "normal")).toContain(`"${TYPE}ORDER"`);
});
