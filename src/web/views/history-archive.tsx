// Archives: saved with progress, and checked in the browser, the saved one or a file, in themselves and against this node.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Verification } from "../../history/archive-check.ts";
import { fileName } from "../../history/manifest.ts";
import type { Segments } from "../../http/chain-bodies.ts";
import { shellWord } from "../../http/shell-word.ts";
import { Badge, Facts, Panel } from "../components/panel.tsx";
import { Command } from "../components/states.tsx";
import { download, lengthOf, type Progress, saveAs, saveFile } from "../data/download.ts";
import { addresses, chainId, dataOrigin, get, RequestFailure } from "../data/node.ts";
import { bytes, count } from "../format.ts";
import type { Comparison, NodeSegment } from "./archive-verify.ts";

const TABLES = [
  "BALANCES",
  "CHECKPOINTS",
  "DELEGATIONS",
  "LEDGER",
  "ORDERS",
  "TRADES",
  "MARKET_DATA",
  "MARGIN_LEVELS",
  "POSITIONS",
  "LIQUIDITY_PROVISIONS",
  "MARKETS",
  "DEPOSITS",
  "WITHDRAWALS",
  "BLOCKS",
  "REWARDS",
] as const;
/** A longer one is for the browser's own downloads: it goes to the disk directly, and is picked as a file to be checked. */
const KEPT_BYTES_MAX = 1024 ** 3;

/** Of the node, with one request. */
const SEGMENTS_READ = 500;

interface Archive {
  readonly name: string;
  readonly file: Blob;
}

type Outcome =
  | { readonly archive: Verification; readonly comparison: Comparison }
  | { readonly damage: string }
  | { readonly failure: string };

interface Working {
  readonly title: string;
  readonly part: number | undefined;
  readonly text: string;
}

/** Segments of the node that hold the blocks of an archive, oldest first; the newest where it has none of them. */
async function segmentsOf({ from, to }: Verification, signal: AbortSignal): Promise<readonly NodeSegment[]> {
  const rows: NodeSegment[] = [];
  for (let before = (to ?? 0) + 1, isEnd = from === undefined; !isEnd; ) {
    const path = `/lyra/v1/segments?limit=${SEGMENTS_READ}&before=${before}`;
    const { segments } = await get<Segments>(path, signal);
    const inside = segments.filter((segment) => segment.to >= from!);
    rows.unshift(...inside.reverse());
    isEnd = inside.length < SEGMENTS_READ;
    before = rows[0]?.from ?? 0;
  }
  if (rows.length > 0) return rows;
  return (await get<Segments>("/lyra/v1/segments?limit=1", signal)).segments;
}

export function Archives({ stretches }: { readonly stretches: Segments["stretches"] }) {
  const working = useSignal<Working | undefined>(undefined);
  const saved = useSignal<Archive | undefined>(undefined);
  const notice = useSignal<{ readonly text: string; readonly isBad: boolean } | undefined>(undefined);
  const checked = useSignal<{ readonly name: string; readonly outcome: Outcome } | undefined>(undefined);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  /** Runs one piece of work at a time; the buttons of others are disabled meanwhile. */
  const work = async (title: string, run: (signal: AbortSignal) => Promise<void>) => {
    if (working.value !== undefined) return;
    working.value = { title, part: undefined, text: "" };
    abort.current = new AbortController();
    const { signal } = abort.current;
    notice.value = undefined;
    try {
      await run(signal);
    } catch (error) {
      if (!signal.aborted && !(error instanceof RequestFailure)) throw error;
      const text = signal.aborted ? "called off" : (error as Error).message;
      notice.value = { text, isBad: !signal.aborted };
    } finally {
      working.value = undefined;
    }
  };
  const save = (path: string, name: string) =>
    work("Saving", async (signal) => {
      saved.value = undefined;
      const total = await lengthOf(path, signal);
      if (total !== undefined && total > KEPT_BYTES_MAX) {
        saveAs(name, dataOrigin() + path);
        notice.value = {
          text: `${bytes(total)}: the browser saves it; pick the file to check it`,
          isBad: false,
        };
        return;
      }
      const onProgress = ({ done }: Progress) => {
        working.value = {
          title: "Saving",
          part: total && done / total,
          text: total === undefined ? bytes(done) : `${bytes(done)} of ${bytes(total)}`,
        };
      };
      onProgress({ done: 0, total });
      const file = await download(path, total, { signal, onProgress });
      saved.value = { name, file };
      notice.value = { text: `${name}, ${bytes(file.size)}`, isBad: false };
      saveFile(name, file);
    });
  const verify = ({ name, file }: Archive) =>
    work("Checking", async (signal) => {
      checked.value = undefined;
      working.value = { title: "Checking", part: 0, text: name };
      const { compareWithNode, verifyFile } = await import("./archive-verify.ts");
      try {
        const archive = await verifyFile(file, signal, (part) => {
          working.value = {
            title: "Checking",
            part,
            text: `${bytes(part * file.size)} of ${bytes(file.size)}`,
          };
        });
        const comparison = compareWithNode(archive, await segmentsOf(archive, signal));
        checked.value = { name, outcome: { archive, comparison } };
      } catch (error) {
        if (signal.aborted || error instanceof RequestFailure) throw error;
        checked.value = { name, outcome: { damage: (error as Error).message } };
      }
    });
  return (
    <>
      <Panel title="Save an archive">
        <RangeForm stretches={stretches} isBusy={working.value !== undefined} onSave={save} />
        <div class="archive">
          {working.value !== undefined && (
            <p class="archive-progress">
              <span>{working.value.title}</span>
              <progress value={working.value.part} max={1} aria-label={working.value.title} />
              <span class="number">{working.value.text}</span>
              <button type="button" class="small" onClick={() => abort.current?.abort()}>
                Stop
              </button>
            </p>
          )}
          <p role="status" class={notice.value?.isBad ? "bad" : undefined}>
            {notice.value?.text}
          </p>
          <div class="archive-actions">
            <button
              type="button"
              disabled={saved.value === undefined || working.value !== undefined}
              onClick={() => saved.value && verify(saved.value)}
            >
              Verify what was saved
            </button>
            <label>
              or an archive on disk
              <input
                type="file"
                accept=".zip,application/zip"
                disabled={working.value !== undefined}
                onChange={({ currentTarget }) => {
                  const [file] = currentTarget.files ?? [];
                  if (file !== undefined) void verify({ name: file.name, file });
                }}
              />
            </label>
          </div>
        </div>
      </Panel>
      {checked.value !== undefined && <Verdict {...checked.value} />}
    </>
  );
}

interface RangeFormProps {
  readonly stretches: Segments["stretches"];
  readonly isBusy: boolean;
  readonly onSave: (path: string, name: string) => Promise<void>;
}

/** The segment that holds a block; undefined where none does. */
async function segmentAt(height: string): Promise<NodeSegment | undefined> {
  const block = Number(height.replaceAll(",", ""));
  if (!Number.isSafeInteger(block) || block < 0) return undefined;
  const { segments } = await get<Segments>(`/lyra/v1/segments?limit=1&before=${block + 1}`);
  const [segment] = segments;
  return segment !== undefined && segment.to >= block ? segment : undefined;
}

function RangeForm({ stretches, isBusy, onSave }: RangeFormProps) {
  const table = useSignal<string>("TRADES");
  const from = useSignal("");
  const to = useSignal("");
  const problem = useSignal("");
  /** Whether the blocks that were typed have segments; undefined while none is looked for. */
  const choice = useRef<Promise<boolean>>(undefined);
  const typed = useRef({ from: "", to: "" });
  const rangeOf = () => {
    const whole = stretches.at(-1);
    return { first: Number(from.value || (whole?.from ?? 0)), last: Number(to.value || (whole?.to ?? 0)) };
  };
  const { first, last } = rangeOf();
  const isRange = first <= last;
  /** An archive is of whole segments: a block stands for the one that holds it. */
  const choose =
    (end: typeof from, member: "from" | "to") =>
    ({ currentTarget: field }: { readonly currentTarget: HTMLInputElement }) => {
      const before = choice.current;
      if (before === undefined) problem.value = "";
      const look = Promise.all([before, lookUp(field, end, member)]).then((each) => !each.includes(false));
      choice.current = look;
      void look.finally(() => {
        if (choice.current === look) choice.current = undefined;
      });
    };
  const lookUp = async (field: HTMLInputElement, end: typeof from, member: "from" | "to") => {
    const text = field.value;
    typed.current[member] = text;
    let failure = "";
    try {
      const segment = await segmentAt(text);
      // Another block was typed meanwhile.
      if (typed.current[member] !== text) return true;
      if (segment === undefined) failure = `No segment holds the block ${text}.`;
      else end.value = String(segment[member]);
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error;
      failure = error.message;
    }
    if (failure !== "") problem.value = failure;
    const range = rangeOf();
    field.value = String(end === from ? range.first : range.last);
    return failure === "";
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    // The key that sends the form also ends the typing of a block.
    if ((await choice.current) === false) return;
    const range = rangeOf();
    if (range.first > range.last) return;
    const query = `table=TABLE_${table.value}&fromBlock=${range.first}&toBlock=${range.last}&manifest=true`;
    const name = fileName(chainId.value, table.value.toLowerCase(), range.first, range.last);
    await onSave(`/api/v2/networkhistory/export?${query}`, `${name}.zip`);
  };
  return (
    <form class="ticket" aria-label="Save an archive" onSubmit={submit}>
      <label htmlFor="export-table">
        Table
        <select
          id="export-table"
          value={table.value}
          onChange={({ currentTarget }) => {
            table.value = currentTarget.value;
          }}
        >
          {TABLES.map((each) => (
            <option key={each} value={each}>
              {each.toLowerCase().replaceAll("_", " ")}
            </option>
          ))}
        </select>
      </label>
      <label htmlFor="export-from">
        First block
        <input
          id="export-from"
          type="text"
          inputMode="numeric"
          value={String(first)}
          aria-describedby="export-whole"
          onChange={choose(from, "from")}
        />
      </label>
      <label htmlFor="export-to">
        Last block
        <input
          id="export-to"
          type="text"
          inputMode="numeric"
          value={String(last)}
          aria-describedby="export-whole"
          onChange={choose(to, "to")}
        />
      </label>
      <small id="export-whole" class="muted">
        whole segments: the one that holds the block
      </small>
      <button type="submit" disabled={!isRange || isBusy}>
        Save
      </button>
      {problem.value !== "" && (
        <p class="ticket-message bad" role="alert">
          {problem.value}
        </p>
      )}
      {!isRange && <p class="ticket-message bad">The last block comes before the first.</p>}
      <Command
        text={`lyra history export --table TABLE_${table.value} --from ${first} --to ${last}${homeFlag()}`}
      />
    </form>
  );
}

interface VerdictProps {
  readonly name: string;
  readonly outcome: Outcome;
}

/** Verdict on an archive, and the checks behind it. */
function Verdict({ name, outcome }: VerdictProps) {
  return (
    <Panel
      title={name}
      more={
        "damage" in outcome ? (
          <Badge tone="bad">damaged</Badge>
        ) : "archive" in outcome ? (
          <VerdictBadge {...outcome.comparison} />
        ) : undefined
      }
    >
      {"damage" in outcome && (
        <p class="failure" role="alert">
          It is not sound: {outcome.damage}
        </p>
      )}
      {"archive" in outcome && (
        <>
          {outcome.comparison.verdict !== "same" && (
            <p
              class={outcome.comparison.verdict === "different" ? "failure" : "note muted"}
              role={outcome.comparison.verdict === "different" ? "alert" : undefined}
            >
              {outcome.comparison.text}
            </p>
          )}
          <Facts rows={checksOf(outcome.archive, outcome.comparison)} />
        </>
      )}
      <div class="archive">
        {/* A word that begins with a hyphen would be a flag. */}
        <Command text={`lyra history verify ${shellWord(name.replace(/^-/, "./-"))}`} />
      </div>
    </Panel>
  );
}

const TONES = { same: "good", different: "bad", unknown: "warn" } as const;
const VERDICTS = {
  same: "sound, and the node's own history",
  different: "sound, but not the node's history",
  unknown: "sound, not compared with the node",
} as const;

function VerdictBadge({ verdict }: Comparison) {
  return <Badge tone={TONES[verdict]}>{VERDICTS[verdict]}</Badge>;
}

function checksOf(archive: Verification, comparison: Comparison): [string, string | undefined][] {
  const { files, segments, hasManifest, from = 0, to = 0, chainId: chain, table } = archive;
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  return [
    ["Container", `${count(files.length)} CSV, every header, length and CRC-32`],
    ["Rows", `${count(rows)}, ${bytes(size)}`],
    [
      "Of",
      hasManifest
        ? `${chain}, ${table?.replace(/^TABLE_/, "").toLowerCase()}, blocks ${count(from)} to ${count(to)}`
        : undefined,
    ],
    [
      "SHA-256 of the rows",
      hasManifest
        ? `as ${segments.length === 1 ? "the record of 1 segment names" : `the records of ${count(segments.length)} segments name`} them`
        : "no manifest",
    ],
    ["Chain of segments", hasManifest ? "each record hashes to its id and names the one before" : undefined],
    [
      "Compared with this node",
      comparison.verdict === "same"
        ? comparison.segments === 1
          ? "the id is the node's"
          : `all ${count(comparison.segments)} ids are the node's`
        : comparison.verdict === "unknown"
          ? "it cannot say"
          : comparison.here && `the archive has ${comparison.here}, the node ${comparison.there}`,
    ],
  ];
}

/** A command without it reads the default home. */
function homeFlag(): string {
  const home = addresses.value?.home;
  return home === undefined ? "" : ` --home ${home}`;
}
