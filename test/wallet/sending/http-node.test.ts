// A node over HTTP, and all that can be at an address instead of one.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { viewOf } from "../../../src/wallet/sending/blocks.ts";
import { HttpNode } from "../../../src/wallet/sending/http-node.ts";
import { NetworkRefusal } from "../../../src/wallet/sending/nodes.ts";
import { OpenWallets } from "../../../src/wallet/service/open-wallets.ts";
import { codeOf, failureOf } from "../support/failures.ts";
import { bytes, cheapStore, PASSPHRASE } from "../support/wallets.ts";

const HEIGHT = {
  height: "7",
  hash: "ab".repeat(32),
  spamPowHashFunction: "sha3_24_rounds",
  spamPowDifficulty: 15,
  spamPowNumberOfPastBlocks: 100,
  spamPowNumberOfTxPerBlock: 2,
  spamPowIncreasingDifficulty: true,
  chainId: "c",
  aMemberOfALaterVersion: 1,
};
const STATISTICS = {
  chainId: "c",
  statistics: {
    pow: {
      blockStates: [
        {
          blockHeight: "7",
          blockHash: "ab".repeat(32),
          transactionsSeen: "3",
          expectedDifficulty: "18446744073709551615",
          hashFunction: "sha3_24_rounds",
          difficulty: "15",
          txPerBlock: "2",
          increasingDifficulty: true,
        },
      ],
      bannedUntil: "1672533000999999999",
      numberOfPastBlocks: "100",
    },
    epochSeq: "4",
  },
};

let answer: (request: Request) => Response | Promise<Response> = () => new Response("");
let server: ReturnType<typeof Bun.serve>;
let node: HttpNode;
beforeAll(() => {
  server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => answer(request) });
  node = new HttpNode(`http://127.0.0.1:${server.port}/`, { timeoutMs: 5_000, submitTimeoutMs: 5_000 });
});
afterAll(() => server.stop(true));

describe("a node", () => {
  test.each([
    [{ height: 7, release: { chain: "v0.71.6", program: "v0.72.0" } }, "v0.71.6"],
    [{ height: 7 }, undefined],
    [{ release: { chain: 7 } }, undefined],
  ])("whose status is %p says that its chain runs the release %p", async (status, release) => {
    answer = (request) => Response.json(request.url.endsWith("/status") ? status : {});
    expect(await node.chainRelease()).toBe(release);
  });

  test("says the block of a transaction, of which only new blocks are read", async () => {
    const paths: string[] = [];
    let height = 500;
    let newest: object[] = [];
    const older = Array.from({ length: 100 }, (_, index) => ({ hash: `0${index}`, cursor: `499.${index}` }));
    answer = (request) => {
      const { pathname, search, searchParams } = new URL(request.url);
      paths.push(pathname + search);
      const headers = { "x-block-height": String(height) };
      if (pathname === "/lyra/v1/addresses") return Response.json({ listening: [] }, { headers });
      // A miss of this one is a search of the whole chain.
      if (pathname !== "/lyra/v1/transactions") return new Response("{}", { status: 404, headers });
      return Response.json({ transactions: searchParams.has("before") ? newest : older }, { headers });
    };
    expect(await node.inclusion("AB")).toBe("pending");
    height = 520;
    expect(await node.inclusion("AB")).toBe("pending");
    newest = [{ hash: "AB", height: 521, code: 70, error: "no funds" }];
    expect(await node.inclusion("AB")).toEqual({ height: 521n, code: 70, reason: "no funds" });
    const of = (after: string) => [
      `/lyra/v1/transactions?limit=100&after=${after}`,
      `/lyra/v1/transactions?limit=100&after=${after}&before=499.99`,
    ];
    expect(paths).toEqual(["/lyra/v1/addresses", ...of("490.0"), ...of("490.0"), ...of("510.0")]);
    answer = () => new Response("not Lyra's", { status: 404 });
    expect(await node.inclusion("CD")).toBeUndefined();
  });

  test("says its last block", async () => {
    answer = () => Response.json(HEIGHT);
    expect(await node.lastBlock()).toEqual({
      chainId: "c",
      height: 7n,
      hash: HEIGHT.hash,
      hashFunction: "sha3_24_rounds",
      difficulty: 15,
      pastBlocks: 100n,
      txPerBlock: 2n,
      increasingDifficulty: true,
    });
  });

  test("says a party's statistics, numbers of 64 bits whole", async () => {
    answer = ({ url }) =>
      url.endsWith("/statistics/spam/p%2Fq") ? Response.json(STATISTICS) : new Response("", { status: 404 });
    const { statistics } = await node.spamStatistics("p/q");
    expect(statistics?.pow?.blockStates[0]?.expectedDifficulty).toBe(18446744073709551615n);
    expect([statistics?.pow?.bannedUntil, statistics?.epochSeq]).toEqual(["1672533000999999999", 4n]);
  });

  test("says an asset's name, or that there is none", async () => {
    answer = () => Response.json({ assets: [{ id: "a", details: { symbol: "VEGA", decimals: "18" } }] });
    expect(await node.asset("a")).toEqual({ symbol: "VEGA", decimals: 18 });
    expect(await node.asset("b")).toBeUndefined();
  });

  test("says what prices and sizes of a market are in, and which asset is staked", async () => {
    const paths: string[] = [];
    const future = { settlementAsset: "a", quoteName: "USD" };
    const markets = [
      {
        id: "m",
        decimalPlaces: "5",
        positionDecimalPlaces: "-1",
        tradableInstrument: { instrument: { code: "TEA", future } },
      },
    ];
    const networkParameters = [{ key: "reward.asset", value: "a2" }];
    answer = ({ url }) => {
      paths.push(new URL(url).pathname + new URL(url).search);
      return Response.json(url.includes("/markets") ? { markets } : { networkParameters });
    };
    expect(await node.market("m")).toEqual({
      ...{ code: "TEA", quoteName: "USD", settlementAsset: "a", decimals: 5, positionDecimals: -1 },
    });
    expect(await node.market("n &")).toBeUndefined();
    expect(await node.stakeAsset()).toBe("a2");
    networkParameters.length = 0;
    expect(await node.stakeAsset()).toBeUndefined();
    expect(paths.slice(0, 3)).toEqual([
      "/markets?market=m",
      "/markets?market=n%20%26",
      "/network/parameters?networkParameterKey=reward.asset",
    ]);
  });

  test("takes a transaction, refuses one, or has it already", async () => {
    answer = () => Response.json({ success: true, txHash: "AB", code: 0, data: "", height: "0" });
    expect(await node.submit(bytes("x"), "TYPE_SYNC")).toEqual({
      txHash: "AB",
      code: 0,
      reason: "",
      height: 0n,
    });
    answer = () => Response.json({ success: true, txHash: "AB", code: 89, data: "4E4F", height: "0" });
    expect(await node.submit(bytes("x"), "TYPE_SYNC")).toMatchObject({ code: 89, reason: "NO" });
    answer = () =>
      Response.json(
        { code: 13, message: "Internal error", details: [{ message: "tx already exists in cache" }] },
        { status: 500 },
      );
    expect(await codeOf(() => node.submit(bytes("x"), "TYPE_SYNC"))).toBe("node_refused");
  });

  test("has no room for one in its mempool: it was not taken, and may be sent again", async () => {
    const full = "mempool is full: number of txs 5000 (max: 5000), total txs bytes 900 (max: 1073741824)";
    const details = [{ code: 10_000, message: full, inner: "" }];
    answer = () => Response.json({ code: 13, message: "Internal error", details }, { status: 500 });
    const failure = await failureOf(() => node.submit(bytes("x"), "TYPE_SYNC"));
    expect(failure.code).toBe("node_busy");
    expect(failure.message).toContain(full);
    expect(failure.message).toEndWith("it was not taken");
  });

  test("has no time for one, or gave it up half-way", async () => {
    answer = () => Response.json({ code: 8, message: "too many requests" }, { status: 429 });
    const failure = await failureOf(() => node.submit(bytes("x"), "TYPE_SYNC"));
    expect([failure.code, failure.message]).toEqual([
      "node_busy",
      "the node answered 429: too many requests; nothing was sent",
    ]);
    const halted = [{ "@type": "", code: 10000, message: "protocol upgrade; nothing was sent", inner: "" }];
    answer = () => Response.json({ code: 13, message: "Internal error", details: halted }, { status: 500 });
    expect(await codeOf(() => node.submit(bytes("x"), "TYPE_SYNC"))).toBe("node_refused");
    answer = () => Response.json({ code: 1, message: "context canceled" }, { status: 408 });
    expect(await codeOf(() => node.submit(bytes("x"), "TYPE_SYNC"))).toBe("outcome_unknown");
  });
});

test.each([{}, { status: "ok" }, { success: true, code: "x" }, { success: true, code: 1.5 }])(
  "a submission answered by %p may have been taken",
  async (odd) => {
    answer = () => Response.json(odd);
    expect(await codeOf(() => node.submit(bytes("x"), "TYPE_SYNC"))).toBe("outcome_unknown");
  },
);

test("a refusal names the way to its explanation, and no text of a node that a shell would read", () => {
  expect(new NetworkRefusal(70, "margin check failed").hint).toBe("see: lyra explain 'margin check failed'");
  expect(new NetworkRefusal(70, "no'; reboot").hint).toBe("see: lyra explain 70");
});

test("no more past blocks are remembered than a network can have", async () => {
  const numberOfPastBlocks = "18446744073709551615";
  answer = ({ url }) =>
    url.endsWith("/height")
      ? Response.json({ height: "7", spamPowNumberOfPastBlocks: 4294967295 })
      : Response.json({
          statistics: { pow: { numberOfPastBlocks, blockStates: [{ blockHeight: "7", blockHash: "a" }] } },
        });
  expect((await node.lastBlock()).pastBlocks).toBe(500n);
  expect(viewOf(await node.spamStatistics("p"))!.pastBlocks).toBe(500n);
});

describe("something else", () => {
  const cases: readonly (readonly [
    name: string,
    answer: () => Response | Promise<Response>,
    code: string,
  ])[] = [
    ["a page", () => new Response("<html>"), "node_unreachable"],
    ["an object of another kind", () => Response.json({ height: {} }), "node_unreachable"],
    ["a list", () => Response.json([]), "node_unreachable"],
    ["an error", () => Response.json({ message: "no" }, { status: 500 }), "node_refused"],
    ["too much", () => Response.json({ message: "no" }, { status: 429 }), "node_busy"],
    ["a proxy alone", () => new Response("<html>", { status: 502 }), "node_busy"],
    ["another address", () => Response.redirect("http://127.0.0.1:1/"), "node_unreachable"],
    ["no end", () => new Response("x".repeat(5_000_000)), "node_unreachable"],
  ];
  test.each(cases)("%s", async (_name, reply, code) => {
    answer = reply;
    expect(await codeOf(() => node.lastBlock())).toBe(code);
  });

  test("silence", async () => {
    answer = () => new Promise<Response>(() => {});
    const hasty = new HttpNode(`http://127.0.0.1:${server.port}/`, { timeoutMs: 50, submitTimeoutMs: 50 });
    expect(await codeOf(() => hasty.lastBlock())).toBe("node_unreachable");
  });

  test("an address that is none", async () => {
    for (const address of ["", "node", "ftp://x", "http://user:secret@x"]) {
      expect(await codeOf(() => new HttpNode(address))).toBe("usage");
    }
    expect(await codeOf(() => new HttpNode("http://127.0.0.1:1").lastBlock())).toBe("node_unreachable");
  });
});

test("wallets lock after idle time, and not while they are used", async () => {
  const store = cheapStore();
  await store.create({ name: "w", passphrase: PASSPHRASE });
  let nowMs = 0;
  const wallets = new OpenWallets({ store, idleMs: 1_000, nowMs: () => nowMs, checkMs: 0, onLost: () => {} });
  await wallets.unlock("w", PASSPHRASE);
  for (nowMs = 900; nowMs < 5_000; nowMs += 900) expect(wallets.get("w")?.isLocked).toBe(false);
  nowMs += 1_000;
  expect(wallets.get("w")).toBeUndefined();
  const again = await wallets.unlock("w", PASSPHRASE);
  wallets.close();
  expect(again.isLocked).toBe(true);
});
