// One thread of the solver. An extra entry point of the compiled executable (scripts/build.ts lists it).
import type { ProofInput } from "./function.ts";
import { openSearch } from "./nonce-search.ts";
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

declare const self: Worker;

const say = (message: ThreadMessage) => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<SearchRequest>) => {
  const board = new SearchBoard(data.board, data.start);
  const search = openSearch(data.input, data.difficulty);
  while (board.tryChunk(search));
  say({ over: data.id });
};

say({ isAwake: true });
