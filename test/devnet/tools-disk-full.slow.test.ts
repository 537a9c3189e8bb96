// A tool that answers with an error is not executed later, wherever the disk was full; one that does not, is.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import type { BlockMode } from "../../src/engine/chain-port.ts";
import { NodeError } from "../../src/errors/node-error.ts";
import { startNode } from "../../src/start-node.ts";
import { BRIDGED, DOLLAR } from "../rig/devnet-client.ts";

const NEW = "ab".repeat(32);
const ADDRESS = `0x${"5e".repeat(20)}`;
const DAY_NS = 86_400_000_000_000n;
const COMMITS_MAX = 20;
/** Until everything that is on its way has come. */
const BLOCKS = 16;

/** The inside of a chain in this process. */
interface Inside {
  writer: { commit(): void; commitSoon(): Promise<void> };
  sequencer: { lastAttemptMs: number };
  core: { parts: readonly { name: string; save(): string }[] };
}

interface Tool {
  run(devnet: Devnet, withdrawal: string): Promise<unknown>;
  /** Whether the effect has come, by the chain's own state. */
  isDone(devnet: Devnet, withdrawal: string): Promise<boolean>;
}

const TOOLS: Readonly<Record<string, Tool>> = {
  "fund, built in": {
    run: ({ chain }) => chain.bridge.deposit(NEW, DOLLAR, 5n),
    isDone: async (devnet) => (await balance(devnet, DOLLAR)) === 5n,
  },
  "fund, bridged": {
    run: ({ chain }) => chain.bridge.deposit(NEW, BRIDGED, 5n),
    isDone: async (devnet) => (await balance(devnet, BRIDGED)) === 5n && ethereum(devnet).includes('"5"'),
  },
  stake: {
    run: ({ chain }) => chain.bridge.stake(NEW, 7n),
    isDone: async (devnet) => (await get(devnet, `parties/${NEW}/stake`)).currentStakeAvailable === "7",
  },
  claim: {
    run: ({ chain }, withdrawal) => chain.bridge.claim(withdrawal),
    isDone: async (devnet, withdrawal) =>
      (await get(devnet, `withdrawal/${withdrawal}`)).withdrawal.withdrawnTimestamp !== "0",
  },
  "bridge stop": {
    run: ({ chain }) => chain.bridge.stopBridge(),
    isDone: async (devnet) => JSON.parse(ethereum(devnet)).collateral.stopped,
  },
  signers: {
    run: ({ chain }) => chain.bridge.setThreshold(501),
    isDone: async (devnet) => JSON.parse(ethereum(devnet)).multisig.threshold === 501,
  },
  impersonate: {
    run: ({ chain, parties }) =>
      chain.impersonate(parties[0]!.publicKey, { transfer: transferOf("100000000") }),
    isDone: async (devnet) => (await balance(devnet, DOLLAR)) === 100_000_000n,
  },
  balance: {
    run: ({ chain }) => chain.setBalance(NEW, DOLLAR, 9n),
    isDone: async (devnet) => (await balance(devnet, DOLLAR)) === 9n,
  },
  parameter: {
    run: ({ chain }) => chain.setParameter("spam.pow.difficulty", "3"),
    isDone: async ({ chain }) => chain.status.pow.difficulty === 3,
  },
  ban: {
    run: ({ chain }) => chain.ban(NEW, chain.status.timeNs + 1_000n * DAY_NS),
    isDone: async ({ nodeUrl }) => {
      const { statistics } = await (await fetch(`${nodeUrl}/statistics/spam/${NEW}`)).json();
      return statistics.pow.bannedUntil !== undefined;
    },
  },
  "epoch end": {
    run: ({ chain }) => chain.endEpoch(),
    isDone: async ({ chain }) => chain.status.epoch.seq > epochBefore,
  },
  "time forward": {
    run: ({ chain }) => chain.forwardTime(DAY_NS),
    isDone: async ({ chain }) => chain.status.timeNs > timeBefore + DAY_NS / 2n,
  },
};

let epochBefore: bigint;
let timeBefore: bigint;

function transferOf(amount: string): object {
  const type = "ACCOUNT_TYPE_GENERAL";
  return { fromAccountType: type, toAccountType: type, to: NEW, asset: DOLLAR, amount, oneOff: {} };
}

const inside = ({ chain }: Devnet) => chain as unknown as Inside;
const ethereum = (devnet: Devnet) =>
  inside(devnet)
    .core.parts.find(({ name }) => name === "bridge")!
    .save();

async function get({ dataUrl }: Devnet, path: string) {
  return (await fetch(`${dataUrl}/api/v2/${path}`)).json();
}

async function balance(devnet: Devnet, asset: string): Promise<bigint> {
  const { accounts } = await get(devnet, `accounts?filter.partyIds=${NEW}&filter.assetId=${asset}`);
  return BigInt(accounts.edges[0]?.node.balance ?? "0");
}

/** From its n-th commit on the disk is full, until it is freed. @returns whether it was full, and how to free it */
function fill(devnet: Devnet, commits: number) {
  const { writer, sequencer } = inside(devnet);
  const [commit, commitSoon] = [writer.commit, writer.commitSoon];
  let left = commits;
  let wasFull = false;
  const checked = <T>(run: () => T): T => {
    if (left-- > 0) return run();
    wasFull = true;
    throw new NodeError("chain.store", "disk_full", "the disk is full: the next block could not be stored");
  };
  writer.commit = () => checked(() => commit.call(writer));
  writer.commitSoon = () => checked(() => commitSoon.call(writer));
  return () => {
    [writer.commit, writer.commitSoon] = [commit, commitSoon];
    // The next request tries again at once.
    sequencer.lastAttemptMs = -1_000_000;
    return wasFull;
  };
}

const folder = mkdtempSync(join(tmpdir(), "lyra-tools-disk-"));
let devnet: Devnet;
let withdrawal: string;
let snapshot: string;

/** A devnet whose clock stands, with a withdrawal that its validators have signed. */
async function start(home?: string): Promise<Devnet> {
  const nowNs = 1_893_456_000_000_000_000n;
  return startNode({
    kind: "devnet",
    genesisTimeNs: nowNs,
    nowNs: () => nowNs,
    mode: { kind: "manual" },
    ...(home && { home }),
  });
}

/** In single blocks: the validators answer each. */
async function blocks({ chain }: Devnet): Promise<void> {
  for (let mined = 0; mined < BLOCKS; mined++) await chain.mine(1);
}

async function withdraw(from: Devnet): Promise<string> {
  const { key, publicKey } = from.parties[3]!;
  const client = new PartyClient(from.chain, key);
  const ext = { erc20: { receiverAddress: ADDRESS } };
  const payload = { amount: "500000000", asset: BRIDGED, ext };
  await client.send({ kind: "withdrawSubmission", payload }, { wait: "check" });
  await blocks(from);
  return (await get(from, `withdrawals?partyId=${publicKey}`)).withdrawals.edges[0].node.id;
}

beforeAll(async () => {
  devnet = await start();
  withdrawal = await withdraw(devnet);
  snapshot = await devnet.chain.snapshot();
});
afterAll(async () => {
  await devnet.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function settled(): Promise<void> {
  await blocks(devnet);
  expect(devnet.chain.status.halted).toBeUndefined();
}

/** @returns whether the disk was full meanwhile */
async function round({ run, isDone }: Tool, mode: BlockMode, commits: number): Promise<boolean> {
  await devnet.chain.setBlockMode({ kind: "manual" });
  await devnet.chain.revert(snapshot);
  await devnet.chain.setBlockMode(mode);
  epochBefore = devnet.chain.status.epoch.seq;
  timeBefore = devnet.chain.status.timeNs;
  const free = fill(devnet, commits);
  const failure = await run(devnet, withdrawal).then(
    () => undefined,
    (error) => error,
  );
  const wasFull = free();
  await settled();
  expect({ commits, failure, isDone: await isDone(devnet, withdrawal) }).toEqual({
    commits,
    failure,
    isDone: failure === undefined,
  });
  if (failure !== undefined) {
    expect(wasFull).toBe(true);
    await run(devnet, withdrawal);
    await settled();
    expect({ commits, isDone: await isDone(devnet, withdrawal) }).toEqual({ commits, isDone: true });
  }
  return wasFull;
}

describe.each(["manual", "instant"] as const)("blocks: %s", (kind) => {
  test.each(Object.keys(TOOLS))(
    "%s: an error has no effect later, and it can be done again",
    async (name) => {
      let commits = 0;
      while (await round(TOOLS[name]!, { kind }, commits)) expect(++commits).toBeLessThan(COMMITS_MAX);
    },
    30_000,
  );
});

test("after an error and a restart there is no effect either, and it can be done", async () => {
  const home = join(folder, "home");
  let again = await start(home);
  const id = await withdraw(again);
  const free = fill(again, 0);
  await expect(again.chain.bridge.claim(id)).rejects.toMatchObject({ code: "halted" });
  await expect(again.chain.bridge.deposit(NEW, BRIDGED, 5n)).rejects.toMatchObject({ code: "halted" });
  free();
  await again.stop();
  again = await start(home);
  await blocks(again);
  expect(await TOOLS.claim!.isDone(again, id)).toBe(false);
  expect(await balance(again, BRIDGED)).toBe(0n);
  await again.chain.bridge.claim(id);
  await again.chain.bridge.deposit(NEW, BRIDGED, 5n);
  expect(await TOOLS.claim!.isDone(again, id)).toBe(true);
  expect(await balance(again, BRIDGED)).toBe(5n);
  await again.stop();
});

test("a devnet whose start failed for want of room funds its parties at the next one", async () => {
  const { Funding } = await import("../../src/devnet/funding.ts");
  const funding = new Funding();
  const failure = new NodeError("chain.store", "disk_full", "the disk is full");
  const saved = "as it was";
  const simulator = {
    save: () => saved,
    load: (text: string) => expect(text).toBe(saved),
    deploymentLogs: () => [],
  };
  const genesis = { appState: { checkpoint: { load_hash: "00" } } };
  const chain = { submit: async () => ({ code: 0 }), mine: () => Promise.reject(failure) };
  const options = { genesis, chain, simulator, agent: {}, parties: [], validator: {} };
  const { load } = simulator;
  let loads = 0;
  simulator.load = (text) => {
    loads++;
    load(text);
  };
  await expect(funding.run(options as never)).rejects.toBe(failure);
  expect([funding.save(), loads]).toEqual(["new", 1]);
});
