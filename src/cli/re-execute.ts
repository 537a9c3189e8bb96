// lyra replay --re-execute: executes the market commands of a recording again and reports differences.

import { ExitCode, NodeError } from "../errors/node-error.ts";
import { checkRecordings, type RecordingEnd, RecordingReader } from "../ingest/recording.ts";
import type { Difference } from "../testing/difference.ts";
import { FactsOfRecording, type OlderNetwork, ReExecution, type Tally } from "../testing/re-execution.ts";
import { type RecordedBlock, RecordedBlocks } from "../testing/recorded-blocks.ts";
import { dim, green, grouped, ProgressBar, red, say } from "./terminal.ts";

interface ReExecuteOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Differences printed in full of each kind of event. */
  readonly show: number;
  /** Rules of the recorded network. */
  readonly rules?: "default" | "0.71.6";
  /** The ways of a network before 0.71; without, its recordings are refused. */
  readonly older?: () => OlderNetwork;
}

const VALUE_MAX = 200;

/** @returns exit code 1 where the engine and the chain disagree @throws NodeError */
export async function reExecute(paths: readonly string[], options: ReExecuteOptions): Promise<number> {
  checkRecordings(paths);
  const facts = new FactsOfRecording();
  let chainId: string | undefined;
  // Read the files twice: execution needs the chain's assets before its first block.
  await eachBlock(paths, "reading", options, (block) => {
    chainId ??= block.chainId;
    if (block.chainId !== chainId) throw otherChain(block, chainId);
    facts.read(block);
  });
  const older = facts.facts.isOlder ? (options.older ?? refuseOlder)() : undefined;
  const executions: ReExecution[] = [];
  const ends = await eachBlock(paths, "executing", options, (block) => {
    const [execution] = executions;
    if (execution === undefined) executions.push(new ReExecution(block, facts.facts, options.rules, older));
    else execution.run(block);
  });
  const [execution] = executions;
  const damage = ends.find((end) => end.damage)?.damage;
  if (execution === undefined) {
    const sentence = damage ? `the file is damaged: ${damage.reason}` : "the recording has no whole block";
    throw new NodeError("replay", "recording_unreadable", sentence, "give an event file (.evts or .evts.gz)");
  }
  const isSame = options.json ? printJson(execution) : printText(execution, options.show);
  if (damage) say(red(`the rest of the recording is damaged: ${placed(damage)}`));
  return isSame && !damage ? ExitCode.done : ExitCode.failed;
}

function refuseOlder(): never {
  const sentence = "the recording is of a network before 0.71: its markets have no slippage factors";
  throw new NodeError(
    "replay",
    "recording_unreadable",
    sentence,
    "the sources do it: bun scripts/re-execute.ts",
  );
}

function otherChain({ height, chainId }: RecordedBlock, first: string): NodeError {
  const sentence = `block ${height} is of chain ${chainId}, those before it are of chain ${first}`;
  return new NodeError("replay", "chain_mismatch", sentence, "give recordings of one chain");
}

/** The reason with its record, unless the reason names it. */
function placed({ record, reason }: { readonly record: number; readonly reason: string }): string {
  return reason.includes(`record ${record}`) ? reason : `record ${record}: ${reason}`;
}

const counted = (count: number, what: string) => `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;

async function eachBlock(
  paths: readonly string[],
  what: string,
  { quiet, json }: ReExecuteOptions,
  onBlock: (block: RecordedBlock) => void,
): Promise<RecordingEnd[]> {
  const blocks = new RecordedBlocks();
  const bar = new ProgressBar(what, quiet || json ? false : undefined);
  const ends: RecordingEnd[] = [];
  try {
    for (const path of paths) {
      const reader = new RecordingReader<RecordedBlock>(path, blocks);
      for await (const batch of reader.batches()) {
        for (const block of batch) onBlock(block);
        const { bytesRead, bytesTotal } = reader.progress;
        bar.update(bytesRead / Math.max(1, bytesTotal), path);
      }
      ends.push(reader.end!);
    }
  } finally {
    bar.clear();
  }
  return ends;
}

/** @returns whether every difference is explained */
function printText(execution: ReExecution, show: number): boolean {
  const { results, blocks, commands, faults, notes } = execution;
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say(`${counted(blocks, "block")}, ${counted(commands, "command")} of markets executed again`);
  say("");
  if (results.size > 0)
    say(`${"event".padEnd(20)}${"same".padStart(10)}${"explained".padStart(12)}${"different".padStart(12)}`);
  const open: Difference[] = [];
  for (const [kind, { same, differences }] of results) {
    const different = differences.filter(({ reason }) => reason === undefined);
    open.push(...different);
    const counts = [same, differences.length - different.length, different.length].map(grouped);
    say(`${kind.padEnd(20)}${counts[0]!.padStart(10)}${counts[1]!.padStart(12)}${counts[2]!.padStart(12)}`);
    for (const difference of different.slice(0, show)) say(dim(`  ${sentenceOf(difference)}`));
  }
  const reasons = reasonsOf(results);
  if (reasons.size > 0) say("\nexplained:");
  for (const [reason, count] of reasons) say(`${grouped(count).padStart(8)}  ${reason}`);
  if (notes.length > 0) say("\nnot executed or not known:");
  for (const note of notes) say(`  ${note}`);
  say("");
  if (faults.length > 0)
    say(red(`${counted(faults.length, "fault")} inside the engine, the first: ${faults[0]}`));
  const [first] = open.toSorted((a, b) => a.height - b.height);
  const scope = notes.length > 0 ? ", as far as the recording goes" : "";
  if (first === undefined && results.size === 0) say("there are no markets in it: nothing was compared");
  else if (first === undefined) say(green(`the engine and the chain agree${scope}`));
  else say(red(`the first difference: ${first.kind}, ${sentenceOf(first)}`));
  return first === undefined && faults.length === 0;
}

function printJson(execution: ReExecution): boolean {
  const { results, blocks, commands, faults, notes } = execution;
  const differences = [...results.values()].flatMap((tally) => tally.differences);
  const different = differences.filter(({ reason }) => reason === undefined);
  const kinds = Object.fromEntries(
    [...results].map(([kind, tally]) => {
      const open = tally.differences.filter(({ reason }) => reason === undefined).length;
      return [kind, { same: tally.same, explained: tally.differences.length - open, different: open }];
    }),
  );
  const report = {
    blocks,
    commands,
    faults: faults.length,
    notes,
    kinds,
    explained: Object.fromEntries(reasonsOf(results)),
    different: different.toSorted((a, b) => a.height - b.height),
  };
  process.stdout.write(`${JSON.stringify(report, undefined, 1)}\n`);
  return different.length === 0 && faults.length === 0;
}

/** Number of differences that each reason explains, the most first. */
function reasonsOf(results: ReadonlyMap<string, Tally>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { differences } of results.values()) {
    for (const { reason } of differences)
      if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

function sentenceOf({ height, subject, recorded, made: executed, fields }: Difference): string {
  const where = `block ${height}, ${subject}`;
  if (fields.length === 0) {
    if (executed === undefined) return `${where}: the chain alone has ${cut(recorded!)}`;
    if (recorded === undefined) return `${where}: the engine alone has ${cut(executed)}`;
    return `${where}: the chain says ${cut(recorded)}, the engine ${cut(executed)}`;
  }
  const texts = fields.map((field) => `${field.path} ${cut(field.recorded)}, here ${cut(field.made)}`);
  return `${where}: ${texts.join("; ")}`;
}

const cut = (text: string) => (text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)} ...` : text);
