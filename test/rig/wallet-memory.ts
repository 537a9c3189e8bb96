// A process that keeps a wallet open and does as it is told, line by line on standard input: its memory is looked into
// from outside. bun test/rig/wallet-memory.ts FOLDER NAME, the passphrase on the first line.
import { createInterface } from "node:readline";
import { FolderKeystore } from "../../src/wallet/keystore/folder-keystore.ts";
import { OpenWallets } from "../../src/wallet/service/open-wallets.ts";
import { WalletStore } from "../../src/wallet/wallet-store.ts";

const [folder, name] = process.argv.slice(2) as [string, string];
const store = new WalletStore({
  keystore: new FolderKeystore(folder),
  cost: { log2N: 4, r: 8, p: 1 },
  allowWeakKdf: true,
});
const wallets = new OpenWallets({ store, nowMs: Date.now, checkMs: 0, onLost: () => {} });

const orders: Readonly<Record<string, () => unknown>> = {
  async check() {
    for (let count = 0; count < 300; count++) await wallets.check();
  },
  sign() {
    const wallet = wallets.get(name)!;
    for (let count = 0; count < 100; count++)
      wallet.signMessage(wallet.keys[0]!.publicKey, new TextEncoder().encode(`message ${count}`));
  },
  lock: () => wallets.lock(name),
};

let isFirst = true;
for await (const line of createInterface({ input: process.stdin })) {
  if (isFirst) await wallets.unlock(name, new TextEncoder().encode(line));
  else await orders[line]!();
  isFirst = false;
  process.stdout.write("done\n");
}
