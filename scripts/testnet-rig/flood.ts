import { randomBytes } from "node:crypto";
import { residentMb } from "../../bench/support.ts";
import type { ValidatorPair } from "../../src/testnet/pair.ts";
import { heightOf, progress, type RigNetwork } from "./network.ts";
import { forged, parties, sendTransfers, signed, tipOf, transfer, untilIn } from "./transactions.ts";
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
    "one engine is flooded with bytes that are not transactions, and with forged signatures: blocks go on, honest transactions get in",
  async run(network) {
    const { pairs } = network;
    const flooded = pairs[1]!;
    const before = residentMb(flooded.chain.pid!);
    const height = await heightOf(pairs[0]!);
    const end = performance.now() + FLOOD_MS;
    const tally = new Tally();
    const flooding = Promise.all(
      Array.from({ length: WIDTH }, () => floodUntil(network, flooded, end, tally)),
    );
    const hashes: string[] = [];
    while (performance.now() < end) hashes.push(...(await sendTransfers(pairs, 8)));
    await flooding;
    await progress(pairs);
    for (const pair of pairs) await untilIn(pair, hashes);
    const blocks = (await heightOf(pairs[0]!)) - height;
    if (blocks < 5) throw new Error(`only ${blocks} blocks`);
    const growth = residentMb(flooded.chain.pid!) - before;
    if (growth > GROWTH_MB) throw new Error(`the chain's memory grew by ${growth.toFixed(0)} MB`);
    return `${tally.summary()}; ${hashes.length} honest ones in ${blocks} blocks; memory grew by ${Math.max(0, growth).toFixed(0)} MB`;
  },
};

/** Submissions of the flood, and the refusal that each must get. */
const KINDS = [
  {
    name: "bytes",
    refusal: /^unable to unmarshal transaction|^tx\./,
    make: (n: number) => randomBytes(1 + (n % 4_000)),
  },
  {
    name: "forged signatures",
    refusal: /invalid signature/,
    make: async (_: number, pair: ValidatorPair) =>
      forged(signed(await transfer(pair, 1, 100_000n), parties[0]!, await tipOf(pair))),
  },
] as const;

class Tally {
  private readonly refused = new Map<string, number>();
  /** Without a verdict: the engine was too busy for an answer. */
  private unanswered = 0;

  note({ name, refusal }: (typeof KINDS)[number], verdict: Verdict | undefined): void {
    if (verdict === undefined) {
      this.unanswered++;
      return;
    }
    if (verdict.code === 0 || !refusal.test(verdict.log))
      throw new Error(`${name}: code ${verdict.code}: ${verdict.log.slice(0, 200)}`);
    this.refused.set(name, (this.refused.get(name) ?? 0) + 1);
  }

  /** @throws Error where none of a kind was refused */
  summary(): string {
    const counts = KINDS.map(({ name }) => `${this.refused.get(name) ?? 0} ${name}`);
    if (this.refused.size < KINDS.length) throw new Error(`only ${counts.join(", ")} were refused`);
    return `${counts.join(" and ")} were refused, ${this.unanswered} unanswered`;
  }
}

interface Verdict {
  readonly code: number;
  readonly log: string;
}

/** @throws Error when one was taken, or refused for another reason */
async function floodUntil(
  { pairs }: RigNetwork,
  { node }: ValidatorPair,
  end: number,
  tally: Tally,
): Promise<void> {
  for (let n = 0; performance.now() < end; n++) {
    const kind = KINDS[n % KINDS.length]!;
    const params = { tx: Buffer.from(await kind.make(n, pairs[0]!)).toString("base64") };
    const answer = await fetch(`http://127.0.0.1:${node.rpcPort}`, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "broadcast_tx_sync", params }),
    }).catch(() => undefined);
    const { result } = ((await answer?.json().catch(() => undefined)) ?? {}) as { result?: Verdict };
    tally.note(kind, result);
  }
}
