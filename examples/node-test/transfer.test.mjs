// A devnet in tests of node:test: npm i ./lyra-*.tgz ./lyra-linux-x64-*.tgz && npm test
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { AccountType, startDevnet } from "lyra/devnet";

let devnet;
let clean;

before(async () => {
  devnet = await startDevnet({ parameters: { "transfer.fee.factor": "0" } });
  clean = await devnet.snapshot();
});
afterEach(() => devnet.revert(clean));
after(() => devnet.stop());

async function balanceOf(party) {
  const query = `filter.partyIds=${party}&filter.assetId=${devnet.assets.tUSD.id}&filter.accountTypes=ACCOUNT_TYPE_GENERAL`;
  const { accounts } = await devnet.get(`/api/v2/accounts?${query}`);
  return BigInt(accounts.edges[0]?.node.balance ?? 0);
}

test("a signed transfer moves money from alice to bob", async () => {
  const [alice, bob] = devnet.parties;
  await devnet.tools.fund("alice", "tUSD", 500_000);
  const before = [await balanceOf(alice.publicKey), await balanceOf(bob.publicKey)];

  const { outcome } = await alice.send({
    kind: "transfer",
    payload: {
      fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      toAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      to: bob.publicKey,
      asset: devnet.assets.tUSD.id,
      amount: "250000",
      reference: "rent",
      oneOff: {},
    },
  });

  assert.equal(outcome.code, 0);
  const after = [await balanceOf(alice.publicKey), await balanceOf(bob.publicKey)];
  assert.deepEqual(after, [before[0] - 250_000n, before[1] + 250_000n]);
  const { transfers } = await devnet.get("/api/v2/transfers?pagination.first=1");
  assert.equal(transfers.edges[0].node.reference, "rent");
});

test("each test begins with the same chain", async () => {
  assert.deepEqual((await devnet.get("/api/v2/transfers")).transfers.edges, []);
});

test("a refusal names its rule", async () => {
  const [alice, bob] = devnet.parties;
  const payload = {
    fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
    toAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
    to: bob.publicKey,
    asset: devnet.assets.tUSD.id,
    amount: (10n ** 30n).toString(),
    oneOff: {},
  };
  await assert.rejects(alice.send({ kind: "transfer", payload }), { code: "transaction_refused" });
});
