// Transactions that are nearly right: bytes of a good one with something done to them, and bodies of requests that
// are no requests.
import type { Dice } from "../../scripts/sample/seeded.ts";

/** A field on the wire: where its key begins, where its value begins, where it ends. */
interface WireField {
  readonly number: number;
  readonly type: number;
  readonly start: number;
  readonly value: number;
  readonly end: number;
}

const LENGTH_DELIMITED = 2;
/** As long as a varint can be, and one byte longer. */
const HUGE_VARINTS = [
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01),
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
  new Uint8Array(11).fill(0xff),
  Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00),
];
const NESTING = 20_000;

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return Uint8Array.from([...bytes, rest]);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** The fields of a good message, outermost level. */
function fieldsOf(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const read = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const start = at;
    const key = read();
    const type = key & 7;
    const value = at;
    if (type === 0) read();
    else if (type === LENGTH_DELIMITED) at += read();
    else at += type === 1 ? 8 : 4;
    fields.push({ number: Math.floor(key / 8), type, start, value, end: at });
  }
  return fields;
}

export type Mutation = (bytes: Uint8Array, dice: Dice, other: Uint8Array) => Uint8Array;

/** By name; each takes a good message, and a second one to take pieces from. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  "a bit turned": (bytes, dice) => {
    const copy = bytes.slice();
    copy[dice.below(copy.length)]! ^= 1 << dice.below(8);
    return copy;
  },
  "some bytes anything": (bytes, dice) => {
    const copy = bytes.slice();
    for (let n = dice.between(1, 12); n > 0; n--) copy[dice.below(copy.length)] = dice.below(256);
    return copy;
  },
  "cut short": (bytes, dice) => bytes.slice(0, dice.below(bytes.length)),
  "cut at the front": (bytes, dice) => bytes.slice(dice.between(1, bytes.length)),
  "followed by anything": (bytes, dice) =>
    joined(
      bytes,
      Uint8Array.from({ length: dice.between(1, 40) }, () => dice.below(256)),
    ),
  "a piece of another": (bytes, dice, other) => {
    const [at, from] = [dice.below(bytes.length), dice.below(other.length)];
    return joined(
      bytes.slice(0, at),
      other.slice(from, from + dice.below(60)),
      bytes.slice(at + dice.below(20)),
    );
  },
  "a field twice": (bytes, dice) => {
    const field = dice.pick(fieldsOf(bytes));
    return joined(bytes, bytes.slice(field.start, field.end));
  },
  "a field left out": (bytes, dice) => {
    const field = dice.pick(fieldsOf(bytes));
    return joined(bytes.slice(0, field.start), bytes.slice(field.end));
  },
  "all fields of another too": (bytes, _, other) => joined(bytes, other),
  "another wire type": (bytes, dice) => {
    const field = dice.pick(fieldsOf(bytes));
    const key = varint(field.number * 8 + ((field.type + dice.between(1, 7)) % 8));
    return joined(bytes.slice(0, field.start), key, bytes.slice(field.value));
  },
  "another field number": (bytes, dice) => {
    const field = dice.pick(fieldsOf(bytes));
    const number = dice.pick([0, 1, 2, 3, 15, 16, 1001, 1002, 2000, 3001, 4001, 19_000, 536_870_911]);
    return joined(bytes.slice(0, field.start), varint(number * 8 + field.type), bytes.slice(field.value));
  },
  "a length that lies": (bytes, dice) => {
    const field = dice.pick(fieldsOf(bytes));
    const length = dice.pick([0, 1, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 49]);
    const key = varint(field.number * 8 + LENGTH_DELIMITED);
    return joined(bytes.slice(0, field.start), key, varint(length), bytes.slice(field.value));
  },
  "a huge varint": (bytes, dice) => {
    const field = dice.pick(fieldsOf(bytes));
    const huge = dice.pick(HUGE_VARINTS);
    return joined(bytes.slice(0, field.start), varint(field.number * 8), huge, bytes.slice(field.end));
  },
  "a huge key": (bytes, dice) => joined(dice.pick(HUGE_VARINTS), bytes),
  "fields that nobody knows": (bytes, dice) => {
    const unknown = Array.from({ length: dice.between(1, 50) }, () => [
      varint(dice.between(5_000, 9_000) * 8 + LENGTH_DELIMITED),
      varint(3),
      Uint8Array.of(1, 2, 3),
    ]);
    return joined(...unknown.flat(), bytes);
  },
  "groups in groups": (bytes) => joined(bytes, new Uint8Array(NESTING).fill(0x0b)),
  "a message in a message in a message": (bytes, dice) => {
    const key = varint(dice.pick([1, 2, 3000, 1010, 2004]) * 8 + LENGTH_DELIMITED);
    let inner = bytes;
    for (let depth = dice.between(1, 200); depth > 0; depth--)
      inner = joined(key, varint(inner.length), inner);
    return inner;
  },
  nothing: () => new Uint8Array(0),
};

const DEEP = 50_000;

/** Malformed bodies of a submission; `{tx}` stands for the base64 of a good transaction. */
export const BODIES: readonly string[] = [
  "",
  "{}",
  "null",
  "true",
  "7",
  '"text"',
  "[]",
  "[{}]",
  "{",
  "}",
  '{"tx"',
  '{"tx":}',
  '{"tx":"{tx}"',
  '{"tx":"{tx}","type":"TYPE_NONE"}',
  '{"tx":"{tx}","type":99}',
  '{"tx":"{tx}","type":-1}',
  '{"tx":"{tx}","type":1e400}',
  '{"tx":"{tx}","type":2.5}',
  '{"tx":"{tx}","type":[]}',
  '{"tx":"{tx}","type":{}}',
  '{"tx":"{tx}","type":true}',
  '{"tx":7,"type":"TYPE_SYNC"}',
  '{"tx":true,"type":"TYPE_SYNC"}',
  '{"tx":[1,2,3],"type":"TYPE_SYNC"}',
  '{"tx":{},"type":"TYPE_SYNC"}',
  '{"tx":null,"type":"TYPE_SYNC"}',
  '{"tx":"","type":"TYPE_SYNC"}',
  '{"tx":"=","type":"TYPE_SYNC"}',
  '{"tx":"%%%%","type":"TYPE_SYNC"}',
  '{"tx":"AAAA=AAA","type":"TYPE_SYNC"}',
  '{"tx":"\\u0000","type":"TYPE_SYNC"}',
  '{"tx":"\\ud800","type":"TYPE_SYNC"}',
  '{"tx":"{tx}","tx":"{tx}","type":"TYPE_SYNC"}',
  '{"TX":"{tx}","type":"TYPE_SYNC"}',
  '{"__proto__":{"tx":"{tx}"},"type":"TYPE_SYNC"}',
  '{"constructor":{"prototype":{"tx":1}},"type":"TYPE_SYNC"}',
  `{"tx":"{tx}","type":"TYPE_SYNC","more":${"[".repeat(DEEP)}${"]".repeat(DEEP)}}`,
  `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`,
  "[".repeat(DEEP),
  '{"tx":{"inputData":"AA==","signature":{"value":"00","algo":"x","version":1e30},"pubKey":7},"type":"TYPE_SYNC"}',
  '{"tx":{"inputData":7,"version":"TX_VERSION_V9"},"type":"TYPE_SYNC"}',
  '{"tx":{"inputData":"AA==","pow":{"tid":{},"nonce":"-1"}}}',
  '{"tx":{"inputData":"AA==","pow":{"tid":"t","nonce":"18446744073709551616"}}}',
  '{"tx":{"inputData":"AA==","pow":{"tid":"t","nonce":1e25}}}',
  '{"tx":{"inputData":"AA==","address":"a","pubKey":"b"}}',
  '{"tx":{"signature":[{}]}}',
  `{"tx":"${"A".repeat(100_000)}","type":"TYPE_SYNC"}`,
  `{"tx":${"9".repeat(100_000)},"type":"TYPE_SYNC"}`,
  `{"tx":"{tx}","type":${"9".repeat(100_000)}}`,
  "\u0000\u0001\u0002",
  "tx=AAAA&type=TYPE_SYNC",
];
