// A cold machine and a hot one, as processes: signed where there is no network, proven and sent by others, executed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { DOLLAR } from "../rig/devnet-client.ts";
import { bannedUntil, executedOf } from "../support/devnet-party.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";
import { Cli } from "./support/cli.ts";
import { KEY_1 } from "./support/vectors.ts";

/** Both machines have the wallet `old`; only their homes differ. */
const cold = new Cli();
const hot = new Cli();
let devnet: Devnet;
beforeAll(async () => {
  devnet = await borrowDevnet({ "spam.pow.difficulty": "4" });
  await devnet.chain.bridge.deposit(KEY_1, DOLLAR, 1_000_000_000n);
});
afterAll(async () => {
  await returnDevnet();
  cold.remove();
  hot.remove();
});

/** Starts a program with no interface but a loopback that is down; as root, or as anybody where that is allowed. */
const CUT = [
  ["unshare", "--net"],
  ["unshare", "--map-root-user", "--net"],
].find((words) => Bun.spawnSync([...words, "true"]).exitCode === 0);
if (CUT === undefined)
  console.log("skipped: signing without a network (no network namespace may be made here)");
const node = () => ["--node", devnet.nodeUrl];
const signing = ["--wallet", "old", "--key", KEY_1, "--passphrase-file", cold.passphraseFile, "--yes"];

function transferOf(amount: string): string {
  const account = { fromAccountType: "ACCOUNT_TYPE_GENERAL", toAccountType: "ACCOUNT_TYPE_GENERAL" };
  const to = devnet.parties[1]!.publicKey;
  return JSON.stringify({ transfer: { ...account, to, asset: DOLLAR, amount, oneOff: {} } });
}

async function lyra(cli: Cli, words: readonly string[], stdin = ""): Promise<string> {
  const { out, err, code } = await cli.run(["tx", ...words], stdin);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${err}`);
  return out;
}

describe.skipIf(CUT === undefined)("without a network", () => {
  test("signed, carried as files, proven, sent and executed", async () => {
    const [block, signed, proven] = ["block", "signed", "proven"].map((name) =>
      join(hot.home, `${name}.json`),
    );
    await lyra(hot, ["block", ...node(), "--key", KEY_1, "--out", block!]);
    const written = JSON.parse(readFileSync(block!, "utf8"));
    expect(written).toMatchObject({ chainId: devnet.chainId, height: String(devnet.chain.status.height) });

    const refused = await cold.runBehind([...CUT!], ["tx", "block", ...node()]);
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("no healthy node available")]);
    const words = ["tx", "sign", transferOf("700000"), "--offline", "--block", block!, ...signing];
    const { code, err } = await cold.runBehind([...CUT!], [...words, "--out", signed!]);
    const until = String(devnet.chain.status.height + written.spamPowNumberOfPastBlocks - 1);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(`the signature is good for blocks up to ${until}`),
    ]);

    await lyra(hot, ["prove", signed!, ...node(), "--out", proven!]);
    expect(JSON.parse(readFileSync(proven!, "utf8"))).toMatchObject({
      chainId: devnet.chainId,
      validUntilHeight: until,
      validForBlocks: String(written.spamPowNumberOfPastBlocks - 1),
    });
    const sent = JSON.parse(await lyra(hot, ["send", proven!, ...node(), "--type", "commit", "--json"]));
    expect(sent.transactionHash).toMatch(/^[0-9A-F]{64}$/);
    expect(await executedOf(devnet, KEY_1)).toEqual(["700000"]);
  }, 120_000);

  test("by lines through pipes, with the proof made by what sends", async () => {
    const block = cold.file("block.json", await lyra(hot, ["block", ...node(), "--key", KEY_1]));
    const words = ["tx", "sign", transferOf("800000"), "--block", block, ...signing];
    const { out } = await cold.runBehind([...CUT!], words);
    await lyra(hot, ["send", "-", ...node(), "--type", "commit"], out);
    expect(await executedOf(devnet, KEY_1)).toContain("800000");
    expect(await bannedUntil(devnet, KEY_1)).toBeUndefined();
  }, 120_000);

  test("shown as a QR code", async () => {
    const block = cold.file("block-qr.json", await lyra(hot, ["block", ...node()]));
    const words = ["tx", "sign", transferOf("900000"), "--block", block, ...signing, "--qr"];
    const { out, code } = await cold.runBehind([...CUT!], words);
    const lines = out.trimEnd().split("\n");
    expect(code).toBe(0);
    // A transfer takes version 14 or more: 73 modules and a margin of four on each side, two to a line.
    expect(lines.length).toBeGreaterThanOrEqual(38);
    expect(lines.slice(2, -2).join("")).toMatch(/^[ █▀▄]+$/);
  }, 120_000);
});

test("a chain that is not the one it was signed for gets nothing", async () => {
  const words = ["sign", transferOf("1000000"), "--height", "1", "--chain-id", "another", ...signing];
  const signed = await lyra(cold, words);
  const before = devnet.chain.status.height;
  const { code, err } = await hot.run(["tx", "send", "-", ...node()], signed);
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`it has to be signed for the chain ${devnet.chainId}`),
  ]);
  const named = await hot.run(["tx", "send", "-", ...node(), "--chain-id", "another"], signed);
  expect([named.code, named.err]).toEqual([1, expect.stringContaining("and another is wanted")]);
  expect(devnet.chain.status.height).toBe(before);
}, 120_000);
