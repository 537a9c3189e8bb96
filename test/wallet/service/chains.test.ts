// For which chain a service signs: the one it was told, or that its owner has seen and confirmed. The node only says one.
import { describe, expect, spyOn, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { serviceFiles } from "../../../src/planes/wallet/start.ts";
import type { TransactionRequest } from "../../../src/wallet/approvals/approver.ts";
import { ApprovalDesk } from "../../../src/wallet/approvals/desk.ts";
import { requestLines, shown } from "../../../src/wallet/approvals/shown.ts";
import { answerInTerminal, DeskSource, type Terminal } from "../../../src/wallet/approvals/terminal.ts";
import { PolicyApprover } from "../../../src/wallet/policies/policy-approver.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeNode } from "../sending/fake-node.ts";
import { PASSPHRASE, privateFolder } from "../support/wallets.ts";
import { KEY_1, PAIRING, Person, Rig, type RigOptions } from "./rig.ts";

const ASSET = "a5".repeat(32);
const TRANSFER = {
  transfer: {
    fromAccountType: "ACCOUNT_TYPE_GENERAL",
    toAccountType: "ACCOUNT_TYPE_GENERAL",
    to: "988eae323a07f12363c17025c23ee58ea32ac3912398e16bb0b56969f57adc52",
    asset: ASSET,
    amount: "1500000000000000000",
    oneOff: {},
  },
};

/** As the node knows the asset of the transfer. */
const knowAsset = ({ node }: Rig) => node.assets.set(ASSET, { symbol: "VEGA", decimals: 18 });

const start = (options: RigOptions = {}) => Rig.start({ isOwnChain: false, ...options });

/** The node says another chain from now on. */
function becomes(node: FakeNode, chainId: string): void {
  (node as { chainId: string }).chainId = chainId;
  node.block();
}

const asPerson = (rig: Rig) => {
  const { answer } = rig.person;
  rig.person.answer = async (request, signal) => {
    const decision = await answer(request, signal);
    return decision.outcome === "approved" ? { ...decision, isByPerson: true } : decision;
  };
};

const lastAsked = (rig: Rig) => rig.person.asked.at(-1) as TransactionRequest;

describe("the chain in an approval", () => {
  test("given a first transaction, then chain, node, whole origin and balance stand in it; afterwards it is confirmed", async () => {
    const rig = await start();
    asPerson(rig);
    knowAsset(rig);
    rig.node.balances = async () => new Map([[ASSET, "2500000000000000000"]]);
    rig.node.parameter = async (key) => (key === "transfer.fee.factor" ? "0.001" : undefined);
    const authorization = await rig.ready();
    expect((await rig.send(authorization, { transaction: TRANSFER })).status).toBe(200);
    const lines = requestLines(shown(lastAsked(rig)));
    expect(lines[0]).toStartWith("https://dapp.example wants to send a transaction: Send 1.5 VEGA");
    const text = lines.join("\n");
    expect(text).toMatch(/chain +test-chain \(new: approving confirms it for this node\)/);
    expect(text).toMatch(/node +http:\/\/fake\.test/);
    expect(text).toMatch(/fee \(node says\) +0\.0015 VEGA/);
    expect(text).toMatch(/you have \(node says\) +2\.5 VEGA/);
    expect(text).toMatch(/left \(node says\) +0\.9985 VEGA/);
    expect(text).toContain("! http://fake.test says that its chain is test-chain");
    rig.node.block();
    expect((await rig.send(authorization)).status).toBe(200);
    const second = requestLines(shown(lastAsked(rig))).join("\n");
    expect(second).toContain("test-chain (confirmed before)");
    expect(second).not.toContain("! http://fake.test says");
    await rig.stop();
  });

  test("given a node that does not tell of balances, then that is said", async () => {
    const rig = await start({ chainId: "test-chain" });
    await rig.send(await rig.ready(), { transaction: TRANSFER });
    const text = requestLines(shown(lastAsked(rig))).join("\n");
    expect(text).toContain("not known: the node does not say");
    expect(text).toContain("test-chain (as the settings say)");
    await rig.stop();
  });

  test("given http and https of one host, then they look different", async () => {
    const rig = await start();
    const origin = "http://dapp.example";
    await rig.send(await rig.ready(origin), {}, origin);
    expect(requestLines(shown(lastAsked(rig)))[0]).toStartWith("http://dapp.example wants");
    await rig.stop();
  });
});

/** Waits until the service has looked at the node twice, so that one look was after this call. */
async function isWatched(node: { lastBlock: () => Promise<unknown> }): Promise<void> {
  const looks = spyOn(node, "lastBlock");
  await eventually(() => looks.mock.calls.length >= 2);
  looks.mockRestore();
}

describe("another chain", () => {
  test("given a confirmed one, when the node says another, then both are named, and nobody is asked", async () => {
    const rig = await start({ watchMs: 2 });
    asPerson(rig);
    const authorization = await rig.ready();
    expect((await rig.send(authorization)).status).toBe(200);
    const questions = rig.person.asked.length;
    becomes(rig.node, "other-chain");
    await isWatched(rig.node);
    const { body } = await rig.send(authorization);
    expect([body.error.code, body.error.data]).toEqual([
      1000,
      "the node is of the chain other-chain, and test-chain is wanted",
    ]);
    expect([rig.node.submissions, rig.person.asked.length]).toEqual([1, questions]);
    await rig.stop();
  });

  test("given an approval for one, when the node says another before the signature, then nothing is signed", async () => {
    const rig = await start({ watchMs: 2 });
    asPerson(rig);
    const authorization = await rig.ready();
    const { answer } = rig.person;
    rig.person.answer = async (request, signal) => {
      if (request.kind === "transaction") {
        becomes(rig.node, "other-chain");
        await isWatched(rig.node);
      }
      return answer(request, signal);
    };
    const { body } = await rig.call(
      "client.sign_transaction",
      { publicKey: KEY_1, transaction: TRANSFER },
      { authorization },
    );
    expect(body.error.data).toContain("the owner of the wallet has not confirmed it");
    expect(body.error.data).toContain("other-chain");
    await rig.stop();
  });

  test("given a restart, then the confirmed chain is remembered, closed to others", async () => {
    const folder = privateFolder();
    const options = { home: folder.path, hasSocket: false };
    const first = await start(options);
    asPerson(first);
    expect((await first.send(await first.ready())).status).toBe(200);
    await first.stop();
    const file = `${folder.path}/wallet-service/chains.json`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8")).chains).toEqual([
      expect.objectContaining({ node: "http://fake.test", chainId: "test-chain" }),
    ]);
    const second = await start({ ...options, nodes: [new FakeNode("other-chain")] });
    const { body } = await second.send(await second.ready());
    expect(body.error.data).toBe("the node is of the chain other-chain, and test-chain is wanted");
    await second.stop();
    folder.remove();
  });

  test("given settings that name one, then a node of another gets no signature", async () => {
    const rig = await start({ chainId: "main-chain" });
    const { body } = await rig.send(await rig.ready());
    expect(body.error.data).toBe("the node is of the chain test-chain, and main-chain is wanted");
    expect(rig.person.kinds).not.toContain("transaction");
    await rig.stop();
  });
});

describe("without a person who reads the chain", () => {
  test("given a policy, then an unconfirmed chain is refused with the way to confirm it", async () => {
    const rule = { name: "r", hostnames: ["*"], connect: true, pairing: PAIRING, commands: ["*" as const] };
    const policy = { version: 1, name: "p", rules: [rule], otherwise: "reject" } as const;
    const approver = new PolicyApprover({ policy, hash: "h", person: new Person() });
    const rig = await start({ approver });
    const { body } = await rig.send(await rig.ready());
    expect(body.error.data).toContain("the node says that its chain is test-chain");
    expect(rig.node.submissions).toBe(0);
    await rig.stop();
    const configured = await start({ approver, chainId: "test-chain" });
    expect((await configured.send(await configured.ready())).status).toBe(200);
    await configured.stop();
  });

  test("given a program's token, then too", async () => {
    const folder = privateFolder();
    const rig = await start({ home: folder.path, hasSocket: false });
    await rig.ready();
    const { token } = await serviceFiles(folder.path).tokens.add({
      wallet: "vectors",
      description: "",
      createdAt: "",
      expiresAt: null,
    });
    const { body } = await rig.send(`VWT ${token}`);
    expect(body.error.data).toContain("has not confirmed it");
    expect(rig.node.submissions).toBe(0);
    await rig.stop();
    folder.remove();
  });
});

test("after an approval the terminal says what became of it: hash and block, or why not", async () => {
  const desk = new ApprovalDesk();
  const source = new DeskSource(desk);
  const written: string[] = [];
  const terminal: Terminal = {
    write: (lines) => written.push(...lines),
    line: async () => "yes",
    hidden: async () => Uint8Array.from(PASSPHRASE),
    rest: async () => {},
  };
  const running = answerInTerminal(source, terminal);
  const rig = await start({ approver: desk });
  const authorization = await rig.ready();
  const { hash } = { hash: (await rig.send(authorization)).body.result.transactionHash };
  rig.node.verdict = { code: 89, reason: "too many" };
  await rig.send(authorization);
  source.end();
  await running;
  const verdicts = written.filter((line) => /^(sent|refused|not signed)/.test(line));
  expect(verdicts[0]).toStartWith(`sent as ${hash}: `);
  expect(verdicts[1]).toBe("refused by the node: too many (ABCI code 89)");
  await rig.stop();
});
