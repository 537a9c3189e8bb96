import { Rig, Sender, removeHomes } from "./rig.ts";
import { ASSET } from "./fake-engine.ts";
const N = Number(process.argv[2] ?? 500000);
const rig = new Rig({ mode: { kind: "manual" } });
const ids = Array.from({ length: N }, (_, n) => n.toString(16).padStart(64, "0"));
// funded in one go by a step
const t0 = performance.now();
for (let i = 0; i < N; i += 10000) {
  (rig.chain as any).sequencer.makeBlockWith((engine: any) => { for (const id of ids.slice(i, i + 10000)) engine.setBalance(id, ASSET, 5n); });
}
console.log("funded", (performance.now() - t0).toFixed(0), "ms");
const a = new Sender(1), b = new Sender(2);
for (const round of [1, 2, 3, 4]) {
  const t1 = performance.now();
  const id = await rig.chain.snapshot();
  const t2 = performance.now();
  for (let k = 0; k < 200; k++) await rig.transfer(a, ids[k * 7]!, 1n);
  await rig.chain.mine(1);
  await rig.chain.mine(100);
  const t3 = performance.now();
  await rig.chain.revert(id);
  const t4 = performance.now();
  console.log("round", round, "snapshot", (t2 - t1).toFixed(1), "work", (t3 - t2).toFixed(1), "revert", (t4 - t3).toFixed(1));
  if (round === 2) { const x = performance.now(); for (const each of [1,2]) await rig.chain.dropSnapshot(String(each)); console.log("drop two", (performance.now() - x).toFixed(1)); }
}
await rig.stop();
const t5 = performance.now();
const again = new Rig({ home: rig.home, mode: { kind: "manual" } });
console.log("restart", (performance.now() - t5).toFixed(0), again.chain.resumption.sentence);
const t6 = performance.now();
await again.chain.revert("3");
console.log("cold revert", (performance.now() - t6).toFixed(0));
await again.stop();
removeHomes();
