// The rules of the wire format, one by one, on messages small enough to read as hex.
import { describe, expect, test } from "bun:test";
import { WireError } from "../../src/wire/errors.ts";
import { decodeAccountFilter, encodeAccountFilter } from "../../src/wire/generated/datanode.ts";
import {
  decodeAsset,
  decodeAssetDetails,
  decodeGovernanceData,
  decodeNodeData,
  encodeAsset,
  encodeAssetDetails,
  encodeGovernanceData,
  encodeNodeData,
  readAssetAt,
} from "../../src/wire/generated/vega.ts";
import { MESSAGE_BYTES_MAX } from "../../src/wire/limits.ts";
import { Reader } from "../../src/wire/reader.ts";

const hex = (text: string): Uint8Array => Uint8Array.fromHex(text.replaceAll(" ", ""));

function errorOf(run: () => unknown): WireError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(WireError);
    return error as WireError;
  }
  throw new Error("nothing was thrown");
}

describe("bytes that decoders take", () => {
  // vega.Asset: 1 id string, 2 details message, 3 status enum
  const cases: [title: string, bytes: string, field: string, value: unknown][] = [
    ["nothing at all", "", "id", ""],
    ["a text", "0a 02 6869", "id", "hi"],
    ["the last of two texts", "0a 01 61 0a 01 62", "id", "b"],
    ["a text with three- and four-byte characters", "0a 07 e282ac f09f9880", "id", "€😀"],
    ["a byte order mark as a character", "0a 03 efbbbf", "id", "\ufeff"],
    ["a replacement character that really stands there", "0a 03 efbfbd", "id", "\ufffd"],
    ["a negative enum in ten bytes", "18 ffffffffffffffffff01", "status", -1],
    ["an enum with a needlessly long varint", "18 8400", "status", 4],
    ["a long varint by its low 32 bits", "18 8480808010", "status", 4],
    ["a tag with a needlessly long varint", "8a00 01 61", "id", "a"],
    [
      "unknown varint, fixed64, bytes and fixed32 before a known field",
      "a006 ff01 a106 0000000000000000 a206 02 ffff a506 00000000 18 02",
      "status",
      2,
    ],
    ["an unknown group with a group inside", "a306 ab06 08 01 ac06 a406 18 02", "status", 2],
    ["an unknown field with the largest number", "faffffff0f 00 18 02", "status", 2],
  ];
  test.each(cases)("%s", (_, bytes, field, value) => {
    expect(decodeAsset(hex(bytes))).toHaveProperty(field, value as never);
  });

  test("a list of numbers packed, unpacked and mixed", () => {
    // datanode.api.v2.AccountFilter: 4 account_types enum list
    const mixed = decodeAccountFilter(hex("20 04 22 03 05 9001 20 07"));
    expect(mixed.accountTypes).toEqual([4, 5, 144, 7]);
    expect(encodeAccountFilter({ accountTypes: [4, 5, 144, 7] }).toHex()).toBe("220504059001" + "07");
  });

  test("the range that is asked for, and nothing around it", () => {
    const bytes = hex("ff ff 0a 01 61 ff ff");
    expect(readAssetAt(bytes, 2, 5)).toEqual({ id: "a", details: undefined, status: 0 });
  });
});

describe("bytes that decoders refuse", () => {
  // The path says where, the offset counts from the start of the buffer.
  const cases: [title: string, bytes: string, code: string, path: string, offset: number][] = [
    ["a tag without a value", "18", "truncated", "vega.Asset.status", 1],
    ["a varint that goes on", "18 ff", "truncated", "vega.Asset.status", 1],
    ["eleven varint bytes", "18 ffffffffffffffffffff01", "varint_overlong", "vega.Asset.status", 1],
    ["65 bits", "18 ffffffffffffffffff02", "varint_overlong", "vega.Asset.status", 1],
    ["a length beyond the end", "0a 05 61", "length_beyond_end", "vega.Asset.id", 1],
    ["a length of 2^63", "0a 80808080808080808001", "length_beyond_end", "vega.Asset.id", 1],
    [
      "a length beyond the inner message",
      "12 02 0a 05 6161616161",
      "length_beyond_end",
      "vega.Asset.details.name",
      3,
    ],
    [
      "a varint over the end of the inner message",
      "12 02 20 ff 01",
      "truncated",
      "vega.Asset.details.decimals",
      3,
    ],
    ["a stray continuation byte", "0a 01 80", "invalid_utf8", "vega.Asset.id", 2],
    ["an overlong slash", "0a 02 c0af", "invalid_utf8", "vega.Asset.id", 2],
    ["a surrogate in UTF-8", "0a 03 eda080", "invalid_utf8", "vega.Asset.id", 2],
    ["a cut character in a long text", `0a 29 ${"61".repeat(40)}e2`, "invalid_utf8", "vega.Asset.id", 2],
    ["field number 0", "00 00", "field_number_invalid", "vega.Asset.0", 0],
    ["field number 2^29", "8080808010 00", "field_number_invalid", "vega.Asset.536870912", 0],
    ["wire type 6", "a606", "wire_type_invalid", "vega.Asset.100", 1],
    ["the end of a group that has no start", "a406", "group_unbalanced", "vega.Asset.100", 1],
    ["a group that ends as another", "a306 ac06", "group_unbalanced", "vega.Asset.100", 3],
    ["a group without an end", "a306 08 01", "truncated", "vega.Asset.100", 3],
    ["101 groups in each other", "a306".repeat(101) + "a406".repeat(101), "too_deep", "vega.Asset.100", 202],
    ["a fixed64 that is cut", "a106 00", "truncated", "vega.Asset.100", 2],
  ];
  test.each(cases)("%s", (_, bytes, code, path, offset) => {
    const error = errorOf(() => decodeAsset(hex(bytes)));
    expect({ code: error.code as string, path: error.path, offset: error.offset }).toEqual({
      code,
      path,
      offset,
    });
    expect(error.message).toStartWith(`${path}: `);
  });

  test.each([
    ["a number for a text", "08 01"],
    ["a group", "0b 0c"],
    ["32 bits", "0d 01020304"],
    ["64 bits for a message", "11 0102030405060708"],
    ["a number for a message", "10 05"],
  ])("a known field with another wire type is passed over, as by the network: %s", (_, bytes) => {
    expect(decodeAsset(hex(bytes))).toEqual(decodeAsset(hex("")));
    expect(decodeAsset(hex(`0a 02 6162 ${bytes}`)).id).toBe("ab");
  });

  test("100 groups in each other are still skipped", () => {
    expect(decodeAsset(hex("a306".repeat(100) + "a406".repeat(100))).id).toBe("");
  });

  test("a range outside of the buffer", () => {
    for (const [start, end] of [
      [-1, 0],
      [0, 4],
      [3, 2],
      [Number.NaN, 1],
    ] as const) {
      expect(errorOf(() => readAssetAt(new Uint8Array(3), start, end)).code).toBe("range_invalid");
    }
  });

  test("an input above the limit, before it is looked at", () => {
    const bytes = new Uint8Array(MESSAGE_BYTES_MAX + 1);
    expect(errorOf(() => decodeAsset(bytes)).code).toBe("too_large");
  });
});

describe("messages that come in pieces", () => {
  test("a singular message that comes twice is merged, the later field wins", () => {
    const first = encodeAsset({ details: { name: "a", symbol: "s", erc20: { contractAddress: "c" } } });
    const second = encodeAsset({ details: { name: "b", erc20: { lifetimeLimit: "9" } } });
    const { details } = decodeAsset(new Uint8Array([...first, ...second]));
    expect(details).toMatchObject({ name: "b", symbol: "s" });
    expect(details?.erc20).toEqual({ contractAddress: "c", lifetimeLimit: "9", withdrawThreshold: "" });
  });

  test("an explicit zero in the second piece overwrites", () => {
    const first = encodeAsset({ details: { decimals: 5n } });
    expect(decodeAsset(new Uint8Array([...first, ...hex("12 02 20 00")])).details?.decimals).toBe(0n);
  });

  test("of a oneof the last member stays, and coming back starts anew", () => {
    const erc20 = encodeAssetDetails({ erc20: { contractAddress: "c" } });
    const builtin = encodeAssetDetails({ builtinAsset: { maxFaucetAmountMint: "1" } });
    const again = encodeAssetDetails({ erc20: { lifetimeLimit: "9" } });
    expect(decodeAssetDetails(new Uint8Array([...erc20, ...builtin])).erc20).toBeUndefined();
    const back = decodeAssetDetails(new Uint8Array([...erc20, ...builtin, ...again]));
    expect(back.builtinAsset).toBeUndefined();
    expect(back.erc20?.contractAddress).toBe("");
  });
});

describe("numbers", () => {
  const unsigned = [
    0n,
    1n,
    127n,
    128n,
    (1n << 49n) - 1n,
    1n << 53n,
    (1n << 53n) + 1n,
    1674004204512345678n,
    (1n << 64n) - 1n,
  ];
  test.each(unsigned)("uint64 %d", (decimals) => {
    expect(decodeAssetDetails(encodeAssetDetails({ decimals })).decimals).toBe(decimals);
  });

  test("a float keeps 32 bits", () => {
    expect(decodeNodeData(encodeNodeData({ uptime: 0.1 })).uptime).toBe(Math.fround(0.1));
  });

  test("int64 goes down to -2^63", () => {
    const least = new Reader(hex("80808080808080808001"), 0, 10);
    expect(least.int64()).toBe(-(1n << 63n));
  });
});

describe("bytes that encoders write", () => {
  const cases: [title: string, made: Uint8Array, bytes: string][] = [
    ["nothing for defaults", encodeAsset({ id: "", details: undefined, status: 0 }), ""],
    ["a set but empty message", encodeAsset({ details: {} }), "12 00"],
    ["fields by number", encodeAsset({ status: 4, id: "a" }), "0a 01 61 18 04"],
    ["a negative enum in ten bytes", encodeAsset({ status: -1 }), "18 ffffffffffffffffff01"],
    [
      "a map sorted by key",
      encodeGovernanceData({
        yesParty: new Map([
          ["b", {}],
          ["a", {}],
        ]),
      }),
      "22 05 0a0161 1200 22 05 0a0162 1200",
    ],
    ["the largest uint64", encodeAssetDetails({ decimals: (1n << 64n) - 1n }), "20 ffffffffffffffffff01"],
  ];
  test.each(cases)("%s", (_, encoded, bytes) => {
    expect(encoded.toHex()).toBe(bytes.replaceAll(" ", ""));
  });

  test("nested lengths of one to four bytes", () => {
    for (const size of [127, 128, 16_383, 16_384, 2_097_151, 2_097_152]) {
      const name = "n".repeat(size);
      expect(decodeAsset(encodeAsset({ details: { name } })).details?.name === name).toBe(true);
    }
  });

  test("map entries without key or value are read as defaults", () => {
    const { yesParty } = decodeGovernanceData(hex("22 00 22 03 0a0161"));
    expect([...yesParty.keys()]).toEqual(["", "a"]);
    expect(yesParty.get("a")?.partyId).toBe("");
  });

  const refused: [title: string, run: () => unknown][] = [
    ["a number above 64 bits", () => encodeAssetDetails({ decimals: 1n << 64n })],
    ["a negative unsigned number", () => encodeAssetDetails({ decimals: -1n })],
    ["an enum that is no integer", () => encodeAsset({ status: 1.5 })],
    ["a text with a lone surrogate", () => encodeAsset({ id: "\ud800" })],
  ];
  test.each(refused)("they refuse %s, and work again afterwards", (_, run) => {
    expect(errorOf(run).code).toBe("value_invalid");
    expect(encodeAsset({ id: "a" }).toHex()).toBe("0a0161");
  });
});
