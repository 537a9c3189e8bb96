// Ledger entries and their export over a small made-up chain (docs/protocol/10-data-api-endpoints.md#513-ledger-entries).
import { afterAll, describe, expect, test } from "bun:test";
import { ServerStatus } from "../../../src/http/status.ts";
import { dataApp } from "../../../src/planes/data/app.ts";
import { exportLedgerEntries } from "../../../src/planes/data/ledger.ts";
import { DataPlane } from "../../../src/planes/data/plane.ts";
import { Field } from "../../../src/wire/block.ts";
import { encodeLedgerMovements } from "../../../src/wire/generated/events.ts";
import {
  A1,
  A2,
  blockNs,
  type Event,
  id,
  type Json,
  M,
  nodes,
  openChain,
  P1,
  P2,
  removeChains,
  walk,
} from "../../support/small-chain.ts";

afterAll(removeChains);

// docs/protocol/10-data-api-endpoints.md#513-ledger-entries.
describe("ledger", () => {
  const GENERAL = 4;
  const MARGIN = 3;
  const account = (owner: string | undefined, type: number, assetId: string, marketId?: string) => ({
    owner,
    type,
    assetId,
    marketId,
  });
  const entry = (fromAccount: object, toAccount: object, amount: number, type: number) => ({
    fromAccount,
    toAccount,
    amount: String(amount),
    type,
    timestamp: 5n,
    fromAccountBalance: "0",
    toAccountBalance: "9223372036854775808",
  });
  const movements = (...entries: object[]): Event => [
    Field.ledgerMovements,
    encodeLedgerMovements({ ledgerMovements: [{ entries: entries as Json[] }] }),
  ];
  const outside = account(undefined, 10, A1);
  const { get, context } = openChain([
    [
      movements(
        entry(outside, account(P1, GENERAL, A1), 1, 19),
        entry(account(P1, GENERAL, A1), account(P1, MARGIN, A1, M), 2, 6),
      ),
    ],
    [movements(entry(account(P1, GENERAL, A1), account(P2, GENERAL, A1), 3, 22))],
    [movements(entry(account(P2, GENERAL, A2), account(P1, GENERAL, A2), 4, 22))],
    [movements(entry(outside, account(P2, GENERAL, A1), 5, 19))],
  ]);
  const amounts = async (query: string) => {
    const { body } = await get(`/ledgerentry/history?pagination.newestFirst=false&${query}`);
    return nodes(body.ledgerEntries).map((node: Json) => Number(node.quantity));
  };
  const from = (party: string) => `filter.fromAccountFilter.partyIds=${party}`;
  const to = (party: string) => `filter.toAccountFilter.partyIds=${party}`;
  const seconds = (height: number) => blockNs(height);

  const cases: [query: string, amounts: number[]][] = [
    [to(P1), [1, 2, 4]],
    [from(P1), [2, 3]],
    [`${from(P1)}&${to(P1)}`, [1, 2, 3, 4]],
    [`${from(P1)}&${to(P1)}&filter.closeOnAccountFilters=true`, [2]],
    [`${from(P1)}&${to(P2)}`, [2, 3, 5]],
    [`${from(P1)}&${to(P2)}&filter.closeOnAccountFilters=true`, [3]],
    [`${from("network")}&${to(P2)}&filter.closeOnAccountFilters=true`, [5]],
    [`${to(P1)}&filter.transferTypes=TRANSFER_TYPE_DEPOSIT`, [1]],
    [`${to(P1)}&filter.toAccountFilter.accountTypes=ACCOUNT_TYPE_MARGIN`, [2]],
    [`${to(P1)}&filter.toAccountFilter.marketIds=${M}`, [2]],
    [`${to(P1)}&filter.toAccountFilter.assetId=${A2}`, [4]],
    // A side without a party chooses among the entries of the party that is named.
    [`${from(P1)}&filter.toAccountFilter.accountTypes=ACCOUNT_TYPE_GENERAL`, [1, 2, 3, 4]],
    [`${from(P1)}&filter.toAccountFilter.assetId=${A2}`, [2, 3, 4]],
    [`${to(id(0x77))}`, []],
    [`${to(P1)}&dateRange.startTimestamp=${seconds(3) + 999_999_999n}`, [4]],
    [`${to(P1)}&dateRange.endTimestamp=${seconds(3) + 999_999_999n}`, [1, 2]],
  ];
  for (const [query, want] of cases) {
    test(`${query.replaceAll("0".repeat(62), "").slice(0, 120)} gives ${want}`, async () => {
      expect(await amounts(query)).toEqual(want);
    });
  }

  test("a walk gives every row once, also inside a block and over two parties", async () => {
    const walked = await walk(get, `/ledgerentry/history?${from(P1)}&${to(P2)}&`, 1);
    expect(walked.map((node) => Number(node.quantity))).toEqual([5, 3, 2]);
  });

  test("empty members are left out", async () => {
    const { body } = await get(`/ledgerentry/history?${to(P1)}&pagination.last=1`);
    expect(nodes(body.ledgerEntries)).toEqual([
      {
        timestamp: String(blockNs(1)),
        quantity: "1",
        transferType: "TRANSFER_TYPE_DEPOSIT",
        assetId: A1,
        fromAccountType: "ACCOUNT_TYPE_EXTERNAL",
        toAccountType: "ACCOUNT_TYPE_GENERAL",
        fromAccountPartyId: "network",
        toAccountPartyId: P1,
        fromAccountBalance: "0",
        toAccountBalance: "9223372036854775808",
      },
    ]);
  });

  test("no party, an empty one, or two on one side, is refused", async () => {
    const refused = ["", `${to(P1)}&${to(P2)}`, "filter.transferTypes=1", from(""), to("")];
    for (const query of [...refused, `${from("")}&${to("")}`, `${from(P1)}&${to("")}&${to("")}`]) {
      const { status, body } = await get(`/ledgerentry/history?${query}`);
      expect([status, body.details[0].code]).toEqual([500, 260001]);
    }
  });

  const exportOf = (request: object) =>
    exportLedgerEntries(context, { partyId: P1, assetId: A1, ...request } as Json);
  const csvAmounts = async (dateRange: object) =>
    (await exportOf({ dateRange }).text())
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",")[1]);

  test("the export: effect on the party, empty market quoted, asset and dates bind to every row", async () => {
    const response = exportOf({});
    expect(response.headers.get("content-type")).toBe("text/csv");
    expect(response.headers.get("content-disposition")).toBe(
      `attachment;filename=ledger_entries_${P1}_${A1}.csv`,
    );
    const [header, ...lines] = (await response.text()).split("\n");
    expect(header).toStartWith("vega_time,quantity,effect,transfer_type,asset_id,");
    expect(lines).toEqual([
      `2022-08-02 09:01:00+00,1,1,TRANSFER_TYPE_DEPOSIT,${A1},"",network,EXTERNAL,0,"",${P1},GENERAL,9223372036854775808`,
      `2022-08-02 09:01:00+00,2,0,TRANSFER_TYPE_MARGIN_LOW,${A1},"",${P1},GENERAL,0,${M},${P1},MARGIN,9223372036854775808`,
      `2022-08-02 09:02:00+00,3,-3,TRANSFER_TYPE_TRANSFER_FUNDS_SEND,${A1},"",${P1},GENERAL,0,"",${P2},GENERAL,9223372036854775808`,
      "",
    ]);
    expect(await csvAmounts({ startTimestamp: seconds(2) })).toEqual(["3"]);
    expect(await csvAmounts({ endTimestamp: seconds(2) })).toEqual(["1", "2"]);
  });

  test("the export's file is named after its range", () => {
    const name = exportOf({
      dateRange: { startTimestamp: seconds(1) + 1n, endTimestamp: seconds(2) },
    }).headers;
    expect(name.get("content-disposition")).toEndWith("_2022-08-02T09_01_00Z-2022-08-02T09_02_00Z.csv");
  });

  test("a bad request to the export is told by its status, in an envelope of its own", async () => {
    const wrong: [object, number][] = [
      [{ partyId: "" }, 10014],
      [{ partyId: "network" }, 10000],
      [{ assetId: "" }, 10017],
      [{ assetId: "zz" }, 10038],
    ];
    for (const [request, code] of wrong) {
      const response = exportOf(request);
      const { error } = (await response.json()) as Json;
      expect([response.status, error.code, error.details[0].code]).toEqual([400, 3, code]);
    }
  });

  test("a long export is read while it is taken, and a client that leaves ends it", async () => {
    const count = 5_000;
    const many = Array.from({ length: count }, (_, i) => entry(outside, account(P1, GENERAL, A1), i, 19));
    const long = openChain([[movements(...many)]]);
    let reads = 0;
    const all = long.context.all.bind(long.context);
    Object.assign(long.context, {
      all: (...args: Parameters<typeof all>) => {
        reads++;
        return all(...args);
      },
    });
    const request = { partyId: P1, assetId: A1 };
    const text = await exportLedgerEntries(long.context, request).text();
    expect(text.split("\n")).toHaveLength(count + 2);
    const readsOfAll = reads;
    reads = 0;
    let ends = 0;
    const left = exportLedgerEntries(long.context, request, () => ends++).body!.getReader();
    await left.read();
    await left.read();
    await left.cancel();
    expect(ends).toBe(1);
    expect(reads).toBeLessThan(readsOfAll);
  });

  test("an export that fails half-way ends with the error, and is counted", async () => {
    const many = Array.from({ length: 5_000 }, (_, i) => entry(outside, account(P1, GENERAL, A1), i, 19));
    const long = openChain([[movements(...many)]]);
    let reads = 0;
    const all = long.context.all.bind(long.context);
    Object.assign(long.context, {
      all: (...args: Parameters<typeof all>) => {
        if (++reads > 2) throw new Error("the disk is gone");
        return all(...args);
      },
    });
    const status = new ServerStatus();
    const app = dataApp(new DataPlane(long.context), status);
    const url = `http://host/api/v2/ledgerentry/export?partyId=${P1}&assetId=${A1}`;
    const response = await app.fetch(new Request(url));
    expect(response.status).toBe(200);
    expect(JSON.parse((await response.text()).trim().split("\n").at(-1)!).error.details[0].code).toBe(260002);
    expect([status.counts.exportsFailed, status.counts.exportsRunning]).toEqual([1, 0]);
  });
});
