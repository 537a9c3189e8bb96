// lyra tx: from a command to a transaction in a node, with the signing on a machine of its own.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { verifyProof } from "../../src/chain/admission/pow/function.ts";
import { decodeTransaction } from "../../src/wire/generated/commands.ts";
import { checkTransaction } from "../../src/wire/transaction-check.ts";
import { Cli } from "./support/cli.ts";
import { KEY_1, TRANSACTION } from "./support/vectors.ts";

const cli = new Cli();
afterAll(() => cli.remove());
const { chainId, blockHash, blockHeight } = TRANSACTION;
const command = JSON.stringify(TRANSACTION.command);
const commandFile = cli.file("command.json", command);
const blockText = JSON.stringify({
  height: blockHeight.toString(),
  hash: blockHash,
  spamPowHashFunction: "sha3_24_rounds",
  spamPowDifficulty: TRANSACTION.difficulty,
  spamPowNumberOfPastBlocks: 100,
  spamPowNumberOfTxPerBlock: 2,
  spamPowIncreasingDifficulty: false,
  chainId,
});
const blockFile = cli.file("block.json", blockText);
const vectorBase64 = Buffer.from(TRANSACTION.hex, "hex").toString("base64");
const signing = ["--wallet", "old", "--key", KEY_1, "--passphrase-file", cli.passphraseFile, "--yes"];
const exact = ["--height", "1000", "--nonce", TRANSACTION.nonce.toString()];

const tx = (...words: string[]) => cli.run(["tx", ...words]);
async function linesOf(...words: string[]): Promise<string> {
  const { out, err, code } = await tx(...words);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${err}`);
  return out;
}

describe("the vector, step by step", () => {
  test("by single lines", async () => {
    const inputData = await linesOf("build", commandFile, ...exact);
    expect(inputData).toBe(`${TRANSACTION.inputData}\n`);
    const signed = await linesOf("sign", cli.file("input", inputData), "--chain-id", chainId, ...signing);
    const proof = ["--block-hash", blockHash, "--difficulty", "2", "--tid", TRANSACTION.pow.tid];
    expect(await linesOf("prove", cli.file("signed", signed), ...proof)).toBe(`${vectorBase64}\n`);
  });

  test("by documents, with the signing cut off from any network", async () => {
    const [input, signed, proven] = ["input.json", "signed.json", "proven.json"].map((name) =>
      join(cli.home, name),
    );
    await linesOf(
      "build",
      command,
      "--block",
      blockFile,
      "--nonce",
      TRANSACTION.nonce.toString(),
      "--out",
      input!,
    );
    const words = ["sign", input!, "--offline", ...signing, "--out", signed!];
    // Where this may be done, in a network namespace without an interface that is up.
    const cut = Bun.spawnSync(["unshare", "--net", "true"]).exitCode === 0;
    if (!cut)
      console.log("not allowed to make a network namespace: signing is tested with the network there");
    await (cut ? cli.runBehind(["unshare", "--net"], ["tx", ...words]) : tx(...words));
    expect(JSON.parse(readFileSync(signed!, "utf8"))).toMatchObject({
      chainId,
      blockHeight: "1000",
      publicKey: KEY_1,
      command: "voteSubmission",
      signature: TRANSACTION.signature,
    });
    await linesOf("prove", signed!, "--block", blockFile, "--tid", TRANSACTION.pow.tid, "--out", proven!);
    expect(JSON.parse(readFileSync(proven!, "utf8"))).toMatchObject({
      transaction: vectorBase64,
      pow: { tid: TRANSACTION.pow.tid, nonce: "5" },
      validUntilHeight: "1099",
      chainId,
    });
    const { out, code } = await tx("check", proven!, "--json");
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        valid: true,
        kind: "transaction",
        command: "voteSubmission",
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        words: expect.objectContaining({ title: expect.stringContaining("Vote yes on the proposal") }),
        signature: "valid",
        errors: {},
      },
    ]);
  });

  test("from the command at once, with a nonce and an identifier of its own", async () => {
    const signed = await Promise.all(
      [1, 2].map(() => linesOf("sign", command, "--block", blockFile, "--json", ...signing)),
    );
    const [one, two] = signed.map((line) => JSON.parse(line).transaction as string);
    expect(one).not.toBe(two);
    const { out } = await cli.run(["tx", "prove", "-", "--block", blockFile, "--json"], `${one}\n`);
    const bytes = Buffer.from(JSON.parse(out).transaction, "base64");
    expect(checkTransaction(bytes, chainId)).toMatchObject({
      ok: true,
      transaction: { party: KEY_1, blockHeight },
    });
    const { pow } = decodeTransaction(bytes);
    expect(verifyProof({ blockHash, ...pow! }, TRANSACTION.difficulty)).toBeGreaterThanOrEqual(2);
  });
});

describe("check", () => {
  test.each([
    ["a command", command, "command"],
    ["input data", TRANSACTION.inputData, "inputData"],
    ["a transaction", vectorBase64, "transaction"],
  ])("%s", async (_, input, kind) => {
    const { out, code } = await cli.run(["tx", "check", "-", "--json"], input);
    expect([code, JSON.parse(out)]).toMatchObject([0, { valid: true, kind, command: "voteSubmission" }]);
  });

  test("says all that is wrong, and ends with 4", async () => {
    const { out, code } = await tx("check", '{"voteSubmission": {"proposalId": "x"}}', "--json");
    expect([code, JSON.parse(out)]).toEqual([
      4,
      {
        valid: false,
        kind: "command",
        command: "voteSubmission",
        signature: "none",
        errors: {
          "vote_submission.proposal_id": ["should be a valid vega ID"],
          "vote_submission.value": ["is required"],
        },
      },
    ]);
    const plain = await tx("check", vectorBase64FileFor("other"), "--chain-id", "another-chain");
    expect([plain.code, plain.out]).toEqual([4, "tx.signature.value invalid signature\n"]);
  });

  function vectorBase64FileFor(name: string): string {
    return cli.file(name, vectorBase64);
  }
});

describe("refusals", () => {
  const voteOf = (payload: object) => JSON.stringify({ voteSubmission: payload });
  test.each<[string, string[], string]>([
    ["nothing", [], "say block, build, check, sign, prove or send"],
    ["another verb", ["burn"], "there is no 'tx burn'"],
    ["a file that is not there", ["build", "missing", "--height", "1"], "missing cannot be read: ENOENT"],
    ["a command without a height", ["build", command], "say --height N or --block FILE"],
    ["a broken command", ["build", voteOf({}), "--height", "1"], "vote_submission.proposal_id (is required)"],
    ["an unknown command", ["build", '{"vote":{}}', "--height", "1"], 'has no field called "vote"'],
    ["no command", ["build", "{}", "--height", "1"], "submit_transaction_request.command (is required)"],
    ["a nonce of 0", ["build", command, "--height", "1", "--nonce", "0"], "--nonce must be"],
    [
      "another chain",
      ["build", command, "--block", blockFile, "--chain-id", "x"],
      "two different values are given",
    ],
    [
      "signing without a chain",
      ["sign", command, "--height", "1", ...signing],
      "say --chain-id ID or --block FILE",
    ],
    [
      "signing with a wallet that is not there",
      ["sign", command, "--block", blockFile, "--yes", "--wallet", "none"],
      "the wallet does not exist",
    ],
    [
      "an unknown key",
      [
        "sign",
        command,
        "--block",
        blockFile,
        "--wallet",
        "old",
        "--key",
        "ab",
        "--yes",
        "--passphrase-file",
        cli.passphraseFile,
      ],
      "the public key does not exist",
    ],
    [
      "signing unread",
      ["sign", command, "--block", blockFile, ...signing.filter((word) => word !== "--yes")],
      "there is no terminal to ask on: read it with lyra tx check, then say --yes",
    ],
    [
      "signing twice",
      ["sign", cli.file("vector", vectorBase64), "--chain-id", chainId, ...signing],
      "this is signed already",
    ],
    ["proving a command", ["prove", command, "--block", blockFile], "this takes a signed transaction"],
    ["a block of another height", ["prove", "VECTOR", "--block", "LATER"], "the file is of block 1001"],
    [
      "a member that stands twice",
      [
        "build",
        '{"voteSubmission":{"proposalId":"a","value":"VALUE_YES","proposalId":"b"}}',
        "--height",
        "1",
      ],
      "cannot be read: the member voteSubmission.proposalId is there twice",
    ],
    [
      "a block with a member that stands twice",
      ["build", command, "--block", cli.file("twice.json", blockText.replace("{", '{"height":"9",'))],
      "the member height is there twice",
    ],
    [
      "an amount with a sign",
      ["check", '{"withdrawSubmission":{"amount":"+5","asset":"a"}}'],
      "withdrawSubmission.amount has a sign: amounts are written with digits alone",
    ],
    [
      "a price with a sign inside of a batch",
      ["build", '{"batchMarketInstructions":{"submissions":[{"price":"+1"}]}}', "--height", "1"],
      "batchMarketInstructions.submissions[0].price has a sign",
    ],
    [
      "a proof that no machine finds",
      ["prove", "VECTOR", "--block-hash", blockHash, "--difficulty", "200"],
      "a proof of 200 bits is not searched for: none of more than 40",
    ],
    [
      "a proof that is harder than the block's own rules",
      ["prove", "VECTOR", "--block", blockFile, "--difficulty", "20"],
      "a proof of 20 bits is not searched for: the rules of its block ask for 2 at the most",
    ],
    [
      "a block that asks for more than is found",
      [
        "prove",
        "VECTOR",
        "--block",
        cli.file("hard.json", blockText.replace('Difficulty":2', 'Difficulty":200')),
      ],
      "a proof of 200 bits is not searched for",
    ],
    ["no block", ["prove", "VECTOR"], "say --node-url URL, --block FILE, or --block-hash HASH"],
    [
      "a difficulty beside a node",
      ["prove", "VECTOR", "--node", "http://127.0.0.1:1", "--difficulty", "2"],
      "does not go with a node",
    ],
    ["a block for no key", ["block", "--node", "http://127.0.0.1:1", "--key", "x"], "--key is a public key"],
    ["a block of nobody", ["block"], "say where to: --node-url URL or --network NAME"],
    [
      "a code and a file",
      ["sign", command, "--block", blockFile, ...signing, "--qr", "--json"],
      "--qr shows the transaction",
    ],
    [
      "a block hash that is none",
      ["prove", "VECTOR", "--block-hash", "ab", "--difficulty", "2"],
      "incorrect block hash",
    ],
    ["neither JSON nor base64", ["check", cli.file("garbage", "!!")], "it is neither JSON nor base64"],
    ["bytes of something else", ["check", cli.file("bytes", "AAAA")], "no transaction"],
    ["sending nowhere", ["send", "VECTOR"], "say where to: --node-url URL or --network NAME"],
    ["sending to no address", ["send", "VECTOR", "--node", "ftp://x"], "a node's address is like"],
    ["another type", ["send", "VECTOR", "--node", "http://127.0.0.1:1", "--type", "later"], "--type is sync"],
  ])("%s", async (_, words, message) => {
    const later = cli.file("later.json", readFileSync(blockFile, "utf8").replace('"1000"', '"1001"'));
    const vector = cli.file("vector", vectorBase64);
    const { out, err, code } = await tx(
      ...words.map((word) => (word === "VECTOR" ? vector : word === "LATER" ? later : word)),
    );
    expect(err).toContain(message);
    expect([out, [1, 2].includes(code)]).toEqual(["", true]);
  });
});

test("signed and checked transactions are described in words: amount, asset and recipient", async () => {
  const to = "ab".repeat(32);
  const asset = "cd".repeat(32);
  const account = { fromAccountType: "ACCOUNT_TYPE_GENERAL", toAccountType: "ACCOUNT_TYPE_GENERAL" };
  const transfer = JSON.stringify({ transfer: { ...account, to, asset, amount: "1500000", oneOff: {} } });
  const title = `Send 1,500,000 of the smallest unit of asset ${asset}`;
  const signed = await tx("sign", transfer, "--block", blockFile, ...signing);
  expect(signed.code).toBe(0);
  for (const part of [title, `to ${to}`, `${KEY_1} of old`, `chain                ${chainId}, height 1000`])
    expect(signed.err).toContain(part);
  const checked = await tx("check", cli.file("signed", signed.out.trim()), "--chain-id", chainId);
  expect([checked.code, checked.out.includes("valid"), checked.err.includes(title)]).toEqual([0, true, true]);
  const { words } = JSON.parse(await linesOf("check", transfer, "--json"));
  expect(words.title).toStartWith(title);
  const quiet = await tx("sign", transfer, "--block", blockFile, ...signing, "--quiet");
  expect([quiet.code, quiet.err]).toEqual([0, ""]);
});
