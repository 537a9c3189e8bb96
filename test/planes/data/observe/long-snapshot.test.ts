// A snapshot of thousands: all of it is of one height, whatever is committed while its pages are taken.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Observation } from "../../../../src/planes/data/observe/observation.ts";
import { Field } from "../../../../src/wire/block.ts";
import { encodeAccount } from "../../../../src/wire/generated/vega.ts";
import { StreamedChain, sampleBlocks, settled } from "../../../support/streamed-chain.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

const ACCOUNTS = 3_000;
const ASSET = "f0".repeat(32);
const party = (n: number) => `ee${n.toString(16).padStart(62, "0")}`;
const owned = (n: number, balance: number) =>
  encodeAccount({ id: `${n}`, owner: party(n), asset: ASSET, type: 4, balance: `${balance}` });

let chain: StreamedChain;
beforeEach(async () => {
  chain = new StreamedChain(await sampleBlocks());
  chain.commit(10);
  chain.write(
    Field.account,
    Array.from({ length: ACCOUNTS }, (_, n) => owned(n, 1_000)),
  );
});
afterEach(() => chain.close());

const open = () => chain.plane.streams.observe("ObserveAccounts", { asset: ASSET });

/** All messages up to the last page, with what `between` does while they are taken. */
async function pages(observation: Observation, between: () => void): Promise<Json[]> {
  const messages: Json[] = [];
  for (let turn = 0; !messages.at(-1)?.snapshot?.lastPage; turn++) {
    const message = observation.poll();
    if (message !== undefined) messages.push(JSON.parse(message.textIn("stream")));
    else {
      between();
      await settled();
    }
    if (turn > 10_000) throw new Error("it does not end");
  }
  return messages;
}

describe("a long snapshot", () => {
  test("is whole, and the updates go on behind it", async () => {
    // Each block moves something from one account to another: the sum stays, at every height alone.
    const balances = new Array<number>(ACCOUNTS).fill(1_000);
    let moves = 0;
    const move = () => {
      if (moves >= 60) return;
      const [from, to] = [(moves * 7) % ACCOUNTS, (ACCOUNTS - 1 - moves * 11) % ACCOUNTS];
      moves++;
      balances[from]! -= 10;
      balances[to]! += 10;
      chain.write(Field.account, [owned(from, balances[from]!), owned(to, balances[to]!)]);
    };
    const observation = await open();
    const messages = await pages(observation, move);
    expect(messages.length).toBe(ACCOUNTS / 50);
    expect(messages.every(({ snapshot }) => snapshot !== undefined)).toBe(true);
    const accounts: Json[] = messages.flatMap(({ snapshot }) => snapshot.accounts);
    expect(new Set(accounts.map(({ owner }) => owner)).size).toBe(ACCOUNTS);
    expect(accounts.reduce((sum, { balance }) => sum + Number(balance), 0)).toBe(ACCOUNTS * 1_000);
    while (moves < 60) move();
    const state = new Map<string, string>(accounts.map(({ owner, balance }) => [owner, balance]));
    let height = observation.height;
    for (let one = observation.poll(); one !== undefined; one = observation.poll()) {
      expect(one.height).toBe(++height);
      for (const { owner, balance } of JSON.parse(one.textIn("stream")).updates.accounts)
        state.set(owner, balance);
    }
    expect(height).toBe(chain.height);
    expect([...state].sort()).toEqual(
      balances.map((balance, n): [string, string] => [party(n), `${balance}`]).sort(),
    );
  });

  test("more of them than there are connections wait for their turn; one that leaves gives up its own", async () => {
    const observations = await Promise.all(Array.from({ length: 30 }, open));
    for (const leaving of observations.splice(0, 10)) leaving.close();
    for (const each of observations) expect(await pages(each, () => {})).toHaveLength(ACCOUNTS / 50);
    for (const each of observations) each.close();
    expect(chain.plane.streams.count).toBe(0);
    expect(await pages(await open(), () => {})).toHaveLength(ACCOUNTS / 50);
  });
});
