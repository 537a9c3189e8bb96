// The CSV dialect and the texts of SQL values (docs/protocol/20-network-history-export.md#26-csv-dialect and
// #27-rendering-of-sql-types).
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  bool,
  bytea,
  doubleText,
  fixedText,
  identifier,
  type JsonValue,
  jsonbText,
  NULL,
  numericText,
  text,
  timestamp,
  timestampNs,
  wholeText,
} from "../../src/history/csv.ts";
import { AWKWARD, parseCsv, program, run } from "./fixtures.ts";

describe("text", () => {
  test.each([
    ["plain", "plain"],
    ["", '""'],
    [" spaces ", " spaces "],
    ["\\x00", "\\x00"],
    ["a,b", '"a,b"'],
    ['"', '""""'],
    ["cr\rlf\n", '"cr\rlf\n"'],
  ])("%p is written as %p", (value, written) => expect(text(value)).toBe(written));

  test("written values read back, and NULL stays apart from the empty string", () => {
    const row = fc.array(
      fc.option(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...AWKWARD)), { nil: null }),
      {
        minLength: 2,
        maxLength: 5,
      },
    );
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const csv = rows
          .map((fields) => `${fields.map((f) => (f === null ? NULL : text(f))).join(",")}\n`)
          .join("");
        const read = parseCsv(csv).map((fields) =>
          fields.map((f) => (f.text === "" && !f.quoted ? null : f.text)),
        );
        expect(read).toEqual(rows);
      }),
    );
  });

  test("Python's csv reads the same", () => {
    const python = program("python3");
    if (!python) return;
    const csv = `${AWKWARD.map(text).join(",")}\n${AWKWARD.map(text).reverse().join(",")}\n`;
    const script =
      "import csv,io,json,sys;print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.buffer.read().decode(),newline='')))))";
    expect(JSON.parse(run([python, "-c", script], csv))).toEqual([AWKWARD, [...AWKWARD].reverse()]);
  });
});

describe("bytea and bool", () => {
  test.each([
    ["", "\\x"],
    ["network", "\\x03"],
    ["VOTE", "\\x00"],
    ["ABCD", "\\xabcd"],
    ["AB".repeat(32), `\\x${"ab".repeat(32)}`],
    ["ab".repeat(32), `\\x${"ab".repeat(32)}`],
  ])("identifier %p is %p", (id, written) => expect(identifier(id)).toBe(written));

  test("an invalid identifier is refused", () => {
    expect(() => identifier("zz")).toThrow("not a valid hex id");
    expect(() => identifier(`${"ab".repeat(31)}zz`)).toThrow("not a valid hex id");
  });

  test("bytes and booleans", () => {
    expect(bytea(new Uint8Array([0, 255]))).toBe("\\x00ff");
    expect([bool(true), bool(false)]).toEqual(["t", "f"]);
  });
});

describe("timestamptz", () => {
  test.each([
    [1674004071229537, "2023-01-18 01:07:51.229537+00"],
    [1674004334475230, "2023-01-18 01:12:14.47523+00"],
    [0, "1970-01-01 00:00:00+00"],
    [1, "1970-01-01 00:00:00.000001+00"],
    [-1, "1969-12-31 23:59:59.999999+00"],
    [951782400000000, "2000-02-29 00:00:00+00"],
    [-6795364573871346, "1754-08-30 22:43:46.128654+00"],
  ])("%p microseconds", (us, written) => expect(timestamp(us)).toBe(written));

  test("agrees with Date for every time that 64 bits of nanoseconds can say", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (ns) => {
        const us =
          ((ns % 1000n) + 1000n) % 1000n === 0n
            ? ns / 1000n
            : (ns - (((ns % 1000n) + 1000n) % 1000n)) / 1000n;
        const rest = ((us % 1000n) + 1000n) % 1000n;
        const date = new Date(Number((us - rest) / 1000n)).toISOString();
        const whole = `${date.replace("T", " ").replace("Z", "")}${String(rest).padStart(3, "0")}`;
        expect(timestampNs(ns)).toBe(`${whole.replace(/\.?0+$/, "")}+00`);
      }),
    );
  });

  test("nanoseconds are cut towards the past, before 1970 too", () => {
    expect(timestampNs(1999n)).toBe("1970-01-01 00:00:00.000001+00");
    expect(timestampNs(-1n)).toBe("1969-12-31 23:59:59.999999+00");
    expect(timestampNs(-1000n)).toBe("1969-12-31 23:59:59.999999+00");
    expect(timestampNs(-1001n)).toBe("1969-12-31 23:59:59.999998+00");
    expect(timestampNs(-6795364573871345152n)).toBe("1754-08-30 22:43:46.128654+00");
    expect(timestampNs(0n)).toBe("1970-01-01 00:00:00+00");
  });
});

describe("numbers", () => {
  test.each([
    ["", "0"],
    ["0", "0"],
    ["00012", "12"],
    ["+5", "5"],
    ["-0", "0"],
    ["-0.4", "0"],
    ["2.5", "3"],
    ["-2.5", "-3"],
    ["2.4999", "2"],
    ["1e3", "1000"],
    ["12e-1", "1"],
    ["263405395358398793500", "263405395358398793500"],
    ["999.5", "1000"],
  ])("HUGEINT %p is %p", (value, written) => expect(wholeText(value)).toBe(written));

  test.each([
    ["", "0"],
    ["2.50", "2.5"],
    ["2.0", "2"],
    ["100", "100"],
    ["100.00", "100"],
    [".5", "0.5"],
    ["5.", "5"],
    ["-1250.50", "-1250.5"],
    ["-0.00", "0"],
    ["1e-5", "0.00001"],
    ["0.3333333333333333", "0.3333333333333333"],
  ])("numeric %p is %p", (value, written) => expect(numericText(value)).toBe(written));

  test.each([
    ["0.3", "0.3000000000000000"],
    ["", "0.0000000000000000"],
    ["1", "1.0000000000000000"],
    ["0.00000000000000005", "0.0000000000000001"],
    ["-0.99999999999999999", "-1.0000000000000000"],
  ])("numeric(1000,16) %p is %p", (value, written) => expect(fixedText(value, 16)).toBe(written));

  test.each(["x", "1,5", "--1", ".", "1e", "0x10", "1e9999", "NaN", " 1"])("%p is refused", (value) => {
    expect(() => numericText(value)).toThrow(RangeError);
  });

  test.each([
    [50, "50"],
    [100 / 3, "33.333333333333336"],
    [1e-5, "1e-05"],
    [0.0001, "0.0001"],
    [0.00009999, "9.999e-05"],
    [1e15, "1e+15"],
    [123456789012345, "123456789012345"],
    [1.5e300, "1.5e+300"],
    [-2.5e-10, "-2.5e-10"],
    [0, "0"],
    [-0, "-0"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "Infinity"],
  ])("double %p is %p", (value, written) => expect(doubleText(value)).toBe(written));

  test("a double reads back the same", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => Object.is(Number(doubleText(value)), value)),
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e290, max: 1e290 }), (value) => {
        const plain = jsonbText(value);
        expect(plain).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(plain)).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

const byLengthThenBytes = (a: string, b: string) =>
  Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b));

describe("jsonb", () => {
  test.each<[JsonValue, string]>([
    [null, "null"],
    [[], "[]"],
    [{}, "{}"],
    [{ bb: [1, 2], a: 1 }, '{"a": 1, "bb": [1, 2]}'],
    [{ b: true, a: false, aa: null }, '{"a": false, "b": true, "aa": null}'],
    [{ open: 1683018930123456789n, pending: undefined }, '{"open": 1683018930123456789}'],
    [{ x: 1e-7, y: 1e21, z: 1.1 }, '{"x": 0.0000001, "y": 1000000000000000000000, "z": 1.1}'],
    ['a"b\\c\n\u0001é', '"a\\"b\\\\c\\n\\u0001é"'],
    [{ é: 1, zz: 2, aaa: 3 }, '{"zz": 2, "é": 1, "aaa": 3}'],
  ])("%p", (value, written) => expect(jsonbText(value)).toBe(written));

  test("keys come by byte length, then by bytes", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.integer()), (value) => {
        const keys = Object.keys(JSON.parse(jsonbText(value)));
        // Objects list keys that look like indexes first, so these are left out of the comparison.
        const read = keys.filter((key) => !/^\d+$/.test(key));
        expect(read).toEqual([...read].sort(byLengthThenBytes));
        expect(JSON.parse(jsonbText(value))).toEqual(value);
      }),
    );
  });
});
