// A chain whose blocks a consensus engine makes: handshakes, blocks, checks of its mempool, proposals, submissions.
import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { cpSync } from "node:fs";
import fc from "fast-check";
import { sha256HexOf } from "../../src/crypto/sha.ts";
import { ChainCallError } from "../../src/engine/chain-port.ts";
import { readGenesis } from "../../src/engine/genesis.ts";
import { CheckTxType } from "../../src/wire/generated/abci.ts";
import { newHome, Rig, removeHomes, Sender, testGenesis } from "../chain/rig.ts";
import { turns } from "../support/eventually.ts";
import { runs, SEED } from "../support/seed.ts";
import { AbciRig, BLOCK_NS } from "./rig.ts";

afterAll(removeHomes);

const [alice, bob, carol] = [new Sender(1), new Sender(2), new Sender(3)];
const vote = (proposal: string) =>
  ({ kind: "voteSubmission", payload: { proposalId: proposal.repeat(64), value: 1 } }) as const;
const hidden = () => spyOn(process.stderr, "write").mockImplementation(() => true);

describe("a handshake", () => {
  test("finds a new chain at height 0, and its genesis can come twice", async () => {
    const rig = new AbciRig();
    expect(await rig.info()).toEqual({ height: 0, appHash: "" });
    const first = await rig.begin();
    expect(first.appHash).toHaveLength(32);
    expect(first.consensusParams).toMatchObject({
      block: { maxBytes: 22_020_096n, maxGas: -1n },
      version: { app: 1n },
    });
    rig.reconnect();
    expect(await rig.info()).toEqual({ height: 0, appHash: "" });
    expect(await rig.begin()).toEqual(first);
    const { appHash } = await rig.execute();
    // The engine ends before the commit, and starts again.
    rig.reconnect();
    expect(await rig.begin()).toEqual(first);
    expect((await rig.execute()).appHash).toBe(appHash);
    await rig.commit();
    expect(await rig.info()).toEqual({ height: 1, appHash });
    await rig.stop();
  });

  test("executes a block again that was not committed, and no other one", async () => {
    const rig = new AbciRig();
    await rig.block();
    const tx = alice.transfer(rig.chain, bob.party, 5n);
    const rows = rig.rows();
    const { appHash } = await rig.execute([tx]);
    expect(rig.chain.status.height).toBe(1);
    expect((await rig.info()).height).toBe(1);
    await expect(rig.execute([tx])).rejects.toMatchObject({ code: "abci_order" });
    await expect(rig.execute([tx], {}, 3)).rejects.toMatchObject({ code: "abci_order" });
    rig.reconnect();
    expect(rig.rows()).toEqual(rows);
    await expect(rig.commit()).rejects.toMatchObject({ code: "abci_order" });
    expect(await rig.execute([tx])).toMatchObject({ appHash, codes: [0] });
    await rig.commit();
    expect(await rig.info()).toEqual({ height: 2, appHash });
    await rig.stop();
  });

  test("after a kill is at the last committed block, whose time, hash and proposer count when it is replayed", async () => {
    const rig = new AbciRig();
    await rig.block();
    const tx = alice.transfer(rig.chain, bob.party, 5n);
    const second = await rig.block([tx], { timeNs: rig.genesis.timeNs + 1_000_000_123n });
    const third = await rig.block([], { timeNs: rig.genesis.timeNs + 1_002_000_456n });
    const fourth = alice.transfer(rig.chain, bob.party, 6n);
    const { appHash } = await rig.execute([fourth]);
    rig.abandon();
    const again = new AbciRig({ home: rig.home });
    expect(await again.info()).toEqual({ height: 3, appHash: third.appHash });
    expect(second.appHash).not.toBe(third.appHash);
    expect(again.chain.status.timeNs).toBe(rig.genesis.timeNs + 1_002_000_456n);
    expect((await again.execute([fourth])).appHash).toBe(appHash);
    await again.commit();
    await again.stop();
  });

  test("with a home of seven blocks ago, or an empty one, comes to the same hashes and rows", async () => {
    const genesis = readGenesis(
      JSON.stringify({
        ...JSON.parse(testGenesis().document),
        app_state: { ...JSON.parse(testGenesis().document).app_state, note: "a < b & c\u2028" },
      }),
    );
    const rig = new AbciRig({ genesis });
    const blocks: (readonly Uint8Array[])[] = [];
    const hashes: string[] = [];
    let before = "";
    for (let height = 1; height <= 12; height++) {
      const txs = height % 3 === 0 ? [alice.transfer(rig.chain, bob.party, BigInt(height))] : [];
      blocks.push(txs);
      hashes.push((await rig.block(txs)).appHash);
      if (height !== 5) continue;
      before = newHome();
      cpSync(rig.home, before, { recursive: true });
    }
    const rows = rig.rows();
    const escaped = JSON.stringify(JSON.parse(genesis.document).app_state, null, 2)
      .replaceAll("<", "\\u003c")
      .replaceAll("&", "\\u0026");
    for (const home of [before, newHome()]) {
      const other = new AbciRig({ home, genesis });
      const { height: start } = await other.info();
      if (start === 0) await other.begin(escaped);
      for (let height = start + 1; height <= 12; height++) {
        expect((await other.execute(blocks[height - 1])).appHash).toBe(hashes[height - 1]!);
        await other.commit();
      }
      expect(other.rows()).toEqual(rows);
      await other.stop();
    }
    await rig.stop();
  });

  test("refuses an engine that begins another chain, or begins a chain that is here already", async () => {
    const rig = new AbciRig();
    await expect(rig.begin('{"network":{},"network_parameters":{}}')).rejects.toMatchObject({
      code: "genesis_differs",
    });
    await expect(rig.begin("no JSON")).rejects.toMatchObject({ code: "genesis_differs" });
    await expect(rig.execute()).rejects.toMatchObject({ code: "abci_order" });
    await rig.block();
    await expect(rig.begin()).rejects.toMatchObject({ code: "chain_ahead" });
    expect((await rig.info()).height).toBe(1);
    await rig.stop();
  });

  test("finds in a home that sidecars and devnets filled no chain of its own", async () => {
    const local = new Rig();
    await local.chain.mine(3);
    await local.stop();
    const rig = new AbciRig({ home: local.home });
    expect((await rig.info()).height).toBe(4);
    await rig.stop();
  });
});

describe("a block", () => {
  test("holds anything that consensus decided: what is no transaction is refused, and replayed so", async () => {
    const rig = new AbciRig();
    await rig.block();
    const tx = alice.transfer(rig.chain, bob.party, 5n);
    const broke = alice.transfer(rig.chain, bob.party, 10n ** 9n);
    const forged = Uint8Array.from(tx).fill(0, tx.length - 4);
    const { codes, results, appHash } = await rig.block([
      tx,
      Uint8Array.of(1, 2),
      tx,
      broke,
      forged,
      new Uint8Array(0),
    ]);
    expect(codes).toEqual([0, 60, 89, 70, 60, 60]);
    expect(results.every(({ data }) => data.length === 0)).toBe(true);
    expect(results[3]!.log).toBe("not enough funds to transfer");
    expect(rig.engine!.balanceOf(bob.party)).toBe(1_000_005n);
    rig.abandon();
    const again = new AbciRig({ home: rig.home });
    expect(await again.info()).toEqual({ height: 2, appHash });
    await again.stop();
  });

  test("is that of the local sequencer, where it has the same times and hashes", async () => {
    const local = new Rig({ mode: { kind: "manual" } });
    const rig = new AbciRig({ genesis: testGenesis() });
    const at = () => {
      const { timeNs, hash } = local.chain.status;
      return { timeNs, hash };
    };
    expect((await rig.block([], at())).appHash).toBe(local.chain.status.appHash);
    for (let n = 1; n <= runs(40) + 5; n++) {
      const txs = [alice, bob, carol]
        .slice(0, n % 4)
        .map((from) => from.transfer(local.chain, bob.party, BigInt(n)));
      for (const tx of txs) await local.chain.submit(tx, "check");
      local.time.nowNs += BLOCK_NS;
      await local.chain.mine(1);
      expect((await rig.block(txs, at())).appHash).toBe(local.chain.status.appHash);
    }
    expect(rig.rows()).toEqual(local.digest());
    await Promise.all([rig.stop(), local.stop()]);
  });
});

describe("a check of the engine's mempool", () => {
  test("holds a proof of work until the commit, and again after each recheck", async () => {
    const rig = new AbciRig();
    await rig.block();
    const tid = "ab".repeat(32);
    const [first, second] = [1n, 2n].map((nonce) => alice.transfer(rig.chain, bob.party, 1n, { tid, nonce }));
    expect((await rig.checkTx(first!)).code).toBe(0);
    expect(rig.chain.status.mempool.count).toBe(1);
    expect(await rig.checkTx(second!)).toMatchObject({ code: 89 });
    // Between a block and its commit the engine goes on asking.
    await rig.execute();
    expect((await rig.checkTx(second!)).code).toBe(89);
    const third = bob.transfer(rig.chain, alice.party, 1n);
    expect((await rig.checkTx(third)).code).toBe(0);
    await rig.commit();
    for (const waiting of [first!, third]) expect((await rig.checkTx(waiting)).code).toBe(0);
    expect((await rig.checkTx(second!)).code).toBe(89);
    // An engine that was started again has an empty mempool.
    rig.reconnect();
    expect(rig.chain.status.mempool.count).toBe(0);
    expect((await rig.checkTx(second!)).code).toBe(0);
    await rig.block([second!]);
    expect(await rig.checkTx(first!)).toMatchObject({ code: 89 });
    await rig.stop();
  });

  test("has room for so many; half full, for a tenth of them of a party; for validators' work always", async () => {
    const rig = new AbciRig({ limits: { mempoolTxsMax: 20 } });
    await rig.block();
    const send = (n: number) => rig.checkTx(new Sender(n).transfer(rig.chain, bob.party, 1n));
    for (let n = 0; n < 10; n++) expect((await send(1)).code).toBe(0);
    expect((await send(1)).log).toStartWith(
      "mempool is full for this party: 10 of its transactions wait (max: 2",
    );
    for (const party of [2, 3, 4, 5, 6]) {
      expect([(await send(party)).code, (await send(party)).code]).toEqual([0, 0]);
      expect((await send(party)).log).toStartWith("mempool is full");
    }
    const more = carol.transfer(rig.chain, bob.party, 1n);
    expect((await rig.checkTx(more)).log).toBe(
      `mempool is full: number of txs 20 (max: 20), total txs bytes ${rig.chain.status.mempool.bytes} (max: 1073741824)`,
    );
    await expect(rig.chain.submit(more, "check")).rejects.toMatchObject({ code: "mempool_full" });
    // The small engine does not know the command, and is asked.
    const work = { kind: "nodeVote", payload: { reference: "r", type: 1 } } as const;
    expect((await rig.checkTx(alice.send(rig.chain, work))).code).toBe(80);
    const waiting = (await rig.chain.pending(30)).map(({ bytes }) => bytes);
    expect(waiting).toHaveLength(20);
    await rig.block(waiting.slice(5));
    // Those that wait are checked again, however full it is.
    for (const bytes of waiting.slice(0, 5)) expect((await rig.checkTx(bytes)).code).toBe(0);
    expect((await rig.checkTx(more)).code).toBe(0);
    await rig.stop();
  });

  test("lets what waits for long wait on, and says so, while the engine checks it again", async () => {
    const genesis = testGenesis({ "spam.pow.numberOfPastBlocks": "500" });
    const rig = new AbciRig({ genesis, limits: { mempoolTxsMax: 2 } });
    await rig.block();
    const recheck = async (tx: Uint8Array) =>
      (await rig.call({ checkTx: { tx, type: CheckTxType.RECHECK } }, rig.mempool)).checkTx!;
    const old = alice.transfer(rig.chain, bob.party, 1_000_000n);
    const hash = sha256HexOf(old).toUpperCase();
    expect((await rig.checkTx(old)).code).toBe(0);
    for (let n = 0; n < 102; n++) {
      await rig.block();
      expect(await rig.chain.outcomesOf([hash], 0)).toEqual(["waiting"]);
      expect((await recheck(old)).code).toBe(0);
    }
    expect((await rig.checkTx(bob.transfer(rig.chain, alice.party, 1n))).code).toBe(0);
    expect((await rig.checkTx(carol.transfer(rig.chain, alice.party, 1n))).code).toBe(90);
    // Without a check for a hundred blocks the transaction is not expected any more.
    for (let n = 0; n < 102; n++) await rig.block();
    expect(await rig.chain.outcomesOf([hash], 0)).toEqual(["unknown"]);
    for (const from of [bob, carol])
      expect((await rig.checkTx(from.transfer(rig.chain, alice.party, 1n))).code).toBe(0);
    // A later check is not refused for want of room: the engine would drop what was taken.
    expect((await recheck(old)).code).toBe(0);
    await rig.block();
    await rig.block([alice.transfer(rig.chain, bob.party, 1n)]);
    for (let n = 0; n < 102; n++) await rig.block();
    expect((await recheck(old)).code).toBe(70);
    expect(await rig.chain.outcomesOf([hash], 0)).toMatchObject([{ code: 70 }]);
    await rig.stop();
  });

  test("answers bytes of every kind", async () => {
    const rig = new AbciRig();
    await rig.block();
    for (const bytes of [new Uint8Array(0), Uint8Array.of(255), new Uint8Array(2_000_000)])
      expect((await rig.checkTx(bytes)).code).toBe(60);
    await rig.stop();
  });
});

describe("a submission", () => {
  test("goes to the engine, and answers with the check, or with the block", async () => {
    const rig = new AbciRig();
    await rig.block();
    const [now, later] = [alice.transfer(rig.chain, bob.party, 1n), bob.transfer(rig.chain, alice.party, 1n)];
    expect(await rig.chain.submit(now, "check")).toMatchObject({ code: 0, height: 0 });
    const committed = rig.chain.submit(later, "commit");
    const refused = await rig.chain.submit(alice.transfer(rig.chain, bob.party, 10n ** 9n), "commit");
    expect(refused).toMatchObject({ code: 70, details: { rule: "command_failed" } });
    expect(await rig.chain.submit(Uint8Array.of(1), "commit")).toMatchObject({ code: 60 });
    await turns();
    const hashes = rig.pool.map((bytes) =>
      new Bun.CryptoHasher("sha256").update(bytes).digest("hex").toUpperCase(),
    );
    expect(await rig.chain.outcomesOf(hashes, 0)).toEqual(["waiting", "waiting"]);
    await rig.block(rig.pool);
    expect(await committed).toMatchObject({ code: 0, height: 2 });
    expect(await rig.chain.outcomesOf(hashes, 0)).toMatchObject([{ height: 2 }, { height: 2 }]);
    expect(await rig.chain.refusalOf(refused.hash)).toMatchObject({ outcome: { code: 70 } });
    await rig.stop();
  });

  test("waits in vain for a transaction that a recheck refuses, and is told so", async () => {
    const rig = new AbciRig();
    await rig.block();
    const all = alice.transfer(rig.chain, bob.party, 1_000_000n);
    const rest = alice.transfer(rig.chain, bob.party, 1n);
    const waiting = rig.chain.submit(rest, "commit");
    await turns();
    await rig.block([all]);
    expect((await rig.checkTx(rest)).code).toBe(70);
    expect(await waiting).toMatchObject({ code: 70, height: 0 });
    await rig.stop();
  });

  test("is refused while the chain has no block, is halted, or is barred; reads go on", async () => {
    const log = hidden();
    const rig = new AbciRig();
    const tx = alice.transfer(rig.chain, bob.party, 1n);
    await expect(rig.chain.submit(tx, "check")).rejects.toThrow(ChainCallError);
    await rig.block();
    rig.chain.bar("this validator differs from the others at block 1");
    await expect(rig.chain.submit(tx, "check")).rejects.toThrow("differs");
    expect(rig.chain.status.halted).toContain("differs");
    rig.chain.bar(undefined);
    expect((await rig.chain.check(alice.transfer(rig.chain, bob.party, 1n))).code).toBe(0);
    await rig.stop();
    log.mockRestore();
  });
});

describe("a proposal", () => {
  const sent = (rig: AbciRig, n: number) => alice.transfer(rig.chain, bob.party, BigInt(n));

  test("has its transactions by priority, then as they came, and is accepted by another validator", async () => {
    const rig = new AbciRig();
    await rig.block();
    const [a, b, c] = [1, 2, 3].map((n) => sent(rig, n));
    const v = bob.send(rig.chain, vote("a"));
    const chosen = await rig.prepare([a!, Uint8Array.of(9), b!, v, a!, c!]);
    expect(chosen.map((each) => Buffer.from(each))).toEqual([v, a!, b!, c!].map((each) => Buffer.from(each)));
    expect(await rig.accepts(chosen)).toBe(true);
    await rig.stop();
  });

  test("is refused for each thing that no honest validator does", async () => {
    const log = hidden();
    const genesis = testGenesis({ "network.transactions.maxgasperblock": "3" });
    const rig = new AbciRig({ genesis });
    await rig.block();
    const tid = "cd".repeat(32);
    const good = sent(rig, 1);
    const v = bob.send(rig.chain, vote("a"));
    const [one, two] = [1n, 2n].map((nonce) => carol.transfer(rig.chain, bob.party, 1n, { tid, nonce }));
    const unproven = { status: { ...rig.chain.status, hash: "ab".repeat(32) } };
    let bad = alice.transfer(unproven, bob.party, 1n);
    while ((await rig.checkTx(bad)).code === 0) bad = alice.transfer(unproven, bob.party, 1n);
    const lies: readonly [string, readonly Uint8Array[]][] = [
      ["bytes that are not a transaction", [Uint8Array.of(1)]],
      ["a forged signature", [Uint8Array.from(good).fill(0, good.length - 4)]],
      ["a bad proof", [bad]],
      ["a command that is refused", [alice.transfer(rig.chain, bob.party, 10n ** 9n)]],
      ["the same twice", [good, good]],
      ["one proof twice", [one!, two!]],
      ["a lower priority in front", [good, v]],
      ["more gas than a block has", [1, 2, 3, 4].map((n) => sent(rig, n))],
    ];
    expect(await rig.accepts([v, good, one!])).toBe(true);
    for (const [what, txs] of lies) expect([what, await rig.accepts(txs)]).toEqual([what, false]);
    await rig.block([good]);
    expect(await rig.accepts([good])).toBe(false);
    await rig.stop();
    log.mockRestore();
  });

  test("of an honest validator is never refused, whatever waited in its mempool", async () => {
    const log = hidden();
    const genesis = testGenesis({
      "network.transactions.maxgasperblock": "9",
      "spam.pow.numberOfTxPerBlock": "2",
      "spam.protection.maxUserTransfersPerEpoch": "3",
    });
    const [honest, judge] = [new AbciRig({ genesis }), new AbciRig({ genesis })];
    for (const rig of [honest, judge]) await rig.block();
    const old: Uint8Array[] = [];
    const command = fc.record({
      from: fc.constantFrom(alice, bob, carol),
      kind: fc.constantFrom(
        "transfer",
        "transfer",
        "transfer",
        "vote",
        "rich",
        "noise",
        "old",
        "twice",
        "same proof",
      ),
      amount: fc.bigInt(1n, 900_000n),
    });
    const round = fc.asyncProperty(
      fc.array(command, { maxLength: 24 }),
      fc.bigInt(200n, 4_000n),
      async (commands, bytesMax) => {
        const txs: Uint8Array[] = [];
        for (const { from, kind, amount } of commands) {
          if (kind === "noise") txs.push(Uint8Array.of(Number(amount % 256n)));
          else if (kind === "vote") txs.push(from.send(honest.chain, vote("b")));
          else if (kind === "rich") txs.push(from.transfer(honest.chain, bob.party, 10n ** 12n));
          else if (kind === "old") txs.push(...old.slice(-1));
          else if (kind === "twice") txs.push(...txs.slice(-1));
          else if (kind === "same proof")
            txs.push(from.transfer(honest.chain, bob.party, amount, { tid: "ef".repeat(32) }));
          else txs.push(from.transfer(honest.chain, bob.party, amount));
        }
        const proposal = await honest.prepare(txs, bytesMax);
        expect(await judge.accepts(proposal)).toBe(true);
        // As protobuf counts a list: each with a tag and its length.
        const listed = proposal.reduce((sum, { length }) => sum + length + (length > 127 ? 3 : 2), 0);
        expect(listed).toBeLessThanOrEqual(Number(bytesMax));
        const [one, other] = [await honest.block(proposal), await judge.block(proposal)];
        expect(one).toEqual(other);
        old.push(...proposal);
      },
    );
    await fc.assert(round, { numRuns: runs(100), seed: SEED });
    expect(old.length).toBeGreaterThan(0);
    await Promise.all([honest.stop(), judge.stop()]);
    log.mockRestore();
  });
});

test("a chain that stops for an upgrade leaves proposals unanswered, executes nothing, and says so", async () => {
  const log = hidden();
  const rig = new AbciRig({ genesis: testGenesis({ halt: "an upgrade is due", "halt.height": "2" }) });
  await rig.block();
  expect(rig.chain.status.halted).toBeUndefined();
  await rig.block();
  expect(rig.chain.status.halted).toBe("an upgrade is due");
  await expect(rig.chain.submit(new Uint8Array(9), "check")).rejects.toMatchObject({
    code: "halted",
    message: "an upgrade is due; nothing was sent",
  });
  let isAnswered = false;
  for (const call of [rig.prepare([]), rig.accepts([])]) void call.then(() => (isAnswered = true));
  await turns();
  expect(isAnswered).toBe(false);
  await expect(rig.execute()).rejects.toMatchObject({ code: "upgrade_due" });
  expect((await rig.info()).height).toBe(2);
  expect(
    (await rig.call({ query: { path: "fake.parameters", data: Buffer.from("halt") } }, {})).query,
  ).toMatchObject({
    code: 0,
    height: 2n,
  });
  await rig.stop();
  log.mockRestore();
});

test("a query is answered by entries of the state as of the last commit", async () => {
  const rig = new AbciRig();
  await rig.block();
  const ask = (key: string) => rig.call({ query: { path: "/fake.balances", data: Buffer.from(key) } }, {});
  expect((await ask(bob.party)).query!.code).toBe(1);
  await rig.execute([alice.transfer(rig.chain, bob.party, 7n)]);
  const during = ask(bob.party);
  await rig.commit();
  expect((await during).query).toMatchObject({ code: 0, height: 2n });
  expect(Buffer.from((await during).query!.value).toString()).toContain("1000007");
  await rig.stop();
});

test("a listener hears of the end of a block's transaction, whether it is committed or undone", async () => {
  const open: boolean[] = [];
  const rig = new AbciRig({ onSettled: () => open.push(rig.db.inTransaction) });
  await rig.block();
  await rig.execute();
  expect(rig.db.inTransaction).toBe(true);
  const before = open.length;
  rig.chain.dropExecuted();
  expect(open.slice(before)).toEqual([false]);
  await rig.execute();
  await rig.commit();
  expect(open.slice(before)).not.toContain(true);
  expect(open.length).toBeGreaterThan(before + 1);
  await rig.stop();
});
