// A seed and a clock repeat: transactions to the byte, and a crowd's trades on a machine of any speed.
import { expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import type { BlockMode } from "../../src/engine/chain-port.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { MILLISECOND_NS } from "../../src/wire/time-text.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const GENESIS_NS = 1_800_000_000_000_000_000n;

/** @param stepNs time that passes between two looks at the clock */
function start(stepNs: bigint): Promise<Devnet> {
  let nowNs = GENESIS_NS;
  return startTestDevnet({
    seed: "the same",
    genesisTimeNs: GENESIS_NS,
    nowNs: () => (nowNs += stepNs),
    oneThread: "the clock is this thread's",
  });
}

async function transfers(): Promise<object> {
  const devnet = await start(MILLISECOND_NS);
  const [alice, bob] = devnet.parties;
  const { asset } = devnet.report().parties[0]!.balances[0]!;
  const client = new PartyClient(devnet.chain, alice!.key);
  const payload = {
    fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
    toAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
    to: bob!.publicKey,
    asset,
    oneOff: {},
  };
  const hashes: string[] = [];
  for (const amount of ["1000000000000000000", "2000000000000000000"]) {
    const command = { kind: "transfer" as const, payload: { ...payload, amount } };
    hashes.push((await client.send(command as never)).outcome.hash);
  }
  const { bytes } = await new PartyClient(devnet.chain, alice!.key).build({
    kind: "transfer",
    payload: { ...payload, amount: "3000000000000000000" },
  } as never);
  const { height, hash, appHash, timeNs } = devnet.chain.status;
  await devnet.stop();
  return { hashes, bytes: Buffer.from(bytes).toString("hex"), height, hash, appHash, timeNs };
}

test("given seed, clock and start, then two runs send the same bytes and end in the same block", async () => {
  expect(await transfers()).toEqual(await transfers());
});

test("two clients of one party never draw the same salt", async () => {
  const devnet = await start(MILLISECOND_NS);
  const salts = Array.from({ length: 20 }, () => devnet.chain.drawSalt!());
  expect(new Set(salts).size).toBe(20);
  await devnet.stop();
});

async function crowd(stepNs: bigint, mode?: BlockMode): Promise<object> {
  const devnet = await start(stepNs);
  const use = async (tool: string, body: object) => {
    const request = { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${devnet.nodeUrl}/devnet/${tool}`, request)).json() as Promise<{ market: string }>;
  };
  const { market } = await use("market/create", { preset: "simple" });
  if (mode) await devnet.chain.setBlockMode(mode);
  const { market: _, ...run } = await use("market/run", { market, orders: 48, seed: 5 });
  const trades = (await (await fetch(`${devnet.dataUrl}/api/v2/trades?marketIds=${market}`)).json()) as {
    trades: { edges: { node: { price: string; size: string; buyer: string; seller: string } }[] };
  };
  const isFrozen = (await devnet.chain.clock()).isFrozen;
  expect(await devnet.chain.blockMode()).toEqual(mode ?? { kind: "instant" });
  await devnet.stop();
  return {
    run,
    isFrozen,
    trades: trades.trades.edges.map(
      ({ node: { price, size, buyer, seller } }) => `${buyer} ${seller} ${size}@${price}`,
    ),
  };
}

test("a seed of market/run gives the same trades on a machine of any speed, and the clock goes on after it", async () => {
  const quick = await crowd(MILLISECOND_NS);
  expect(quick).toMatchObject({ isFrozen: false });
  expect(await crowd(700n * MILLISECOND_NS)).toEqual(quick);
  expect(await crowd(100n * MILLISECOND_NS, { kind: "interval", intervalMs: 3 })).toEqual(quick);
});
