// A consensus engine that is broken, or lies: whatever it sends, the chain stays at its last block and takes the next engine.
import { afterAll, afterEach, beforeAll, expect, spyOn, test } from "bun:test";
import { frameOf } from "../../src/abci/frames.ts";
import { AbciServer } from "../../src/abci/server.ts";
import type { Init } from "../../src/wire/codec.ts";
import { encodeRequest, type Request } from "../../src/wire/generated/abci.ts";
import { removeHomes, Sender } from "../chain/rig.ts";
import { eventually, turns } from "../support/eventually.ts";
import { dialEngine } from "./engine-connection.ts";
import { AbciRig } from "./rig.ts";

const [alice, bob] = [new Sender(1), new Sender(2)];
const closing: (() => unknown)[] = [];
let log: ReturnType<typeof spyOn>;
beforeAll(() => {
  log = spyOn(process.stderr, "write").mockImplementation(() => true);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => {
  log.mockRestore();
  removeHomes();
});

async function dial(port: number) {
  const line = await dialEngine(port);
  closing.push(() => line.socket.terminate());
  return line;
}

async function served() {
  const rig = new AbciRig();
  await rig.block();
  const server = new AbciServer(rig.app);
  const port = server.listen({ host: "127.0.0.1", port: 0 });
  closing.push(() => rig.stop());
  closing.push(() => server.stop());
  return { rig, server, port };
}

test("given calls in a wrong order, then each is an exception, and the block that was agreed on comes all the same", async () => {
  const { rig, port } = await served();
  const header = (height: number) => rig.headerOf(height);
  const wrong: readonly Init<Request>[][] = [
    [{ commit: {} }],
    [{ finalizeBlock: header(3) }],
    [{ finalizeBlock: header(1) }],
    [{ finalizeBlock: { ...header(2), time: { seconds: 0n, nanos: 0 } } }],
    [{ finalizeBlock: { height: 2n } }],
    [{ finalizeBlock: { ...header(2), hash: Uint8Array.of(1) } }],
    [{ finalizeBlock: header(2) }, { finalizeBlock: header(2) }],
    [{ finalizeBlock: header(2) }, { finalizeBlock: header(3) }],
    [{ finalizeBlock: header(2) }, { commit: {} }, { commit: {} }],
    [{ initChain: { chainId: "another" } }],
    [{ initChain: {} }],
    [{ applySnapshotChunk: { index: 7, chunk: Uint8Array.of(1) } }],
    [{ offerSnapshot: {} }],
    [{ loadSnapshotChunk: { height: 2n ** 63n, format: 9, chunk: 4_000_000_000 } }],
  ];
  const last: string[] = [];
  for (const requests of wrong) {
    const line = await dial(port);
    line.send(...requests);
    await line.count(requests.length);
    const answer = line.answers.at(-1)!;
    last.push(answer.exception?.error ?? Object.entries(answer).find(([, value]) => value !== undefined)![0]);
    line.socket.terminate();
    await turns();
  }
  expect(last).toMatchSnapshot();
  // Block 2 was made by the connection that asked for two commits.
  expect((await rig.info()).height).toBe(2);
  const line = await dial(port);
  line.send({ finalizeBlock: header(3) }, { commit: {} }, { info: {} });
  await line.count(3);
  expect(Number(line.answers[2]!.info!.lastBlockHeight)).toBe(3);
});

test("given a block that comes again with other transactions, then only the last one counts", async () => {
  const [rig, plain] = [new AbciRig(), new AbciRig()];
  closing.push(() => Promise.all([rig.stop(), plain.stop()]));
  for (const each of [rig, plain]) await each.block();
  const [first, second] = [5n, 6n].map((amount) => alice.transfer(rig.chain, bob.party, amount));
  await rig.execute([first!]);
  rig.reconnect();
  await rig.execute([first!, second!]);
  rig.reconnect();
  expect(await rig.block([second!])).toEqual(await plain.block([second!]));
  expect(rig.rows()).toEqual(plain.rows());
});

test("given the genesis twice on one connection, also behind a block that was executed, then the chain begins alike", async () => {
  const [rig, plain] = [new AbciRig(), new AbciRig()];
  closing.push(() => Promise.all([rig.stop(), plain.stop()]));
  const begun = await rig.begin();
  expect(await rig.begin()).toEqual(begun);
  await rig.execute();
  expect(await rig.begin()).toEqual(begun);
  await expect(rig.commit()).rejects.toMatchObject({ code: "abci_order" });
  expect(await rig.begin()).toEqual(begun);
  const { appHash } = await rig.execute();
  await rig.commit();
  expect((await plain.block()).appHash).toBe(appHash);
  expect(rig.rows()).toEqual(plain.rows());
});

test("given two connections for blocks, then one cannot commit what the other executed", async () => {
  const { rig, port } = await served();
  const [one, other] = [await dial(port), await dial(port)];
  one.send({ finalizeBlock: rig.headerOf(2) });
  await one.count(1);
  other.send({ commit: {} });
  await other.count(1);
  expect(other.answers[0]!.exception?.error).toContain("a commit comes where a block should");
  one.send({ commit: {} });
  await one.count(2);
  expect(one.answers[1]!.exception?.error).toContain("a commit comes where a block should");
  other.send({ finalizeBlock: rig.headerOf(2) }, { commit: {} });
  await other.count(3);
  expect((await rig.info()).height).toBe(2);
});

test("given two connections for checks, then a transaction is checked on each as in an empty mempool", async () => {
  const { rig, port } = await served();
  const tid = "ab".repeat(32);
  const [first, second] = [1n, 2n].map((nonce) => alice.transfer(rig.chain, bob.party, 1n, { tid, nonce }));
  const [one, other] = [await dial(port), await dial(port)];
  one.send({ checkTx: { tx: first! } }, { checkTx: { tx: second! } });
  await one.count(2);
  expect(one.answers.map(({ checkTx }) => checkTx!.code)).toEqual([0, 89]);
  other.send({ checkTx: { tx: second! } });
  await other.count(1);
  expect(other.answers[0]!.checkTx!.code).toBe(0);
});

test("given ten thousand checks at once, then all are answered in their order, and blocks go on beside them", async () => {
  const { rig, port } = await served();
  const good = Array.from({ length: 10 }, (_, n) => alice.transfer(rig.chain, bob.party, BigInt(n + 1)));
  const [checks, blocks] = [await dial(port), await dial(port)];
  const count = 10_000;
  checks.send(
    ...Array.from({ length: count }, (_, n) => ({
      checkTx: { tx: n % 1_000 === 7 ? good[Math.floor(n / 1_000)]! : Uint8Array.of(n % 256) },
    })),
    { flush: {} },
  );
  blocks.send({ finalizeBlock: rig.headerOf(2) }, { commit: {} });
  await blocks.count(2);
  await checks.count(count + 1);
  const codes = checks.answers.slice(0, count).map(({ checkTx }) => checkTx!.code);
  expect(codes.flatMap((code, n) => (code === 0 ? [n] : []))).toEqual(
    Array.from({ length: 10 }, (_, n) => n * 1_000 + 7),
  );
  expect(checks.answers[count]!.flush).toBeDefined();
});

test("given thousands of requests behind one that waits, then all are answered when it is, and none is lost", async () => {
  const { rig, port } = await served();
  const [queries, blocks] = [await dial(port), await dial(port)];
  blocks.send({ finalizeBlock: rig.headerOf(2) });
  await blocks.count(1);
  // A query waits for the commit of the block under way.
  const count = 5_000;
  queries.send(
    { query: { path: "fake.balances" } },
    ...Array.from({ length: count }, () => ({ echo: { message: "e" } })),
  );
  await turns();
  expect(queries.answers).toHaveLength(0);
  blocks.send({ commit: {} });
  await queries.count(count + 1);
  expect(queries.answers[0]!.query).toMatchObject({ code: 1, height: 2n });
});

test("given half a message, or one that claims more bytes than any has, then the connection ends with its peer or at once", async () => {
  const { rig, port, server } = await served();
  const half = await dial(port);
  half.raw(frameOf(encodeRequest({ finalizeBlock: rig.headerOf(2) })).subarray(0, 9));
  const claims = await dial(port);
  claims.raw(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f));
  await claims.closed();
  half.socket.terminate();
  await eventually(() => server.connections === 0);
  expect((await rig.info()).height).toBe(1);
});
