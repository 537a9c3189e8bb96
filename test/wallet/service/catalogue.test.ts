// The error catalogue (docs/protocol/50-wallet-service.md#16-json-rpc-error-catalogue): every code, its word, its
// sentence, and the HTTP status it comes with (docs/protocol/50-wallet-service.md#14-status-table), from the service's
// own answers. The network's refusals are in methods.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Decision } from "../../../src/wallet/approvals/approver.ts";
import { KEY_1, ORIGIN, Rig, type RpcAnswer, VOTE } from "./rig.ts";

/** Requests of one hostname: more than any row but one sends. */
const BURST = 50;

let rig: Rig;
let authorization: string;
beforeAll(async () => {
  rig = await Rig.start({ limits: { requests: { perSecond: 0.01, burst: BURST } } });
  authorization = await rig.ready();
});
afterAll(() => rig.stop());

const decided =
  (outcome: Decision["outcome"], origin = ORIGIN) =>
  async () => {
    const before = rig.person.answer;
    rig.person.answer = () => ({ outcome }) as Decision;
    const answer = await rig.call("client.connect_wallet", {}, { origin });
    rig.person.answer = before;
    return answer;
  };
const guess = (origin: string) =>
  rig.call("client.list_keys", {}, { origin, authorization: `VWT ${"a".repeat(64)}` });

type Row = readonly [
  code: number,
  message: string,
  status: number,
  data: string,
  ask: () => Promise<RpcAnswer>,
];
const rows: readonly Row[] = [
  [-32700, "Parse error", 400, "the request can't be blank", () => rig.post("")],
  [-32600, "Invalid Request", 400, "the method is required", () => rig.post('{"jsonrpc":"2.0","id":"1"}')],
  [-32601, "Method not found", 400, 'method "client.x" is not supported', () => rig.call("client.x")],
  [
    -32602,
    "Invalid params",
    400,
    "the params are required",
    () => rig.call("client.send_transaction", undefined, { authorization }),
  ],
  [
    -32603,
    "Internal error",
    500,
    "could not connect to the wallet",
    async () => {
      const { names } = rig.store;
      rig.store.names = () =>
        Promise.reject(new Error("EACCES: permission denied, scandir '/home/me/wallets'"));
      const answer = await rig.call("client.connect_wallet");
      rig.store.names = names;
      return answer;
    },
  ],
  [
    -32000,
    "Server error",
    429,
    "too many requests: try again in 100 s",
    async () => {
      for (let count = 0; count < BURST; count++) await guess("https://guesser.example");
      return guess("https://guesser.example");
    },
  ],
  [-32001, "Server error", 400, "the request has been interrupted", decided("interrupted")],
  [
    -32002,
    "Server error",
    401,
    "the Origin header is required",
    () => rig.call("client.list_keys", {}, { origin: undefined }),
  ],
  [
    -32002,
    "Server error",
    401,
    "could not parse the Referer header: it is not an address",
    () => rig.call("client.list_keys", {}, { origin: undefined, referer: "://bad" }),
  ],
  [
    -32003,
    "Server error",
    401,
    "there is no connection associated to this authentication token",
    () => guess("https://other.example"),
  ],
  [
    1000,
    "Network error",
    400,
    "no healthy node available",
    async () => {
      rig.node.isDown = true;
      const answer = await rig.call("client.get_chain_id", {}, { authorization });
      rig.node.isDown = false;
      return answer;
    },
  ],
  [2000, "Application error", 400, "a request is already being processed", decided("busy")],
  [
    2000,
    "Application error",
    400,
    "this public key is not allowed to be used",
    () => rig.send(authorization, { publicKey: "a".repeat(64) }),
  ],
  [
    2001,
    "Application error",
    400,
    "the application cancelled the request",
    async () => {
      const empty = await Rig.start({ wallets: [] });
      const answer = await empty.call("client.connect_wallet");
      await empty.stop();
      return answer;
    },
  ],
  [3000, "User error", 400, "the user closed the connection", decided("closed")],
  [3001, "User error", 400, "the user rejected the wallet connection", decided("rejected")],
  [3002, "User error", 400, "the user cancelled the request", decided("cancelled")],
];

describe("every code", () => {
  test.each(rows)("%d %s, %d: %s", async (code, message, status, data, ask) => {
    const answer = await ask();
    const error = { code, message, data };
    const id = code === -32700 ? null : "1";
    expect([answer.status, answer.body]).toEqual([status, { jsonrpc: "2.0", error, errors: error, id }]);
    expect(Object.keys(answer.body)).toEqual(["jsonrpc", "error", "errors", "id"]);
    expect(answer.text).toEndWith("}");
    expect(answer.headers.get("content-type")).toBe("application/json-rpc");
    expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? "VWT" : null);
    expect(answer.headers.get("retry-after")).toBe(status === 429 ? "100" : null);
  });
});

describe("a wallet directory, a wallet, that cannot be read", () => {
  test("every method says so in its own coarse words, and echoes the token", async () => {
    const { wallets } = rig.running.service.parts;
    const { get } = wallets;
    wallets.get = () => {
      throw new Error("EIO: input/output error, read '/home/me/wallets/mine'");
    };
    const outcomes: unknown[] = [];
    for (const method of ["list_keys", "sign_transaction", "send_transaction", "check_transaction"]) {
      const params = { publicKey: KEY_1, sendingMode: "TYPE_SYNC", transaction: VOTE };
      const { status, body, token } = await rig.call(`client.${method}`, params, { authorization });
      outcomes.push([status, body.error.code, body.error.data, token === authorization]);
    }
    wallets.get = get;
    expect(outcomes).toEqual([
      [500, -32603, "could not list the keys", true],
      [500, -32603, "could not sign transaction", true],
      [500, -32603, "could not send transaction", true],
      [500, -32603, "could not check transaction", true],
    ]);
  });
});

describe("notifications", () => {
  test("are carried out in full: 204 and nothing, whatever comes of them", async () => {
    const { asked: questions } = rig.person;
    const before = questions.length;
    const params = { publicKey: KEY_1, sendingMode: "TYPE_SYNC", transaction: VOTE };
    rig.node.block();
    const submissions = rig.node.submissions;
    const body = JSON.stringify({ jsonrpc: "2.0", method: "client.send_transaction", params });
    const answer = await rig.post(body, { authorization });
    expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([204, "", null]);
    expect([questions.length - before, rig.node.submissions - submissions]).toEqual([1, 1]);
    const rejected = await rig.post(body.replace('"jsonrpc":"2.0"', '"jsonrpc":"1.0"'), { authorization });
    expect([rejected.status, rejected.text]).toEqual([204, ""]);
    expect(rig.node.submissions - submissions).toBe(1);
  });
});
