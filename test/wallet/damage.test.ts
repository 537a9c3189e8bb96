// Damaged wallet files by the thousand (test/rig/wallet-damage.ts); scripts/wallet-damage.ts tries 10,000, and some at
// full strength.
import { describe, expect, test } from "bun:test";
import { FolderKeystore } from "../../src/wallet/keystore/folder-keystore.ts";
import { damageRounds } from "../rig/wallet-damage.ts";
import { PASSPHRASES, passphrase } from "../rig/wallet-home.ts";
import { runs, SEED } from "../support/seed.ts";
import { failureOf } from "./support/failures.ts";
import { bytes, cheapStore, privateFolder } from "./support/wallets.ts";

const CASES = 1_500;

test(`damaged files are refused, told apart, and leave nothing behind (seed ${SEED})`, async () => {
  const { failures, answers } = await damageRounds({ cases: runs(CASES), seed: SEED });
  expect(failures).toEqual([]);
  const total = [...answers.values()].reduce((sum, count) => sum + count, 0);
  expect(total).toBe(runs(CASES));
  const damage = [...answers].filter(([key]) => key.startsWith("lyra") && key.endsWith("wallet_damaged"));
  expect(damage.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(total / 3);
}, 120_000);

describe("canaries: the rig sees", () => {
  test.each([
    ["a file that is opened", async () => {}, /opened/],
    [
      "damage that is called a wrong passphrase",
      async () => {
        const store = cheapStore();
        await store.create({ name: "w", passphrase: bytes("one") });
        await store.unlock("w", bytes("two"));
      },
      /wrong_passphrase/,
    ],
    [
      "a message with the passphrase in it",
      async () => {
        throw new Error(`no wallet for ${PASSPHRASES.first}`);
      },
      /it tells the first passphrase/,
    ],
  ] as const)("%s", async (_, open, sign) => {
    const { failures } = await damageRounds({ cases: 20, seed: 1, open });
    expect(failures.join("\n")).toMatch(sign);
  });

  test("a file that is written", async () => {
    const open = (store: Parameters<NonNullable<Parameters<typeof damageRounds>[0]["open"]>>[0]) =>
      store.create({ name: "more", passphrase: passphrase("first") });
    const { failures } = await damageRounds({ cases: 2, seed: 1, open });
    expect(failures.join("\n")).toContain("something was written");
  });
});

test("a file whose magic alone is gone is still known as one of Lyra's", async () => {
  const folder = privateFolder();
  const keystore = new FolderKeystore(folder.path);
  const store = cheapStore(keystore);
  await store.create({ name: "w", passphrase: passphrase("first") });
  const file = (await keystore.read("w"))!;
  await keystore.exclusively(() => keystore.replace("w", file.fill(0xaa, 0, 16)));
  expect(await store.list()).toEqual([{ name: "w", format: "lyra", problem: undefined }]);
  const { code, message } = await failureOf(() => store.unlock("w", passphrase("first")));
  expect([code, message]).toEqual([
    "wallet_damaged",
    "the wallet file is damaged: its head is not what was written",
  ]);
  folder.remove();
});
