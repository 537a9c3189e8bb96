// Policies: what they are, what they allow, how they are pinned, and trying one on what really happened.
import { describe, expect, test } from "bun:test";
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { NodeError } from "../../../src/errors/node-error.ts";
import type { Outcome, TransactionRequest } from "../../../src/wallet/approvals/approver.ts";
import { ApprovalDesk } from "../../../src/wallet/approvals/desk.ts";
import { decide, type PolicyRequest, type Usage } from "../../../src/wallet/policies/decision.ts";
import { type Policy, policyHash, type Rule, readPolicy } from "../../../src/wallet/policies/policy.ts";
import { PolicyApprover, simulate } from "../../../src/wallet/policies/policy-approver.ts";
import { newestOfLog, RequestLogFile, readLog } from "../../../src/wallet/policies/request-log.ts";
import { tokenHash } from "../../../src/wallet/service/tokens.ts";
import { readCommandText } from "../../support/command-text.ts";
import { grace } from "../../support/eventually.ts";
import { KEY_1, KEY_2, PAIRING, Person, Rig, VOTE } from "../service/rig.ts";
import { codeOf, failureOf } from "../support/failures.ts";
import { privateFolder } from "../support/wallets.ts";

const ASSET = "a".repeat(64);
const BOB = "b".repeat(64);
const RULE: Rule = { name: "bot", hostnames: ["dapp.example"], commands: ["voteSubmission", "transfer"] };
const policy = (rule: Partial<Rule> = {}, otherwise: "reject" | "ask" = "reject"): Policy => ({
  version: 1,
  name: "test",
  rules: [{ ...RULE, ...rule }],
  otherwise,
  epochSecondsMin: 0,
});
const transferOf = (amount: string, changes: object = {}) => ({
  transfer: {
    fromAccountType: "ACCOUNT_TYPE_GENERAL",
    toAccountType: "ACCOUNT_TYPE_GENERAL",
    to: BOB,
    asset: ASSET,
    amount,
    oneOff: {},
    ...changes,
  },
});
const transaction = (command: unknown = VOTE, changes: object = {}): PolicyRequest => ({
  kind: "transaction",
  hostname: "dapp.example",
  token: undefined,
  wallet: "vectors",
  publicKey: KEY_1,
  purpose: "send",
  command: readCommandText(JSON.stringify(command)),
  ...changes,
});
const UNUSED: Usage = { transactions: () => 0, spent: () => 0n };
const outcomeOf = (rule: Partial<Rule>, request: PolicyRequest, usage = UNUSED): string => {
  const verdict = decide(policy(rule), request, usage);
  return verdict.kind === "allow" ? "allow" : verdict.reasons.join();
};

describe("commands that a rule allows", () => {
  const limited = { assets: { [ASSET]: { perTransaction: "100", perEpoch: "250" } } };
  const cases: readonly (readonly [
    name: string,
    rule: Partial<Rule>,
    request: PolicyRequest,
    outcome: string,
  ])[] = [
    ["a command that it names", {}, transaction(), "allow"],
    ["any command", { commands: ["*"] }, transaction({ orderCancellation: {} }), "allow"],
    [
      "another command",
      {},
      transaction({ orderCancellation: {} }),
      "bot: the command orderCancellation is not in it",
    ],
    ["no command at all", { commands: [] }, transaction(), "bot: the command voteSubmission is not in it"],
    [
      "another hostname",
      {},
      transaction(VOTE, { hostname: "evil.example" }),
      "bot: the hostname is not in it",
    ],
    ["any hostname", { hostnames: ["*"] }, transaction(VOTE, { hostname: "x" }), "allow"],
    ["a token", { tokens: ["cafe0123"] }, transaction(VOTE, { token: "cafe0123" }), "allow"],
    [
      "another token, from a named hostname",
      {},
      transaction(VOTE, { token: "beef0123" }),
      "bot: the token is not in it",
    ],
    ["another key", { keys: [KEY_2] }, transaction(), "bot: the key is not in it"],
    ["another wallet", { wallets: ["main"] }, transaction(), "bot: the wallet is not in it"],
    [
      "signing, which gives the transaction away",
      {},
      transaction(VOTE, { purpose: "sign" }),
      "bot: it does not allow to sign",
    ],
    ["signing, where it says so", { purposes: ["sign"] }, transaction(VOTE, { purpose: "sign" }), "allow"],
    ["an amount within its limit", limited, transaction(transferOf("100")), "allow"],
    ["more", limited, transaction(transferOf("101")), "bot: 101 is more than its 100 for a transaction"],
    [
      "an asset that it does not name",
      limited,
      transaction(transferOf("1", { asset: BOB })),
      `bot: the asset ${BOB} is not in it`,
    ],
    [
      "any asset, where it names none",
      {},
      transaction(transferOf("1")),
      `bot: the asset ${ASSET} is not in it`,
    ],
    ["a named recipient", { ...limited, recipients: [BOB] }, transaction(transferOf("1")), "allow"],
    [
      "another recipient",
      { ...limited, recipients: [KEY_2] },
      transaction(transferOf("1")),
      "bot: the recipient is not in it",
    ],
    [
      "commands that repeat every epoch",
      limited,
      transaction(transferOf("1", { oneOff: undefined, recurring: { startEpoch: "1", factor: "1" } })),
      "bot: a transfer that comes again every epoch has no limit for one",
    ],
    [
      "an order, where amounts are limited",
      { ...limited, commands: ["orderSubmission"] },
      transaction({ orderSubmission: { size: "1" } }),
      "bot: what orderSubmission may cost cannot be told, and it limits amounts",
    ],
    [
      "a connection",
      { connect: true, pairing: PAIRING },
      { kind: "connection", hostname: "dapp.example", wallets: ["a"], pairing: PAIRING },
      "allow",
    ],
    [
      "a connection of a program that only writes the hostname",
      { connect: true, pairing: PAIRING },
      { kind: "connection", hostname: "dapp.example", wallets: ["a"] },
      "bot: the token of its pairing did not come along",
    ],
    [
      "a connection of another program",
      { connect: true, pairing: PAIRING },
      { kind: "connection", hostname: "dapp.example", wallets: ["a"], pairing: tokenHash("q".repeat(64)) },
      "bot: the token of its pairing did not come along",
    ],
    [
      "a connection without leave",
      {},
      { kind: "keys", hostname: "dapp.example", wallets: ["a"] },
      "bot: it lets nobody connect",
    ],
  ];
  test.each(cases)("%s", (_name, rule, request, outcome) => {
    expect(outcomeOf(rule, request)).toBe(outcome);
  });

  test("amounts used in this epoch count", () => {
    const usage: Usage = { transactions: () => 2, spent: () => 200n };
    expect(outcomeOf({ transactionsPerEpoch: 3 }, transaction(), usage)).toBe("allow");
    expect(outcomeOf({ transactionsPerEpoch: 2 }, transaction(), usage)).toBe(
      "bot: its 2 transactions of this epoch are used",
    );
    expect(outcomeOf(limited, transaction(transferOf("50")), usage)).toBe("allow");
    expect(outcomeOf(limited, transaction(transferOf("51")), usage)).toBe(
      "bot: 51 on top of 200 is more than its 250 for an epoch",
    );
  });
});

describe("as data", () => {
  test("the hash is of what it says, not of how it is written", () => {
    const text = JSON.stringify(policy());
    const other = `{ "otherwise":"reject", "epochSecondsMin": 0,\n "rules": ${JSON.stringify([{ commands: RULE.commands, hostnames: RULE.hostnames, name: "bot" }])}, "name":"test","version":1}`;
    expect(policyHash(readPolicy(other))).toBe(policyHash(readPolicy(text)));
    expect(policyHash(policy({ connect: true, pairing: PAIRING }))).not.toBe(policyHash(policy()));
    expect(policyHash(policy())).toMatch(/^[0-9a-f]{64}$/);
  });

  const broken: readonly (readonly [string, unknown])[] = [
    ["{", "it is not JSON"],
    ["[]", "the policy is [], and may be an object"],
    [JSON.stringify(policy()).replace("{", '{"rules":[],'), "the member rules is there twice"],
    [
      JSON.stringify(policy({ assets: { x: { perEpoch: "1" } } })).replace(
        '"perEpoch"',
        '"perEpoch":"9","perEpoch"',
      ),
      "the member rules[0].assets.x.perEpoch is there twice",
    ],
    [JSON.stringify({ ...policy(), version: 2 }), "version is 2, and may be 1"],
    [
      JSON.stringify({ ...policy(), otherwise: "allow" }),
      'otherwise is "allow", and may be "reject" or "ask"',
    ],
    [
      JSON.stringify({ ...policy(), extra: 1 }),
      'the policy has an unknown member "extra"; it may have version, name, rules, otherwise, epochSecondsMin',
    ],
    ["{}", "version is missing: it is 1"],
    [
      JSON.stringify(policy({ maxAmount: "1" } as never)),
      expect.stringMatching(
        /^rules\[0\] has an unknown member "maxAmount"; it may have name, hostnames, .*Epoch$/,
      ),
    ],
    [
      JSON.stringify(policy({ commands: ["transfer", "votes"] as never })),
      expect.stringMatching(
        /^rules\[0\]\.commands\[1\] is "votes", and may be "\*" for any, or a command: .*voteSubmission/,
      ),
    ],
    [
      JSON.stringify(policy({ assets: { x: { perEpoch: "1.5" } } })),
      'rules[0].assets["x"].perEpoch is "1.5", and may be an amount in the asset\'s smallest unit, as a text of digits such as "1000000"',
    ],
    [
      JSON.stringify(policy({ assets: { x: { perEpoch: 5 } } as never })),
      expect.stringContaining('rules[0].assets["x"].perEpoch is 5, and may be an amount'),
    ],
    [
      JSON.stringify(policy({ assets: { x: { perEpoch: "+5" } } })),
      expect.stringContaining('is "+5", and may be an amount'),
    ],
    [
      JSON.stringify(policy({ purposes: ["send\u202e"] as never })),
      'rules[0].purposes[0] is "send\\u202e", and may be send, sign or check',
    ],
    [
      JSON.stringify(policy({ transactionsPerEpoch: -1 })),
      "rules[0].transactionsPerEpoch is -1, and may be a whole number, 0 or more",
    ],
    [
      JSON.stringify(policy({ connect: "yes" } as never)),
      'rules[0].connect is "yes", and may be true or false',
    ],
    [JSON.stringify({ ...policy(), rules: [RULE, RULE] }), 'two rules are called "bot"'],
    [
      JSON.stringify({ ...policy(), rules: [{ name: "x" }] }),
      'rules[0] names neither hostnames nor tokens: say "*" for any',
    ],
  ];
  test.each(broken)("%s", async (text, why) => {
    const failure = await failureOf(() => readPolicy(text));
    const reason = failure.message.replace(/^the policy cannot be used: /, "");
    expect([failure.code, reason] as unknown[]).toEqual(["policy_invalid", why]);
  });
});

describe("in the service", () => {
  test("decides without anybody; what it refuses is rejected, what it leaves open is asked", async () => {
    const person = new Person();
    const rule = { connect: true, pairing: PAIRING, transactionsPerEpoch: 2 };
    const approver = new PolicyApprover({ policy: policy(rule, "ask"), hash: "h", person });
    const rig = await Rig.start({ approver });
    const authorization = await rig.ready();
    expect(person.kinds).toEqual(["passphrase"]);
    for (let count = 0; count < 2; count++) {
      expect((await rig.send(authorization)).status).toBe(200);
      rig.node.block();
    }
    person.answer = () => ({ outcome: "rejected" });
    const third = await rig.send(authorization);
    expect([third.body.error.code, person.kinds.at(-1)]).toEqual([3001, "transaction"]);
    await rig.stop();
  });

  test.each([
    ["counts", { transactionsPerEpoch: 2 }],
    ["does not count", {}],
  ])(
    "a transaction of a rule that %s is not followed into its block, and takes no place at the desk",
    async (_, limit) => {
      const desk = new ApprovalDesk();
      const outcomes: unknown[] = [];
      const person = Object.assign(new Person(), {
        settled(request: TransactionRequest, outcome: Outcome) {
          desk.settled(request, outcome);
          outcomes.push(desk.outcomeOf(request.id));
        },
      });
      const rule = { connect: true, pairing: PAIRING, ...limit };
      const rig = await Rig.start({
        approver: new PolicyApprover({ policy: policy(rule, "ask"), hash: "h", person }),
      });
      let questions = 0;
      rig.node.inclusion = async () => {
        questions++;
        return { height: 13n, code: 0, reason: "" };
      };
      expect((await rig.send(await rig.ready())).status).toBe(200);
      expect(questions).toBe(0);
      expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual([]);
      await rig.stop();
    },
  );

  test("signed transactions count, whatever a node says of them; unsigned ones do not", async () => {
    const approver = new PolicyApprover({
      policy: policy({ connect: true, pairing: PAIRING, transactionsPerEpoch: 1 }),
      hash: "h",
      person: new Person(),
    });
    const rig = await Rig.start({ approver });
    const authorization = await rig.ready();
    // No place on a block is found: nothing is signed.
    const { spamStatistics } = rig.node;
    const refused = new NodeError("tx.send", "node_refused", "the node is tired");
    let reads = 0;
    rig.node.spamStatistics = (party) =>
      reads++ === 0 ? spamStatistics.call(rig.node, party) : Promise.reject(refused);
    expect((await rig.send(authorization)).body.error.data).toBe("the node is tired");
    rig.node.spamStatistics = spamStatistics;
    // Its last answer is good for a moment.
    await grace(10);
    rig.node.verdict = { code: 70, reason: "why" };
    expect((await rig.send(authorization)).body.error.code).toBe(1070);
    rig.node.verdict = undefined;
    expect((await rig.send(authorization)).body.error.code).toBe(3001);
    rig.node.block();
    rig.node.admission.startEpoch(1n);
    expect((await rig.send(authorization)).status).toBe(200);
    await rig.stop();
  });

  test.each([
    // A second signature counts as one more of the limit.
    [
      1,
      [
        2001,
        expect.stringContaining("it would have to be signed again, and may not: bot: its 1 transaction"),
      ],
    ],
    [9, [1060, expect.stringContaining("unknown block height")]],
  ])("a node that asks for other signatures, limit %d: at most two leave", async (limit, answer) => {
    const approver = new PolicyApprover({
      policy: policy({ connect: true, pairing: PAIRING, transactionsPerEpoch: limit }),
      hash: "h",
      person: new Person(),
    });
    const rig = await Rig.start({ approver });
    const authorization = await rig.ready();
    rig.node.verdict = { code: 60, reason: "unknown block height" };
    const { body } = await rig.send(authorization);
    expect([body.error.code, body.error.data]).toEqual(answer);
    expect(rig.node.submissions).toBe(Math.min(limit, 2));
    await rig.stop();
  });

  test("epochs that a node counts up faster than they can be give no limit back", async () => {
    let nowMs = 1_000_000;
    const strict = {
      ...policy({ connect: true, pairing: PAIRING, transactionsPerEpoch: 1 }),
      epochSecondsMin: 100,
    };
    const approver = new PolicyApprover({
      policy: strict,
      hash: "h",
      person: new Person(),
      wallMs: () => nowMs,
    });
    const rig = await Rig.start({ approver });
    const authorization = await rig.ready();
    const send = async () => {
      rig.node.block();
      return (await rig.send(authorization)).body.error?.code ?? 200;
    };
    expect(await send()).toBe(200);
    for (let epoch = 1n; epoch < 5n; epoch++) {
      rig.node.admission.startEpoch(epoch);
      nowMs += 20_000;
      expect(await send()).toBe(3001);
    }
    nowMs += 20_000;
    expect([await send(), await send()]).toEqual([200, 3001]);
    // A clock that is set back makes an epoch longer.
    nowMs -= 1_000_000;
    rig.node.admission.startEpoch(6n);
    expect(await send()).toBe(3001);
    await rig.stop();
  });

  test("programs with a token are bound by it too", async () => {
    const folder = privateFolder();
    const approver = new PolicyApprover({ policy: policy({ tokens: [] }), hash: "h", person: new Person() });
    const rig = await Rig.start({ approver, home: folder.path, hasSocket: false });
    const { serviceFiles } = await import("../../../src/planes/wallet/start.ts");
    const { token } = await serviceFiles(folder.path).tokens.add({
      wallet: "vectors",
      description: "",
      createdAt: "",
      expiresAt: null,
    });
    expect((await rig.send(`VWT ${token}`)).body.error.code).toBe(3001);
    await rig.stop();
    folder.remove();
  });
});

test("a policy is tried on what really happened, and goes on where it was", async () => {
  const folder = privateFolder();
  const first = policy({ connect: true, pairing: PAIRING, transactionsPerEpoch: 2 });
  const approver = new PolicyApprover({ policy: first, hash: "h", person: new Person() });
  const rig = await Rig.start({ approver, home: folder.path, hasSocket: false });
  const authorization = await rig.ready();
  for (let count = 0; count < 3; count++) {
    await rig.send(authorization);
    rig.node.block();
  }
  await rig.stop();
  const path = `${folder.path}/wallet-service/requests.jsonl`;
  const entries = readLog(path);
  expect(entries.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
    "connection done",
    "keys done",
    "transaction done",
    "transaction done",
    "transaction rejected",
  ]);
  expect(entries[2]).toMatchObject({
    hostname: "dapp.example",
    wallet: "vectors",
    publicKey: KEY_1,
    purpose: "send",
    epoch: "0",
  });
  const verdicts = (rule: Partial<Rule>) => simulate(policy(rule), entries).map(({ verdict }) => verdict);
  expect(verdicts({ connect: true, pairing: PAIRING })).toEqual([
    "allow",
    "allow",
    "allow",
    "allow",
    "allow",
  ]);
  expect(verdicts({ transactionsPerEpoch: 1 })).toEqual(["reject", "reject", "allow", "reject", "reject"]);
  folder.remove();
});

test("half a line at the log's end is left out; a full log makes room; nobody else reads it", async () => {
  const folder = privateFolder();
  const path = `${folder.path}/requests.jsonl`;
  const entry = { time: "t", kind: "keys", hostname: "h".repeat(200), wallet: "w", outcome: "done" } as const;
  const log = new RequestLogFile(path);
  log.append(entry);
  expect((await import("node:fs")).statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(path, `${JSON.stringify(entry)}\n{"time":"t","ki`);
  expect(readLog(path)).toHaveLength(1);
  writeFileSync(path, "x".repeat(10 * 1024 * 1024));
  new RequestLogFile(path).append(entry);
  expect(readLog(path)).toHaveLength(1);
  expect(await codeOf(() => readPolicy("x"))).toBe("policy_invalid");
  folder.remove();
});

test("the newest entries of a log are read from its end, whatever stands before them", () => {
  const folder = privateFolder();
  const path = `${folder.path}/requests.jsonl`;
  const line = (n: number) =>
    JSON.stringify({ time: `${n}`, kind: "keys", hostname: "h", wallet: "w", outcome: "done" });
  const timesOf = (max: number) => newestOfLog(path, max).map(({ time }) => time);
  writeFileSync(path, [1, 2, 3].map(line).join("\n"));
  expect([timesOf(2), timesOf(5)]).toEqual([
    ["3", "2"],
    ["3", "2", "1"],
  ]);
  // More than is read at once, and half a line at the end.
  const last = ["not an entry", line(8), line(9), '{"time":"t","ki'].join("\n");
  writeFileSync(path, `${line(1)}\n${"x".repeat(2 * 1024 * 1024)}\n${last}`);
  expect(timesOf(5)).toEqual(["9", "8"]);
  folder.remove();
});

test("a log that is taken away, or could not be written for a while, goes on", () => {
  const folder = privateFolder();
  const path = `${folder.path}/requests.jsonl`;
  const entry = { time: "t", kind: "keys", hostname: "h", wallet: "w", outcome: "done" } as const;
  const log = new RequestLogFile(path);
  log.append({ ...entry, command: "x".repeat(9 * 1024 * 1024) });
  rmSync(path);
  log.append({ ...entry, command: "x".repeat(2 * 1024 * 1024) });
  expect(readLog(path)).toHaveLength(1);
  // A disk that is full leaves half a line; here something else stands in the way.
  rmSync(path);
  mkdirSync(path);
  expect(() => log.append(entry)).toThrow();
  rmdirSync(path);
  writeFileSync(path, '{"time":"t","ki');
  log.append(entry);
  expect(readLog(path)).toHaveLength(1);
  folder.remove();
});

test("lines of a log that are JSON, and no requests, are left out as half a line is", () => {
  const folder = privateFolder();
  const path = `${folder.path}/requests.jsonl`;
  const good = { time: "t", kind: "connection", hostname: "a.example", wallet: "w", outcome: "done" };
  const bad = [
    ...[null, 5, [], {}, "text"],
    ...[
      { ...good, kind: "other" },
      { ...good, hostname: 5 },
      { ...good, epoch: "x" },
      { ...good, epoch: "-1" },
    ],
    ...[
      { ...good, wallet: undefined },
      { ...good, purpose: "steal" },
      { ...good, token: 1 },
    ],
  ];
  const lines = [...bad, good, { ...good, epoch: "7" }].map((line) => JSON.stringify(line));
  writeFileSync(path, lines.join("\n"));
  expect(readLog(path)).toEqual([good, { ...good, epoch: "7" }] as never);
  folder.remove();
});
