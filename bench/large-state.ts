// A chain with a large state, in a home: accounts of many parties, and orders that rest on a market.
import type { Devnet } from "../src/devnet/devnet.ts";
import { startNode } from "../src/start-node.ts";
import { ask } from "./devnet-process.ts";

const ACCOUNTS_A_BLOCK = 10_000;
const ORDERS_A_BATCH = 200;
/** Parties with orders. */
const TRADERS = 500;
/** Ticks between the middle and the farthest order. */
const DEPTH = 5_000;
const MONEY = 10n ** 15n;

interface LargeState {
  readonly home: string;
  /** A genesis document with `STATE_PARAMETERS`; default: the devnet's with them. */
  readonly genesis?: string;
  /** Unix nanoseconds. */
  readonly genesisTimeNs?: bigint;
  readonly accounts: number;
  readonly orders: number;
  /** Parties that hold money; default: numbered ones. */
  readonly funded?: readonly string[];
  /** Height to end at; default: where it is full. */
  readonly height?: number;
}

export const partyAt = (index: number): string => index.toString(16).padStart(64, "0");

/** Makes the chain and stores its state. */
export async function makeLargeState(options: LargeState) {
  const { home, genesis, genesisTimeNs, accounts, orders, funded = [], height } = options;
  const devnet = await startNode({
    kind: "devnet",
    home,
    mode: { kind: "manual" },
    ...(genesis !== undefined ? { genesis } : { parameters: STATE_PARAMETERS }),
    ...(genesisTimeNs !== undefined && { genesisTimeNs }),
  });
  try {
    const { chain } = devnet;
    const asset = devnet.report().parties[0]!.balances.find(({ symbol }) => symbol === "tUSD")!.asset;
    for (let first = 1; first <= accounts; first += ACCOUNTS_A_BLOCK) {
      const balances = Array.from({ length: Math.min(ACCOUNTS_A_BLOCK, accounts - first + 1) }, (_, at) => ({
        party: partyAt(first + at),
        asset,
        balance: MONEY,
      }));
      await chain.setBalances(balances);
    }
    await chain.setBalances(funded.map((party) => ({ party, asset, balance: MONEY })));
    const market = orders > 0 ? await restOrders(devnet, orders) : "";
    const { height: now } = chain.status;
    if (height !== undefined && now < height) await chain.mine(height - now);
    const { height: end, appHash } = chain.status;
    return { asset, market, height: end, appHash };
  } finally {
    await devnet.stop();
  }
}

export const STATE_PARAMETERS = {
  "spam.protection.max.batchSize": String(ORDERS_A_BATCH),
  "spam.protection.maxUserTransfersPerEpoch": "1000000",
  "spam.pow.difficulty": "1",
  "spam.pow.numberOfTxPerBlock": "1000",
  "validators.epoch.length": "10h",
};

/** @returns the market's id */
async function restOrders({ chain, nodeUrl }: Devnet, orders: number): Promise<string> {
  await chain.setBlockMode({ kind: "instant" });
  const { market } = await ask<{ market: string }>(`${nodeUrl}/devnet/market/create`, { preset: "btc" });
  const { marketsData } = await ask<{ marketsData: { market: string; markPrice: string }[] }>(
    `${nodeUrl}/markets/data`,
  );
  const middle = Number(marketsData.find((data) => data.market === market)!.markPrice);
  for (let first = 0; first < orders; first += ORDERS_A_BATCH) {
    const submissions = Array.from({ length: Math.min(ORDERS_A_BATCH, orders - first) }, (_, at) => {
      const isBuy = at % 2 === 0;
      const away = 50 + ((first + at * 37) % DEPTH);
      return {
        marketId: market,
        side: isBuy ? "SIDE_BUY" : "SIDE_SELL",
        size: "1",
        price: String(isBuy ? middle - away : middle + away),
        timeInForce: "TIME_IN_FORCE_GTC",
        type: "TYPE_LIMIT",
      };
    });
    const party = partyAt(1 + ((first / ORDERS_A_BATCH) % TRADERS));
    const { code, text } = await chain.impersonate(party, { batchMarketInstructions: { submissions } });
    if (code !== 0) throw new Error(`a batch was refused: ${text}`);
  }
  await chain.setBlockMode({ kind: "manual" });
  return market;
}
