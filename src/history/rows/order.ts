// The order of rows (reference 20, section 2.5). The store is clustered so that rows come in the right order almost
// always; what it cannot know is settled here, holding no more than the rows of a block:
// references stand for six bytes of an identifier only, blocks that share a time restart their sequence numbers,
// and microseconds added to a block's time can pass the time of the block after it.

export interface Line<Key extends string | number> {
  /** Row of `blocks`. Lines come grouped by it, ascending. */
  readonly block: number;
  readonly key: Key;
  readonly text: string;
}

/** Lines of each block by key. Equal keys stay in the order they came. */
export function* byBlockAndKey<Key extends string | number>(lines: Iterable<Line<Key>>): Generator<string> {
  let held: Line<Key>[] = [];
  for (const line of lines) {
    if (held.length > 0 && held[0]!.block !== line.block) {
      yield* texts(held);
      held = [];
    }
    held.push(line);
  }
  yield* texts(held);
}

/** Lines by key, where no line has a key below `floor` of its block and floors ascend with the blocks. */
export function* byTime(lines: Iterable<Line<number>>, floor: (block: number) => number): Generator<string> {
  let held: Line<number>[] = [];
  let block = -1;
  for (const line of lines) {
    if (line.block !== block) {
      block = line.block;
      const from = floor(block);
      yield* texts(held.filter((waiting) => waiting.key < from));
      held = held.filter((waiting) => waiting.key >= from);
    }
    held.push(line);
  }
  yield* texts(held);
}

function* texts<Key extends string | number>(lines: Line<Key>[]): Generator<string> {
  if (!isSorted(lines)) lines.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (const line of lines) yield line.text;
}

function isSorted<Key extends string | number>(lines: readonly Line<Key>[]): boolean {
  for (let i = 1; i < lines.length; i++) if (lines[i - 1]!.key > lines[i]!.key) return false;
  return true;
}

/** Sorts as the byte strings one after the other do: a comma sorts below every hex digit. */
export function bytesKey(...hex: string[]): string {
  return hex.join(",");
}
