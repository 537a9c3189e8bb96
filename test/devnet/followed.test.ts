// A devnet and a sidecar behind it, by the event socket: the sidecar has what the devnet has.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { madeUpAssetId } from "../../src/devnet/keys.ts";
import { listSegments } from "../../src/history/segment-table.ts";
import { startNode } from "../../src/start-node.ts";
import { openReader } from "../../src/store/database.ts";
import { digestStore } from "../../src/store/dump.ts";
import { MEMORY } from "../rig/homes.ts";
import { eventually } from "../support/eventually.ts";
import { NO_HTTP, startTestDevnet } from "../support/test-devnet.ts";

const folder = mkdtempSync(join(MEMORY, "lyra-followed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("given an upgrade at the end, then rows and segments are the same, and the data node says that it is ready", async () => {
  const [own, followed] = [join(folder, "own"), join(folder, "followed")];
  const sidecar = await startNode({
    kind: "sidecar",
    home: followed,
    events: { host: "127.0.0.1", port: 0 },
  });
  const lines: string[] = [];
  const devnet = await startTestDevnet({
    oneThread: NO_HTTP,
    home: own,
    eventsTo: String(sidecar.addresses.eventsUrl),
    onEventsLine: (line) => lines.push(line),
  });
  const { chain } = devnet;
  await chain.bridge.deposit("0d".repeat(32), madeUpAssetId("dUSD"), 5n);
  await chain.endEpoch();
  await chain.mine(1_100);
  await chain.setBlockMode({ kind: "manual" });
  const height = chain.status.height + 2;
  const party = Buffer.from(devnet.validator.vega(1).publicKey).toString("hex");
  const proposal = { upgradeBlockHeight: String(height), vegaReleaseTag: "v0.72.0" };
  await chain.impersonate(party, { protocolUpgradeProposal: proposal });
  await chain.mine(2);
  await eventually(() => lines.some((line) => line.includes(`ready for the upgrade after block ${height}`)));
  expect(sidecar.head()?.height).toBe(height);
  // The devnet makes its segments beside its blocks.
  await eventually(() => {
    const db = openReader(own);
    const segments = listSegments(db);
    db.close();
    return segments.length > 0;
  });
  await devnet.stop();
  await sidecar.stop();
  const digests = [own, followed].map((home) => {
    const db = openReader(home);
    const { tables } = digestStore(db);
    const segments = listSegments(db);
    db.close();
    return { tables, segments };
  });
  const [ours, theirs] = digests as [(typeof digests)[0], (typeof digests)[0]];
  // The upgrade is a boundary of the network alone.
  expect(theirs.segments[0]).toEqual(ours.segments[0]!);
  expect(theirs.segments.map(({ to }) => to)).toEqual([1_000, height]);
  for (const name of [
    "balances",
    "ledger",
    "delegations",
    "nodes",
    "network_parameters",
    "core_snapshots",
    "upgrade_proposals",
  ])
    expect([name, theirs.tables[name]]).toEqual([name, ours.tables[name]!]);
});
