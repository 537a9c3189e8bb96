// Niceness is a thread's own on Linux: whoever gives way does not slow the others of the process down.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Niceness } from "../../../src/files/thread-priority.ts";

/** Niceness of each thread of this process, by its number. */
function nicenesses(): Map<string, number> {
  const folder = "/proc/self/task";
  const of = (task: string) =>
    Number(
      readFileSync(join(folder, task, "stat"), "utf8")
        .split(") ")[1]!
        .split(" ")[16],
    );
  return new Map(readdirSync(folder).map((task) => [task, of(task)]));
}

test.skipIf(process.platform !== "linux")(
  "a worker that gives way leaves the main thread as it is",
  async () => {
    const before = nicenesses();
    const own = before.get(String(process.pid));
    const code = `import { giveWay, Niceness } from ${JSON.stringify(join(import.meta.dir, "../../../src/files/thread-priority.ts"))};
    giveWay(Niceness.serving); postMessage("ready"); setInterval(() => {}, 1000);`;
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    try {
      await new Promise((resolve) => {
        worker.onmessage = resolve;
      });
      const after = nicenesses();
      expect(after.get(String(process.pid))).toBe(own!);
      const added = [...after].filter(([task]) => !before.has(task)).map(([, niceness]) => niceness);
      expect(added).toContain(Niceness.serving);
    } finally {
      worker.terminate();
    }
  },
);
