// The choice of a node, and a transaction that is handed over to nodes that die, hang, fail, or are of another chain: a
// real devnet behind a proxy that does all that.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Solver } from "../../../src/chain/admission/pow/solver.ts";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { secureRandom } from "../../../src/wallet/random.ts";
import { HttpNode } from "../../../src/wallet/sending/http-node.ts";
import { NodePool } from "../../../src/wallet/sending/nodes.ts";
import { type Job, TransactionSender } from "../../../src/wallet/sending/sender.ts";
import { serializeTransaction, signTransaction } from "../../../src/wire/transaction.ts";
import { DOLLAR } from "../../rig/devnet-client.ts";
import { bannedUntil, executedOf } from "../../support/devnet-party.ts";
import { turns } from "../../support/eventually.ts";
import { LeapingClock } from "../../support/leaping-clock.ts";
import { borrowDevnet, returnDevnet } from "../../support/shared-devnet.ts";
import { failureOf } from "../support/failures.ts";
import { FakeNode } from "./fake-node.ts";

/** For what is to be too late; the rest has time enough on any machine. */
const HASTY_MS = 100;
const PATIENT_MS = 30_000;
let devnet: Devnet;
beforeAll(async () => {
  devnet = await borrowDevnet({ "spam.pow.difficulty": "4" });
});
afterAll(returnDevnet);

type Fault = "none" | "busy" | "dies" | "hangs" | "fails" | "dies before";

/** A node whose submissions have little time where the gate before it lets them hang, and only then. */
class GatedNode extends HttpNode {
  constructor(private readonly gate: FaultyGate) {
    super(gate.url, { timeoutMs: PATIENT_MS, submitTimeoutMs: PATIENT_MS });
  }

  override submit(...args: Parameters<HttpNode["submit"]>): ReturnType<HttpNode["submit"]> {
    if (this.gate.faults[0] !== "hangs") return super.submit(...args);
    return new HttpNode(this.host, { submitTimeoutMs: HASTY_MS }).submit(...args);
  }
}

/** Hands requests on to the devnet; what it does with a submission's answer is the test's choice, one after the other. */
class FaultyGate {
  readonly faults: Fault[] = [];
  /** This many answers are of the gate alone: nobody is behind it. */
  alone = 0;
  submissions: string[] = [];
  private readonly ended = Promise.withResolvers<void>();
  private readonly server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const body = request.method === "POST" ? await request.text() : undefined;
      const isSubmission = pathname === "/transaction/raw";
      if (isSubmission) this.submissions.push(body!);
      const fault = isSubmission ? (this.faults.shift() ?? "none") : "none";
      if (this.alone > 0 && this.alone-- > 0)
        return new Response("<html>Bad Gateway</html>", { status: 502 });
      if (fault === "dies before") return broken();
      if (fault === "busy") return Response.json({ code: 8, message: "too many requests" }, { status: 429 });
      const answer = await fetch(devnet.nodeUrl + pathname, {
        method: request.method,
        ...(body && { body }),
      });
      const text = await answer.text();
      if (fault === "dies") return broken();
      if (fault === "hangs") await this.ended.promise;
      if (fault === "fails") return Response.json({ code: 13, message: "Internal error" }, { status: 502 });
      return new Response(text, { status: answer.status });
    },
  });
  readonly url = `http://127.0.0.1:${this.server.port}`;

  stop(): Promise<void> {
    this.ended.resolve();
    return this.server.stop(true);
  }
}

/** As much of an answer as came out. */
function broken(): Response {
  return new Response('{"succ');
}

let solver: Solver;
const endings: (() => unknown)[] = [];
beforeEach(() => {
  solver = new Solver({ nowMs: () => performance.now(), threads: 0 });
  endings.push(() => solver.close());
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function senderTo(
  to: readonly (string | FaultyGate | HttpNode)[],
  chainId?: string,
  waitMs = PATIENT_MS,
): TransactionSender {
  const patient = { timeoutMs: PATIENT_MS, submitTimeoutMs: PATIENT_MS };
  const clients = to.map((target) => {
    if (target instanceof FaultyGate) return new GatedNode(target);
    return typeof target === "string" ? new HttpNode(target, patient) : target;
  });
  // Between questions nothing is under way: the pauses of a sender take no time.
  const { nowMs, sleep } = new LeapingClock();
  const nodes = new NodePool(clients, { nowMs, sleep, ...(chainId !== undefined && { chainId }) });
  const parts = { nodes, solver, random: secureRandom, nowMs, wallMs: Date.now, watchMs: 0, waitMs };
  const sender = new TransactionSender(parts);
  endings.push(() => sender.close());
  return sender;
}

let amount = 100_000;
/** A transfer of an amount that no other one has. */
function transfer(party = 0): { readonly job: Job; readonly amount: string } {
  const text = String(++amount);
  const from = devnet.parties[party]!;
  const account = { fromAccountType: 4, toAccountType: 4, to: devnet.parties[9]!.publicKey, asset: DOLLAR };
  const job: Job = {
    publicKey: from.publicKey,
    command: { kind: "transfer", payload: { ...account, amount: text, oneOff: {} } },
    sign: ({ inputData, ...options }) => {
      const transaction = signTransaction(inputData, from.key, options);
      return { transaction, bytes: serializeTransaction(transaction) };
    },
  };
  return { job, amount: text };
}

/** Number of executions, once everything has arrived. */
async function timesExecuted(amount: string): Promise<number> {
  // The sender's requests have ended: a block more has whatever has arrived.
  await devnet.chain.mine(1);
  return (await executedOf(devnet, devnet.parties[0]!.publicKey)).filter((each) => each === amount).length;
}

describe("a transaction is executed once", () => {
  const faults: readonly (readonly [string, readonly Fault[]])[] = [
    ["when the node dies after it has taken it", ["dies"]],
    ["when it dies before", ["dies before"]],
    ["when the answer comes too late", ["hangs"]],
    ["when the node says 502 though the chain has it", ["fails"]],
    ["when it fails in one way after the other", ["dies", "fails"]],
  ];
  test.each(faults)("%s", async (_, sequence) => {
    const gate = new FaultyGate();
    endings.push(() => gate.stop());
    gate.faults.push(...sequence);
    const { job, amount } = transfer();
    const { hash } = await senderTo([gate]).send(job, "TYPE_SYNC");
    expect(hash).toMatch(/^[0-9A-F]{64}$/);
    expect(gate.submissions.length).toBe(sequence.length + 1);
    expect(new Set(gate.submissions).size).toBe(1);
    expect(await timesExecuted(amount)).toBe(1);
  });

  test("when nobody ever answers: that is said, and nothing is made anew", async () => {
    const gate = new FaultyGate();
    endings.push(() => gate.stop());
    gate.faults.push("hangs", "dies", "fails");
    const { job, amount } = transfer();
    const failure = await failureOf(() => senderTo([gate]).send(job, "TYPE_SYNC"));
    expect([failure.code, new Set(gate.submissions).size]).toEqual(["outcome_unknown", 1]);
    expect(await timesExecuted(amount)).toBe(1);
    expect(await bannedUntil(devnet, job.publicKey)).toBeUndefined();
  });

  test("when the second node of the network takes over", async () => {
    const gate = new FaultyGate();
    endings.push(() => gate.stop());
    gate.faults.push("dies", "dies");
    const { job, amount } = transfer();
    await senderTo([gate, devnet.nodeUrl]).send(job, "TYPE_SYNC");
    expect(await timesExecuted(amount)).toBe(1);
  });
});

describe("a node that has no time", () => {
  test("is not the last word: another one takes it, or itself a little later", async () => {
    for (const others of [[devnet.nodeUrl], []]) {
      const gate = new FaultyGate();
      endings.push(() => gate.stop());
      const sender = senderTo([gate, ...others], devnet.chainId);
      gate.faults.push("busy");
      const { job, amount } = transfer();
      await sender.send(job, "TYPE_SYNC");
      expect(await timesExecuted(amount)).toBe(1);
    }
  });

  test("and never has: its words are said", async () => {
    const gate = new FaultyGate();
    endings.push(() => gate.stop());
    gate.faults.push(...Array<Fault>(20).fill("busy"));
    const sender = senderTo([gate], undefined, HASTY_MS);
    const failure = await failureOf(() => sender.send(transfer().job, "TYPE_SYNC"));
    expect([failure.code, failure.exitCode]).toEqual(["no_healthy_node", 3]);
    expect(failure.message).toContain("the node answered 429: too many requests; nothing was sent");
  });

  test("because it is started again behind a proxy is waited for", async () => {
    const gate = new FaultyGate();
    endings.push(() => gate.stop());
    const sender = senderTo([gate]);
    await sender.send(transfer().job, "TYPE_SYNC");
    gate.alone = 2;
    const { job, amount } = transfer();
    await sender.send(job, "TYPE_SYNC");
    expect(gate.alone).toBe(0);
    expect(await timesExecuted(amount)).toBe(1);
  });
});

describe("of several nodes", () => {
  /** Answers every question in one way. */
  function answering(fetch: () => Response | Promise<Response>): string {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch });
    endings.push(() => server.stop(true));
    return `http://127.0.0.1:${server.port}`;
  }
  const silent = () =>
    new HttpNode(
      answering(() => new Promise(() => {})),
      { timeoutMs: HASTY_MS },
    );
  const dead = "http://127.0.0.1:1";

  test("the dead, the slow and the strange do not hold up the others", async () => {
    const strange = {
      ...{ height: "99999", hash: "ab".repeat(32), chainId: "another-chain", spamPowDifficulty: 4 },
      ...{
        spamPowHashFunction: "sha3_24_rounds",
        spamPowNumberOfPastBlocks: 100,
        spamPowNumberOfTxPerBlock: 2,
      },
    };
    const sender = senderTo(
      [dead, silent(), answering(() => Response.json(strange)), devnet.nodeUrl],
      devnet.chainId,
    );
    for (let count = 0; count < 3; count++) {
      const { job, amount } = transfer();
      expect((await sender.send(job, "TYPE_SYNC")).host).toBe(devnet.nodeUrl);
      expect(await timesExecuted(amount)).toBe(1);
    }
  });

  test("while a choice is renewed, the last one is good", async () => {
    const [one, two] = [new FakeNode("a", {}, "one"), new FakeNode("a", {}, "one")];
    let clock = 0;
    const { sleep } = new LeapingClock();
    const pool = new NodePool([one, two], { nowMs: () => clock, sleep, choiceMs: 10 });
    const first = await pool.choose();
    const other = first === one ? two : one;
    other.lastBlock = () => new Promise(() => {});
    clock += 100;
    expect(await pool.choose()).toBe(first);
    pool.failed(first);
    for (let count = 0; count < 5; count++) one.block();
    expect(await pool.choose()).toBe(first);
  });

  test("a node that falls behind is left, a node that fails is passed over for a while", async () => {
    const [one, two] = [new FakeNode("a", {}, "same"), new FakeNode("a", {}, "same")];
    let clock = 0;
    const pool = new NodePool([one, two], { nowMs: () => clock, choiceMs: 0 });
    const first = await pool.choose();
    const other = first === one ? two : one;
    for (let count = 0; count < 5; count++) other.block();
    await pool.choose();
    await turns();
    expect(await pool.choose()).toBe(other);
    pool.failed(other);
    expect(await pool.choose()).toBe(first);
    clock += 60_000;
    await pool.choose();
    await turns();
    expect(await pool.choose()).toBe(other);
  });

  test("a node that is far behind takes no other's place: its transactions would never be executed", async () => {
    const [one, two] = [new FakeNode("a", {}, "same"), new FakeNode("a", {}, "same")];
    const { sleep } = new LeapingClock();
    const pool = new NodePool([two, one], { nowMs: () => 0, sleep, choiceMs: 0 });
    for (let count = 0; count < 300; count++) one.block();
    expect(await pool.choose()).toBe(one);
    // It only failed to take something: it is better than one that has not seen the chain for long.
    pool.failed(one);
    expect(await pool.choose()).toBe(one);
    // Slow is better as well.
    const answer = await one.lastBlock();
    one.lastBlock = () => sleep(600).then(() => answer);
    pool.failed(one);
    expect(await pool.choose()).toBe(one);
    one.isDown = true;
    one.lastBlock = FakeNode.prototype.lastBlock;
    pool.failed(one);
    expect((await failureOf(() => pool.choose())).code).toBe("no_healthy_node");
    for (let count = 0; count < 280; count++) two.block();
    expect(await pool.choose()).toBe(two);
  });

  test("when the chain begins again, at once where its newest node says so, and after a while otherwise", async () => {
    const [one, two] = [new FakeNode("a", {}, "same"), new FakeNode("a", {}, "same")];
    let clock = 0;
    const pool = new NodePool([one, two], { nowMs: () => clock, choiceMs: 0 });
    for (let count = 0; count < 300; count++) one.block();
    expect(await pool.choose()).toBe(one);
    one.restart();
    two.block();
    pool.failed(one);
    expect(await pool.choose()).toBe(two);
    for (let count = 0; count < 300; count++) one.block();
    clock += 10_000;
    pool.failed(two);
    expect(await pool.choose()).toBe(one);
    one.isDown = true;
    pool.failed(one);
    expect((await failureOf(() => pool.choose())).code).toBe("no_healthy_node");
    clock += 60_000;
    expect(await pool.choose()).toBe(two);
  });

  test("of two chains, each as frequent: the one that was chosen stays", async () => {
    const nodes = [new FakeNode("a", {}, "one"), new FakeNode("b", {}, "two")];
    let clock = 0;
    const pool = new NodePool(nodes, { nowMs: () => clock, choiceMs: 0 });
    const first = await pool.choose();
    const late = FakeNode.prototype.lastBlock;
    const isLate = Promise.withResolvers<void>();
    first.lastBlock = () => isLate.promise.then(() => late.call(first as FakeNode));
    clock += 60_000;
    await pool.choose();
    isLate.resolve();
    await turns();
    expect(await pool.choose()).toBe(first);
  });
});
