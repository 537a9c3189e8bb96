// The simulated Ethereum of several validators: calls come in turn, and all see what they changed.
import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { serveEthereum } from "../../src/validator/ethereum-server.ts";
import { EthereumState } from "../../src/validator/ethereum-state.ts";
import { SharedEthereum } from "../../src/validator/shared-ethereum.ts";
import { Scratch } from "../rig/homes.ts";
import { eventually, turns } from "../support/eventually.ts";
import { nodeRefusal } from "../support/node-refusal.ts";

const scratch = new Scratch("ethereum");
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A contract that counts. */
function counter() {
  let count = 0;
  return { save: () => String(count), load: (text: string) => (count = Number(text)), add: () => ++count };
}

async function follower(url: string) {
  const copy = counter();
  let changes = 0;
  const shared = new SharedEthereum(url, copy, () => changes++);
  void shared.follow();
  closing.push(() => shared.stop());
  return { copy, shared, changes: () => changes };
}

test.each(["/turn", "/turn/end"])("a page cannot call %s, whatever it sends", async (path) => {
  const server = serveEthereum({ port: 0 });
  closing.push(() => server.stop());
  const headers = { origin: "https://page.example", "content-type": "text/plain" };
  const body = JSON.stringify({ token: "1", state: "forged" });
  const answer = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
  expect(answer.status).toBe(403);
  expect(await (await fetch(`${server.url}/state`)).json()).toEqual({ version: 0, state: "" });
  // No turn was taken.
  const turn = await fetch(`${server.url}/turn`, { method: "POST" });
  expect(await turn.json()).toMatchObject({ token: "1" });
});

describe("calls", () => {
  test("of several validators come one after the other, and each is seen by all", async () => {
    const server = serveEthereum({ port: 0 });
    closing.push(() => server.stop());
    const followers = await Promise.all([follower(server.url), follower(server.url), follower(server.url)]);
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const { shared, copy } = followers[n % 3]!;
        return shared.inTurn(async () => {
          const count = copy.add();
          await turns();
          order.push(count);
        });
      }),
    );
    expect(order).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    await eventually(() => followers.every(({ copy }) => copy.save() === "12"));
    expect(followers.every(({ changes }) => changes() > 0)).toBe(true);
  });

  test("that fail end their turn", async () => {
    const server = serveEthereum({ port: 0 });
    closing.push(() => server.stop());
    const { shared, copy } = await follower(server.url);
    const failing = shared.inTurn(() => Promise.reject(new Error("reverted")));
    await expect(failing).rejects.toThrow("reverted");
    expect(await shared.inTurn(async () => copy.add())).toBe(1);
  });

  test("find the state where a process before left it", async () => {
    const file = scratch.path("ethereum.json");
    const first = serveEthereum({ port: 0, file });
    const before = await follower(first.url);
    await before.shared.inTurn(async () => before.copy.add());
    before.shared.stop();
    await first.stop();
    const second = serveEthereum({ port: 0, file });
    closing.push(() => second.stop());
    const { copy } = await follower(second.url);
    await eventually(() => copy.save() === "1");
  });

  test("say that the process does not answer", async () => {
    const server = serveEthereum({ port: 0 });
    await server.stop();
    const shared = new SharedEthereum(server.url, counter(), () => {});
    await expect(shared.inTurn(async () => {})).rejects.toMatchObject({ code: "ethereum_away" });
  });
});

/** The chain has seen events up to this count. */
const seenUpTo = (count: number) => (state: string) =>
  Number(state) < count ? `the chain has seen ${count}, and it has ${state}` : undefined;

/** A process that can be started again at its address with another state, without a wait for those that ask. */
function restartable(state: string, version: number) {
  const stateOf = (text: string, at: number) => {
    const file = scratch.path(`state-${at}.json`);
    writeFileSync(file, JSON.stringify({ version: at, state: text }));
    return new EthereumState(file);
  };
  let current = stateOf(state, version);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/state")
        return Response.json(await current.after(Number(searchParams.get("after")), 5));
      if (pathname === "/turn") return Response.json(await current.takeTurn());
      const { token, state: next } = (await request.json()) as { token: string; state?: string };
      return Response.json(current.endTurn(token, next));
    },
  });
  closing.push(() => server.stop(true));
  return {
    url: `http://127.0.0.1:${server.port}`,
    begin: (text: string, at: number) => {
      current = stateOf(text, at);
    },
    state: () => current.view.state,
  };
}

describe("an Ethereum that lost its state", () => {
  test("is refused by a validator that has not followed it, and goes on once its file is back", async () => {
    const ethereum = restartable("", 0);
    const copy = counter();
    let changes = 0;
    const shared = new SharedEthereum(ethereum.url, copy, () => changes++, seenUpTo(3));
    void shared.follow();
    closing.push(() => shared.stop());
    await expect(shared.inTurn(async () => copy.add())).rejects.toMatchObject({
      code: "ethereum_behind",
      message: expect.stringContaining("the chain has seen 3, and it has 0"),
    });
    expect([copy.save(), changes, ethereum.state()]).toEqual(["0", 0, ""]);
    ethereum.begin("4", 5);
    await eventually(() => copy.save() === "4");
    expect(await shared.inTurn(async () => copy.add())).toBe(5);
  });

  test("gets it back from a validator that has followed it", async () => {
    const ethereum = restartable("6", 7);
    const copy = counter();
    const shared = new SharedEthereum(ethereum.url, copy, () => {}, seenUpTo(6));
    void shared.follow();
    closing.push(() => shared.stop());
    await eventually(() => copy.save() === "6");
    ethereum.begin("", 0);
    await eventually(() => ethereum.state() === "6");
    expect(await shared.inTurn(async () => copy.add())).toBe(7);
  });
});

test("a state that cannot be loaded is said once, changes nothing, and is not taken for loaded", async () => {
  const lines: string[] = [];
  const log = spyOn(process.stderr, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  closing.push(() => log.mockRestore());
  const ethereum = restartable("2", 1);
  let count = "0";
  const copy = {
    save: () => count,
    load(text: string) {
      count = text;
      if (text === "damaged") throw new TypeError("undefined is not an object");
    },
  };
  let changes = 0;
  const shared = new SharedEthereum(ethereum.url, copy, () => changes++);
  void shared.follow();
  closing.push(() => shared.stop());
  await eventually(() => changes === 1);
  ethereum.begin("damaged", 2);
  for (let n = 0; n < 2; n++)
    await expect(shared.inTurn(async () => {})).rejects.toMatchObject({
      code: "ethereum_invalid",
      message: expect.stringContaining("undefined is not an object"),
    });
  await eventually(() => lines.some((line) => line.includes("ethereum_invalid")));
  expect([ethereum.state(), count, changes]).toEqual(["damaged", "2", 1]);
  ethereum.begin("3", 3);
  await eventually(() => count === "3");
  expect(lines.filter((line) => line.includes("ethereum_invalid"))).toHaveLength(1);
});

test.each([
  "null",
  "{",
  "[]",
  '{"version":"1","state":""}',
  '{"version":-1,"state":""}',
  '{"version":1,"state":5}',
])("a file with %s is not the state of an Ethereum, and nothing is served over it", (text) => {
  const file = scratch.path("damaged.json");
  writeFileSync(file, text);
  const refusal = nodeRefusal(() => new EthereumState(file));
  expect(refusal).toMatchObject({ code: "ethereum_file_unreadable" });
  expect(refusal.message).toContain(file);
});

describe("a turn", () => {
  test("is over for a caller that kept it too long: the next one's change counts", async () => {
    const ethereum = new EthereumState(undefined, 1);
    const slow = await ethereum.takeTurn();
    const next = await ethereum.takeTurn();
    expect(() => ethereum.endTurn(slow.token, "late")).toThrow("is over");
    expect(ethereum.endTurn(next.token, "in time")).toEqual({ version: 1, state: "in time" });
    expect(ethereum.view.state).toBe("in time");
  });
});
