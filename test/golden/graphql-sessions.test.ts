// Sessions of subscriptions against the original's, over recordings that are committed block by block: the same messages
// in the same order. Lists have no order inside a message; the original may cut and join them otherwise.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { BlockAssembler } from "../../src/ingest/block-assembler.ts";
import { RecordingReader } from "../../src/ingest/recording.ts";
import { ChainAnswering } from "../../src/planes/graphql/chain.ts";
import { Execution } from "../../src/planes/graphql/execution.ts";
import { answersOf, type Payload } from "../../src/planes/graphql/operations.ts";
import { makeSchema } from "../../src/planes/graphql/schema.ts";
import { SubscriptionContext } from "../../src/planes/graphql/subscriptions.ts";
import type { Block } from "../../src/wire/block.ts";
import { StreamedChain } from "../support/streamed-chain.ts";
import { readGolden } from "./graphql-vectors.ts";
import { DEVNET_DEMO, SAMPLE } from "./vectors.ts";

interface Session {
  readonly name: string;
  /** `a`: from the first block on; `b`: from the middle of the recording on. */
  readonly phase: "a" | "b";
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly messages: readonly {
    readonly dir: "client" | "server";
    readonly msg: { readonly type: string; readonly payload?: Payload };
  }[];
}

// biome-ignore lint/suspicious/noExplicitAny: payloads are looked at as they are
type Json = any;

/** Messages looked at beyond those of the original. */
const MORE = 20;

/** The original never finds a vote by its proposal (docs/protocol/95-graphql-subscriptions.md#12-defects-of-0716-and-what-to-do). */
const VOTES_BY_PROPOSAL = new Set(["votes of a proposal", "votes by both"]);
/** The original lets the margins of every market through. */
const MARGINS_OF_A_MARKET = "margins of party and market";
/** The original tells the events of a block out of order when they come fast. */
const UNSORTED = "deposits of everybody";
/** In the original other events, which are dropped again, take places in a batch. */
const CUT_BATCHES = "time updates batch 5";

const SETS = [
  { title: "sample", recording: SAMPLE.recording, middle: 1_600, count: 96 },
  { title: "devnet", recording: DEVNET_DEMO.recording, middle: 700, count: 44 },
];

describe.each(SETS)("subscriptions over the $title", ({ title, recording, middle, count }) => {
  const sessions = readGolden<Session[]>(join(import.meta.dir, `${title}-graphql-ws.json.gz`));
  const answersBySession = new Map<Session, Json[]>();
  let chain: StreamedChain;

  beforeAll(async () => {
    chain = new StreamedChain(await blocksOf(recording));
    const execution = new Execution(makeSchema(), chain.plane, new ChainAnswering(chain.plane, undefined));
    const open = (phase: string) =>
      Promise.all(
        sessions
          .filter((session) => session.phase === phase)
          .map(async (session) => answersBySession.set(session, await follow(execution, session))),
      );
    // The first height has two blocks.
    chain.commit(2);
    await open("a");
    while (!chain.isDone) {
      if (chain.height === middle - 1) await open("b");
      chain.commit();
      await new Promise(setImmediate);
    }
  });
  afterAll(() => chain.close());

  test("there are as many sessions as were recorded", () => {
    expect(sessions).toHaveLength(count);
  });

  test.each(sessions.map((each) => [`${each.phase}: ${each.name}`, each] as const))("%s", (_, session) => {
    const answers = session.messages.filter(
      ({ dir, msg }) => dir === "server" && /^(next|data)$/.test(msg.type),
    );
    compare(
      session.name,
      answersBySession.get(session)!,
      answers.map(({ msg }) => msg.payload as Json),
    );
  });
});

async function blocksOf(recording: string): Promise<Block[]> {
  const blocks: Block[] = [];
  const assembler = new BlockAssembler({ tap: { isOpen: true, noteBlock() {} } });
  for await (const batch of new RecordingReader(recording, assembler).batches()) blocks.push(...batch);
  return blocks;
}

/** Opens a session. @returns what it is told, which grows */
async function follow(execution: Execution, { query, variables, messages }: Session): Promise<Json[]> {
  const received: Json[] = [];
  const prepared = execution.prepare({ query, variables });
  const answers = await answersOf(execution, prepared, new SubscriptionContext(execution.plane, undefined));
  if (!(Symbol.asyncIterator in answers)) return [plain(answers)];
  const run = async () => {
    for await (const payload of answers) {
      received.push(plain(payload));
      if (received.length > messages.length + MORE) break;
    }
  };
  void run();
  return received;
}

function compare(name: string, actual: Json[], want: Json[]): void {
  const [kind] = Object.keys(want.find(({ data }) => data)?.data ?? {});
  if (want.length === 0) {
    if (VOTES_BY_PROPOSAL.has(name)) return;
    // The original completes where ours says why it cannot go on, or was cut off.
    expect(actual.every(({ errors }) => errors) || /everybody/.test(name)).toBe(true);
  } else if (kind === "busEvents" && name !== CUT_BATCHES) {
    const [ours, theirs] = [events(actual), events(want)];
    if (name === UNSORTED) expect(ours).toEqual(expect.arrayContaining(theirs.slice(0, 2)));
    else expect(ours.slice(0, theirs.length)).toEqual(theirs.slice(0, ours.length));
    expect(ours.length).toBeGreaterThan(0);
  } else if (kind === "candles" || kind === "busEvents") {
    // Read once a second there, told at each block here; or batches that were cut.
    if (kind === "candles") expect(isWithin(want, actual)).toBe(true);
    else expect(events(actual)).toEqual(expect.arrayContaining(events(want)));
  } else if (kind === "proposals") {
    const [ours, theirs] = [actual.map(sorted), want.map(sorted)];
    // Two events of a proposal in one block are told as its last state: it happens once.
    expect(isWithin(ours.slice(0, theirs.length - 1), theirs)).toBe(true);
    expect(ours.length).toBeGreaterThanOrEqual(theirs.length - 1);
  } else if (kind === "margins") {
    const theirs = name === MARGINS_OF_A_MARKET ? want.filter((each) => isWithin([each], actual)) : want;
    expect(actual.map(sorted)).toEqual(expect.arrayContaining(theirs.map(sorted)));
    expect(theirs.length).toBeGreaterThan(0);
  } else expect(actual.slice(0, want.length).map(sorted)).toEqual(want.map(sorted));
}

function events(payloads: Json[]): Json[] {
  return payloads.flatMap(({ data }) => data.busEvents);
}

/** Whether all of a list are in another list, in their order. */
function isWithin(list: Json[], other: Json[]): boolean {
  const texts = other.map((each) => JSON.stringify(each));
  let from = 0;
  for (const each of list) {
    from = texts.indexOf(JSON.stringify(each), from) + 1;
    if (from === 0) return false;
  }
  return true;
}

/** Times of the store have microseconds; events have their own nanoseconds, which streams of rows do not tell. */
function plain(payload: unknown): Json {
  return JSON.parse(JSON.stringify(payload));
}

function sorted(value: Json): Json {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value === "string") return value.replace(/(\.\d{6})\d*Z$/, "$1Z").replace(/(\.\d*?)0+Z$/, "$1Z");
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, sorted(member)]));
}
