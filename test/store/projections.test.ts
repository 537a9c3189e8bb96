// Refusals of the store and their messages; a block is stored whole or not at all.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";
import { type BlockEvent, Field } from "../../src/wire/block.ts";
import { Door, doors, message, START_HEIGHT } from "../rig/door.ts";
import { digestOf, MEMORY, Scratch } from "../rig/homes.ts";
import { messageOf } from "../rig/mutations.ts";

const scratch = new Scratch("projections", MEMORY);
let newDoor: () => Door;

beforeAll(async () => {
  newDoor = await doors(scratch);
});
afterAll(() => scratch.remove());

const ID = "ab".repeat(32);

describe("refused by name:", () => {
  const market = { id: ID, state: 5, tradingMode: 1 };
  const order = { id: ID, marketId: ID, partyId: ID, price: "1", version: 1n };
  const transfer = { id: ID, from: ID, to: ID, asset: ID, amount: "1" };
  const reward = { party: ID, asset: ID, market: "!", epochSeq: "1", amount: "1" };
  const account = { owner: "*", asset: ID, marketId: "!", type: 4 };
  const trigger = { horizon: 1n, probability: "p", auctionExtension: 1n };
  const cases: ReadonlyArray<readonly [field: number, fields: object, reason: string]> = [
    [
      Field.account,
      { ...account, balance: "1.5" },
      'balance is not a whole number of at most 256 bits: "1.5"',
    ],
    [Field.account, { ...account, balance: "-1" }, 'balance is not a whole number of at most 256 bits: "-1"'],
    [
      Field.account,
      { ...account, balance: String(2n ** 256n) },
      `balance is not a whole number of at most 256 bits: "${String(2n ** 256n).slice(0, 60)}..."`,
    ],
    [
      Field.account,
      { ...account, owner: "bob" },
      'owner is not a valid hex id (or well known exception): "bob"',
    ],
    [
      Field.ledgerMovements,
      { ledgerMovements: [{ entries: [{ toAccount: { assetId: "x" }, amount: "1" }], balances: [] }] },
      'ledger_movements.entries.to_account.asset_id is not a valid hex id (or well known exception): "x"',
    ],
    [Field.order, { ...order, version: 2n ** 31n }, "version does not fit 32 bits: 2147483648"],
    [Field.order, { ...order, size: 2n ** 63n }, "size is 2^63 or more: 9223372036854775808"],
    [Field.order, { ...order, status: 40_000 }, "status does not fit 16 bits: 40000"],
    [
      Field.order,
      { ...order, peggedOrder: { reference: 1, offset: "one" } },
      'pegged_order.offset is not a decimal number: "one"',
    ],
    [
      Field.order,
      { ...order, liquidityProvisionId: "xyz" },
      'liquidity_provision_id is not a valid hex id (or well known exception): "xyz"',
    ],
    [
      Field.deposit,
      { id: ID, asset: ID, partyId: ID, amount: "1", status: 9 },
      "status is no vega.Deposit.Status: 9",
    ],
    [Field.marketCreated, { ...market, state: 77 }, "state is no vega.Market.State: 77"],
    [
      Field.marketCreated,
      { ...market, positionDecimalPlaces: 1_000n },
      "position_decimal_places is not within 100: 1000",
    ],
    [
      Field.marketUpdated,
      { ...market, priceMonitoringSettings: { parameters: { triggers: [trigger] } } },
      'price_monitoring_settings.parameters.triggers.probability is not a decimal number: "p"',
    ],
    [
      Field.marketCreated,
      {
        ...market,
        liquidityMonitoringParameters: {
          triggeringRatio: "",
          auctionExtension: 0n,
          targetStakeParameters: { timeWindow: 1n, scalingFactor: Number.NaN },
        },
      },
      "liquidity_monitoring_parameters.target_stake_parameters.scaling_factor is not a finite number: NaN",
    ],
    [Field.marketData, { market: ID, trigger: 99 }, "trigger is no vega.AuctionTrigger: 99"],
    [Field.marketData, { market: ID, midPrice: "1e2000" }, 'mid_price has more than 984 digits: "1e2000"'],
    [
      Field.rewardPayout,
      { ...reward, percentOfTotalReward: "NaN" },
      'percent_of_total_reward is not a floating point number: "NaN"',
    ],
    [Field.rewardPayout, { ...reward, epochSeq: "-1" }, 'epoch_seq is not a whole number below 2^53: "-1"'],
    [Field.epochUpdate, { seq: 2n ** 53n }, "seq is 2^53 or more: 9007199254740992"],
    [
      Field.checkpoint,
      { hash: "ab", blockHeight: 2n ** 63n },
      "block_height is 2^63 or more: 9223372036854775808",
    ],
    [
      Field.transfer,
      { ...transfer, recurring: { startEpoch: 1n, factor: "1e5" } },
      'recurring.factor is not a decimal number of at most 200 characters: "1e5"',
    ],
    [
      Field.ethereumKeyRotation,
      { nodeId: ID, oldAddress: "0xAB", newAddress: "cd" },
      'new_address is not 0x and hex: "cd"',
    ],
    [
      Field.vote,
      { partyId: ID, proposalId: ID, totalGovernanceTokenWeight: "\u001b[31m" },
      'total_governance_token_weight is not a decimal number: "\\u001b[31m"',
    ],
  ];
  for (const [field, fields, reason] of cases) {
    test(reason.slice(0, 100), () => {
      const door = newDoor();
      const height = door.no;
      const refused = door.take([field, message(messageOf(field), fields)]);
      expect(refused).toMatchObject({ code: "block_invalid", exitCode: 1 });
      expect(refused!.message).toBe(`event ${START_HEIGHT + 1}-2 cannot be stored: ${reason}`);
      expect(door.no).toBe(height);
      door.close();
    });
  }
});

describe("a block is whole or not there:", () => {
  const good = (n: number) =>
    [
      Field.account,
      message("vega.Account", {
        owner: ID.slice(2) + n.toString(16).padStart(2, "0"),
        asset: ID,
        marketId: "!",
        type: 4,
      }),
    ] as const;
  const bad = [Field.account, message("vega.Account", { owner: "bob" })] as const;

  test("whichever of its events is refused, nothing of it stays", () => {
    const door = newDoor();
    const before = digestOf(door.home);
    for (let place = 0; place <= 20; place++) {
      const events = Array.from({ length: 20 }, (_, n) => good(n));
      const refused = door.take(...events.slice(0, place), bad, ...events.slice(place));
      expect(refused!.message).toStartWith(`event ${START_HEIGHT + 1}-${place + 2} cannot be stored: owner`);
      expect(digestOf(door.home)).toEqual(before);
    }
    expect(door.take(good(1))).toBeUndefined();
    door.close();
  });

  test("a second row in the place of the first names the event", () => {
    const door = newDoor();
    const checkpoint = message("vega.events.v1.CheckpointEvent", { hash: "ab", blockHeight: 1n });
    const events = [2, 2].map((seq) => ({ field: Field.checkpoint, seq, bytes: checkpoint }));
    const refused = door.takeBlock(events);
    expect(refused).toMatchObject({ code: "block_invalid" });
    expect(refused!.message).toStartWith(`event ${START_HEIGHT + 1}-2 cannot be stored: `);
    door.close();
  });
});

test("a market of any position decimal places that is stored can be traded on", () => {
  const door = newDoor();
  for (const places of [-100n, -17n, -1n, 100n]) {
    const market = message("vega.Market", {
      id: ID,
      positionDecimalPlaces: places,
      tradingMode: 1,
      state: 5,
    });
    const trade = message("vega.Trade", {
      id: ID,
      marketId: ID,
      price: "5",
      size: 3n,
      buyer: ID,
      seller: "ab",
    });
    const again = message("vega.Trade", {
      id: ID,
      marketId: ID,
      price: "7",
      size: 1n,
      buyer: ID,
      seller: "ab",
    });
    expect(door.take([Field.marketCreated, market])).toBeUndefined();
    expect(door.take([Field.trade, trade])).toBeUndefined();
    expect(door.take([Field.trade, again])).toBeUndefined();
  }
  expect(door.reader.failures()).toEqual([]);
  door.close();
});

test("positions of the longest numbers are read again after a restart", () => {
  const { home, close } = newDoor();
  close();
  const price = `0.${"7".repeat(190)}`;
  for (let i = 0; i < 20; i++) {
    const door = new Door(home);
    const settle = message("vega.events.v1.SettlePosition", {
      marketId: ID,
      partyId: ID,
      price,
      positionFactor: "1000",
      tradeSettlements: [{ size: 2n ** 62n - BigInt(i), price: "9".repeat(199), marketPrice: price }],
    });
    expect(door.take([Field.settlePosition, settle])).toBeUndefined();
    expect(door.reader.failures()).toEqual([]);
    door.close();
  }
});

test("balances are stored from a message alone: nothing encodes it for them", () => {
  const db = openWriter(mkdtempSync(join(tmpdir(), "lyra-balances-")));
  const home = dirname(db.filename);
  try {
    const writer = new BlockWriter(db);
    const hash = "AB".repeat(32);
    const account = (balance: string): BlockEvent => ({
      ...{ field: Field.account, seq: 2, tx: 0, start: 0 },
      message: { id: "one", owner: ID, asset: ID, marketId: "!", type: 4, balance },
      get bytes(): Uint8Array {
        throw new Error("it was encoded");
      },
      get end(): number {
        return this.bytes.length;
      },
    });
    const events = [account("1"), account("7")];
    writer.write({ chainId: "c", height: 1, timeNs: 1_000n, hash, txHashes: [hash], events });
    expect(db.query("SELECT balance FROM balances").all()).toEqual([{ balance: 7n }]);
  } finally {
    db.close();
    rmSync(home, { recursive: true, force: true });
  }
});
