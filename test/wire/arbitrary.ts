/** Random messages of any type for fast-check, made from the schema. */
import fc from "fast-check";
import { enumDescriptor, type FieldDescriptor, messageDescriptor } from "../../src/wire/descriptors.ts";
import type { AnyMessage } from "./codecs.ts";

const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: fc.oneof(
    { weight: 4, arbitrary: fc.string({ maxLength: 40 }) },
    {
      weight: 2,
      arbitrary: fc.string({ minLength: 64, maxLength: 64, unit: fc.constantFrom(..."0123456789abcdef") }),
    },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
    { weight: 1, arbitrary: fc.constantFrom("", "\ufeff", "\ufffd", "é".repeat(70), "a".repeat(200)) },
  ),
  bytes: fc.uint8Array({ maxLength: 20 }),
  bool: fc.boolean(),
  int32: fc.integer(),
  uint32: fc.integer({ min: 0, max: 0xffffffff }),
  int64: fc.oneof(fc.bigInt(-(1n << 63n), (1n << 63n) - 1n), fc.bigInt(-300n, 300n)),
  uint64: fc.oneof(fc.bigInt(0n, (1n << 64n) - 1n), fc.bigInt(0n, 300n)),
  double: fc.double(),
  float: fc.float(),
};

/** Sometimes a number that has no name: newer writers send those. */
function enumArbitrary(fullName: string): fc.Arbitrary<number> {
  const values = [...enumDescriptor(fullName).nameOf.keys()];
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: fc.integer() },
  );
}

function one(field: FieldDescriptor, depth: number): fc.Arbitrary<unknown> {
  if (field.kind === "message" || field.kind === "map") return messageArbitrary(field.typeName, depth + 1);
  return field.kind === "enum" ? enumArbitrary(field.typeName) : scalars[field.kind]!;
}

function fieldArbitrary(field: FieldDescriptor, depth: number): fc.Arbitrary<unknown> {
  const arbitrary = one(field, depth);
  const most = depth > 2 ? 1 : 3;
  if (field.kind === "map") {
    const entries = fc.array(fc.tuple(fc.string({ maxLength: 9 }), arbitrary), { maxLength: most });
    return entries.map((pairs) => new Map(pairs as [string, unknown][]));
  }
  if (field.repeated) return fc.array(arbitrary, { maxLength: most });
  const presence = field.kind === "message" || field.optional;
  return presence ? fc.option(arbitrary, { nil: undefined, freq: depth > 2 ? 1 : 3 }) : arbitrary;
}

const cache = new Map<string, fc.Arbitrary<AnyMessage>>();

/** A complete message: every field is set, at most one member of each oneof is set. */
export function messageArbitrary(fullName: string, depth = 0): fc.Arbitrary<AnyMessage> {
  const key = `${fullName} ${Math.min(depth, 3)}`;
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const { fields } = messageDescriptor(fullName);
  const groups = new Map<string, FieldDescriptor[]>();
  for (const field of fields) {
    const group = field.oneof === "" ? field.name : `@${field.oneof}`;
    groups.set(group, [...(groups.get(group) ?? []), field]);
  }
  const parts = [...groups].map(([group, members]) => {
    if (!group.startsWith("@"))
      return fieldArbitrary(members[0]!, depth).map((value) => ({ [members[0]!.jsonName]: value }));
    const absent = fc.constant<AnyMessage>({});
    const set = members.map((field) => one(field, depth).map((value) => ({ [field.jsonName]: value })));
    return fc.oneof(absent, ...set);
  });
  const arbitrary = fc.tuple(...parts).map((values) => {
    const set: AnyMessage = Object.assign({}, ...values);
    return Object.fromEntries(fields.map((field) => [field.jsonName, set[field.jsonName]]));
  });
  cache.set(key, arbitrary);
  return arbitrary;
}
