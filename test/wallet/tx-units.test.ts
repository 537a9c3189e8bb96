// Amounts, assets and keys as people say them, in `lyra wallet send` and `lyra tx build`; on a devnet they arrive.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../../src/cli/command/usage-error.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { partiesOf } from "../../src/wallet/sending/devnet-parties.ts";
import { amountInUnits, assetOf, type NamedAsset, recipientOf } from "../../src/wallet/units.ts";
import { decodeInputData } from "../../src/wire/generated/commands.ts";
import { DOLLAR } from "../rig/devnet-client.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";
import { Cli } from "./support/cli.ts";
import { HAS_SETSID, lyraOnTerminal } from "./support/pty.ts";
import { KEY_1 } from "./support/vectors.ts";

const wrong = (message: string) => usageError("test", message);
const A = "a".repeat(64);
const B = "b".repeat(64);

describe("an amount", () => {
  const asset = { symbol: "tUSD", decimals: 5 };
  test.each([
    ["5", "500000"],
    ["0.25", "25000"],
    ["007.50", "750000"],
    ["0.00001", "1"],
  ])("%s is %s units", (text, units) => {
    expect(amountInUnits(text, asset, wrong)).toBe(units);
  });

  test.each([
    ...[
      "+5",
      "-5",
      "1e3",
      "0x10",
      "",
      " 5",
      "5 ",
      "5\n",
      "٥",
      "５",
      "1,000",
      "1_000",
      ".5",
      "5.",
      "1.2.3",
      "NaN",
    ].map((text) => [text, "is not digits"]),
    ["9".repeat(81), "is not digits"],
    ["0", "must be more than 0"],
    ["0.000", "must be more than 0"],
    ["0.000001", "amounts of tUSD have 5 decimals, and 0.000001 has more"],
    ["9".repeat(78), "it has more than 256 bits"],
  ])("%p is refused", (text, why) => {
    expect(() => amountInUnits(text!, asset, wrong)).toThrow(why);
  });
});

describe("an asset", () => {
  const dollar: NamedAsset = { id: A, symbol: "tUSD", name: "Test Dollar", decimals: 5 };
  const copy: NamedAsset = { id: B, symbol: "tUSD", name: "Copy", decimals: 18 };
  const liar: NamedAsset = { id: "1f", symbol: A, name: "\u202eDSUt", decimals: 0 };

  test.each([
    ["its symbol", "tUSD", [dollar, liar], A],
    ["its name", "Test Dollar", [dollar, copy], A],
    ["its identifier, in capitals too", A.toUpperCase(), [copy, dollar], A],
    ["its identifier, though another asset is called so", A, [liar, dollar], A],
    ["a short identifier", "1f", [liar], "1f"],
  ])("is found by %s", (_, text, assets, id) => {
    expect(assetOf(text, assets, wrong).id).toBe(id);
  });

  test.each([
    [
      "a symbol of two",
      "tUSD",
      [dollar, copy],
      `2 assets are called "tUSD": say its identifier (${A} "Test Dollar", ${B} "Copy")`,
    ],
    ["a symbol in other letters", "TUSD", [dollar, liar], 'there is no asset "TUSD": it knows tUSD'],
    ["a name that turns the direction", "DSUt", [liar], 'there is no asset "DSUt"'],
    ["none", "tUSD", [], "it knows none"],
  ])("is refused by %s", (_, text, assets, why) => {
    expect(() => assetOf(text, assets as NamedAsset[], wrong)).toThrow(why);
  });
});

describe("a recipient", () => {
  const own = { name: "savings", publicKey: A, origin: "the wallet mine" };
  test("is a key, or the key of a name; what looks like a key is one", () => {
    const mimic = { name: A, publicKey: B, origin: "this devnet" };
    expect(recipientOf("savings", [own], wrong)).toEqual({ publicKey: A, key: own });
    expect(recipientOf(A.toUpperCase(), [mimic, own], wrong)).toEqual({ publicKey: A, key: own });
    expect(recipientOf(A, [mimic], wrong)).toEqual({ publicKey: A, key: undefined });
  });

  test("of a name that two keys have, or none, is refused", () => {
    const second = { name: "savings", publicKey: B, origin: "this devnet" };
    expect(() => recipientOf("savings", [own, second], wrong)).toThrow("2 keys are called");
    expect(() => recipientOf("aaaa", [own], wrong)).toThrow(
      '"aaaa" is not a key: it has 64 hexadecimal digits, or a name: savings',
    );
    expect(() => recipientOf(`0x${A}`, [], wrong)).toThrow("is not a key");
  });

  test("names are asked of no node elsewhere", async () => {
    expect(await partiesOf("https://127.0.0.1.evil.example")).toEqual([]);
    expect(await partiesOf("https://api.example")).toEqual([]);
  });
});

describe("on a devnet", () => {
  const cli = new Cli();
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await borrowDevnet({ "spam.pow.difficulty": "2" });
    await devnet.chain.bridge.deposit(KEY_1, DOLLAR, 5_000_000n);
  });
  afterAll(async () => {
    await returnDevnet();
    cli.remove();
  });
  const node = () => ["--node-url", devnet.nodeUrl];
  const signing = ["--passphrase-file", cli.passphraseFile, "--key", KEY_1];
  const bob = () => devnet.parties[1]!.publicKey;
  const tx = async (...words: string[]) => {
    const { out, err, code } = await cli.run(["tx", ...words, "--json"]);
    if (code !== 0) throw new Error(err);
    return JSON.parse(out);
  };
  const commandOf = (document: { inputData: string }) =>
    decodeInputData(Uint8Array.fromBase64(document.inputData));

  test("five dollars arrive, with their fee and block, and the key that a name meant is shown", async () => {
    const { code, out, err } = await cli.run([
      ...["wallet", "send", "5", "tUSD", "bob", "--yes", ...signing, ...node()],
    ]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^[0-9A-F]{64}\n$/)]);
    expect(err).toContain(`Send 5 tUSD (asset ${DOLLAR}) to ${bob()}`);
    expect(err).toContain("which is             bob of this devnet");
    expect(err).toContain("fee (node says)      0.005 tUSD");
    expect(err).toContain("left (node says)     44.995 tUSD");
    expect(err).toMatch(/sent as [0-9A-F]{64}: in block \d+/);
    const held = await cli.run(["wallet", "balance", "--key", KEY_1, ...node(), "--json"]);
    expect(JSON.parse(held.out).balances).toContainEqual(
      expect.objectContaining({ symbol: "tUSD", balance: "4499500" }),
    );
  }, 60_000);

  test.skipIf(!HAS_SETSID)(
    "a person who says no sends nothing",
    async () => {
      const words = ["wallet", "send", "1", "Test Dollar", bob(), ...signing, ...node()];
      const { code, shown } = await lyraOnTerminal(cli, words, ["send it? yes/NO: ", "no\r"]);
      expect([code, shown.includes("it was not signed")]).toEqual([1, true]);
    },
    60_000,
  );

  test("without a terminal and without --yes nothing is sent", async () => {
    const { code, err } = await cli.run(["wallet", "send", "1", "tUSD", "bob", ...signing, ...node()]);
    expect([code, err]).toEqual([2, expect.stringContaining("there is no terminal to ask on: say --yes")]);
  });

  test("a transfer, a withdrawal, a delegation and a vote are built", async () => {
    expect(
      commandOf(await tx("build", "transfer", "1.5", "tUSD", "bob", "--reference", "rent", ...node()))
        .transfer,
    ).toMatchObject({
      asset: DOLLAR,
      amount: "150000",
      to: bob(),
      reference: "rent",
      fromAccountType: 4,
      toAccountType: 4,
    });
    const address = "0x29B61b169AED2f8035866d93758413f531B21dB6";
    const { withdrawSubmission } = commandOf(await tx("build", "withdraw", "2", "LYRA", address, ...node()));
    expect(withdrawSubmission).toMatchObject({
      amount: `2${"0".repeat(18)}`,
      ext: { erc20: { receiverAddress: address } },
    });
    expect(commandOf(await tx("build", "delegate", "0.5", A, ...node())).delegateSubmission).toEqual({
      nodeId: A,
      amount: `5${"0".repeat(17)}`,
    });
    const vote = ["build", "vote", A, "no", "--height", "7"];
    expect(commandOf(await tx(...vote)).voteSubmission).toEqual({ proposalId: A, value: 1 });
  }, 60_000);

  test("names and decimals of assets travel in the file of the block to the machine without a network", async () => {
    const file = join(cli.home, "block.json");
    expect((await cli.run(["tx", "block", ...node(), "--out", file])).code).toBe(0);
    const draft = cli.file(
      "draft.json",
      JSON.stringify(await tx("build", "transfer", "0.75", "tUSD", bob(), "--block", file)),
    );
    const signed = await cli.run(["tx", "sign", draft, "--yes", "--wallet", "old", ...signing]);
    expect([signed.code, signed.err]).toEqual([0, expect.stringContaining("Send 0.75 tUSD")]);
    expect(signed.err).toContain("names, decimals      as the file of the block says");
    const checked = await cli.run(["tx", "check", draft]);
    expect(checked.err).toContain("Send 0.75 tUSD");

    const document = JSON.parse(readFileSync(file, "utf8"));
    const twice = { ...document, assets: [...document.assets, { ...document.assets[0], decimals: 1 }] };
    writeFileSync(join(cli.home, "twice.json"), JSON.stringify(twice));
    const refused = await cli.run([
      "tx",
      "build",
      "transfer",
      "1",
      "tUSD",
      bob(),
      "--block",
      join(cli.home, "twice.json"),
    ]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("each once")]);
    const { assets: _assets, ...bare } = document;
    const without = cli.file("bare.json", JSON.stringify(bare));
    const missing = await cli.run(["tx", "build", "transfer", "1", "tUSD", bob(), "--block", without]);
    expect(missing.err).toContain("names no assets: make it again with lyra tx block");
  }, 60_000);
});
