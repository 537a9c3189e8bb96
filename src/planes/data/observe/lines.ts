// A stream over plain HTTP: a line of JSON for each message (reference 10, section 6.1).
import type { ApiError } from "../../../http/errors.ts";
import type { JsonMode } from "../../../wire/json.ts";
import { errorText, messageText } from "./envelope.ts";
import type { Observation } from "./observation.ts";

/** Bytes of lines that are handed over at one go. */
const CHUNK_CHARACTERS = 64 * 1024;

/** The body of an answer: made as the client reads it. */
export function linesOf(observation: Observation, mode: JsonMode): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isDone = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (!isDone) {
          const { text, isLast } = nextLines(observation, mode);
          isDone = isLast;
          if (text !== "") controller.enqueue(encoder.encode(text));
          if (isLast) controller.close();
          if (text !== "" || isLast) return;
          await new Promise<void>((resolve) => {
            observation.onReady = resolve;
          });
        }
      },
      cancel() {
        isDone = true;
        observation.close();
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
