// A wallet's secrets in the memory of its process, looked at from outside: one copy while it is open, however long that
// is, and none when it is locked.
import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { FolderKeystore } from "../../../src/wallet/keystore/folder-keystore.ts";
import { WalletStore } from "../../../src/wallet/wallet-store.ts";
import { bytes, privateFolder } from "../support/wallets.ts";

const hasMemory = process.platform === "linux";
const RIG = join(import.meta.dir, "../../rig/wallet-memory.ts");
const PASSPHRASE = "a passphrase of this test alone";
const PAGE = 4096;
/** While it is open: the wallet's own, and one in a native key that signs. */
const OPEN_MAX = 3;

const folder = privateFolder();
afterAll(() => folder.remove());

/** The resident pages of a region, as ranges: much more is reserved. */
function* presentIn(pagemap: number, start: number, end: number): Generator<readonly [number, number]> {
  const entries = Buffer.alloc(((end - start) / PAGE) * 8);
  readSync(pagemap, entries, 0, entries.length, (start / PAGE) * 8);
  let from: number | undefined;
  for (let page = 0; page <= entries.length / 8; page++) {
    // The highest bit says that the page is in memory.
    const isThere = page < entries.length / 8 && (entries[page * 8 + 7]! & 0x80) !== 0;
    if (isThere) from ??= page;
    else if (from !== undefined) {
      yield [start + from * PAGE, start + page * PAGE];
      from = undefined;
    }
  }
}

/** Occurrences of a secret in the memory of a process, as bytes and as hexadecimal digits. */
function copiesIn(pid: number, secret: Uint8Array): number {
  const forms = [Buffer.from(secret), Buffer.from(Buffer.from(secret).toString("hex"))];
  const memory = openSync(`/proc/${pid}/mem`, "r");
  const pagemap = openSync(`/proc/${pid}/pagemap`, "r");
  let copies = 0;
  for (const region of readFileSync(`/proc/${pid}/smaps`, "latin1").split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/)) {
    const range = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(region);
    if (!range || /^Rss: +0 kB$/m.test(region)) continue;
    const [start, end] = [Number.parseInt(range[1]!, 16), Number.parseInt(range[2]!, 16)];
    for (const [from, to] of presentIn(pagemap, start, end)) {
      const piece = Buffer.alloc(to - from);
      const read = piece.subarray(0, readSync(memory, piece, 0, piece.length, from));
      for (const form of forms)
        for (let place = read.indexOf(form); place >= 0; place = read.indexOf(form, place + 1)) copies++;
    }
  }
  closeSync(memory);
  closeSync(pagemap);
  return copies;
}

if (!hasMemory) console.log("memory.test: skipped, the memory of a process can be read on Linux only");

if (!hasMemory) test.skip("the memory of a wallet", () => {});
else
  describe("the memory of a wallet", () => {
    test("holds its secrets once while it is open, and not at all when it is locked", async () => {
      const store = new WalletStore({
        keystore: new FolderKeystore(folder.path),
        cost: { log2N: 4, r: 8, p: 1 },
        allowWeakKdf: true,
      });
      const { wallet } = await store.create({ name: "mine", passphrase: bytes(PASSPHRASE) }, async () => {});
      const { node, keys } = (
        wallet as unknown as { data: { node: Uint8Array; keys: { seed: Uint8Array }[] } }
      ).data;
      const secrets = { node: Uint8Array.from(node), seed: Uint8Array.from(keys[0]!.seed) };
      const child = Bun.spawn([process.execPath, RIG, folder.path, "mine"], {
        stdin: "pipe",
        stdout: "pipe",
      });
      const output = child.stdout.getReader();
      const order = async (line: string) => {
        child.stdin.write(`${line}\n`);
        child.stdin.flush();
        await output.read();
        return {
          node: copiesIn(child.pid, secrets.node.subarray(0, 32)),
          seed: copiesIn(child.pid, secrets.seed),
        };
      };
      const open = await order(PASSPHRASE);
      const checked = await order("check");
      const signed = await order("sign");
      const locked = await order("lock");
      console.log(
        `memory.test: copies of node and seed: ${JSON.stringify({ open, checked, signed, locked })}`,
      );
      expect(Math.max(open.node, open.seed)).toBeLessThanOrEqual(OPEN_MAX);
      // The collector may have found one meanwhile.
      for (const later of [checked, signed]) expect(later.node).toBeLessThanOrEqual(open.node);
      expect(checked.seed).toBeLessThanOrEqual(open.seed);
      expect(signed.seed).toBeLessThanOrEqual(OPEN_MAX);
      expect(locked).toEqual({ node: 0, seed: 0 });
      child.kill();
      await child.exited;
      wallet.lock();
    }, 120_000);
  });
