// JSON-RPC framing: every row of the status table (docs/protocol/50-wallet-service.md#14-status-table), and of the
// catalogue's first codes.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorText, parseRequest, RpcError, resultText } from "../../../src/wallet/service/rpc.ts";
import { readCommandText } from "../../support/command-text.ts";
import { expectLinear } from "../../support/cost.ts";
import { KEY_1, Rig } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig.stop());

const CHAIN = '"method":"client.get_chain_id"';

describe("bodies that are no request", () => {
  const cases: readonly (readonly [name: string, body: string, data: string])[] = [
    ["empty", "", "the request can't be blank"],
    ["blanks", "  \n", "the request can't be blank"],
    ["no JSON", "{", "the request is not valid JSON"],
    ["something behind it", `{"jsonrpc":"2.0",${CHAIN},"id":"1"} x`, "the request is not valid JSON"],
    [
      "an identifier that would be kept while it waits",
      `{"jsonrpc":"2.0",${CHAIN},"id":"${"x".repeat(1_001)}"}`,
      "the member id is longer than 1000 characters",
    ],
    [
      "an amount that stands twice",
      `{"jsonrpc":"2.0","method":"m","id":"1","params":{"transaction":{"transfer":{"amount":"1","amount":"2"}}}}`,
      "a member of the request is there twice",
    ],
    ["two requests", `{"id":"1"}{"id":"2"}`, "the request is not valid JSON"],
    ["a text", '"client.get_chain_id"', "the request is not a JSON object; batches are not supported"],
    [
      "a batch",
      `[{"jsonrpc":"2.0",${CHAIN},"id":"1"}]`,
      "the request is not a JSON object; batches are not supported",
    ],
    ["a number as id", `{"jsonrpc":"2.0",${CHAIN},"id":1}`, "the member id must be a text"],
    ["a number as method", '{"jsonrpc":"2.0","method":5,"id":"1"}', "the member method must be a text"],
    ["a number as version", `{"jsonrpc":2,${CHAIN},"id":"1"}`, "the member jsonrpc must be a text"],
    [
      "nested too deep",
      `{"params":${"[".repeat(101)}${"]".repeat(101)}}`,
      "the request is nested deeper than 100 levels",
    ],
    ["nested without end", "[".repeat(200_000), "the request is nested deeper than 100 levels"],
  ];
  test.each(cases)("%s: 400, -32700 and the id null", async (_name, body, data) => {
    const answer = await rig.post(body);
    expect(answer.status).toBe(400);
    const error = { code: -32700, message: "Parse error", data };
    expect(answer.body).toEqual({ jsonrpc: "2.0", error, errors: error, id: null });
    expect(answer.headers.get("content-type")).toBe("application/json-rpc");
  });

  test("a body that breaks off", async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("{"));
        controller.error(new Error("gone"));
      },
    });
    const answer = await rig.post(body as never);
    expect([answer.status, answer.body.error.data]).toEqual([400, "couldn't read the HTTP request body"]);
  });
});

describe("notifications", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["no id", `{"jsonrpc":"2.0",${CHAIN}}`],
    ["id null", `{"jsonrpc":"2.0",${CHAIN},"id":null}`],
    ["empty id", `{"jsonrpc":"2.0",${CHAIN},"id":""}`],
    ["an empty object", "{}"],
    ["null", "null"],
    ["a wrong version", `{"jsonrpc":"1.0",${CHAIN}}`],
    ["an unknown method", '{"jsonrpc":"2.0","method":"client.nothing"}'],
    ["a protected method without a token", '{"jsonrpc":"2.0","method":"client.list_keys"}'],
  ];
  test.each(cases)("%s: 204 and nothing", async (_name, body) => {
    const answer = await rig.post(body);
    expect([answer.status, answer.text]).toEqual([204, ""]);
  });

  test("a connection's token comes all the same", async () => {
    const answer = await rig.post('{"jsonrpc":"2.0","method":"client.connect_wallet"}');
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(answer.token).toMatch(/^VWT [a-zA-Z0-9]{64}$/);
  });
});

describe("envelopes", () => {
  const cases: readonly (readonly [string, string, number, number, string])[] = [
    ["no version", `{${CHAIN},"id":"1"}`, 400, -32600, "the API only supports JSON-RPC 2.0"],
    [
      "another version",
      `{"jsonrpc":"2",${CHAIN},"id":"1"}`,
      400,
      -32600,
      "the API only supports JSON-RPC 2.0",
    ],
    ["no method", '{"jsonrpc":"2.0","id":"1"}', 400, -32600, "the method is required"],
    ["an empty method", '{"jsonrpc":"2.0","method":"","id":"1"}', 400, -32600, "the method is required"],
    [
      "an administrative method",
      '{"jsonrpc":"2.0","method":"admin.list_wallets","id":"1"}',
      400,
      -32601,
      "administrative endpoints are not exposed, for security reasons",
    ],
    [
      "an unknown method",
      '{"jsonrpc":"2.0","method":"client.x","id":"1"}',
      400,
      -32601,
      'method "client.x" is not supported',
    ],
    [
      "a name of Object",
      '{"jsonrpc":"2.0","method":"toString","id":"1"}',
      400,
      -32601,
      'method "toString" is not supported',
    ],
  ];
  test.each(cases)("%s", async (_name, body, status, code, data) => {
    const answer = await rig.post(body);
    expect([answer.status, answer.body.error.code, answer.body.error.data]).toEqual([status, code, data]);
    expect(answer.body.id).toBe("1");
    expect(answer.body.errors).toEqual(answer.body.error);
  });

  test("a page's input does not come back many times as long", async () => {
    const long = "<".repeat(1_000_000);
    const answer = await rig.post(`{"jsonrpc":"2.0","method":"${long}","id":"1"}`);
    expect([answer.status, answer.body.error.code]).toEqual([400, -32601]);
    expect(answer.body.error.data.slice(-25)).toEndWith("… (1000026 characters)");
    expect(answer.text.length).toBeLessThan(150_000);
  });

  test("members are matched in any case, and others ignored", async () => {
    const answer = await rig.post('{"JSONRPC":"2.0","Method":"client.get_chain_id","ID":"x","more":1}');
    expect([answer.status, answer.text]).toEqual([
      200,
      '{"jsonrpc":"2.0","result":{"chainID":"test-chain"},"id":"x"}',
    ]);
  });

  test.each([["application/json"], ["text/plain"], [undefined]])(
    "any Content-Type will do: %p",
    async (type) => {
      const body = `{"jsonrpc":"2.0",${CHAIN},"id":"1"}`;
      const answer = await rig.post(body, { "content-type": type });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json-rpc"]);
    },
  );

  test("a void result is null, the members have their order, HTML is escaped, nothing follows", async () => {
    expect(resultText("<&>", undefined)).toBe('{"jsonrpc":"2.0","result":null,"id":"\\u003c\\u0026\\u003e"}');
    expect(errorText("1", new RpcError(1, "t", "d"))).toBe(
      '{"jsonrpc":"2.0","error":{"code":1,"message":"t","data":"d"},"errors":{"code":1,"message":"t","data":"d"},"id":"1"}',
    );
    const answer = await rig.call("client.connect_wallet");
    expect(answer.text).toBe('{"jsonrpc":"2.0","result":null,"id":"1"}');
  });
});

describe("numbers", () => {
  test("whole numbers beyond 2^53 come as they were written", () => {
    const { params } = parseRequest('{"params":{"a":9007199254740993,"b":18446744073709551615,"c":7}}', {
      depthMax: 9,
    });
    expect(params).toEqual({ a: 9007199254740993n, b: 18446744073709551615n, c: 7 });
  });

  test("a number too long for any field costs in proportion to its length, and fits no field", () => {
    const read = (length: number) => {
      const digits = "1".repeat(length);
      return () => {
        const { params } = parseRequest(`{"params":{"a":${digits}}}`, { depthMax: 3 });
        expect(params).toEqual({ a: Number.POSITIVE_INFINITY });
        expect(() => readCommandText(`{"orderSubmission":{"size":${digits}}}`)).toThrow(
          "must be a whole number",
        );
      };
    };
    expectLinear(read(1_000_000), read(100_000), 10);
  });

  test("such a number is signed unrounded", async () => {
    const authorization = await rig.ready();
    const order = `{"orderSubmission":{"marketId":"${"a".repeat(64)}","size":9007199254740993,"price":"1","side":"SIDE_BUY","type":"TYPE_LIMIT","timeInForce":"TIME_IN_FORCE_GTC"}}`;
    const body = `{"jsonrpc":"2.0","method":"client.sign_transaction","params":{"publicKey":"${KEY_1}","transaction":${order}},"id":"1"}`;
    const answer = await rig.post(body, { authorization });
    expect(answer.status).toBe(200);
    const question = rig.person.asked.at(-1);
    expect(
      question?.kind === "transaction" &&
        question.command.kind === "orderSubmission" &&
        question.command.payload.size,
    ).toBe(9007199254740993n);
  });
});
