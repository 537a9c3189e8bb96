// A feed whose beginning is read late: the store has a block already that the feed is yet to bring.
import { expect, test } from "bun:test";
import { EventFanOut, type EventTopic } from "../../../../src/planes/data/observe/event-fan-out.ts";
import type { StreamReads } from "../../../../src/planes/data/observe/fan-out.ts";
import type { Observation } from "../../../../src/planes/data/observe/observation.ts";
import type { FeedMessage } from "../../../../src/store/event-feed.ts";

const HASH = "ab".repeat(32);

function rig(storeHeight: number) {
  let tell: (message: FeedMessage) => void = () => {};
  const feed = {
    start(listener: typeof tell) {
      tell = listener;
      listener({ kind: "begun", height: 5 });
    },
    stop() {},
  };
  const context = {
    get: (_: string, height: number) => ({
      no: 1n,
      height: BigInt(height),
      time: 0n,
      hash: Buffer.from(HASH, "hex"),
    }),
  };
  const head = { height: storeHeight, firstHeight: 1, hash: HASH };
  const reads = {
    read: (use: (...values: unknown[]) => unknown) => use(context, head),
  } as unknown as StreamReads;
  const fanOut = new EventFanOut(() => feed, reads);
  const stream = async (after?: number) => {
    const heights: number[] = [];
    const topic: EventTopic = { key: String(after), messagesOf: (height) => [height as never] };
    const observation = {
      wantsHeights: false,
      push: (height: number) => heights.push(height),
      pushBeginning() {},
    };
    await fanOut.join(
      topic,
      after === undefined ? undefined : { height: after, hash: "" },
      () => observation as unknown as Observation,
    );
    return heights;
  };
  const block = (height: number) => tell({ kind: "events", height, hash: HASH, events: new Uint8Array(0) });
  return { stream, block };
}

test("a stream that is open gets the block that was committed while its feed began", async () => {
  const { stream, block } = rig(6);
  const heights = await stream();
  for (const height of [6, 7]) block(height);
  expect(heights).toEqual([6, 7]);
});

test("a client that has the block already does not get it twice", async () => {
  const { stream, block } = rig(6);
  const [without, withSix] = [await stream(), await stream(6)];
  for (const height of [6, 7]) block(height);
  expect([without, withSix]).toEqual([[6, 7], [7]]);
});

test("a height that neither the feed nor the store has reached is refused", async () => {
  const { stream } = rig(6);
  expect(await stream(7).catch((error: Error) => error.message)).toContain("height 7 is not reached");
});
