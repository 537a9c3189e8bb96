// Limits of policies, tried by those who want more: over restarts and epochs, by commands that carry value in another
// shape, by amounts that no parser reads alike, and where a limit cannot be kept.
import { describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { decide, type PolicyRequest, spendingOf, type Usage } from "../../../src/wallet/policies/decision.ts";
import { loadPolicy, type Policy, type Rule } from "../../../src/wallet/policies/policy.ts";
import { PolicyApprover } from "../../../src/wallet/policies/policy-approver.ts";
import { EpochUsage, UsageJournalFile } from "../../../src/wallet/policies/usage.ts";
import { messageDescriptor } from "../../../src/wire/descriptors.ts";
import { COMMAND_KINDS } from "../../../src/wire/transaction-commands.ts";
import { KEY_1, KEY_2, PAIRING, Person, Rig, VOTE } from "../service/rig.ts";
import { privateFolder } from "../support/wallets.ts";

const ASSET = "a".repeat(64);
const OTHER = "d".repeat(64);
const BOB = "b".repeat(64);
const policyOf = (rule: Partial<Rule>): Policy => ({
  version: 1,
  name: "test",
  rules: [
    { name: "bot", hostnames: ["dapp.example"], commands: ["*"], connect: true, pairing: PAIRING, ...rule },
  ],
  otherwise: "reject",
});
const UNUSED: Usage = { transactions: () => 0, spent: () => 0n };
const request = (kind: string, payload: object): PolicyRequest => ({
  kind: "transaction",
  hostname: "dapp.example",
  token: undefined,
  wallet: "vectors",
  publicKey: KEY_1,
  purpose: "send",
  command: { kind, payload } as never,
});
const verdictOf = (rule: Partial<Rule>, judged: PolicyRequest, usage = UNUSED): string => {
  const verdict = decide(policyOf(rule), judged, usage);
  return verdict.kind === "allow" ? "allow" : verdict.reasons.join();
};

test("commands that no limit counts are not recorded: their file would grow for ever", async () => {
  const approvals = async (rule: Partial<Rule>) => {
    const folder = privateFolder();
    const path = `${folder.path}/usage.jsonl`;
    const usage = new EpochUsage(0, new UsageJournalFile(path));
    const rig = await Rig.start({
      approver: new PolicyApprover({ policy: policyOf(rule), hash: "", person: new Person(), usage }),
    });
    const token = await rig.ready();
    for (let count = 0; count < 3; count++) expect((await rig.send(token)).status).toBe(200);
    await rig.stop();
    const lines = new UsageJournalFile(path).read().length;
    folder.remove();
    return lines;
  };
  expect(await approvals({})).toBe(0);
  expect(await approvals({ assets: { [ASSET]: { perTransaction: "5" } } })).toBe(0);
  expect(await approvals({ transactionsPerEpoch: 5 })).toBe(3);
  expect(await approvals({ assets: { [ASSET]: { perEpoch: "5" } } })).toBe(3);
});

describe("assets that commands move", () => {
  test("every kind is known to move something, to cost what nobody can tell, or neither", () => {
    const payload = { asset: ASSET, amount: "7", to: BOB };
    const of = (kind: string) => spendingOf({ kind, payload } as never);
    const kinds = (isOne: (kind: string) => boolean) => COMMAND_KINDS.filter(isOne);
    expect(kinds((kind) => (of(kind)?.length ?? 0) > 0)).toEqual(["withdrawSubmission", "transfer"]);
    expect(kinds((kind) => of(kind) === undefined)).toEqual([
      "orderSubmission",
      "orderAmendment",
      "liquidityProvisionSubmission",
      "liquidityProvisionAmendment",
      "batchMarketInstructions",
    ]);
    // A kind that is new must be looked at here.
    expect(COMMAND_KINDS).toHaveLength(25);
  });

  test("no command hides another: a batch has orders alone, a proposal no transfer", () => {
    const fields = (name: string) => messageDescriptor(name).fields.map((field) => field.name);
    expect(fields("vega.commands.v1.BatchMarketInstructions")).toEqual([
      "cancellations",
      "amendments",
      "submissions",
    ]);
    expect(fields("vega.ProposalTerms").filter((name) => /transfer|withdraw/.test(name))).toEqual([]);
  });

  const limited: Partial<Rule> = { assets: { [ASSET]: { perTransaction: "100" } } };
  const recurring = { asset: ASSET, amount: "1", to: BOB, recurring: { startEpoch: 1n, factor: "1.5" } };
  const unreadable = "bot: what transfer may cost cannot be told";
  const cases: readonly (readonly [
    name: string,
    rule: Partial<Rule>,
    judged: PolicyRequest,
    verdict: string,
  ])[] = [
    [
      "a transfer that comes again, and grows",
      limited,
      request("transfer", recurring),
      "bot: a transfer that comes again every epoch has no limit for one",
    ],
    [
      "the same, where nothing is limited",
      { assets: { [ASSET]: {} } },
      request("transfer", recurring),
      "allow",
    ],
    ["an amount that is none", {}, request("transfer", { asset: ASSET, amount: "1e3", to: BOB }), unreadable],
    ["a negative amount", limited, request("transfer", { asset: ASSET, amount: "-1", to: BOB }), unreadable],
    ["no amount", {}, request("transfer", { asset: ASSET, to: BOB }), unreadable],
    [
      "an amount with zeros before it",
      limited,
      request("transfer", { asset: ASSET, amount: "000101", to: BOB }),
      "bot: 101 is more than its 100 for a transaction",
    ],
    [
      "an amount of 2^256",
      limited,
      request("withdrawSubmission", { asset: ASSET, amount: String(2n ** 256n) }),
      `bot: ${2n ** 256n} is more than its 100 for a transaction`,
    ],
    [
      "an asset in capitals is another",
      limited,
      request("transfer", { asset: ASSET.toUpperCase(), amount: "1", to: BOB }),
      `bot: the asset ${ASSET.toUpperCase()} is not in it`,
    ],
    [
      "an asset by the name of every object's parent",
      limited,
      request("transfer", { asset: "__proto__", amount: "1", to: BOB }),
      "bot: the asset __proto__ is not in it",
    ],
    [
      "a withdrawal to another address",
      { ...limited, recipients: ["0xabc"] },
      request("withdrawSubmission", {
        asset: ASSET,
        amount: "1",
        ext: { erc20: { receiverAddress: "0xABC" } },
      }),
      "bot: the recipient is not in it",
    ],
    [
      "a withdrawal to nowhere",
      { ...limited, recipients: ["0xabc"] },
      request("withdrawSubmission", { asset: ASSET, amount: "1" }),
      "bot: the recipient is not in it",
    ],
    ["a batch, where amounts are not limited", {}, request("batchMarketInstructions", {}), "allow"],
    [
      "a batch, where they are",
      limited,
      request("batchMarketInstructions", {}),
      "bot: what batchMarketInstructions may cost cannot be told, and it limits amounts",
    ],
  ];
  test.each(cases)("%s", (_name, rule, judged, verdict) => {
    expect(verdictOf(rule, judged)).toBe(verdict);
  });

  test("each asset has its own limit, each rule its own count", () => {
    const usage = new EpochUsage(0);
    const rule = { assets: { [ASSET]: { perEpoch: "100" }, [OTHER]: { perEpoch: "100" } } };
    usage.add("bot", [{ asset: ASSET, amount: 100n }]);
    usage.add("another", [{ asset: OTHER, amount: 100n }]);
    const of = (asset: string) =>
      verdictOf(rule, request("transfer", { asset, amount: "1", to: BOB }), usage);
    expect([of(ASSET), of(OTHER)]).toEqual([
      "bot: 1 on top of 100 is more than its 100 for an epoch",
      "allow",
    ]);
  });
});

describe("the used part of a limit", () => {
  const folder = () => {
    const { path, remove } = privateFolder();
    const file = `${path}/policy-usage.jsonl`;
    const journal = () => new UsageJournalFile(file);
    return { file, remove, journal, usage: () => new EpochUsage(0, journal(), journal().read()) };
  };

  test("is still used after a restart, and after a kill between approving and sending", () => {
    const { file, remove, usage } = folder();
    const first = usage();
    first.enterEpoch(7n, 0);
    first.add("bot", [{ asset: ASSET, amount: 9_007_199_254_740_993n }]);
    first.add("bot", [{ asset: ASSET, amount: 5n }])();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = usage();
    expect([second.transactions("bot"), second.spent("bot", ASSET)]).toEqual([1, 9_007_199_254_740_993n]);
    // The same epoch goes on, one that has ended does not come back, and the next restarts.
    second.enterEpoch(7n, 0);
    second.enterEpoch(6n, 0);
    expect(second.transactions("bot")).toBe(1);
    second.enterEpoch(8n, 0);
    expect([second.transactions("bot"), usage().transactions("bot")]).toEqual([0, 0]);
    expect(readFileSync(file, "utf8")).toBe("");
    remove();
  });

  test("half a line, of a kill or a full disk, spoils no other", () => {
    const { file, remove, usage } = folder();
    const first = usage();
    first.enterEpoch(1n, 0);
    first.add("bot", []);
    appendFileSync(file, '\n{"epoch":"1","rule":"bo');
    const second = usage();
    second.add("bot", []);
    expect(usage().transactions("bot")).toBe(2);
    remove();
  });

  test("a command taken back in the next epoch gives that epoch nothing", () => {
    const usage = new EpochUsage(0);
    usage.enterEpoch(1n, 0);
    const takeBack = usage.add("bot", [{ asset: ASSET, amount: 5n }]);
    usage.enterEpoch(2n, 0);
    takeBack();
    expect([usage.transactions("bot"), usage.spent("bot", ASSET)]).toEqual([0, 0n]);
  });

  test("late in an epoch counts in the next one, until no chain takes it any more", () => {
    const { remove, journal } = folder();
    const hour = 3_600_000;
    const first = new EpochUsage(24 * hour, journal());
    first.enterEpoch(1n, 0);
    first.add("bot", [{ asset: ASSET, amount: 5n }]);
    first.enterEpoch(1n, 23.5 * hour);
    first.add("bot", [{ asset: ASSET, amount: 7n }]);
    first.enterEpoch(2n, 24 * hour);
    expect([first.transactions("bot"), first.spent("bot", ASSET)]).toEqual([1, 7n]);
    // After a kill as well.
    const second = new EpochUsage(24 * hour, journal(), journal().read());
    second.enterEpoch(2n, 24.1 * hour);
    expect([second.transactions("bot"), second.spent("bot", ASSET)]).toEqual([1, 7n]);
    second.add("bot", [{ asset: ASSET, amount: 1n }]);
    second.enterEpoch(2n, 24.6 * hour);
    expect([second.transactions("bot"), second.spent("bot", ASSET)]).toEqual([1, 1n]);
    remove();
  });

  test("by a flood of refused requests is not forgotten", async () => {
    const { remove, journal, usage } = folder();
    const policy = policyOf({ transactionsPerEpoch: 1 });
    const serve = async () => {
      const approver = new PolicyApprover({ policy, hash: "h", person: new Person(), usage: usage() });
      const rig = await Rig.start({ approver });
      return { rig, authorization: await rig.ready() };
    };
    const first = await serve();
    expect((await first.rig.send(first.authorization)).status).toBe(200);
    for (let count = 0; count < 20; count++)
      expect((await first.rig.send(first.authorization)).body.error.code).toBe(3001);
    await first.rig.stop();
    expect(journal().read()).toHaveLength(1);
    const second = await serve();
    expect((await second.rig.send(second.authorization)).body.error.code).toBe(3001);
    second.rig.node.admission.startEpoch(1n);
    expect((await second.rig.send(second.authorization)).status).toBe(200);
    await second.rig.stop();
    remove();
  });

  test("that cannot be written down is not approved", async () => {
    const journal = {
      append: () => {
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      },
      restart: () => {},
    };
    const usage = new EpochUsage(0, journal);
    const policy = policyOf({ transactionsPerEpoch: 5 });
    const rig = await Rig.start({
      approver: new PolicyApprover({ policy, hash: "h", person: new Person(), usage }),
    });
    const authorization = await rig.ready();
    const answer = await rig.send(authorization);
    expect([answer.status, answer.body.error.data]).toEqual([500, "could not send transaction"]);
    expect(rig.node.submissions).toBe(0);
    await rig.stop();
  });

  test("while no node says which epoch it is, nothing is approved", async () => {
    const policy = policyOf({ transactionsPerEpoch: 5 });
    const rig = await Rig.start({
      approver: new PolicyApprover({ policy, hash: "h", person: new Person() }),
    });
    const authorization = await rig.ready();
    rig.node.spamStatistics = () => Promise.reject(new TypeError("inside"));
    const answer = await rig.send(authorization);
    expect([answer.status >= 400, rig.node.submissions]).toEqual([true, 0]);
    await rig.stop();
  });
});

describe("keys", () => {
  test("a page sees those of the rule, and no others", async () => {
    const approver = new PolicyApprover({
      policy: policyOf({ keys: [KEY_2] }),
      hash: "h",
      person: new Person(),
    });
    const rig = await Rig.start({ approver });
    const authorization = await rig.connect();
    const { body } = await rig.call("client.list_keys", {}, { authorization });
    expect(body.result.keys).toEqual([{ name: "Key 2", publicKey: KEY_2 }]);
    expect((await rig.send(authorization)).body.error.data).toBe("this public key is not allowed to be used");
    expect((await rig.send(authorization, { publicKey: KEY_2 })).status).toBe(200);
    await rig.stop();
  });

  test("a rule whose keys the wallet does not have shows none", async () => {
    const approver = new PolicyApprover({
      policy: policyOf({ keys: [BOB] }),
      hash: "h",
      person: new Person(),
    });
    const rig = await Rig.start({ approver });
    const authorization = await rig.connect();
    const { body } = await rig.call("client.list_keys", {}, { authorization });
    expect([body.error.code, body.error.data]).toEqual([3001, "the user rejected the access to the keys"]);
    await rig.stop();
  });
});

test("a policy's file that is changed meanwhile changes nothing, until it is pinned anew", async () => {
  const { path, remove } = privateFolder();
  const file = `${path}/policy.json`;
  writeFileSync(file, JSON.stringify(policyOf({ commands: ["voteSubmission"] })));
  const { policy, hash } = loadPolicy(file);
  const rig = await Rig.start({ approver: new PolicyApprover({ policy, hash, person: new Person() }) });
  const authorization = await rig.ready();
  writeFileSync(file, JSON.stringify(policyOf({ commands: ["*"] })));
  const cancel = { transaction: { orderCancellation: {} } };
  expect((await rig.send(authorization, cancel)).body.error.code).toBe(3001);
  expect((await rig.send(authorization, { transaction: VOTE })).status).toBe(200);
  expect(loadPolicy(file).hash).not.toBe(hash);
  await rig.stop();
  remove();
});
