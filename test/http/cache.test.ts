// The page cache: the same answer until the next block, never one from before it, and each form of an answer apart.
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { cacheKey, PageCache } from "../../src/http/page-cache.ts";
import { turns } from "../support/eventually.ts";
import { parameterEvent, ServedChain } from "../support/served-chain.ts";

const PATH = "/api/v2/network/parameters";
const KEY = "a.key";

describe("answers over a socket", () => {
  const served = new ServedChain();
  afterAll(() => served.stop());
  let value = 0;
  beforeEach(() => served.commit(parameterEvent(KEY, String(++value))));

  const ask = async (path = PATH, headers: Record<string, string> = {}) => {
    const response = await fetch(served.url + path, { headers });
    return { text: await response.text(), headers: response.headers };
  };
  const parameterValue = (text: string) => JSON.parse(text).networkParameters.edges[0].node.value;

  test("until the next block an answer asked for again is taken from the cache, headers and all", async () => {
    const first = await ask();
    const hits = served.cacheHits();
    for (let i = 1; i <= 3; i++) {
      const again = await ask();
      expect(again.text).toBe(first.text);
      for (const name of ["content-type", "x-block-height", "x-block-timestamp", "vary", "content-length"])
        expect([name, again.headers.get(name)]).toEqual([name, first.headers.get(name)]);
      // The second asking has it kept, the third and later ones take it.
      expect(served.cacheHits()).toBe(hits + i - 1);
    }
  });

  test("after a commit no answer is from before it", async () => {
    for (let i = 0; i < 50; i++) {
      await ask();
      served.commit(parameterEvent(KEY, String(++value)));
      const { text, headers } = await ask();
      expect([parameterValue(text), headers.get("x-block-height")]).toEqual([
        String(value),
        String(served.height),
      ]);
    }
  });

  test("a block without rows for the list is a new height all the same", async () => {
    await ask();
    served.commit();
    expect((await ask()).headers.get("x-block-height")).toBe(String(served.height));
  });

  test("while a writer commits, heights never go back and each answer is that of its height", async () => {
    const valueAt = new Map([[served.height, value]]);
    let isWriting = true;
    const write = async () => {
      for (let i = 0; i < 40; i++) {
        served.commit(parameterEvent(KEY, String(++value)));
        valueAt.set(served.height, value);
        await turns(3);
      }
      isWriting = false;
    };
    const read = async () => {
      let highest = 0;
      while (isWriting) {
        const { text, headers } = await ask();
        const height = Number(headers.get("x-block-height"));
        expect(height).toBeGreaterThanOrEqual(highest);
        expect(parameterValue(text)).toBe(String(valueAt.get(height)));
        highest = height;
      }
    };
    await Promise.all([write(), read(), read(), read(), read()]);
  });

  test("forms and origins are not mixed", async () => {
    const forms = [undefined, "application/json+pretty", "application/json+stream", "text/html"];
    const answers = async () => {
      const texts: string[] = [];
      for (const accept of forms) texts.push((await ask(PATH, accept ? { accept } : {})).text);
      return texts;
    };
    const [plain, pretty, stream, html] = await answers();
    expect(pretty).toContain("\n ");
    expect(stream).not.toContain("false");
    expect(html).toBe(plain!);
    expect(await answers()).toEqual([plain!, pretty!, stream!, html!]);
    for (const origin of ["https://a.example", "https://b.example"]) {
      const { headers } = await ask(PATH, { origin });
      expect(headers.get("access-control-allow-origin")).toBe(origin);
    }
    expect((await ask()).headers.get("access-control-allow-origin")).toBeNull();
  });

  test("errors are not kept; HEAD is answered from the cache, and other methods get nothing from it", async () => {
    const missing = "/api/v2/network/parameters/none";
    await ask(missing);
    const hits = served.cacheHits();
    await ask(missing);
    expect(served.cacheHits()).toBe(hits);
    await ask();
    for (const method of ["POST", "DELETE"])
      expect((await fetch(served.url + PATH, { method })).status).toBe(501);
    await ask();
    const before = served.cacheHits();
    expect((await fetch(served.url + PATH, { method: "HEAD" })).status).toBe(200);
    expect(served.cacheHits()).toBe(before + 1);
  });

  test("a question in other words has an answer of its own", async () => {
    await ask(`${PATH}?pagination.first=1`);
    expect((await ask(`${PATH}?pagination.last=1`)).text).toContain('"hasPreviousPage":false');
    expect((await ask(`${PATH}/${KEY}`)).text).toBe(
      `{"networkParameter":{"key":"${KEY}","value":"${value}"}}`,
    );
  });
});

describe("the cache itself", () => {
  const answer = (bytes: number) => ({ body: new Uint8Array(bytes), headers: {} });

  test("forgets everything with a new version", () => {
    let version = 1;
    const cache = new PageCache(1_000, () => version);
    cache.get("a");
    cache.put("a", answer(1));
    expect(cache.get("a")).toBeDefined();
    version = 2;
    expect([cache.get("a"), cache.get("a")]).toEqual([undefined, undefined]);
  });

  test("never holds more bytes than it may", () => {
    const cache = new PageCache(1_000, () => 1);
    for (let i = 0; i < 100; i++) {
      cache.get(`key ${i}`);
      cache.put(`key ${i}`, answer(300));
      const kept = Array.from({ length: i + 1 }, (_, k) => cache.get(`key ${k}`)).filter((one) => one);
      expect(kept.length).toBeLessThanOrEqual(3);
      expect(cache.get(`key ${i}`)).toBeDefined();
    }
  });

  test("remembers no more of long addresses than of short ones", () => {
    const cache = new PageCache(1_000, () => 1);
    const address = (i: number) => `${i}${"x".repeat(15_000)}`;
    for (let i = 0; i < 1_000; i++) cache.isAskedAgain(address(i));
    const remembered = Array.from({ length: 1_000 }, (_, i) => cache.isAskedAgain(address(999 - i)));
    expect(remembered.indexOf(false)).toBeGreaterThan(0);
    expect(remembered.indexOf(false) * 15_000).toBeLessThanOrEqual(4 * 1024 * 1024);
  });

  test("does not keep large answers", () => {
    const cache = new PageCache(10_000_000, () => 1);
    cache.get("a");
    cache.put("a", answer(1_000_000));
    expect(cache.get("a")).toBeUndefined();
  });

  test("tells forms of an answer apart, and takes no address for a form", () => {
    const key = (url: string, accept?: string) =>
      cacheKey(new Request(url, accept === undefined ? {} : { headers: { accept } }));
    const keys = [key("http://h/a"), key("http://h/a", "application/json+stream"), key("http://h/a?pretty")];
    expect(new Set(keys).size).toBe(3);
    expect(key("http://h/a", "text/html")).toBe(key("http://h/a"));
  });
});
