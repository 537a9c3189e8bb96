// A devnet in tests of node:test: npm i ./lyra-*.tgz ./lyra-linux-x64-*.tgz && npm test
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "lyra/client";
import { fixture, startDevnet } from "lyra/devnet";

let devnet;
let lyra;

before(async () => {
  devnet = await startDevnet({ parameters: { "transfer.fee.factor": "0" } });
  lyra = connect(devnet);
});
after(() => devnet.stop());

const funded = fixture(
  () => devnet,
  () => devnet.tools.fund("alice", "tUSD", 500_000),
);

async function balanceOf(party) {
  const filter = {
    partyIds: [party],
    assetId: devnet.assets.tUSD.id,
    accountTypes: ["ACCOUNT_TYPE_GENERAL"],
  };
  const { accounts } = await lyra.accounts.list({ filter });
  return BigInt(accounts.edges[0]?.node.balance ?? 0);
}

const transfer = (to, amount) => ({
  transfer: {
    fromAccountType: "ACCOUNT_TYPE_GENERAL",
    toAccountType: "ACCOUNT_TYPE_GENERAL",
    to,
    asset: devnet.assets.tUSD.id,
    amount,
    reference: "rent",
    oneOff: {},
  },
});

test("a signed transfer moves money from alice to bob", async () => {
  await funded();
  const [alice, bob] = devnet.parties.map(({ publicKey }) => publicKey);
  const first = [await balanceOf(alice), await balanceOf(bob)];

  const { outcome } = await lyra.send(devnet.party("alice"), transfer(bob, "250000"));

  assert.equal(outcome.code, 0);
  const second = [await balanceOf(alice), await balanceOf(bob)];
  assert.deepEqual(second, [first[0] - 250_000n, first[1] + 250_000n]);
  const { transfers } = await lyra.transfers.list({ pagination: { first: 1 } });
  assert.equal(transfers.edges[0].node.reference, "rent");
});

test("each test begins with the same chain", async () => {
  await funded();
  assert.deepEqual((await lyra.transfers.list()).transfers.edges, []);
});

test("a refusal names its rule", async () => {
  await funded();
  const [alice, bob] = devnet.parties;
  const refused = lyra.send(alice, transfer(bob.publicKey, (10n ** 30n).toString()));
  await assert.rejects(refused, { code: "transaction_refused", rule: "command_failed" });
});
