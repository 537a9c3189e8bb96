// The door of the store: an event with a bad value is refused, with its id and the field's name, or it can be read
// again in every way there is. Each field of each stored message gets each bad value of its kind.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Dice } from "../../scripts/sample/seeded.ts";
import { Field } from "../../src/wire/block.ts";
import { type Door, doors, samplePayloads } from "../rig/door.ts";
import { MEMORY, Scratch } from "../rig/homes.ts";
import { type Mutation, messageOf, mutations, STORED_FIELDS } from "../rig/mutations.ts";
import { LENGTH, SEED } from "../support/seed.ts";

/** Where the API shows what an event brought. */
const SHOWN: Readonly<Record<number, readonly string[]>> = {
  [Field.ledgerMovements]: ["/api/v2/ledgerentry/history", "/api/v2/accounts"],
  [Field.order]: [
    "/api/v2/orders",
    "/api/v2/order/{order_id}",
    "/api/v2/order/versions/{order_id}",
    "/api/v2/market/depth/{market_id}/latest",
  ],
  [Field.account]: ["/api/v2/accounts", "/api/v2/balance/changes"],
  [Field.party]: ["/api/v2/parties", "/api/v2/party/{party_id}"],
  [Field.trade]: [
    "/api/v2/trades",
    "/api/v2/market/{market_id}/trade/latest",
    "/api/v2/candle",
    "/api/v2/positions",
  ],
  [Field.marginLevels]: ["/api/v2/margin/levels"],
  [Field.proposal]: ["/api/v2/governances", "/api/v2/governance", "/api/v2/erc20/asset/limits/bundle"],
  [Field.vote]: ["/api/v2/votes", "/api/v2/governances"],
  [Field.marketData]: [
    "/api/v2/market/data/{market_id}",
    "/api/v2/market/data/{market_id}/latest",
    "/api/v2/markets/data",
  ],
  [Field.nodeSignature]: ["/api/v2/node/signatures"],
  [Field.lossSocialization]: ["/api/v2/positions"],
  [Field.settlePosition]: ["/api/v2/positions"],
  [Field.settleDistressed]: ["/api/v2/positions"],
  [Field.marketCreated]: ["/api/v2/markets", "/api/v2/market/{market_id}"],
  [Field.asset]: ["/api/v2/assets", "/api/v2/asset/{asset_id}", "/api/v2/erc20/asset/list/bundle"],
  [Field.withdrawal]: [
    "/api/v2/withdrawals",
    "/api/v2/withdrawal/{id}",
    "/api/v2/erc20/asset/withdrawal/bundle",
  ],
  [Field.deposit]: ["/api/v2/deposits", "/api/v2/deposit/{id}"],
  [Field.riskFactor]: ["/api/v2/markets"],
  [Field.networkParameter]: ["/api/v2/network/parameters", "/api/v2/network/data"],
  [Field.liquidityProvision]: ["/api/v2/liquidity/provisions"],
  [Field.marketUpdated]: ["/api/v2/markets", "/api/v2/market/{market_id}", "/api/v2/positions"],
  [Field.oracleSpec]: ["/api/v2/oracle/specs", "/api/v2/oracle/spec/{oracle_spec_id}"],
  [Field.oracleData]: ["/api/v2/oracle/data"],
  [Field.delegationBalance]: ["/api/v2/delegations", "/api/v2/nodes", "/api/v2/epoch"],
  [Field.validatorScore]: ["/api/v2/nodes", "/api/v2/epoch"],
  [Field.epochUpdate]: ["/api/v2/epoch", "/api/v2/network/data", "/api/v2/nodes"],
  [Field.validatorUpdate]: ["/api/v2/nodes", "/api/v2/node/{id}", "/api/v2/network/data"],
  [Field.stakeLinking]: ["/api/v2/parties/{party_id}/stake"],
  [Field.rewardPayout]: ["/api/v2/rewards", "/api/v2/rewards/summaries", "/api/v2/rewards/epoch/summaries"],
  [Field.checkpoint]: ["/api/v2/checkpoints"],
  [Field.keyRotation]: ["/api/v2/chain/keys/rotations", "/api/v2/nodes"],
  [Field.networkLimits]: ["/api/v2/network/limits"],
  [Field.transfer]: ["/api/v2/transfers"],
  [Field.validatorRanking]: ["/api/v2/nodes", "/api/v2/epoch"],
  [Field.multisigSignerAdded]: ["/api/v2/erc20/multisigcontrol/signer/added/bundles"],
  [Field.multisigSignerRemoved]: ["/api/v2/erc20/multisigcontrol/signer/removed/bundles"],
  [Field.ethereumKeyRotation]: ["/api/v2/chain/keys/ethereum/rotations", "/api/v2/nodes"],
  [Field.protocolUpgradeProposal]: ["/api/v2/upgrade/proposals"],
  [Field.settleMarket]: ["/api/v2/positions"],
  [Field.coreSnapshot]: ["/api/v2/snapshots"],
  [Field.distressedOrders]: ["/api/v2/positions"],
  [Field.expiredOrders]: ["/api/v2/orders"],
  [Field.distressedPositions]: ["/api/v2/positions"],
};

const scratch = new Scratch("projections-fuzz", MEMORY);
let newDoor: () => Door;

beforeAll(async () => {
  newDoor = await doors(scratch);
});
afterAll(() => scratch.remove());

/** Faults in a store's handling of one bad value. */
function judge(door: Door, field: number, mutation: Mutation): string[] {
  const height = door.no + 1;
  const refused = door.take([field, mutation.bytes]);
  if (!refused) {
    return [...door.reader.csvFailures(height, height), ...door.reader.apiFailures(new Set(SHOWN[field]))];
  }
  const wrong: string[] = [];
  if (refused.code !== "block_invalid") wrong.push(`the code is ${refused.code}`);
  const words = refused.message.match(/^event \d+-2 cannot be stored: (\S+) /);
  const named = mutation.path.split(".").at(-1)!;
  if (words?.[1]?.split(".").at(-1) !== named) wrong.push(`it does not name the field: ${refused.message}`);
  if (/\p{C}/u.test(refused.message)) wrong.push("the message holds control characters");
  return wrong;
}

describe("a bad value in any field is refused by name, or can be read again:", () => {
  const payloads = samplePayloads();
  const dice = new Dice(SEED);
  // A market's update has the message of its creation.
  for (const field of STORED_FIELDS.filter((one) => one !== Field.marketUpdated)) {
    const message = messageOf(field);
    test(`${field} ${message}`, () => {
      const door = newDoor();
      for (const mutation of mutations(message, payloads.get(field) ?? new Uint8Array(0))) {
        if (dice.below(1_000) >= LENGTH * 1_000) continue;
        const wrong = judge(door, field, mutation);
        if (wrong.length > 0) {
          const value =
            typeof mutation.value === "string" ? mutation.value.slice(0, 80) : String(mutation.value);
          throw new Error(`${mutation.path} = ${JSON.stringify(value)}: ${wrong.join("\n").slice(0, 800)}`);
        }
      }
      expect(door.reader.failures()).toEqual([]);
      door.close();
    });
  }
});
