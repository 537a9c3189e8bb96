// lyra validator as a service: a start that fails is in the log with its code.
import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
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
