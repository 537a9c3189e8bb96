// A thread of the solver. An extra entry point of the compiled executable (scripts/build.ts lists it).
import type { ProofInput } from "./function.ts";
import { type NonceSearch, openSearch } from "./nonce-search.ts";
import { SearchBoard } from "./search-board.ts";

export interface SearchRequest {
  readonly id: number;
  readonly input: ProofInput;
  /** Leading zero bits. */
  readonly difficulty: number;
  readonly start: bigint;
  /** Memory of the board: what is found is left there. */
  readonly board: SharedArrayBuffer;
}

export type ThreadMessage =
  /** The first message of a thread. */
  | { readonly isAwake: true }
  /** There is nothing left to do for this search. */
  | { readonly over: number };

interface OpenSearch {
  readonly id: number;
  readonly difficulty: number;
  readonly board: SearchBoard;
  readonly search: NonceSearch;
}

/** Chunks between two looks for something easier: a few milliseconds. */
const CHUNKS_A_TURN = 8;

declare const self: Worker;

const post = (message: ThreadMessage) => self.postMessage(message);
/** The easiest first: one of many bits more takes many times as long, and would hold up all behind it. */
const open: OpenSearch[] = [];
let isSearching = false;

self.onmessage = ({ data }: MessageEvent<SearchRequest>) => {
  const { id, difficulty, input, start } = data;
  const place = open.findIndex((other) => other.difficulty > difficulty);
  const search = openSearch(input, difficulty);
  const one = { id, difficulty, board: new SearchBoard(data.board, start), search };
  open.splice(place < 0 ? open.length : place, 0, one);
  if (!isSearching) searchAll();
};

async function searchAll(): Promise<void> {
  isSearching = true;
  while (open.length > 0) {
    const first = open[0]!;
    if (isOver(first)) {
      open.shift();
      post({ over: first.id });
    } else await new Promise(setImmediate);
  }
  isSearching = false;
}

function isOver({ board, search }: OpenSearch): boolean {
  for (let count = 0; count < CHUNKS_A_TURN; count++) if (!board.tryChunk(search)) return true;
  return false;
}

post({ isAwake: true });
