// A devnet in tests of vitest: npm i ./lyra-*.tgz ./lyra-linux-x64-*.tgz && npm test
import { AccountType, type Devnet, OrderTimeInForce, OrderType, Side, startDevnet } from "lyra/devnet";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

interface Transfers {
  readonly transfers: { readonly edges: readonly { readonly node: { readonly status: string } }[] };
}

let devnet: Devnet;
let clean: string;

beforeAll(async () => {
  devnet = await startDevnet();
  clean = await devnet.snapshot();
});
afterEach(() => devnet.revert(clean));
afterAll(() => devnet.stop());

test("a funded party of its own pays carol", async () => {
  const payer = await devnet.partyOf("07".repeat(32));
  await devnet.tools.fund(payer.publicKey, "tUSD", 500_000);
  await payer.send({
    kind: "transfer",
    payload: {
      fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      toAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      to: devnet.party("carol").publicKey,
      asset: devnet.assets.tUSD!.id,
      amount: "250000",
      reference: "rent",
      oneOff: {},
    },
  });
  const { transfers } = await devnet.get<Transfers>("/api/v2/transfers");
  expect(transfers.edges.map(({ node }) => node.status)).toEqual(["STATUS_DONE"]);
});

test("each test begins with the same chain", async () => {
  const { transfers } = await devnet.get<Transfers>("/api/v2/transfers");
  expect(transfers.edges).toEqual([]);
});

test("an order rests on the book of a market that one call has made", async () => {
  const { market } = await devnet.tools.market.create({ preset: "simple" });
  const { id } = await devnet.party("dave").send({
    kind: "orderSubmission",
    payload: {
      marketId: market,
      price: "90",
      size: 3n,
      side: Side.SIDE_BUY,
      timeInForce: OrderTimeInForce.TIME_IN_FORCE_GTC,
      type: OrderType.TYPE_LIMIT,
    },
  });
  const { order } = await devnet.get<{ order: { price: string; remaining: string } }>(`/api/v2/order/${id}`);
  expect(order).toMatchObject({ price: "90", remaining: "3", status: "STATUS_ACTIVE" });
});
