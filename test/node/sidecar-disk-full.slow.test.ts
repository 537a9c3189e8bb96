// A sidecar on a disk that is really full: its core never waits, and everything is stored when there is room; past what memory
// may hold, the missing blocks are named, and come again.
import { afterAll, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_LIMITS } from "../../src/http/limits.ts";
import { startNode } from "../../src/start-node.ts";
import { digestOf, load, SAMPLE, Scratch } from "../rig/homes.ts";
import { messagesOf, Sender } from "../rig/sp-sender.ts";
import { blockSpans, inflated } from "../rig/stream.ts";
import { eventually } from "../support/eventually.ts";
import { SmallDisk } from "../support/small-disk.ts";

const scratch = new Scratch("sidecar-disk-full");
const disk = scratch.path("disk");
mkdirSync(disk);
const small = new SmallDisk(disk);
const hasMount = small.isPossible;
afterAll(() => {
  small.unmount();
  scratch.remove();
});
if (!hasMount)
  console.log("sidecar-disk-full.test: skipped, no file system can be mounted here (it takes root)");

if (!hasMount) test.skip("a full disk", () => {});
else
  test.each([2_600, 3_400])(
    "%i KiB, and later more: nothing is lost",
    async (kib) => {
      expect(small.mount(kib)).toBe(true);
      const sample = inflated(SAMPLE);
      const node = await startNode({
        kind: "sidecar",
        home: join(disk, "home"),
        events: { host: "127.0.0.1", port: 0 },
        segmentLength: 1_000_000,
      });
      const source = () => node.status.sources()[0]!;
      try {
        const sender = await Sender.dial({ hostname: "127.0.0.1", port: Number(node.addresses.eventsPort) });
        const sent = sender.write(Buffer.concat(messagesOf(sample)));
        await eventually(() => source().state === "paused");
        expect(source().code).toBe("disk_full");
        // The core ends for good when a send takes three seconds.
        await sent;
        expect(node.status.notReady()).toStartWith("events paused (disk_full)");
        expect(small.resize(64 * 1_024)).toBe(true);
        await eventually(() => node.head()?.height === blockSpans(sample).at(-1)!.height);
        await eventually(() => source().state === "receiving");
      } finally {
        await node.stop();
      }
      const whole = scratch.path();
      await load(whole, SAMPLE);
      // Segments follow the rows, each in its own time.
      const { meta: _, segments: _1, ...tables } = digestOf(join(disk, "home")).tables;
      const { meta: __, segments: _2, ...expected } = digestOf(whole).tables;
      expect(tables).toEqual(expected);
      small.unmount();
    },
    20_000,
  );

if (hasMount)
  test("past the bound of memory a core goes on, too, and what it sends again afterwards fills the gap", async () => {
    expect(small.mount(2_600)).toBe(true);
    const messages = messagesOf(inflated(SAMPLE));
    const last = blockSpans(inflated(SAMPLE)).at(-1)!.height;
    const node = await startNode({
      kind: "sidecar",
      home: join(disk, "home"),
      events: { host: "127.0.0.1", port: 0 },
      segmentLength: 1_000_000,
      limits: { ...DEFAULT_LIMITS, eventMemoryBytesMax: 50_000 },
    });
    const source = () => node.status.sources()[0]!;
    const dial = () => Sender.dial({ hostname: "127.0.0.1", port: Number(node.addresses.eventsPort) });
    try {
      const first = await dial();
      await first.write(Buffer.concat(messages)).catch(() => {});
      await eventually(() => source().state === "stopped");
      expect(source().code).toBe("disk_full");
      expect(source().text).toContain("so that the core goes on");
      // It dials again, and its sends are taken all the same.
      const second = await dial();
      await second.write(Buffer.concat(messages.slice(-2_000)));
      expect(source().code).toBe("disk_full");
      expect(small.resize(64 * 1_024)).toBe(true);
      await eventually(() => source().code !== "disk_full");
      // A core that replays brings the dropped blocks again.
      const third = await dial();
      await third.write(Buffer.concat(messages));
      await eventually(() => node.head()?.height === last);
      await eventually(() => source().state === "receiving");
      expect(node.status.notReady() ?? "").not.toContain("stopped");
    } finally {
      await node.stop();
      small.unmount();
    }
  }, 40_000);
