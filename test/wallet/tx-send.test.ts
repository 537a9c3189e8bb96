// lyra tx send to a node that behaves well, and to all that can be at an address instead.
import { afterAll, describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { decodeTransaction } from "../../src/wire/generated/commands.ts";
import { serializeTransaction, transactionHash } from "../../src/wire/transaction.ts";
import { Cli } from "./support/cli.ts";
import { KEY_1, TRANSACTION } from "./support/vectors.ts";

const cli = new Cli();
afterAll(() => cli.remove());
const { chainId, blockHash } = TRANSACTION;
const vectorBase64 = Buffer.from(TRANSACTION.hex, "hex").toString("base64");
const vector = cli.file("vector", vectorBase64);
const { pow: _pow, ...withoutProof } = decodeTransaction(Buffer.from(TRANSACTION.hex, "hex"));
const unproven = cli.file("unproven", Buffer.from(serializeTransaction(withoutProof)).toString("base64"));
/** The transaction's own; what a node says it is does not count. */
const HASH = transactionHash(Buffer.from(TRANSACTION.hex, "hex")).toUpperCase();
/** A new home each time: what one test sent is not remembered by the next. */
const tx = (...words: string[]) => cli.run(["tx", ...words, "--home", join(cli.home, crypto.randomUUID())]);

const rules = {
  hashFunction: "sha3_24_rounds",
  difficulty: "2",
  txPerBlock: "2",
  increasingDifficulty: false,
};
const HEIGHT = {
  height: "1000",
  hash: blockHash,
  spamPowHashFunction: "sha3_24_rounds",
  spamPowDifficulty: 2,
  spamPowNumberOfPastBlocks: 100,
  spamPowNumberOfTxPerBlock: 2,
  spamPowIncreasingDifficulty: false,
  chainId,
};
const STATE = { blockHeight: "1000", blockHash, transactionsSeen: "0", expectedDifficulty: "2", ...rules };
const statistics = (state: object = {}, pow: object = {}) => ({
  chainId,
  statistics: {
    votes: { statistics: [], maxForEpoch: "3" },
    pow: { blockStates: [{ ...STATE, ...state }], numberOfPastBlocks: "100", ...pow },
    epochSeq: "1",
  },
});

/** The last block, by the same node. */
function heightBeside(answers: object) {
  const isRising = JSON.stringify(answers).includes('"increasingDifficulty":true');
  const [, bits = "2"] = /"difficulty":"(\d+)"/.exec(JSON.stringify(answers)) ?? [];
  return { ...HEIGHT, spamPowDifficulty: Number(bits), spamPowIncreasingDifficulty: isRising };
}

type Behaviour = (socket: Socket) => void;

function reply(document: unknown, status = "200 OK"): Behaviour {
  const body = JSON.stringify(document);
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json`;
  return (socket) => socket.end(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}

/** A node that answers submissions with this; counts what reaches it. */
const sentTo = (submission: Behaviour, answers: object = statistics(), ...words: string[]) =>
  submittedTo(submission, answers, vector, words);

async function submittedTo(
  submission: Behaviour,
  answers: object,
  transaction: string,
  words: readonly string[] = [],
) {
  const requests: string[] = [];
  const server = createServer((socket) => {
    let request = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      request += chunk.toString();
      const [head = "", body] = request.split("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      if (head.startsWith("GET /blockchain/height")) return reply(heightBeside(answers))(socket);
      if (head.startsWith(`GET /statistics/spam/${KEY_1}`)) return reply(answers)(socket);
      if (head.startsWith("GET /statistics ")) {
        return reply({ statistics: { epochExpiryTime: "2030-01-02T00:00:00Z" } })(socket);
      }
      requests.push(request);
      submission(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const ended = await tx(
    "send",
    transaction,
    "--node",
    `http://127.0.0.1:${port}/`,
    "--json",
    "--sole-user",
    ...words,
  );
  server.close();
  return { ...ended, requests, error: ended.code === 0 ? undefined : JSON.parse(ended.err).error };
}

const answer = { success: true, txHash: "AB".repeat(32), code: 0, data: "", log: "", height: "0" };

describe.concurrent("a node", () => {
  test("gets the bytes as they are; the signature's time is told", async () => {
    const { out, code, requests } = await sentTo(reply(answer));
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { transactionHash: HASH, height: "0", validUntilHeight: "1099", validForBlocks: "99" },
    ]);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toStartWith("POST /transaction/raw HTTP/1.1\r\n");
    expect(JSON.parse(requests[0]!.split("\r\n\r\n")[1]!)).toEqual({ tx: vectorBase64, type: "TYPE_SYNC" });
  });

  test("says the block, with commit", async () => {
    const { out, requests } = await sentTo(
      reply({ ...answer, height: "1001" }),
      statistics(),
      "--type",
      "commit",
    );
    expect(JSON.parse(out).height).toBe("1001");
    expect(requests[0]).toContain('"TYPE_COMMIT"');
  });

  test("that refuses has its reason, though it says success", async () => {
    const data = Buffer.from("unknown block height").toString("hex").toUpperCase();
    const { code, error, out } = await sentTo(reply({ ...answer, code: 89, data }));
    expect([code, out, error.code, error.message]).toEqual([
      1,
      "",
      "transaction_refused",
      "unknown block height (ABCI code 89)",
    ]);
  });

  const until = "2030-01-01T00:00:00Z";
  const refusals: readonly (readonly [
    name: string,
    answers: object,
    code: string,
    message: string,
    exit: number,
  ])[] = [
    [
      "has counted as many as the block takes",
      statistics({ transactionsSeen: "2" }),
      "quota_reached",
      "2 for each block",
      3,
    ],
    [
      "wants a harder proof",
      statistics({ transactionsSeen: "10", increasingDifficulty: true, expectedDifficulty: "7" }),
      "proof_weak",
      "needs 7 bits",
      1,
    ],
    ["has banned the key", statistics({}, { bannedUntil: until }), "party_banned", until, 1],
    [
      "has taken all votes of the epoch",
      {
        ...statistics(),
        statistics: { ...statistics().statistics, votes: { statistics: [], maxForEpoch: "0" } },
      },
      "maximum_reached",
      "transactions of this type per epoch (0); the next epoch begins at 2030-01-02T00:00:00Z",
      1,
    ],
    [
      "is too far ahead",
      statistics({ blockHeight: "1100", blockHash: "cd".repeat(32) }),
      "block_too_historic",
      "it names block 1000, and the chain is at 1100",
      1,
    ],
  ];
  test.each(refusals)("that %s gets nothing", async (_, answers, code, message, exit) => {
    const sent = await sentTo(reply(answer), answers, "--wait", "0");
    expect([sent.code, sent.error.code, sent.requests.length]).toEqual([exit, code, 0]);
    expect(sent.error.message).toContain(message);
  });
});

describe.concurrent("something that", () => {
  const cases: readonly (readonly [string, Behaviour, exit: number, code: string, times: number])[] = [
    ["closes the connection", (socket) => socket.destroy(), 3, "outcome_unknown", 3],
    ["says nothing", () => {}, 3, "outcome_unknown", 3],
    [
      "answers half",
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"succ'),
      3,
      "outcome_unknown",
      3,
    ],
    [
      "answers with a page",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"),
      3,
      "outcome_unknown",
      3,
    ],
    [
      "fails",
      reply({ code: 13, message: "Internal error" }, "500 Internal Server Error"),
      3,
      "outcome_unknown",
      3,
    ],
    ["does not want it", reply({ message: "invalid request" }, "400 Bad Request"), 1, "node_refused", 1],
    [
      "points elsewhere",
      (socket) => socket.end("HTTP/1.1 307 Moved\r\nlocation: /transaction/raw\r\ncontent-length: 0\r\n\r\n"),
      1,
      "node_redirects",
      1,
    ],
  ];
  test.each(cases)(
    "%s gets the same bytes, if it gets them again",
    async (_, behaviour, exit, code, times) => {
      const sent = await sentTo(behaviour, statistics(), "--timeout", "1");
      expect([sent.code, sent.error.code, sent.requests.length]).toEqual([exit, code, times]);
      expect(new Set(sent.requests.map((request) => request.split("\r\n\r\n")[1])).size).toBe(1);
    },
  );

  test("has it already is what was wanted", async () => {
    const details = [{ message: "tx already exists in cache" }];
    const sent = await sentTo(reply({ message: "Internal error", details }, "500 Internal Server Error"));
    expect([sent.code, JSON.parse(sent.out).transactionHash]).toEqual([
      0,
      expect.stringMatching(/^[0-9A-F]{64}$/),
    ]);
  });

  test("has it already, and the key's statistics count it in a block", async () => {
    const details = [{ message: "tx already exists in cache" }];
    const behaviour = reply({ message: "Internal error", details }, "500 Internal Server Error");
    const sent = await sentTo(behaviour, statistics({ transactionsSeen: "1" }));
    expect([sent.code, sent.error]).toEqual([
      1,
      expect.objectContaining({ code: "already_sent", hint: `look for its hash, ${HASH}` }),
    ]);
  });

  test("asks for a proof that nobody finds: it is refused at once, whoever makes it", async () => {
    const hard = statistics({ difficulty: "200", expectedDifficulty: "200" });
    const sent = await submittedTo(reply(answer), hard, unproven);
    expect([sent.code, sent.error.code, sent.requests]).toEqual([1, "proof_too_hard", []]);
  });

  test("has executed it says so", async () => {
    const data = Buffer.from("transaction hash already used").toString("hex").toUpperCase();
    const sent = await sentTo(reply({ ...answer, code: 89, data }));
    expect([sent.code, sent.error.code]).toEqual([1, "already_sent"]);
  });

  test("is not there gets nothing", async () => {
    const { code, err } = await tx("send", vector, "--node", "http://127.0.0.1:1", "--json");
    expect([code, JSON.parse(err).error.code]).toEqual([3, "no_healthy_node"]);
  });
});
