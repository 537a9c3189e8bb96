// A disk that is really full: a small file system of its own. A load says so, leaves whole blocks, and completes by
// the same command once there is room.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { digestOf, headOf, SAMPLE, Scratch } from "../rig/homes.ts";
import { lyra, ServingLyra } from "../rig/lyra.ts";
import { inflated, upTo } from "../rig/stream.ts";
import { eventually } from "../support/eventually.ts";
import { SmallDisk } from "../support/small-disk.ts";

const KIB = 1024;
/** Parts of what a finished home takes: from too little for an empty store to just enough for all and the log. */
const PARTS = [0.05, 0.3, 1, 1.9, 2.03, 2.06, 2.3];
const ROOM_KIB = 64 * KIB;

const scratch = new Scratch("disk-full");
const disk = scratch.path("disk");
mkdirSync(disk);
const small = new SmallDisk(disk);
const home = join(disk, "home");
const words = ["replay", SAMPLE, "--home", home];

function bytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

const hasMount = small.isPossible;
if (!hasMount)
  console.log("disk-full.test: skipped, a small file system cannot be mounted here (it takes root)");

if (!hasMount) test.skip("a full disk", () => {});
else
  describe("a full disk", () => {
    let whole: string;
    let neededKib: number;
    const outcomes = new Map<string, number>();

    beforeAll(async () => {
      const undisturbed = scratch.path();
      await lyra(["replay", SAMPLE, "--home", undisturbed, "--quiet"]);
      whole = digestOf(undisturbed).sha256;
      neededKib = bytesOf(undisturbed) / KIB;
    });
    afterAll(() => {
      small.unmount();
      scratch.remove();
      console.log(`disk-full.test: ${JSON.stringify(Object.fromEntries(outcomes))}`);
    });

    for (const part of PARTS) {
      test(`with room for ${part} of a home: said, nothing half written, and completed when there is room`, async () => {
        expect(small.mount(Math.round(part * neededKib))).toBe(true);
        try {
          const ended = await lyra([...words, "--json"]);
          if (ended.code !== 0) {
            expect(ended).toMatchObject({ code: 1, out: "" });
            const { error } = JSON.parse(ended.err);
            expect(error.code).toBe("disk_full");
            const what = error.message.replace(/\d+/, "N");
            outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
            expect(error.message).toMatch(
              /^the disk is full: (?:the store cannot be opened|block \d+ could not be stored|the last blocks could not be stored|history segments could not be made)$/,
            );
          }
          expect(small.resize(ROOM_KIB)).toBe(true);
          const completed = await lyra([...words, "--quiet"]);
          expect(completed).toEqual({ code: 0, out: "", err: "" });
          expect(digestOf(home).sha256).toBe(whole);
        } finally {
          small.unmount();
        }
      });
    }

    test("a disk that may only be read is named before anything is tried", async () => {
      expect(small.mount(ROOM_KIB)).toBe(true);
      try {
        await lyra([...words, "--quiet"]);
        expect(small.forbidWrites()).toBe(true);
        for (const command of [words, [...words, "--serve"]]) {
          const { code, err } = await lyra(command);
          expect(code).toBe(1);
          const message = `the home ${home} cannot be written`;
          const hint = "choose another --home";
          if (command === words) expect(err).toBe(`lyra: ${message}\n      ${hint}\n`);
          else
            expect(JSON.parse(err)).toMatchObject({
              level: "error",
              code: "home_unusable",
              message,
              hint,
            });
        }
      } finally {
        small.unmount();
      }
    });

    /** The first blocks are stored, with no room for the rest. */
    async function servingOnAFullDisk(): Promise<ServingLyra> {
      expect(small.mount(ROOM_KIB)).toBe(true);
      const part = scratch.file(upTo(inflated(SAMPLE), 1_500));
      await lyra(["replay", part, "--home", home, "--quiet"]);
      expect(small.resize(Math.round(bytesOf(home) / KIB + 64))).toBe(true);
      return new ServingLyra([...words, "--serve"]);
    }

    test("while serving: the load goes on by itself when there is room again", async () => {
      const node = await servingOnAFullDisk();
      try {
        const { url } = await node.listening();
        const ready = async () => {
          const answer = await fetch(`${url}/readyz`);
          return answer.ok ? "ready" : ((await answer.json()) as { message: string }).message;
        };
        await eventually(async () => (await ready()) === "loading failed: disk_full");
        expect(small.resize(ROOM_KIB)).toBe(true);
        await eventually(async () => (await ready()) === "ready");
        expect(await ready()).toBe("ready");
        const ended = await node.stop();
        expect(ended.code).toBe(0);
        expect(ended.err.match(/"code":"disk_full"/g)).toHaveLength(1);
        expect(digestOf(home).sha256).toBe(whole);
      } finally {
        node.kill("SIGKILL");
        await node.end();
        small.unmount();
      }
    });

    test("while serving: what is there is served, /readyz says why, and the exit code is 1", async () => {
      const node = await servingOnAFullDisk();
      try {
        const { url } = await node.listening();
        let reason = "loading";
        while (reason === "loading") {
          const ready = await fetch(`${url}/readyz`);
          expect(ready.status).toBe(503);
          reason = ((await ready.json()) as { message: string }).message;
          await Bun.sleep(5);
        }
        expect(reason).toBe("loading failed: disk_full");
        const time = await fetch(`${url}/api/v2/vega/time`);
        expect(time.headers.get("x-block-height")).toBe("1500");
        const ended = await node.stop();
        expect(ended.code).toBe(1);
        expect(ended.err).toContain("the disk is full: ");
        expect(headOf(home)!.height).toBe(1500);
        expect(small.resize(ROOM_KIB)).toBe(true);
        expect((await lyra([...words, "--quiet"])).code).toBe(0);
        expect(digestOf(home).sha256).toBe(whole);
      } finally {
        node.kill("SIGKILL");
        await node.end();
        small.unmount();
      }
    });
  });
