// Names that the page reads once: a failed read, and an answer that comes after the chain was another.
import { expect, test } from "bun:test";
import { NameCache } from "../../src/web/data/name-cache.ts";

function cacheOf(isFinal = false) {
  const reads: { id: string; answer: PromiseWithResolvers<string> }[] = [];
  const listeners = new Set<() => void>();
  const cache = new NameCache<string>({
    read(id) {
      const answer = Promise.withResolvers<string>();
      reads.push({ id, answer });
      return answer.promise;
    },
    isOpen: () => true,
    isFinal: () => isFinal,
    onBeat(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  /** Ends the newest read. */
  const end = async (name?: string) => {
    const { answer } = reads.at(-1)!;
    if (name === undefined) answer.reject(new Error("busy"));
    else answer.resolve(name);
    await answer.promise.catch(() => {});
    await Promise.resolve();
  };
  const beat = () => {
    for (const listener of [...listeners]) listener();
  };
  return { cache, reads, listeners, end, beat };
}

test("a name is read once, and one whose read failed again after the next block", async () => {
  const { cache, reads, listeners, end, beat } = cacheOf();
  expect(cache.of("one")).toBeUndefined();
  await end();
  expect(cache.of("one")).toBeUndefined();
  expect(reads.length).toBe(1);
  beat();
  expect(cache.of("one")).toBeUndefined();
  expect(reads.length).toBe(2);
  await end("One");
  expect(cache.of("one")).toBe("One");
  beat();
  expect(cache.of("one")).toBe("One");
  expect(reads.length).toBe(2);
  expect(listeners.size).toBe(0);
});

test("a name that the node does not know is not asked for again", async () => {
  const { cache, reads, end, beat } = cacheOf(true);
  cache.of("one");
  await end();
  beat();
  expect(cache.of("one")).toBeUndefined();
  expect(reads.length).toBe(1);
});

test("an answer of the chain before is dropped", async () => {
  const { cache, reads, end } = cacheOf();
  cache.of("one");
  const before = reads[0]!.answer;
  cache.clear();
  cache.of("one");
  before.resolve("Old");
  await before.promise;
  expect(cache.of("one")).toBeUndefined();
  await end("New");
  expect(cache.of("one")).toBe("New");
  // A failure of that chain says nothing of this one.
  cache.clear();
  cache.of("one");
  const late = reads.at(-1)!.answer;
  cache.clear();
  cache.of("one");
  late.reject(new Error("gone"));
  await late.promise.catch(() => {});
  await end("Newest");
  expect(cache.of("one")).toBe("Newest");
});
