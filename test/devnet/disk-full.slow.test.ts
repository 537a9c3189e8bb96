// A devnet on a disk that is really full: a small file system of its own. It says so, keeps what it has acknowledged,
// and goes on by itself once there is room.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { openReader } from "../../src/store/database.ts";
import { differencesToReplay, differencesToState } from "../rig/chain-again.ts";
import { DevnetClient, EASY } from "../rig/devnet-client.ts";
import { Ledger } from "../rig/devnet-ledger.ts";
import { DevnetLoad } from "../rig/devnet-load.ts";
import { RunningDevnet } from "../rig/devnet-process.ts";
import { Scratch } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";
import { SmallDisk } from "../support/small-disk.ts";

const ROOM_KIB = 64 * 1024;
/** Left when the disk becomes small: from nothing at all to some blocks. */
const LEFT_KIB = [0, 16, 200];
/** The steps of a devnet's start: too little room for its genesis, its store, its first block, its balances. */
const STARTS_KIB = [4, 36, 100, 800, 1_600, 2_400];

const scratch = new Scratch("devnet-disk-full");
const disk = scratch.path("disk");
mkdirSync(disk);
const small = new SmallDisk(disk);

const hasMount = small.isPossible;
if (!hasMount)
  console.log("devnet/disk-full.test: skipped, a small file system cannot be mounted here (it takes root)");

afterAll(() => scratch.remove());

function usedKib(): number {
  const { blocks, bfree, bsize } = statfsSync(disk);
  return Math.ceil(((blocks - bfree) * bsize) / 1024);
}

if (!hasMount) test.skip("a devnet on a full disk", () => {});
else
  describe("a devnet on a full disk", () => {
    const home = join(disk, "home");
    const ledger = new Ledger();
    let devnet: RunningDevnet;
    let client: DevnetClient;

    beforeAll(async () => {
      expect(small.mount(ROOM_KIB)).toBe(true);
      devnet = new RunningDevnet({ home, parameters: EASY, words: ["--segment-length", "50"] });
      const { nodeUrl, dataUrl } = await devnet.listening();
      client = new DevnetClient(nodeUrl, dataUrl);
    });
    afterAll(async () => {
      devnet.kill("SIGKILL");
      await devnet.end();
      small.unmount();
    });

    for (const leftKib of LEFT_KIB) {
      test(`with ${leftKib} KiB left: it says so, and goes on when there is room`, async () => {
        const load = new DevnetLoad(client, ledger, { seed: 7, name: `left ${leftKib}`, lanes: 4, burst: 0 });
        load.start();
        await Bun.sleep(150);
        // The chain writes on meanwhile: what was left may be gone before the disk has its new size.
        let isSmall = false;
        for (let tries = 0; tries < 50 && !isSmall; tries++) isSmall = small.resize(usedKib() + leftKib);
        expect(isSmall).toBe(true);
        await eventually(async () => (await client.status()).halted !== undefined);
        const { halted } = await client.status();
        expect(halted).toContain("the disk is full");
        const ready = await fetch(`${client.nodeUrl}/readyz`);
        expect([ready.status, await ready.text()]).toEqual([
          503,
          expect.stringContaining("the disk is full"),
        ]);
        const height = (await client.lastBlock()).height;
        // Stored rows are served.
        const time = await fetch(`${client.dataUrl}/api/v2/vega/time`);
        expect(Number(time.headers.get("x-block-height"))).toBe(height);
        await eventually(async () => load.failures.length > 0);

        const before = ledger.count;
        expect(small.resize(ROOM_KIB)).toBe(true);
        await eventually(async () => (await client.status()).halted === undefined && ledger.count > before);
        expect((await fetch(`${client.nodeUrl}/readyz`)).status).toBe(200);
        await load.pause();
        await load.end();
        expect([...new Set(load.failures.map((text) => text.replace(/\d+ could/g, "N could")))]).toEqual([
          expect.stringContaining("500: the disk is full"),
        ]);
        expect((await client.lastBlock()).height).toBeGreaterThan(height);
      }, 120_000);
    }

    test("then every acknowledged block is there, and the chain is the same as an undisturbed one", async () => {
      expect(ledger.count).toBeGreaterThan(10);
      const { code, err } = await devnet.stop();
      // A stretch of history that could not be made meanwhile is made later, and that is said.
      const output = err.replaceAll(/^a devnet's helper failed: ENOSPC: .*\n/gm, "");
      const turns = /^(the chain stands still: the disk is full: .*\nthe chain goes on\n)+$/;
      expect({ code, said: output }).toEqual({ code: 0, said: expect.stringMatching(turns) });
      const db = openReader(home);
      try {
        expect(ledger.check(db)).toEqual([]);
      } finally {
        db.close();
      }
      expect(differencesToReplay(home, scratch.path("again"))).toEqual([]);
      expect(differencesToState(home)).toEqual([]);
    }, 120_000);
  });

if (!hasMount) test.skip("a devnet that starts on a full disk", () => {});
else
  describe("a devnet that starts on a full disk", () => {
    const home = join(disk, "home");
    const funded = new Map<number, string>();
    let refused = 0;
    afterAll(() => {
      small.unmount();
    });

    /** From too little for the genesis to nearly enough for the balances. */
    for (const kib of STARTS_KIB) {
      test(`of ${kib} KiB: it says so and ends, or starts; with room the same command starts, and the parties are funded`, async () => {
        small.unmount();
        expect(small.mount(ROOM_KIB)).toBe(true);
        expect(small.resize(kib)).toBe(true);
        const first = new RunningDevnet({ home });
        const isListening = await first.listening().then(
          () => true,
          () => false,
        );
        if (isListening) expect((await first.stop()).code).toBe(0);
        else {
          refused++;
          const { code, err } = await first.end();
          expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("the disk is full") });
        }
        expect(small.resize(ROOM_KIB)).toBe(true);
        const second = new RunningDevnet({ home });
        const { nodeUrl } = await second.listening();
        const { parties } = await (await fetch(`${nodeUrl}/devnet/parties`)).json();
        funded.set(kib, JSON.stringify(parties));
        expect([...funded.values()].every((each) => each === JSON.stringify(parties))).toBe(true);
        expect((await second.stop()).code).toBe(0);
      }, 120_000);
    }

    test("most of these were too small", () => {
      expect(refused).toBeGreaterThanOrEqual(4);
    });
  });
