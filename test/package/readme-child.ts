// The README's program: readme.test.ts compares and runs it.
import { connect } from "lyra/client";
import { fixture, startDevnet } from "lyra/devnet";

const devnet = await startDevnet({ accounts: 20, parameters: { "validators.epoch.length": "10s" } });
const lyra = connect(devnet); // every resource and stream, typed; enums are names
const market = fixture(devnet, async ({ tools }) => (await tools.market.create({ preset: "simple" })).market);

const marketId = await market(); // made once, then a revert of some milliseconds
const orderSubmission = {
  marketId,
  side: "SIDE_BUY",
  size: "3",
  price: "99",
  type: "TYPE_LIMIT",
  timeInForce: "TIME_IN_FORCE_GTC",
} as const;
await lyra.send(devnet.party("alice"), { orderSubmission }); // signed and proven
for await (const { snapshot } of lyra.stream.orders({ marketIds: [marketId] })) {
  console.log(snapshot?.orders); // then `updates`, block by block, through a restart too
  break;
}
await devnet.mineUntil(({ epoch }) => Number(epoch.seq) >= 3); // blocks a second apart
await devnet.stop();
