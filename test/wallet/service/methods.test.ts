// The methods of pages: every row of docs/protocol/50-wallet-service.md#31-client, and the catalogue's codes that come
// from them (1.6).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Decision } from "../../../src/wallet/approvals/approver.ts";
import { decodeInputData, decodeTransaction } from "../../../src/wire/generated/commands.ts";
import { KEY_1, KEY_2, Rig, VOTE } from "./rig.ts";

const PASSPHRASE = () => new Uint8Array(Buffer.from("correct horse battery staple"));
/** Whole: its own rules have nothing against it. */
const HEARTBEAT = {
  nodeId: "a".repeat(64),
  ethereumSignature: { value: "ab" },
  vegaSignature: { value: "ab", algo: "vega/ed25519", version: 1 },
};
const UNLOCK: Decision = { outcome: "approved", passphrase: PASSPHRASE() };

describe("client.connect_wallet", () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.stop());

  const decisions: readonly (readonly [Decision["outcome"], number, string])[] = [
    ["rejected", 3001, "the user rejected the wallet connection"],
    ["cancelled", 3002, "the user cancelled the request"],
    ["closed", 3000, "the user closed the connection"],
    ["interrupted", -32001, "the request has been interrupted"],
    ["busy", 2000, "a request is already being processed"],
  ];
  test.each(decisions)("%s", async (outcome, code, data) => {
    rig.person.answer = () => ({ outcome }) as Decision;
    const answer = await rig.call("client.connect_wallet");
    expect([answer.status, answer.body.error.code, answer.body.error.data, answer.token]).toEqual([
      400,
      code,
      data,
      null,
    ]);
  });

  test("no wallet at all: nobody is asked", async () => {
    const empty = await Rig.start({ wallets: [] });
    const answer = await empty.call("client.connect_wallet");
    expect([answer.status, answer.body.error.code, answer.body.error.data]).toEqual([
      400,
      2001,
      "the application cancelled the request",
    ]);
    expect(empty.person.asked).toEqual([]);
    await empty.stop();
  });

  test("any params will do; the passphrase is asked for once, until it is right", async () => {
    const passphrases = [new Uint8Array(Buffer.from("wrong")), PASSPHRASE()];
    rig.person.answer = (request) =>
      request.kind === "passphrase"
        ? { outcome: "approved", passphrase: passphrases.shift()! }
        : { outcome: "approved" };
    const answer = await rig.call("client.connect_wallet", [1, "x"]);
    expect(answer.status).toBe(200);
    expect(
      rig.person.asked.map((request) => (request.kind === "passphrase" ? request.reason : request.kind)),
    ).toEqual(["connection", "it is locked", "the passphrase was wrong"]);
    expect((await rig.call("client.connect_wallet")).status).toBe(200);
    expect(rig.person.kinds.at(-1)).toBe("connection");
  });

  test("no passphrase: no connection", async () => {
    rig.person.answer = ({ kind }) =>
      kind === "passphrase" ? { outcome: "rejected" } : { outcome: "approved" };
    const answer = await rig.call("client.connect_wallet");
    expect([answer.body.error.code, answer.body.error.data]).toEqual([
      3001,
      "the user rejected the wallet connection",
    ]);
  });

  test("a page that goes away takes its request with it", async () => {
    const controller = new AbortController();
    const isAsked = Promise.withResolvers<void>();
    rig.person.answer = (_request, signal) => {
      isAsked.resolve();
      return new Promise((resolve) =>
        signal!.addEventListener("abort", () => resolve({ outcome: "interrupted" })),
      );
    };
    const body = '{"jsonrpc":"2.0","method":"client.connect_wallet","id":"1"}';
    const asking = rig.post(body, {}, { signal: controller.signal });
    await isAsked.promise;
    controller.abort();
    expect((await asking).body.error.code).toBe(-32001);
  });
});

describe("client.get_chain_id", () => {
  test("needs no token, and a node", async () => {
    const rig = await Rig.start();
    expect((await rig.call("client.get_chain_id", null)).body.result).toEqual({ chainID: "test-chain" });
    rig.node.isDown = true;
    const answer = await rig.call("client.get_chain_id");
    expect([answer.status, answer.body.error]).toEqual([
      400,
      { code: 1000, message: "Network error", data: "no healthy node available" },
    ]);
    await rig.stop();
  });
});

describe("client.list_keys", () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start();
  });
  afterEach(() => rig.stop());

  test("asks once for a hostname, in the order of the keys, without tainted ones", async () => {
    const authorization = await rig.connect();
    const wallet = rig.running.service.parts.wallets.get("vectors")!;
    await wallet.annotateKey(KEY_2, [{ key: "name", value: "savings" }]);
    const third = await wallet.generateKey();
    await wallet.taintKey(third.publicKey);
    const [first, second] = await Promise.all([
      rig.call("client.list_keys", {}, { authorization }),
      rig.call("client.list_keys", {}, { authorization }),
    ]);
    const keys = [
      { name: "Key 1", publicKey: KEY_1 },
      { name: "savings", publicKey: KEY_2 },
    ];
    expect([first.body.result, second.body.result]).toEqual([{ keys }, { keys }]);
    await rig.connect();
    expect(rig.person.kinds).toEqual(["connection", "passphrase", "keys", "connection"]);
  });

  test("some keys only, in the user's order", async () => {
    rig.person.answer = ({ kind }) =>
      kind === "passphrase"
        ? { outcome: "approved", passphrase: PASSPHRASE() }
        : { outcome: "approved", ...(kind === "keys" && { allowedKeys: [KEY_2] }) };
    const authorization = await rig.ready();
    const answer = await rig.call("client.list_keys", {}, { authorization });
    expect(answer.body.result.keys).toEqual([{ name: "Key 2", publicKey: KEY_2 }]);
    const sent = await rig.send(authorization);
    expect([sent.body.error.code, sent.body.error.data]).toEqual([
      2000,
      "this public key is not allowed to be used",
    ]);
  });

  const decisions: readonly (readonly [Decision["outcome"], number, string])[] = [
    ["rejected", 3001, "the user rejected the access to the keys"],
    ["cancelled", 3002, "the user cancelled the request"],
    ["closed", 3000, "the user closed the connection"],
    ["busy", 2000, "a request is already being processed"],
  ];
  test.each(decisions)("%s", async (outcome, code, data) => {
    const authorization = await rig.connect();
    rig.person.answer = () => ({ outcome }) as Decision;
    const answer = await rig.call("client.list_keys", {}, { authorization });
    expect([answer.status, answer.body.error.code, answer.body.error.data]).toEqual([400, code, data]);
    expect(answer.token).toBe(authorization);
  });

  test("a wallet with no usable key has nothing to show: 500", async () => {
    const authorization = await rig.connect();
    const wallet = rig.running.service.parts.wallets.get("vectors")!;
    for (const { publicKey } of wallet.keys) await wallet.taintKey(publicKey);
    const answer = await rig.call("client.list_keys", {}, { authorization });
    expect([answer.status, answer.body.error]).toEqual([
      500,
      { code: -32603, message: "Internal error", data: "could not list the keys" },
    ]);
  });

  test("a wallet that locked meanwhile is unlocked again, or the keys stay hidden", async () => {
    const authorization = await rig.ready();
    rig.running.service.parts.wallets.lock("vectors");
    expect((await rig.call("client.list_keys", {}, { authorization })).status).toBe(200);
    rig.running.service.parts.wallets.lock("vectors");
    rig.person.answer = () => ({ outcome: "rejected" });
    const answer = await rig.call("client.list_keys", {}, { authorization });
    expect([answer.status, answer.body.error.data]).toEqual([
      400,
      "the user rejected the access to the keys",
    ]);
  });
});

describe("transactions: the checks, in their order", () => {
  let rig: Rig;
  let authorization: string;
  beforeAll(async () => {
    rig = await Rig.start();
    authorization = await rig.ready();
  });
  afterAll(() => rig.stop());

  const METHODS = ["client.sign_transaction", "client.send_transaction", "client.check_transaction"];
  const send = { publicKey: KEY_1, sendingMode: "TYPE_SYNC", transaction: VOTE };
  const notCommand = "the transaction does not use a valid Vega command: ";
  const cases: readonly (readonly [name: string, params: unknown, code: number, data: string])[] = [
    ["no params", undefined, -32602, "the params are required"],
    ["null params", null, -32602, "the params are required"],
    ["params that are a list", [], -32602, "the params do not match expected ones"],
    ["params that are a text", "x", -32602, "the params do not match expected ones"],
    ["no key", {}, -32602, "the public key is required"],
    ["an empty key", { ...send, publicKey: "" }, -32602, "the public key is required"],
    ["a number as key", { ...send, publicKey: 5 }, -32602, "the params do not match expected ones"],
    ["no transaction", { publicKey: KEY_1, sendingMode: "TYPE_SYNC" }, -32602, "the transaction is required"],
    ["null as transaction", { ...send, transaction: null }, -32602, "the transaction is required"],
    ["a text as transaction", { ...send, transaction: "x" }, -32602, notCommand],
    ["an unknown command", { ...send, transaction: { nothing: {} } }, -32602, notCommand],
    ["an unknown member", { ...send, transaction: { voteSubmission: { x: 1 } } }, -32602, notCommand],
    ["a wrong type", { ...send, transaction: { voteSubmission: { proposalId: 5 } } }, -32602, notCommand],
    [
      "an unknown enum",
      { ...send, transaction: { voteSubmission: { value: "VALUE_X" } } },
      -32602,
      notCommand,
    ],
    [
      "another key",
      { ...send, publicKey: "a".repeat(64) },
      2000,
      "this public key is not allowed to be used",
    ],
    [
      "another key, and a command that breaks a rule",
      { ...send, publicKey: "a".repeat(64), transaction: { voteSubmission: {} } },
      2000,
      "this public key is not allowed to be used",
    ],
    [
      "another key, and no command",
      { ...send, publicKey: "b".repeat(64), transaction: {} },
      2000,
      "this public key is not allowed to be used",
    ],
    ["no command", { ...send, transaction: {} }, -32602, "submit_transaction_request.command (is required)"],
    [
      "a validator's heartbeat",
      { ...send, transaction: { validatorHeartbeat: HEARTBEAT } },
      -32602,
      "input_data.command (is not supported)",
    ],
    [
      "a validator's state variable",
      { ...send, transaction: { stateVariableProposal: {} } },
      -32602,
      "input_data.command (is not supported)",
    ],
    [
      "a command that breaks rules",
      { ...send, transaction: { voteSubmission: {} } },
      -32602,
      "vote_submission.proposal_id (is required), vote_submission.value (is required)",
    ],
    [
      "a cancellation whose ids are none, which the chain itself would take",
      { ...send, transaction: { orderCancellation: { marketId: "m1", orderId: "o1" } } },
      -32602,
      "order_cancellation.market_id (should be a valid vega ID), order_cancellation.order_id (should be a valid vega ID)",
    ],
  ];
  for (const method of METHODS) {
    test.each(cases)(`${method}, %s`, async (_name, params, code, data) => {
      const questions = rig.person.asked.length;
      const answer = await rig.call(method, params, { authorization });
      expect([answer.status, answer.body.error.code]).toEqual([400, code]);
      if (data === notCommand) expect(answer.body.error.data).toStartWith(notCommand);
      else expect(answer.body.error.data).toBe(data);
      expect(rig.person.asked.length).toBe(questions);
    });
  }

  const modes: readonly (readonly [unknown, string])[] = [
    [undefined, "the sending mode is required"],
    ["", "the sending mode is required"],
    ["TYPE_X", 'the sending mode "TYPE_X" is not a valid one'],
    ["TYPE_UNSPECIFIED", 'the sending mode can\'t be "TYPE_UNSPECIFIED"'],
    [2, "the params do not match expected ones"],
  ];
  test.each(modes)("sending mode %p", async (sendingMode, data) => {
    const answer = await rig.call(
      "client.send_transaction",
      { publicKey: KEY_1, sendingMode },
      { authorization },
    );
    expect([answer.status, answer.body.error.code, answer.body.error.data]).toEqual([400, -32602, data]);
  });

  test("only sending has a mode", async () => {
    rig.node.block();
    const params = { publicKey: KEY_1, sendingMode: "TYPE_X", transaction: VOTE };
    expect((await rig.call("client.check_transaction", params, { authorization })).status).toBe(200);
  });

  test("a fresh session must list the keys first", async () => {
    const origin = "https://fresh.example";
    const fresh = await rig.connect(origin);
    const answer = await rig.send(fresh, {}, origin);
    expect([answer.status, answer.body.error.data]).toEqual([
      400,
      "this public key is not allowed to be used",
    ]);
  });

  const verbs = [
    ["client.sign_transaction", "signing"],
    ["client.send_transaction", "sending"],
    ["client.check_transaction", "checking"],
  ] as const;
  test.each(verbs)("%s: what the user decides", async (method, gerund) => {
    const before = rig.person.answer;
    const outcomes: [string, number, string][] = [];
    for (const outcome of ["rejected", "cancelled", "closed", "interrupted", "busy"] as const) {
      rig.person.answer = () => ({ outcome });
      const { body } = await rig.call(method, send, { authorization });
      outcomes.push([outcome, body.error.code, body.error.data]);
    }
    rig.person.answer = before;
    expect(outcomes).toEqual([
      ["rejected", 3001, `the user rejected the ${gerund} of the transaction`],
      ["cancelled", 3002, "the user cancelled the request"],
      ["closed", 3000, "the user closed the connection"],
      ["interrupted", -32001, "the request has been interrupted"],
      ["busy", 2000, "a request is already being processed"],
    ]);
  });
});

describe("transactions: results", () => {
  let rig: Rig;
  let authorization: string;
  beforeEach(async () => {
    rig = await Rig.start();
    authorization = await rig.ready();
  });
  afterEach(() => rig.stop());

  test("signed: the members of the original and those of its documents", async () => {
    const answer = await rig.call(
      "client.sign_transaction",
      { publicKey: KEY_1, transaction: VOTE },
      { authorization },
    );
    const { transaction } = answer.body.result;
    expect(Object.keys(answer.body.result)).toEqual(["transaction"]);
    expect(transaction.input_data).toBe(transaction.inputData);
    expect(transaction).toMatchObject({
      signature: { algo: "vega/ed25519", version: 1 },
      From: { PubKey: KEY_1 },
      from: { pubKey: KEY_1 },
      version: 3,
    });
    expect(transaction.signature.value).toMatch(/^[0-9a-f]{128}$/);
    expect(transaction.pow.tid).toMatch(/^[0-9a-f]{64}$/);
    const input = decodeInputData(Buffer.from(transaction.input_data, "base64"));
    expect([input.blockHeight, input.voteSubmission?.proposalId]).toEqual([
      1n,
      VOTE.voteSubmission.proposalId,
    ]);
    expect(rig.node.submissions).toBe(0);
  });

  test("sent: members in their order, and the bytes that were signed", async () => {
    const answer = await rig.send(authorization);
    const { result } = answer.body;
    expect(Object.keys(result)).toEqual(["receivedAt", "sentAt", "transactionHash", "transaction"]);
    expect(Date.parse(result.sentAt)).toBeGreaterThanOrEqual(Date.parse(result.receivedAt));
    const bytes = rig.node.mempool.get(result.transactionHash)!;
    const sent = decodeTransaction(bytes);
    expect(Buffer.from(sent.inputData).toString("base64")).toBe(result.transaction.input_data);
    expect([sent.pubKey, sent.signature?.value]).toEqual([KEY_1, result.transaction.signature.value]);
    rig.node.block();
    expect(rig.node.executed).toEqual([result.transactionHash]);
  });

  test("checked: nothing is sent", async () => {
    const answer = await rig.call(
      "client.check_transaction",
      { publicKey: KEY_1, transaction: VOTE },
      { authorization },
    );
    expect(Object.keys(answer.body.result)).toEqual(["receivedAt", "sentAt", "transaction"]);
    expect(rig.node.mempool.size).toBe(0);
  });

  test.each(["TYPE_SYNC", "TYPE_ASYNC", "TYPE_COMMIT"])("%s", async (sendingMode) => {
    const answer = await rig.send(authorization, { sendingMode });
    expect(answer.status).toBe(200);
    expect(rig.node.executed.length).toBe(sendingMode === "TYPE_COMMIT" ? 1 : 0);
  });

  test("names of either kind, and pubKey overwritten", async () => {
    const transaction = {
      vote_submission: { proposal_id: VOTE.voteSubmission.proposalId, value: 2 },
      pubKey: "f".repeat(64),
      propagate: true,
    };
    const answer = await rig.call(
      "client.send_transaction",
      { PublicKey: KEY_2, SENDINGMODE: "TYPE_SYNC", transaction },
      { authorization },
    );
    expect(answer.body.result.transaction.From.PubKey).toBe(KEY_2);
  });

  const refusals: readonly (readonly [number, number, string])[] = [
    [51, 1051, "the network rejected the transaction because it's invalid: why (ABCI code 51)"],
    [60, 1060, "the network rejected the transaction because it's malformed: why (ABCI code 60)"],
    [70, 1070, "the network could not process the transaction: why (ABCI code 70)"],
    [80, 1080, "the network does not support this transaction: why (ABCI code 80)"],
    [89, 1089, "the network blocked the transaction through the spam protection: why (ABCI code 89)"],
    [42, 1001, "the transaction failed: why (ABCI code 42)"],
  ];
  test.each(refusals)("the network refuses with %d", async (code, rpcCode, data) => {
    rig.node.verdict = { code, reason: "why" };
    for (const method of ["client.send_transaction", "client.check_transaction"]) {
      const params = { publicKey: KEY_1, sendingMode: "TYPE_SYNC", transaction: VOTE };
      const answer = await rig.call(method, params, { authorization });
      expect([answer.status, answer.body.error]).toEqual([
        400,
        { code: rpcCode, message: "Network error", data },
      ]);
    }
  });

  test("a refused transaction gives its place back", async () => {
    rig.node.verdict = { code: 70, reason: "why" };
    for (let count = 0; count < 10; count++) {
      expect((await rig.send(authorization)).body.error.code).toBe(1070);
    }
    rig.node.verdict = undefined;
    expect((await rig.send(authorization)).status).toBe(200);
  });

  test("no node", async () => {
    rig.node.isDown = true;
    const answer = await rig.send(authorization);
    expect([answer.body.error.code, answer.body.error.data]).toEqual([1000, "no healthy node available"]);
  });

  test("refusals of the wallet itself: 2001, with why and when", async () => {
    const cancel = { transaction: { orderCancellation: {} } };
    for (let count = 0; count < 20; count++) expect((await rig.send(authorization, cancel)).status).toBe(200);
    const full = await rig.send(authorization, cancel);
    expect(full.body.error.code).toBe(2001);
    expect(full.body.error.data).toStartWith("the transaction per block limit has been reached");
    rig.node.block();
    rig.node.admission.pow.ban(KEY_1, 10n ** 18n);
    const banned = await rig.send(authorization);
    expect([banned.body.error.code, banned.body.error.data]).toEqual([
      2001,
      "party is banned from submitting all transactions until 2001-09-09T01:46:40Z",
    ]);
  });

  test("more votes than an epoch takes", async () => {
    for (let count = 0; count < 3; count++) {
      expect((await rig.send(authorization)).status).toBe(200);
      rig.node.block();
    }
    const fourth = await rig.send(authorization);
    expect([fourth.body.error.code, fourth.body.error.data]).toEqual([
      2001,
      "party has already submitted the maximum number of transactions of this type per epoch (3)",
    ]);
  });

  test("an unexpected error says nothing of the inside", async () => {
    rig.node.lastBlock = () => Promise.reject(new TypeError("secret inside"));
    rig.node.spamStatistics = () => Promise.reject(new TypeError("secret inside"));
    const texts: string[] = [];
    for (const method of ["client.sign_transaction", "client.send_transaction", "client.check_transaction"]) {
      const answer = await rig.call(
        method,
        { publicKey: KEY_1, sendingMode: "TYPE_SYNC", transaction: VOTE },
        { authorization },
      );
      expect([answer.status, answer.body.error.code]).toEqual([500, -32603]);
      texts.push(answer.body.error.data);
    }
    expect(texts).toEqual([
      "could not sign transaction",
      "could not send transaction",
      "could not check transaction",
    ]);
    expect(UNLOCK.outcome).toBe("approved");
  });
});
