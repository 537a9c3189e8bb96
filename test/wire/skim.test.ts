// A skim says yes only to what the long way takes, whatever the bytes, and says the same of the fields it is asked for.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checkEpoch, storedAmount } from "../../src/store/field.ts";
import {
  accountChecks,
  delegationChecks,
  epochChecks,
  marginsChecks,
  marketChecks,
  marketDataChecks,
  orderChecks,
  proposalChecks,
  rankingChecks,
  scoreChecks,
} from "../../src/store/project/checks.ts";
import { proposalFacts, proposalKind } from "../../src/store/project/governance.ts";
import { Field } from "../../src/wire/block.ts";
import { messageDescriptor } from "../../src/wire/descriptors.ts";
import type { Proposal } from "../../src/wire/generated/vega.ts";
import { type Rules, Skim } from "../../src/wire/skim.ts";
import { samplePayloads } from "../rig/door.ts";
import { messageOf, mutations } from "../rig/mutations.ts";
import { runs } from "../support/seed.ts";
import { messageArbitrary } from "./arbitrary.ts";
import { type AnyMessage, codecOf } from "./codecs.ts";

type Case = readonly [field: number, rules: Rules, wanted: readonly string[], check: (m: never) => unknown];

const CASES: readonly Case[] = [
  [Field.marketData, marketDataChecks.rules, ["market", "market_trading_mode"], marketDataChecks.check],
  [Field.marketCreated, marketChecks.rules, ["id", "state"], marketChecks.check],
  [
    Field.order,
    orderChecks.rules,
    [
      "id",
      "market_id",
      "party_id",
      "time_in_force",
      "type",
      "created_at",
      "status",
      "reference",
      "version",
      "liquidity_provision_id",
    ],
    orderChecks.check,
  ],
  [Field.proposal, proposalChecks.rules, ["id", "reference", "party_id", "state"], proposalChecks.check],
  [Field.marginLevels, marginsChecks.rules, ["party_id", "asset", "market_id"], marginsChecks.check],
  [Field.validatorRanking, rankingChecks.rules, ["node_id", "epoch_seq"], rankingChecks.check],
  [Field.validatorScore, scoreChecks.rules, ["node_id", "epoch_seq"], scoreChecks.check],
  [Field.epochUpdate, epochChecks.rules, ["seq"], (m: { seq: bigint }) => checkEpoch(m.seq, "seq")],
  [
    Field.account,
    accountChecks.rules,
    ["owner", "asset", "market_id", "type", "balance"],
    (m: { balance: string }) => storedAmount(m.balance, "balance"),
  ],
  [
    Field.delegationBalance,
    delegationChecks.rules,
    ["party", "node_id", "epoch_seq", "amount"],
    (m: { amount: string }) => storedAmount(m.amount, "amount"),
  ],
  [Field.beginBlock, { height: { is: "below", bits: 49 } }, ["height"], () => true],
];

/** Skims some bytes in the middle of others; true when they are plain and everything agrees. */
function agrees(skim: Skim, [field, rules, wanted, check]: Case, bytes: Uint8Array): boolean {
  const buffer = new Uint8Array(bytes.length + 20).fill(1);
  buffer.set(bytes, 10);
  if (!skim.isPlain(buffer, 10, 10 + bytes.length)) return false;
  const name = messageOf(field);
  const message: AnyMessage = codecOf(name).decode(bytes);
  check(message as never);
  const { fields } = messageDescriptor(name);
  const texts = wanted.map((one, i) => {
    const { kind, jsonName } = fields.find((known) => known.name === one)!;
    const number = () => (rules[one] ? skim.number(i) : skim.int64(i));
    return [one, kind === "string" ? skim.text(i) : String(number()), String(message[jsonName])];
  });
  for (const [one, skimmed, read] of texts) expect([one, skimmed]).toEqual([one, read]);
  return true;
}

describe("what a skim takes, the long way takes, and reads the same:", () => {
  const samples = samplePayloads();
  for (const one of CASES) {
    const [field, rules, wanted] = one;
    const name = messageOf(field);
    const sample = samples.get(field);
    const skim = new Skim(name, rules, wanted);

    test(`${name}: a real one`, () => {
      if (sample) expect(agrees(skim, one, sample)).toBe(true);
      else expect(field).toBe(Field.beginBlock);
    });

    test(`${name}: each field with each bad value`, () => {
      for (const { bytes } of mutations(name, sample ?? new Uint8Array(0))) agrees(skim, one, bytes);
    });

    test(`${name}: random ones, and damaged ones`, () => {
      const codec = codecOf(name);
      const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 });
      const property = fc.property(messageArbitrary(name), fc.boolean(), damage, (message, isReal, hits) => {
        const bytes = (isReal && sample ? sample : codec.encode(message)).slice();
        for (const [at, value] of hits) if (bytes.length > 0) bytes[at % bytes.length] = value;
        agrees(skim, one, bytes);
        agrees(skim, one, bytes.subarray(0, bytes.length - ((hits[0]?.[0] ?? 0) % (bytes.length + 1))));
      });
      fc.assert(property, { numRuns: runs(3_000) });
    });
  }
});

test("digits are read as a number, as far as it is exact", () => {
  const { encode } = codecOf("vega.Account");
  const skim = new Skim("vega.Account", accountChecks.rules, ["balance"]);
  const digitsOf = (balance: string) => {
    const bytes = encode({ balance });
    return skim.isPlain(bytes, 0, bytes.length) ? skim.digits(0) : undefined;
  };
  expect(["0", "7", "0010", "999999999999999"].map(digitsOf)).toEqual([0, 7, 10, 999999999999999]);
  expect(["", "1000000000000000", "9".repeat(77)].map(digitsOf)).toEqual([-1, -1, -1]);
});

describe("the kind of a proposal is the same", () => {
  const codec = codecOf("vega.Proposal");
  const skim = new Skim("vega.Proposal", proposalChecks.rules, []);
  const kindOf = (bytes: Uint8Array) =>
    proposalFacts({ field: Field.proposal, seq: 1, tx: 0, bytes, start: 0, end: bytes.length }).kind;

  test("for each change", () => {
    const changes = [
      "newMarket",
      "updateMarket",
      "updateNetworkParameter",
      "newAsset",
      "newFreeform",
      "updateAsset",
    ];
    const kinds = changes.map((change, i) => {
      const bytes = codec.encode({ terms: { closingTimestamp: 1n, [change]: {} } });
      expect(skim.isPlain(bytes, 0, bytes.length)).toBe(true);
      return [change, kindOf(bytes), i + 2];
    });
    for (const [change, kind, expected] of kinds) expect([change, kind]).toEqual([change, expected]);
    expect(kindOf(codec.encode({ terms: {} }))).toBe(0);
    expect(kindOf(codec.encode({}))).toBe(0);
  });

  test("for terms that come twice, and several changes in them", () => {
    const property = fc.property(
      messageArbitrary("vega.Proposal"),
      messageArbitrary("vega.Proposal"),
      (one, other) => {
        const bytes = new Uint8Array([
          ...codec.encode(one),
          ...codec.encode({ terms: (other as AnyMessage).terms }),
        ]);
        const decoded = codec.decode(bytes) as unknown as Proposal;
        try {
          proposalChecks.check(decoded);
        } catch {
          return;
        }
        expect(kindOf(bytes)).toBe(proposalKind(decoded));
      },
    );
    fc.assert(property, { numRuns: runs(1_000) });
  });
});

describe("a skim", () => {
  const account = codecOf("vega.Account");
  const skim = new Skim("vega.Account", accountChecks.rules, ["owner", "type", "balance"]);
  const isPlain = (bytes: Uint8Array) => skim.isPlain(bytes, 0, bytes.length);

  test("takes the last of a field that comes twice, and nothing over from the message before", () => {
    const first = account.encode({ owner: "aa", type: 4, balance: "1" });
    const second = account.encode({ owner: "bb" });
    expect(isPlain(new Uint8Array([...first, ...second]))).toBe(true);
    expect([skim.text(0), skim.number(1), skim.text(2)]).toEqual(["bb", 4, "1"]);
    expect(isPlain(new Uint8Array(0))).toBe(true);
    expect([skim.text(0), skim.number(1), skim.text(2)]).toEqual(["", 0, ""]);
  });

  test.each([
    ["a text that is not ASCII", account.encode({ owner: "é" })],
    ["an amount with a sign", account.encode({ balance: "-1" })],
    ["an amount of 78 digits", account.encode({ balance: "1".repeat(78) })],
    ["a type without a name", account.encode({ type: 99 })],
    ["a negative type", account.encode({ type: -1 })],
    ["an unknown field", Uint8Array.of(0x78, 1)],
    ["field 0", Uint8Array.of(0, 1)],
    ["a known field of another wire type", Uint8Array.of(0x10, 1)],
    ["a text beyond the end", Uint8Array.of(0x12, 2, 0x61)],
    ["a number without an end", Uint8Array.of(0x30, 0x84)],
  ])("leaves %s to the long way", (_, bytes) => expect(isPlain(bytes)).toBe(false));
});
