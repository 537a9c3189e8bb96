// lyra replay: load recordings into a home, and serve it if asked to.

import { EventFile, withMarkers } from "../chain/event-file.ts";
import { ExitCode } from "../errors/node-error.ts";
import { lockHome } from "../files/lock.ts";
import { checkRecordings } from "../ingest/recording.ts";
import type { ReplayResult } from "../ingest/replay.ts";
import { loadConfig, type NodeConfig } from "../node/config.ts";
import { Loading } from "../node/loading.ts";
import type { Block } from "../wire/block.ts";
import { command, option, toggle } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { RULES, SERVING } from "./flags.ts";
import { serveUntilSignal } from "./serve.ts";
import { dim, green, grouped, onEndSignal, ProgressBar, red, say } from "./terminal.ts";

const SHOWN_SECONDS_MIN = 0.01;

export const replay = command({
  words: { FILE: { text: "event files, plain or gzip, in order", many: true, optional: true } },
  flags: {
    serve: toggle("serve the home meanwhile and after"),
    follow: option("FILE", "read FILE while a core writes it; a named pipe, or - for standard input, too"),
    record: option("FILE", "write what is stored as an event file again"),
    "re-execute": toggle(
      "execute the commands of markets again, and report where engine and chain differ; nothing is stored",
    ),
    rules: { ...RULES.rules, text: "of the recorded network: 0.71.6 (default), or default" },
    show: option("N", "differences of each kind (3)"),
    ...SERVING,
  },
  notes: `  A file loaded twice adds nothing; a longer one goes on where the home ends.
  A damaged file is loaded up to the damage, one whose gzip check sum is wrong
  not at all: the place is printed and the exit code is 1.`,
  json: "{blocks, known, events, seconds, segmentSeconds, chainId, height, files: [{path, records, damage?: {offset, record, reason}, unfinishedHeight?}]}; with `--serve` as `lyra serve`; with `--follow` {blocks, events, chainId, height, code?, message?, missingBytes?} when it ends: by a signal, or with standard input; with `--re-execute` {blocks, commands, faults, notes: [SENTENCE], kinds: {KIND: {same, explained, different}}, explained: {REASON: count}, different: [{height, kind, subject, recorded?, made?, fields: [{path, recorded, made}]}]}",
  startsNode: ({ serve }) => serve === true,
  async run({ words: { FILE: paths }, values, typed }) {
    const { follow } = values;
    if (paths.length === 0 && follow === undefined)
      throw usageError("replay", "name at least one event file");
    if (values["re-execute"]) return reExecuteFiles(paths, values, typed);
    const config: NodeConfig = { ...loadConfig(values, paths), ...(follow !== undefined && { follow }) };
    const options = { quiet: values.quiet === true, json: values.json === true };
    if (values.serve && values.record !== undefined) throw usageError("replay", "give --serve or --record");
    if (follow !== undefined && values.record !== undefined)
      throw usageError("replay", "give --follow or --record");
    checkRecordings(paths);
    if (values.serve) return serveUntilSignal(config, values);
    if (follow !== undefined) return (await import("./follow.ts")).followFile(follow, config, options);
    return load(config, { ...options, record: values.record });
  },
});

const SHOWN_MAX = 1_000;

async function reExecuteFiles(
  paths: readonly string[],
  values: { readonly [name: string]: unknown },
  typed: { readonly [name: string]: unknown },
): Promise<number> {
  const clash = ["serve", "follow", "record", "home"].find((name) => typed[name] !== undefined);
  if (clash !== undefined) throw usageError("replay", `--re-execute stores nothing: it takes no --${clash}`);
  const show = Number(values.show ?? 3);
  if (!Number.isInteger(show) || show < 0 || show > SHOWN_MAX)
    throw usageError("replay", `--show must be a whole number up to ${SHOWN_MAX}`);
  const { rules = "0.71.6" } = values;
  if (rules !== "default" && rules !== "0.71.6")
    throw usageError("replay", "--rules must be default or 0.71.6");
  const { reExecute } = await import("./re-execute.ts");
  return reExecute(paths, { rules, show, json: values.json === true, quiet: values.quiet === true });
}

interface LoadOptions {
  readonly quiet: boolean;
  readonly json: boolean;
  /** An event file that the stored blocks are written to. */
  readonly record: string | undefined;
}

async function load(config: NodeConfig, options: LoadOptions): Promise<number> {
  const interruption = new Interruption();
  const lock = lockHome(config.home);
  const started = performance.now();
  try {
    const { result, loadedAt } = await loadInto(config, options, interruption);
    const took: Took = {
      seconds: (loadedAt - started) / 1000,
      segmentSeconds: (performance.now() - loadedAt) / 1000,
    };
    if (options.json) process.stdout.write(`${JSON.stringify(report(result, took))}\n`);
    else {
      if (!options.quiet) summarise(result, took, config.home);
      sayEnds(result, options.quiet);
    }
    if (interruption.hasCome) return ExitCode.interrupted;
    return result.files.some((file) => file.damage) ? ExitCode.failed : ExitCode.done;
  } finally {
    lock.release();
  }
}

interface Took {
  /** Seconds from the start to the last commit. */
  readonly seconds: number;
  /** Seconds for the remaining history segments and for closing the store. */
  readonly segmentSeconds: number;
}

/** The first SIGINT or SIGTERM asks for an orderly end; the second one ends the process. */
class Interruption {
  hasCome = false;
  /** Settles when it comes. */
  readonly coming: Promise<void>;

  constructor() {
    this.coming = new Promise((resolve) => {
      onEndSignal(() => {
        this.hasCome = true;
        resolve();
      });
    });
  }
}

async function loadInto(
  config: NodeConfig,
  { quiet, json, record }: LoadOptions,
  interruption: Interruption,
): Promise<{ result: ReplayResult; loadedAt: number }> {
  const loading = new Loading(config.home, config);
  const bar = new ProgressBar("loading", quiet || json ? false : undefined);
  let recording: EventFile | undefined;
  try {
    recording = record === undefined ? undefined : new EventFile(record);
    recording?.open(loading.writer.committedHead);
    const hooks = recording && recordingHooks(recording);
    const result = await loading.replay(config.replay, {
      isStopping: () => interruption.hasCome,
      onBlock: hooks?.onBlock,
      onCommit(head, progress) {
        hooks?.onCommit();
        bar.update(progress.bytesRead / Math.max(1, progress.bytesTotal), `block ${grouped(head.height)}`);
      },
    });
    const loadedAt = performance.now();
    await Promise.race([loading.segmentsMade(), interruption.coming]);
    return { result, loadedAt };
  } finally {
    bar.clear();
    recording?.close();
    await loading.close();
  }
}

/** Blocks are recorded before their commit: the next start cuts off those behind the home's last one. */
export function recordingHooks(recording: EventFile) {
  return {
    onBlock(block: Block): void {
      recording.append(withMarkers(block));
      recording.flush();
    },
    onCommit: () => recording.keep(),
  };
}

function report(result: ReplayResult, took: Took) {
  const { files, blocks, known: stored, events, head } = result;
  return {
    blocks,
    known: stored,
    events,
    seconds: Number(took.seconds.toFixed(3)),
    segmentSeconds: Number(took.segmentSeconds.toFixed(3)),
    chainId: head?.chainId ?? null,
    height: head?.height ?? null,
    files,
  };
}

function summarise(result: ReplayResult, { seconds, segmentSeconds }: Took, home: string): void {
  const { head, blocks, known: stored, events } = result;
  if (head) {
    const rate = events > 0 ? `, ${grouped(events / seconds)} events a second` : "";
    say(
      `${green("loaded")} ${grouped(blocks)} blocks (${grouped(events)} events) of chain ${head.chainId} in ${seconds.toFixed(2)} s${rate}`,
    );
    if (segmentSeconds >= SHOWN_SECONDS_MIN) {
      say(dim(`       ${segmentSeconds.toFixed(2)} s more for the last history segments and a clean close`));
    }
    if (stored > 0) say(dim(`       ${grouped(stored)} blocks were there already`));
    say(dim(`       the last block is ${grouped(head.height)}; serve it with: lyra serve --home ${home}`));
  } else say("the recording holds no whole block");
}

/** Says where a file ended inside a block, and always where it is damaged. */
function sayEnds(result: ReplayResult, isQuiet: boolean): void {
  for (const file of result.files) {
    if (file.damage) {
      const { offset, record, reason } = file.damage;
      say(
        `${red("damaged")} ${file.path}: ${reason} (record ${grouped(record)}, byte ${grouped(offset)} of the inflated data)`,
      );
    } else if (file.unfinishedHeight !== undefined && !isQuiet) {
      say(dim(`       ${file.path} ends inside block ${grouped(file.unfinishedHeight)}, which is left out`));
    }
  }
}
