// The program of the package's README: readme.test.ts compares and runs it.
// biome-ignore-all assist/source/organizeImports: in the order of the document
import { connect } from "lyra/client";
import { type Devnet, fixture, startDevnet } from "lyra/devnet";
import { afterAll, beforeAll, expect, test } from "bun:test"; // node:test and bun:test have the same

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet(); // free ports, a temporary home
});
afterAll(() => devnet.stop());

const market = fixture(
  () => devnet,
  async ({ tools }) => (await tools.market.create({ preset: "simple", price: 1000 })).market,
);

test("an order rests on the book", async () => {
  const marketId = await market();
  const alice = devnet.party("alice"); // one of ten funded parties
  const order = {
    marketId,
    side: "SIDE_BUY",
    size: "3",
    price: "900",
    type: "TYPE_LIMIT",
    timeInForce: "TIME_IN_FORCE_GTC",
  } as const;
  const { id } = await alice.send({ orderSubmission: order }); // signed, proven, and in a block when it settles
  const { order: resting } = await connect(devnet).orders.get({ orderId: id });
  expect(resting.status).toBe("STATUS_ACTIVE");
});
