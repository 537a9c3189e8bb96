// A home that is moved, removed or replaced under a server: it says so, and is not ready any more.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { load, SAMPLE, Scratch } from "../rig/homes.ts";
import { ListeningLyra, ServingLyra } from "../rig/lyra.ts";
import { eventually } from "../support/eventually.ts";

const scratch = new Scratch("home-lost");
let loaded: string;
beforeAll(async () => {
  loaded = scratch.path();
  await load(loaded, SAMPLE);
});
afterAll(() => scratch.remove());

const ways: readonly (readonly [string, (home: string) => void, string])[] = [
  ["moved", (home) => renameSync(home, `${home}-elsewhere`), "was moved or removed"],
  [
    "removed",
    (home) => {
      // The store first: one whose log alone is gone is a damaged one.
      rmSync(join(home, "lyra.db"));
      rmSync(home, { recursive: true });
    },
    "was moved or removed",
  ],
  [
    "replaced",
    (home) => {
      // At once: a look in between would see it moved.
      cpSync(loaded, `${home}-other`, { recursive: true });
      renameSync(home, `${home}-elsewhere`);
      renameSync(`${home}-other`, home);
    },
    "has another store now",
  ],
];

/** The writer has made its segments, which it would make again in a home that is lost. */
const isAtRest = async (url: string) => {
  const { segments } = (await (await fetch(`${url}/status`)).json()) as { segments: number };
  return segments === 3;
};

test.each(ways)(
  "given a home that is %s, then /readyz turns, one line says so, and it ends when the home is back",
  async (_, lose, sentence) => {
    const home = scratch.path();
    cpSync(loaded, home, { recursive: true });
    const node = new ServingLyra(["serve", "--home", home]);
    const { url } = await node.listening();
    await eventually(async () => (await fetch(`${url}/readyz`)).ok);
    await eventually(() => isAtRest(url));
    lose(home);
    const ready = async () => {
      const answer = await fetch(`${url}/readyz`);
      const text = await answer.text();
      return [answer.status, answer.ok ? text : (JSON.parse(text) as { message: string }).message];
    };
    const lost = [503, "the home is lost: home_lost"];
    await eventually(async () => (await ready())[1] === lost[1]);
    expect(await ready()).toEqual(lost);
    if (existsSync(`${home}-elsewhere`)) {
      // Nothing has put a folder where it was.
      if (sentence.includes("moved")) expect(existsSync(home)).toBe(false);
      rmSync(home, { recursive: true, force: true });
      renameSync(`${home}-elsewhere`, home);
      await eventually(async () => (await ready())[0] === 200);
    }
    const { err } = await node.stop();
    const lines = err.split("\n").filter((line) => line.includes('"code":"home_lost"'));
    expect(lines).toHaveLength(1);
    expect(err.includes("is back in its place")).toBe(existsSync(join(home, "lyra.db")));
    expect(lines[0]).toContain(sentence);
  },
);

test("given a devnet whose home is moved, then /readyz turns, and one line says so", async () => {
  const home = scratch.path();
  const words = ["devnet", "--home", home, "--node-port", "0", "--data-port", "0", "--faucet-port", "0"];
  const devnet = new ListeningLyra<{ dataUrl: string }>(words);
  const { dataUrl } = await devnet.listens();
  await eventually(async () => (await fetch(`${dataUrl}/readyz`)).ok);
  renameSync(home, `${home}-elsewhere`);
  const lost = "the home is lost: home_lost";
  await eventually(async () => (await (await fetch(`${dataUrl}/readyz`)).text()).includes(lost));
  const { err } = await devnet.stop();
  expect(err.split("\n").filter((line) => line.includes('"code":"home_lost"'))).toHaveLength(1);
});
