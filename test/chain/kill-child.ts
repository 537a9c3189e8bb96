// A chain under load, to be killed: says on standard output which transactions it has acknowledged.
import { Rig, Sender } from "./rig.ts";

const [home, first] = process.argv.slice(2) as [string, string];
const rig = new Rig({ home, limits: { stateTxsMax: 40, stateBlocksMax: 15 } });
console.log(`open ${rig.chain.resumption.sentence}`);
const senders = [0, 1, 2, 3].map((n) => new Sender(n));

async function load(from: Sender, start: number): Promise<never> {
  for (let n = start; ; n += senders.length) {
    const to = senders[n % senders.length]!.party;
    // Identifiers of proofs differ from those of earlier runs.
    const bytes = from.transfer(rig.chain, to, 1n, {
      tid: new Bun.CryptoHasher("sha256").update(`${first} ${n}`).digest("hex"),
      nonce: BigInt(first) * 1_000_000n + BigInt(n + 1),
    });
    const { hash, code, height } = await rig.chain.submit(bytes, "commit");
    if (code === 0) console.log(`ack ${hash} ${height}`);
    else console.log(`refused ${code}`);
  }
}

for (const [n, sender] of senders.entries()) load(sender, n);
