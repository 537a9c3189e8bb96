// Sending: nothing twice, nothing lost in silence, a thousand at once, and chains that stall or begin again.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { Solver } from "../../../src/chain/admission/pow/solver.ts";
import { secureRandom } from "../../../src/wallet/random.ts";
import { NodePool } from "../../../src/wallet/sending/nodes.ts";
import { type Job, TransactionSender } from "../../../src/wallet/sending/sender.ts";
import { FileLedger, PlannerBook } from "../../../src/wallet/sending/sent-ledger.ts";
import type { UnlockedWallet } from "../../../src/wallet/unlocked-wallet.ts";
import { decodeInputData } from "../../../src/wire/generated/commands.ts";
import { readTransaction } from "../../../src/wire/transaction.ts";
import { LeapingClock } from "../../support/leaping-clock.ts";
import { KEY_1 } from "../service/rig.ts";
import { codeOf, failureOf } from "../support/failures.ts";
import { privateFolder, vectorWallet } from "../support/wallets.ts";
import { FakeNode } from "./fake-node.ts";

const MARKET = "a".repeat(64);
// real time: searches for a proof take time of the machine
const realTime = { nowMs: () => performance.now(), sleep: Bun.sleep };
let clock: LeapingClock;
let solver: Solver;
let wallet: UnlockedWallet;
const senders: TransactionSender[] = [];

beforeEach(async () => {
  clock = new LeapingClock();
  solver = new Solver({ nowMs: realTime.nowMs, threads: 0 });
  wallet = await vectorWallet();
});
afterEach(() => {
  for (const sender of senders.splice(0)) sender.close();
  solver.close();
});

function senderTo(
  nodes: readonly FakeNode[],
  options: {
    waitMs?: number;
    searchMs?: number;
    searchLookMs?: number;
    book?: PlannerBook;
    chainId?: string;
    time?: typeof realTime;
  } = {},
) {
  const { chainId, time = clock, ...rest } = options;
  const { nowMs, sleep } = time;
  const pool = new NodePool(nodes, { nowMs, sleep, choiceMs: 0, ...(chainId !== undefined && { chainId }) });
  const sender = new TransactionSender({
    nodes: pool,
    solver,
    random: secureRandom,
    nowMs,
    wallMs: Date.now,
    watchMs: 0,
    waitMs: 400,
    ...rest,
  });
  senders.push(sender);
  return sender;
}

/** A command that nothing but proof of work limits. */
function job(): Job {
  return {
    publicKey: KEY_1,
    command: { kind: "orderCancellation", payload: { marketId: MARKET } },
    sign: (content) => wallet.signTransaction(KEY_1, content),
  };
}

function vote(): Job {
  const payload = { proposalId: "b".repeat(64), value: 2 };
  return { ...job(), command: { kind: "voteSubmission", payload } };
}

const heightOf = (bytes: Uint8Array) => decodeInputData(readTransaction(bytes).inputData).blockHeight;

test("a proof that takes a few blocks is still good for its own", async () => {
  const node = new FakeNode();
  const sender = senderTo([node]);
  const solve = solver.solve.bind(solver);
  solver.solve = async (task, signal) => {
    for (let blocks = 0; blocks < 2; blocks++) node.block();
    return solve(task, signal);
  };
  const { transaction } = await sender.send(job(), "TYPE_SYNC");
  expect(heightOf(transaction.bytes)).toBe(1n);
  node.block();
  expect(node.executed).toHaveLength(1);
});

describe("a proof that nobody can find", () => {
  test("is given up after a while, and those behind it are served", async () => {
    const node = new FakeNode("test-chain", { "spam.pow.difficulty": "40" });
    const sender = senderTo([node], { searchMs: 20, time: realTime });
    const failures = await Promise.all(
      Array.from({ length: 2 }, () => failureOf(() => sender.send(job(), "TYPE_SYNC"))),
    );
    expect(failures.map(({ code, message }) => [code, message])).toEqual(
      Array.from({ length: 2 }, () => ["proof_late", "no proof of 40 bits was found within 0.02 s"]),
    );
    node.admission.setParameter("spam.pow.difficulty", "2");
    for (let blocks = 0; blocks < 2; blocks++) node.block();
    await sender.send(job(), "TYPE_SYNC");
    expect(node.mempool.size).toBe(1);
  });

  test("is given up when its block is out of reach", async () => {
    const node = new FakeNode("test-chain", { "spam.pow.difficulty": "40" });
    const sender = senderTo([node], { waitMs: 10_000, searchLookMs: 5, time: realTime });
    const searches = Promise.withResolvers<void>();
    const solve = solver.solve.bind(solver);
    solver.solve = (task, signal) => {
      searches.resolve();
      return solve(task, signal);
    };
    const sending = sender.send(job(), "TYPE_SYNC");
    await searches.promise;
    node.admission.setParameter("spam.pow.difficulty", "2");
    for (let blocks = 0; blocks < 120; blocks++) node.block();
    expect(heightOf((await sending).transaction.bytes)).toBe(121n);
  });
});

describe("nothing is sent twice", () => {
  test("an answer that is lost: the same bytes again, and the node has them already", async () => {
    const node = new FakeNode();
    node.faults.push("answer lost");
    const sent = await senderTo([node]).send(job(), "TYPE_SYNC");
    expect(node.submissions).toBe(2);
    expect([...node.mempool.keys()]).toEqual([sent.hash]);
    node.block();
    expect(node.executed).toEqual([sent.hash]);
  });

  test("an answer that is lost, and the transaction is in a block by then", async () => {
    const node = new FakeNode();
    const submit = node.submit.bind(node);
    let calls = 0;
    node.submit = async (bytes, mode) => {
      if (++calls === 2) node.block();
      return submit(bytes, mode);
    };
    node.faults.push("answer lost");
    const sent = await senderTo([node]).send(job(), "TYPE_SYNC");
    expect(node.executed).toEqual([sent.hash]);
  });

  test("a request that never left goes to the next node", async () => {
    const [down, up] = [new FakeNode("c", {}, "one"), new FakeNode("c", {}, "one")];
    const sender = senderTo([down, up]);
    down.submit = () => Promise.reject(Object.assign(new Error(), {}));
    down.faults.push("unreachable");
    down.submit = FakeNode.prototype.submit;
    const sent = await sender.send(job(), "TYPE_SYNC");
    expect([...down.mempool.keys(), ...up.mempool.keys()]).toEqual([sent.hash]);
  });

  test("when nobody answers it says so, with the place kept and nothing made anew", async () => {
    const node = new FakeNode();
    node.faults.push("lost", "lost", "lost", "lost");
    const sender = senderTo([node]);
    const failure = await failureOf(() => sender.send(job(), "TYPE_SYNC"));
    expect([failure.code, node.submissions]).toEqual(["outcome_unknown", 3]);
    expect(failure.message).toMatch(
      /may have been sent; it can be executed as [0-9A-F]{64} until block 100$/,
    );
    node.faults.length = 0;
    await sender.send(job(), "TYPE_SYNC");
    expect(await codeOf(() => sender.send(job(), "TYPE_SYNC"))).toBe("quota_reached");
  });

  const others: readonly (readonly [string, (other: FakeNode) => void])[] = [
    ["does not know the block yet", () => {}],
    ["has no room", (other) => (other.verdict = { code: 51, reason: "mempool is full" })],
  ];
  test.each(others)("an answer that is lost, and the next node %s: the first has it", async (_, prepare) => {
    const nodes = [new FakeNode("c", {}, "one"), new FakeNode("c", {}, "one")] as const;
    nodes[0].block();
    nodes[0].faults.push("answer lost");
    prepare(nodes[1]);
    const sent = await senderTo(nodes).send(job(), "TYPE_SYNC");
    expect([[...nodes[0].mempool.keys()], nodes[1].mempool.size]).toEqual([[sent.hash], 0]);
  });

  test("a refusal of the next nodes is not reported as one when an answer was lost", async () => {
    const nodes = [new FakeNode("c", {}, "one"), new FakeNode("c", {}, "one")] as const;
    nodes[0].block();
    nodes[0].faults.push("answer lost", "lost");
    nodes[1].verdict = { code: 51, reason: "mempool is full" };
    const sender = senderTo(nodes);
    expect(await codeOf(() => sender.send(job(), "TYPE_SYNC"))).toBe("outcome_unknown");
    expect(nodes[0].mempool.size).toBe(1);
  });

  test("a refusal that is lost: that its proof was seen does not say that it was taken", async () => {
    const node = new FakeNode("c", { "spam.protection.voting.min.tokens": "100" });
    node.faults.push("answer lost");
    const sender = senderTo([node]);
    const failure = await failureOf(() => sender.send(vote(), "TYPE_SYNC"));
    expect([failure.code, node.mempool.size]).toEqual(["outcome_unknown", 0]);
  });

  test("a node that refuses is not asked again, and the place is free", async () => {
    const node = new FakeNode();
    node.verdict = { code: 70, reason: "no funds" };
    const sender = senderTo([node]);
    for (let count = 0; count < 5; count++) {
      expect(await codeOf(() => sender.send(job(), "TYPE_SYNC"))).toBe("transaction_refused");
    }
    expect(node.submissions).toBe(5);
  });
});

describe("the choice of a node", () => {
  test("the newest of the right chain", async () => {
    const nodes = [new FakeNode("a", {}, "one"), new FakeNode("b", {}, "two"), new FakeNode("a", {}, "one")];
    for (let count = 0; count < 5; count++) nodes[2]!.block();
    for (let count = 0; count < 50; count++) nodes[1]!.block();
    expect((await senderTo(nodes).send(job(), "TYPE_SYNC")).host).toBe(nodes[2]!.host);
    expect(nodes[2]!.mempool.size).toBe(1);
    expect(await senderTo(nodes, { chainId: "b" }).chainId()).toBe("b");
    expect(await codeOf(() => senderTo([nodes[1]!], { chainId: "a" }).chainId())).toBe("wrong_chain");
  });

  test("none", async () => {
    const node = new FakeNode();
    node.isDown = true;
    expect(await codeOf(() => senderTo([node]).send(job(), "TYPE_SYNC"))).toBe("no_healthy_node");
    expect(await codeOf(() => senderTo([node, node]).chainId())).toBe("no_healthy_node");
  });
});

describe("a chain that", () => {
  test("stalls: what has room is sent, the rest is told why, and goes on with the next block", async () => {
    const node = new FakeNode();
    const sender = senderTo([node], { waitMs: 100 });
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => codeOf(() => sender.send(job(), "TYPE_SYNC")).catch(() => "sent")),
    );
    expect(outcomes.sort()).toEqual(["quota_reached", "quota_reached", "quota_reached", "sent", "sent"]);
    const failure = await failureOf(() => sender.send(job(), "TYPE_SYNC"));
    expect(failure.message).toContain("there has been none since 1");
    node.block();
    await sender.send(job(), "TYPE_SYNC");
    expect(node.isBanned(KEY_1)).toBe(false);
  });

  test("has no node for a while: who waits for a block waits on, and so does who comes then", async () => {
    const node = new FakeNode();
    const book = new PlannerBook();
    const sender = senderTo([node], { waitMs: 30_000, book });
    const sending = Array.from({ length: 5 }, () => sender.send(job(), "TYPE_SYNC"));
    // Half of a block's room is left to others.
    await clock.until(() => node.submissions === 2);
    node.isDown = true;
    const before = node.unanswered;
    sending.push(sender.send(job(), "TYPE_SYNC"));
    await clock.until(() => node.unanswered >= before + 3);
    node.isDown = false;
    const stopBlocks = clock.every(20, () => node.block());
    expect(new Set((await Promise.all(sending)).map(({ hash }) => hash)).size).toBe(6);
    const hasty = senderTo([node], { waitMs: 1_000, book });
    await clock.until(() =>
      hasty.send(job(), "TYPE_SYNC").then(
        () => true,
        () => false,
      ),
    );
    stopBlocks();
    node.isDown = true;
    const failure = await failureOf(() => hasty.send(job(), "TYPE_SYNC"));
    expect([failure.code, failure.message]).toEqual([
      "no_healthy_node",
      "no healthy node available: none has answered for 1 s",
    ]);
    node.isDown = false;
    node.block();
    await sender.send(job(), "TYPE_SYNC");
  });

  test("has no node when a transaction is to leave: nothing left, so it is made anew when there is one", async () => {
    const node = new FakeNode();
    const sender = senderTo([node], { waitMs: 30_000 });
    node.faults.push("unreachable", "unreachable", "unreachable");
    const sent = await sender.send(job(), "TYPE_SYNC");
    expect([...node.mempool.keys(), node.submissions]).toEqual([sent.hash, 4]);
    // Its first place was given back: one more has room on the block.
    await sender.send(job(), "TYPE_SYNC");
  });

  test("makes blocks: who waits is served by the next one, in order", async () => {
    const node = new FakeNode();
    const sender = senderTo([node], { waitMs: 5_000 });
    const stopBlocks = clock.every(20, () => node.block());
    const sent = await Promise.all(Array.from({ length: 12 }, () => sender.send(job(), "TYPE_SYNC")));
    stopBlocks();
    node.block();
    expect(new Set(node.executed)).toEqual(new Set(sent.map(({ hash }) => hash)));
    expect(node.refusedInBlocks).toEqual([]);
  });

  test("begins again at a lower height", async () => {
    const node = new FakeNode();
    const sender = senderTo([node]);
    for (let count = 0; count < 300; count++) node.block();
    await sender.send(job(), "TYPE_SYNC");
    node.restart();
    await sender.send(job(), "TYPE_SYNC");
    node.block();
    expect(node.executed.length).toBe(1);
  });
});

describe("a thousand as fast as they come", () => {
  const rules: readonly (readonly [string, Record<string, string>])[] = [
    ["the network's default limits", { "spam.pow.numberOfTxPerBlock": "2" }],
    ["increasing difficulty", { "spam.pow.numberOfTxPerBlock": "2", "spam.pow.increaseDifficulty": "1" }],
    ["one for a block", { "spam.pow.numberOfTxPerBlock": "1" }],
  ];
  test.each(rules)(
    "%s: each is executed or has a reason, and nobody is banned",
    async (_name, parameters) => {
      const node = new FakeNode("test-chain", parameters);
      const sender = senderTo([node], { waitMs: 500 });
      const stopBlocks = clock.every(10, () => node.block());
      const outcomes = await Promise.all(
        Array.from({ length: 1_000 }, () =>
          codeOf(() => sender.send(job(), "TYPE_SYNC")).catch(() => "sent"),
        ),
      );
      stopBlocks();
      node.block();
      const sent = outcomes.filter((outcome) => outcome === "sent").length;
      expect(outcomes.filter((outcome) => outcome !== "sent" && outcome !== "quota_reached")).toEqual([]);
      expect([node.executed.length, node.refusedInBlocks, node.isBanned(KEY_1)]).toEqual([sent, [], false]);
      expect(sent).toBeGreaterThan(10);
    },
  );

  test("two wallets with the same key: neither gets it banned", async () => {
    const node = new FakeNode("test-chain", { "spam.pow.numberOfTxPerBlock": "2" });
    for (let count = 0; count < 5; count++) node.block();
    const pair = [senderTo([node], { waitMs: 30_000 }), senderTo([node], { waitMs: 30_000 })];
    const isAtWork = Promise.withResolvers<void>();
    const stopBlocks = clock.every(10, () => node.block());
    // The second begins when the first is at work.
    const outcomes = await Promise.all(
      pair.map(async (sender, at) => {
        if (at === 1) await isAtWork.promise;
        for (let count = 0; count < 60; count++) {
          await sender.send(job(), "TYPE_SYNC").catch((error) => expect(error.code).toBe("quota_reached"));
          if (count === 5) isAtWork.resolve();
        }
        return at;
      }),
    );
    stopBlocks();
    node.block();
    expect([outcomes, node.refusedInBlocks, node.isBanned(KEY_1)]).toEqual([[0, 1], [], false]);
  });
});

test("the file of what was sent is its user's alone, also one that was open to others", () => {
  const folder = privateFolder();
  const path = `${folder.path}/sent.db`;
  writeFileSync(path, "", { mode: 0o644 });
  for (const file of [path, `${folder.path}/new.db`]) {
    new FileLedger(file).close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  folder.remove();
});

test("a wallet that is started again remembers what it sent", async () => {
  const folder = privateFolder();
  const node = new FakeNode();
  const path = `${folder.path}/sent.db`;
  const first = new PlannerBook({ ledger: new FileLedger(path) });
  const sender = senderTo([node], { book: first, waitMs: 50 });
  await sender.send(job(), "TYPE_SYNC");
  await sender.send(job(), "TYPE_SYNC");
  first.close();
  const second = new PlannerBook({ ledger: new FileLedger(path) });
  const again = senderTo([node], { book: second, waitMs: 50 });
  expect(await codeOf(() => again.send(job(), "TYPE_SYNC"))).toBe("quota_reached");
  node.block();
  await again.send(job(), "TYPE_SYNC");
  node.block();
  expect([node.executed.length, node.isBanned(KEY_1)]).toEqual([3, false]);
  second.close();
  folder.remove();
});

test("a wallet that is started again keeps to the limits of the epoch, also for what is in no block yet", async () => {
  const folder = privateFolder();
  const node = new FakeNode("test-chain", { "spam.pow.numberOfTxPerBlock": "9" });
  const outcomes: string[] = [];
  for (let count = 0; count < 6; count++) {
    const book = new PlannerBook({ ledger: new FileLedger(`${folder.path}/sent.db`), isSoleUser: true });
    const sender = senderTo([node], { book });
    outcomes.push(await codeOf(() => sender.send(vote(), "TYPE_SYNC")).catch(() => "sent"));
    book.close();
  }
  node.block();
  expect(outcomes).toEqual(["sent", "sent", "sent", ...Array(3).fill("maximum_reached")]);
  expect([node.executed.length, node.refusedInBlocks]).toEqual([3, []]);
  folder.remove();
});

test("an unreadable file of sent transactions is named, and the wallet does not start without it", async () => {
  const folder = privateFolder();
  const path = `${folder.path}/sent.db`;
  const node = new FakeNode();
  const ledger = new FileLedger(path);
  await senderTo([node], { book: new PlannerBook({ ledger }) }).send(job(), "TYPE_SYNC");
  ledger.close();
  const whole = readFileSync(path);
  for (const state of ['{"head":', "{}", "null", "[]"]) {
    writeFileSync(path, whole);
    const db = new Database(path);
    db.run("UPDATE planners SET state = ?", [state]);
    db.close();
    const book = new PlannerBook({ ledger: new FileLedger(path) });
    const failure = await failureOf(() => senderTo([node], { book }).send(job(), "TYPE_SYNC"));
    expect([failure.code, failure.message]).toEqual([
      "ledger_damaged",
      `what was sent cannot be read: ${path} is damaged`,
    ]);
    book.close();
  }
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
  writeFileSync(path, "x".repeat(5_000));
  expect(await codeOf(async () => new FileLedger(path))).toBe("ledger_damaged");
  expect(node.submissions).toBe(1);
  folder.remove();
});

test("a transaction that cannot be recorded is not sent, and its place is free when it can be", async () => {
  const node = new FakeNode();
  let isFull = true;
  const save = () => {
    if (isFull) throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  };
  const ledger = { load: () => undefined, save, close: () => {} };
  const sender = senderTo([node], { book: new PlannerBook({ ledger }), waitMs: 100 });
  for (let count = 0; count < 5; count++) {
    expect(await sender.send(vote(), "TYPE_SYNC").catch((error) => error.message)).toContain("disk is full");
  }
  isFull = false;
  for (let count = 0; count < 2; count++) await sender.send(vote(), "TYPE_SYNC");
  expect([node.submissions, node.mempool.size]).toEqual([2, 2]);
});

test("the hash is the transaction's own, whatever a node says", async () => {
  const node = new FakeNode();
  const submit = node.submit.bind(node);
  node.submit = async (bytes, mode) => ({ ...(await submit(bytes, mode)), txHash: "0".repeat(64) });
  const sent = await senderTo([node]).send(job(), "TYPE_SYNC");
  expect([...node.mempool.keys()]).toEqual([sent.hash]);
});

test("the block of what was sent is waited for, also while the node that says it is away for a moment", async () => {
  const node = new FakeNode();
  const inclusion = { height: 13n, code: 0, reason: "" };
  const answers = ["pending", undefined, inclusion] as const;
  let questions = 0;
  node.inclusion = async () => answers[questions++];
  expect(await senderTo([node]).inclusion("AB", 10_000)).toEqual(inclusion);
  // Another network's node does not say it at all: nothing is waited for.
  questions = 1;
  expect(await senderTo([node]).inclusion("AB", 10_000)).toBeUndefined();
  expect(questions).toBe(2);
  node.inclusion = async () => "pending";
  expect(await senderTo([node]).inclusion("AB", 10_000)).toBeUndefined();
});
