// Loaded before the tests of a process (bunfig.toml). By default fast-check makes about ten elements, whatever `maxLength` says.
import { setDefaultTimeout } from "bun:test";
import fc from "fast-check";
import { LENGTH, runs, SEED } from "./seed.ts";

setDefaultTimeout(120_000);
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true, seed: SEED, numRuns: runs(100) });
// `npm test` says it once for all of its processes.
if (process.env.LYRA_TEST_SEED === undefined)
  console.log(`random tests: LYRA_TEST_SEED=${SEED} LYRA_TEST_LENGTH=${LENGTH}`);

// `expect(...).rejects` waits without returning. Inside of a worker's message that lasts for ever, where the next message
// would settle it, and the process does not end. So handlers run behind the message.
const onMessage = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage")!;
Object.defineProperty(Worker.prototype, "onmessage", {
  ...onMessage,
  set(this: Worker, handler: ((event: MessageEvent) => void) | null) {
    const behind = (event: MessageEvent) => void setImmediate(() => handler?.call(this, event));
    onMessage.set!.call(this, handler && behind);
  },
});
