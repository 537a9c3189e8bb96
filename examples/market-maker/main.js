// The market maker on a devnet of its own, and a crowd that trades with it: npm run example:market-maker
import { connect } from "lyra/client";
import { startDevnet } from "lyra/devnet";
import { MarketMaker } from "./market-maker.js";

const devnet = await startDevnet();
const lyra = connect(devnet);
const { market } = await devnet.tools.market.create({ preset: "simple" });
const maker = devnet.party("alice");
const bot = new MarketMaker({
  lyra,
  party: maker,
  marketId: market,
  spread: 1n,
  size: 5n,
  positionMax: 20n,
  onFill: ({ price, size, aggressor }) => console.log(`filled ${size} at ${price}, ${aggressor}`),
  onProblem: ({ message }) => console.error(message),
});
const control = new AbortController();
const running = bot.run(control.signal);
await devnet.tools.market.run(market, 40);
control.abort();
await running;
const { positions } = await lyra.positions.listAll({
  filter: { partyIds: [maker.publicKey], marketIds: [market] },
});
console.log(positions.edges.map(({ node }) => node));
await devnet.stop();
