// A test awaits rejections of calls to a worker, one behind the other (test/support/preload.ts).
import { expect, test } from "bun:test";

const ECHO = "data:text/javascript,self.onmessage = ({ data }) => self.postMessage(data)";

test("a rejection that a worker's message brings is awaited behind another message", async () => {
  const worker = new Worker(ECHO);
  const waiting: ((data: string) => void)[] = [];
  worker.onmessage = ({ data }: MessageEvent<string>) => waiting.shift()!(data);
  const call = (text: string) =>
    new Promise<string>((resolve, reject) => {
      waiting.push((data) => (data === "no" ? reject(new Error("it said no")) : resolve(data)));
      worker.postMessage(text);
    });
  expect(await call("yes")).toBe("yes");
  await expect(call("no")).rejects.toThrow("it said no");
  worker.terminate();
});
