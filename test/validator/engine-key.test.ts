// A validator's own keys and its consensus engine's: nothing is signed before both are known to be of one validator.
import { afterEach, describe, expect, test } from "bun:test";
import { consensusAddress } from "../../src/crypto/consensus-address.ts";
import type { NodeError } from "../../src/errors/node-error.ts";
import { EngineKeyCheck } from "../../src/validator/engine-key.ts";
import { eventually, turns } from "../support/eventually.ts";

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const [ROME, BONN, LATE] = [keyOf(1), keyOf(2), keyOf(3)];

const running: EngineKeyCheck[] = [];
afterEach(() => {
  for (const each of running.splice(0)) each.stop();
});

/** Keys of rome, beside an engine with another key or none. */
function keysOfRome(engineKey: string | undefined, nodeId = "rome", consensusKey = ROME) {
  const seen: string[] = [];
  const differences: NodeError[] = [];
  const engine = { key: engineKey };
  const check = new EngineKeyCheck({
    engine: {
      url: "http://127.0.0.1:26657",
      async ownValidator() {
        if (engine.key === undefined) throw new Error("ECONNREFUSED");
        return { address: consensusAddress(Buffer.from(engine.key, "base64")) } as never;
      },
    },
    ...{ nodeId, consensusKey },
    nodes: () => [
      { nodeId: "rome", key: ROME },
      { nodeId: "bonn", key: BONN },
    ],
    onSame: () => seen.push("same"),
    onDiffer: (error) => differences.push(error),
  });
  running.push(check);
  return { check, seen, differences, engine };
}

describe("a validator's own keys", () => {
  test("sign once its engine has said that it is of the same validator", async () => {
    const { check, seen } = keysOfRome(ROME);
    expect(check.isSame).toBe(false);
    await check.follow();
    expect(check.isSame).toBe(true);
    expect(seen).toEqual(["same"]);
  });

  test("that are another validator's are refused, by name and once, and sign nothing", async () => {
    const { check, seen, differences } = keysOfRome(BONN);
    await check.follow();
    await expect(check.confirm()).rejects.toMatchObject({ code: "keys_differ", exitCode: 2 });
    expect(differences.map(({ message }) => message)).toEqual([
      expect.stringMatching(/those of validator rome, .* signs with that of validator bonn$/),
    ]);
    expect(check.isSame).toBe(false);
    expect(seen).toEqual([]);
  });

  test("wait for an engine that does not answer yet", async () => {
    const { check, differences, engine } = keysOfRome(undefined);
    await check.follow();
    expect(check.isSame).toBe(false);
    await expect(check.confirm()).rejects.toMatchObject({ code: "stopped" });
    engine.key = ROME;
    await check.confirm();
    expect(check.isSame).toBe(true);
    expect(differences).toEqual([]);
  });

  test("of a node that the chain does not know yet go by the key in their file", async () => {
    const same = keysOfRome(LATE, "kyiv", LATE);
    await same.check.follow();
    expect(same.check.isSame).toBe(true);
    const other = keysOfRome(keyOf(4), "kyiv", LATE);
    await other.check.follow();
    expect(other.differences.map(({ message }) => message)).toEqual([
      expect.stringContaining("a key of no validator"),
    ]);
  });

  test("are compared again with an engine that comes in place of the first", async () => {
    const { check, differences, engine } = keysOfRome(ROME);
    await check.follow();
    engine.key = BONN;
    check.forgetEngine();
    expect(check.isSame).toBe(false);
    await eventually(() => differences.length === 1);
    await turns();
    expect(check.isSame).toBe(false);
    // The bridge asks before it signs: an engine that comes back with the right key is too late.
    engine.key = ROME;
    await expect(check.confirm()).rejects.toMatchObject({ code: "keys_differ" });
    expect(check.isSame).toBe(false);
  });

  test("are not taken for the same by an answer of the engine before", async () => {
    const { check, differences, engine } = keysOfRome(ROME);
    const first = check.confirm();
    check.forgetEngine();
    engine.key = BONN;
    await expect(first).rejects.toMatchObject({ code: "keys_differ" });
    expect(check.isSame).toBe(false);
    expect(differences).toHaveLength(1);
  });
});
