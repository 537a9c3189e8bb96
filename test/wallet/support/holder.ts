// A process that holds the lock of a folder until it is killed.
import { writeSync } from "node:fs";
import { withFolderLock } from "../../../src/wallet/keystore/folder-keystore.ts";

await withFolderLock(process.argv[2]!, async () => {
  writeSync(1, "held");
  // real time: holds until it is killed
  await Bun.sleep(60_000);
});
