// Reads a store in one transaction after the other, each of them longer than a commit: one always holds the log.
/// <reference lib="webworker" />
import { openReader } from "../../src/store/database.ts";

declare const self: Worker;

self.onmessage = async ({ data: home }: MessageEvent<string>) => {
  const db = openReader(home);
  self.postMessage("reading");
  for (;;) {
    db.run("BEGIN");
    db.query("SELECT count(*) FROM blocks").get();
    // real time: so long each reader holds the log
    await Bun.sleep(50);
    db.run("COMMIT");
  }
};
