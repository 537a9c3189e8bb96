// The block explorer of nodes: a devnet's own transactions, and a sidecar's over the index of the consensus engine.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../../src/devnet/keys.ts";
import { PartyClient } from "../../../src/devnet/party-client.ts";
import type { Sidecar } from "../../../src/node/sidecar.ts";
import { startNode } from "../../../src/start-node.ts";
import type { CommandInit } from "../../../src/wire/transaction.ts";
import { MEMORY } from "../../rig/homes.ts";
import { GrpcClient } from "../../support/grpc-client.ts";
import { startTestDevnet } from "../../support/test-devnet.ts";

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at as it is
type Json = any;

const folder = mkdtempSync(join(MEMORY, "lyra-explorer-"));
const transfer = (to: string, amount: string): CommandInit => ({
  kind: "transfer",
  payload: { fromAccountType: 4, toAccountType: 4, to, asset: madeUpAssetId("tUSD"), amount, oneOff: {} },
});

describe("the block explorer of a devnet and of a sidecar behind it", () => {
  let devnet: Devnet;
  let sidecar: Sidecar;
  let alice: string;
  const ask = async (url: string, path: string): Promise<Json> => (await fetch(`${url}/rest${path}`)).json();

  beforeAll(async () => {
    devnet = await startTestDevnet({ home: join(folder, "devnet"), cometPort: 0, grpcDataPort: 0 });
    const [first, second] = devnet.parties;
    const client = new PartyClient(devnet.chain, first!.key, "explorer");
    alice = client.party;
    const to = second!.key.publicKey.toHex();
    await client.send(transfer(to, "100000"));
    await client.send(transfer(to, "200000"));
    const cancellation = { kind: "cancelTransfer", payload: { transferId: "ab".repeat(32) } } as const;
    await client.send(cancellation, { allowRefusal: true });
    const comet = devnet.address.cometUrl!;
    sidecar = await startNode({ kind: "sidecar", home: join(folder, "sidecar"), comet, nodePort: 0 });
  });
  afterAll(async () => {
    await sidecar.stop();
    await devnet.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the transactions of a party, with command, signature and verdict", async () => {
    const { transactions } = await ask(
      devnet.address.dataUrl,
      `/transactions?filters[tx.submitter]=${alice}`,
    );
    expect(transactions).toHaveLength(3);
    const [last, , first] = transactions;
    expect(first).toMatchObject({
      type: "Transfer Funds",
      submitter: alice,
      code: 0,
      command: { transfer: { amount: "100000" } },
      signature: { algo: "vega/ed25519", version: 1 },
    });
    expect(first).not.toHaveProperty("error");
    expect(last.code).not.toBe(0);
    expect(last.error).toMatch(/.+/);
    expect((await ask(devnet.address.dataUrl, `/transactions/${first.hash}`)).transaction).toEqual(first);
  });

  test("the service of gRPC answers the same", async () => {
    const client = new GrpcClient(devnet.address.grpcDataAddress!);
    const service = "blockexplorer.api.v1.BlockExplorerService";
    const filters = [{ key: "tx.submitter", value: alice }];
    const { message, code } = await client.call(`${service}/ListTransactions`, { limit: 2, filters });
    expect(code).toBe(0);
    const { transactions } = await ask(
      devnet.address.dataUrl,
      `/transactions?limit=2&filters[tx.submitter]=${alice}`,
    );
    expect(message.transactions.map(({ cursor, hash }: Json) => [cursor, hash])).toEqual(
      transactions.map(({ cursor, hash }: Json) => [cursor, hash]),
    );
    const unknown = await client.call(`${service}/GetTransaction`, { hash: "ab".repeat(32) });
    expect([unknown.code, unknown.details[0]?.message]).toEqual([5, "transaction not found"]);
    expect((await client.call(`${service}/Info`)).message.version).toBe("v0.71.6");
    client.raw.close();
  });

  test("a sidecar's are the same, page by page", async () => {
    const pages = async (url: string) => {
      const walked: Json[] = [];
      for (let before = ""; ; ) {
        const { transactions } = await ask(url, `/transactions?limit=2${before}`);
        if (transactions.length === 0) return walked;
        walked.push(...transactions);
        before = `&before=${transactions.at(-1).cursor}`;
      }
    };
    const own = await pages(devnet.address.dataUrl);
    expect(own.length).toBeGreaterThanOrEqual(3);
    expect(await pages(sidecar.dataUrl)).toEqual(own);
    const [{ hash, type }] = own;
    expect((await ask(sidecar.dataUrl, `/transactions/${hash.toLowerCase()}`)).transaction).toEqual(own[0]);
    const filter = `/transactions?filters[cmd.type]=${encodeURIComponent(type)}`;
    expect(await ask(sidecar.dataUrl, filter)).toEqual(await ask(devnet.address.dataUrl, filter));
  });

  test("an engine that does not answer is an orderly error", async () => {
    const home = join(folder, "alone");
    const alone = await startNode({ kind: "sidecar", home, comet: "http://127.0.0.1:9", nodePort: 0 });
    const response = await fetch(`${alone.dataUrl}/rest/transactions`);
    expect(response.status).toBe(503);
    expect((await response.json()) as Json).toMatchObject({ code: 14 });
    await alone.stop();
  });
});
