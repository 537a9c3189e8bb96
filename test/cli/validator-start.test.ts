// lyra validator as a service: a start that fails is in the log with its code.
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { writeMachines } from "../../src/testnet/machines.ts";
import { Scratch } from "../rig/homes.ts";
import { lyra } from "../rig/lyra.ts";

const scratch = new Scratch("validator-start");
afterAll(() => scratch.remove());

test("keys that others may read are refused with exit code 2, and a line of the log has the documented code", async () => {
  const home = scratch.path();
  const keys = scratch.path("exposed.json");
  writeFileSync(keys, "{}", { mode: 0o644 });
  const { code, err } = await lyra([
    ...["validator", "--home", home, "--abci", `unix:${home}.sock`, "--genesis", "data/devnet-genesis.json"],
    ...["--keys", keys, "--ethereum", "http://127.0.0.1:1", "--node-port", "0", "--data-port", "0"],
  ]);
  expect(code).toBe(2);
  expect(JSON.parse(err)).toMatchObject({ level: "error", code: "keys_exposed", attempt: "validator.keys" });
});

test("an engine with another validator's key ends it with exit code 2, and a line of the log has the code", async () => {
  const network = scratch.path("network");
  const hosts = [{ name: "oslo", address: "192.168.7.1" }];
  await writeMachines({ out: network, hosts, isFunded: false, nowNs: 1_700_000_000_000_000_000n });
  const result = {
    node_info: { network: "lyra-testnet", moniker: "oslo", version: "0.38.26" },
    sync_info: { latest_block_height: "0", latest_block_time: "2026-01-01T00:00:00Z", catching_up: false },
    validator_info: { address: "AB".repeat(20), voting_power: "10" },
  };
  const rpc = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) =>
      Response.json({ jsonrpc: "2.0", id: ((await request.json()) as { id: number }).id, result }),
  });
  const home = scratch.path();
  const { code, err } = await lyra([
    ...["validator", "--home", home, "--abci", `unix:${home}.sock`, "--ethereum", "http://127.0.0.1:1"],
    ...["--genesis", `${network}/genesis.json`, "--keys", `${network}/oslo/validator-keys.json`],
    ...["--consensus-rpc", `http://127.0.0.1:${rpc.port}`, "--node-port", "0", "--data-port", "0"],
    ...["--grpc-node-port", "0", "--grpc-data-port", "0"],
  ]);
  await rpc.stop(true);
  expect(code).toBe(2);
  const lines = err
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.find(({ level }) => level === "error")).toMatchObject({
    ...{ code: "keys_differ", attempt: "validator.keys" },
  });
});
