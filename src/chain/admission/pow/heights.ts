// What the engine remembers by height: the hashes of past blocks, and what has been seen under each.

/** Slots for past blocks: the window cannot be larger (reference 40, sections 2.1 and 3.1). */
export const PAST_BLOCKS_MAX = 500n;

/** The entries of a map by height, lowest first. */
export function sortedHeights<V>(map: ReadonlyMap<bigint, V>): [bigint, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

export type BlockHashesState = readonly (readonly [height: string, hash: string])[];

/** The hashes of the last 500 heights, in slots that are written over. */
export class BlockHashes {
  private readonly slots = new Map<bigint, { readonly height: bigint; readonly hash: string }>();

  put(height: bigint, hash: string): void {
    this.slots.set(height % PAST_BLOCKS_MAX, { height, hash });
  }

  of(height: bigint): string | undefined {
    const slot = this.slots.get(height % PAST_BLOCKS_MAX);
    return slot?.height === height ? slot.hash : undefined;
  }

  save(): BlockHashesState {
    const blocks = new Map([...this.slots.values()].map(({ height, hash }) => [height, hash]));
    return sortedHeights(blocks).map(([height, hash]) => [height.toString(), hash]);
  }

  load(state: BlockHashesState): void {
    this.slots.clear();
    for (const [height, hash] of state) this.put(BigInt(height), hash);
  }
}

export type SeenState = readonly (readonly [height: string, texts: readonly string[]])[];

/** Texts that may not come again, forgotten by the height they were recorded under. */
export class Seen {
  private readonly texts = new Set<string>();
  private readonly byHeight = new Map<bigint, string[]>();
  /** Of each height what was saved or loaded last, in order: the first so many of it. */
  private readonly saved = new Map<bigint, readonly string[]>();

  has(text: string): boolean {
    return this.texts.has(text);
  }

  hasHeight(height: bigint): boolean {
    return this.byHeight.has(height);
  }

  add(height: bigint, text: string): void {
    this.texts.add(text);
    const texts = this.byHeight.get(height);
    if (texts) texts.push(text);
    else this.byHeight.set(height, [text]);
  }

  forget(height: bigint): void {
    for (const text of this.byHeight.get(height) ?? []) this.texts.delete(text);
    this.byHeight.delete(height);
    this.saved.delete(height);
  }

  /** Costs what was added since the last time. */
  save(): SeenState {
    return sortedHeights(this.byHeight).map(([height, texts]) => {
      const saved = this.saved.get(height) ?? [];
      if (saved.length === texts.length) return [height.toString(), saved];
      const all = merged(saved, texts.slice(saved.length).sort());
      this.saved.set(height, all);
      return [height.toString(), all];
    });
  }

  /** Costs what differs, for a state that this one gave out itself. */
  load(state: SeenState): void {
    const wanted = new Map(state.map(([height, texts]) => [BigInt(height), texts]));
    for (const height of [...this.byHeight.keys()]) {
      if (!this.isAsSaved(height, wanted.get(height))) this.forget(height);
    }
    for (const [height, texts] of wanted) {
      if (this.saved.has(height)) continue;
      for (const text of texts) this.add(height, text);
      this.saved.set(height, texts);
    }
  }

  private isAsSaved(height: bigint, texts: readonly string[] | undefined): boolean {
    return (
      texts !== undefined &&
      texts === this.saved.get(height) &&
      texts.length === this.byHeight.get(height)!.length
    );
  }
}

/** Two lists in ascending order as one. */
function merged(a: readonly string[], b: readonly string[]): string[] {
  const all: string[] = [];
  let next = 0;
  for (const text of a) {
    while (next < b.length && b[next]! < text) all.push(b[next++]!);
    all.push(text);
  }
  while (next < b.length) all.push(b[next++]!);
  return all;
}
