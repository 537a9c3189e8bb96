// JSON out and in, against replies recorded from the original service and against every message type.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { messageDescriptor } from "../../src/wire/descriptors.ts";
import { WireError } from "../../src/wire/errors.ts";
import { emptyListAssetsResponse } from "../../src/wire/generated/datanode.ts";
import { type Asset, emptyNodeData, emptyProposalTerms, emptyVote } from "../../src/wire/generated/vega.ts";
import { fromJson, type JsonMode, renderJson, renderPlain, toPlain } from "../../src/wire/json.ts";
import { messageNames } from "../support/message-names.ts";
import { runs, SEED } from "../support/seed.ts";
import { messageArbitrary } from "./arbitrary.ts";
import { codecOf } from "./codecs.ts";

const ASSET = "vega.Asset";
const asset: Asset = {
  id: "e81e",
  details: {
    name: "test",
    symbol: "",
    decimals: 18n,
    quantum: "1",
    builtinAsset: { maxFaucetAmountMint: "100" },
    erc20: undefined,
  },
  status: 4,
};

describe("renderJson", () => {
  const details =
    '"name":"test","symbol":"","decimals":"18","quantum":"1","builtinAsset":{"maxFaucetAmountMint":"100"}';
  const cases: [mode: JsonMode, text: string][] = [
    ["normal", `{"id":"e81e","details":{${details}},"status":"STATUS_ENABLED"}`],
    ["stream", `{"id":"e81e","details":{${details.replace('"symbol":"",', "")}},"status":4}`],
  ];
  test.each(cases)("%s", (mode, text) => {
    expect(renderJson(ASSET, asset, mode)).toBe(text);
  });

  test("pretty: one space a level; node: two", () => {
    const vote = { assets: { edges: [], pageInfo: undefined } };
    const pretty = '{\n "assets": {\n  "edges": [],\n  "pageInfo": null\n }\n}';
    expect(renderJson("datanode.api.v2.ListAssetsResponse", vote, "pretty")).toBe(pretty);
    expect(renderJson("datanode.api.v2.ListAssetsResponse", vote, "node")).toBe(
      pretty.replaceAll(/^ +/gm, "$&$&"),
    );
    expect(renderJson("vega.NewFreeform", {}, "pretty")).toBe("{}");
  });

  test("absent: null for a message, [] and {} for lists and maps, nothing for oneof and optional", () => {
    expect(renderJson("datanode.api.v2.ListAssetsResponse", emptyListAssetsResponse())).toBe(
      '{"assets":null}',
    );
    expect(renderJson("vega.ProposalTerms", emptyProposalTerms())).toBe(
      '{"closingTimestamp":"0","enactmentTimestamp":"0","validationTimestamp":"0"}',
    );
    expect(renderJson("vega.GovernanceData", {})).toBe(
      '{"proposal":null,"yes":[],"no":[],"yesParty":{},"noParty":{}}',
    );
    expect(renderJson("datanode.api.v2.DateRange", {})).toBe("{}");
  });

  test("present zeros of optional fields and oneofs are printed, in every mode", () => {
    const range = { startTimestamp: 0n, endTimestamp: undefined };
    expect(renderJson("datanode.api.v2.DateRange", range)).toBe('{"startTimestamp":"0"}');
    expect(renderJson("datanode.api.v2.DateRange", range, "stream")).toBe('{"startTimestamp":"0"}');
    expect(renderJson("vega.AssetDetails", { erc20: {} }, "stream")).toBe('{"erc20":{}}');
  });

  test("a message put together by hand may leave fields out", () => {
    expect(renderJson("vega.Vote", {})).toBe(renderJson("vega.Vote", emptyVote()));
    expect(renderJson("vega.NodeData", {})).toBe(renderJson("vega.NodeData", emptyNodeData()));
  });

  test("members stand in declaration order, which is not always that of the numbers", () => {
    const config = { logNormal: {}, positionDecimalPlaces: 1n, decimalPlaces: 5n };
    const names = Object.keys(toPlain("vega.NewMarketConfiguration", config));
    expect(names).toEqual(["decimalPlaces", "logNormal", "positionDecimalPlaces"]);
  });

  const texts: [text: string, json: string][] = [
    ["a<b>&c", '"a\\u003cb\\u003e\\u0026c"'],
    ["\u2028\u2029", '"\\u2028\\u2029"'],
    ['"\\\n\r\t', '"\\"\\\\\\n\\r\\t"'],
    ["\b\f\u0001", '"\\u0008\\u000c\\u0001"'],
    ["\\b\\f<", '"\\\\b\\\\f\\u003c"'],
    ["\u007fé€😀", '"\u007fé€😀"'],
  ];
  test.each(texts)("text %j", (name, json) => {
    expect(renderJson("vega.InstrumentConfiguration", { name, code: "" })).toBe(`{"name":${json},"code":""}`);
  });

  const doubles: [value: number, json: string][] = [
    [0, "0"],
    [0.1, "0.1"],
    [0.00001, "0.00001"],
    [1e-7, "1e-7"],
    [123456789012345680000, "123456789012345680000"],
    [1e21, "1e+21"],
    [Number.NaN, '"NaN"'],
    [Number.NEGATIVE_INFINITY, '"-Infinity"'],
  ];
  test.each(doubles)("double %d", (mu, json) => {
    expect(renderJson("vega.LogNormalModelParams", { mu, r: 0, sigma: 0 })).toBe(
      `{"mu":${json},"r":0,"sigma":0}`,
    );
  });

  test("a float prints the digits that it has", () => {
    const plain = toPlain("vega.NodeData", { uptime: Math.fround(0.1) });
    expect(plain).toEqual({ uptime: 0.1 });
    expect(toPlain("vega.NodeData", { uptime: Math.fround(16777216) })).toEqual({ uptime: 16777216 });
  });

  test("bytes are padded base64, an enum without a name is its number", () => {
    const submission = { source: 77, payload: new Uint8Array([251, 255]) };
    expect(toPlain("vega.commands.v1.OracleDataSubmission", submission)).toEqual({
      source: 77,
      payload: "+/8=",
    });
  });

  test("an envelope around a plain object has the same escapes", () => {
    expect(renderPlain({ result: toPlain(ASSET, { id: "<" }, "stream") }, "stream")).toBe(
      '{"result":{"id":"\\u003c"}}',
    );
  });

  test("map keys are sorted, and any key is only a key", () => {
    const map = new Map([
      ["b", {}],
      ["__proto__", { partyId: "p" }],
    ]);
    expect(renderJson("vega.GovernanceData", { yesParty: map }, "stream")).toBe(
      '{"yesParty":{"__proto__":{"partyId":"p"},"b":{}}}',
    );
  });
});

describe("fromJson", () => {
  test("reads back what is printed, for every message and mode", () => {
    for (const name of messageNames()) {
      for (const message of fc.sample(messageArbitrary(name), { numRuns: 2, seed: SEED })) {
        // Minus zero is printed as 0, so it is left out of the comparison.
        const expected = codecOf(name).decode(codecOf(name).encode(message));
        for (const mode of ["normal", "stream", "pretty", "node"] as const) {
          const back = fromJson(name, JSON.parse(renderJson(name, message, mode)));
          expect(back, name).toEqual(expected);
        }
        expect(fromJson(name, toPlain(name, message)), name).toEqual(expected);
      }
    }
  });

  test("takes both spellings, names or numbers of enums, texts or numbers of 64 bits, and null", () => {
    const json = {
      id: "a",
      details: { builtin_asset: { max_faucet_amount_mint: "1" }, decimals: 18 },
      status: "STATUS_ENABLED",
    };
    const read = fromJson<Asset>(ASSET, json);
    expect(read.details).toMatchObject({ decimals: 18n, builtinAsset: { maxFaucetAmountMint: "1" } });
    expect(read.status).toBe(4);
    expect(
      fromJson<Asset>(ASSET, { status: 4, details: { decimals: "18446744073709551615" } }).details?.decimals,
    ).toBe((1n << 64n) - 1n);
    expect(fromJson(ASSET, { id: null, details: null, status: null })).toEqual(codecOf(ASSET).empty());
  });

  test("unknown members are refused, or ignored on request", () => {
    expect(() => fromJson(ASSET, { x: 1 })).toThrow('vega.Asset: has no field called "x"');
    expect(fromJson<Asset>(ASSET, { x: 1, id: "a" }, { unknown: "ignore" }).id).toBe("a");
  });

  const refused: [title: string, fullName: string, value: unknown, message: string][] = [
    ["no object", ASSET, [], "vega.Asset: must be an object, is a list"],
    ["null", ASSET, null, "vega.Asset: must be an object, is null"],
    ["a number for a text", ASSET, { id: 1 }, "vega.Asset.id: must be a text, is a number"],
    ["a lone surrogate", ASSET, { id: "\ud800" }, "vega.Asset.id: has a lone surrogate"],
    ["an unknown enum name", ASSET, { status: "NO" }, 'vega.Asset.status: "NO" is not a vega.Asset.Status'],
    [
      "a mistyped enum name",
      ASSET,
      { status: "STATUS_ENABLD" },
      "is not a vega.Asset.Status: did you mean 'STATUS_ENABLED'?",
    ],
    [
      "a fraction",
      ASSET,
      { details: { decimals: 1.5 } },
      "vega.Asset.details.decimals: must be a whole number",
    ],
    ["a number that lost digits", ASSET, { details: { decimals: 2 ** 60 } }, "given as text above 2^53"],
    [
      "a negative unsigned",
      ASSET,
      { details: { decimals: "-1" } },
      "must be from 0 to 18446744073709551615, is -1",
    ],
    ["an empty number", ASSET, { details: { decimals: "" } }, 'must be a whole number, is ""'],
    ["a digit storm", ASSET, { details: { decimals: "1".repeat(1e5) } }, "must be a whole number"],
    ["both spellings", "vega.Vote", { partyId: "a", party_id: "b" }, "vega.Vote.partyId: is given twice"],
    ["two of a oneof", "vega.AssetDetails", { erc20: {}, builtinAsset: {} }, "another member of source"],
    ["no list", "vega.DispatchStrategy", { markets: "a" }, "vega.DispatchStrategy.markets: must be a list"],
    [
      "null in a list",
      "vega.DispatchStrategy",
      { markets: [null] },
      "vega.DispatchStrategy.markets[0]: must be a text",
    ],
    ["no boolean", "vega.Order", { postOnly: 1 }, "vega.Order.postOnly: must be true or false"],
    [
      "base64 of the URL alphabet",
      "vega.commands.v1.OracleDataSubmission",
      { payload: "-_8=" },
      "illegal base64 data at input byte 0",
    ],
    [
      "base64 without padding",
      "vega.commands.v1.OracleDataSubmission",
      { payload: "+/8" },
      "illegal base64 data at input byte 0",
    ],
    ["a double out of range", "vega.LogNormalModelParams", { mu: "1e400" }, "is out of range"],
    ["a float out of range", "vega.NodeData", { uptime: 1e39 }, "is out of range"],
  ];
  test.each(refused)("refuses %s", (_, fullName, value, message) => {
    let error: unknown;
    try {
      fromJson(fullName, value);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(WireError);
    expect((error as WireError).code).toBe("json_invalid");
    expect((error as WireError).message).toContain(message);
  });

  test("only WireError comes out, whatever JSON goes in", () => {
    const property = fc.property(fc.constantFrom(...messageNames()), fc.jsonValue(), (name, value) => {
      const { fields } = messageDescriptor(name);
      const shaped = Object.fromEntries(fields.map((field) => [field.name, value]));
      for (const json of [value, shaped]) {
        try {
          fromJson(name, json, { unknown: "ignore" });
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      }
    });
    fc.assert(property, { numRuns: runs(2000), seed: SEED });
  });
});
