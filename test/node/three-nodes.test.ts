// Three nodes of one chain: fed by a core's socket, by a recording, and by the history of another node. Their segments are
// the same, and a bit that flips in any of them is found and named.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listSegments } from "../../src/history/segment-table.ts";
import { fetchHistory } from "../../src/history/sharing/fetch.ts";
import { HistorySource } from "../../src/history/sharing/source.ts";
import { Loading } from "../../src/node/loading.ts";
import { startNode } from "../../src/start-node.ts";
import { openReader, openWriter, segmentDirectory, storePath } from "../../src/store/database.ts";
import { digestOf, MEMORY, SAMPLE, Scratch } from "../rig/homes.ts";
import { lyra } from "../rig/lyra.ts";
import { messagesOf, Sender } from "../rig/sp-sender.ts";
import { inflated } from "../rig/stream.ts";
import { eventually } from "../support/eventually.ts";

const scratch = new Scratch("three-nodes", MEMORY);
afterAll(() => scratch.remove());

const segmentsOf = (home: string) => {
  const db = openReader(home);
  const rows = listSegments(db);
  db.close();
  return rows;
};

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

describe("three nodes on different routes", () => {
  test("have the same segments, and a flipped bit in any is named", async () => {
    const [bySocket, byRecording, byHistory] = [scratch.path(), scratch.path(), scratch.path()];
    const loading = new Loading(byRecording, { segmentLength: 1_000, segments: "network" });
    const { head } = await loading.replay([SAMPLE], {});
    await loading.segmentsMade();
    await loading.close();
    const expected = segmentsOf(byRecording);
    expect(expected.length).toBeGreaterThan(3);

    const events = { host: "127.0.0.1", port: 0 };
    const node = await startNode({ kind: "sidecar", home: bySocket, events });
    try {
      const sender = await Sender.dial({ hostname: "127.0.0.1", port: Number(node.addresses.eventsPort) });
      await sender.write(Buffer.concat(messagesOf(inflated(SAMPLE))));
      const isDone = () =>
        node.head()?.height === head!.height && segmentsOf(bySocket).length === expected.length;
      await eventually(() => isDone());
      await sender.end();
      await fetchHistory({
        home: byHistory,
        source: new HistorySource(node.dataUrl),
        trust: expected.at(-1)!.id,
      });
      expect(segmentsOf(bySocket)).toEqual(expected);
      expect(segmentsOf(byHistory)).toEqual(expected);
      expect(digestOf(byHistory).sha256).toBe(digestOf(byRecording).sha256);

      const against = (home: string) =>
        lyra(["history", "verify", "--against", node.dataUrl, "--home", home, "--json"]);
      expect(await against(byHistory)).toMatchObject({ code: 0 });

      const second = expected[1]!;
      const db = openWriter(byHistory);
      db.run("UPDATE blocks SET hash = zeroblob(32) WHERE height = ?", [second.from + 5]);
      db.close();
      const inStore = await against(byHistory);
      expect(inStore.code).toBe(4);
      expect(JSON.parse(inStore.out).difference).toMatchObject({
        ...{ where: "here", from: second.from, to: second.to, table: "blocks", row: 6 },
      });

      flip(join(segmentDirectory(byRecording), `${second.id}.seg`), 900);
      const inSegment = await against(byRecording);
      expect(JSON.parse(inSegment.out).difference).toMatchObject({ where: "here", from: second.from });
      flip(storePath(byRecording), 3 * 8_192 + 4_000);
      const doctor = await lyra(["doctor", "--deep", "--home", byRecording]);
      expect(doctor.code).toBe(1);
      expect(doctor.out).toContain("page 4 of the store is not what was written to it");
      expect(doctor.out).toContain(`${second.from}-${second.to}`);
    } finally {
      await node.stop();
    }
  }, 120_000);
});
