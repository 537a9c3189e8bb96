// A devnet's recording re-executed, whole and in the ways in which a recording can lack something: what it lacks is said,
// and nothing is called different because of that.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { RecordingReader } from "../../src/ingest/recording.ts";
import { presetChanges } from "../../src/planes/devnet/markets.ts";
import { FactsOfRecording, ReExecution } from "../../src/testing/re-execution.ts";
import { type RecordedBlock, RecordedBlocks, type RecordedEvent } from "../../src/testing/recorded-blocks.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { lyra } from "../rig/lyra.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-re-execution-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DOLLAR = madeUpAssetId("tUSD");
const QUIET = "market.liquidity.of.another.version";
const record = join(folder, "run.evts");
let blocks: readonly RecordedBlock[];
let first: string;

/** Two markets, one on an asset whose name is its id; epochs that pay a trader; a batch, an amendment, orders that expire. */
async function play(devnet: Devnet): Promise<string> {
  const { chain } = devnet;
  const party = (name: string) =>
    Buffer.from(devnet.parties.find((one) => one.name === name)!.key.publicKey).toString("hex");
  const use = async (tool: string, body: object) => {
    const response = await fetch(`${devnet.nodeUrl}/devnet/${tool}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { market: string };
    if (response.status !== 200) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const send = (name: string, command: object) => chain.impersonate(party(name), command);
  const pass = async (seconds: bigint) => {
    await chain.forwardTime(seconds * SECOND_NS);
    await chain.mine(1);
  };
  await chain.freezeClock(true);
  for (const name of ["grace", "heidi", "ivan", "carol", "dave"])
    await chain.setBalance(party(name), "VOTE", 10_000_000_000_000n);
  const { market: vote } = await use("market/create", {
    proposal: { changes: presetChanges("simple", "VOTE", party("judy")) },
    price: "100",
  });
  const { market: dollar } = await use("market/create", { preset: "simple" });
  const order = (marketId: string, side: string, size: number, price: number | string, more = {}) => ({
    ...{ marketId, side: `SIDE_${side}`, size: String(size), price: String(price) },
    ...{ timeInForce: "TIME_IN_FORCE_GTC", type: "TYPE_LIMIT", ...more },
  });
  // The provider is paid at the end of an epoch, and in the same tick, behind that, has its fees.
  await send("heidi", {
    transfer: {
      ...{ fromAccountType: 4, toAccountType: 4, to: party("ivan"), asset: DOLLAR, amount: "5000000" },
      recurring: { startEpoch: chain.status.epoch.seq.toString(), factor: "1" },
    },
  });
  await send("carol", { orderSubmission: order(dollar, "BUY", 2, 101) });
  await send("heidi", { orderSubmission: order(dollar, "SELL", 2, 101) });
  await send("dave", {
    batchMarketInstructions: {
      submissions: [
        order(dollar, "BUY", 0, 99),
        order(vote, "BUY", 3, 101),
        order(dollar, "SELL", 1, 102),
        order(vote, "SELL", 4, 98, { timeInForce: "TIME_IN_FORCE_IOC" }),
      ],
    },
  });
  for (const price of [97, 98, 99]) {
    const expiresAt = (chain.status.timeNs + 2n * SECOND_NS).toString();
    await send("dave", {
      orderSubmission: order(vote, "BUY", 1, price, { timeInForce: "TIME_IN_FORCE_GTT", expiresAt }),
    });
  }
  await pass(3n);
  const shape = (reference: string) => [{ reference, proportion: 1, offset: "2" }];
  await send("ivan", {
    liquidityProvisionAmendment: {
      marketId: vote,
      ...{ commitmentAmount: "2000000000", fee: "0.002" },
      buys: shape("PEGGED_REFERENCE_BEST_BID"),
      sells: shape("PEGGED_REFERENCE_BEST_ASK"),
    },
  });
  await chain.setBalance(party("carol"), DOLLAR, 77_000_000n);
  for (let epoch = 0; epoch < 3; epoch++) {
    await use("market/price", { market: dollar, price: String(102 + epoch) });
    await send("grace", { orderSubmission: order(dollar, "BUY", 2, 103 + epoch) });
    await send("heidi", { orderSubmission: order(dollar, "SELL", 2, 103 + epoch) });
    await chain.endEpoch();
    await pass(2n);
  }
  await use("market/settle", { market: vote, price: "105" });
  await pass(1n);
  return vote;
}

beforeAll(async () => {
  const ports = { dataPort: 0, nodePort: 0, faucetPort: 0 };
  const options = { ...ports, record };
  const devnet = (await startTestDevnet(options as never)) as never as Devnet;
  first = await play(devnet);
  await devnet.stop();
  const reader = new RecordingReader<RecordedBlock>(record, new RecordedBlocks());
  const all: RecordedBlock[] = [];
  for await (const batch of reader.batches()) all.push(...batch);
  blocks = all;
}, 120_000);

function executed(recording: readonly RecordedBlock[]) {
  const facts = new FactsOfRecording();
  for (const block of recording) facts.read(block);
  const execution = new ReExecution(recording[0]!, facts.facts, "default");
  for (const block of recording.slice(1)) execution.run(block);
  const differences = [...execution.results.values()].flatMap((tally) => tally.differences);
  return {
    commands: execution.commands,
    kinds: [...execution.results.keys()],
    faults: execution.faults,
    notes: execution.notes,
    different: differences
      .filter(({ reason }) => reason === undefined)
      .map(({ height, kind }) => [height, kind]),
    explained: differences.flatMap(({ reason }) => reason ?? []),
  };
}

/** The same recording with each event as the function gives it. */
const edited = (change: (event: RecordedEvent, block: RecordedBlock) => readonly RecordedEvent[]) =>
  blocks.map((block) => ({ ...block, events: block.events.flatMap((event) => change(event, block)) }));

const without = (drops: (event: RecordedEvent) => boolean) =>
  edited((event) => (drops(event) ? [] : [event]));

const agrees = { faults: [], different: [] };
const PASSED_OVER =
  /^a command of a market that was there before the recording was passed over \(\d+ times\)$/;

test("a whole recording agrees in everything", () => {
  const { commands, kinds, ...rest } = executed(blocks);
  expect(rest).toEqual({ ...agrees, notes: [], explained: [] });
  expect(commands).toBeGreaterThan(20);
  expect(kinds).toEqual(
    expect.arrayContaining(["trade", "settleMarket", "liquidityProvision", "ledgerEntry"]),
  );
});

describe("the command", () => {
  test("says that nothing was compared where there are no markets, and where the damage is", async () => {
    const cut = join(folder, "cut.evts");
    writeFileSync(cut, readFileSync(record).subarray(0, 170_000));
    const { code, out, err } = await lyra(["replay", "--re-execute", cut]);
    expect(code).toBe(1);
    expect(out).toMatch(/^\d+ blocks?, 0 commands of markets executed again\n/);
    expect(out).toEndWith("there are no markets in it: nothing was compared\n");
    expect(err).toMatch(/the rest of the recording is damaged: the file ends inside record \d+: at least/);
  });

  test("refuses the recordings of two chains", async () => {
    const { code, out, err } = await lyra(["replay", "--re-execute", record, "data/sample.evts.gz"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("block 1 is of chain lyra-sample-1, those before it are of chain lyra-devnet");
  });
});

describe("a recording", () => {
  test("that has a block twice, or all of them", () => {
    const twice = blocks.flatMap((block, at) => (at % 20 === 7 ? [block, block] : [block]));
    expect(executed(twice)).toMatchObject(agrees);
    const { notes, ...rest } = executed([...blocks, ...blocks]);
    expect(rest).toMatchObject(agrees);
    expect(notes).toEqual([`a block came again and was passed over (${blocks.length} times)`]);
  });

  test("that begins late: parties have what they had, and markets from before are left out", () => {
    const at = blocks.findIndex(({ events }) =>
      events.some(({ member, payload }) => member === "marketUpdated" && payload.id === first),
    );
    const state = blocks[0]!.events.filter(
      ({ member }) => member === "asset" || member === "networkParameter",
    );
    const begin = { ...blocks[at]!, events: [...state, ...blocks[at]!.events] };
    const { notes, commands, ...rest } = executed([begin, ...blocks.slice(at + 1)]);
    expect(rest).toMatchObject(agrees);
    expect(rest.kinds).toContain("trade");
    expect(commands).toBeGreaterThan(10);
    expect(notes).toEqual([expect.stringMatching(PASSED_OVER)]);
    const bare = executed(blocks.slice(at));
    expect(bare).toMatchObject(agrees);
    expect(bare.notes).toContain("the recording names no asset");
    expect(bare.notes[0]).toContain(`begins at block ${blocks[at]!.height}, without the state of that block`);
  });

  test("with a market of a genesis or a checkpoint, or that is not a future", () => {
    const mine = ({ member, payload }: RecordedEvent) => member === "proposal" && payload.id === first;
    const restored = executed(without((event) => mine(event) && event.payload.state === 2));
    expect(restored).toMatchObject({ ...agrees, notes: [expect.stringMatching(PASSED_OVER)] });
    const spot = edited((event) => {
      if (!mine(event)) return [event];
      const { newMarket: _future, ...terms } = event.payload.terms;
      return [{ ...event, payload: { ...event.payload, terms: { ...terms, newMarket: {} } } }];
    });
    expect(executed(spot)).toMatchObject(agrees);
    expect(executed(spot).notes[0]).toBe(`market ${first.slice(0, 8)} is passed over: it is not a future`);
  });

  test("with parameters of another version", () => {
    const strange = edited((event, block) => {
      if (block !== blocks[0] || event.member !== "timeUpdate") return [event];
      const parameter = (key: string, value: string) => ({
        ...event,
        member: "networkParameter",
        payload: { key, value },
      });
      return [event, parameter(QUIET, "1"), parameter("market.margin.scalingFactors", "{}")];
    });
    const { notes, ...rest } = executed(strange);
    expect(rest).toMatchObject(agrees);
    expect(notes).toHaveLength(2);
    expect(notes[0]).toBe(`the parameter ${QUIET} = 1 is not one of this version: unknown key`);
  });

  test("without a kind of event, or without results", () => {
    for (const kind of ["marketTick", "marginLevels", "marketData"]) {
      const { notes, ...rest } = executed(without(({ member }) => member === kind));
      expect(rest).toMatchObject(agrees);
      expect(notes).toEqual([`the recording has no ${kind}: that is not compared`]);
    }
    const { notes, commands } = executed(without(({ member }) => member === "transactionResult"));
    expect(commands).toBe(0);
    expect(notes).toEqual([
      expect.stringContaining(
        "a transaction did something on a market, and the recording has no result of it",
      ),
    ]);
    const gap = executed(blocks.filter(({ height }) => height !== blocks.at(-2)!.height));
    expect(gap.notes).toEqual([
      `the recording has no block ${blocks.at(-2)!.height}: what was done there is not known`,
    ]);
  });

  test("of a chain that was upgraded, whose nodes show again what there is", () => {
    const upgraded = blocks.findIndex(({ events }) => events.some(({ member }) => member === "trade")) + 1;
    const { height } = blocks[upgraded]!;
    const shown = ["order", "marketUpdated", "proposal"].map(
      (kind) =>
        blocks
          .slice(0, upgraded)
          .flatMap(({ events }) => events)
          .findLast(({ member }) => member === kind)!,
    );
    const recording = (isUpgrade: boolean) =>
      blocks.map((block) => {
        const upgrade = { member: "coreSnapshotEvent", tx: "", payload: { protocolUpgradeBlock: isUpgrade } };
        if (block.height === height - 1) return { ...block, events: [...block.events, upgrade] };
        return block.height === height ? { ...block, events: [...block.events, ...shown] } : block;
      });
    expect(executed(recording(false)).different).toEqual([
      [height, "marketUpdated"],
      [height, "order"],
    ]);
    const { different, explained } = executed(recording(true));
    expect(different).toEqual([]);
    expect(new Set(explained)).toEqual(
      new Set(["nodes that restart after an upgrade show the existing state again"]),
    );
  });

  test("whose money the engine has not: no crash, and the first difference is there", () => {
    const { notes, faults, different } = executed(
      edited((event) => {
        if (event.member !== "ledgerMovements") return [event];
        const text = JSON.stringify(event.payload, (_key, value) =>
          typeof value === "bigint" ? `${value}n` : value,
        );
        const payload = JSON.parse(
          text.replaceAll('"amount":"5000000"', '"amount":"99999999999999999"'),
          (_key, value) =>
            typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
        );
        return [{ ...event, payload }];
      }),
    );
    expect(faults).toEqual([]);
    expect(different.length).toBeGreaterThan(0);
    expect(notes[0]).toContain("a party paid more than the engine has on its account");
  });
});
