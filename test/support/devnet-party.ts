// A party by a devnet's own answers: its transfers, and whether it is banned.
import type { Devnet } from "../../src/devnet/devnet.ts";

/** Amounts of the transfers that were executed, as the data API shows them. */
export async function executedOf({ dataUrl }: Pick<Devnet, "dataUrl">, party: string): Promise<string[]> {
  const amounts: string[] = [];
  let after = "";
  for (;;) {
    const query = `pubkey=${party}&direction=TRANSFER_DIRECTION_TRANSFER_FROM&pagination.first=1000${after}`;
    const response = await fetch(`${dataUrl}/api/v2/transfers?${query}`);
    const { transfers } = (await response.json()) as {
      transfers: {
        edges: { node: { status: string; amount: string } }[];
        pageInfo: { hasNextPage: boolean; endCursor: string };
      };
    };
    for (const { node } of transfers.edges) if (node.status === "STATUS_DONE") amounts.push(node.amount);
    if (!transfers.pageInfo.hasNextPage) return amounts;
    after = `&pagination.after=${encodeURIComponent(transfers.pageInfo.endCursor)}`;
  }
}

export async function bannedUntil(
  { nodeUrl }: Pick<Devnet, "nodeUrl">,
  party: string,
): Promise<string | undefined> {
  const response = await fetch(`${nodeUrl}/statistics/spam/${party}`);
  const { statistics } = (await response.json()) as { statistics: { pow: { bannedUntil?: string } } };
  return statistics.pow.bannedUntil || undefined;
}
