// The limits engine (docs/protocol/60-state-engine-governance.md#57-limits-engine;
// docs/protocol/60-state-engine-blocks.md#16-transactions, step 3).
import { describe, expect, test } from "bun:test";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";
import { COMMANDS, type CommandKind } from "../../src/wire/transaction-commands.ts";
import { type SeenEvent, SmallChain, START } from "./governance-fixture.ts";

const MARKETS = "limits.markets.proposeEnabledFrom";
const ASSETS = "limits.assets.proposeEnabledFrom";
const IN_TEN_SECONDS = "2030-01-01T00:00:10Z";
const TEN_SECONDS = (START + 10n) * SECOND_NS;

const limitsOf = (events: readonly SeenEvent[]) =>
  events.filter(({ member }) => member === "networkLimits").map(({ payload }) => payload);

function limits(change: object = {}): object {
  return {
    canProposeMarket: true,
    canProposeAsset: true,
    proposeMarketEnabled: true,
    proposeAssetEnabled: true,
    genesisLoaded: true,
    proposeMarketEnabledFrom: 0n,
    proposeAssetEnabledFrom: 0n,
    ...change,
  };
}

const BEFORE_GENESIS = limits({
  canProposeMarket: false,
  canProposeAsset: false,
  proposeMarketEnabled: false,
  proposeAssetEnabled: false,
  genesisLoaded: false,
});

function command(kind: CommandKind, payload: object = {}) {
  return { kind, payload } as Pick<CheckedTransaction, "kind" | "payload">;
}

function refusal(chain: SmallChain, sent: ReturnType<typeof command>): { text: string; code: number } {
  const { text, code } = chain.send("ab", () => chain.limits.checkEnabled(sent));
  return { text, code };
}

describe("limits", () => {
  test("given a genesis, then both parameters' pushes tell of closed limits, and the flags open them", () => {
    const chain = new SmallChain();
    expect(limitsOf(chain.genesis())).toEqual([BEFORE_GENESIS, BEFORE_GENESIS, limits()] as Record<
      string,
      unknown
    >[]);
    expect(chain.limits.canTrade).toBe(true);
  });

  test.each([
    [{ propose_market_enabled: false }, { canProposeMarket: false, proposeMarketEnabled: false }],
    [{ propose_asset_enabled: false }, { canProposeAsset: false, proposeAssetEnabled: false }],
  ])(
    "given the flags %j, then only that is closed, and a date that passes does not open it",
    (flags, change) => {
      const chain = new SmallChain();
      const parameters = { [MARKETS]: IN_TEN_SECONDS, [ASSETS]: IN_TEN_SECONDS };
      chain.genesis({ network_limits: flags, network_parameters: parameters });
      expect(limitsOf(chain.tick(START + 11n)).at(-1)).toMatchObject(change);
      expect(chain.limits.canTrade).toBe(false);
    },
  );

  test("given a date to come, then each field carries its own date and the limits open after it", () => {
    const chain = new SmallChain();
    const events = limitsOf(chain.genesis({ network_parameters: { [MARKETS]: IN_TEN_SECONDS } }));
    const waiting = limits({ canProposeMarket: false, proposeMarketEnabledFrom: TEN_SECONDS });
    expect(events.at(-1)).toEqual(waiting as Record<string, unknown>);
    // The push of the genesis' keys in the first tick emits it once more.
    expect(limitsOf(chain.tick(START))).toEqual([waiting] as Record<string, unknown>[]);
    expect(limitsOf(chain.tick(START + 9n))).toEqual([]);
    // Equal to the date is neither before nor after it.
    expect(limitsOf(chain.tick(START + 10n))).toEqual([]);
    expect(chain.limits.canProposeMarket).toBe(false);
    const open = limits({ proposeMarketEnabledFrom: TEN_SECONDS });
    expect(limitsOf(chain.tick(START + 10n, 1n))).toEqual([open] as Record<string, unknown>[]);
    expect(limitsOf(chain.tick(START + 11n))).toEqual([]);
  });

  test("given a date that has passed when it is set, then it is no date", () => {
    const chain = new SmallChain();
    const events = limitsOf(chain.genesis({ network_parameters: { [ASSETS]: "2029-12-31T00:00:00Z" } }));
    expect(events.at(-1)).toEqual(limits() as Record<string, unknown>);
  });

  test("given a date that nanoseconds of 64 bits cannot say, then the last one they can is told", () => {
    const chain = new SmallChain();
    chain.genesis();
    chain.params.setValue(ASSETS, "2999-01-01T00:00:00Z");
    const closed = limits({ canProposeAsset: false, proposeAssetEnabledFrom: 2n ** 63n - 1n });
    expect(limitsOf(chain.events())).toEqual([closed] as Record<string, unknown>[]);
  });

  test("given a date set and taken back by proposals, then the limits close and open at once", () => {
    const chain = new SmallChain();
    chain.genesis();
    chain.params.setValue(ASSETS, IN_TEN_SECONDS);
    const closed = limits({ canProposeAsset: false, proposeAssetEnabledFrom: TEN_SECONDS });
    expect(limitsOf(chain.events())).toEqual([closed] as Record<string, unknown>[]);
    chain.params.setValue(ASSETS, "");
    expect(limitsOf(chain.events())).toEqual([limits()] as Record<string, unknown>[]);
  });

  test("given closed limits, then just the commands of the table are refused with code 51", () => {
    const chain = new SmallChain();
    chain.genesis({ network_limits: { propose_market_enabled: false, propose_asset_enabled: true } });
    const trading = (Object.keys(COMMANDS) as CommandKind[]).filter(
      (kind) => refusal(chain, command(kind)).code !== 0,
    );
    expect(trading.sort()).toEqual([
      "liquidityProvisionAmendment",
      "liquidityProvisionCancellation",
      "liquidityProvisionSubmission",
      "orderAmendment",
      "orderCancellation",
      "orderSubmission",
    ]);
    expect(refusal(chain, command("orderSubmission"))).toEqual({ text: "trading disabled", code: 51 });
    const market = command("proposalSubmission", { terms: { newMarket: {} } });
    const asset = command("proposalSubmission", { terms: { newAsset: {} } });
    expect(refusal(chain, market)).toEqual({ text: "market proposal disabled", code: 51 });
    expect(refusal(chain, asset)).toEqual({ text: "", code: 0 });
    expect(refusal(chain, command("proposalSubmission", { terms: { newFreeform: {} } }))).toEqual({
      text: "",
      code: 0,
    });
    chain.params.setValue(ASSETS, IN_TEN_SECONDS);
    expect(refusal(chain, asset)).toEqual({ text: "asset proposal disabled", code: 51 });
  });

  test("given open limits, then nothing is refused", () => {
    const chain = new SmallChain();
    chain.genesis();
    for (const kind of Object.keys(COMMANDS) as CommandKind[])
      expect(refusal(chain, command(kind)).text).toBe("");
  });
});
