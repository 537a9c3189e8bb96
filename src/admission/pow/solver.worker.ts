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
  readonly board: SharedArrayBuffer;
}

export interface SearchReply {
  readonly id: number;
  /** The first good nonce among those this thread looked at. */
  readonly nonce: bigint | undefined;
}

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<SearchRequest>) => {
  const board = new SearchBoard(data.board);
  const search = openSearch(data.input, data.difficulty);
  let outcome = board.tryChunk(search, data.start);
  while (outcome === "none") outcome = board.tryChunk(search, data.start);
  const nonce = outcome === "over" ? undefined : outcome;
  self.postMessage({ id: data.id, nonce } satisfies SearchReply);
};
