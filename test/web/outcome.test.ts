// The block of a transaction that the page has sent: looked for in new blocks, for a while.
import { expect, test } from "bun:test";
import type { Activity } from "../../src/http/chain-bodies.ts";
import { outcomeOf } from "../../src/web/data/outcome.ts";

const HASH = "AB".repeat(32);

function chain() {
  let height = 100;
  let transactions: object[] = [];
  const listeners = new Set<() => void>();
  const paths: string[] = [];
  const read = Promise.withResolvers<void>();
  let looked = read;
  return {
    paths,
    listeners,
    looked: () => looked.promise,
    block(sent: object[] = []) {
      height++;
      transactions = sent;
      looked = Promise.withResolvers();
      for (const listener of listeners) listener();
    },
    node: {
      height: () => height,
      async read(path: string) {
        paths.push(path);
        looked.resolve();
        return { transactions } as unknown as Activity;
      },
      onBeat(listener: () => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}

test("the outcome is read once after each new block, from the last blocks alone", async () => {
  const { node, paths, listeners, block, looked } = chain();
  const never = new AbortController().signal;
  const outcome = outcomeOf(HASH.toLowerCase(), node, never, never);
  await looked();
  block();
  await looked();
  block([{ hash: HASH, height: 102, code: 70, error: "no funds" }]);
  expect(await outcome).toMatchObject({ height: 102, code: 70, error: "no funds" });
  expect(paths).toEqual([90, 90, 91].map((after) => `/lyra/v1/transactions?limit=200&after=${after}.0`));
  expect(listeners.size).toBe(0);
});

test("the outcome is nothing where the wait is over, and the signal's reason where the form is closed", async () => {
  const { node, looked } = chain();
  const [until, closing] = [new AbortController(), new AbortController()];
  const over = outcomeOf(HASH, node, until.signal, new AbortController().signal);
  const closed = outcomeOf(HASH, node, new AbortController().signal, closing.signal);
  await looked();
  until.abort();
  closing.abort(new Error("closed"));
  expect(await over).toBeUndefined();
  await expect(closed).rejects.toThrow("closed");
});
