// A devnet in tests of bun test, in their own process (`lyra`) and in one of its own (`lyra/devnet`):
// npm i ./lyra-*.tgz ./lyra-linux-x64-*.tgz && bun test
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createDevnet, PartyClient } from "lyra";
import { AccountType, startDevnet } from "lyra/devnet";

function transfer(to: string, asset: string) {
  return {
    kind: "transfer",
    payload: {
      fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      toAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
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
  let clean: string;
  beforeAll(async () => {
    devnet = await createDevnet();
    clean = await devnet.chain.snapshot();
  });
  afterEach(async () => void (await devnet.chain.revert(clean)));
  afterAll(() => devnet.stop());

  const transfers = async () => (await fetch(`${devnet.dataUrl}/api/v2/transfers`)).json();

  test("a signed transfer is executed and read back", async () => {
    const [alice, bob] = devnet.parties;
    const { id: asset } = devnet.report().assets.find(({ symbol }) => symbol === "tUSD")!;
    await devnet.chain.bridge.deposit(alice!.publicKey, asset, 500_000n);
    await new PartyClient(devnet.chain, alice!.key).send(transfer(bob!.publicKey, asset));
    const answer = await transfers();
    expect(answer.transfers.edges[0].node).toMatchObject({ to: bob!.publicKey, status: "STATUS_DONE" });
  });

  test("each test begins with the same chain", async () => {
    expect((await transfers()).transfers.edges).toEqual([]);
  });
});

describe("in a process of its own", () => {
  test("a signed transfer is executed and read back", async () => {
    await using devnet = await startDevnet();
    const clean = await devnet.snapshot();
    await devnet.tools.fund("alice", "tUSD", 500_000);
    await devnet.party("alice").send(transfer(devnet.party("bob").publicKey, devnet.assets.tUSD!.id));
    const first = await devnet.get<{ transfers: { edges: unknown[] } }>("/api/v2/transfers");
    expect(first.transfers.edges).toHaveLength(1);
    await devnet.revert(clean);
    const second = await devnet.get<{ transfers: { edges: unknown[] } }>("/api/v2/transfers");
    expect(second.transfers.edges).toEqual([]);
  });
});
