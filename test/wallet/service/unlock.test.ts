// lyra wallet unlock and lock: the wallets of a running service, from the command line.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Cli } from "../support/cli.ts";
import { PASSPHRASE } from "../support/wallets.ts";
import { Rig } from "./rig.ts";

let cli: Cli;
let rig: Rig;
beforeAll(async () => {
  cli = new Cli();
  rig = await Rig.start({ home: cli.home });
});
afterAll(async () => {
  await rig.stop();
  cli.remove();
});

const isUnlocked = () => rig.running.service.parts.wallets.get("vectors") !== undefined;

test("a wallet is unlocked by its passphrase, and locked again", async () => {
  const right = cli.file("right", PASSPHRASE);
  const unlock = (file: string, ...more: string[]) =>
    cli.run(["wallet", "unlock", "vectors", "--passphrase-file", file, ...more]);
  const wrong = await unlock(cli.passphraseFile);
  expect([wrong.code, wrong.err, isUnlocked()]).toEqual([1, "lyra: wrong passphrase\n", false]);
  expect(await unlock(right, "--json")).toEqual({ code: 0, out: '{"unlocked":"vectors"}\n', err: "" });
  expect(isUnlocked()).toBe(true);
  const lock = (...more: string[]) => cli.run(["wallet", "lock", "vectors", ...more]);
  expect(await lock("--json")).toEqual({ code: 0, out: '{"locked":"vectors"}\n', err: "" });
  expect(isUnlocked()).toBe(false);
  expect((await lock()).err).toBe("vectors is locked already\n");
});

test("a passphrase that is not text is not sent as another one", async () => {
  const latin = cli.file("latin", Uint8Array.of(0x70, 0xe9));
  const { code, err } = await cli.run(["wallet", "unlock", "vectors", "--passphrase-file", latin]);
  expect([code, err.includes("is not UTF-8")]).toEqual([2, true]);
});

test("a wallet that is not there is no reason to ask for a passphrase", async () => {
  const unknown = await cli.run(["wallet", "unlock", "none"]);
  expect([unknown.code, unknown.err.includes("the wallet does not exist")]).toEqual([1, true]);
  expect((await cli.run(["wallet", "lock", "none"])).err).toContain("the wallet does not exist");
});

test("without a service there is nothing to unlock", async () => {
  const words = ["--home", `${cli.home}/other`];
  const unlocked = await cli.run(["wallet", "unlock", "vectors", ...words]);
  expect([unlocked.code, unlocked.err.includes("no wallet service runs")]).toEqual([3, true]);
  expect((await cli.run(["wallet", "lock", "vectors", ...words])).code).toBe(3);
});
