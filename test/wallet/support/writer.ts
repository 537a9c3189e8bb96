// A process that makes keys in a wallet until it is killed, and says a letter for each that is safe.
import { writeSync } from "node:fs";
import { FolderKeystore } from "../../../src/wallet/keystore/folder-keystore.ts";
import { cheapStore, PASSPHRASE } from "./wallets.ts";

const [folder, name] = process.argv.slice(2) as [string, string];
const wallet = await cheapStore(new FolderKeystore(folder)).unlock(name, PASSPHRASE);
for (;;) {
  await wallet.generateKey();
  writeSync(1, "k");
}
