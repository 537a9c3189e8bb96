// A home that cannot be written, as on a medium that is read-only: it can be served and examined. The files that readers
// keep beside a store cannot be made there.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, SAMPLE, Scratch } from "../rig/homes.ts";
import { Lyra, PROGRAM, ServingLyra } from "../rig/lyra.ts";
import { eventually } from "../support/eventually.ts";

const NOBODY = "65534";
/** Root writes everywhere: another user is needed. */
const hasNobody = process.getuid?.() === 0 && Bun.which("setpriv") !== null;
const program = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", ...PROGRAM];

const scratch = new Scratch("read-only-home");
let home: string;
beforeAll(async () => {
  home = scratch.path();
  await load(home, SAMPLE);
  closeToWriters(home);
});
afterAll(() => {
  Bun.spawnSync(["chmod", "-R", "u+w", scratch.folder]);
  scratch.remove();
});

function closeToWriters(folder: string): void {
  chmodSync(scratch.folder, 0o755);
  Bun.spawnSync(["chmod", "-R", "a=rX", folder]);
}

if (!hasNobody)
  console.log("read-only-home.test: skipped, it takes root and setpriv to be a user who cannot write");

if (!hasNobody) test.skip("a home that nobody can write", () => {});
else
  describe("a home that nobody can write", () => {
    const ask = async (base: string, path: string) => (await fetch(`${base}/api/v2/${path}`)).text();

    test("is served, with every number exact", async () => {
      const words = ["serve", "--home", home, "--data-port", "0", "--json", "--quiet"];
      const node = Bun.spawn([...program, ...words], { stdout: "pipe", stderr: "inherit" });
      const first = await node.stdout.getReader().read();
      const { dataUrl: url } = JSON.parse(new TextDecoder().decode(first.value)) as { dataUrl: string };
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      const open = new ServingLyra(["serve", "--home", await copy()]);
      const other = await open.listening();
      for (const path of ["assets", "balance/changes", "trades", "ledgerentry/history", "epoch"]) {
        expect(await ask(url, path)).toBe(await ask(other.url, path));
      }
      // The copy that can be written makes its segments meanwhile.
      expect(await ask(url, "networkhistory/segments")).toBe('{"segments":[]}');
      expect((await open.stop()).code).toBe(0);
      node.kill("SIGTERM");
      expect(await node.exited).toBe(0);
    });

    test("by this user, and written by another one, is not ready any more", async () => {
      const shared = await copy();
      Bun.spawnSync(["chmod", "-R", "a+rX", shared]);
      const words = ["serve", "--home", shared, "--data-port", "0", "--json", "--quiet"];
      const node = Bun.spawn([...program, ...words], { stdout: "pipe", stderr: "ignore" });
      const first = await node.stdout.getReader().read();
      const { dataUrl: url } = JSON.parse(new TextDecoder().decode(first.value)) as { dataUrl: string };
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      writeFileSync(join(shared, "lyra.db-wal"), "a writer's");
      await eventually(async () => (await (await fetch(`${url}/readyz`)).text()).includes("home_written"));
      node.kill("SIGTERM");
      await node.exited;
    });

    test("is examined", async () => {
      const { code, out } = await new Lyra(["doctor", "--home", home, "--deep"], { program }).end();
      expect([code, /^bad/m.test(out), out.includes("it can be served and examined")]).toEqual([
        0,
        false,
        true,
      ]);
    });

    test("with a log that only a writer can take in, is refused with the way out", async () => {
      const logged = await copy();
      writeFileSync(join(logged, "lyra.db-wal"), "something");
      closeToWriters(logged);
      const { code, err } = await new Lyra(["serve", "--home", logged], { program }).end();
      expect(code).toBe(1);
      expect(err).toContain("copy the home to where it can be written");
    });
  });

async function copy(): Promise<string> {
  const path = scratch.path();
  cpSync(home, path, { recursive: true });
  Bun.spawnSync(["chmod", "-R", "u+w", path]);
  return path;
}
