// Additions to the month of demonstration: states that it does not end with.
import type { Devnet } from "../../src/devnet/devnet.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";

const BUY = 1;
const SELL = 2;

/** An open proposal with votes, an allowance in use, a ban, and a withdrawal that no validator has signed yet. */
export async function enrich({ chain, parties, nodeUrl, dataUrl }: Devnet): Promise<void> {
  const [alice, bob, carol, dave, erin] = parties.map(({ key }) => new PartyClient(chain, key, "enriched"));
  const closingTimestamp = chain.status.timeNs / 1_000_000_000n + 3_600n;
  const { id: proposalId } = await alice!.send({
    kind: "proposalSubmission",
    payload: {
      reference: "a bench",
      terms: { closingTimestamp, newFreeform: {} },
      rationale: { title: "A bench", description: "At the lake" },
    },
  });
  await Promise.all([
    bob!.send({ voteSubmission: { proposalId, value: "VALUE_YES" } }),
    carol!.send({ voteSubmission: { proposalId, value: "VALUE_NO" } }),
  ]);
  type Assets = { assets: { edges: { node: { id: string; details: { symbol: string } } }[] } };
  const { assets } = (await (await fetch(`${dataUrl}/api/v2/assets`)).json()) as Assets;
  const asset = assets.edges.find(({ node }) => node.details.symbol === "dUSD")!.node.id;
  const account = "ACCOUNT_TYPE_GENERAL";
  const transfer = { fromAccountType: account, toAccountType: account, oneOff: {}, asset, amount: "5000000" };
  await dave!.send({ transfer: { ...transfer, to: bob!.party } });
  const body = JSON.stringify({ party: parties[8]!.publicKey, duration: "1h" });
  await fetch(`${nodeUrl}/devnet/ban`, { method: "POST", body });
  const receiverAddress = `0x${"ab".repeat(20)}`;
  await erin!.send({
    withdrawSubmission: { amount: "25000000", asset, ext: { erc20: { receiverAddress } } },
  });
}

/** An order that would trade far from the last price, so that price monitoring begins an auction with the next block. */
export async function tradeOutsideOfBounds(
  { chain, dataUrl, parties }: Devnet,
  market: string,
): Promise<void> {
  const answer = await fetch(`${dataUrl}/api/v2/market/depth/${market}/latest`);
  const { sell } = (await answer.json()) as { sell: { price: string; volume: string }[] };
  const worst = sell.reduce((most, { price }) => Math.max(most, Number(price)), 0);
  const volume = sell.reduce((sum, each) => sum + BigInt(each.volume), 0n);
  const order = (side: number, size: bigint) => ({
    kind: "orderSubmission" as const,
    payload: { marketId: market, side, size, price: String(worst * 2), timeInForce: 1, type: 1 },
  });
  const [seller, buyer] = [parties[9]!, parties[6]!];
  await new PartyClient(chain, seller.key, "page").send(order(SELL, 1n));
  await new PartyClient(chain, buyer.key, "page").send(order(BUY, volume + 1n));
}
