// A disk that is really full: the chain says so, keeps what it acknowledged, and goes on by itself when there is room.
import { afterAll, describe, expect, jest, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChainCallError } from "../../src/engine/chain-port.ts";
import { differences } from "../support/digests.ts";
import { eventually } from "../support/eventually.ts";
import { run, SmallDisk } from "../support/small-disk.ts";
import { Rig, removeHomes, Sender } from "./rig.ts";

const [A, B] = [new Sender(1), new Sender(2)] as const;
const KIB = 1024;
const folder = mkdtempSync(join(tmpdir(), "lyra-chain-disk-"));
const disk = join(folder, "disk");
mkdirSync(disk);
const small = new SmallDisk(disk);

const hasMount = small.isPossible;

afterAll(() => {
  removeHomes();
  rmSync(folder, { recursive: true, force: true });
});

if (!hasMount) {
  console.log("chain/disk-full.test: skipped, a small file system cannot be mounted here (it takes root)");
}
if (!hasMount) test.skip("a full disk", () => {});
else
  describe("a full disk", () => {
    for (const roomKib of [40, 200, 700]) {
      test(`with ${roomKib} KiB left: halts with a reason, undoes the block, and goes on when there is room`, async () => {
        expect(small.mount(64 * KIB)).toBe(true);
        const halts: (string | undefined)[] = [];
        const home = join(disk, "home");
        const recordTo = join(disk, "run.evts");
        const rig = new Rig({
          home,
          recordTo,
          onHalt: (reason) => halts.push(reason),
          limits: { stateTxsMax: 60 },
        });
        try {
          await rig.transfer(A, B.party, 1n, "commit");
          const used = readdirSync(disk, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
          expect(small.resize(Math.ceil(used / KIB) + roomKib)).toBe(true);
          let acknowledged = 1;
          let waiting = 0;
          let failure: unknown;
          while (failure === undefined && acknowledged < 2_000) {
            // A chain that halts behind a block has nothing that waits: what comes then is refused at the door.
            const isRunning = rig.chain.status.halted === undefined;
            const sent = Array.from({ length: 5 }, () => rig.transfer(A, B.party, 1n, "commit"));
            for (const each of await Promise.allSettled(sent)) {
              if (each.status === "fulfilled") {
                acknowledged++;
                continue;
              }
              failure = each.reason;
              if (isRunning) waiting++;
            }
          }
          expect(failure).toBeInstanceOf(ChainCallError);
          expect((failure as ChainCallError).code).toBe("halted");
          expect((failure as Error).message).toStartWith("the disk is full: ");
          expect(halts).toEqual([(failure as Error).message]);
          const { halted, appHash, height } = rig.chain.status;
          expect(halted).toBe((failure as Error).message);
          await expect(rig.chain.submit(A.transfer(rig.chain, B.party, 1n), "check")).rejects.toMatchObject({
            code: "halted",
          });
          expect(rig.chain.status).toMatchObject({ appHash, height });
          expect(rig.engine.balanceOf(B.party) - 1_000_000n).toBe(BigInt(acknowledged));
          expect(small.resize(64 * KIB)).toBe(true);
          // Without any request.
          await eventually(() => rig.chain.status.halted === undefined);
          expect(halts.at(-1)).toBeUndefined();
          // Transactions that waited when the disk was full were executed.
          expect(rig.engine.balanceOf(B.party) - 1_000_000n).toBe(BigInt(acknowledged + waiting));
          await rig.transfer(A, B.party, 1n, "commit");
          const status = rig.chain.status;
          const digest = rig.digest();
          rig.abandon();
          const again = new Rig({ home, recordTo });
          expect(again.chain.status.appHash).toBe(status.appHash);
          expect(differences(again.digest(), digest)).toEqual([]);
          await again.stop();
        } finally {
          small.unmount();
        }
      }, 120_000);
    }

    test("a request tries again before it is refused", async () => {
      expect(small.mount(64 * KIB)).toBe(true);
      jest.useFakeTimers();
      const rig = new Rig({ home: join(disk, "home"), mode: { kind: "manual" } });
      try {
        const filler = join(disk, "filler");
        for (let kib = 32 * KIB; kib >= 4; kib = kib / 2) {
          for (let n = 0; run("sh", "-c", `head -c ${kib * KIB} /dev/zero >> ${filler}`) && n < 3; n++);
        }
        let halted = false;
        while (!halted) {
          const sent = Array.from({ length: 50 }, () => rig.transfer(A, B.party, 1n));
          await Promise.all(sent);
          halted = await rig.chain.mine(1).then(
            () => false,
            () => true,
          );
        }
        writeFileSync(filler, "");
        // Later than a request may try, and sooner than the chain itself does.
        jest.advanceTimersByTime(250);
        expect(await rig.transfer(A, B.party, 1n)).toMatchObject({ code: 0 });
        expect(rig.chain.status.halted).toBeUndefined();
        await rig.stop();
      } finally {
        jest.useRealTimers();
        small.unmount();
      }
    }, 120_000);
  });
