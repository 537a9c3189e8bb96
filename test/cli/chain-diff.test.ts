// lyra chain diff: the walk down to the entry in which two states differ.
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { cpSync } from "node:fs";
import { dispatch } from "../../src/cli/command/dispatch.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import type { NodeError } from "../../src/errors/node-error.ts";
import { openWriter } from "../../src/store/database.ts";
import { Scratch } from "../rig/homes.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const scratch = new Scratch("chain-diff");
const PARTY = "ab".repeat(32);
let there: Devnet;
/** Stopped, with the same state. */
const here = scratch.path();
const MANUAL = { mode: { kind: "manual" } } as const;

beforeAll(async () => {
  there = await startTestDevnet({ home: scratch.path(), ...MANUAL });
  await there.chain.mine(3);
  const other = await startTestDevnet({ home: here, ...MANUAL });
  await other.chain.load(await there.chain.dump());
  await other.stop();
});

afterAll(async () => {
  await there.stop();
  scratch.remove();
});

interface Outcome {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function diff(...words: string[]): Promise<Outcome> {
  const texts: string[] = [];
  const output = spyOn(process.stdout, "write").mockImplementation((text) => texts.push(String(text)) > 0);
  const logFailure = (error: unknown) => {
    throw error;
  };
  try {
    const argv = ["chain", "diff", "--against", there.nodeUrl, "--json", ...words];
    const code = await dispatch(COMMANDS, argv, { asJson: true, logFailure });
    return { code, body: JSON.parse(texts.join("")) };
  } catch (error) {
    const { exitCode, code, message } = error as NodeError;
    return { code: exitCode, body: { code, message } };
  } finally {
    output.mockRestore();
  }
}

/** A stopped home whose stored state was changed. */
function changedHome(...statements: readonly (readonly [string, ...(string | number)[]])[]): string {
  const home = scratch.path();
  cpSync(here, home, { recursive: true });
  const db = openWriter(home);
  for (const [sql, ...values] of statements) db.run(sql, values);
  db.close();
  return home;
}

const INSERT = "INSERT INTO chain_state(name, key, value) VALUES(?, ?, ?)";

describe("chain diff", () => {
  test("given two nodes with the same blocks, then their states are equal", async () => {
    const { appHash, height } = there.chain.status;
    const { code, body } = await diff("--home", here);
    expect(code).toBe(0);
    expect(body).toMatchObject({ equal: true, height, appHash });
    expect(body.entries).toBeGreaterThan(100);
    expect(await diff("--node-url", there.nodeUrl)).toEqual({ code, body });
  });

  test("given a value that differs, then its table, its key and both values are named", async () => {
    const key = "spam.protection.max.votes";
    const home = changedHome([INSERT, "parameters.values", key, '"12"']);
    expect(await diff("--home", home)).toEqual({
      code: 4,
      body: {
        ...{ equal: false, height: there.chain.status.height },
        table: "parameters.values",
        key,
        here: '"12"',
        there: null,
      },
    });
  });

  test.each([1, 10, 17, 300])(
    "given %d more entries on one side, then one of them is named",
    async (count) => {
      const rows = Array.from(
        { length: count },
        (_, n) => [INSERT, "admission.pow.bans", `party ${n}`, "1"] as const,
      );
      const { code, body } = await diff("--home", changedHome(...rows));
      expect(code).toBe(4);
      expect(body).toMatchObject({ table: "admission.pow.bans", here: "1", there: null });
      expect(body.key).toMatch(/^party \d+$/);
    },
  );

  test("given a large table that lacks all but few entries, then a missing one is named", async () => {
    const table = "parameters.values";
    const home = changedHome(
      ...Array.from({ length: 60 }, (_, n) => [INSERT, "a.table", `k${n}`, "1"] as const),
      ["DELETE FROM chain_state WHERE name = ? AND key > 'n'", table],
    );
    expect((await diff("--home", home)).body).toMatchObject({ table: "a.table", here: "1", there: null });
    const less = changedHome(["DELETE FROM chain_state WHERE name = ? AND key > 'n'", table]);
    const { body } = await diff("--home", less);
    expect(body).toMatchObject({ table, here: null });
    expect(String(body.key) > "n").toBe(true);
  });

  test("given a running node whose state changes without a block, then that is seen at once", async () => {
    await there.chain.ban(PARTY, 10n ** 20n);
    expect((await diff("--home", here)).body).toMatchObject({
      table: "admission.pow.bans",
      key: PARTY,
      here: null,
    });
    await there.chain.ban(PARTY, undefined);
    expect((await diff("--home", here)).code).toBe(0);
  });

  test("given another height, an address that does not answer, or no address, then that is said", async () => {
    const other = await startTestDevnet(MANUAL);
    await other.chain.mine(9);
    const { code, body } = await diff("--node-url", other.nodeUrl);
    expect([code, body.code]).toEqual([1, "heights_differ"]);
    expect(body.message).toContain(`${other.nodeUrl} is at block ${other.chain.status.height}`);
    await other.stop();
    expect((await diff("--node-url", "http://127.0.0.1:1")).body.code).toBe("state_unreachable");
    expect((await diff("--node-url", there.dataUrl)).body.code).toBe("state_unreachable");
    expect((await diff("--home", scratch.path())).body.code).toBe("state_unreachable");
  });
});

describe("the state's parts over HTTP", () => {
  test.each([
    ["?table=parameters.values&prefix=zz", 400],
    ["?table=parameters.values&prefix=0123456789abc", 400],
    [`?table=${"x".repeat(101)}`, 400],
    ["?table=none", 404],
    ["?table=parameters.values&prefix=000000", 404],
  ])("given %s, then the answer is an error object", async (query, status) => {
    const answer = await fetch(`${there.nodeUrl}/lyra/v1/state${query}`);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
  });
});
