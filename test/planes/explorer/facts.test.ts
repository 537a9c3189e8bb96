// Facts of the chain that the network's interface lacks: blocks with their transactions, transactions in words, a transaction's
// story with its signature and proof verified again, parameters beside their defaults, and search.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../../src/devnet/keys.ts";
import { PartyClient } from "../../../src/devnet/party-client.ts";
import { recordSegment } from "../../../src/history/segment-table.ts";
import type {
  Activity,
  Blocks,
  Matches,
  Parameters,
  Segments,
  TransactionStory,
} from "../../../src/http/chain-bodies.ts";
import { DEFAULT_LIMITS } from "../../../src/http/limits.ts";
import { DataContext } from "../../../src/planes/data/context.ts";
import { segmentPage } from "../../../src/planes/data/segment-pages.ts";
import { ResultSource } from "../../../src/planes/explorer/result-source.ts";
import { searchChain } from "../../../src/planes/explorer/search.ts";
import type { TransactionSource } from "../../../src/planes/explorer/transactions.ts";
import { openReader, openWriter } from "../../../src/store/database.ts";
import { HttpNode } from "../../../src/wallet/sending/http-node.ts";
import { hexOf } from "../../../src/wire/identifiers.ts";
import { openSample } from "../../support/sample-app.ts";
import { borrowDevnet, returnDevnet } from "../../support/shared-devnet.ts";

const DOLLAR = madeUpAssetId("tUSD");

describe("facts of a devnet", () => {
  let devnet: Devnet;
  let alice: string;
  let bob: string;
  let sent: Activity["transactions"];
  const read = async <T>(path: string): Promise<T> =>
    (await fetch(`${devnet.dataUrl}/lyra/v1/${path}`)).json() as Promise<T>;
  const story = (hash: string) => read<TransactionStory>(`transactions/${hash}`);

  beforeAll(async () => {
    devnet = await borrowDevnet({ "spam.pow.difficulty": "4" });
    const [first, second] = devnet.parties;
    [alice, bob] = [hexOf(first!.key.publicKey), hexOf(second!.key.publicKey)];
    const client = new PartyClient(devnet.chain, first!.key, "facts");
    const transfer = {
      fromAccountType: 4,
      toAccountType: 4,
      to: bob,
      asset: DOLLAR,
      amount: "250000",
      oneOff: {},
    };
    await client.send({ kind: "transfer", payload: { ...transfer, reference: "lunch" } });
    await client.send(
      { kind: "cancelTransfer", payload: { transferId: "ab".repeat(32) } },
      { allowRefusal: true },
    );
    sent = (await read<Activity>(`transactions?party=${alice}&limit=2`)).transactions;
  });
  afterAll(returnDevnet);

  test("transactions are in words, with their result and time, newest first", () => {
    const [cancelled, transferred] = sent;
    expect(transferred!.ofValidators).toBe(false);
    expect(transferred).toMatchObject({
      submitter: alice,
      type: "Transfer Funds",
      title: `Send 2.50000 tUSD (asset ${DOLLAR}) to ${bob}`.replace("2.50000", "2.5"),
      code: 0,
      error: "",
    });
    expect(cancelled).toMatchObject({ type: "Cancel Transfer Funds", code: 70 });
    expect(cancelled!.error).not.toBe("");
    expect(cancelled!.height).toBeGreaterThan(transferred!.height);
    expect(Date.parse(cancelled!.time)).toBeGreaterThan(Date.parse("2020-01-01"));
  });

  test("a wallet finds the block of a transaction, also by the node port", async () => {
    const { hash, height, error } = sent[0]!;
    for (const url of [devnet.nodeUrl, devnet.dataUrl]) {
      const node = new HttpNode(url);
      expect(await node.inclusion(hash)).toEqual({ height: BigInt(height), code: 70, reason: error });
      expect(await node.inclusion("0".repeat(64))).toBe("pending");
    }
  });

  test("validators' own work is marked as such", async () => {
    const { transactions } = await read<Activity>("transactions?limit=200");
    const types = transactions.filter(({ ofValidators }) => ofValidators).map(({ type }) => type);
    expect([...new Set(types)]).toContain("Node Vote");
    expect(types).not.toContain("Transfer Funds");
    const others = await read<Activity>("transactions?limit=200&withoutValidators=true");
    expect(others.transactions).toEqual(transactions.filter(({ ofValidators }) => !ofValidators));
    const one = await read<Activity>("transactions?limit=1&withoutValidators=true");
    expect(one.transactions).toEqual(others.transactions.slice(0, 1));
  });

  test("pages of transactions meet, and filters hold", async () => {
    const [newest, next] = sent;
    const after = await read<Activity>(`transactions?party=${alice}&limit=1&before=${newest!.cursor}`);
    expect(after.transactions).toEqual([next!]);
    const inBlock = await read<Activity>(`transactions?height=${next!.height}`);
    expect(inBlock.transactions.map(({ hash }) => hash)).toContain(next!.hash);
    expect(inBlock.transactions.every(({ height }) => height === next!.height)).toBe(true);
    const ofKind = await read<Activity>("transactions?type=Transfer%20Funds");
    expect(ofKind.transactions.every(({ type }) => type === "Transfer Funds")).toBe(true);
    const wrong = await fetch(`${devnet.dataUrl}/lyra/v1/transactions?height=x`);
    expect(wrong.status).toBe(400);
  });

  test("a story has the command in full, valid signature and proof, the money that moved, and balances as the API has them", async () => {
    const { checks, movements, balances, command, lines, explanations } = await story(sent[1]!.hash);
    expect(checks).toMatchObject({
      signature: "valid",
      proofOfWork: "valid",
      required: 4,
      algorithm: "vega/ed25519",
    });
    expect(checks.difficulty!).toBeGreaterThanOrEqual(4);
    expect(command).toMatchObject({ transfer: { amount: "250000", reference: "lunch" } });
    expect(lines).toContainEqual({ label: "reference", text: '"lunch"' });
    expect(explanations).toEqual([]);
    expect(movements).toContainEqual({
      from: { party: alice, asset: DOLLAR, market: "", type: "ACCOUNT_TYPE_GENERAL" },
      to: { party: "network", asset: DOLLAR, market: "", type: "ACCOUNT_TYPE_PENDING_TRANSFERS" },
      amount: "250000",
      type: "TRANSFER_TYPE_TRANSFER_FUNDS_SEND",
    });
    const accounts = (await (
      await fetch(`${devnet.dataUrl}/api/v2/accounts?filter.partyIds=${bob}&filter.assetId=${DOLLAR}`)
    ).json()) as { accounts: { edges: { node: { balance: string; type: string } }[] } };
    const general = accounts.accounts.edges.find(({ node }) => node.type === "ACCOUNT_TYPE_GENERAL")!.node;
    expect(balances.find(({ party }) => party === bob)?.balance).toBe(general.balance);
  });

  test("a story of a refusal has what `lyra explain` says, and moved nothing", async () => {
    const { error, sentence, explanations, movements } = await story(sent[0]!.hash);
    expect(error).not.toBe("");
    // This text has no numbers.
    expect(sentence).toBe(error);
    expect(explanations.length).toBeGreaterThan(0);
    for (const { means, fix } of explanations) expect([means, fix]).not.toContain("");
    expect(movements).toEqual([]);
  });

  test("an unknown transaction is 404", async () => {
    expect((await fetch(`${devnet.dataUrl}/lyra/v1/transactions/${"0".repeat(64)}`)).status).toBe(404);
    expect((await fetch(`${devnet.dataUrl}/lyra/v1/transactions/none`)).status).toBe(404);
  });

  test("blocks count their transactions, and pages of them meet", async () => {
    const { blocks } = await read<Blocks>("blocks?limit=20");
    expect(blocks[0]!.height).toBe(devnet.chain.status.height);
    for (const { height, transactions } of blocks.slice(0, 6)) {
      const inside = await read<Activity>(`transactions?height=${height}`);
      expect([height, transactions]).toEqual([height, inside.transactions.length]);
    }
    const later = await read<Blocks>(`blocks?limit=10&before=${blocks[9]!.height}`);
    expect(later.blocks).toEqual(blocks.slice(10));
  });

  test("a block counts what is in it and nothing of later blocks", async () => {
    const { height } = sent[1]!;
    const { blocks } = await read<Blocks>(`blocks?limit=1&before=${height + 1}`);
    expect(blocks).toMatchObject([{ height, transactions: 1 }]);
  });

  test("a command of a devnet's tool is in its block, its party's list and by its hash, marked as unsigned", async () => {
    const transfer = {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      to: alice,
      asset: DOLLAR,
      amount: "100000",
      oneOff: {},
    };
    const { hash, height } = await devnet.chain.impersonate(bob, { transfer });
    const ofParty = await read<Activity>(`transactions?party=${bob}&limit=1`);
    expect(ofParty.transactions).toMatchObject([
      { hash: hash.toUpperCase(), submitter: bob, code: 0, impersonated: true },
    ]);
    const inBlock = await read<Activity>(`transactions?height=${height}`);
    expect(inBlock.transactions).toEqual(ofParty.transactions);
    const { blocks } = await read<Blocks>(`blocks?limit=1&before=${Number(height) + 1}`);
    expect(blocks[0]!.transactions).toBe(1);
    const { checks, impersonated, movements } = await story(hash);
    expect([impersonated, checks.signature, checks.proofOfWork]).toEqual([true, "none", "none"]);
    expect([checks.algorithm, checks.signatureValue]).toEqual(["", ""]);
    expect(movements.map(({ amount }) => amount)).toContain("100000");
    const { matches } = await read<Matches>(`search?query=${hash}`);
    expect(matches).toMatchObject([{ kind: "transaction", id: hash.toUpperCase() }]);
    // The network's explorer has what an indexer of the chain sees.
    expect((await fetch(`${devnet.dataUrl}/rest/transactions/${hash}`)).status).toBe(404);
    expect(sent.every((each) => !each.impersonated)).toBe(true);
  });

  test("a parameter that was changed stands beside its default", async () => {
    const { parameters } = await read<Parameters>("parameters");
    expect(parameters.find(({ key }) => key === "spam.pow.difficulty")).toEqual({
      key: "spam.pow.difficulty",
      value: "4",
      default: "15",
      changed: true,
    });
    const same = parameters.find(({ key }) => key === "spam.protection.max.votes")!;
    expect(same).toEqual({ ...same, changed: same.value !== same.default });
  });

  test("parameters that differ from their defaults, and the others, are pages of their own", async () => {
    const { parameters: all, total } = await read<Parameters>("parameters");
    expect(total).toBe(all.length);
    for (const changed of [true, false]) {
      const some = all.filter((each) => each.changed === changed);
      const pages: Parameters["parameters"][number][] = [];
      for (let after = ""; ; after = pages.at(-1)!.key) {
        const page = await read<Parameters>(`parameters?changed=${changed}&limit=7&after=${after}`);
        expect([page.total, page.parameters.length <= 7]).toEqual([some.length, true]);
        if (page.parameters.length === 0) break;
        pages.push(...page.parameters);
      }
      expect(pages).toEqual(some);
    }
    for (const wrong of ["changed=yes", "limit=x"])
      expect((await fetch(`${devnet.dataUrl}/lyra/v1/parameters?${wrong}`)).status).toBe(400);
  });

  test("segments are pages, newest first, with the stretches of blocks that they hold", async () => {
    const home = mkdtempSync(join(tmpdir(), "lyra-facts-"));
    const db = openWriter(home);
    const rows = [1, 2, 3, 5, 6, 9].map((n) => ({ from: n * 10 + 1, to: n * 10 + 10, id: `${n}` }));
    for (const row of rows)
      recordSegment(db, { ...row, previousId: "", databaseVersion: 1, chainId: "made-up", bytes: 7 });
    const shown = rows.map((row) => ({ ...row, chainId: "made-up", bytes: 7 })).reverse();
    const stretches = [
      { from: 11, to: 40 },
      { from: 51, to: 70 },
      { from: 91, to: 100 },
    ];
    const total = 6;
    const list = (limit?: number, before?: number) => segmentPage({ db }, { limit, before });
    expect(list()).toEqual({ segments: shown, total, stretches });
    expect(list(2)).toEqual({ segments: shown.slice(0, 2), total, stretches });
    expect(list(2, 61).segments).toEqual(shown.slice(2, 4));
    expect(list(1, 11).segments).toEqual([]);
    db.close();
    rmSync(home, { recursive: true, force: true });
    expect(await read<Segments>("segments?limit=1")).toEqual({ segments: [], total: 0, stretches: [] });
    expect((await fetch(`${devnet.dataUrl}/lyra/v1/segments?before=x`)).status).toBe(400);
  });

  test("a search finds heights, hashes, keys, identifiers and parts of names, and nothing else", async () => {
    const kindsOf = async (query: string) =>
      (await read<Matches>(`search?query=${encodeURIComponent(query)}`)).matches.map(
        ({ kind, id }) => `${kind} ${id}`,
      );
    expect(await kindsOf("1")).toContain("block 1");
    // Hexadecimal digits are no height.
    for (const digits of ["0x1", "0x01", "1e0", "0b1"])
      expect(await kindsOf(digits)).not.toContain("block 1");
    expect(await kindsOf(sent[0]!.hash)).toEqual([`transaction ${sent[0]!.hash}`]);
    expect(await kindsOf(alice)).toContain(`party ${alice}`);
    expect(await kindsOf(DOLLAR)).toContain(`asset ${DOLLAR}`);
    expect(await kindsOf("test doll")).toContain(`asset ${DOLLAR}`);
    const { blocks } = await read<Blocks>("blocks?limit=3");
    expect(await kindsOf(blocks[2]!.hash)).toEqual([`block ${blocks[2]!.height}`]);
    // As the page shows them in short, or with the mark of hexadecimal digits.
    expect(await kindsOf(sent[0]!.hash.slice(0, 6))).toContain(`transaction ${sent[0]!.hash}`);
    expect(await kindsOf(`0x${alice.slice(0, 7)}`)).toContain(`party ${alice}`);
    expect(await kindsOf(`${alice.slice(0, 6)}…${alice.slice(-4)}`)).toEqual([`party ${alice}`]);
    expect(await kindsOf(`${alice.slice(0, 6)}…${alice.slice(-4, -1)}`)).toEqual([]);
    expect(await kindsOf(DOLLAR.slice(0, 13))).toContain(`asset ${DOLLAR}`);
    expect(await kindsOf(blocks[2]!.hash.slice(0, 12))).toEqual([`block ${blocks[2]!.height}`]);
    expect(await kindsOf(alice.slice(0, 5))).toEqual([]);
    const far = devnet.chain.status.height + 1_000;
    for (const nothing of ["", "no such thing", "f".repeat(64), String(far), "x".repeat(5_000)])
      expect(await kindsOf(nothing)).toEqual([]);
  });
});

describe("facts of a recording", () => {
  const home = mkdtempSync(join(tmpdir(), "lyra-facts-"));
  let sample: Awaited<ReturnType<typeof openSample>>;
  beforeAll(async () => {
    sample = await openSample(home);
  });
  afterAll(() => {
    sample?.close();
    rmSync(home, { recursive: true, force: true });
  });
  const read = async <T>(path: string): Promise<T> =>
    (await sample.app.handle(new Request(`http://localhost/lyra/v1/${path}`))).json() as Promise<T>;

  test("results without bytes are in words, and their checks are unknown", async () => {
    const { transactions } = await read<Activity>("transactions?limit=5");
    expect(transactions).toHaveLength(5);
    for (const { title } of transactions) expect(title).not.toBe("");
    const { checks } = await read<TransactionStory>(`transactions/${transactions[0]!.hash}`);
    expect([checks.signature, checks.proofOfWork]).toEqual(["unknown", "unknown"]);
  });

  test("blocks count results", async () => {
    const { transactions } = await read<Activity>("transactions?limit=1");
    const { height } = transactions[0]!;
    const { blocks } = await read<Blocks>(`blocks?limit=1&before=${height + 1}`);
    const inside = await read<Activity>(`transactions?height=${height}`);
    expect(blocks).toMatchObject([{ height, transactions: inside.transactions.length }]);
  });

  test("the beginning of a hash is compared with new transactions, and none is looked for in the whole chain", async () => {
    const db = openReader(home);
    const context = new DataContext(db, {
      limits: DEFAULT_LIMITS,
      build: { version: "v0.71.6", commit: "test" },
      home,
    });
    let looks = 0;
    const results = new ResultSource(db);
    const source: TransactionSource = {
      newestFirst: (range) => results.newestFirst(range),
      withHash: (hash) => {
        looks++;
        return results.withHash(hash);
      },
    };
    const { transactions } = await read<Activity>("transactions?limit=200");
    const { hash, title } = transactions.at(-1)!;
    const { matches } = await searchChain(context, source, hash.slice(0, 12), undefined);
    expect(matches).toEqual([{ kind: "transaction", id: hash, title }]);
    // Older than those that are compared first.
    const older: TransactionSource = { ...source, newestFirst: () => [] };
    const late = await searchChain(context, older, hash.slice(0, 12), undefined);
    expect(late.matches).toEqual([{ kind: "transaction", id: hash, title: "a transaction" }]);
    expect(looks).toBe(0);
    db.close();
  });
});
