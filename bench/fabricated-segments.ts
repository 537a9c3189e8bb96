// Segments of invented rows, for the benchmarks of exports, and the archive that they make as a plain file.
import { join } from "node:path";
import { exportChunks } from "../src/history/export.ts";
import { planExport } from "../src/history/export-plan.ts";
import { writeSegment } from "../src/history/segment.ts";
import { recordSegment, type SegmentRow } from "../src/history/segment-table.ts";
import { EXPORT_TABLES } from "../src/history/tables.ts";
import { openWriter, segmentDirectory } from "../src/store/database.ts";

const SEGMENTS = 6;

/** Segments of one large table with rows as random as real ones, and the archive they make as a plain file. */
export async function fabricate(home: string, megabytes: number): Promise<void> {
  const db = openWriter(home);
  const rows: SegmentRow[] = [];
  const block = { height: 1, time: "2026-01-01T00:00:00.000000Z", hash: "00" };
  for (let i = 0; i < SEGMENTS; i++) {
    const range = {
      chainId: "bench-1",
      from: i * 1000 + 1,
      to: i * 1000 + 1000,
      previousId: rows.at(-1)?.id ?? "",
    };
    // About half the text is left of it once it is deflated.
    const lines = invented((megabytes * 2_000_000) / SEGMENTS);
    const tables = [{ name: "balances", header: EXPORT_TABLES[0]!.header, lines }];
    const row = await writeSegment(segmentDirectory(home), {
      ...range,
      first: block,
      last: block,
      databaseVersion: 1,
      tables,
    });
    recordSegment(db, row);
    rows.push(row);
  }
  db.close();
  const file = Bun.file(join(home, "same.zip")).writer();
  const plan = await planExport(segmentDirectory(home), rows, {
    table: 1,
    from: 1n,
    to: 6000n,
    manifest: false,
  });
  for await (const chunk of exportChunks(plan)) {
    file.write(chunk);
    await file.flush();
  }
  await file.end();
}

/** Lines of balances with ids that do not repeat within the window of deflate. */
function* invented(bytes: number): Generator<string> {
  const random = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  const lines = Array.from({ length: 2000 }, (_, i) => {
    return `\\x${random()},2026-01-01 00:00:${String(i % 60).padStart(2, "0")}.123456+00,\\x${random()},${i * 1_000_003}\n`;
  });
  for (let done = 0, i = 0; done < bytes; i++) {
    const line = lines[i % lines.length]!;
    done += line.length;
    yield line;
  }
}
