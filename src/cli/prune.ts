// lyra prune: remove the oldest rows of a stopped home, down to a budget or a retention.
import { ExitCode, NodeError } from "../errors/node-error.ts";
import { lockHome } from "../files/lock.ts";
import { loadConfig } from "../node/config.ts";
import { sizeText } from "../node/disk-report.ts";
import { homeSize, totalOf } from "../node/home-size.ts";
import { Loading } from "../node/loading.ts";
import { hasStore, storePath } from "../store/database.ts";
import { command, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { CONFIG, DISK, SEGMENT_LENGTH } from "./flags.ts";
import { dim, grouped } from "./terminal.ts";

export const prune = command({
  usage: ["--disk SIZE [--dry-run]", "--retention standard|lite [--dry-run]"],
  flags: {
    disk: {
      ...DISK.disk,
      text: "bytes that the home may take, such as 20GB: the oldest rows of the heaviest tables go first, segments by a fifth of it",
    },
    retention: { ...DISK.retention, text: "standard: a day to a year, by table; lite: one day" },
    "dry-run": toggle("say what would go, and change nothing"),
    ...CONFIG,
    ...SEGMENT_LENGTH,
  },
  notes: `  Current state is never removed, nor rows that no history segment has yet. The
  file of the store keeps its size: its free pages are used before it grows. A
  running node with --disk or --retention does the same by itself.`,
  json: "{dryRun, tables: [{name, from, to, bytes}], segments: [{from, to, id, bytes}]}: what goes, `bytes` of tables by estimate",
  wrongWords: ([home]) => `give the home as --home ${home}`,
  async run({ values }) {
    const { home, disk, segmentLength, segments } = loadConfig(values);
    if (disk.bytes === undefined && disk.retention === "archive")
      throw usageError("prune", "say how much is kept: --disk SIZE, or --retention standard or lite");
    if (!hasStore(home)) {
      const hint = "load one with: lyra replay FILE --home DIR";
      throw new NodeError("prune", "store_missing", `there is no store in ${home}`, hint);
    }
    const lock = lockHome(home);
    try {
      const loading = new Loading(home, { segmentLength, segments, disk });
      const before = totalOf(homeSize(home));
      try {
        await loading.segmentsMade();
        const plan = loading.prunePlan();
        if (!values["dry-run"]) {
          await loading.prune();
        }
        printPlan(plan, values.json === true, values["dry-run"] === true);
      } finally {
        await loading.close();
      }
      if (!values.json) sayRoom(home, before, values["dry-run"] === true);
    } finally {
      lock.release();
    }
    return ExitCode.done;
  },
});

function printPlan(
  { tables, segments }: ReturnType<Loading["prunePlan"]>,
  isJson: boolean,
  isDry: boolean,
): void {
  if (isJson) {
    const dropped = segments.map(({ from, to, id, bytes }) => ({ from, to, id, bytes }));
    process.stdout.write(`${JSON.stringify({ dryRun: isDry, tables, segments: dropped })}\n`);
    return;
  }
  const verb = isDry ? "would go" : "gone";
  for (const { name, from, to, bytes } of tables) {
    const blocks = `blocks ${grouped(from)} to ${grouped(to)}`;
    process.stdout.write(`${name.padEnd(22)} ${blocks} ${dim(`about ${sizeText(bytes)} ${verb}`)}\n`);
  }
  const [first, last] = [segments[0], segments.at(-1)];
  if (first && last) {
    const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    const blocks = `blocks ${grouped(first.from)} to ${grouped(last.to)}`;
    process.stdout.write(
      `${"segments".padEnd(22)} ${blocks} ${dim(`${segments.length} files, ${sizeText(bytes)} ${verb}`)}\n`,
    );
  }
  if (tables.length === 0 && segments.length === 0) process.stdout.write("nothing has to go\n");
}

function sayRoom(home: string, before: number, isDry: boolean): void {
  const now = totalOf(homeSize(home));
  const room = isDry
    ? `the home takes ${sizeText(now)}`
    : `the home took ${sizeText(before)} and takes ${sizeText(now)}`;
  process.stdout.write(`${dim(`${room} (${storePath(home)} and what is beside it)`)}\n`);
}
