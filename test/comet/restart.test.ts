// A sidecar that was killed goes on at the block where it was: with its home as the kill left it, and the chain's node away.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import type { Sidecar } from "../../src/node/sidecar.ts";
import { startNode } from "../../src/start-node.ts";
import { freePort } from "../../src/testnet/ports.ts";
import { Scratch } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";
import { sample } from "../support/seed.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

const scratch = new Scratch("comet-restart");
let devnet: Devnet;
let home: string;
let sidecar: Sidecar;

beforeAll(async () => {
  const port = freePort();
  devnet = await startTestDevnet({
    home: scratch.path(),
    cometPort: 0,
    eventsTo: `tcp://127.0.0.1:${port}`,
    mode: { kind: "manual" },
    parameters: { "spam.pow.difficulty": "1" },
  });
  home = scratch.path();
  sidecar = await startNode({
    kind: "sidecar",
    home,
    comet: devnet.address.cometUrl!,
    events: { host: "127.0.0.1", port },
    rules: "default",
    lookMs: 20,
  });
  const client = new PartyClient(devnet.chain, devnet.parties[0]!.key, "restart");
  for (let n = 0; n < 5; n++) {
    await client.send(
      {
        kind: "transfer",
        payload: {
          ...{ fromAccountType: 4, toAccountType: 4, to: devnet.parties[1]!.publicKey },
          ...{ asset: madeUpAssetId("tUSD"), amount: "100000", oneOff: {} },
        },
      },
      { wait: "check" },
    );
    await devnet.chain.mine(7);
  }
  await eventually(async () => (await heightOf(sidecar)) === devnet.chain.status.height);
});

afterAll(async () => {
  await sidecar?.stop();
  await devnet?.stop();
  scratch.remove();
});

const get = async (node: Sidecar, path: string) =>
  (await (await fetch(`${node.addresses.nodeUrl}${path}`)).json()) as Record<string, unknown>;
const heightOf = async (node: Sidecar) => Number((await get(node, "/blockchain/height")).height);

/** As `kill -9` leaves it: the system has every byte that was written. */
function killedHome(): string {
  const copy = scratch.path();
  cpSync(home, copy, { recursive: true, filter: (path) => !path.includes("lock.db") });
  return copy;
}

/** The follower's state as a clean stop leaves it: all in one file. */
async function foldedFile(): Promise<string> {
  const copy = killedHome();
  const restarted = await alone(copy);
  await eventually(async () => (await heightOf(restarted)) > 0);
  await restarted.stop();
  return join(copy, "follower.db");
}
let folded: Promise<string> | undefined;

/** Nothing answers at its sources. */
const alone = (copy: string) =>
  startNode({
    kind: "sidecar",
    home: copy,
    comet: "http://127.0.0.1:9",
    events: { host: "127.0.0.1", port: 0 },
    rules: "default",
    lookMs: 20,
  });

const REFUSING_TRIGGER =
  "CREATE TRIGGER refuse BEFORE INSERT ON blocks BEGIN SELECT raise(ABORT, 'refused'); END";

function triggersOf(path: string) {
  const db = new Database(path, { readonly: true });
  const names = db.query("SELECT name FROM sqlite_master WHERE type = 'trigger'").values();
  db.close();
  return names;
}

function change(path: string, sql: string): void {
  const db = new Database(path);
  db.run(sql);
  db.close();
}

describe("a sidecar that was killed", () => {
  test("has the node API at its last block, though no checkpoint was due and the chain's node is away", async () => {
    const restarted = await alone(killedHome());
    await eventually(async () => (await heightOf(restarted)) > 0);
    const path = `/statistics/spam/${devnet.parties[0]!.publicKey}`;
    for (const each of ["/blockchain/height", path])
      expect(await get(restarted, each)).toEqual(await get(sidecar, each));
    const { statistics: own } = await get(restarted, "/statistics");
    const { statistics } = (await get(sidecar, "/statistics")) as { statistics: Record<string, unknown> };
    const { genesisTime, epochSeq, blockHash } = statistics;
    expect(own).toMatchObject({ genesisTime, epochSeq, blockHash });
    await restarted.stop();
  });

  test("is not ready while a source was not reached, and says which one first", async () => {
    const restarted = await alone(killedHome());
    const response = await fetch(`${restarted.dataUrl}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.text()).toMatch(/"events waiting: no core has connected yet/);
    await restarted.stop();
  });

  const damages: [string, (path: string) => void][] = [
    ["cut off", (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2))],
    ["noise", (path: string) => writeFileSync(path, Buffer.alloc(8_192, 0x5a))],
    [
      "damaged inside",
      (path: string) => {
        const bytes = readFileSync(path);
        bytes.fill(0x5a, 4_096, 8_192);
        writeFileSync(path, bytes);
      },
    ],
    [
      "of another store, and ahead of this one",
      (path: string) =>
        // As an older program wrote it, without a sum.
        change(path, "UPDATE state SET value = json_set(substr(value, instr(value, '{')), '$.height', 9999)"),
    ],
    [
      "of a program that kept admission in another form",
      (path: string) =>
        change(
          path,
          `UPDATE state SET value = json_set(substr(value, instr(value, '{')), '$.admission', json('{"version":1}'))`,
        ),
    ],
    [
      "changed in a figure",
      (path: string) =>
        change(path, `UPDATE state SET value = replace(value, '"difficulty":1,', '"difficulty":7,')`),
    ],
    ["with a trigger", (path: string) => change(path, REFUSING_TRIGGER)],
  ];
  test.each(sample(damages))(
    "rebuilds a follower.db that is %s, and has the chain's figures again",
    async (_, damage) => {
      const copy = killedHome();
      cpSync(await (folded ??= foldedFile()), join(copy, "follower.db"));
      for (const end of ["-wal", "-shm"]) rmSync(join(copy, `follower.db${end}`), { force: true });
      const database = join(copy, "follower.db");
      damage(database);
      const restarted = await startNode({
        kind: "sidecar",
        home: copy,
        comet: devnet.address.cometUrl!,
        events: { host: "127.0.0.1", port: 0 },
        rules: "default",
        lookMs: 20,
      });
      await eventually(async () => (await heightOf(restarted)) === devnet.chain.status.height);
      expect(restarted.status.followed!()).toMatchObject({ disagreements: 0 });
      const path = `/statistics/spam/${devnet.parties[0]!.publicKey}`;
      expect(await get(restarted, path)).toEqual(await get(sidecar, path));
      expect(triggersOf(database)).toEqual([]);
      await restarted.stop();
    },
  );
});
