// Epochs: docs/protocol/60-state-engine-blocks.md#17-epochs.
import { describe, expect, test } from "bun:test";
import { Core } from "../../src/engine/core.ts";
import { Epochs } from "../../src/engine/epochs.ts";
import { NetworkParameters } from "../../src/engine/parameters.ts";
import { decodeBusEvent } from "../../src/wire/generated/events.ts";
import { AccountType } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { wholeEvent } from "../../src/wire/whole-event.ts";
import { ALICE, kinds, START, ValidatorRig, VOTE } from "./validator-rig.ts";

/** The original's time of no end. */
const NO_END_NS = -6795364578871345152n;

const LENGTH = "validators.epoch.length";

/** Epochs alone, with the parameters pushed after the first tick as in a genesis. */
function chain() {
  const core = new Core("epochs");
  const params = new NetworkParameters(core);
  params.useAssets(() => true);
  const epochs = new Epochs(core, params);
  const calls: string[] = [];
  for (const name of ["a", "b"]) {
    epochs.listen({
      onEpochEnd: ({ seq, endNs }) => calls.push(`${name} end ${seq} ${endNs}`),
      onEpochStart: ({ seq }) => calls.push(`${name} start ${seq}`),
    });
  }
  const tick = (timeNs: bigint) => {
    core.log.startBlock("");
    core.block = { height: core.height + 1, timeNs, hash: "" };
    epochs.onTick();
    const { events, txHashes } = core.log.blockEvents();
    const block = { chainId: "", height: 0, hash: "", txHashes };
    const seen = events.map((event) => decodeBusEvent(wholeEvent(block, event)).epochEvent!);
    epochs.onEndBlock();
    return seen;
  };
  return { core, params, epochs, calls, tick };
}

describe("epochs", () => {
  test("given the genesis tick, then epoch 0 starts and has no length", () => {
    const { tick } = chain();
    expect(tick(START * SECOND_NS)).toEqual([
      { seq: 0n, action: 1, startTime: START * SECOND_NS, expireTime: START * SECOND_NS, endTime: NO_END_NS },
    ]);
  });

  test.each([
    // Times of blocks 1, 2, 3 in seconds after the genesis; the block in which epoch 0 closes.
    [[0n, 1n, 2n], 3],
    [[1n, 2n, 3n], 2],
  ] as const)("given blocks at %p, then epoch 0 closes in block %p", (times, block) => {
    const { tick, params } = chain();
    tick(START * SECOND_NS);
    params.initGenesis({ [LENGTH]: "10s" });
    const closing = times.findIndex((time) => tick((START + time) * SECOND_NS).length > 0) + 1;
    expect(closing).toBe(block);
  });

  test("given the expiry has passed, then the next block closes the epoch, and both events have its time", () => {
    const { tick, params, epochs } = chain();
    tick(0n);
    params.initGenesis({ [LENGTH]: "10s" });
    tick(1n);
    tick(2n);
    expect(epochs.current).toMatchObject({ seq: 1n, startNs: 2n, expireNs: 2n + 10n * SECOND_NS });
    // At the expiry itself it goes on: the comparison is strict.
    expect(tick(2n + 10n * SECOND_NS)).toEqual([]);
    expect(tick(3n + 10n * SECOND_NS)).toEqual([]);
    const now = 20n * SECOND_NS;
    expect(tick(now)).toEqual([
      { seq: 1n, action: 2, startTime: 2n, expireTime: 2n + 10n * SECOND_NS, endTime: now },
      { seq: 2n, action: 1, startTime: now, expireTime: now + 10n * SECOND_NS, endTime: NO_END_NS },
    ]);
  });

  test("given a new length, then the running epoch keeps its expiry and the next one has it", () => {
    const { tick, params, epochs } = chain();
    tick(0n);
    params.initGenesis({ [LENGTH]: "10s" });
    tick(1n);
    tick(2n);
    params.setValue(LENGTH, "20s");
    expect(epochs.current.expireNs).toBe(2n + 10n * SECOND_NS);
    tick(11n * SECOND_NS);
    tick(12n * SECOND_NS);
    expect(epochs.current).toMatchObject({ seq: 2n, expireNs: 32n * SECOND_NS });
  });

  test("given listeners, then they are called in their order, with the end of the epoch that ends", () => {
    const { tick, calls, params } = chain();
    tick(0n);
    params.initGenesis({ [LENGTH]: "10s" });
    tick(1n);
    tick(2n);
    expect(calls).toEqual(["a start 0", "b start 0", "a end 0 2", "b end 0 2", "a start 1", "b start 1"]);
  });

  test("given a state that was stored in the block before, then the loaded chain closes the epoch as well", () => {
    const first = chain();
    first.tick(0n);
    first.params.initGenesis({ [LENGTH]: "10s" });
    first.tick(1n);
    const second = chain();
    second.core.state.load(first.core.state.entries());
    expect(second.tick(2n)).toEqual(first.tick(2n));
    expect(second.epochs.current).toEqual(first.epochs.current);
    second.core.state.takeChanges();
    first.core.state.takeChanges();
    expect(second.core.state.digest()).toBe(first.core.state.digest());
  });

  // docs/protocol/60-state-engine-blocks.md#17-epochs.
  test("given everything happens at a boundary, then the events have the order of the network", () => {
    const rig = new ValidatorRig({ parameters: { "reward.staking.delegation.minValidators": "1" } });
    const [node] = rig.nodes;
    rig.setSigner(node!.address);
    rig.endEpoch();
    rig.link(node!.key, 1_000n);
    rig.link(ALICE, 1_000n);
    rig.delegate(node!.key, node!.id, 1_000n);
    rig.delegate(ALICE, node!.id, 1_000n);
    rig.endEpoch();
    rig.endEpoch();
    rig.fund(VOTE, AccountType.ACCOUNT_TYPE_GLOBAL_REWARD, 1_000n);
    // The expiry comes before the next reconciliation.
    rig.block(11n);
    rig.link(ALICE, 100n, { unlink: true, seconds: 2n });
    rig.link(node!.key, 100n, { seconds: 2n });
    expect(kinds(rig.block())).toEqual([
      "epochEvent",
      "delegationBalance",
      "validatorScore",
      "rankingEvent",
      "party",
      "account",
      "party",
      "account",
      "ledgerMovements",
      "rewardPayout",
      "epochEvent",
      "delegationBalance",
    ]);
  });
});
