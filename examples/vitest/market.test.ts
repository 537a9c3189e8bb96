// A devnet in tests of vitest: npm i ./lyra-*.tgz ./lyra-linux-x64-*.tgz && npm test
import { connect, type Lyra } from "lyra/client";
import { type Devnet, fixture, startDevnet } from "lyra/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";

let devnet: Devnet;
let lyra: Lyra;

beforeAll(async () => {
  devnet = await startDevnet();
  lyra = connect(devnet);
});
afterAll(() => devnet.stop());

/** A party of the tests' own, with some money. */
const payer = fixture(
  () => devnet,
  async () => {
    const party = await devnet.partyOf("07".repeat(32));
    await devnet.tools.fund(party.publicKey, "tUSD", 500_000);
    return party;
  },
);
const market = payer.extend(async (_, party) => {
  const { market: marketId } = await devnet.tools.market.create({ preset: "simple" });
  return { marketId, party };
});

test("a party of the tests' own pays carol", async () => {
  await lyra.send(await payer(), {
    transfer: {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      to: devnet.party("carol").publicKey,
      asset: devnet.assets.tUSD!.id,
      amount: "250000",
      reference: "rent",
      oneOff: {},
    },
  });
  const { transfers } = await lyra.transfers.list();
  expect(transfers.edges.map(({ node }) => node.status)).toEqual(["STATUS_DONE"]);
});

test("each test begins with the same chain", async () => {
  await payer();
  const { transfers } = await lyra.transfers.list();
  expect(transfers.edges).toEqual([]);
});

test("an order rests on the book of a market that one call has made", async () => {
  const { marketId } = await market();
  const { id } = await lyra.send(devnet.party("dave"), {
    orderSubmission: {
      marketId,
      price: "90",
      size: "3",
      side: "SIDE_BUY",
      timeInForce: "TIME_IN_FORCE_GTC",
      type: "TYPE_LIMIT",
    },
  });
  const { order } = await lyra.orders.get({ orderId: id });
  expect(order).toMatchObject({ price: "90", remaining: "3", status: "STATUS_ACTIVE" });
});
