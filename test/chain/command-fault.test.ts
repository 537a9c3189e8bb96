// A command's handler that meets what it was not written for: its command fails, and the chain goes on.
import { afterAll, expect, spyOn, test } from "bun:test";
import type { CommandTable } from "../../src/engine/domains.ts";
import { InvariantError } from "../../src/engine/errors.ts";
import { ASSET, funded, openChain, PARTIES, transfer } from "./engine-rig.ts";
import { removeHomes } from "./rig.ts";

afterAll(removeHomes);

const FAULT = "internal error: the command was not executed";

/** Every transfer changes a balance, and then fails. */
function sabotage({ engine }: ReturnType<typeof openChain>, error: Error): void {
  const { domains } = engine;
  const handlers = domains.handlers as { -readonly [K in keyof CommandTable]: CommandTable[K] };
  const transferHandler = handlers.transfer;
  let left = 1;
  handlers.transfer = (payload) => {
    if (left-- <= 0) return transferHandler!(payload);
    domains.setBalance(PARTIES[2]!, ASSET, 77n);
    throw error;
  };
}

test("given an unexpected error in a handler, then its command fails without effect and the chain goes on", async () => {
  const logged = spyOn(process.stderr, "write").mockImplementation(() => true);
  try {
    const running = openChain();
    await funded(running);
    sabotage(running, new TypeError("undefined is not an object"));
    const bytes = [1n, 2n].map((nonce) => transfer(running, 0, 1, 10n ** 18n, nonce));
    const outcomes = bytes.map((each) => running.chain.submit(each, "commit"));
    await running.chain.mine(1);
    expect(await outcomes[0]).toMatchObject({ code: 70, text: FAULT });
    expect(await outcomes[1]).toMatchObject({ code: 0 });
    expect(running.chain.status.halted).toBeUndefined();
    expect(running.balance(PARTIES[2]!)).toBe(10n ** 20n);
    await running.chain.mine(2);
    expect(running.rows().tables.transfers!.rows).toBeGreaterThan(0);
    const lines = logged.mock.calls
      .map(([line]) => String(line))
      .filter((line) => line.includes("command_fault"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("undefined is not an object");
    await running.stop();
  } finally {
    logged.mockRestore();
  }
});

test("given a broken invariant in a handler, then the chain stops before that block", async () => {
  const running = openChain();
  await funded(running);
  const { height } = running.chain.status;
  sabotage(running, new InvariantError("an account would hold -1"));
  const outcome = running.chain.submit(transfer(running, 0, 1, 10n ** 18n, 1n), "commit");
  outcome.catch(() => {});
  await expect(running.chain.mine(1)).rejects.toThrow("an account would hold -1");
  await expect(outcome).rejects.toThrow("the chain stopped");
  expect(running.chain.status).toMatchObject({
    height,
    halted: "the chain stopped: an account would hold -1",
  });
  running.abandon();
});

test("given an unexpected error in a check, then the submission is refused and nothing stays", async () => {
  const logged = spyOn(process.stderr, "write").mockImplementation(() => true);
  try {
    const running = openChain();
    await funded(running);
    const { checks } = running.engine.domains as unknown as { checks: { transfer?: () => void } };
    const digest = running.engine.state.digest();
    const check = checks.transfer;
    checks.transfer = () => {
      throw new RangeError("out of range");
    };
    const bytes = transfer(running, 0, 1, 10n ** 18n, 1n);
    expect(await running.chain.submit(bytes, "check")).toMatchObject({ code: 70, text: FAULT });
    expect(running.engine.state.digest()).toBe(digest);
    if (check) checks.transfer = check;
    else delete checks.transfer;
    expect(await running.chain.submit(transfer(running, 0, 1, 10n ** 18n, 2n), "check")).toMatchObject({
      code: 0,
    });
    await running.stop();
  } finally {
    logged.mockRestore();
  }
});
