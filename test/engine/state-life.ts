/**
 * Random lives of the tree of entries and of the state above it, from one small number each, beside a model that knows the
 * entries alone and works out every hash again (docs/decisions/037-application-hash.md). Positions are searched for as
 * somebody would who wants to harm: side by side, at both ends, alike in any number of digits.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { appHashFrom } from "../../src/chain/app-hash.ts";
import { type ChainPoint, ChainStore, storedEntries } from "../../src/chain/chain-store.ts";
import { SnapshotRestore, StateSnapshots } from "../../src/chain/state-snapshots.ts";
import { EntryTree } from "../../src/engine/entry-tree.ts";
import { type Mark, State, type StateChange } from "../../src/engine/state.ts";
import { BlockWriter } from "../../src/store/block-writer.ts";
import { openWriter } from "../../src/store/database.ts";

const LEAF_MAX = 16;
const DEPTH_MAX = 12;

const sha256 = (input: string | Uint8Array) => createHash("sha256").update(input).digest();

/** A record as the decision writes it down. */
export function recordOf(key: string, value: string): Buffer {
  return Buffer.concat([sha256(key).subarray(0, 24), sha256(`${key.length}:${key}${value}`)]);
}

const digitOf = (record: Buffer, depth: number) =>
  depth % 2 === 0 ? record[depth >> 1]! >> 4 : record[depth >> 1]! & 15;

/** @param records in ascending order */
function rootOfSorted(records: readonly Buffer[], depth: number): Buffer {
  if (records.length <= LEAF_MAX || depth === DEPTH_MAX) return sha256(Buffer.concat(records));
  const below: Buffer[][] = Array.from({ length: 16 }, () => []);
  for (const record of records) below[digitOf(record, depth)]!.push(record);
  return sha256(
    Buffer.concat(
      below.map((each) => (each.length === 0 ? Buffer.alloc(32) : rootOfSorted(each, depth + 1))),
    ),
  );
}

export const rootOf = (records: Iterable<Buffer>): string =>
  rootOfSorted([...records].sort(Buffer.compare), 0).toString("hex");

/** Small whole numbers that follow from a seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

type Pick = ReturnType<typeof numbersFrom>;

function bytesFrom(pick: Pick, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => pick(256)));
}

/** A source of positions of one shape. */
function positionsOf(pick: Pick): () => Buffer {
  const shape = pick(6);
  const clusters = Array.from({ length: 1 + pick(4) }, () => bytesFrom(pick, 24));
  if (shape === 1) clusters.push(Buffer.alloc(24, 0xff));
  if (shape === 2) clusters.push(Buffer.alloc(24, 0));
  const digits = pick(50);
  return () => {
    const position = bytesFrom(pick, 24);
    if (shape === 0) return position;
    const cluster = clusters.at(-1 - pick(shape < 3 ? 1 : clusters.length))!;
    // Alike in this many digits; of one shape in a number of its own each time.
    const alike = shape === 5 ? pick(50) : digits;
    for (let digit = 0; digit < alike && digit < 48; digit++) {
      const at = digit >> 1;
      const mask = digit % 2 === 0 ? 0xf0 : 0x0f;
      position[at] = (position[at]! & ~mask) | (cluster[at]! & mask);
    }
    return position;
  };
}

/** Sizes at which leaves become branches, and one beside them. */
function sizeFrom(pick: Pick, sizeMax: number): number {
  const sizes = [0, 1, 16, 17, 256, 272, 4096, 4352, 65_536];
  const size = pick(3) === 0 ? pick(sizeMax) : sizes[pick(sizes.length)]! + pick(3) - 1;
  return Math.max(0, Math.min(size, sizeMax));
}

function check(isRight: boolean, text: string): void {
  if (!isRight) throw new Error(text);
}

/**
 * A tree grows and shrinks to one size after the other, with changes in between.
 * @returns the number of changes @throws Error where it differs from the model
 */
export function liveTree(seed: number, sizeMax: number): number {
  const pick = numbersFrom(seed);
  const tree = new EntryTree();
  const records = new Map<string, Buffer>();
  const names: string[] = [];
  let next = positionsOf(pick);
  let changes = 0;
  const put = (position: Buffer) => {
    const digest = bytesFrom(pick, 32);
    const name = position.toString("latin1");
    if (!records.has(name)) names.push(name);
    records.set(name, Buffer.concat([position, digest]));
    tree.setRecord(position, digest);
    changes++;
  };
  const remove = () => {
    const at = pick(names.length);
    const name = names[at]!;
    names[at] = names.at(-1)!;
    names.pop();
    tree.deleteRecord(Buffer.from(name, "latin1"));
    records.delete(name);
    changes++;
  };
  const compare = () => {
    check(tree.size === records.size, `size ${tree.size}, and ${records.size} in the model`);
    const root = tree.hash(new Uint8Array(32)).toHex();
    check(root === rootOf(records.values()), `another root at size ${records.size}`);
    comparePlaces(tree, [...records.values()], pick);
  };
  for (let leg = 1 + pick(8); leg > 0; leg--) {
    const size = sizeFrom(pick, sizeMax);
    if (pick(3) === 0) next = positionsOf(pick);
    const asksAt = 1 + pick(2_000);
    for (let n = 0; records.size !== size && n < 3 * sizeMax; n++) {
      if (records.size < size) put(next());
      else remove();
      const other = pick(8);
      if (other === 0 && names.length > 0) put(Buffer.from(names[pick(names.length)]!, "latin1"));
      else if (other === 1) {
        const position = next();
        if (!records.has(position.toString("latin1"))) tree.deleteRecord(position);
      } else if (other === 2 && n % asksAt === 0) tree.hash(new Uint8Array(32));
    }
    compare();
    for (let n = pick(40); n > 0; n--) {
      if (pick(2) === 0) put(next());
      else if (names.length > 0) remove();
      if (pick(20) === 0) tree.hash(new Uint8Array(32));
    }
    compare();
  }
  while (names.length > 0) remove();
  compare();
  return changes;
}

/** Some way down, by the digits of a record or of nothing. */
function comparePlaces(tree: EntryTree, records: readonly Buffer[], pick: Pick): void {
  const goal = records.length === 0 ? bytesFrom(pick, 24) : records[pick(records.length)]!;
  for (let depth = 0, above = records; depth <= DEPTH_MAX; depth++) {
    const prefix = goal.toString("hex").slice(0, depth);
    const place = tree.place(prefix);
    const isBranch = above.length > LEAF_MAX && depth < DEPTH_MAX;
    if (place === undefined) throw new Error(`the tree has no place '${prefix}'`);
    check(place.entries === above.length, `place '${prefix}' has ${place.entries} of ${above.length}`);
    check(
      place.hash === rootOfSorted([...above].sort(Buffer.compare), depth).toString("hex"),
      `place '${prefix}' has another hash`,
    );
    check((place.children !== undefined) === isBranch, `place '${prefix}' is of the other kind`);
    if (!isBranch) {
      check(tree.place(`${prefix}0`) === undefined, `there is a place below the leaf '${prefix}'`);
      return;
    }
    above = above.filter((record) => digitOf(record, depth) === digitOf(goal, depth));
  }
}

type Value = bigint | string | number | { readonly a: bigint; readonly b: readonly string[] };
type Model = Map<string, Map<string, Value>>;

/** The text of a value, in another way than the state's own. */
const textOf = (value: Value): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    typeof member === "bigint"
      ? `\u0001${member}`
      : typeof member === "string" && member.startsWith("\u0001")
        ? `\u0001${member}`
        : member,
  );

function digestOfModel(model: Model): string {
  const digests = [...model]
    .filter(([, entries]) => entries.size > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, entries]) => {
      const root = rootOf([...entries].map(([key, value]) => recordOf(key, textOf(value))));
      return sha256(`${name}\n${entries.size}\n${root}`);
    });
  return sha256(Buffer.concat(digests)).toString("hex");
}

const copyOf = (model: Model): Model => new Map([...model].map(([name, each]) => [name, new Map(each)]));

const TABLES = ["b", "a", "admission.x", "c"];
const POINT: ChainPoint = {
  height: 1,
  hash: "ab",
  timeNs: "1",
  previousTimeNs: "0",
  appHash: "",
  txs: 0,
  blockEvents: 0,
  ledgerEntries: 0,
  events: 0,
};
const CHAIN = { chainId: "fuzz", genesis: "00" };

/**
 * A state lives through changes, ways back, restarts from its store and snapshots of it.
 * @param home an empty folder @returns the number of steps @throws Error where it differs from the model
 */
export async function liveState(seed: number, steps: number, home: string): Promise<number> {
  const pick = numbersFrom(seed);
  const db = openWriter(home);
  const store = new ChainStore(db, new BlockWriter(db, { allOrNothing: true }));
  const open = () => {
    const opened = new State();
    return { state: opened, tables: new Map(TABLES.map((name) => [name, opened.table<Value>(name)])) };
  };
  let { state, tables } = open();
  let model: Model = new Map(TABLES.map((name) => [name, new Map()]));
  let places: { readonly mark: Mark; readonly model: Model; readonly unsaved: StateChange[] }[] = [];
  let unsaved: StateChange[] = [];
  let height = 1;
  const keysMax = [20, 300, 5_000][pick(3)]!;
  const valueFrom = (): Value => {
    const kind = pick(5);
    if (kind === 0) return BigInt(pick(1_000)) * 10n ** BigInt(pick(30)) - 5n;
    if (kind === 1) return `${"\u0001".repeat(pick(3))}ü\u2028"${pick(9)}`;
    if (kind === 2) return pick(1_000) - 500;
    return { a: BigInt(pick(50)), b: Array.from({ length: pick(3) }, () => `\u0001${pick(5)}`) };
  };
  const changeOne = () => {
    const name = TABLES[pick(TABLES.length)]!;
    const key = pick(40) === 0 ? "" : `${"k".repeat(pick(3))}é/${pick(keysMax)}`;
    if (pick(3) === 0) {
      tables.get(name)!.delete(key);
      model.get(name)!.delete(key);
    } else {
      const value = valueFrom();
      tables.get(name)!.set(key, value);
      model.get(name)!.set(key, value);
    }
  };
  const take = () => {
    unsaved.push(...state.takeChanges());
    state.dropJournal();
  };
  const compare = () => {
    const digest = digestOfModel(model);
    check(state.digest() === digest, `step ${height}: another digest than the model`);
  };
  const save = () => {
    take();
    const point = { ...POINT, height, appHash: appHashFrom(state.digest(), { ...POINT, height }) };
    db.run("BEGIN IMMEDIATE");
    store.stageState(unsaved, point);
    db.run("COMMIT");
    unsaved = [];
    return point;
  };
  const restart = (entries: Parameters<State["load"]>[0]) => {
    ({ state, tables } = open());
    state.load(entries);
    places = [];
  };
  try {
    for (; height <= steps; height++) {
      for (let n = pick(pick(10) === 0 ? keysMax : 30); n > 0; n--) changeOne();
      switch (pick(10)) {
        case 0: {
          // A transaction that fails.
          take();
          const before = { model: copyOf(model), mark: state.mark() };
          for (let n = pick(50); n > 0; n--) changeOne();
          state.rollback(before.mark);
          model = before.model;
          break;
        }
        case 1:
          take();
          places.push({ mark: state.place(), model: copyOf(model), unsaved: [...unsaved] });
          break;
        case 2: {
          const place = places[pick(places.length)];
          if (place === undefined) break;
          // Later places are lost; this one stays.
          take();
          save();
          state.returnTo(place.mark);
          places = places.slice(0, places.indexOf(place) + 1);
          model = copyOf(place.model);
          // All of the stored state is written back, as a revert of the store does.
          rewrite(db, state);
          unsaved = [];
          break;
        }
        case 3: {
          const place = places.shift();
          if (place) state.release(place.mark);
          break;
        }
        case 4:
          save();
          restart(storedEntries(db));
          break;
        case 5: {
          if (pick(4) > 0) break;
          const point = save();
          const snapshots = new StateSnapshots(home, CHAIN, 500 + pick(100_000));
          const snapshot = await snapshots.write(0);
          const restore = new SnapshotRestore(join(home, "other"), snapshot, point.appHash, CHAIN);
          for (let n = 0; n < snapshot.chunks; n++) restore.apply(n, snapshots.chunk(snapshot.height, 1, n)!);
          check(restore.verify().appHash === point.appHash, "the snapshot has another hash");
          restart(restore.entries());
          restore.discard();
          break;
        }
        case 6: {
          // All of a table goes.
          const name = TABLES[pick(TABLES.length)]!;
          if (pick(3) > 0) break;
          for (const key of tables.get(name)!.keys()) tables.get(name)!.delete(key);
          model.get(name)!.clear();
          break;
        }
        default:
      }
      take();
      if (pick(3) === 0) compare();
    }
    take();
    compare();
    save();
    const again = open().state;
    again.load(storedEntries(db));
    check(again.digest() === digestOfModel(model), "the stored state has another digest");
    return steps;
  } finally {
    db.close();
  }
}

function rewrite(db: ReturnType<typeof openWriter>, state: State): void {
  db.run("BEGIN IMMEDIATE");
  db.run("DELETE FROM chain_state");
  const insert = db.prepare("INSERT INTO chain_state(name, key, value) VALUES(?, ?, ?)");
  for (const { table, key, value } of state.entries()) insert.run(table, key, value);
  insert.finalize();
  db.run("COMMIT");
}
