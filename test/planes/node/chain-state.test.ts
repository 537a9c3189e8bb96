// Where the chain stands (docs/protocol/30-node-api-endpoints.md#51-coreservice;
// docs/protocol/00-interface.md#46-get-spam-statistics).
import { afterAll, describe, expect, test } from "bun:test";
import { removeChains } from "../../support/small-chain.ts";
import { CHAIN_ID } from "./fake-chain.ts";
import { PARTY, smallNode } from "./small-node.ts";

afterAll(removeChains);

const HASH = "7".padStart(64, "0");

test("/blockchain/height: the block and what a proof of work takes, two spaces a level", async () => {
  const { ask } = smallNode();
  const { status, text } = await ask("/blockchain/height");
  expect(status).toBe(200);
  expect(text).toBe(
    [
      "{",
      '  "height": "7",',
      `  "hash": "${HASH}",`,
      '  "spamPowHashFunction": "sha3_24_rounds",',
      '  "spamPowDifficulty": 15,',
      '  "spamPowNumberOfPastBlocks": 100,',
      '  "spamPowNumberOfTxPerBlock": 2,',
      '  "spamPowIncreasingDifficulty": true,',
      `  "chainId": "${CHAIN_ID}"`,
      "}",
    ].join("\n"),
  );
});

test("/blockchain/height before the first block is a 500 in the original's words", async () => {
  const { ask, chain } = smallNode();
  chain.tell({ height: 0, hash: "" });
  const { status, body } = await ask("/blockchain/height");
  expect(status).toBe(500);
  expect(body).toEqual({
    code: 2,
    message: "Failed to get last block height server is initialising",
    details: [],
  });
});

test("/blockchain/height: a quota beyond 32 bits is the most that the member can say", async () => {
  const { ask, chain } = smallNode();
  chain.tell({ pow: { ...chain.status.pow, txPerBlock: 1e30 } });
  expect((await ask("/blockchain/height")).body.spamPowNumberOfTxPerBlock).toBe(2 ** 32 - 1);
});

test("/time: Unix nanoseconds of the last block, all digits of it", async () => {
  const { ask } = smallNode();
  expect((await ask("/time")).text).toBe('{\n  "timestamp": "1659430807500000000"\n}');
});

test("/statistics: every member, in the protocol's order", async () => {
  const { ask } = smallNode();
  const { statistics } = (await ask("/statistics")).body;
  expect(statistics).toEqual({
    blockHeight: "7",
    backlogLength: "4",
    totalPeers: "0",
    genesisTime: "2022-08-02T09:00:00.5Z",
    currentTime: "2027-01-15T08:00:00.123456789Z",
    vegaTime: "2022-08-02T09:00:07.5Z",
    status: "CHAIN_STATUS_CONNECTED",
    txPerBlock: "5",
    averageTxBytes: "371",
    averageOrdersPerBlock: "0",
    tradesPerSecond: "0",
    ordersPerSecond: "0",
    totalMarkets: "0",
    totalAmendOrder: "0",
    totalCancelOrder: "0",
    totalCreateOrder: "0",
    totalOrders: "0",
    totalTrades: "0",
    orderSubscriptions: 0,
    tradeSubscriptions: 0,
    candleSubscriptions: 0,
    marketDepthSubscriptions: 0,
    positionsSubscriptions: 0,
    accountSubscriptions: 0,
    marketDataSubscriptions: 0,
    appVersionHash: "abc123",
    appVersion: "v0.71.6",
    chainVersion: "0.34.27",
    blockDuration: "1000000000",
    uptime: "2022-08-02T09:00:00.500000001Z",
    chainId: CHAIN_ID,
    marketDepthUpdatesSubscriptions: 0,
    blockHash: HASH,
    epochSeq: "2",
    epochStartTime: "2022-08-02T09:00:00.5Z",
    epochExpiryTime: "2022-08-02T09:01:00.5Z",
    eventCount: "1152921504606846976",
    eventsPerSecond: "12",
  });
  expect(Object.keys(statistics).slice(0, 7).join()).toBe(
    "blockHeight,backlogLength,totalPeers,genesisTime,currentTime,vegaTime,status",
  );
});

test("/statistics of a chain that has stopped, and of one whose blocks share a time", async () => {
  const { ask, chain } = smallNode();
  chain.tell({ halted: "the disk is full", previousTimeNs: chain.status.timeNs });
  const { statistics } = (await ask("/statistics")).body;
  expect(statistics.status).toBe("CHAIN_STATUS_DISCONNECTED");
  expect(statistics).toMatchObject({ blockDuration: "0", eventsPerSecond: "0" });
});

test("/statistics of a validator has its engine's peers and version", async () => {
  const { ask, chain } = smallNode();
  expect((await ask("/statistics")).body.statistics).toMatchObject({
    totalPeers: "0",
    chainVersion: "0.34.27",
  });
  chain.tell({
    consensus: {
      ...{ notReady: undefined, isConnected: true, sinceNs: 0n, version: "0.38.26", isCatchingUp: false },
      ...{
        peers: 3,
        validators: 4,
        blockNs: 0n,
        clockSkewSeconds: 0,
        doubleSigned: { count: 0, own: undefined },
      },
    },
  });
  expect((await ask("/statistics")).body.statistics).toMatchObject({
    totalPeers: "3",
    chainVersion: "0.38.26",
  });
});

describe("/statistics/spam/{partyId}", () => {
  test("a party that never sent anything: zero counts, and one block state", async () => {
    const { ask } = smallNode();
    const { status, body } = await ask(`/statistics/spam/${PARTY}`);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["chainId", "statistics"]);
    expect(body.chainId).toBe(CHAIN_ID);
    expect(body.statistics.transfers).toMatchObject({ countForEpoch: "0", minTokensRequired: "0" });
    expect(body.statistics.pow).toEqual({
      blockStates: [
        {
          blockHeight: "7",
          blockHash: HASH,
          transactionsSeen: "0",
          expectedDifficulty: "15",
          hashFunction: "sha3_24_rounds",
          difficulty: "15",
          txPerBlock: "2",
          increasingDifficulty: true,
        },
      ],
      numberOfPastBlocks: "100",
    });
  });

  test.each(["", "?partyId=abc", "x/y"])("no party in the path (%p) is a 400 or 404", async (rest) => {
    const { ask } = smallNode();
    const { status, body } = await ask(`/statistics/spam/${rest}`);
    if (rest.includes("/")) expect(status).toBe(404);
    else {
      expect(status).toBe(400);
      expect(body.details[0]).toMatchObject({ code: 10006, message: "empty or missing party ID" });
    }
  });

  test("parties are texts: any one has an answer, escapes are undone", async () => {
    const { ask, chain } = smallNode();
    const parties: string[] = [];
    const original = chain.spamStatistics.bind(chain);
    chain.spamStatistics = (party) => {
      parties.push(party);
      return original(party);
    };
    for (const text of ["nobody", "%61b", "a%20b", "%E2%82%AC", "null", "a?partyId=c"]) {
      expect((await ask(`/statistics/spam/${text}`)).status).toBe(200);
    }
    expect(parties).toEqual(["nobody", "ab", "a b", "€", "null", "a"]);
  });
});

test("/readyz says why the chain takes nothing", async () => {
  const { ask, chain } = smallNode();
  expect(await ask("/readyz")).toMatchObject({ status: 200, text: "ok" });
  chain.tell({ halted: "the disk is full" });
  expect(await ask("/readyz")).toMatchObject({
    status: 503,
    body: { code: 14, message: "the disk is full", details: [] },
  });
  chain.tell({ halted: undefined, hash: "" });
  expect((await ask("/readyz")).body.message).toBe("the chain has no block yet");
});
