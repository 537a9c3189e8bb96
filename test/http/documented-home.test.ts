// The documents of a running node whose home has history: an example for what a segment can be asked for.
import { afterAll, expect, test } from "bun:test";
import { startNode } from "../../src/start-node.ts";
import { load, MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";

const scratch = new Scratch("documented-home", MEMORY);
afterAll(() => scratch.remove());

interface Parameter {
  readonly name: string;
  readonly example?: string;
}

test("a home with segments is documented, with a segment for an example", async () => {
  const home = scratch.path();
  await load(home, SAMPLE);
  const node = await startNode({ kind: "data", home });
  try {
    const segments = async () =>
      (
        (await (await fetch(`${node.dataUrl}/api/v2/networkhistory/segments`)).json()) as {
          segments: { historySegmentId: string }[];
        }
      ).segments;
    await eventually(async () => (await segments()).length >= 3);
    const response = await fetch(`${node.dataUrl}/docs/json`);
    expect(response.status).toBe(200);
    const { paths } = (await response.json()) as {
      paths: Record<string, { get: { parameters: Parameter[] } }>;
    };
    const ids = (await segments()).map(({ historySegmentId }) => historySegmentId);
    const { parameters } = paths["/lyra/v1/history/segments/{id}"]!.get;
    expect(ids).toContain(parameters.find(({ name }) => name === "id")!.example!);
  } finally {
    await node.stop();
  }
});
