// The genesis document: the hash of its block (docs/protocol/60-state-engine-blocks.md#11-identity-of-a-block).
import { expect, test } from "bun:test";
import { sha3HexOf } from "../../src/crypto/sha.ts";
import { appStateHash, readGenesis } from "../../src/engine/genesis.ts";

const document = (member: string) =>
  `{"chain_id": "toy", "genesis_time": "2030-01-01T00:00:00Z", ${member}, "note": {"app_state": [1]}}`;

const hashOf = (state: string) => readGenesis(document(`"app_state" : ${state} `)).hash;
const plain = '{"network":{"replay_attack_threshold":30},"network_parameters":{"a":"<&>"}}';

test("the hash is that of the app state's one text, in the order of its members", () => {
  expect(hashOf(plain)).toBe(sha3HexOf(Buffer.from(plain, "utf8")));
  const turned = '{"network_parameters":{"a":"<&>"},"network":{"replay_attack_threshold":30}}';
  expect(hashOf(turned)).not.toBe(hashOf(plain));
});

test.each([
  ["blanks", JSON.stringify(JSON.parse(plain), null, 2)],
  ["a number in another form", plain.replace("30", "3e1")],
  // As a consensus engine gives it from the second start on.
  ["signs of HTML escaped", plain.replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)],
])("given the same app state with %s, then the hash is the same", (_title, state) => {
  expect(hashOf(state)).toBe(hashOf(plain));
  expect(appStateHash(state)).toBe(hashOf(plain));
});

test("given the member twice, or its name written another way, then the hash is that of what was read", () => {
  const [first, last] = ['{"network":{}}', '{"network": {},"network_parameters": {}}'];
  const { hash } = readGenesis(document(`"app_state": ${first}, "app\\u005fstate": ${last}`));
  expect(hash).toBe(hashOf(last));
});

test("a text that is no app state has no hash", () => {
  for (const text of ["", "{", "[]", "null"]) expect(appStateHash(text)).toBeUndefined();
});

test("given members that are null, then they are absent", () => {
  const state =
    '{"network":{},"network_parameters":{},"assets":null,"validators":null,"network_limits":null}';
  expect(readGenesis(document(`"app_state": ${state}`)).appState).toEqual({
    network: {},
    network_parameters: {},
  });
});
