// lyra history fetch, and verify --against: history of another node.
import { ExitCode } from "../errors/node-error.ts";
import { compareHistory, type HistoryComparison } from "../history/sharing/compare.ts";
import { type FetchResult, fetchHistory } from "../history/sharing/fetch.ts";
import { HistorySource } from "../history/sharing/source.ts";
import { defaultHome } from "../node/config.ts";
import { COMMON, readArguments, usageError } from "./arguments.ts";
import { dim, green, grouped, onEndSignal, ProgressBar, red, say } from "./terminal.ts";

const SEGMENT_ID = /^[0-9a-f]{64}$/;

export async function fetchFrom(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("history", argv, {
    ...COMMON,
    from: { type: "string" },
    trust: { type: "string" },
  });
  if (positionals.length > 0) throw usageError("history", `'${positionals[0]}' is not understood`);
  if (values.from === undefined) throw usageError("history", "say which node: --from http://HOST:3008");
  if (values.trust !== undefined && !SEGMENT_ID.test(values.trust))
    throw usageError("history", "--trust is the id of a segment: 64 hexadecimal digits");
  const isSilent = values.quiet === true || values.json === true;
  const bar = new ProgressBar("fetching", isSilent ? false : undefined);
  let isInterrupted = false;
  const forget = onEndSignal(() => {
    isInterrupted = true;
  });
  try {
    const result = await fetchHistory({
      home: values.home ?? defaultHome(),
      source: new HistorySource(values.from),
      trust: values.trust,
      isStopping: () => isInterrupted,
      onProgress: ({ step, part, text }) => bar.update(part, `${step}: ${text}`),
    });
    bar.clear();
    if (result === undefined) return ExitCode.interrupted;
    if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
    else if (!isSilent) tellFetched(result);
    return ExitCode.done;
  } finally {
    bar.clear();
    forget();
  }
}

export async function verifyAgainst(argv: string[]): Promise<number> {
  const { values, positionals } = readArguments("history", argv, {
    ...COMMON,
    against: { type: "string" },
    deep: { type: "boolean" },
  });
  if (positionals.length > 0) throw usageError("history", "give a file or --against URL, not both");
  if (values.against === undefined) throw usageError("history", "--deep goes with --against URL");
  const { against } = values;
  const isSilent = values.quiet === true || values.json === true;
  const bar = new ProgressBar("comparing", isSilent ? false : undefined);
  try {
    const found = await compareHistory({
      home: values.home ?? defaultHome(),
      source: new HistorySource(against),
      deep: values.deep === true,
      onProgress: (part, text) => bar.update(part, text),
    });
    bar.clear();
    if (values.json) process.stdout.write(`${JSON.stringify(found)}\n`);
    else if (!values.quiet || found.difference || found.equalSegments === 0) tellCompared(found);
    if (found.difference) return ExitCode.verificationFailed;
    return found.equalSegments > 0 ? ExitCode.done : ExitCode.notReady;
  } finally {
    bar.clear();
  }
}

function tellCompared({ equalTo, equalSegments, moreHere, moreThere, difference }: HistoryComparison): void {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const isCompared = equalSegments > 0 || difference !== undefined;
  let equal = `equal up to block ${grouped(equalTo)}, ${grouped(equalSegments)} segments`;
  if (!isCompared) equal = "nothing was compared: the two have no segment of the same blocks";
  else if (equalSegments === 0) equal = "no segment is the same on both sides";
  print(difference || !isCompared ? equal : `${green("ok")} ${equal}`);
  if (!difference) {
    if (moreHere > 0) print(`the home has ${grouped(moreHere)} more`);
    if (moreThere > 0) print(`the other has ${grouped(moreThere)} more`);
    return;
  }
  print(`${red("differs")} ${difference.text}`);
  if (difference.row === undefined) return;
  const [one, other] = difference.where === "here" ? ["store", "segment"] : ["here", "there"];
  print(`        ${difference.table} row ${grouped(difference.row)}`);
  print(`        ${one.padEnd(7)} ${difference.here || "(no such row)"}`);
  print(`        ${other.padEnd(7)} ${difference.there || "(no such row)"}`);
}

function tellFetched({ chainId, height, segments, verifiedTo, isChanged }: FetchResult): void {
  if (!isChanged) {
    say(`${green("complete")} the home has all blocks of the node, up to ${grouped(height)}`);
    return;
  }
  say(`${green("fetched")} chain ${chainId} up to block ${grouped(height)}, ${grouped(segments)} segments`);
  say(
    dim(
      `        blocks up to ${grouped(verifiedTo)} are those of the segments; the rest, and tables that no`,
    ),
  );
  say(
    dim(
      "        segment covers, are on the node's word: compare later with lyra history verify --against URL",
    ),
  );
}
