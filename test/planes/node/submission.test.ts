// Submitting and checking transactions (docs/protocol/00-interface.md#42-submit-raw-transaction;
// docs/protocol/30-node-api-endpoints.md#51-coreservice, #6-error-bodies and
// docs/protocol/30-node-api-events.md#13-easily-missed).
import { afterAll, describe, expect, test } from "bun:test";
import { ChainCallError } from "../../../src/engine/chain-port.ts";
import { decodeTransaction } from "../../../src/wire/generated/commands.ts";
import { toPlain } from "../../../src/wire/json.ts";
import { transactionHash } from "../../../src/wire/transaction.ts";
import { removeChains } from "../../support/small-chain.ts";
import { QUOTA } from "./fake-chain.ts";
import { base64, signedTransfer, smallNode } from "./small-node.ts";

afterAll(removeChains);

const hashOf = (bytes: Uint8Array) => transactionHash(bytes).toUpperCase();
const typed = (bytes: Uint8Array) => toPlain("vega.commands.v1.Transaction", decodeTransaction(bytes));
const detailOf = (code: number, message: string) => ({
  "@type": "type.googleapis.com/vega.ErrorDetail",
  code,
  message,
  inner: "",
});

describe("an accepted transaction", () => {
  test.each(["TYPE_ASYNC", "TYPE_SYNC", 1, 2])("raw, %p: its hash, code 0 and no height", async (type) => {
    const { post, chain } = smallNode();
    const bytes = signedTransfer(1n);
    const answer = await post("/transaction/raw", { tx: base64(bytes), type });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      txHash: hashOf(bytes),
      code: 0,
      data: "",
      log: "",
      height: "0",
    });
    expect(chain.calls).toEqual([{ kind: "submit", bytes, wait: "check" }]);
  });

  test("raw, TYPE_COMMIT: the height of its block", async () => {
    const { post } = smallNode();
    const answer = await post("/transaction/raw", { tx: base64(signedTransfer(1n)), type: "TYPE_COMMIT" });
    expect(answer.body).toMatchObject({ success: true, code: 0, height: "8" });
  });

  test("the body has the original's layout and order of members", async () => {
    const { post } = smallNode();
    const bytes = signedTransfer(1n);
    const { text, headers } = await post("/transaction/raw", { tx: base64(bytes), type: "TYPE_SYNC" });
    expect(headers.get("content-type")).toBe("application/json");
    expect(text).toBe(
      `{\n  "success": true,\n  "txHash": "${hashOf(bytes)}",\n  "code": 0,\n  "data": "",\n  "log": "",\n  "height": "0"\n}`,
    );
  });

  test.each(["TYPE_SYNC", "TYPE_ASYNC", "TYPE_UNSPECIFIED", undefined, 99])(
    "typed, %p: serialised by the node, so with its own hash",
    async (type) => {
      const { post, chain } = smallNode();
      const bytes = signedTransfer(1n);
      const { pow, pubKey, ...rest } = typed(bytes) as Record<string, unknown>;
      // Another order of members, another spelling, numbers as numbers, something unknown.
      const tx = { pub_key: pubKey, pow: { ...(pow as object), nonce: 5 }, ...rest, more: [1] };
      const answer = await post("/transaction", { tx, type });
      expect(answer.body).toMatchObject({ success: true, txHash: hashOf(bytes), height: "0" });
      expect(chain.calls).toEqual([{ kind: "submit", bytes, wait: "check" }]);
    },
  );

  test("typed, TYPE_COMMIT waits for the block", async () => {
    const { post } = smallNode();
    const answer = await post("/transaction", { tx: typed(signedTransfer(1n)), type: "TYPE_COMMIT" });
    expect(answer.body).toMatchObject({ success: true, height: "8" });
  });

  test("typed: a number that JavaScript would round is taken digit by digit", async () => {
    const { post, chain } = smallNode();
    const text = JSON.stringify({ tx: typed(signedTransfer(1n)) });
    expect(text).toContain('"nonce":"5"');
    await post("/transaction", text.replace('"nonce":"5"', '"nonce":18446744073709551615'));
    expect(decodeTransaction(chain.calls[0]!.bytes).pow?.nonce).toBe(2n ** 64n - 1n);
  });

  test.each(["/transaction/check", "/transaction/raw/check"])("%s: gas, and no hash", async (path) => {
    const { post, chain } = smallNode();
    const bytes = signedTransfer(1n);
    const answer = await post(path, { tx: path.includes("raw") ? base64(bytes) : typed(bytes) });
    expect(answer.body).toEqual({
      success: true,
      code: 0,
      gasWanted: "1",
      gasUsed: "0",
      data: "",
      log: "",
      info: "",
    });
    expect(chain.calls).toEqual([{ kind: "check", bytes }]);
  });
});

describe("a refused transaction", () => {
  const overQuota = async () => {
    const node = smallNode();
    for (let nonce = 1; nonce <= QUOTA; nonce++) {
      await node.post("/transaction/raw", { tx: base64(signedTransfer(BigInt(nonce))), type: "TYPE_SYNC" });
    }
    return { ...node, bytes: signedTransfer(99n) };
  };
  const text = "party has already submitted the maximum number of transfer requests per epoch";
  const details = {
    rule: "spam_transfer_count",
    sentence: "3 of 3 transfers used in epoch 2, next epoch in 42 s",
    numbers: { used: "3", max: "3" },
  };

  test.each(["TYPE_ASYNC", "TYPE_SYNC", "TYPE_COMMIT"])(
    "raw, %s: no success, hexadecimal in data, words in log; asked for, the rule and the sender's numbers",
    async (type) => {
      const { post, bytes } = await overQuota();
      const answer = await post("/transaction/raw?details=true", { tx: base64(bytes), type });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        success: false,
        txHash: hashOf(bytes),
        code: 89,
        data: Buffer.from(text).toString("hex").toUpperCase(),
        log: text,
        height: "0",
        details,
      });
      expect(Object.keys(answer.body.details)).toEqual(["rule", "sentence", "numbers"]);
    },
  );

  test("typed: the same, and the words in data too, as in the original", async () => {
    const { post, bytes } = await overQuota();
    const answer = await post("/transaction?details=true", { tx: typed(bytes), type: "TYPE_SYNC" });
    expect(answer.body).toMatchObject({ success: false, code: 89, data: text, log: text, details });
  });

  test.each(["", "?details=false", "?details", "?nodetails=true", "?x=details=true"])(
    "no member that the original does not have, unless asked for: %p",
    async (query) => {
      const { post, bytes } = await overQuota();
      const raw = await post(`/transaction/raw${query}`, { tx: base64(bytes), type: "TYPE_SYNC" });
      expect(Object.keys(raw.body)).toEqual(["success", "txHash", "code", "data", "log", "height"]);
      const checked = await post(`/transaction/raw/check${query}`, { tx: base64(bytes) });
      expect(Object.keys(checked.body)).toEqual([
        "success",
        "code",
        "gasWanted",
        "gasUsed",
        "data",
        "log",
        "info",
      ]);
    },
  );

  test("checked: a spam refusal is in data alone, a malformed one in info too", async () => {
    const { post, bytes } = await overQuota();
    const spam = await post("/transaction/raw/check?details=true", { tx: base64(bytes) });
    expect(spam.body).toMatchObject({ success: false, code: 89, data: text, log: text, info: "", details });
    const malformed = await post("/transaction/raw/check", { tx: base64(signedTransfer(1n, "other-chain")) });
    const invalid = "tx.signature.value (invalid signature)";
    expect(malformed.body).toMatchObject({ success: false, code: 60, data: invalid, info: invalid });
  });

  const paths = ["/transaction", "/transaction/raw", "/transaction/check", "/transaction/raw/check"];
  test.each(paths)("%s without a transaction is a 400 that says what is missing", async (path) => {
    const { post, chain } = smallNode();
    for (const body of [{ type: "TYPE_SYNC" }, { tx: null, type: "TYPE_SYNC" }]) {
      const answer = await post(path, body);
      expect(answer.status).toBe(400);
      expect(answer.body.details).toEqual([detailOf(10000, "missing tx")]);
    }
    expect(chain.calls).toEqual([]);
  });
});

describe("a call that fails", () => {
  const cases = [
    ["tx already exists in cache", "duplicate"],
    ["timed out waiting for tx to be included in a block", "timeout"],
    ["mempool is full: number of txs 5000 (max: 5000)", "mempool_full"],
  ] as const;
  test.each(cases)("%s is HTTP 500 with code 10000", async (message, code) => {
    const { post, chain } = smallNode();
    chain.failure = new ChainCallError(code, message);
    for (const path of ["/transaction/raw", "/transaction/raw/check"]) {
      const answer = await post(path, { tx: base64(signedTransfer(1n)), type: "TYPE_COMMIT" });
      expect(answer.status).toBe(500);
      expect(answer.body).toEqual({
        code: 13,
        message: "Internal error",
        details: [detailOf(10000, message)],
      });
    }
  });

  test("the same bytes again are in the cache already", async () => {
    const { post } = smallNode();
    const body = { tx: base64(signedTransfer(1n)), type: "TYPE_SYNC" };
    expect((await post("/transaction/raw", body)).body.success).toBe(true);
    const again = await post("/transaction/raw", body);
    expect(again.status).toBe(500);
    expect(again.body.details[0].message).toBe("tx already exists in cache");
  });

  test("a transaction above the limit is told both sizes", async () => {
    const { post } = smallNode();
    const tx = base64(new Uint8Array(1_048_577));
    const answer = await post("/transaction/raw", { tx, type: "TYPE_SYNC" });
    expect(answer.status).toBe(500);
    expect(answer.body.details[0].message).toBe("Tx too large. Max size is 1048576, but got 1048577");
  });

  test("an unforeseen error tells nothing of the inside", async () => {
    const { post, chain } = smallNode();
    chain.failure = new TypeError("undefined is not an object (reading 'secret')");
    const answer = await post("/transaction/raw", { tx: base64(signedTransfer(1n)), type: "TYPE_SYNC" });
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ code: 13, message: "Internal error", details: [] });
  });

  test("only so many wait for their block at once, and the place is free again after", async () => {
    const { post, chain } = smallNode([[]], { commitsWaitingMax: 1 });
    const gate = Promise.withResolvers<void>();
    const submit = chain.submit.bind(chain);
    chain.submit = async (bytes, wait) => {
      if (wait === "commit") await gate.promise;
      return submit(bytes, wait);
    };
    const send = (nonce: bigint, type: string) =>
      post("/transaction/raw", { tx: base64(signedTransfer(nonce)), type });
    const waiting = send(1n, "TYPE_COMMIT");
    const second = await send(2n, "TYPE_COMMIT");
    expect(second.status).toBe(429);
    expect(second.body.code).toBe(8);
    expect((await send(2n, "TYPE_SYNC")).body.success).toBe(true);
    gate.resolve();
    expect((await waiting).body.success).toBe(true);
    expect((await send(3n, "TYPE_COMMIT")).body.success).toBe(true);
  });
});

describe("a request that is not understood", () => {
  const good = base64(signedTransfer(1n));
  const deep = (levels: number) => `{"tx":"${good}","type":2,"x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const cases: readonly (readonly [name: string, body: string, message: RegExp])[] = [
    ["no JSON", "nope", /^the request body is not JSON: /],
    ["JSON that breaks off", `{"tx":"${good}`, /^the request body is not JSON: Unterminated string$/],
    ["a list", "[]", /must be an object, is a list/],
    ["a text", '"x"', /must be an object, is a string/],
    ["null", "null", /must be an object, is null/],
    ["base64 that breaks off", `{"tx":"${good.slice(0, -1)}","type":2}`, /illegal base64 data at input byte/],
    ["base64 of the URL alphabet", '{"tx":"a-_b","type":2}', /illegal base64 data at input byte 1$/],
    ["a number for bytes", '{"tx":7,"type":2}', /tx: must be a base64 text, is a number/],
    ["an unknown name of a type", `{"tx":"${good}","type":"SYNC"}`, /type: "SYNC" is not a /],
    ["a numeric text for a type", `{"tx":"${good}","type":"2"}`, /type: "2" is not a /],
    ["the last of two members of one name counts", '{"tx":"","tx":5}', /tx: must be a base64 text/],
    ["a body nested too deep", deep(100), /^the request body is nested deeper than 100 levels$/],
  ];
  test.each(cases)("%s is a 400", async (_, body, message) => {
    const { post, chain } = smallNode();
    const answer = await post("/transaction/raw", body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body)).toEqual(["code", "message", "details"]);
    expect(answer.body).toMatchObject({ code: 3, details: [] });
    expect(answer.body.message).toMatch(message);
    expect(chain.calls).toEqual([]);
  });

  test.each(["TYPE_UNSPECIFIED", 0, 4, -1, undefined])("raw, type %p is a 400", async (type) => {
    const { post } = smallNode();
    const answer = await post("/transaction/raw", { tx: good, type });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      code: 3,
      message: "InvalidArgument error",
      details: [detailOf(10000, "Invalid TX Type")],
    });
  });

  test("a body above the limit is a 413, just below it is read", async () => {
    const { post } = smallNode([[]], { submissionBytesMax: 2_000 });
    const padded = (bytes: number) => `{"tx":"${good}","type":2}`.padEnd(bytes, " ");
    expect((await post("/transaction/raw", padded(2_000))).status).toBe(200);
    const over = await post("/transaction/raw", padded(2_001));
    expect(over.status).toBe(413);
    expect(over.body.message).toBe("the request body is longer than 2000 bytes");
    // Characters of three bytes each.
    expect((await post("/transaction/raw", `{"x":"${"€".repeat(700)}"}`)).status).toBe(413);
  });
});

describe("leniencies of the gateway", () => {
  const bytes = signedTransfer(1n);
  const body = `{"tx":"${base64(bytes)}","type":"TYPE_SYNC"}`;
  test.each([
    ["text after the first value", `${body} and {more`],
    ["a second value with brackets in texts", `${body}{"a":"}{"}`],
    ["a value with brackets and quotes in texts first", `{"x":"}]\\"{[","y":"\\\\",${body.slice(1)} tail`],
    ["white space in front", `\n\t ${body}`],
    ["members that are null", `{"more":null,${body.slice(1)}`],
    ["ninety-nine levels", `{"x":${"[".repeat(99)}${"]".repeat(99)},${body.slice(1)}`],
    ["many brackets that are no levels", `{"x":[${"[],".repeat(500)}[]],${body.slice(1)}`],
  ])("%s", async (_, sent) => {
    const { post, chain } = smallNode();
    const answer = await post("/transaction/raw", sent);
    expect(answer.body).toMatchObject({ success: true });
    expect(chain.calls[0]!.bytes).toEqual(bytes);
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/octet-stream", "x", ""])(
    "content type %p is read as JSON",
    async (type) => {
      const { post } = smallNode();
      const answer = await post("/transaction/raw", body, { "content-type": type });
      expect(answer.body).toMatchObject({ success: true });
    },
  );
});
