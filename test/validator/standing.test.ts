// A validator's place among the others: peers, power, the last block that it signed, and the transactions that it owes.
import { afterAll, expect, test } from "bun:test";
import { CometClient, CometUnreachable } from "../../src/comet/client.ts";
import type { Duty } from "../../src/engine/ports.ts";
import { standingOf } from "../../src/validator/standing.ts";

const ADDRESS = "0A1B2C3D4E5F60718293A4B5C6D7E8F901234567";
const NODE = "ab".repeat(32);
const PEER = "7c3fa2b1d4e5968778695a4b3c2d1e0f11223344";

/** Answers of CometBFT 0.38.26, shortened to the members that are read, and one more of each object. */
const ANSWERS: Readonly<Record<string, (params: { height?: string; page?: string }) => object>> = {
  status: () => ({
    node_info: { network: "chain", moniker: "one", version: "0.38.26", id: "9f" },
    sync_info: {
      ...{ latest_block_height: "12", latest_block_time: "2026-01-01T00:00:00Z" },
      ...{ catching_up: false, earliest_block_height: "1" },
    },
    validator_info: {
      address: ADDRESS,
      voting_power: "10",
      pub_key: { type: "tendermint/PubKeyEd25519", value: "" },
    },
  }),
  net_info: () => ({
    n_peers: "2",
    peers: [
      {
        node_info: { id: PEER, moniker: "two", listen_addr: "tcp://0.0.0.0:26656" },
        is_outbound: true,
        connection_status: { Duration: "61900000000", SendMonitor: {} },
        remote_ip: "192.0.2.2",
      },
      {
        node_info: { id: "ff", moniker: "three", listen_addr: "tcp://0.0.0.0:26656" },
        is_outbound: false,
        connection_status: { Duration: "1" },
        remote_ip: "192.0.2.3",
      },
    ],
  }),
  dump_consensus_state: () => ({
    round_state: {},
    peers: [
      { node_address: `${PEER}@192.0.2.2:26656`, peer_state: { round_state: { height: "13", round: 0 } } },
    ],
  }),
  // A page each.
  validators: ({ page }) => ({
    block_height: "12",
    validators: [
      page === "1" ? { address: ADDRESS, voting_power: "10" } : { voting_power: "18446744073709551615" },
    ],
    total: "2",
  }),
  // It signed block 10, and was late for the two after it.
  commit: ({ height }) => ({
    signed_header: {
      commit: {
        height,
        signatures: [
          { block_id_flag: 2, validator_address: "0B".repeat(20) },
          { block_id_flag: height === "10" ? 2 : 1, validator_address: height === "10" ? ADDRESS : "" },
        ],
      },
    },
  }),
};

let answers = ANSWERS;
const rpc = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { id, method, params } = (await request.json()) as {
      id: number;
      method: string;
      params: { height?: string };
    };
    return Response.json({ jsonrpc: "2.0", id, result: answers[method]!(params) });
  },
});
afterAll(() => rpc.stop(true));

const duties: readonly Duty[] = [
  { kind: "vote", reference: "0e".repeat(32), type: 1 },
  { kind: "sign", resource: "0f".repeat(32), signatureKind: 2, digest: "00" },
  { kind: "heartbeat", message: "0d".repeat(32) },
];
const chain = {
  nodeAt: (address: Uint8Array) => (address.toHex() === ADDRESS.toLowerCase() ? NODE : undefined),
  duties: (nodeId: string) => (nodeId === NODE ? duties : []),
};
const standing = () => standingOf(chain, new CometClient(`http://127.0.0.1:${rpc.port}`), true);

test("peers, power and the last signed block are the engine's, duties those of the node with its address", async () => {
  expect(await standing()).toEqual({
    nodeId: NODE,
    hasKeys: true,
    duties: [
      { kind: "vote", about: "0e".repeat(32) },
      { kind: "sign", about: "0f".repeat(32) },
      { kind: "heartbeat", about: "0d".repeat(32) },
    ],
    engine: {
      ...{ name: "one", version: "0.38.26", height: 12, isCatchingUp: false },
      ...{ power: 10n, totalPower: 18_446_744_073_709_551_625n, lastSigned: 10 },
      peers: [
        {
          id: PEER,
          name: "two",
          host: "192.0.2.2",
          isOutbound: true,
          connectedNs: 61_900_000_000n,
          height: 13,
        },
        { id: "ff", name: "three", host: "192.0.2.3", isOutbound: false, connectedNs: 1n, height: undefined },
      ],
    },
  });
});

test("an engine that began behind a snapshot is asked for no block before it", async () => {
  const heights: string[] = [];
  answers = {
    ...ANSWERS,
    status: () => {
      const whole = ANSWERS.status!({}) as { readonly sync_info: object };
      return { ...whole, sync_info: { ...whole.sync_info, earliest_block_height: "11" } };
    },
    commit: ({ height }) => {
      heights.push(height!);
      return ANSWERS.commit!({ height });
    },
  };
  expect((await standing()).engine).toMatchObject({ height: 12, lastSigned: undefined });
  expect(heights.sort()).toEqual(["11", "12"]);
  answers = ANSWERS;
});

test("an engine that signed none of the last blocks, or whose validator the chain lacks, is shown so", async () => {
  answers = { ...ANSWERS, commit: () => ANSWERS.commit!({ height: "1" }) };
  expect((await standing()).engine).toMatchObject({ lastSigned: undefined });
  answers = {
    ...ANSWERS,
    status: () => ({
      ...ANSWERS.status!({}),
      validator_info: { address: "0C".repeat(20), voting_power: "0" },
    }),
  };
  expect(await standing()).toMatchObject({ nodeId: undefined, duties: [], engine: { power: 0n } });
  answers = ANSWERS;
});

test.each([
  ["net_info", { peers: null }],
  ["validators", { validators: [{ voting_power: "-1" }] }],
  ["status", { node_info: {}, sync_info: {}, validator_info: {} }],
])("an answer to %s that is not one of CometBFT is a sentence", async (method, result) => {
  answers = { ...ANSWERS, [method]: () => result };
  expect((await standing()).engine).toContain("the RPC's answer is not one of CometBFT");
  answers = ANSWERS;
});

test("an engine that is away is a sentence, and its duties are not guessed", async () => {
  const away = () => Promise.reject(new CometUnreachable("connection refused"));
  const engine = { ownValidator: away, peers: away, totalPower: away, signersOf: away };
  expect(await standingOf(chain, engine, false)).toEqual({
    ...{ nodeId: undefined, hasKeys: false, duties: [] },
    engine: "connection refused",
  });
});
