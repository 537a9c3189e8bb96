// Fixtures over a stack of snapshots as the devnet keeps it: one that is reverted to takes the later ones away.
import { expect, test } from "bun:test";
import { NodeError } from "../../src/errors/node-error.ts";
import { fixture } from "../../src/package/fixture.ts";

/** Its whole state is a list of words. */
class Words {
  state: string[] = [];
  private snapshots: { id: number; state: string[] }[] = [];
  private taken = 0;

  async snapshot(): Promise<string> {
    this.snapshots.push({ id: ++this.taken, state: [...this.state] });
    return String(this.taken);
  }

  async revert(id: string): Promise<void> {
    const snapshot = this.snapshots.find((each) => String(each.id) === id);
    if (!snapshot) throw new NodeError("test", "snapshot_unknown", `there is no snapshot ${id}`);
    this.snapshots = this.snapshots.filter((each) => each.id <= snapshot.id);
    this.state = [...snapshot.state];
  }
}

function start() {
  const words = new Words();
  const runs: string[] = [];
  const adding =
    (word: string, before: () => Promise<unknown> = async () => {}) =>
    async (of: Words) => {
      runs.push(word);
      await before();
      of.state.push(word);
      return { word };
    };
  return { words, runs, adding };
}

test("a setup runs once, and each call takes the devnet back to the state behind it", async () => {
  const { words, runs, adding } = start();
  words.state.push("before");
  const one = fixture(words, adding("one"));
  const first = await one();
  words.state.push("dirt");
  expect(await one()).toBe(first);
  expect([words.state, runs]).toEqual([["before", "one"], ["one"]]);
});

test("a devnet may be given by a function, for one that starts after the fixture is declared", async () => {
  const { words, runs, adding } = start();
  let later: Words | undefined;
  const one = fixture(() => later!, adding("one"));
  later = words;
  expect((await one()).word).toBe("one");
  later = new Words();
  await one();
  expect([later.state, runs]).toEqual([["one"], ["one", "one"]]);
});

test("a fixture's state does not depend on the order of tests, nor on what they left", async () => {
  const { words, runs, adding } = start();
  const one = fixture(words, adding("one"));
  const two = fixture(words, adding("two"));
  for (const [use, state] of [
    [one, ["one"]],
    [two, ["two"]],
    [one, ["one"]],
    [one, ["one"]],
    [two, ["two"]],
  ] as const) {
    await use();
    expect(words.state).toEqual([...state]);
    words.state.push("dirt");
  }
  expect(runs).toEqual(["one", "two", "one", "two"]);
});

test("a fixture that extends another continues from its state, and both run once", async () => {
  const { words, runs, adding } = start();
  const inner = fixture(words, adding("inner"));
  const outer = inner.extend(async (of, { word }) => {
    expect(word).toBe("inner");
    return adding("outer")(of);
  });
  await inner();
  words.state.push("dirt");
  await outer();
  expect(words.state).toEqual(["inner", "outer"]);
  await outer();
  await inner();
  expect(words.state).toEqual(["inner"]);
  expect(runs).toEqual(["inner", "outer"]);
  await outer();
  expect([words.state, runs]).toEqual([
    ["inner", "outer"],
    ["inner", "outer", "outer"],
  ]);
});

test("a setup may begin with a call of another fixture", async () => {
  const { words, runs, adding } = start();
  const inner = fixture(words, adding("inner"));
  const outer = fixture(words, adding("outer", inner));
  await outer();
  words.state.push("dirt");
  await outer();
  expect(words.state).toEqual(["inner", "outer"]);
  await inner();
  expect([words.state, runs]).toEqual([["inner"], ["outer", "inner"]]);
});

test("given a test that reverted to something earlier than any fixture, then the setup runs again there", async () => {
  const { words, runs, adding } = start();
  const earlier = await words.snapshot();
  words.state.push("later");
  const one = fixture(words, adding("one"));
  await one();
  expect(words.state).toEqual(["later", "one"]);
  await words.revert(earlier);
  await one();
  words.state.push("dirt");
  await one();
  expect([words.state, runs]).toEqual([["one"], ["one", "one"]]);
});

test("calls at the same time come one after the other", async () => {
  const { words, runs, adding } = start();
  const pause = () => new Promise((resolve) => setImmediate(resolve));
  const one = fixture(words, adding("one", pause));
  const two = fixture(words, adding("two", pause));
  const both = fixture(words, async () => {
    await Promise.all([one(), pause()]);
    words.state.push("both");
  });
  await Promise.all([one(), two(), one(), both(), two()]);
  expect(words.state).toEqual(["two"]);
  expect(runs.filter((word) => word === "one").length).toBeGreaterThan(0);
  await both();
  expect(words.state).toEqual(["one", "both"]);
});

test("a setup that fails is told to its caller and runs again; one that calls itself is refused", async () => {
  const { words } = start();
  let runs = 0;
  const one = fixture(words, async () => {
    words.state.push("half");
    if (++runs === 1) throw new Error("no luck");
    return runs;
  });
  await expect(one()).rejects.toThrow("no luck");
  expect(await one()).toBe(2);
  expect(words.state).toEqual(["half"]);
  const itself: () => Promise<unknown> = fixture(words, () => itself());
  await expect(itself()).rejects.toMatchObject({ code: "usage" });
  expect([await one(), words.state]).toEqual([3, ["half"]]);
});
