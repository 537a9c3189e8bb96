// Bodies of answers, read under a bound: by `fetch` of browsers too, so not by src/fetch.
import { LyraError } from "../errors/lyra-error.ts";

/** More than a node sends (docs/operations.md, "Limits"). */
const BYTES_MAX = 256 * 1024 * 1024;

/** The whole body as text. @throws LyraError `answer_too_long`; the reader's error where the connection breaks */
export async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of piecesOf(body)) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

/** The lines of an endless body, each complete. @throws LyraError `answer_too_long`; the reader's error */
export async function* linesIn({ body }: Response): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of piecesOf(body, Number.POSITIVE_INFINITY)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop()!;
    if (rest.length > BYTES_MAX) throw tooLong();
    yield* lines;
  }
}

async function* piecesOf(body: Response["body"], bytesMax = BYTES_MAX): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
      if (bytes > bytesMax) throw tooLong();
      yield value;
    }
  } finally {
    // Leaving early ends the request.
    reader.cancel().catch(() => {});
  }
}

const tooLong = () => new LyraError("answer_too_long", `the answer has more than ${BYTES_MAX} bytes`);
