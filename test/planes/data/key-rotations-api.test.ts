// Key rotations of validators, of both kinds, over small made-up chains
// (docs/protocol/10-data-api-endpoints.md#48-listkeyrotations and #49-listethereumkeyrotations).
import { afterAll, describe, expect, test } from "bun:test";
import { Field } from "../../../src/wire/block.ts";
import { encodeEthereumKeyRotation, encodeKeyRotation } from "../../../src/wire/generated/events.ts";
import {
  blockTime,
  chainOf,
  cursorOf,
  type Event,
  type Json,
  removeChains,
  walk,
} from "../../support/small-chain.ts";

afterAll(removeChains);

// docs/protocol/10-data-api-endpoints.md#48-listkeyrotations.
describe("key rotations", () => {
  // Node 01 rotates in blocks 1 to 10, node 02 in blocks 11 to 20.
  const rotation = (height: number): Event => [
    Field.keyRotation,
    encodeKeyRotation({
      nodeId: height <= 10 ? "01" : "02",
      oldPubKey: `CAFED00D${String(height).padStart(2, "0")}`,
      newPubKey: `cafed00d${String(height + 1).padStart(2, "0")}`,
      blockHeight: BigInt(height),
    }),
  ];
  const get = chainOf(Array.from({ length: 20 }, (_, i) => [rotation(i + 1)]));
  const at = (height: number) =>
    cursorOf({
      vega_time: blockTime(height),
      node_id: height <= 10 ? "01" : "02",
      old_pub_key: `cafed00d${String(height).padStart(2, "0")}`,
      new_pub_key: `cafed00d${String(height + 1).padStart(2, "0")}`,
    });
  const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i);
  const cases: [query: string, heights: number[], next: boolean, previous: boolean][] = [
    ["pagination.newestFirst=false", down(20, 1).reverse(), false, false],
    ["", down(20, 1), false, false],
    ["pagination.first=3", [20, 19, 18], true, false],
    ["pagination.last=3", [3, 2, 1], false, true],
    ["nodeId=01&pagination.newestFirst=false", down(10, 1).reverse(), false, false],
    [`nodeId=01&pagination.first=3&pagination.after=${at(8)}`, [7, 6, 5], true, true],
    [`nodeId=01&pagination.last=3&pagination.before=${at(3)}`, [6, 5, 4], true, true],
    [`pagination.first=3&pagination.after=${at(12)}`, [11, 10, 9], true, true],
    ["nodeId=ab", [], false, false],
  ];
  test.each(cases)("%s", async (query, heights, hasNext, hasPrevious) => {
    for (const literal of ["chain", "vega"]) {
      const { body } = await get(`/${literal}/keys/rotations?${query}`);
      const { edges, pageInfo } = body.rotations;
      expect(edges.map((edge: Json) => Number(edge.node.blockHeight))).toEqual(heights);
      expect([pageInfo.hasNextPage, pageInfo.hasPreviousPage]).toEqual([hasNext, hasPrevious]);
    }
  });

  test("a row shows lower-case keys, and its cursor has the documented members", async () => {
    const { body } = await get("/chain/keys/rotations?pagination.last=1");
    expect(body.rotations.edges).toEqual([
      {
        node: { nodeId: "01", oldPubKey: "cafed00d01", newPubKey: "cafed00d02", blockHeight: "1" },
        cursor: decodeURIComponent(at(1)),
      },
    ]);
  });

  test("a node id that is not hex is the client's fault, a foreign cursor is not told apart from a fault", async () => {
    const bad = await get("/chain/keys/rotations?nodeId=zz");
    expect([bad.status, bad.body.details[0].code]).toEqual([400, 340001]);
    expect(bad.body.details[0].inner).toStartWith("nodeID: zz: ");
    const foreign = await get(`/chain/keys/rotations?pagination.after=${cursorOf({ id: "01" })}`);
    expect([foreign.status, foreign.body.details[0].code]).toEqual([500, 340002]);
  });
});

test("Ethereum key rotations: every event is a row, equal ones too, and a walk gives each once", async () => {
  const rotation = (nodeId: string, from: number, height: number): Event => [
    Field.ethereumKeyRotation,
    encodeEthereumKeyRotation({
      nodeId,
      oldAddress: `0xA${from}`,
      newAddress: `0xB${from}`,
      blockHeight: BigInt(height),
    }),
  ];
  const get = chainOf([
    [rotation("02", 1, 1), rotation("01", 2, 1), rotation("01", 1, 1), rotation("01", 1, 1)],
    [rotation("01", 3, 2)],
  ]);
  const all = await get("/vega/keys/ethereum/rotations?pagination.newestFirst=false");
  const nodes = (answer: { body: Json }) => answer.body.keyRotations.edges.map((edge: Json) => edge.node);
  const first = { nodeId: "01", oldAddress: "0xa1", newAddress: "0xb1", blockHeight: "1" };
  expect(nodes(all)).toEqual([
    first,
    first,
    { nodeId: "01", oldAddress: "0xa2", newAddress: "0xb2", blockHeight: "1" },
    { nodeId: "02", oldAddress: "0xa1", newAddress: "0xb1", blockHeight: "1" },
    { nodeId: "01", oldAddress: "0xa3", newAddress: "0xb3", blockHeight: "2" },
  ]);
  const walked = await walk(get, "/chain/keys/ethereum/rotations?", 1);
  expect(walked).toEqual(nodes(all).reverse());
  expect(nodes(await get("/chain/keys/ethereum/rotations?nodeId=02"))).toHaveLength(1);
  // The documented members alone are a place too: the rows behind all that share them.
  const documented = cursorOf({
    vegaTime: blockTime(1),
    nodeID: "01",
    oldAddress: "0xa2",
    newAddress: "0xb2",
  });
  expect(nodes(await get(`/chain/keys/ethereum/rotations?pagination.after=${documented}`))).toEqual([
    first,
    first,
  ]);
});
