import { Rig, removeHomes, Sender } from "./rig.ts";

const N = Number(process.argv[2] ?? 20000),
  P = 1000,
  B = Number(process.argv[3] ?? 2000);
const rig = new Rig({ mode: { kind: "manual" }, limits: { mempoolTxsMax: 100000 } });
const senders = Array.from({ length: P }, (_, n) => {
  const s = new Sender(n % 250);
  return s;
});
const txs: Uint8Array[] = [];
const tb = performance.now();
for (let i = 0; i < N; i++)
  txs.push(senders[i % P]!.transfer(rig.chain, senders[(i * 7 + 1) % P]!.party, 1n));
console.log("built", (((performance.now() - tb) / N) * 1000).toFixed(1), "us each");
let ts = 0,
  tm = 0;
for (let i = 0; i < N; i += B) {
  const a = performance.now();
  const outs = await Promise.all(txs.slice(i, i + B).map((b) => rig.chain.submit(b, "check")));
  const bad = outs.find((o) => o.code !== 0);
  if (bad) {
    console.log(bad);
    break;
  }
  const b = performance.now();
  await rig.chain.mine(1);
  const c = performance.now();
  ts += b - a;
  tm += c - b;
}
console.log(
  "submit",
  ((ts / N) * 1000).toFixed(1),
  "us/tx; block",
  ((tm / N) * 1000).toFixed(1),
  "us/tx",
  rig.chain.status.height,
  rig.chain.status.totals.events,
);
await rig.stop();
removeHomes();
