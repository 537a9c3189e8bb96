// Bodies of requests, read under limits: each counts from its first byte until it is read, a large one until it is worked off.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ApiError } from "../../src/http/errors.ts";
import { readBody, withBody } from "../../src/http/http.ts";
import { requestBudget } from "../../src/http/request-budget.ts";

const BYTES_MAX = 200_000;
const BUDGET = 1_000_000;
const LARGE = "x".repeat(100_000);
/** Large bodies leave a quarter of the budget to small ones. */
const LARGE_ONES = 7;
const CROWDED = "too many bytes of requests are on their way already";

const usual = requestBudget.bytesMax;
beforeEach(() => {
  requestBudget.bytesMax = BUDGET;
});
afterEach(() => {
  requestBudget.bytesMax = usual;
});

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
  if (!(error instanceof ApiError)) throw new Error(`no refusal: ${String(error).slice(0, 100)}`);
  return [error.status, error.message];
}

/** Lets bodies come that have arrived already. */
const turns = async () => {
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
};

describe("a request's body", () => {
  test("given a body that is as long as it may be, then it is read; given a byte more, announced or not, then it is refused", async () => {
    const most = "y".repeat(BYTES_MAX);
    expect(await readBody(request(most, BYTES_MAX), BYTES_MAX)).toBe(most);
    expect(await readBody(request(most), BYTES_MAX)).toBe(most);
    const text = `the request body is longer than ${BYTES_MAX} bytes`;
    expect(await refusal(readBody(request(`${most}y`, BYTES_MAX + 1), BYTES_MAX))).toEqual([413, text]);
    expect(await refusal(readBody(request(`${most}y`), BYTES_MAX))).toEqual([413, text]);
  });

  test("given a body that breaks off, then it is refused", async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    expect(await refusal(readBody(request(broken), BYTES_MAX))).toEqual([
      400,
      "the request body cannot be read",
    ]);
  });

  test("given large ones that are worked on, then one more is refused, small ones are read, and with room it is read", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const busy = Array.from({ length: LARGE_ONES }, () => withBody(request(LARGE), BYTES_MAX, () => promise));
    await turns();
    expect(await refusal(readBody(request(LARGE), BYTES_MAX))).toEqual([429, CROWDED]);
    expect(await readBody(request("small"), BYTES_MAX)).toBe("small");
    expect(await readBody(request("small", 5), BYTES_MAX)).toBe("small");
    // A whole dump is larger than all that: only the tools of this machine take one, and one at a time.
    expect(await readBody(request(LARGE), 512 * 1024 * 1024)).toBe(LARGE);
    resolve();
    await Promise.all(busy);
    expect(await readBody(request(LARGE), BYTES_MAX)).toBe(LARGE);
  });

  test("given two that may be larger than everything together, then the second is refused", async () => {
    const { stream, end } = stalled(5);
    const first = readBody(request(stream), 2 * BUDGET);
    expect((await refusal(readBody(request("{}"), 2 * BUDGET)))[0]).toBe(429);
    end();
    expect(await first).toBe("aaaaa");
    expect(await readBody(request("{}"), 2 * BUDGET)).toBe("{}");
  });

  test("given a body whose work fails, then its failure is told as it is, and its room is free again", async () => {
    for (let n = 0; n < 2 * LARGE_ONES; n++) {
      const answer = withBody(request(LARGE), BYTES_MAX, () => Promise.reject(new Error("work")));
      expect(await answer.catch((error) => error.message)).toBe("work");
    }
    expect(await readBody(request(LARGE), BYTES_MAX)).toBe(LARGE);
  });

  test("given small ones that are announced and do not come, then they count, and their room is free when they break off", async () => {
    const bodies = Array.from({ length: BUDGET / 25_000 }, () => stalled(10));
    const reading = bodies.map(({ stream }) => readBody(request(stream, 25_000), BYTES_MAX));
    expect(await refusal(readBody(request("late", 4), BYTES_MAX))).toEqual([429, CROWDED]);
    for (const { end } of bodies) end();
    await Promise.all(reading);
    expect(await readBody(request("late", 4), BYTES_MAX)).toBe("late");
  });

  test("given large ones that do not end, then they hold room until they do", async () => {
    const bodies = Array.from({ length: LARGE_ONES }, () => stalled(100_000));
    const reading = bodies.map(({ stream }) => readBody(request(stream), BYTES_MAX));
    await turns();
    expect((await refusal(readBody(request(LARGE), BYTES_MAX)))[0]).toBe(429);
    for (const { end } of bodies) end();
    expect((await Promise.all(reading)).every((body) => body.length === 100_000)).toBe(true);
    expect(await readBody(request(LARGE), BYTES_MAX)).toBe(LARGE);
  });
});
