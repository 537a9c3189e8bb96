// The event bus of a data node through its restart, while a core goes on to write: blocks that came meanwhile are told.
import { afterAll, expect, test } from "bun:test";
import { appendFileSync, writeFileSync } from "node:fs";
import { connect } from "../../src/client/connect.ts";
import { startNode } from "../../src/start-node.ts";
import { decodeBusEvent } from "../../src/wire/generated/events.ts";
import { MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import { blockSpans, inflated } from "../rig/stream.ts";
import { eventually } from "../support/eventually.ts";

const scratch = new Scratch("client-followed", MEMORY);
afterAll(() => scratch.remove());

test("events of blocks that are stored before the client comes back are told, each once and in order", async () => {
  const sample = inflated(SAMPLE);
  const spans = blockSpans(sample);
  const endOf = (height: number) => spans.findLast((span) => span.height === height)!.end;
  const file = scratch.path();
  const home = scratch.path();
  writeFileSync(file, sample.subarray(0, endOf(1_500)));
  const start = (dataPort: number) => startNode({ kind: "data", home, dataPort, follow: file });
  let node = await start(0);
  await eventually(() => node.head()?.height === 1_500);
  const { dataUrl } = node;
  const lyra = connect({ dataUrl });
  const control = new AbortController();
  const ids: string[] = [];
  let height = 0;
  let reconnects = 0;
  const following = (async () => {
    const options = {
      signal: control.signal,
      onHeight: (at: number) => {
        height = at;
      },
      onReconnect: () => reconnects++,
    };
    for await (const { events } of lyra.stream.eventBus({}, options)) ids.push(...events.map(({ id }) => id));
  })();
  const write = (from: number, to: number) => appendFileSync(file, sample.subarray(endOf(from), endOf(to)));
  await eventually(() => height === 1_500);
  write(1_500, 1_600);
  await eventually(() => height === 1_600);
  await node.stop();
  write(1_600, 1_900);
  node = await start(Number(new URL(dataUrl).port));
  write(1_900, 2_000);
  await eventually(() => height === 2_000);
  control.abort();
  await following;
  await node.stop();
  const expected: string[] = [];
  for (let at = endOf(1_500); at < endOf(2_000); at += 4 + sample.readUInt32BE(at))
    expected.push(decodeBusEvent(sample.subarray(at + 12, at + 4 + sample.readUInt32BE(at))).id);
  expect(reconnects).toBeGreaterThan(0);
  expect(ids).toEqual(expected);
});
