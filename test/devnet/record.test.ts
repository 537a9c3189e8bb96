// A devnet's run as an event file: loaded elsewhere, it makes the same rows.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { replayFiles } from "../../src/ingest/replay.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openReader, openWriter } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { readBusEventAt } from "../../src/wire/generated/events.ts";
import { NO_HTTP, startTestDevnet } from "../support/test-devnet.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("given --record, when the file is loaded into another home, then it has the same rows", async () => {
  const [home, copy, record] = ["home", "copy", "run.evts"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const devnet = await startTestDevnet({ oneThread: NO_HTTP, home, record });
  await devnet.chain.bridge.deposit("0d".repeat(32), madeUpAssetId("dUSD"), 5n);
  const snapshot = await devnet.chain.snapshot();
  await devnet.chain.bridge.deposit("0d".repeat(32), madeUpAssetId("dUSD"), 6n);
  await devnet.chain.revert(snapshot);
  await devnet.chain.endEpoch();
  await devnet.chain.mine(10);
  // The validators may still answer the last block: the end is where it is closed.
  await devnet.stop();
  const { height } = devnet.chain.status;

  const db = openWriter(copy);
  const { head } = await replayFiles(new BlockWriter(db), db, [record]);
  expect(head?.height).toBe(height);
  db.close();
  expect(rowsOf(copy)).toEqual(rowsOf(home));
});

test("given an upgrade that was agreed on, when its height comes, then the chain stops and the file ends with the start of the upgrade, also after a restart", async () => {
  const [home, copy, record] = ["old", "upgraded", "upgrade.evts"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const options = { home, record, fund: false, mode: { kind: "manual" } } as const;
  const devnet = await startTestDevnet({ oneThread: NO_HTTP, ...options });
  const { chain, validator } = devnet;
  const height = chain.status.height + 2;
  const party = Buffer.from(validator.vega(1).publicKey).toString("hex");
  const proposal = { upgradeBlockHeight: String(height), vegaReleaseTag: "v0.72.0" };
  await chain.impersonate(party, { protocolUpgradeProposal: proposal });
  await chain.mine(2);
  const halted = `protocol upgrade to v0.72.0 agreed on for height ${height}`;
  expect(chain.status).toMatchObject({ height, halted });
  const written = readFileSync(record);
  await devnet.stop();
  expect(readFileSync(record).equals(written)).toBe(true);

  // The last record: its size, its number, its event.
  const events = [...recordsOf(written)].map((bytes) => readBusEventAt(bytes, 0, bytes.length));
  const last = events.at(-1)!;
  expect(last.protocolUpgradeStarted).toEqual({ lastBlockHeight: BigInt(height) });
  expect(events.at(-2)!.endBlock).toEqual({ height: BigInt(height) });
  expect(events.filter(({ protocolUpgradeStarted }) => protocolUpgradeStarted)).toHaveLength(1);

  const again = await startTestDevnet({ oneThread: NO_HTTP, ...options });
  expect(again.chain.status).toMatchObject({ height, halted });
  await again.stop();
  expect(readFileSync(record).equals(written)).toBe(true);

  const db = openWriter(copy);
  const { head } = await replayFiles(new BlockWriter(db), db, [record]);
  expect(head?.height).toBe(height);
  db.close();
});

/** Serialized events of an event file. */
function* recordsOf(file: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < file.length; ) {
    const size = file.readUInt32BE(at);
    yield file.subarray(at + 12, at + 4 + size);
    at += 4 + size;
  }
}

/** Digests of all tables but those that only a chain of its own has, and those of its snapshots. */
function rowsOf(home: string) {
  const db = openReader(home);
  try {
    const tables = Object.entries(digestStore(db).tables);
    return Object.fromEntries(tables.filter(([name]) => !/^(?:chain_|undo_)/.test(name)));
  } finally {
    db.close();
  }
}
