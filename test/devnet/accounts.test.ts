// A devnet's parties by choice: how many, what they have, and of which wallet.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DevnetConfig } from "../../src/devnet/devnet.ts";
import { Funding } from "../../src/devnet/funding.ts";
import { isNew } from "../../src/devnet/home.ts";
import { DEVNET_PARTIES, DEVNET_RECOVERY_PHRASE } from "../../src/devnet/keys.ts";
import type { PartiesReport } from "../../src/devnet/parties.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow";
const folder = mkdtempSync(join(tmpdir(), "lyra-accounts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function partiesOf({ nodeUrl }: { readonly nodeUrl: string }): Promise<PartiesReport> {
  return (await (await fetch(`${nodeUrl}/devnet/parties`)).json()) as PartiesReport;
}

const heldBy = ({ balances }: PartiesReport["parties"][number]) =>
  Object.fromEntries(balances.map(({ symbol, balance }) => [symbol, balance]));

describe("accounts of a new devnet", () => {
  test("are as many as chosen, of the chosen wallet, with the chosen balance; the chain keeps them", async () => {
    const home = join(folder, "chosen");
    const balance = { tUSD: "2.5", tBTC: "0" };
    const first = await startTestDevnet({ home, accounts: 12, recoveryPhrase: `  ${PHRASE} `, balance });
    const report = await partiesOf(first);
    expect(report.recoveryPhrase).toBe(PHRASE);
    expect(report.parties.map(({ name }) => name).slice(9)).toEqual(["judy", "party11", "party12"]);
    expect(report.parties.map(({ publicKey }) => publicKey)).toEqual(
      first.parties.map(({ publicKey }) => publicKey),
    );
    for (const party of report.parties) {
      const { tUSD, tBTC, tEUR } = heldBy(party);
      expect({ tUSD, tBTC, tEUR }).toEqual({ tUSD: "250000", tBTC: undefined, tEUR: "100000000000" });
    }
    const dump = await first.chain.dump();
    await first.stop();

    // The chain of a home keeps its own.
    const again = await startTestDevnet({ home, accounts: 3 });
    expect((await partiesOf(again)).parties).toHaveLength(12);
    await again.stop();

    const other = await startTestDevnet({ accounts: 1, balance: "7" });
    expect(heldBy((await partiesOf(other)).parties[0]!).tUSD).toBe("700000");
    await other.chain.load(dump);
    expect(await partiesOf(other)).toEqual(report);
    expect(other.parties).toHaveLength(12);
    await other.stop();
  });

  test("are those of everybody's wallet where an older home says only how far their funding is", () => {
    const funding = new Funding({ recoveryPhrase: PHRASE, accounts: 2 });
    funding.load("done");
    expect([funding.isDone, funding.parties]).toEqual([true, DEVNET_PARTIES]);
  });

  const wrong: readonly (readonly [Partial<DevnetConfig>, string])[] = [
    [{ accounts: 0 }, "the number of accounts must be 1 to 500"],
    [{ accounts: 501 }, "the number of accounts must be 1 to 500"],
    [{ accounts: 1.5 }, "the number of accounts must be 1 to 500"],
    [{ balance: { gold: "1" } }, "there is no asset 'gold'"],
    [{ balance: "-1" }, "must be a number of zero or more"],
    [{ balance: "1e21" }, "must be a number of zero or more"],
    [{ balance: { tUSD: "0.000001" } }, "with at most 5 decimals"],
    [{ balance: { LYRA: "1".repeat(30) } }, "above what its bridge takes"],
    [{ balance: "1", fund: false }, "no balance to choose without funding"],
    [{ recoveryPhrase: DEVNET_RECOVERY_PHRASE.replace("junk", "test") }, "the recovery phrase is not valid"],
  ];
  test.each(wrong)("%j are refused before there is a chain", async (options, sentence) => {
    const home = join(folder, "wrong");
    await expect(startTestDevnet({ home, ...options })).rejects.toThrow(sentence);
    expect(isNew(home)).toBe(true);
  });
});
