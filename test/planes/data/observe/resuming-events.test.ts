// Streams of events that go on behind an earlier block, and cursors that name a block by its hash.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Grpc } from "../../../../src/errors/statuses.ts";
import { type Cursor, cursorText, parseCursor } from "../../../../src/planes/data/observe/cursor.ts";
import { HeightMark } from "../../../../src/planes/data/observe/message.ts";
import type { Observation } from "../../../../src/planes/data/observe/observation.ts";
import type { Block } from "../../../../src/wire/block.ts";
import { randomOf } from "../../../chain/rig.ts";
import { turns } from "../../../support/eventually.ts";
import { SEED } from "../../../support/seed.ts";
import { StreamedChain, sampleBlocks } from "../../../support/streamed-chain.ts";

let blocks: Block[];
beforeAll(async () => {
  blocks = await sampleBlocks();
});

/** A client that takes what comes, and notes the ends of blocks. */
class Client {
  readonly messages: { readonly height: number; readonly text: string }[] = [];
  readonly cursors: Cursor[] = [];

  constructor(readonly observation: Observation) {
    observation.onReady = () => this.take();
    this.take();
  }

  take(): void {
    if (this.observation.hasFailed) return;
    for (let one = this.observation.poll(); one !== undefined; one = this.observation.poll()) {
      if (one instanceof HeightMark)
        this.cursors.push(parseCursor(cursorText(one.height, one.hash), "afterHeight"));
      else this.messages.push({ height: one.height, text: one.textIn("stream") });
    }
  }

  /** Up to which everything was taken. */
  get height(): number {
    return this.cursors.at(-1)?.height ?? 0;
  }

  /** Messages of the blocks behind a height, up to another. */
  between(behind: number, upTo: number): string[] {
    const own = this.messages.filter(({ height }) => height > behind && height <= upTo);
    return own.map(({ height, text }) => `${height} ${text}`);
  }
}

type Name = "bus" | "ledger" | "trades";
const open = async (chain: StreamedChain, name: Name, after?: Cursor): Promise<Client> => {
  const { streams } = chain.plane;
  const options = { wantsHeights: true, after };
  if (name === "bus") return new Client(await streams.observeEventBus({}, options));
  const method = name === "ledger" ? "ObserveLedgerMovements" : "ObserveTrades";
  return new Client(await streams.observe(method, {}, options));
};

describe("streams of events that are opened again", () => {
  const names = ["bus", "ledger"] as const;
  const stayed = new Map<Name, Client>();
  const resumed: { readonly name: Name; readonly after: Cursor; readonly client: Client }[] = [];
  let chain: StreamedChain;
  afterAll(() => chain.close());

  beforeAll(async () => {
    chain = new StreamedChain(blocks, {}, true);
    chain.commit(100);
    for (const name of names) stayed.set(name, await open(chain, name));
    const random = randomOf(SEED);
    while (!chain.isDone) {
      chain.commit(random() < 0.05 ? 60 : 1);
      for (const client of stayed.values()) client.take();
      for (const { client } of resumed) client.take();
      await turns(1);
      for (const name of names) {
        if (random() > 0.015) continue;
        const { cursors } = stayed.get(name)!;
        const after = cursors[Math.floor(random() * cursors.length)]!;
        const client = await open(chain, name, after);
        resumed.push({ name, after, client });
        if (random() < 0.5) client.observation.close();
      }
    }
    const isBehind = ({ client }: (typeof resumed)[number]) =>
      !client.observation.isEnded && !client.observation.hasFailed && client.height < chain.height;
    while (resumed.some(isBehind)) {
      for (const { client } of resumed) client.take();
      await turns(1);
    }
  }, 60_000);

  test.each(names)("the %s goes on behind the block of its cursor", (name) => {
    const whole = stayed.get(name)!;
    const clients = resumed.filter((one) => one.name === name);
    expect(clients.length).toBeGreaterThan(2);
    for (const { after, client } of clients) {
      expect(client.observation.hasFailed).toBe(false);
      expect(client.between(0, client.height)).toEqual(whole.between(after.height, client.height));
      if (!client.observation.isEnded) expect(client.height).toBe(chain.height);
    }
  });

  test("batches of a size cannot begin behind a block", async () => {
    const after = { height: chain.height, hash: "" };
    const opening = chain.plane.streams.observeEventBus({ batchSize: 5n }, { after });
    await expect(opening).rejects.toMatchObject({ grpc: Grpc.invalidArgument });
  });
});

describe("a cursor", () => {
  let chain: StreamedChain;
  beforeAll(() => {
    chain = new StreamedChain(blocks, {}, true);
    chain.commit(300);
  });
  afterAll(() => chain.close());

  test("is refused behind a block that is another one now", async () => {
    for (const name of ["trades", "ledger"] as const) {
      const first = await open(chain, name);
      chain.commit(5);
      await turns(2);
      first.take();
      first.observation.close();
      for (const { height, hash } of [first.cursors[0]!, first.cursors.at(-1)!]) {
        const other = hash.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
        (await open(chain, name, { height, hash })).observation.close();
        await expect(open(chain, name, { height, hash: other })).rejects.toMatchObject({
          grpc: Grpc.outOfRange,
        });
      }
    }
    expect(chain.plane.streams.count).toBe(0);
  });

  test("that is none is refused", () => {
    for (const text of ["x", "-1", "1-", "1-zz", "1.5", `1-${"0".repeat(17)}`, "9".repeat(16)])
      expect(() => parseCursor(text, "afterHeight")).toThrow(
        expect.objectContaining({ grpc: Grpc.invalidArgument }),
      );
  });
});
