import { randomBytes } from "node:crypto";
import { residentMb } from "../../bench/support.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { heightOf, progress, type RigNetwork } from "./network.ts";
import { parties, sendTransfers, signed, tipOf, transfer, untilIn } from "./transactions.ts";
import type { Trial } from "./trial.ts";

const FLOOD_MS = 20_000;
/** Requests under way at once. */
const WIDTH = 40;
/** Beyond its start, of the flooded validator's chain. */
const GROWTH_MB = 200;

export const flood: Trial = {
  number: 24,
  network: {},
  title:
    "one engine is flooded with bytes that are no transactions, and with others' transactions spoilt: blocks go on, honest ones get in",
  async run(network) {
    const { pairs } = network;
    const flooded = pairs[1]!;
    const before = residentMb(flooded.chain.pid!);
    const height = await heightOf(pairs[0]!);
    const end = performance.now() + FLOOD_MS;
    const flooding = Promise.all(Array.from({ length: WIDTH }, () => sendUntil(network, flooded, end)));
    const hashes: string[] = [];
    while (performance.now() < end) hashes.push(...(await sendTransfers(pairs, 8)));
    const counts = await flooding;
    await progress(pairs);
    for (const pair of pairs) await untilIn(pair, hashes);
    const blocks = (await heightOf(pairs[0]!)) - height;
    if (blocks < 5) throw new Error(`only ${blocks} blocks`);
    const growth = residentMb(flooded.chain.pid!) - before;
    if (growth > GROWTH_MB) throw new Error(`the chain's memory grew by ${growth.toFixed(0)} MB`);
    const sum = counts.reduce((total, count) => total + count, 0);
    return `${sum} refused, ${hashes.length} honest ones in ${blocks} blocks; memory grew by ${Math.max(0, growth).toFixed(0)} MB`;
  },
};

/** @returns how many it sent @throws Error when one was taken */
async function sendUntil({ pairs }: RigNetwork, { node }: ValidatorPair, end: number): Promise<number> {
  const command = await transfer(pairs[0]!, 1, 100_000n);
  let sent = 0;
  while (performance.now() < end) {
    const bytes =
      sent % 2 === 0
        ? randomBytes(1 + (sent % 4_000))
        : spoilt(signed(command, parties[0]!, await tipOf(pairs[0]!)));
    const params = { tx: Buffer.from(bytes).toString("base64") };
    const answer = await fetch(`http://127.0.0.1:${node.rpcPort}`, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "broadcast_tx_sync", params }),
    }).catch(() => undefined);
    const { result } = ((await answer?.json().catch(() => undefined)) ?? {}) as { result?: { code: number } };
    if (result?.code === 0) throw new Error(`taken: ${Buffer.from(bytes).toString("hex").slice(0, 200)}`);
    sent++;
  }
  return sent;
}

/** A transaction whose signature does not fit any more. */
function spoilt(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes);
  // Within the input data, which the signature covers.
  changed[8]! ^= 1;
  return changed;
}
