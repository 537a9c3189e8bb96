// A chain whose accounts contradict what came in and went out stops, and says so wherever one looks.
import { expect, test } from "bun:test";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import type { Account } from "../../src/engine/collateral.ts";
import { accountId, type Collateral } from "../../src/engine/collateral.ts";
import { InvariantError } from "../../src/engine/errors.ts";
import type { Table } from "../../src/engine/state.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { eventually } from "../support/eventually.ts";
import { NO_HTTP, startTestDevnet } from "../support/test-devnet.ts";

const DOLLAR = madeUpAssetId("tUSD");

/** The engine's accounts, which no other code may touch. */
function accountsOf(chain: object): Table<Account> {
  const { core } = chain as { core: { engine: { domains: { collateral: Collateral } } } };
  return (core.engine.domains.collateral as unknown as { accounts: Table<Account> }).accounts;
}

test("given a unit that came from nowhere, when a block ends, then the chain stands still for good and everybody is told", async () => {
  const standing: (string | undefined)[] = [];
  const devnet = await startTestDevnet({
    mode: { kind: "manual" },
    onStanding: (reason) => standing.push(reason),
  });
  try {
    const { chain, parties } = devnet;
    const { height } = chain.status;
    const accounts = accountsOf(chain);
    const id = accountId(DOLLAR, AccountType.ACCOUNT_TYPE_GENERAL, parties[0]!.publicKey);
    const account = accounts.get(id)!;
    accounts.set(id, { ...account, balance: account.balance + 1n });
    const reason = `the chain stopped: accounts of asset ${DOLLAR} hold`;
    for (let attempt = 0; attempt < 2; attempt++) {
      const failure = await chain.mine(1).catch((error) => error);
      expect(failure).toMatchObject({ code: "halted", message: expect.stringContaining(reason) });
    }
    expect(standing).toEqual([expect.stringContaining(reason)]);
    expect(chain.status).toMatchObject({ height, halted: expect.stringContaining(reason) });
    const ready = await eventually(async () => {
      const answer = await fetch(`${devnet.nodeUrl}/readyz`);
      return !answer.ok && answer;
    });
    expect([ready.status, (await ready.json()).message]).toEqual([503, expect.stringContaining(reason)]);
    const { statistics } = (await (await fetch(`${devnet.nodeUrl}/statistics`)).json()) as {
      statistics: { status: string };
    };
    expect(statistics.status).toBe("CHAIN_STATUS_DISCONNECTED");
  } finally {
    await devnet.stop();
  }
});

test("given accounts that hold what came in, then the check is silent; given one that holds less, then it is not", async () => {
  const devnet = await startTestDevnet({ oneThread: NO_HTTP, mode: { kind: "manual" } });
  try {
    const { core } = devnet.chain as unknown as { core: { engine: { domains: { collateral: Collateral } } } };
    const { collateral } = core.engine.domains;
    expect(() => collateral.checkConservation()).not.toThrow();
    const accounts = accountsOf(devnet.chain);
    const id = accountId(DOLLAR, AccountType.ACCOUNT_TYPE_GENERAL, devnet.parties[1]!.publicKey);
    const account = accounts.get(id)!;
    accounts.set(id, { ...account, balance: account.balance - 1n });
    expect(() => collateral.checkConservation()).toThrow(InvariantError);
  } finally {
    await devnet.stop();
  }
});
