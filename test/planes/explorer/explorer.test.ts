// The block explorer: the original's answers over raw rows of an index, a recording's results, a devnet's transactions.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ServerStatus } from "../../../src/http/status.ts";
import { dataApp } from "../../../src/planes/data/app.ts";
import { Explorer } from "../../../src/planes/explorer/explorer.ts";
import { explorerOf, explorerRoutes } from "../../../src/planes/explorer/routes.ts";
import {
  contentOf,
  type ExplorerTx,
  isWithin,
  type TransactionSource,
} from "../../../src/planes/explorer/transactions.ts";
import { Reader } from "../../../src/wire/reader.ts";
import { readGolden } from "../../golden/graphql-vectors.ts";
import { StreamedChain, sampleBlocks } from "../../support/streamed-chain.ts";

interface Vectors {
  readonly transactions: readonly {
    readonly block: number;
    readonly height: number;
    readonly index: number;
    readonly hash: string;
    readonly txResult: string;
  }[];
  readonly entries: readonly {
    readonly name: string;
    readonly path: string;
    readonly status: number;
    readonly body: unknown;
    readonly rawBody?: string;
  }[];
}

const { transactions, entries } = readGolden<Vectors>(
  join(import.meta.dir, "../../golden/block-explorer.json.gz"),
);

/** Fields of a protobuf message: varints as numbers, everything else as bytes. */
function fieldsOf(bytes: Uint8Array): Map<number, (number | Uint8Array)[]> {
  const reader = new Reader(bytes, 0, bytes.length);
  const fields = new Map<number, (number | Uint8Array)[]>();
  while (reader.pos < bytes.length) {
    const tag = reader.tag();
    const value = (tag & 7) === 0 ? reader.uint32() : reader.bytesField(bytes.length);
    fields.set(tag >>> 3, [...(fields.get(tag >>> 3) ?? []), value]);
  }
  return fields;
}

const textIn = (bytes: number | Uint8Array | undefined) =>
  Buffer.from((bytes ?? []) as Uint8Array).toString("utf8");

/** The rows of the index that the original was recorded over. Its "block" is the number of a row. */
class RowSource implements TransactionSource {
  private readonly all = transactions.map((row): ExplorerTx & { readonly realHeight: number } => {
    const result = fieldsOf(Buffer.from(row.txResult, "base64"));
    const verdict = fieldsOf(result.get(4)![0] as Uint8Array);
    const events = (verdict.get(7) ?? []).map((event) => fieldsOf(event as Uint8Array));
    return {
      height: row.block,
      realHeight: row.height,
      index: row.index,
      hash: row.hash,
      code: (verdict.get(1)?.[0] as number | undefined) ?? 0,
      error: textIn(verdict.get(2)?.[0]),
      attributes: events.flatMap((event) =>
        (event.get(2) ?? []).map((bytes) => {
          const attribute = fieldsOf(bytes as Uint8Array);
          return [
            `${textIn(event.get(1)![0])}.${textIn(attribute.get(1)?.[0])}`,
            textIn(attribute.get(2)?.[0]),
          ] as const;
        }),
      ),
      content: () => contentOf(result.get(3)![0] as Uint8Array),
    };
  });

  newestFirst(range: Parameters<TransactionSource["newestFirst"]>[0]): ExplorerTx[] {
    const rows = this.all.toSorted((a, b) => b.height - a.height || b.index - a.index);
    return rows.filter((tx) => isWithin(tx, range));
  }

  withHash(hash: string): ExplorerTx[] {
    return this.all.filter((tx) => tx.hash.toLowerCase() === hash);
  }
}

class RowExplorer extends Explorer {
  override source(): TransactionSource {
    return new RowSource();
  }
}

/** Deliberate (docs/compatibility.md): the height is the height, and only this plane's paths are its own. */
const OURS: Readonly<Record<string, unknown>> = {
  "transactions?filters[block.height]=15": "by the real height",
  "transactions?filters[block.height]=5": "by the real height",
  "transactions?filters[block.height]=x": "another inner text",
  info: "of this build",
  "/": "the data port has more",
  "/transactions": "an error object",
};

describe("the block explorer's answers", () => {
  let chain: StreamedChain;
  let ask: (path: string) => Promise<Response>;
  beforeAll(() => {
    chain = new StreamedChain([]);
    const status = new ServerStatus();
    const explorer = new RowExplorer(() => chain.plane.context);
    const app = dataApp(
      chain.plane,
      status,
      undefined,
      explorerRoutes(chain.plane, status, async () => explorer),
    );
    ask = async (path) => app.handle(new Request(`http://localhost${path}`));
  });
  afterAll(() => chain.close());

  test.each(entries.map((entry) => [entry.name, entry] as const))(
    "%s",
    async (name, { path, status, body, rawBody }) => {
      const response = await ask(path);
      const text = await response.text();
      if (name in OURS) return;
      expect(response.status).toBe(status);
      if (rawBody) expect(text).toBe(rawBody);
      expect(JSON.parse(text)).toEqual(body as never);
      expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(body));
    },
  );

  test("blocks are found by their height", async () => {
    const { transactions } = (await (await ask("/rest/transactions?filters[block.height]=5")).json()) as {
      transactions: { block: string }[];
    };
    expect(transactions.map(({ block }) => block)).toEqual(["5", "5"]);
  });
});

describe("the block explorer over a recording", () => {
  let chain: StreamedChain;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
  let ask: (path: string) => Promise<any>;
  beforeAll(async () => {
    chain = new StreamedChain(await sampleBlocks());
    chain.commit(1_000);
    const status = new ServerStatus();
    const app = dataApp(
      chain.plane,
      status,
      undefined,
      explorerRoutes(chain.plane, status, explorerOf(chain.plane)),
    );
    ask = async (path) => (await app.handle(new Request(`http://localhost/rest${path}`))).json();
  });
  afterAll(() => chain.close());

  test("pages lead through all of it, from the newest on", async () => {
    const { transactions: all } = await ask("/transactions?limit=1000");
    expect(all.length).toBeGreaterThan(50);
    const walked: object[] = [];
    for (let before = ""; ; ) {
      const { transactions: page } = await ask(`/transactions?limit=7${before}`);
      if (page.length === 0) break;
      walked.push(...page);
      before = `&before=${page.at(-1).cursor}`;
    }
    expect(walked).toEqual(all);
    const places = all.map(({ block, index }: { block: string; index: number }) => [Number(block), index]);
    expect(places).toEqual(places.toSorted((a: number[], b: number[]) => b[0]! - a[0]! || b[1]! - a[1]!));
  });

  test("a result tells its command, its sender and why it failed", async () => {
    const { transactions: all } = await ask("/transactions?limit=1000");
    const [failed] = all.filter(({ code }: { code: number }) => code !== 0);
    expect(failed).toMatchObject({ code: 70, error: expect.stringMatching(/.+/), signature: null });
    const { submitter, type, hash } = all.find((tx: { type: string }) => tx.type !== "");
    expect((await ask(`/transactions/${hash.toLowerCase()}`)).transaction).toEqual(
      all.find((tx: { hash: string }) => tx.hash === hash),
    );
    const { transactions: own } = await ask(
      `/transactions?limit=1000&filters[tx.submitter]=${submitter}&filters[cmd.type]=${encodeURIComponent(type)}`,
    );
    expect(own).toEqual(
      all.filter((tx: { submitter: string; type: string }) => tx.submitter === submitter && tx.type === type),
    );
  });

  test("of two values of a filter, which only gRPC can send, the last one counts, and filters are limited", async () => {
    const explorer = await explorerOf(chain.plane)();
    const { transactions: all } = await ask("/transactions?limit=1000");
    const { type } = all.find((tx: { type: string }) => tx.type !== "");
    const twice = [
      { key: "cmd.type", value: "nothing" },
      { key: "cmd.type", value: type },
    ];
    expect((await explorer.list({ limit: 1_000, filters: twice })) as object).toHaveProperty(
      "transactions.length",
      all.filter((tx: { type: string }) => tx.type === type).length,
    );
    const many = Array.from({ length: 100_000 }, () => twice[1]!);
    await expect(explorer.list({ filters: many })).rejects.toMatchObject({ grpc: 3, status: 400 });
    await expect(explorer.list({ filters: [{ key: "__proto__", value: "x" }] })).resolves.toEqual({
      transactions: [],
    });
  });

  test("after a cursor come the newest, as in the original; a block is found by its height", async () => {
    const { transactions: all } = await ask("/transactions?limit=1000");
    const { cursor, block } = all[10];
    expect((await ask(`/transactions?after=${cursor}`)).transactions).toEqual(all.slice(0, 10));
    expect((await ask(`/transactions?filters[block.height]=${block}`)).transactions).toEqual(
      all.filter((tx: { block: string }) => tx.block === block),
    );
  });
});
