import { appendFileSync, cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../test/support/eventually.ts";
import { SmallDisk } from "../../test/support/small-disk.ts";
import { heightOf, progress, urlOf } from "./network.ts";
import { sendTransfers, untilIn } from "./transactions.ts";
import { type Trial, TrialSkipped } from "./trial.ts";

const DISK_KIB = 64 * 1024;

export const fullDisk: Trial = {
  number: 22,
  network: {},
  title:
    "the disk of one validator's home is full: it stands and says so, three go on, and with room it goes on by itself",
  async run(network) {
    const { pairs, folder } = network;
    const pair = pairs[3]!;
    const others = network.others(pair);
    const { home } = pair.node;
    const disk = new SmallDisk(home);
    if (!disk.isPossible) throw new TrialSkipped("no file system can be mounted here");
    await pair.stop();
    const aside = join(folder, "aside");
    cpSync(home, aside, { recursive: true });
    rmSync(home, { recursive: true });
    mkdirSync(home);
    disk.mount(DISK_KIB);
    try {
      cpSync(aside, home, { recursive: true });
      pair.start();
      await progress(pairs, 3);
      const filler = join(home, "filler");
      fill(filler);
      const hashes = await sendTransfers(others, 40);
      await progress(others, 5);
      const said = await eventually(async () => {
        const text = await (await fetch(urlOf(pair, "/readyz"))).text();
        return /disk|stands at block/.test(text) ? text : undefined;
      }, "it says that it stands");
      const stood = await heightOf(pair);
      await progress(others, 10);
      if ((await heightOf(pair)) > stood + 1) throw new Error("it goes on over a full disk");
      rmSync(filler);
      await progress(pairs, 3);
      await untilIn(pair, hashes);
      return `stood at block ${stood} (${said.slice(0, 120)})`;
    } finally {
      await pair.stop();
      rmSync(aside, { recursive: true, force: true });
      cpSync(home, aside, { recursive: true });
      disk.unmount();
      rmSync(home, { recursive: true, force: true });
      cpSync(aside, home, { recursive: true });
      rmSync(join(home, "filler"), { force: true });
      pair.start();
      await progress(pairs, 3);
    }
  },
};

/** Writes until there is no room. */
function fill(path: string): void {
  for (const bytes of [1024 * 1024, 4_096])
    try {
      for (;;) appendFileSync(path, new Uint8Array(bytes));
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOSPC") throw error;
    }
}
