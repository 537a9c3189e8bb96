// Rewards and their sums over a small made-up chain (docs/protocol/10-data-api-endpoints.md#42-listrewards to
// #44-listepochrewardsummaries).
import { afterAll, describe, expect, test } from "bun:test";
import { percentText } from "../../../src/planes/data/rewards.ts";
import { Field } from "../../../src/wire/block.ts";
import { encodeRewardPayoutEvent } from "../../../src/wire/generated/events.ts";
import {
  A1,
  A2,
  chainOf,
  cursorOf,
  type Event,
  id,
  type Json,
  M,
  nodes,
  P1,
  P2,
  removeChains,
  walk,
} from "../../support/small-chain.ts";

afterAll(removeChains);

interface Reward {
  party?: string;
  asset?: string;
  epoch: number;
  amount: number;
  market?: string;
  type?: string;
}
const reward = ({ party = P1, asset = A1, epoch, amount, market = "!", type = "T" }: Reward): Event => [
  Field.rewardPayout,
  encodeRewardPayoutEvent({
    party: party.toUpperCase(),
    asset,
    epochSeq: String(epoch),
    amount: String(amount),
    percentOfTotalReward: "0.2000",
    timestamp: 1_234_567_899n,
    rewardType: type,
    market,
  }),
];

// docs/protocol/10-data-api-endpoints.md#42-listrewards.
describe("rewards", () => {
  const epochs = [637, 642, 643, 737, 741, 744, 747, 757, 1025, 1027];
  const get = chainOf(epochs.map((epoch) => [reward({ epoch, amount: 1 })]));
  const oldest = "pagination.newestFirst=false&";
  const cases: [query: string, epochs: number[], next: boolean, previous: boolean][] = [
    [oldest, epochs, false, false],
    [`${oldest}pagination.first=3`, [637, 642, 643], true, false],
    [`${oldest}pagination.first=3&pagination.after=643`, [737, 741, 744], true, true],
    [`${oldest}pagination.last=3`, [757, 1025, 1027], false, true],
    [`${oldest}pagination.last=3&pagination.before=757`, [741, 744, 747], true, true],
    ["pagination.first=3", [1027, 1025, 757], true, false],
    ["pagination.first=3&pagination.after=757", [747, 744, 741], true, true],
    ["fromEpoch=747&toEpoch=1025", [1025, 757, 747], false, false],
    ["fromEpoch=9223372036854775807", [], false, false],
  ];
  for (const [query, want, next, previous] of cases) {
    test(`${query} gives ${want}`, async () => {
      // A cursor with the original's members alone is good too.
      const sent = query.replace(/(after|before)=(\d+)/, (_, side, epoch) => {
        return `${side}=${cursorOf({ party_id: P1, asset_id: A1, epoch_id: Number(epoch) })}`;
      });
      const { body } = await get(`/rewards?partyId=${P1}&assetId=${A1}&${sent}`);
      expect(nodes(body.rewards).map((node: Json) => Number(node.epoch))).toEqual(want);
      expect(body.rewards.pageInfo).toMatchObject({ hasNextPage: next, hasPreviousPage: previous });
    });
  }

  test.each([
    ["/rewards?fromEpoch=9223372036854775808", 230001],
    ["/rewards?toEpoch=18446744073709551615", 230001],
    ["/rewards/epoch/summaries?filter.fromEpoch=18446744073709551615", 140001],
    ["/rewards/epoch/summaries?filter.toEpoch=9223372036854775808", 140001],
  ])("%s: an epoch that no column can hold is an error", async (path, code) => {
    const { status, body } = await get(path);
    expect([status, body.code, body.details[0].code]).toEqual([500, 13, code]);
  });

  test("a node in full: ids in lower case, no market, time in microseconds", async () => {
    const { body } = await get("/rewards?pagination.last=1");
    expect(nodes(body.rewards)).toEqual([
      {
        assetId: A1,
        partyId: P1,
        epoch: "637",
        amount: "1",
        percentageOfTotal: "0.2",
        receivedAt: "1234567000",
        marketId: "",
        rewardType: "T",
      },
    ]);
  });

  test("an epoch of many rows is walked row by row", async () => {
    const amounts = [1, 2, 3, 4, 5, 6, 7];
    const tied = chainOf([amounts.map((amount) => reward({ epoch: 5, amount }))]);
    const walked = await walk(tied, "/rewards?", 2);
    expect(walked.map((node) => Number(node.amount))).toEqual(amounts.toReversed());
  });

  test("percentages print as shortest doubles, small ones with an exponent", () => {
    const texts = ["100.0", "33.333333333333333333", "0.0001", "0.00001", "0.00000012", "0"];
    expect(texts.map(percentText)).toEqual(["100", "33.333333333333336", "0.0001", "1e-05", "1.2e-07", "0"]);
  });
});

// docs/protocol/10-data-api-endpoints.md#43-listrewardsummaries.
describe("reward summaries", () => {
  const get = chainOf([
    [
      reward({ party: P1, asset: A1, epoch: 1, amount: 100 }),
      reward({ party: P1, asset: A2, epoch: 2, amount: 100 }),
      reward({ party: P2, asset: A1, epoch: 3, amount: 100 }),
      reward({ party: P2, asset: A2, epoch: 4, amount: 100 }),
    ],
    [reward({ party: P2, asset: A2, epoch: 5, amount: 100, market: M, type: "U" })],
  ]);
  const all: [string, string, string][] = [
    [A1, P1, "100"],
    [A2, P1, "100"],
    [A1, P2, "100"],
    [A2, P2, "200"],
  ];
  const cases: [query: string, rows: [string, string, string][]][] = [
    [`partyId=${P2}&assetId=${A2}`, [all[3]!]],
    [`partyId=${P2.toUpperCase()}`, [all[2]!, all[3]!]],
    ["", all],
    ["partyId=&assetId=", all],
    [`assetId=${A1}`, [all[0]!, all[2]!]],
    [`partyId=${id(0x77)}`, []],
    ["pagination.first=3", all.slice(0, 3)],
    ["pagination.last=1", all.slice(3)],
    [`pagination.after=${cursorOf({ party_id: P1, asset_id: A2 })}`, all.slice(2)],
    ["pagination.first=0", all],
    ["pagination.first=1&pagination.after=x&pagination.before=y", all],
    [`pagination.first=1&pagination.after=${cursorOf({ party_id: "zz", asset_id: A2 })}`, all],
  ];
  for (const [query, want] of cases) {
    test(`"${query}" gives ${want.length} rows`, async () => {
      const { body } = await get(`/rewards/summaries?${query}`);
      expect(body).toEqual({
        summaries: want.map(([assetId, partyId, amount]) => ({ assetId, partyId, amount })),
      });
    });
  }

  test("an undecodable id is the client's error", async () => {
    const { status, body } = await get("/rewards/summaries?partyId=zz");
    expect([status, body.details[0].code]).toEqual([400, 140001]);
    expect(body.details[0].inner).toEndWith("decoding 'zz': not a valid hex id (or well known exception)");
  });
});

// docs/protocol/10-data-api-endpoints.md#44-listepochrewardsummaries.
describe("reward summaries by epoch", () => {
  const epoch = (n: number, factor: number): Event[] =>
    [
      [A1, M, [100, 200, 300]],
      [A1, "!", [110, 220, 330]],
      [A2, M, [400, 500, 600]],
      [A2, "!", [410, 520, 630]],
    ].flatMap(([asset, market, amounts]) =>
      (amounts as number[]).map((amount, i) =>
        reward({
          party: id(i),
          epoch: n,
          amount: amount * factor,
          asset: asset as string,
          market: market as string,
        }),
      ),
    );
  const get = chainOf([epoch(1, 1), epoch(2, 100)]);
  const first = ["1 a1  660", "1 a1 3e 600", "1 a2  1560", "1 a2 3e 1500"];
  const second = ["2 a1  66000", "2 a1 3e 60000", "2 a2  156000", "2 a2 3e 150000"];
  const cases: [query: string, rows: string[]][] = [
    ["", [...first, ...second]],
    ["filter.fromEpoch=2", second],
    ["filter.toEpoch=1", first],
    ["filter.fromEpoch=1&filter.toEpoch=1", first],
    ["filter.marketIds=&filter.toEpoch=1", [first[0]!, first[2]!]],
    [`filter.marketIds=&filter.marketIds=${M}&filter.assetIds=${A2}&filter.toEpoch=1`, first.slice(2)],
    [`filter.assetIds=${id(9)}`, []],
  ];
  for (const [query, want] of cases) {
    test(`"${query}" gives ${want.length} rows`, async () => {
      const { body } = await get(`/rewards/epoch/summaries?pagination.newestFirst=false&${query}`);
      const rows = nodes(body.summaries).map(
        (n: Json) => `${n.epoch} ${n.assetId.slice(0, 2)} ${n.marketId.slice(0, 2)} ${n.amount}`,
      );
      expect(rows).toEqual(want);
    });
  }

  test("a walk gives every row once", async () => {
    expect(await walk(get, "/rewards/epoch/summaries?", 3)).toHaveLength(8);
  });
});
