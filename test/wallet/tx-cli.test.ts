// lyra tx: from a command to a transaction in a node, with the signing on a machine of its own.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { verifyProof } from "../../src/admission/pow/function.ts";
import { decodeTransaction } from "../../src/wire/generated/commands.ts";
import { checkTransaction } from "../../src/wire/transaction-check.ts";
import { Cli } from "./support/cli.ts";
import { KEY_1, TRANSACTION } from "./support/vectors.ts";

const cli = new Cli();
afterAll(() => cli.remove());
const { chainId, blockHash, blockHeight } = TRANSACTION;
const command = JSON.stringify(TRANSACTION.command);
const commandFile = cli.file("command.json", command);
const blockFile = cli.file(
  "block.json",
  JSON.stringify({
    height: blockHeight.toString(),
    hash: blockHash,
    spamPowHashFunction: "sha3_24_rounds",
    spamPowDifficulty: TRANSACTION.difficulty,
    spamPowNumberOfPastBlocks: 100,
    spamPowNumberOfTxPerBlock: 2,
    spamPowIncreasingDifficulty: false,
    chainId,
  }),
);
const vectorBase64 = Buffer.from(TRANSACTION.hex, "hex").toString("base64");
const signing = ["--wallet", "old", "--key", KEY_1, "--passphrase-file", cli.passphraseFile];
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
  ])("%s", async (_, given, kind) => {
    const { out, code } = await cli.run(["tx", "check", "-", "--json"], given);
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

describe("what is refused", () => {
  const voteOf = (payload: object) => JSON.stringify({ voteSubmission: payload });
  test.each<[string, string[], string]>([
    ["nothing", [], "say build, check, sign, prove or send"],
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
    ["signing without a key", ["sign", command, "--height", "1"], "say --wallet NAME and --key PUBLIC_KEY"],
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
        "--passphrase-file",
        cli.passphraseFile,
      ],
      "the public key does not exist",
    ],
    [
      "signing twice",
      ["sign", cli.file("vector", vectorBase64), "--chain-id", chainId, ...signing],
      "this is signed already",
    ],
    ["proving a command", ["prove", command, "--block", blockFile], "prove takes a signed transaction"],
    ["a block of another height", ["prove", "VECTOR", "--block", "LATER"], "the file is of block 1001"],
    ["no block", ["prove", "VECTOR"], "say --block FILE, or --block-hash HASH"],
    [
      "a block hash that is none",
      ["prove", "VECTOR", "--block-hash", "ab", "--difficulty", "2"],
      "incorrect block hash",
    ],
    ["neither JSON nor base64", ["check", cli.file("garbage", "!!")], "it is neither JSON nor base64"],
    ["bytes of something else", ["check", cli.file("bytes", "AAAA")], "no transaction"],
    ["sending nowhere", ["send", "VECTOR"], "say where to: --node URL"],
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

describe("send", () => {
  const vector = cli.file("vector", vectorBase64);
  const HASH = "AB".repeat(32);

  /** A node that answers with this; counts what reaches it. */
  async function sentTo(answer: (socket: Socket) => void, ...words: string[]) {
    const requests: string[] = [];
    const server = createServer((socket) => {
      let request = "";
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        request += chunk.toString();
        const [head = "", body] = request.split("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (body === undefined || body.length < length) return;
        requests.push(request);
        answer(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const said = await tx("send", vector, "--node", `http://127.0.0.1:${port}/`, "--json", ...words);
    server.close();
    return { ...said, requests, error: said.code === 0 ? undefined : JSON.parse(said.err).error };
  }

  const reply = (document: unknown, status = "200 OK") => {
    const body = JSON.stringify(document);
    return (socket: Socket) =>
      socket.end(
        `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
  };
  const answer = { success: true, txHash: HASH, code: 0, data: "", log: "", height: "0" };

  test("posts the bytes as they are", async () => {
    const { out, code, requests } = await sentTo(reply(answer));
    expect([code, JSON.parse(out)]).toMatchObject([0, { transactionHash: HASH, height: "0" }]);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toStartWith("POST /transaction/raw HTTP/1.1\r\n");
    expect(JSON.parse(requests[0]!.split("\r\n\r\n")[1]!)).toEqual({ tx: vectorBase64, type: "TYPE_SYNC" });
  });

  test("commit says the block", async () => {
    const { out, requests } = await sentTo(reply({ ...answer, height: "1001" }), "--type", "commit");
    expect(JSON.parse(out).height).toBe("1001");
    expect(requests[0]).toContain('"TYPE_COMMIT"');
  });

  test("a refusal by the chain has its reason, though the node says success", async () => {
    const data = Buffer.from("unknown block height").toString("hex").toUpperCase();
    const { code, error, out } = await sentTo(reply({ ...answer, code: 89, data }));
    expect([code, out, error.code, error.message]).toEqual([
      1,
      "",
      "transaction_refused",
      "unknown block height (ABCI code 89)",
    ]);
  });

  test.each<[string, (socket: Socket) => void, number, string]>([
    ["closes the connection", (socket) => socket.destroy(), 3, "outcome_unknown"],
    ["says nothing", () => {}, 3, "outcome_unknown"],
    [
      "answers half",
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"succ'),
      3,
      "outcome_unknown",
    ],
    [
      "answers with a page",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"),
      3,
      "outcome_unknown",
    ],
    [
      "fails",
      reply({ code: 13, message: "Internal error" }, "500 Internal Server Error"),
      3,
      "outcome_unknown",
    ],
    [
      "had it already",
      reply(
        { message: "Internal error", details: [{ message: "tx already exists in cache" }] },
        "500 Internal Server Error",
      ),
      1,
      "node_refused",
    ],
    ["does not want it", reply({ message: "invalid request" }, "400 Bad Request"), 1, "node_refused"],
    [
      "points elsewhere",
      (socket) => socket.end("HTTP/1.1 307 Moved\r\nlocation: /transaction/raw\r\ncontent-length: 0\r\n\r\n"),
      1,
      "node_redirects",
    ],
  ])("a node that %s gets it once", async (_, behaviour, exitCode, code) => {
    const sent = await sentTo(behaviour, "--timeout", "1");
    expect([sent.code, sent.error.code, sent.requests.length]).toEqual([exitCode, code, 1]);
  });

  test("to nobody is not sent", async () => {
    const { code, err } = await tx("send", vector, "--node", "http://127.0.0.1:1", "--json");
    expect([code, JSON.parse(err).error.code]).toEqual([3, "node_unreachable"]);
  });

  test("without a proof of work is not sent", async () => {
    const unproven = cli.file("unproven", await linesOf("sign", command, "--block", blockFile, ...signing));
    const { code, err } = await tx("send", unproven, "--node", "http://127.0.0.1:1");
    expect([code, err]).toEqual([1, expect.stringContaining("the transaction has no proof of work")]);
  });
});
