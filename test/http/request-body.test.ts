// Bodies of requests, read under limits: a large one counts from its first byte too many until it is worked off.
import { describe, expect, test } from "bun:test";
import { ApiError } from "../../src/http/errors.ts";
import { readBody, withBody } from "../../src/http/http.ts";
import { eventually } from "../support/eventually.ts";

const BYTES_MAX = 200_000;
const LARGE_BODIES_MAX = 64;
const LARGE = "x".repeat(100_000);

function request(body: string | ReadableStream<Uint8Array>, length?: number): Request {
  const headers: Record<string, string> = length === undefined ? {} : { "content-length": String(length) };
  return new Request("http://localhost/", { method: "POST", body, headers });
}

/** Some bytes, and then nothing more until it is ended. */
function stalled(bytes: number): { stream: ReadableStream<Uint8Array>; end(): void } {
  let end = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(bytes).fill(0x61));
      end = () => controller.close();
    },
  });
  return { stream, end: () => end() };
}

async function refusal(answer: Promise<unknown>): Promise<[status: number, message: string]> {
  const error = await answer.catch((reason) => reason);
  if (!(error instanceof ApiError)) throw new Error(`no refusal: ${error}`);
  return [error.status, error.message];
}

describe("a request's body", () => {
  test("given one that is as long as it may be, then it is read; given a byte more, announced or not, then it is refused", async () => {
    const most = "y".repeat(BYTES_MAX);
    expect(await readBody(request(most, BYTES_MAX), BYTES_MAX)).toBe(most);
    expect(await readBody(request(most), BYTES_MAX)).toBe(most);
    const text = `the request body is longer than ${BYTES_MAX} bytes`;
    expect(await refusal(readBody(request(`${most}y`, BYTES_MAX + 1), BYTES_MAX))).toEqual([413, text]);
    expect(await refusal(readBody(request(`${most}y`), BYTES_MAX))).toEqual([413, text]);
  });

  test("given one that breaks off, then it is refused", async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    expect(await refusal(readBody(request(broken), BYTES_MAX))).toEqual([
      400,
      "the request body cannot be read",
    ]);
  });

  test("given large ones that are worked on, then one more is refused, small ones are read, and with a place it is read", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const work = () => {
      begun++;
      return promise;
    };
    const busy = Array.from({ length: LARGE_BODIES_MAX }, () => withBody(request(LARGE), BYTES_MAX, work));
    await eventually("all are worked on", () => begun === LARGE_BODIES_MAX);
    const text = `${LARGE_BODIES_MAX} large request bodies are on their way already`;
    expect(await refusal(readBody(request(LARGE), BYTES_MAX))).toEqual([429, text]);
    expect(await readBody(request("small"), BYTES_MAX)).toBe("small");
    expect(await readBody(request("small", 5), BYTES_MAX)).toBe("small");
    resolve();
    await Promise.all(busy);
    expect(await readBody(request(LARGE), BYTES_MAX)).toBe(LARGE);
  });

  test("given large ones that hold all the bytes there are for them, then one more is refused, though there are places", async () => {
    const most = 4 * 1024 * 1024;
    const { promise, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const work = () => {
      begun++;
      return promise;
    };
    const four = Array.from({ length: 4 }, () => withBody(request("z".repeat(most)), most, work));
    await eventually("all are worked on", () => begun === 4);
    expect(await refusal(readBody(request(LARGE), BYTES_MAX))).toEqual([
      429,
      "4 large request bodies are on their way already",
    ]);
    expect(await readBody(request("small"), BYTES_MAX)).toBe("small");
    // A whole dump is larger than all that: only the tools of this machine take one, and it is not counted.
    expect(await readBody(request(LARGE), 512 * 1024 * 1024)).toBe(LARGE);
    resolve();
    await Promise.all(four);
    expect(await readBody(request(LARGE), BYTES_MAX)).toBe(LARGE);
  });

  test("given one whose work fails, then its failure is told as it is, and its place is free again", async () => {
    for (let n = 0; n < 2 * LARGE_BODIES_MAX; n++) {
      const answer = withBody(request(LARGE), BYTES_MAX, () => Promise.reject(new Error("work")));
      expect(await answer.catch((error) => error.message)).toBe("work");
    }
    expect(await readBody(request(LARGE), BYTES_MAX)).toBe(LARGE);
  });

  test("given large ones that do not end, then they hold places until they do", async () => {
    const bodies = Array.from({ length: LARGE_BODIES_MAX }, () => stalled(50_000));
    const reading = bodies.map(({ stream }) => readBody(request(stream), BYTES_MAX));
    await eventually("one more is refused", async () => {
      const answer = await readBody(request(LARGE), BYTES_MAX).catch((error) => error);
      return answer instanceof ApiError && answer.status === 429;
    });
    for (const { end } of bodies) end();
    expect((await Promise.all(reading)).every((body) => body.length === 50_000)).toBe(true);
    expect(await readBody(request(LARGE), BYTES_MAX)).toBe(LARGE);
  });
});
