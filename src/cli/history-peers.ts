// lyra history fetch, and verify --against: history of another node.
import { ExitCode } from "../errors/node-error.ts";
import { compareHistory, type HistoryComparison } from "../history/sharing/compare.ts";
import { type FetchResult, fetchHistory } from "../history/sharing/fetch.ts";
import { HistorySource } from "../history/sharing/source.ts";
import { defaultHome } from "../node/config.ts";
import { type COMMON_FLAGS, command, type FlagValues, option } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { dim, green, grouped, onEndSignal, ProgressBar, red, say } from "./terminal.ts";

const SEGMENT_ID = /^[0-9a-f]{64}$/;

export const fetchFrom = command({
  usage: ["--from URL [--trust SEGMENT_ID]"],
  flags: {
    from: option(
      "URL",
      "a Lyra node's data port: its history fills an empty home, or one that has less; all is verified before it takes its place. Run it again to go on",
    ),
    trust: option("SEGMENT_ID", "a segment that is right for sure"),
  },
  json: "{chainId, height, segments, verifiedTo, lastSegmentId, bytes, isChanged}; exit code 3 where the node cannot be reached or is too slow, 4 where it cannot be trusted",
  wrongWords: ([word]) => `'${word}' is not understood`,
  async run({ values }) {
    if (values.from === undefined) throw usageError("history", "say which node: --from http://HOST:3008");
    if (values.trust !== undefined && !SEGMENT_ID.test(values.trust))
      throw usageError("history", "--trust is the id of a segment: 64 hexadecimal digits");
    const isSilent = values.quiet === true || values.json === true;
    const bar = new ProgressBar("fetching", isSilent ? false : undefined);
    const stop = new AbortController();
    const forget = onEndSignal(() => stop.abort());
    try {
      const result = await fetchHistory({
        home: values.home ?? defaultHome(),
        source: new HistorySource(values.from, { stop: stop.signal }),
        trust: values.trust,
        isStopping: () => stop.signal.aborted,
        onProgress: ({ step, part, text }) => bar.update(part, `${step}: ${text}`),
      });
      bar.clear();
      if (result === undefined) return ExitCode.interrupted;
      if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
      else if (!isSilent) sayFetched(result);
      return ExitCode.done;
    } finally {
      bar.clear();
      forget();
    }
  },
});

export async function verifyAgainst(
  against: string,
  values: FlagValues<typeof COMMON_FLAGS> & { readonly deep?: boolean | undefined },
): Promise<number> {
  const isSilent = values.quiet === true || values.json === true;
  const bar = new ProgressBar("comparing", isSilent ? false : undefined);
  try {
    const comparison = await compareHistory({
      home: values.home ?? defaultHome(),
      source: new HistorySource(against),
      deep: values.deep === true,
      onProgress: (part, text) => bar.update(part, text),
    });
    bar.clear();
    if (values.json) process.stdout.write(`${JSON.stringify(comparison)}\n`);
    else if (!values.quiet || comparison.difference || comparison.equalSegments === 0)
      printComparison(comparison);
    if (comparison.difference) return ExitCode.verificationFailed;
    return comparison.equalSegments > 0 ? ExitCode.done : ExitCode.notReady;
  } finally {
    bar.clear();
  }
}

function printComparison({
  equalTo,
  equalSegments,
  moreHere,
  moreThere,
  difference,
}: HistoryComparison): void {
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

function sayFetched({ chainId, height, segments, verifiedTo, isChanged }: FetchResult): void {
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
