// The events of a devnet, received by another implementation of the Scalability Protocols.
import { expect, test } from "bun:test";
import { readBusEventAt } from "../../src/wire/generated/events.ts";

const hasPynng = Bun.spawnSync(["python3", "-c", "import pynng"], { stderr: "ignore" }).exitCode === 0;
if (!hasPynng) console.log("no Pair0 of another implementation: pip install pynng");

/** Prints its port, then each message in hexadecimal. */
const RECEIVER = `
import pynng, sys
with pynng.Pair0(listen="tcp://127.0.0.1:0", recv_max_size=0, recv_timeout=20000) as pair:
    print(pair.listeners[0].local_address.port, flush=True)
    while True:
        print(pair.recv().hex(), flush=True)
`;

import { NO_HTTP, startTestDevnet } from "../support/test-devnet.ts";

test.skipIf(!hasPynng)("given pynng's Pair0 as data node, then it gets every event in order", async () => {
  const receiver = Bun.spawn(["python3", "-c", RECEIVER], { stdout: "pipe", stderr: "inherit" });
  const lines = linesOf(receiver.stdout);
  // The port stands in the order of the network.
  const raw = Number((await lines.next()).value);
  const port = ((raw & 255) << 8) | (raw >> 8);
  const devnet = await startTestDevnet({ oneThread: NO_HTTP, eventsTo: `tcp://127.0.0.1:${port}` });
  await devnet.chain.mine(100);
  const { height } = devnet.chain.status;
  const ids: string[] = [];
  for await (const line of lines) {
    const bytes = Uint8Array.fromHex(line);
    const event = readBusEventAt(bytes, 0, bytes.length);
    ids.push(event.id);
    if (event.endBlock?.height === BigInt(height)) break;
  }
  await devnet.stop();
  receiver.kill();
  expect(ids.slice(0, 2)).toEqual(["1-1", "1-2"]);
  const last = ids.map((id) => id.split("-").map(Number) as [number, number]);
  for (const [at, [block, seq]] of last.entries()) {
    const [blockBefore, seqBefore] = last[at - 1] ?? [1, 0];
    if (seq !== 1) expect([block, seq]).toEqual([blockBefore, seqBefore + 1]);
    else expect(block - blockBefore).toBeWithin(0, 2);
  }
});

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of stream) {
    const lines = (rest + Buffer.from(piece).toString("latin1")).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
