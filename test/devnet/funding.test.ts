// Funds of a new devnet, given once.
import { describe, expect, test } from "bun:test";
import { Funding, type FundingOptions } from "../../src/devnet/funding.ts";
import { devnetGenesisText, readDevnetGenesis, simulatorOptions } from "../../src/devnet/genesis.ts";
import { devnetParties, ValidatorKeys } from "../../src/devnet/keys.ts";
import { BridgeSimulator } from "../../src/ethereum/bridge-simulator.ts";
import type { ValidatorAgent } from "../../src/ethereum/validator-agent.ts";
import { startTestDevnet } from "../support/test-devnet.ts";
import { fakeChain } from "./fake-chain.ts";

function rehearsal() {
  const { chain, calls } = fakeChain();
  const genesis = readDevnetGenesis(devnetGenesisText());
  const simulator = new BridgeSimulator(simulatorOptions(genesis, () => 1_000n));
  const events: object[] = [];
  const chainEvent = (event: object) => {
    events.push(event);
    return { bytes: new Uint8Array(), id: String(events.length) };
  };
  const options: FundingOptions = {
    genesis,
    chain,
    simulator,
    agent: { chainEvent } as unknown as ValidatorAgent,
    parties: devnetParties(),
    validators: [{ nodeId: new ValidatorKeys(1).nodeId, vegaPubKey: "0a".repeat(32) }],
  };
  const done = () => calls.map(([name]) => name);
  return { options, events, done, calls };
}

interface Delegation {
  readonly delegateSubmission: { readonly nodeId: string; readonly amount: string };
}

describe("funding", () => {
  test("brings supply, signer and threshold, ten parties in six assets, six stakes and a treasury, in one block", async () => {
    const { options, events, done } = rehearsal();
    const funding = new Funding();
    await funding.run(options);
    expect(events).toHaveLength(3 + 10 * 6 + 6 + 1);
    expect(done().indexOf("mine")).toBe(events.length);
    expect(done().filter((name) => name === "impersonate")).toHaveLength(5);
    expect(funding.isDone).toBe(true);
  });

  test("gives every validator of the genesis stake of its own, and the parties' delegations in turn", async () => {
    const { options, events, calls } = rehearsal();
    const validators = [1, 2, 3, 4].map((number) => ({
      nodeId: new ValidatorKeys(number).nodeId,
      vegaPubKey: `0${number}`.repeat(32),
    }));
    await new Funding().run({ ...options, validators });
    expect(events).toHaveLength(3 + 10 * 6 + 5 + 4 + 1);
    const delegated = new Map<string, bigint>();
    for (const [name, , command] of calls as unknown as [string, string, Delegation][]) {
      if (name !== "impersonate") continue;
      const { nodeId, amount } = command.delegateSubmission;
      delegated.set(nodeId, (delegated.get(nodeId) ?? 0n) + BigInt(amount));
    }
    expect([...delegated.values()]).toEqual(Array(4).fill(2_500_000n * 10n ** 18n));
  });

  test("given a devnet that was killed after the deposits, then only what is left is done", async () => {
    const { options, done } = rehearsal();
    const funding = new Funding();
    funding.load("deposited");
    await funding.run(options);
    expect(done()).not.toContain("submit");
    expect(done().filter((name) => name === "impersonate")).toHaveLength(5);
  });

  test("given a party that has everything, then nothing is done", async () => {
    const { options, done } = rehearsal();
    const funding = new Funding();
    funding.load("done");
    await funding.run(options);
    expect(done()).toEqual([]);
  });

  test("without funding the parties have nothing, and the validator has what it needs to work", async () => {
    const devnet = await startTestDevnet({ fund: false });
    try {
      expect(devnet.report().parties.map(({ balances, stake }) => [balances.length, stake])).toEqual(
        Array(10).fill([0, "0"]),
      );
      const { node } = await (await fetch(`${devnet.dataUrl}/api/v2/node/${devnet.validator.nodeId}`)).json();
      expect(node.pendingStake).toBe("2000000000000000000000000");
    } finally {
      await devnet.stop();
    }
  });
});
