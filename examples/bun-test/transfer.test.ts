// A devnet in tests of bun test, in their own process (`lyra`) and in one of its own (`lyra/devnet`):
// npm i ./lyra-*.tgz ./lyra-linux-x64-*.tgz && bun test
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createDevnet, PartyClient } from "lyra";
import { connect } from "lyra/client";
import { fixture, startDevnet } from "lyra/devnet";

function transfer(to: string, asset: string) {
  return {
    transfer: {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      to,
      asset,
      amount: "250000",
      reference: "rent",
      oneOff: {},
    },
  } as const;
}

describe("in this process", () => {
  let devnet: Awaited<ReturnType<typeof createDevnet>>;
  beforeAll(async () => {
    devnet = await createDevnet();
  });
  afterAll(() => devnet.stop());

  const funded = fixture(
    () => devnet.chain,
    async (chain) => {
      const { id: asset } = devnet.report().assets.find(({ symbol }) => symbol === "tUSD")!;
      await chain.bridge.deposit(devnet.parties[0]!.publicKey, asset, 500_000n);
      return asset;
    },
  );
  const transfers = () => connect(devnet).transfers.list();

  test("a signed transfer is executed and read back", async () => {
    const asset = await funded();
    const [alice, bob] = devnet.parties;
    await new PartyClient(devnet.chain, alice!.key).send(transfer(bob!.publicKey, asset));
    const answer = await transfers();
    expect(answer.transfers.edges[0]!.node).toMatchObject({ to: bob!.publicKey, status: "STATUS_DONE" });
  });

  test("each test begins with the same chain", async () => {
    await funded();
    expect((await transfers()).transfers.edges).toEqual([]);
  });
});

describe("in a process of its own", () => {
  test("a signed transfer is executed and read back", async () => {
    await using devnet = await startDevnet();
    const lyra = connect(devnet);
    const clean = await devnet.snapshot();
    await devnet.tools.fund("alice", "tUSD", 500_000);
    await lyra.send(devnet.party("alice"), transfer(devnet.party("bob").publicKey, devnet.assets.tUSD!.id));
    const first = await lyra.transfers.list();
    expect(first.transfers.edges).toHaveLength(1);
    await devnet.revert(clean);
    const second = await lyra.transfers.list();
    expect(second.transfers.edges).toEqual([]);
  });
});
