// Wrong values that clients send by mistake or on purpose, for every parameter of every request, made from the descriptors.
import { type FieldDescriptor, messageDescriptor } from "../../src/wire/descriptors.ts";

/** A parameter that takes a value: its dotted name and its field. */
export interface Parameter {
  readonly name: string;
  readonly field: FieldDescriptor;
}

/** Every parameter of a request message, at any depth. */
export function parametersOf(message: string, prefix = ""): Parameter[] {
  return messageDescriptor(message).fields.flatMap((field): Parameter[] => {
    const name = prefix + field.jsonName;
    return field.kind === "message" ? parametersOf(field.typeName, `${name}.`) : [{ name, field }];
  });
}

const ids = [
  "",
  "0",
  "abc",
  "zz",
  "ab",
  "03",
  "g".repeat(64),
  "a".repeat(63),
  "a".repeat(65),
  "ab".repeat(32),
  "AB".repeat(32),
  "ab".repeat(2_000),
  "network",
  "NETWORK",
  "VOTE",
  "*",
  "!",
  "null",
  "\0",
  "ab\0",
  "é",
  "𝒳\u202e",
  "\ufffd",
  "<script>alert(1)</script>",
  "' OR 1=1 --",
  '"; DROP TABLE blocks; --',
  "../../etc/passwd",
  "%s%n",
  "0xab",
  "0xAB",
  "trades_candle_block_",
  `trades_candle_2_minutes_${"ab".repeat(32)}`,
  `trades_candle_block_${"ab".repeat(900)}`,
];

const integers = [
  "",
  "abc",
  "1.5",
  "1e3",
  " 1",
  "1 ",
  "+5",
  "--1",
  "0x10",
  "٣",
  "NaN",
  "Infinity",
  "-0",
  "0",
  "1",
  "-1",
  String(2 ** 31 - 2),
  String(2 ** 31 - 1),
  String(2 ** 31),
  String(2n ** 53n + 1n),
  String(2n ** 63n - 1n),
  String(2n ** 63n),
  String(2n ** 64n - 1n),
  String(2n ** 64n),
  String(-(2n ** 31n)),
  String(-(2n ** 63n)),
  String(-(2n ** 63n) - 1n),
  "9".repeat(1_000),
];

const booleans = ["", "yes", "2", "TRUE ", "tRUE", "null", "true", "0"];
const enums = ["", "NOPE", "-1", "0", "8", "99", "2147483648", "status_active", "1.0", "toString"];

const times = [
  "",
  "x",
  "2022",
  "0000-00-00T00:00:00Z",
  "2022-02-30T25:61:61Z",
  "9999-12-31T23:59:59.999999999Z",
];
/** Members that cursors of some list have, with values of wrong types and sizes. */
const cursorTexts = [
  "not json",
  "null",
  "1",
  '"text"',
  "[]",
  "{}",
  "[[[[]]]]",
  `${"[".repeat(5_000)}`,
  `${'{"a":'.repeat(1_500)}1${"}".repeat(1_500)}`,
  '{"__proto__":{"id":"00"},"constructor":1}',
  '{"id":1}',
  '{"id":null}',
  '{"id":"zz"}',
  `{"id":"${"ab".repeat(2_000)}"}`,
  '{"account_id":"a"}',
  '{"blockHeight":1e400}',
  '{"blockHeight":-9007199254740991}',
  '{"blockHeight":9007199254740993}',
  '{"epoch_id":"1"}',
  '{"epoch_id":NaN}',
  '{"periodStart":1}',
  '{"vega_time":"2022-08-02T09:00:00Z","AccountID":null,"PartyID":1,"AssetID":[],"MarketID":{},"Type":"x"}',
  '{"vega_time":"2022-08-02T09:00:00Z","PartyID":"zz","AssetID":"zz","MarketID":"zz","Type":99999}',
  ...times.map((time) => JSON.stringify({ vega_time: time, vegaTime: time, synthetic_time: time, id: "ab" })),
];
const base64 = (text: string) => Buffer.from(text).toString("base64");
const cursors = [
  "",
  "!",
  "a",
  "a===",
  "====",
  "a b=",
  "YQ",
  "YQ=",
  "Y\0==",
  "//79/Pv6",
  ...cursorTexts.map(base64),
];

/** Values for a parameter, bad ones mostly. */
export function valuesFor({ name, field }: Parameter): readonly string[] {
  if (/\b(?:after|before)$/.test(name)) return cursors;
  if (field.kind === "bool") return booleans;
  if (field.kind === "enum") return enums;
  return field.kind === "string" ? ids : integers;
}

/** Whole queries that are wrong in their form, for one parameter. */
export function malformedQueries({ name }: Parameter): string[] {
  const parent = name.split(".")[0]!;
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [
    name,
    `${name}=1&${name}=2`,
    `${name}=1&${snake}=2`,
    `${name}.x=1`,
    `${name}[0]=1`,
    `${name}[]=`,
    `${name}[=1`,
    `${name}]=1`,
    `[${name}]=1`,
    `${name}[a][b]=1`,
    `${parent}=1`,
    `${parent}.x.y.z=1`,
    `${name}=%zz`,
    `${name}=%`,
    `${name}=%ff%fe`,
    `${name}=%00`,
    `${name}=1;2`,
    `${name}=${"1&".repeat(500)}`,
    `${name.toUpperCase()}=1`,
    `&&&=&==&${name}==1`,
    `${".".repeat(500)}${name}=1`,
  ];
}
