// Whether a validator is ready, and the sentence where it is not: a table of facts, then readiness over time.
import { expect, test } from "bun:test";
import { Readiness, unreadinessOf, type ValidatorFacts } from "../../src/validator/readiness.ts";

const NOW = Date.UTC(2026, 0, 2, 12, 0, 0);
const ago = (seconds: number) => NOW - seconds * 1_000;

/** Behind block 100, with three peers at the next. */
const WELL: ValidatorFacts = {
  nowMs: NOW,
  upgrade: undefined,
  failure: undefined,
  height: 100,
  blockMs: ago(1),
  paceMs: 1_000,
  connection: { isOpen: true, sinceMs: ago(600) },
  rpc: { problem: undefined, sinceMs: ago(600) },
  isCatchingUp: false,
  peers: [101, 101, 101],
  aheadSinceMs: undefined,
  isTakingState: false,
  diskFullMs: undefined,
};

const READY: readonly (readonly [title: string, facts: Partial<ValidatorFacts>])[] = [
  ["all is well", {}],
  ["it is the only validator", { peers: [] }],
  ["the last block is 19 seconds old", { blockMs: ago(19) }],
  ["blocks come every minute, and the last is nine minutes old", { blockMs: ago(540), paceMs: 60_000 }],
  ["peers are ahead since four seconds", { peers: [104, 104], aheadSinceMs: ago(4), blockMs: ago(6) }],
  ["peers are ahead for long while blocks come here", { peers: [110], aheadSinceMs: ago(60) }],
  ["the disk is full, and blocks come", { diskFullMs: NOW }],
];

test.each(READY)("a validator is ready where %s", (_, facts) => {
  expect(unreadinessOf({ ...WELL, ...facts })).toBeUndefined();
});

const UNREADY: readonly (readonly [
  title: string,
  facts: Partial<ValidatorFacts>,
  code: string | undefined,
  text: string,
])[] = [
  [
    "an upgrade is due, whatever else",
    { upgrade: "protocol upgrade to v2", connection: { isOpen: false, sinceMs: ago(60) } },
    "upgrade_due",
    "protocol upgrade to v2",
  ],
  [
    "its last block could not be stored, and the engine ends again and again",
    { failure: "the disk is full: block 101 waits", connection: { isOpen: false, sinceMs: ago(1) } },
    "disk_full",
    "this validator stands at block 100: the disk is full: block 101 waits",
  ],
  [
    "the engine is not there",
    { connection: { isOpen: false, sinceMs: ago(95) }, rpc: { problem: "ECONNREFUSED", sinceMs: ago(95) } },
    "engine_away",
    "no consensus engine is connected since 2026-01-02T11:58:25Z; the last block here is 100",
  ],
  [
    "the engine answers and has not dialled for five seconds",
    { connection: { isOpen: false, sinceMs: ago(5) } },
    "engine_hangs",
    "this validator stands at block 100: its consensus engine answers, and has not dialled it: it hangs, and must be killed and started again",
  ],
  [
    "the engine answers and has not dialled for four seconds",
    { connection: { isOpen: false, sinceMs: ago(4) } },
    "engine_away",
    "no consensus engine is connected since 2026-01-02T11:59:56Z; the last block here is 100",
  ],
  [
    "the engine's RPC is silent",
    { rpc: { problem: "the operation timed out", sinceMs: ago(20) } },
    "engine_away",
    "the consensus engine is connected, and its RPC does not answer since 2026-01-02T11:59:40Z (the operation timed out); the last block here is 100",
  ],
  [
    "the chain begins and the others are not there",
    { height: 0, peers: [] },
    undefined,
    "the chain has no block yet: it begins once more than two thirds of the validators, by power, run; its consensus engine has no peers",
  ],
  [
    "a state is being taken",
    { height: 0, peers: [900, 901], isTakingState: true },
    undefined,
    "the chain has no block yet: the state is taken from a snapshot of the other validators",
  ],
  [
    "it has no block, and the others have",
    { height: 0, peers: [900, 901], isCatchingUp: true },
    undefined,
    "the chain has no block yet: its consensus engine fetches a state or blocks, the others are at block 900",
  ],
  [
    "it catches up",
    { isCatchingUp: true, peers: [1_461, 1_460] },
    undefined,
    "it catches up with the other validators: block 100 of 1460",
  ],
  [
    "it follows from far behind",
    { peers: [122, 120] },
    "validator_behind",
    "it is more than 20 blocks behind the other validators: block 100 of 121",
  ],
  [
    "peers go on for five seconds while it stands",
    { peers: [108, 101, 107], aheadSinceMs: ago(5), blockMs: ago(6) },
    "validator_differs",
    "this validator stands at block 100 while 2 of its 3 peers are at block 107: its state differs from theirs, or its consensus engine has failed",
  ],
  [
    "peers go on while it catches up and stands",
    { peers: [108], aheadSinceMs: ago(5), blockMs: ago(6), isCatchingUp: true },
    "validator_differs",
    "this validator stands at block 100 while 1 of its 1 peers are at block 107: a peer that it fetches from has gone, its state differs from theirs, or its consensus engine has failed",
  ],
  [
    "no block comes to anyone",
    { blockMs: ago(20), peers: [101] },
    "chain_stands",
    "no block has come since 2026-01-02T11:59:40Z (block 100): a third of the voting power or more is away, or this validator is cut off; its consensus engine has 1 peer",
  ],
  [
    "no block comes for ten minutes on a network of one a day",
    { blockMs: ago(600), paceMs: 86_400_000 },
    "chain_stands",
    "no block has come since 2026-01-02T11:50:00Z (block 100): a third of the voting power or more is away, or this validator is cut off; its consensus engine has 3 peers",
  ],
  [
    "it stands since the disk is full",
    { peers: [108], aheadSinceMs: ago(5), blockMs: ago(6), diskFullMs: NOW },
    "disk_full",
    "this validator stands at block 100 while 1 of its 1 peers are at block 107: its state differs from theirs, or its consensus engine has failed; its disk is full",
  ],
  [
    "it stands although room was made",
    { blockMs: ago(90), diskFullMs: ago(30) },
    "disk_full",
    "no block has come since 2026-01-02T11:58:30Z (block 100): a third of the voting power or more is away, or this validator is cut off; its consensus engine has 3 peers; its disk was full until 2026-01-02T11:59:30Z",
  ],
];

test.each(UNREADY)("a validator is not ready, and says why, where %s", (_, facts, code, text) => {
  const reason = unreadinessOf({ ...WELL, ...facts });
  expect(reason?.text).toBe(text);
  expect(reason?.code).toBe(code as never);
});

test("only a validator whose submissions would be lost refuses them", () => {
  const stalled = UNREADY.filter(([, facts]) => unreadinessOf({ ...WELL, ...facts })?.isStalled);
  expect(stalled.map(([title]) => title)).toEqual([
    "its last block could not be stored, and the engine ends again and again",
    "the engine answers and has not dialled for five seconds",
    "peers go on for five seconds while it stands",
    "peers go on while it catches up and stands",
    "it stands since the disk is full",
  ]);
});

const AWAY = { text: "away", mayLastMs: 5_000 };

test("a validator is ready once all is well for three seconds, at the start too", () => {
  const readiness = new Readiness();
  expect(readiness.reason?.text).toContain("has not connected yet");
  readiness.note(undefined, 0);
  expect(readiness.note(undefined, 2_999)).toBeDefined();
  expect(readiness.note(undefined, 3_000)).toBeUndefined();
});

test("a restart of the engine within five seconds changes nothing, a longer one does, and it is not ready at once", () => {
  const readiness = new Readiness();
  readiness.note(undefined, 0);
  readiness.note(undefined, 3_000);
  expect(readiness.note(AWAY, 4_000)).toBeUndefined();
  expect(readiness.note({ text: "catches up", mayLastMs: 5_000 }, 8_000)).toBeUndefined();
  expect(readiness.note(undefined, 8_500)).toBeUndefined();
  expect(readiness.note(AWAY, 9_000)).toBeUndefined();
  expect(readiness.note(AWAY, 14_000)).toBe(AWAY);
  // An engine that ends again and again.
  for (let ms = 15_000; ms < 60_000; ms += 3_000) {
    expect(readiness.note(undefined, ms)).toBe(AWAY);
    expect(readiness.note(undefined, ms + 2_000)).toBe(AWAY);
    expect(readiness.note(AWAY, ms + 2_500)).toBe(AWAY);
  }
});

test("a halt counts at once", () => {
  const readiness = new Readiness();
  readiness.note(undefined, 0);
  readiness.note(undefined, 3_000);
  const halt = { text: "protocol upgrade" };
  expect(readiness.note(halt, 3_001)).toBe(halt);
});
