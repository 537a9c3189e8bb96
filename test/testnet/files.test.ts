// testnet.json, by which a network on one machine goes on.
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTestnet } from "../../src/testnet/files.ts";
import { Scratch } from "../rig/homes.ts";
import { nodeRefusal } from "../support/node-refusal.ts";

const scratch = new Scratch("testnet");
afterAll(() => scratch.remove());

const NODE = {
  ...{ number: 1, home: "/net/1/lyra", consensusHome: "/net/1/consensus", abci: "unix:/net/1/app.sock" },
  ...{ peerPort: 26_656, rpcPort: 26_657, nodePort: 3_003, dataPort: 3_008 },
};
const NETWORK = {
  chainId: "lyra-testnet",
  ethereumPort: 8_545,
  nodes: [NODE],
  mempool: { mempoolTxsMax: 40 },
};

const newFolder = () => {
  const folder = scratch.path();
  mkdirSync(folder);
  return folder;
};
const folderWith = (document: unknown) => {
  const folder = newFolder();
  writeFileSync(join(folder, "testnet.json"), JSON.stringify(document));
  return folder;
};

test("the file is read as it was written, and one of an older release without limits", () => {
  expect(readTestnet(folderWith(NETWORK))).toEqual(NETWORK);
  const { mempool: _, ...older } = NETWORK;
  expect(readTestnet(folderWith(older))).toEqual({ ...NETWORK, mempool: {} });
  expect(readTestnet(newFolder())).toBeUndefined();
});

test.each([
  ["null", null],
  ["a list", []],
  ["no chainId", { ...NETWORK, chainId: undefined }],
  ["no nodes", { ...NETWORK, nodes: [] }],
  ["nodes that are a text", { ...NETWORK, nodes: "node" }],
  ["a node that is null", { ...NETWORK, nodes: [null] }],
  ["a node without a home", { ...NETWORK, nodes: [{ ...NODE, home: undefined }] }],
  ["a port that is a text", { ...NETWORK, nodes: [{ ...NODE, rpcPort: "26657" }] }],
  ["a port out of range", { ...NETWORK, ethereumPort: 70_000 }],
  ["a mempool that is null", { ...NETWORK, mempool: null }],
])("a file with %s is refused, and nothing fails over it", (_, document) => {
  const refusal = nodeRefusal(() => readTestnet(folderWith(document)));
  expect(refusal).toMatchObject({ code: "testnet_unreadable" });
  expect(refusal.message).toEndWith("it does not describe a network");
});

test("a file without an end is not read whole", () => {
  const folder = newFolder();
  symlinkSync("/dev/zero", join(folder, "testnet.json"));
  expect(nodeRefusal(() => readTestnet(folder)).message).toContain("bytes");
});
