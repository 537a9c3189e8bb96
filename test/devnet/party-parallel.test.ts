// A party that sends hundreds of transactions at once: each arrives once, in the order of the calls, however blocks are made.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import type { BlockMode } from "../../src/engine/chain-port.ts";
import { PartyClient } from "../../src/index.ts";
import { HttpClient } from "../../src/package/http-client.ts";
import { Party } from "../../src/package/party.ts";
import { bannedUntil, executedOf } from "../support/devnet-party.ts";
import { eventually, turns } from "../support/eventually.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

/** Ten transactions for each block, and no more at a higher difficulty. */
const LIMITS = { "spam.protection.maxUserTransfersPerEpoch": "100000", "spam.pow.increaseDifficulty": "0" };
const TEST_MS = 60_000;

let devnet: Devnet;
let fresh: string;
const http = new HttpClient(() => undefined);
beforeAll(async () => {
  devnet = await startTestDevnet({ parameters: { "transfer.fee.factor": "0", ...LIMITS } });
  fresh = await devnet.chain.snapshot();
});
afterEach(async () => {
  await devnet.chain.setBlockMode({ kind: "instant" });
  await devnet.chain.revert(fresh);
});
afterAll(async () => {
  http.close();
  await devnet.stop();
});

const transfer = (amount: number) => ({
  kind: "transfer" as const,
  payload: {
    fromAccountType: 4,
    toAccountType: 4,
    to: devnet.parties[1]!.publicKey,
    asset: madeUpAssetId("tUSD"),
    amount: String(10_000 + amount),
    reference: "r",
    oneOff: {},
  },
});

/** As the package has it: over HTTP. */
function overHttp(): Pick<Party, "send"> {
  const { publicKey, privateKey } = devnet.parties[0]!;
  const node = { http, nodeUrl: devnet.nodeUrl, chainId: devnet.chain.status.chainId };
  return new Party(node, "alice", 1, { publicKey, privateKey });
}

const inProcess = () => new PartyClient(devnet.chain, devnet.parties[0]!.key);

async function sendAll(party: Pick<Party, "send">, count: number): Promise<number[]> {
  const sent = await Promise.all(Array.from({ length: count }, (_, n) => party.send(transfer(n))));
  return sent.map(({ outcome }) => outcome.height);
}

const AN_INSTANT: BlockMode = { kind: "instant" };
const modes: readonly [title: string, mode: BlockMode][] = [
  ["at once", AN_INSTANT],
  ["by a clock", { kind: "interval", intervalMs: 100 }],
  ["by a clock, and at once for a transaction", { kind: "mixed", intervalMs: 100 }],
];
const COUNT = Number(process.env.LYRA_SENDS ?? 60);

describe("all transactions that are sent at once arrive, each once and in the order of the calls", () => {
  for (const [where, party] of [
    ["over HTTP", overHttp],
    ["in one process", inProcess],
  ] as const) {
    test.each(modes)(
      `${where}, where blocks are made %s`,
      async (_, mode) => {
        await devnet.chain.setBlockMode(mode);
        const heights = await sendAll(party(), COUNT);
        expect(heights).toEqual(heights.toSorted((a, b) => a - b));
        await expectAll(COUNT);
      },
      TEST_MS,
    );

    test(
      `${where}, where blocks are made by hand, also some at one go`,
      async () => {
        await devnet.chain.setBlockMode({ kind: "manual" });
        let isOver = false;
        const sending = sendAll(party(), COUNT).finally(() => (isOver = true));
        for (let n = 0; !isOver; n++) {
          await turns();
          await devnet.chain.mine(1 + (n % 3));
        }
        await sending;
        await expectAll(COUNT);
      },
      TEST_MS,
    );
  }
});

async function expectAll(count: number, from = 0): Promise<void> {
  const { publicKey } = devnet.parties[0]!;
  const amounts = await executedOf(devnet, publicKey);
  expect(amounts.map(Number).sort((a, b) => a - b)).toEqual(
    Array.from({ length: count - from }, (_, n) => 10_000 + from + n),
  );
  expect(await bannedUntil(devnet, publicKey)).toBeUndefined();
}

test(
  "blocks of before the first transaction have room, so that a clock's next block need not come for it",
  async () => {
    await devnet.chain.mine(20);
    await devnet.chain.setBlockMode({ kind: "manual" });
    const sending = sendAll(overHttp(), 100);
    await eventually(() => devnet.chain.status.mempool.count === 100);
    await devnet.chain.mine(1);
    expect(new Set(await sending).size).toBe(1);
  },
  TEST_MS,
);

test(
  "clients of one key plan together",
  async () => {
    await devnet.chain.setBlockMode({ kind: "interval", intervalMs: 50 });
    await Promise.all([1, 2, 3].map(() => sendAll(overHttp(), 20)));
    await Promise.all([1, 2, 3].map(() => sendAll(inProcess(), 20)));
    expect((await executedOf(devnet, devnet.parties[0]!.publicKey)).length).toBe(120);
  },
  TEST_MS,
);

test(
  "a refusal is the answer of its own transaction alone",
  async () => {
    const party = overHttp();
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        party
          .send(transfer(n % 3 === 0 ? 10 ** 15 : n), { allowRefusal: true })
          .then(({ outcome }) => outcome.code),
      ),
    );
    expect(outcomes.map((code) => code === 0)).toEqual(Array.from({ length: 30 }, (_, n) => n % 3 !== 0));
  },
  TEST_MS,
);

test(
  "a load that filled every block is gone when the chain is taken back to the block that was its last one all the time",
  async () => {
    await devnet.chain.setBlockMode({ kind: "manual" });
    const room = 10 * (await devnet.chain.proofBlocks()).length;
    const sent = Array.from({ length: room + 5 }, (_, n) => overHttp().send(transfer(n)));
    const settled = Promise.allSettled(sent);
    await eventually(() => devnet.chain.status.mempool.count === room);
    await devnet.chain.revert(fresh);
    await devnet.chain.setBlockMode(AN_INSTANT);
    const states = (await settled).map(({ status }) => status);
    expect(states).toEqual([...Array(room).fill("rejected"), ...Array(5).fill("fulfilled")]);
    await expectAll(room + 5, room);
  },
  TEST_MS,
);

test(
  "transactions that wait when the chain is taken back are told so, and later ones are planned again",
  async () => {
    const party = overHttp();
    await devnet.chain.setBlockMode({ kind: "manual" });
    const waiting = party.send(transfer(1)).catch((error) => error);
    await eventually(() => devnet.chain.status.mempool.count >= 1);
    await devnet.chain.revert(fresh);
    expect(await waiting).toMatchObject({ code: "transaction_unknown" });
    await devnet.chain.setBlockMode(AN_INSTANT);
    await sendAll(party, 20);
    expect((await executedOf(devnet, devnet.parties[0]!.publicKey)).length).toBe(20);
  },
  TEST_MS,
);

test(
  "a chain that was taken back and has grown again is planned on as it is now",
  async () => {
    await devnet.chain.mine(15);
    const party = overHttp();
    await sendAll(party, 80);
    const { height } = devnet.chain.status;
    await devnet.chain.revert(fresh);
    await devnet.chain.mine(height + 20 - devnet.chain.status.height);
    await devnet.chain.setBlockMode({ kind: "manual" });
    const sending = sendAll(party, 120);
    await eventually(() => devnet.chain.status.mempool.count === 120);
    await devnet.chain.mine(1);
    await sending;
    await expectAll(120);
  },
  TEST_MS,
);
