// Profit and loss (docs/protocol/70-trading-events.md#95-how-position-rows-are-computed;
// docs/protocol/70-trading-scenarios.md#s22-pnl-rows): the engine's events make the rows of positions that the network
// has. Notation of statements and results: rig.ts.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openReader } from "../../../src/store/database.ts";
import { parsePosition } from "../../../src/store/project/position-state.ts";
import { Field } from "../../../src/wire/block.ts";
import { type Door, doors, message } from "../../rig/door.ts";
import { MEMORY, Scratch } from "../../rig/homes.ts";
import type { Play, RigEvent } from "./rig.ts";
import { LN, MILLIONS, market } from "./sample-markets.ts";

const scratch = new Scratch("pnl", MEMORY);
let newDoor: () => Door;
beforeAll(async () => {
  newDoor = await doors(scratch);
});
afterAll(() => scratch.remove());

const [P1, P2, P3, LP] = ["a1", "a2", "a3", "a4"].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string,
  string,
];
const MESSAGES: Readonly<Record<string, readonly [field: number, name: string]>> = {
  marketCreated: [Field.marketCreated, "vega.Market"],
  trade: [Field.trade, "vega.Trade"],
  settlePosition: [Field.settlePosition, "vega.events.v1.SettlePosition"],
};

function take(door: Door, events: readonly RigEvent[]): void {
  const payloads = events.flatMap(({ member, payload }) => {
    const [field, name] = MESSAGES[member] ?? [];
    return field === undefined ? [] : [[field, message(name!, payload)] as const];
  });
  expect(door.take(...payloads)).toBeUndefined();
}

/** Realised and unrealised profit, and the open volume, of P1. */
function rowOf(door: Door): [realised: string, unrealised: string, volume: bigint] {
  const db = openReader(door.home);
  const { state } = db
    .query(
      `SELECT p.state FROM positions_current c
       JOIN positions p ON p.block = c.block AND p.party = c.party AND p.market = c.market
       JOIN ids i ON i.ref = c.party WHERE lower(hex(i.bytes)) = ?`,
    )
    .get(P1) as { state: string };
  db.close();
  const { realised, unrealised, openVolume } = parsePosition(state);
  return [realised.toString(), unrealised.toString(), openVolume];
}

// docs/protocol/70-trading-scenarios.md#s22-pnl-rows
test("a reduced position's profit and loss in the store is that of the network", () => {
  const door = newDoor();
  const play: Play = market(LN).deposit(MILLIONS, P1, P2, P3, LP);
  let seen = 0;
  const toDoor = () => {
    const events = play.rig.events();
    take(door, events.slice(seen));
    seen = events.length;
  };
  play.run(`lp ${LP}(5000000, 0.001, BID-500, ASK+500)`);
  play.run(`${P2} B 1@900; ${P2} S 1@1100; ${P1} B 50@1000; ${P2} S 50@1000`).open();
  toDoor();
  expect(rowOf(door)).toEqual(["0", "0", 50n]);
  const steps = [
    [5, 1005, ["25", "225", 45n]],
    [5, 995, ["0", "-200", 40n]],
    [2, 1009, ["18", "342", 38n]],
  ] as const;
  for (const [size, price, row] of steps) {
    play.run(`${P3} B ${size}@${price}; ${P1} S ${size}@${price}; /`);
    toDoor();
    expect(rowOf(door)).toEqual([...row]);
  }
  door.close();
});
