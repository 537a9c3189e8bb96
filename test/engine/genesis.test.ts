// The genesis document: the hash of its block (docs/protocol/60-state-engine-blocks.md#11-identity-of-a-block).
import { expect, test } from "bun:test";
import { sha3HexOf } from "../../src/crypto/sha.ts";
import { readGenesis } from "../../src/engine/genesis.ts";

const document = (member: string) =>
  `{"chain_id": "toy", "genesis_time": "2030-01-01T00:00:00Z", ${member}, "note": {"app_state": [1]}}`;

test.each([
  [
    "blanks and a number in another form",
    '{\n  "network" : {"replay_attack_threshold": 3e1},\n  "network_parameters": {} }',
  ],
  ["signs in texts", '{"network":{},"network_parameters":{},"assets":{"a\\"}{,:\\\\":{"app_state":["]"]}}}'],
])("given an app state with %s, then the hash is that of its bytes", (_title, state) => {
  expect(readGenesis(document(`"app_state" : ${state} `)).hash).toBe(sha3HexOf(Buffer.from(state, "utf8")));
});

test("given the member twice, or its name written another way, then the hash is that of what was read", () => {
  const [first, last] = ['{"network":{}}', '{"network": {},"network_parameters": {}}'];
  const { hash } = readGenesis(document(`"app_state": ${first}, "app\\u005fstate": ${last}`));
  expect(hash).toBe(sha3HexOf(Buffer.from(last, "utf8")));
});

test("given members that are null, then they are absent", () => {
  const state =
    '{"network":{},"network_parameters":{},"assets":null,"validators":null,"network_limits":null}';
  expect(readGenesis(document(`"app_state": ${state}`)).appState).toEqual({
    network: {},
    network_parameters: {},
  });
});
