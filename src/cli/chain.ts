// lyra chain diff: where the state of a chain differs from that of another node.

import { storedEntries, storedStatePoint } from "../chain/chain-store.ts";
import { statePartOf } from "../chain/state-view.ts";
import { devnetHomes, runningDevnet } from "../devnet/home.ts";
import type { StatePart } from "../engine/chain-port.ts";
import { isBelow } from "../engine/entry-tree.ts";
import { State } from "../engine/state.ts";
import { ExitCode, NodeError } from "../errors/node-error.ts";
import { requestAnswer } from "../fetch/answer.ts";
import { hasStore, openReader } from "../store/database.ts";
import { hasChain } from "../store/head.ts";
import { compare } from "../wire/arithmetic.ts";
import { command, option } from "./command/command.ts";
import { usageError } from "./command/usage-error.ts";
import { NODE_URL } from "./flags.ts";
import { grouped } from "./terminal.ts";

const WAIT_MS = 30_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const ERROR_BYTES_MAX = 2_000;
/** While blocks come, both nodes are asked again until their answers are of one block. */
const ATTEMPTS_MAX = 20;
const PAUSE_MS = 100;
const VALUE_LENGTH_MAX = 2_000;
const NOT_FOUND = 404;

type Place = Pick<StatePart, "digest" | "entries" | "children" | "leaf">;

const NOTHING: Place = { digest: "", entries: 0, leaf: [] };

/** A state that is asked part by part. */
interface StateSource {
  readonly name: string;
  part(table: string | undefined, prefix: string): Promise<StatePart | undefined>;
}

interface Difference {
  readonly key: string;
  readonly here: string | undefined;
  readonly there: string | undefined;
}

export const diff = command({
  usage: ["--against URL [--node-url URL | --home DIR]"],
  flags: {
    against: option("URL", "the node API of the other node, such as http://127.0.0.1:3103"),
    "node-url": {
      ...NODE_URL["node-url"],
      text: "node API of this node (default: the one that runs in the home; a stopped home is read)",
    },
  },
  notes: `  Both must be at the same block. The walk goes from the tables down to an entry
  that differs, in few requests. Exit code 4: the states differ.`,
  json: "{equal, height, appHash, tables, entries} or {equal: false, height, table, key, here, there}: values as they are stored, null where there is no entry; table and key are null where only the counts of blocks and events differ",
  wrongWords: ([address]) => `give the address as --against ${address ?? "URL"}`,
  async run({ values, typed }) {
    const { against, home, json } = values;
    if (against === undefined) throw usageError("chain diff", "say which node: --against URL");
    const url = typed["node-url"] ?? (home === undefined ? values["node-url"] : undefined);
    const here = url === undefined ? sourceOf(home) : httpSource(url);
    const comparison = await compareStates(here, httpSource(against));
    process.stdout.write(json ? `${JSON.stringify(comparison.body)}\n` : `${comparison.text}\n`);
    return comparison.body.equal ? ExitCode.done : ExitCode.verificationFailed;
  },
});

async function compareStates(here: StateSource, there: StateSource) {
  const [a, b] = await bothAt(here, there, undefined, "");
  const { height } = a;
  if (a.digest === b.digest) {
    if (a.appHash !== b.appHash) {
      const text = `at block ${height} the states are equal, but the application hashes are not: ${a.appHash} here, ${b.appHash} there. The counts of blocks or events differ`;
      return { text, body: { equal: false, height, table: null, key: null, here: null, there: null } };
    }
    const { appHash, entries } = a;
    const tables = a.tables?.length ?? 0;
    const text = `the states of block ${height} are equal: ${grouped(entries)} entries in ${tables} tables, application hash ${appHash}`;
    return { text, body: { equal: true, height, appHash, tables, entries } };
  }
  const table = firstTable(a, b);
  const [left, right] = await bothAt(here, there, table, "");
  const difference = await firstDifference({ here, there, table }, "", left, right);
  if (difference === undefined)
    throw new NodeError(
      "chain.diff",
      "state_moved",
      `table ${table} differed at block ${height}, and does not at block ${left.height}`,
      "try again; a chain whose blocks come quickly is compared best while it stands",
    );
  const { key, here: ours = null, there: theirs = null } = difference;
  const text = [
    `the states of block ${left.height} differ in table ${table}`,
    `key    ${key}`,
    `here   ${shown(ours)}`,
    `there  ${shown(theirs)}`,
  ].join("\n");
  return { text, body: { equal: false, height: left.height, table, key, here: ours, there: theirs } };
}

function shown(value: string | null): string {
  if (value === null) return "no entry";
  return value.length <= VALUE_LENGTH_MAX ? value : `${value.slice(0, VALUE_LENGTH_MAX)}...`;
}

function firstTable({ tables: ours = [] }: StatePart, { tables: theirs = [] }: StatePart): string {
  const digests = new Map(theirs.map(({ table, digest }) => [table, digest]));
  const differing = ours
    .filter(({ table, digest }) => digests.get(table) !== digest)
    .map(({ table }) => table);
  const ownNames = new Set(ours.map(({ table }) => table));
  const missing = theirs.filter(({ table }) => !ownNames.has(table)).map(({ table }) => table);
  return [...differing, ...missing].sort(compare)[0] ?? "";
}

interface Walk {
  readonly here: StateSource;
  readonly there: StateSource;
  readonly table: string;
}

/** The first entry below a place that differs, by position. */
async function firstDifference(
  walk: Walk,
  prefix: string,
  a: Place,
  b: Place,
): Promise<Difference | undefined> {
  if (a.digest === b.digest) return undefined;
  if (a.leaf !== undefined && b.leaf !== undefined) return differenceOf(a.leaf, b.leaf);
  for (let n = 0; n < 16; n++) {
    if (a.children !== undefined && a.children[n] === b.children?.[n]) continue;
    const below = prefix + n.toString(16);
    const [left, right] = await childrenOf(walk, below, a, b);
    const difference = await firstDifference(walk, below, left, right);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** Where one side has a leaf and the other a branch, the leaf's entries are told apart here. */
async function childrenOf(
  { here, there, table }: Walk,
  prefix: string,
  a: Place,
  b: Place,
): Promise<[Place, Place]> {
  const below = ({ leaf = [] }: Place): Place => ({
    ...NOTHING,
    digest: "leaf",
    leaf: leaf.filter(({ key }) => isBelow(key, prefix)),
  });
  if (a.leaf !== undefined) return [below(a), (await there.part(table, prefix)) ?? NOTHING];
  if (b.leaf !== undefined) return [(await here.part(table, prefix)) ?? NOTHING, below(b)];
  return bothAt(here, there, table, prefix);
}

function differenceOf(a: NonNullable<Place["leaf"]>, b: NonNullable<Place["leaf"]>): Difference | undefined {
  const ours = new Map(a.map(({ key, value }) => [key, value]));
  const theirs = new Map(b.map(({ key, value }) => [key, value]));
  const keys = [...new Set([...ours.keys(), ...theirs.keys()])].sort(compare);
  const key = keys.find((each) => ours.get(each) !== theirs.get(each));
  return key === undefined ? undefined : { key, here: ours.get(key), there: theirs.get(key) };
}

/** The same part of both, of one block. @throws NodeError `heights_differ` */
async function bothAt(
  here: StateSource,
  there: StateSource,
  table: string | undefined,
  prefix: string,
): Promise<[StatePart, StatePart]> {
  for (let attempts = 1; ; attempts++) {
    const parts = await Promise.all([here.part(table, prefix), there.part(table, prefix)]);
    const [a, b] = parts;
    const height = a?.height ?? b?.height ?? 0;
    const none = { ...NOTHING, height, appHash: "" };
    if (a === undefined || b === undefined || a.height === b.height) return [a ?? none, b ?? none];
    if (attempts >= ATTEMPTS_MAX)
      throw new NodeError(
        "chain.diff",
        "heights_differ",
        `${here.name} is at block ${a.height}, and ${there.name} at block ${b.height}: only states of one block can be compared`,
        "wait until both have the same blocks; a node that stands at a block is compared with one that stands there, too",
      );
    await Bun.sleep(PAUSE_MS);
  }
}

function httpSource(text: string): StateSource {
  const address = text.includes("://") ? text : `http://${text}`;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw usageError("chain diff", "a node's address is like http://127.0.0.1:3003");
  const base = address.replace(/\/+$/, "");
  return {
    name: base,
    async part(table, prefix) {
      const query = table === undefined ? "" : `?${new URLSearchParams({ table, prefix })}`;
      let answer: Awaited<ReturnType<typeof requestAnswer>>;
      try {
        answer = await requestAnswer(`${base}/lyra/v1/state${query}`, { timeoutMs: WAIT_MS });
      } catch {
        throw unreachable(`${base} does not answer`);
      }
      if (answer.status === NOT_FOUND && table !== undefined) {
        await answer.discard();
        return undefined;
      }
      if (!answer.isOk) {
        const words = (await answer.start(ERROR_BYTES_MAX)).trim().slice(0, ERROR_BYTES_MAX);
        throw unreachable(`${base} gives no state: ${answer.status} ${words}`);
      }
      return JSON.parse(await answer.text(ANSWER_BYTES_MAX)) as StatePart;
    },
  };
}

/** The node that runs in a home, else what the stopped home holds. */
function sourceOf(home: string | undefined): StateSource {
  const homes = home === undefined ? devnetHomes() : [home];
  const running = runningDevnet(homes);
  if (running !== undefined) return httpSource(running.nodeUrl);
  const stopped = homes.find((each) => hasStore(each));
  if (stopped === undefined) throw unreachable("no running node was found, and no home that holds a chain");
  const db = openReader(stopped);
  try {
    if (!hasChain(db)) throw unreachable(`the home ${stopped} holds no chain with a state of its own`);
    const point = storedStatePoint(db);
    const state = new State();
    for (const { table } of db.query("SELECT DISTINCT name AS 'table' FROM chain_state").all() as {
      table: string;
    }[])
      state.table(table);
    state.load(storedEntries(db));
    return { name: stopped, part: (table, prefix) => statePartOf({ state, point }, table, prefix) };
  } finally {
    db.close();
  }
}

function unreachable(text: string): NodeError {
  return new NodeError(
    "chain.diff",
    "state_unreachable",
    text,
    "name a devnet or a validator of Lyra by --node-url URL",
  );
}
