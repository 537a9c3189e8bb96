// Trouble around a request: a log or a file of sessions that cannot be written, a page that is thrown out or
// goes away while something takes its time, a node whose address is nobody's business.
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { askService } from "../../../src/cli/wallet-session.ts";
import { NodeError } from "../../../src/errors/node-error.ts";
import { serviceFiles } from "../../../src/planes/wallet/start.ts";
import type { Decision } from "../../../src/wallet/approvals/approver.ts";
import { ApprovalDesk } from "../../../src/wallet/approvals/desk.ts";
import { PolicyApprover } from "../../../src/wallet/policies/policy-approver.ts";
import { readLog } from "../../../src/wallet/policies/request-log.ts";
import { EpochUsage } from "../../../src/wallet/policies/usage.ts";
import { secureRandom } from "../../../src/wallet/random.ts";
import type { JsonFile } from "../../../src/wallet/service/json-file.ts";
import { Sessions, type SessionsDocument } from "../../../src/wallet/service/sessions.ts";
import { eventually, turns } from "../../support/eventually.ts";
import { privateFolder } from "../support/wallets.ts";
import { PAIRING, Person, Rig } from "./rig.ts";

/** A policy of one rule. */
const policyOf = (command: "*" | "voteSubmission", transactionsPerEpoch: number) =>
  ({
    version: 1,
    name: "p",
    rules: [
      {
        name: "r",
        hostnames: ["*"],
        connect: true,
        pairing: PAIRING,
        commands: [command],
        transactionsPerEpoch,
      },
    ],
    otherwise: "reject",
  }) as const;
const FULL = () => Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });

describe("a log that cannot be written", () => {
  test("does not make what was sent unsent, and its owner is told once", async () => {
    const troubles: string[] = [];
    const policy = policyOf("*", 2);
    const approver = new PolicyApprover({ policy, hash: "h", person: new Person() });
    const rig = await Rig.start({ approver, onTrouble: (sentence) => troubles.push(sentence) });
    Object.assign(rig.running.service.parts, {
      log: {
        append: () => {
          throw FULL();
        },
      },
    });
    const authorization = await rig.ready();
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) {
      statuses.push((await rig.send(authorization)).status);
      rig.node.block();
    }
    expect([statuses, rig.node.executed.length]).toEqual([[200, 200, 400], 2]);
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toStartWith("the log of requests cannot be written: ");
    await rig.stop();
  });

  test("and one that can holds the epoch also where a person decides, for policies to be tried on it", async () => {
    const folder = privateFolder();
    const rig = await Rig.start({ home: folder.path, hasSocket: false });
    const authorization = await rig.ready();
    rig.node.admission.startEpoch(3n);
    await rig.send(authorization);
    rig.person.answer = () => ({ outcome: "rejected" });
    await rig.send(authorization);
    await rig.stop();
    const entries = readLog(`${folder.path}/wallet-service/requests.jsonl`).slice(2);
    expect(entries.map(({ outcome, epoch }) => [outcome, epoch])).toEqual([
      ["done", "3"],
      ["rejected", "3"],
    ]);
    folder.remove();
  });
});

describe("a file of sessions that cannot be written", () => {
  class File {
    document: SessionsDocument = { version: 1, sessions: [] };
    isFull = false;

    async read() {
      return this.document;
    }

    async update(change: (document: SessionsDocument) => SessionsDocument) {
      await turns(1);
      if (this.isFull) throw FULL();
      this.document = change(this.document);
      return this.document;
    }

    get hostnames() {
      return this.document.sessions.map(({ hostname }) => hostname);
    }
  }
  const begin = () => {
    const file = new File();
    const as = file as unknown as JsonFile<SessionsDocument>;
    return { file, sessions: new Sessions({ random: secureRandom, now: () => "", file: as }) };
  };

  test("leaves no session that nobody knows", async () => {
    const { file, sessions } = begin();
    file.isFull = true;
    expect(await sessions.open("a", "w", true).catch(() => "failed")).toBe("failed");
    expect(sessions.all).toEqual([]);
  });

  test("ends a session at once all the same, and writes it down at the next attempt", async () => {
    const { file, sessions } = begin();
    const token = await sessions.open("a", "w", true);
    file.isFull = true;
    expect(await sessions.endAll({ hostname: "a" }, true).catch(() => "failed")).toBe("failed");
    expect(() => sessions.find(token)).toThrow("the connection has been closed");
    expect(file.hostnames).toEqual(["a"]);
    file.isFull = false;
    await sessions.endAll({ hostname: "a" }, true);
    expect(file.hostnames).toEqual([]);
  });

  test("of several changes at once the last one is what is written", async () => {
    const { file, sessions } = begin();
    await Promise.all(["a", "b", "c"].map((hostname) => sessions.open(hostname, "w", true)));
    await Promise.all([sessions.endAll({ hostname: "b" }), sessions.open("d", "w", true)]);
    expect(file.hostnames.sort()).toEqual(["a", "c", "d"]);
  });
});

test.each(["null", "{}", "[]", '{"version":1,"sessions":[null]}', '{"version":2,"sessions":[]}'])(
  "a file that is JSON, and none of ours, is called so: %s",
  async (text) => {
    const home = privateFolder();
    const { sessions } = serviceFiles(home.path);
    writeFileSync(join(home.path, "wallet-service", "sessions.json"), text, { mode: 0o600 });
    expect(await sessions.read().catch((error) => error.code)).toBe("file_unreadable");
    home.remove();
  },
);

describe("a wallet that goes away while a person is asked about it", () => {
  const ways: readonly (readonly [string, (rig: Rig, home: string) => Promise<unknown>])[] = [
    ["by another process", (rig) => rig.store.delete("vectors")],
    ["by admin.remove_wallet", (_, home) => askService(home, "admin.remove_wallet", { wallet: "vectors" })],
    [
      "under another name",
      (_, home) => askService(home, "admin.rename_wallet", { wallet: "vectors", newName: "new" }),
    ],
  ];
  test.each(ways)("%s: the question ends with it", async (_, takeAway) => {
    const folder = privateFolder();
    const desk = new ApprovalDesk();
    const rig = await Rig.start({ home: folder.path, checkMs: 10, desk });
    const authorization = await rig.ready();
    rig.person.answer = (request, signal) => desk.decide(request, signal);
    const sending = rig.send(authorization);
    await eventually(() => desk.requests.length !== 0);
    await takeAway(rig, folder.path);
    expect((await sending).body.error.code).toBe(3000);
    expect(desk.requests).toEqual([]);
    await rig.stop();
    folder.remove();
  });
});

test("a limit that cannot be taken back does not hide why a transaction was not sent", async () => {
  const policy = policyOf("voteSubmission", 9);
  let lines = 0;
  const journal = {
    append: () => {
      if (lines++ > 0) throw FULL();
    },
    restart: () => {},
  };
  const usage = new EpochUsage(0, journal);
  const rig = await Rig.start({
    approver: new PolicyApprover({ policy, hash: "", person: new Person(), usage }),
  });
  const authorization = await rig.ready();
  const { spamStatistics } = rig.node;
  const refused = new NodeError("tx.send", "node_refused", "the node is tired");
  let reads = 0;
  rig.node.spamStatistics = (party) =>
    reads++ === 0 ? spamStatistics.call(rig.node, party) : Promise.reject(refused);
  const { body } = await rig.send(authorization);
  expect([body.error.code, body.error.data]).toEqual([1000, "the node is tired"]);
  expect(usage.transactions("r")).toBe(1);
  await rig.stop();
});

describe("a page that is thrown out", () => {
  test("while its wallet is being opened: no session, no token", async () => {
    const rig = await Rig.start();
    const isOpening = Promise.withResolvers<void>();
    const isRevoked = Promise.withResolvers<void>();
    const { store } = rig;
    const unlock = store.unlock.bind(store);
    store.unlock = async (name, passphrase) => {
      isOpening.resolve();
      await isRevoked.promise;
      return unlock(name, passphrase);
    };
    const connecting = rig.call("client.connect_wallet");
    await isOpening.promise;
    expect(await rig.running.service.revokeHostname("dapp.example")).toBe(0);
    isRevoked.resolve();
    const answer = await connecting;
    expect([answer.body.error.code, answer.body.error.data, answer.token]).toEqual([
      3000,
      "the user closed the connection",
      null,
    ]);
    expect(rig.running.service.parts.sessions.all).toEqual([]);
    await rig.stop();
  });

  test("of one wallet: what it asks of that one ends, and of another goes on", async () => {
    const home = privateFolder();
    const desk = new ApprovalDesk();
    const rig = await Rig.start({ home: home.path, desk, wallets: ["one", "two"] });
    const { person } = rig;
    const yes = person.answer;
    const tokens: string[] = [];
    for (const wallet of ["one", "two"]) {
      person.answer = (request) =>
        request.kind === "connection" ? { outcome: "approved", wallet } : yes(request);
      tokens.push(await rig.ready());
    }
    person.answer = (request, signal) => desk.decide(request, signal);
    const sends = tokens.map((token) => rig.send(token));
    await eventually(() => desk.requests.length >= 2);
    const params = { hostname: "dapp.example", wallet: "one" };
    const body = JSON.stringify({ jsonrpc: "2.0", method: "admin.close_connection", params, id: "1" });
    const closed = await fetch("http://wallet/", { unix: rig.running.socket!, method: "POST", body });
    expect([closed.status, desk.requests.map((request) => "wallet" in request && request.wallet)]).toEqual([
      200,
      ["two"],
    ]);
    desk.answer(desk.requests[0]!.id, { outcome: "approved" });
    const [ended, other] = await Promise.all(sends);
    expect([ended!.body.error.code, ended!.token]).toEqual([3000, null]);
    expect([other!.status, other!.token]).toEqual([200, tokens[1]!]);
    await rig.stop();
    home.remove();
  });

  test("of one wallet, while its transaction is approved: nothing is signed", async () => {
    const rig = await Rig.start();
    const authorization = await rig.ready();
    rig.person.answer = async () => {
      await rig.running.service.parts.sessions.endAll({ wallet: "vectors" }, true);
      return { outcome: "approved" };
    };
    const { status, body, token } = await rig.send(authorization);
    expect([status, body.error.data, token]).toEqual([401, "the connection has been closed", null]);
    expect(rig.node.executed).toEqual([]);
    await rig.stop();
  });

  test("by itself, while it waits: the token that is over does not come back to it", async () => {
    const rig = await Rig.start();
    const authorization = await rig.ready();
    const isAsked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Decision>();
    rig.person.answer = () => {
      isAsked.resolve();
      return answer.promise;
    };
    const sending = rig.send(authorization);
    await isAsked.promise;
    await rig.call("client.disconnect_wallet", {}, { authorization });
    answer.resolve({ outcome: "approved" });
    const { status, token } = await sending;
    expect([status, token]).toEqual([200, null]);
    await rig.stop();
  });

  test("while somebody looks at which keys to show: none is shown, also later", async () => {
    const rig = await Rig.start();
    const authorization = await rig.connect();
    const isAsked = Promise.withResolvers<void>();
    const isRevoked = Promise.withResolvers<void>();
    rig.person.answer = async () => {
      isAsked.resolve();
      await isRevoked.promise;
      return { outcome: "approved" };
    };
    const listing = rig.call("client.list_keys", {}, { authorization });
    await isAsked.promise;
    await rig.running.service.revokeHostname("dapp.example");
    isRevoked.resolve();
    expect((await listing).body.error.code).toBe(3000);
    const wallet = rig.running.service.parts.wallets.get("vectors")!;
    expect(wallet.permissions("dapp.example").publicKeys.access).toBe("none");
    await rig.stop();
  });
});

test("when the first of two tabs goes away, the question goes on for the second", async () => {
  const rig = await Rig.start();
  const authorization = await rig.connect();
  const controller = new AbortController();
  const questions: string[] = [];
  rig.person.answer = (_request, signal) => {
    questions.push("asked");
    if (questions.length > 1) return { outcome: "approved" };
    return new Promise((resolve) =>
      signal!.addEventListener("abort", () => resolve({ outcome: "interrupted" })),
    );
  };
  const body = '{"jsonrpc":"2.0","method":"client.list_keys","params":{},"id":"1"}';
  const first = rig.post(body, { authorization }, { signal: controller.signal });
  const second = rig.post(body, { authorization });
  await eventually(() => questions.length === 1);
  await turns();
  expect(questions).toHaveLength(1);
  controller.abort();
  expect((await first).body.error.code).toBe(-32001);
  expect((await second).body.result.keys).toHaveLength(2);
  expect(questions).toHaveLength(2);
  await rig.stop();
});

test("pages are not told where the node is", async () => {
  const rig = await Rig.start();
  const authorization = await rig.ready();
  const address = "http://192.0.2.7:3003/secret-path";
  rig.node.submit = () =>
    Promise.reject(new NodeError("tx.send", "node_refused", `the node ${address} answered 502, sorry`));
  const answer = await rig.send(authorization);
  expect([answer.body.error.code, answer.text.includes("192.0.2.7"), answer.text.includes("secret")]).toEqual(
    [1000, false, false],
  );
  expect(answer.body.error.data).toContain("the node answered 502, sorry");
  await rig.stop();
});
