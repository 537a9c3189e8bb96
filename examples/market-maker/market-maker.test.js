// Tests of the market maker on a devnet: npm i ./lyra-*.tgz ./lyra-linux-x64-*.tgz && npm test
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { connect } from "lyra/client";
import { fixture, startDevnet } from "lyra/devnet";
import { MarketMaker } from "./market-maker.js";

const home = mkdtempSync(join(tmpdir(), "market-maker-"));
let devnet;
let control;
let running;
const problems = [];

before(async () => {
  devnet = await startDevnet({ home });
});
afterEach(async () => {
  control?.abort();
  await running;
  control = undefined;
  assert.deepEqual(problems.splice(0), []);
});
after(async () => {
  await devnet.stop();
  rmSync(home, { recursive: true });
});

/** A market that trades at 1,000, with nobody near that price. */
const market = fixture(
  () => devnet,
  async ({ tools }) => (await tools.market.create({ preset: "simple", price: 1000 })).market,
);

/** Waits for what the bot does: each look is behind a block of its own. */
async function eventually(isSo) {
  for (let look = 0; look < 500; look++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`does not become true: ${isSo}`);
}

async function start(marketId, options = {}) {
  const { publicKey } = devnet.party("alice");
  const lyra = connect(devnet);
  const fills = [];
  const bot = new MarketMaker({
    lyra,
    // One that follows the test's devnet through its restart.
    party: { publicKey, send: (...command) => devnet.party("alice").send(...command) },
    marketId,
    spread: 2n,
    size: 3n,
    positionMax: 5n,
    reference: () => 1000n,
    onFill: (trade) => fills.push(trade),
    onProblem: (problem) => problems.push(problem.message),
    ...options,
  });
  control = new AbortController();
  running = bot.run(control.signal);
  /** The bot's orders, as the chain has them. */
  const book = async () => {
    const filter = { partyIds: [publicKey], marketIds: [marketId], liveOnly: true };
    const { orders } = await lyra.orders.list({ filter });
    return orders.edges.map(({ node: { side, remaining, price } }) => `${side} ${remaining}@${price}`).sort();
  };
  const quotes = (...expected) => eventually(async () => `${await book()}` === `${expected}`);
  return { bot, fills, quotes };
}

const take = (marketId, side, size, price) =>
  devnet.party("bob").send({
    orderSubmission: { marketId, side, size, price, type: "TYPE_LIMIT", timeInForce: "TIME_IN_FORCE_IOC" },
  });

test("quotes both sides around the reference price, and follows it", async () => {
  const marketId = await market();
  let reference = 1000n;
  const { bot, quotes } = await start(marketId, { reference: () => reference });
  await quotes("SIDE_BUY 3@998", "SIDE_SELL 3@1002");
  reference = 1001n;
  await bot.quote();
  await quotes("SIDE_BUY 3@999", "SIDE_SELL 3@1003");
});

test("quotes again after a fill, and no more than its position may become", async () => {
  const marketId = await market();
  const { bot, fills, quotes } = await start(marketId);
  await quotes("SIDE_BUY 3@998", "SIDE_SELL 3@1002");
  await take(marketId, "SIDE_SELL", "2", "998");
  await quotes("SIDE_BUY 3@998", "SIDE_SELL 3@1002");
  await take(marketId, "SIDE_SELL", "3", "998");
  await quotes("SIDE_SELL 3@1002");
  assert.equal(bot.position, 5n);
  await take(marketId, "SIDE_BUY", "1", "1002");
  await quotes("SIDE_BUY 1@998", "SIDE_SELL 3@1002");
  assert.deepEqual(
    fills.map(({ size, price }) => `${size}@${price}`),
    ["2@998", "3@998", "1@1002"],
  );
});

test("goes on when the devnet starts again", async () => {
  const marketId = await market();
  let reference = 1000n;
  const { bot, fills, quotes } = await start(marketId, { reference: () => reference });
  await quotes("SIDE_BUY 3@998", "SIDE_SELL 3@1002");
  const [dataPort, nodePort] = [devnet.dataUrl, devnet.nodeUrl].map((url) => Number(new URL(url).port));
  await devnet.stop();
  reference = 1001n;
  await bot.quote();
  devnet = await startDevnet({ home, dataPort, nodePort });
  await take(marketId, "SIDE_BUY", "1", "1002");
  await quotes("SIDE_BUY 3@999", "SIDE_SELL 3@1003");
  assert.deepEqual([bot.position, fills.length], [-1n, 1]);
});

test("takes its orders off the book in the end", async () => {
  const marketId = await market();
  const { quotes } = await start(marketId);
  await quotes("SIDE_BUY 3@998", "SIDE_SELL 3@1002");
  control.abort();
  await running;
  await quotes();
});
