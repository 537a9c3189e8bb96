// Writes that stop anywhere: after every single step, and by kill -9 of a real process. There is always a wallet, the
// old or the new, and it always opens.
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type FileSteps, realSteps } from "../../src/files/whole-file.ts";
import { FolderKeystore } from "../../src/wallet/keystore/folder-keystore.ts";
import type { WalletStore } from "../../src/wallet/wallet-store.ts";
import { anyMoment } from "../support/eventually.ts";
import { codeOf } from "./support/failures.ts";
import { KEY_1, KEY_2, ORIGINAL_FILE } from "./support/vectors.ts";
import { bytes, cheapStore, PASSPHRASE, PrivateFolders, vectorWallet } from "./support/wallets.ts";

const NEW_PASSPHRASE = bytes("another one");
const folders = new PrivateFolders();
afterAll(() => folders.remove());

class Killed extends Error {}

/** Does the first `steps` steps and none of the later ones, as a process that is killed; halves the last write. */
function dyingAfter(steps: number): { steps: FileSteps; wasKilled(): boolean } {
  let done = 0;
  let wasKilled = false;
  const die = () => {
    wasKilled = true;
    throw new Killed("killed");
  };
  const dying = Object.fromEntries(
    Object.entries(realSteps).map(([name, step]) => [
      name,
      (...args: unknown[]) => {
        if (done < steps) {
          done++;
          return (step as (...values: unknown[]) => unknown)(...args);
        }
        if (name === "write" && !wasKilled) {
          const [descriptor, content] = args as [number, Uint8Array];
          realSteps.write(descriptor, content.subarray(0, content.length >> 1));
        }
        return die();
      },
    ]),
  ) as unknown as FileSteps;
  return { steps: dying, wasKilled: () => wasKilled };
}

interface Operation {
  readonly name: string;
  run(store: WalletStore): Promise<unknown>;
  /** The content afterwards, as one of the texts. */
  readonly before: string;
  readonly after: string;
  /** In between, where that is a state of its own. */
  readonly between?: string;
}

const unlocked = (store: WalletStore) => store.unlock("w", PASSPHRASE);
const operations: Operation[] = [
  {
    name: "a new key",
    run: async (store) => (await unlocked(store)).generateKey(),
    before: "w: 1 key",
    after: "w: 2 keys",
  },
  {
    name: "a new passphrase",
    run: async (store) => store.changePassphrase(await unlocked(store), NEW_PASSPHRASE),
    before: "w: 1 key",
    after: "w: 1 key, new passphrase",
  },
  {
    name: "creation",
    run: (store) => store.create({ name: "x", passphrase: PASSPHRASE }),
    before: "w: 1 key",
    after: "w: 1 key; x: 1 key",
  },
  {
    name: "isolation",
    run: async (store) => store.isolate(await unlocked(store), KEY_1, PASSPHRASE),
    before: "w: 1 key",
    after: "w: 1 key; w.b5fd9d3c.isolated: 1 key",
  },
  {
    name: "another name",
    run: (store) => store.rename("w", "x"),
    before: "w: 1 key",
    between: "w: 1 key; x: 1 key",
    after: "x: 1 key",
  },
  { name: "deletion", run: (store) => store.delete("w"), before: "w: 1 key", after: "" },
];

/** Opens every wallet there is, and says what it found. */
async function stateOf(folder: string): Promise<string> {
  const store = cheapStore(new FolderKeystore(folder));
  const states: string[] = [];
  for (const name of await store.names()) {
    const isOld =
      (await codeOf(() => store.unlock(name, NEW_PASSPHRASE)).catch(() => "")) === "wrong_passphrase";
    const wallet = await store.unlock(name, isOld ? PASSPHRASE : NEW_PASSPHRASE);
    const count = wallet.keys.length;
    states.push(`${name}: ${count} key${count === 1 ? "" : "s"}${isOld ? "" : ", new passphrase"}`);
    const signature = wallet.signMessage(wallet.keys[0]!.publicKey, bytes("still here"));
    expect(signature).toHaveLength(64);
  }
  return states.join("; ");
}

describe.each(operations)("$name", ({ run, before, between, after }) => {
  test("leaves the old or the new, wherever it stops", async () => {
    const seen = new Set<string>();
    for (let count = 0; ; count++) {
      const folder = folders.make();
      await vectorWallet(cheapStore(new FolderKeystore(folder)), "w");
      const dying = dyingAfter(count);
      const failure = await run(cheapStore(new FolderKeystore(folder, dying.steps))).then(
        () => undefined,
        (error: unknown) => error,
      );
      const state = await stateOf(folder);
      expect([before, after, between]).toContain(state);
      seen.add(state);
      // The next writer finds nothing in its way, and cleans up.
      const store = cheapStore(new FolderKeystore(folder));
      await store.create({ name: "next", passphrase: PASSPHRASE });
      expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([".lock"]);
      if (!dying.wasKilled()) {
        expect([failure, state]).toEqual([undefined, after]);
        break;
      }
    }
    expect(seen).toContain(before);
    expect(seen).toContain(after);
  });
});

test("an upgrade of the original's file stops anywhere", async () => {
  const old = new Uint8Array(Buffer.from(ORIGINAL_FILE.base64, "base64"));
  const passphrase = bytes(ORIGINAL_FILE.passphrase);
  const formats: string[] = [];
  for (let count = 0; ; count++) {
    const folder = folders.make();
    const keystore = new FolderKeystore(folder);
    await keystore.exclusively(() => keystore.create("w", old));
    const dying = dyingAfter(count);
    const store = cheapStore(new FolderKeystore(folder, dying.steps));
    await store.upgrade(await store.unlock("w", passphrase), passphrase).catch(() => {});
    const wallet = await cheapStore(keystore).unlock("w", passphrase);
    expect(wallet.keys.map(({ publicKey }) => publicKey)).toEqual([KEY_1]);
    formats.push(wallet.format);
    if (!dying.wasKilled()) break;
  }
  expect(new Set(formats)).toEqual(new Set(["original", "lyra"]));
  expect(formats.at(-1)).toBe("lyra");
});

test("kill -9 of writers, two at a time", async () => {
  const folder = folders.make();
  const writer = join(import.meta.dir, "support", "writer.ts");
  await vectorWallet(cheapStore(new FolderKeystore(folder)), "w");
  let keys = 1;
  for (let round = 0; round < 8; round++) {
    const writers = [1, 2].map(() =>
      Bun.spawn([process.execPath, writer, folder, "w"], { stdout: "pipe", stderr: "inherit" }),
    );
    const kill = () => writers.map((child) => child.kill("SIGKILL"));
    let reported = 0;
    const listen = async (stdout: ReadableStream<Uint8Array>) => {
      for await (const letters of stdout) {
        // However slow the machine is: some keys are made before the end.
        if (reported === 0) void anyMoment((round * 37) % 90).then(kill);
        reported += letters.length;
      }
    };
    await Promise.all(writers.map(({ stdout }) => listen(stdout)));
    const wallet = await cheapStore(new FolderKeystore(folder)).unlock("w", PASSPHRASE);
    // Every reported key exists; each writer may have made one that it had no time to report.
    const added = wallet.keys.length - keys;
    expect(added).toBeGreaterThanOrEqual(reported);
    expect(added).toBeLessThanOrEqual(reported + 2);
    keys = wallet.keys.length;
    if (keys > 1) expect(wallet.keys[1]!.publicKey).toBe(KEY_2);
  }
  expect(keys).toBeGreaterThan(3);
});
