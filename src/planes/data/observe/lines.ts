// A stream over plain HTTP: a line of JSON for each message (docs/protocol/10-data-api-streams.md#61-transport).
import type { ApiError } from "../../../http/errors.ts";
import type { JsonMode } from "../../../wire/json.ts";
import { errorText, messageText } from "./envelope.ts";
import type { Observation } from "./observation.ts";

/**
 * The runtime ends the headers of an answer with its first byte. A client awaits them before it reads, so a stream without
 * a first message begins with a blank, which is nothing in JSON.
 */
const FIRST_BYTE = Uint8Array.of(0x20);
/** Characters of lines that are handed over at one go. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * The body of an answer: made as the client reads it.
 * @param onFailed called when the stream has ended for a reason, which a client that does not read will not see
 */
export function linesOf(
  observation: Observation,
  mode: JsonMode,
  onFailed: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isDone = false;
  let isBegun = false;
  let wake = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start() {
        observation.onReady = () => {
          if (observation.hasFailed) onFailed();
          wake();
        };
      },
      async pull(controller) {
        while (!isDone) {
          const { text, isLast } = nextLines(observation, mode);
          isDone = isLast;
          if (text !== "") controller.enqueue(encoder.encode(text));
          else if (!isBegun && !isLast) controller.enqueue(FIRST_BYTE);
          if (isLast) controller.close();
          const isFirst = !isBegun;
          isBegun = true;
          if (text !== "" || isLast || isFirst) return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
      cancel() {
        isDone = true;
        observation.close();
        wake();
      },
    },
    { highWaterMark: 0 },
  );
}

function nextLines(observation: Observation, mode: JsonMode): { text: string; isLast: boolean } {
  let text = "";
  try {
    while (text.length < CHUNK_CHARACTERS) {
      const message = observation.poll();
      if (message === undefined) return { text, isLast: observation.isEnded };
      text += `${messageText(message, observation.wantsHeights, mode)}\n`;
    }
    return { text, isLast: false };
  } catch (error) {
    return { text: `${text}${errorText(error as ApiError)}\n`, isLast: true };
  }
}
