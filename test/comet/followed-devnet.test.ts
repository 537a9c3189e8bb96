// A devnet and a sidecar behind its RPC and its event socket: at every height a party's spam statistics are the devnet's own.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AdmissionRules } from "../../src/chain/admission/rules.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import type { Sidecar } from "../../src/node/sidecar.ts";
import { startNode } from "../../src/start-node.ts";
import { freePort } from "../../src/testnet/ports.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { MEMORY } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";
import { runs } from "../support/seed.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

/** Fewer reach no ban. */
const ROUNDS = Math.max(12, runs(30));
const folder = mkdtempSync(join(MEMORY, "lyra-comet-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const parameters = {
  "spam.protection.maxUserTransfersPerEpoch": "4",
  "spam.protection.max.votes": "2",
  "spam.pow.numberOfTxPerBlock": "2",
  "spam.pow.difficulty": "1",
  "spam.pow.numberOfPastBlocks": "8",
  "validators.epoch.length": "40s",
};

interface Pair {
  readonly devnet: Devnet;
  readonly sidecar: Sidecar;
}

async function startPair(home: string, hasEvents: boolean, rules: AdmissionRules): Promise<Pair> {
  const devnetOptions = { home: `${home}-devnet`, cometPort: 0, parameters, rules } as const;
  if (!hasEvents) {
    const devnet = await startTestDevnet({ ...devnetOptions, mode: { kind: "manual" } });
    const comet = devnet.address.cometUrl!;
    return {
      devnet,
      sidecar: await startNode({ kind: "sidecar", home, comet, nodePort: 0, rules, lookMs: 20 }),
    };
  }
  // The socket has to listen before the devnet's first block, and the RPC's port is known after it.
  const port = freePort();
  const devnet = await startTestDevnet({
    ...devnetOptions,
    eventsTo: `tcp://127.0.0.1:${port}`,
    mode: { kind: "manual" },
  });
  const comet = devnet.address.cometUrl!;
  const events = { host: "127.0.0.1", port };
  const sidecar = await startNode({ kind: "sidecar", home, comet, nodePort: 0, events, rules, lookMs: 20 });
  return { devnet, sidecar };
}

const statisticsOf = async (url: string, party: string) =>
  (await (await fetch(`${url}/statistics/spam/${party}`)).json()) as { statistics: Record<string, unknown> };

const heightOf = async (url: string) =>
  Number(((await (await fetch(`${url}/blockchain/height`)).json()) as { height?: string }).height ?? 0);

/** Sends more than the rules allow, in turns, with epochs and parameters that change. @returns bans seen */
async function stress({ devnet, sidecar }: Pair, changesParameters: boolean): Promise<number> {
  const { chain } = devnet;
  const nodeUrl = String(sidecar.addresses.nodeUrl);
  const clients = devnet.parties.slice(0, 3).map(({ key }, n) => new PartyClient(chain, key, `s${n}`));
  const asset = madeUpAssetId("tUSD");
  let bans = 0;
  const transfer = (to: string): CommandInit => ({
    kind: "transfer",
    payload: {
      fromAccountType: 4,
      toAccountType: 4,
      to,
      asset,
      amount: "100000",
      oneOff: {},
    },
  });
  for (let round = 0; round < ROUNDS; round++) {
    for (const [n, client] of clients.entries()) {
      const count = (round * 7 + n * 3) % 9;
      for (let i = 0; i < count; i++) {
        await client
          .send(transfer(clients[(n + 1) % 3]!.party), { wait: "check", allowRefusal: true })
          .catch((error) => {
            if (!/quota_reached|limit/.test(`${error.code} ${error.message}`)) throw error;
          });
      }
    }
    if (changesParameters && round % 9 === 4)
      await chain.setParameter("spam.pow.numberOfTxPerBlock", String(1 + (round % 3)));
    if (changesParameters && round % 11 === 7) {
      await chain.setParameter("spam.protection.maxUserTransfersPerEpoch", String(2 + (round % 4)));
    }
    if (round % 10 === 9) await chain.endEpoch();
    else await chain.mine(1);
    const { height } = chain.status;
    await eventually(async () => (await heightOf(nodeUrl)) === height, `block ${height}`);
    for (const { party } of clients) {
      const own = await statisticsOf(devnet.nodeUrl, party);
      expect({ height, ...(await statisticsOf(nodeUrl, party)) }).toEqual({ height, ...own });
      if (JSON.stringify(own).includes("bannedUntil")) bans++;
    }
  }
  return bans;
}

// Blocks alone tell nothing of parameters that a vote changes.
test.each([
  ["with events", true, "default"],
  ["with events, by the original's rules", true, "0.71.6"],
  ["by its blocks alone", false, "0.71.6"],
] as const)(
  "%s, every statistic is the devnet's",
  async (name, hasEvents, rules) => {
    const nodes = await startPair(join(folder, name.replaceAll(/\W/g, "-")), hasEvents, rules);
    expect(await stress(nodes, hasEvents)).toBeGreaterThan(0);
    const { follower } = (await (await fetch(`${nodes.sidecar.dataUrl}/status`)).json()) as {
      follower: { disagreements: number; completeFrom: number };
    };
    expect(follower).toMatchObject({ disagreements: 0, completeFrom: 1 });
    await nodes.sidecar.stop();
    await nodes.devnet.stop();
  },
  60_000,
);
