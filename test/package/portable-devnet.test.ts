// Fixtures, pools, mineUntil and pending transactions do the same from Node as from Bun.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DevnetPool, startPool } from "../../src/package/devnet.ts";
import { isRunning, ran, Workshop } from "./program.ts";

const workshop = new Workshop();
let pool: DevnetPool;
beforeAll(async () => {
  pool = await startPool({ binary: workshop.lyra, accounts: 3, balance: { tUSD: 500 }, block: "manual" });
});
afterAll(async () => {
  await pool.stop();
  workshop.remove();
});

const STORY = `
  const failure = async (run) => { try { await run(); return "none"; } catch ({ code, message }) { return code + ": " + message; } };
  const pool = connectPool();
  const devnet = await pool.devnet(process.argv[2]);
  const same = (await pool.devnet(process.argv[2])) === devnet;
  const to = devnet.party("bob").publicKey;
  const pay = (amount, options) => devnet.party("alice").send({ kind: "transfer", payload: { fromAccountType: 4, toAccountType: 4, to, asset: devnet.assets.tUSD.id, amount, oneOff: {} } }, options);
  const height = async () => Number((await devnet.tools.status()).height);
  const start = await height();

  const paid = fixture(devnet, async () => {
    const { outcome } = await pay("10000", { wait: "check" });
    const waiting = await devnet.pending();
    const { height } = await devnet.mineUntil(start + 2);
    return { hash: outcome.hash, waiting, height: Number(height) - start };
  });
  const { hash, waiting, height: mined } = await paid();
  const before = await height();
  await devnet.tools.mine(3);
  const again = await paid();

  const { epoch } = await devnet.tools.status();
  const inNext = await devnet.mineUntil((status) => status.epoch.seq !== epoch.seq, { blocksMax: 62 });
  await paid();
  const { time } = await devnet.mineUntil(new Date("2100-01-01T00:00:00Z"));
  const earlier = await devnet.mineUntil("2000-01-01T00:00:00Z");
  const epochs = await devnet.mineUntil(({ height }) => Number(height) >= start + 5);
  console.log(JSON.stringify({
    parties: devnet.parties.map(({ name }) => name),
    same, mined,
    waiting: waiting.map(({ txHash, party, kind, command, bytes }) => [txHash === hash, party === devnet.party("alice").publicKey, kind, command.transfer.amount, bytes > 100]),
    none: await devnet.pending(),
    isBack: again.hash === hash && before === start + 2,
    epochs: inNext.epoch.seq - epoch.seq,
    time, isKept: earlier.time === time, condition: Number(epochs.height) - start,
    refusals: [
      await failure(() => devnet.mineUntil("soon")),
      await failure(() => devnet.mineUntil(() => false, { blocksMax: 2 })),
      await failure(() => pool.devnet("no/id")),
      await failure(() => connectPool("http://127.0.0.1:1/x").devnet(1)),
      await failure(() => startPool({ home: "x" })),
    ],
  }));
`;

const FACTS = {
  parties: ["alice", "bob", "carol"],
  same: true,
  mined: 2,
  waiting: [[true, true, "transfer", "10000", true]],
  none: [],
  isBack: true,
  epochs: 1,
  time: "2100-01-01T00:00:00Z",
  isKept: true,
  condition: 5,
  refusals: [
    "usage: 'soon' is not a time in RFC 3339",
    "blocks_exhausted: the condition does not hold after 2 more blocks",
    "usage: an id must be 1 to 60 letters, digits, points, underscores and hyphens",
    "devnet_unreachable: http://127.0.0.1:1 does not answer",
    "usage: a pool has no option 'home'",
  ],
};

test("a worker of Node and one of Bun, each with its devnet of the pool", async () => {
  const library = await workshop.compiled("devnet");
  const script = join(workshop.folder, "worker.mjs");
  const names = "connectPool, fixture, startPool";
  writeFileSync(script, `import { ${names} } from ${JSON.stringify(library)};\n${STORY}`);
  const env = { LYRA_POOL_URL: pool.url };
  const [node, bun] = await Promise.all([
    ran(["node", script, "node"], { env }),
    ran([process.execPath, script, "bun"], { env }),
  ]);
  expect([node.err, bun.err]).toEqual(["", ""]);
  expect(JSON.parse(node.out)).toEqual(FACTS);
  expect(JSON.parse(bun.out)).toEqual(FACTS);
});

test("a devnet of the pool begins as it started for each file, goes on without its borrower, and ends when told", async () => {
  const first = await pool.devnet("own");
  const { height } = await first.tools.status();
  await first.tools.mine(2);
  const { connectPool } = await import("../../src/package/devnet.ts");
  const other = connectPool(pool.url);
  const second = await other.devnet("own");
  expect([second.pid, (await second.tools.status()).height]).toEqual([first.pid, height]);
  await second.stop();
  expect(isRunning(first.pid)).toBe(false);
  expect(await second.ended).toMatchObject({ code: "devnet_ended" });
  const third = await other.devnet("own");
  expect(third.pid).not.toBe(first.pid);
});

test("a pool has no more devnets than it may, and stops with all of them", async () => {
  const small = await startPool({ binary: workshop.lyra, devnetsMax: 1, fund: false });
  const only = await small.devnet();
  expect(process.env.LYRA_POOL_URL).toBe(small.url);
  await expect(small.devnet("more")).rejects.toMatchObject({ code: "usage" });
  await small.stop();
  expect([isRunning(only.pid), process.env.LYRA_POOL_URL]).toEqual([false, undefined]);
  await expect(small.devnet("more")).rejects.toMatchObject({ code: "devnet_unreachable" });
});
