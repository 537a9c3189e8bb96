// When checkpoints are taken, and what their hash says (docs/protocol/60-state-engine-parameters.md#12-checkpoints).
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Checkpoints, checkpointHash } from "../../src/engine/checkpoints.ts";
import { Core } from "../../src/engine/core.ts";
import { decodeCheckpoint } from "../../src/wire/generated/checkpoint.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { CONTENT_HASH, Rig } from "./banking-rig.ts";
import { alice, ChainRig, type SeenBlock } from "./chain-rig.ts";

/** An ERC20 asset of the devnet's genesis. */
const LYRA = "bf7e59e3e2291179ebe524531eb02f0573f65ef0d2241d616778de5ede32a597";
const TOKEN = 10n ** 18n;
const RECEIVER = `0x${"11".repeat(20)}`;
const INTERVAL = "network.checkpoint.timeElapsedBetweenCheckpoints";

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});

/** Executes a block `seconds` later. @returns its checkpoint's hash, if it has one */
function block(seconds: bigint): string | undefined {
  rig.tick(seconds * SECOND_NS);
  rig.events();
  rig.checkpoints.onCommit();
  return rig.events()[0]?.checkpoint?.hash;
}

test("given snapshots at every height, then the genesis has none", () => {
  const chain = new ChainRig({ "snapshot.interval.length": "1" });
  const snapshots = chain.blocks.map(({ events }) =>
    events.filter(({ member }) => member === "coreSnapshotEvent").map(({ payload }) => payload.blockHeight),
  );
  chain.close();
  expect(snapshots).toEqual([[], [1n]]);
});

describe("checkpoints", () => {
  test("given an interval of a minute, then the first commit plans, and the due ones take", () => {
    expect([0n, 59n, 1n, 59n, 1n].map((seconds) => block(seconds) !== undefined)).toEqual([
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  test("given a late block, then the next one is planned from it", () => {
    block(0n);
    expect(block(150n)).toBeDefined();
    expect(block(59n)).toBeUndefined();
    expect(block(1n)).toBeDefined();
  });

  test("given the interval changes, then what is planned moves by the difference", () => {
    block(0n);
    rig.params.values.set(INTERVAL, "90s");
    expect(block(60n)).toBeUndefined();
    expect(block(30n)).toBeDefined();
    rig.params.values.set(INTERVAL, "20s");
    expect(block(20n)).toBeDefined();
  });

  test("given a checkpoint beside the schedule, then the event is whole and the schedule untouched", () => {
    block(0n);
    rig.tick(30n * SECOND_NS);
    rig.events();
    rig.checkpoints.emitCheckpoint();
    const { checkpoint } = rig.events()[0]!;
    expect(checkpoint).toEqual({
      hash: CONTENT_HASH,
      blockHash: "AB".repeat(32),
      blockHeight: BigInt(rig.core.height),
    });
    expect(block(29n)).toBeUndefined();
    expect(block(1n)).toBeDefined();
  });

  test("given a block with many, then the contents are put together once", () => {
    let times = 0;
    const core = new Core("rig");
    const checkpoints = new Checkpoints(core, rig.params, () => {
      times += 1;
      return CONTENT_HASH;
    });
    core.log.startBlock("AB".repeat(32));
    for (let n = 0; n < 100; n++) checkpoints.emitCheckpoint();
    expect(core.log.blockEvents().events).toHaveLength(100);
    expect(times).toBe(1);
  });
});

describe("the hash in a checkpoint's event", () => {
  const hashesOf = ({ events }: SeenBlock) =>
    events.filter(({ member }) => member === "checkpoint").map(({ payload }) => payload.hash as string);
  const withdraw = (amount: bigint): CommandInit => ({
    kind: "withdrawSubmission",
    payload: {
      amount: amount.toString(),
      asset: LYRA,
      ext: { erc20: { receiverAddress: RECEIVER } },
    },
  });
  let chain: ChainRig;
  beforeEach(() => {
    chain = new ChainRig({ [INTERVAL]: "30s" });
  });
  afterEach(() => chain.close());

  test("given a due checkpoint, then it is the hash of the file that the chain gives out behind that block", () => {
    chain.block([], 30n * SECOND_NS);
    const [hash, ...more] = hashesOf(chain.block([], 30n * SECOND_NS));
    expect(more).toEqual([]);
    const { load_hash, state } = chain.engine.checkpoint();
    expect(hash).toBe(load_hash);
    expect(hash).toBe(checkpointHash(decodeCheckpoint(Buffer.from(state, "base64"))));
    // The same state at another height is another checkpoint: it says where it was taken.
    expect(hashesOf(chain.block([], 30n * SECOND_NS))[0]).not.toBe(hash!);
  });

  test("given withdrawals, then each has one behind it, and all are the hash of what the chain gives out behind that block", () => {
    const deposit = {
      vegaAssetId: LYRA,
      sourceEthereumAddress: RECEIVER,
      targetPartyId: alice.publicKey,
      amount: (100n * TOKEN).toString(),
    };
    const txId = `0x${"01".repeat(32)}`;
    chain.report({ txId, nonce: 1n, erc20: { index: 0n, block: 1n, deposit } });
    const before = chain.engine.checkpoint().load_hash;
    const txs = [20n, 30n].map((tokens) => chain.tx(alice.key, withdraw(tokens * TOKEN)));
    const block = chain.block(txs);
    expect(block.results.map(({ text }) => text)).toEqual(["", ""]);
    const hashes = hashesOf(block);
    const after = chain.engine.checkpoint().load_hash;
    expect(hashes).toEqual([after, after]);
    expect(after).not.toBe(before);
    const ends = block.events.filter(({ member }) => ["checkpoint", "transactionResult"].includes(member));
    expect(ends.map(({ member }) => member)).toEqual([
      "checkpoint",
      "transactionResult",
      "checkpoint",
      "transactionResult",
    ]);
  });
});
