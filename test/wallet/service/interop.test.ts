// The published client, unchanged, against the service and a devnet. It runs outside of a
// browser, so what a browser adds to its requests is added here: the Origin header.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { WalletClient, WalletClientError } from "@vegaprotocol/wallet-client";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { ChainNode } from "../../../src/planes/wallet/chain-node.ts";
import { type RunningWalletService, startWalletService } from "../../../src/planes/wallet/start.ts";
import { ApproveAll } from "../../../src/wallet/approvals/approver.ts";
import { HttpNode } from "../../../src/wallet/sending/http-node.ts";
import type { NodeClient } from "../../../src/wallet/sending/nodes.ts";
import { executedOf } from "../../support/devnet-party.ts";
import { borrowDevnet, returnDevnet } from "../../support/shared-devnet.ts";
import { bytes, cheapStore } from "../support/wallets.ts";

const realFetch = globalThis.fetch;
let devnet: Devnet;
/** Transfers of alice so far. */
let executed = 0;

beforeAll(async () => {
  devnet = await borrowDevnet({ "spam.pow.difficulty": "4" });
  globalThis.fetch = Object.assign(
    (input: string | URL | Request, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      if (String(input).includes("/api/v2/requests")) headers.set("origin", "http://localhost:8000");
      return realFetch(input, { ...init, headers });
    },
    { preconnect: realFetch.preconnect },
  );
});
afterAll(async () => {
  globalThis.fetch = realFetch;
  await returnDevnet();
});

async function serve(node: NodeClient): Promise<RunningWalletService> {
  const store = cheapStore();
  const passphrase = bytes("public");
  const wallet = await store.import({ name: "devnet", passphrase, recoveryPhrase: devnet.recoveryPhrase });
  for (let count = 1; count < 3; count++) await wallet.generateKey();
  return startWalletService({
    store,
    nodes: [node],
    approver: new ApproveAll({ isDevnet: true }),
    unlocked: [wallet],
    chainId: devnet.chain.status.chainId,
    port: 0,
  });
}

const nodes: readonly (readonly [name: string, node: () => NodeClient])[] = [
  ["in the devnet's process", () => new ChainNode(devnet.chain, { host: devnet.nodeUrl })],
  ["beside its node, over HTTP", () => new HttpNode(devnet.nodeUrl)],
];

describe.each(nodes)("the wallet %s", (_name, node) => {
  let running: RunningWalletService;
  beforeAll(async () => {
    running = await serve(node());
  });
  afterAll(() => running.close());

  test("connects, lists keys, signs, checks, sends call after call, and disconnects", async () => {
    const tokens: (string | null)[] = [];
    const address = running.url.replace(/\/api$/, "");
    const client = new WalletClient({
      type: "http",
      address,
      onTokenChange: (token: string | null) => tokens.push(token),
    });
    await client.ConnectWallet();
    expect(tokens).toHaveLength(1);
    expect(await client.GetChainId()).toEqual({ chainID: devnet.chainId });
    const { keys } = (await client.ListKeys()) as { keys: { name: string; publicKey: string }[] };
    const [alice, bob] = devnet.parties;
    expect(keys.map(({ publicKey }) => publicKey)).toEqual(
      devnet.parties.slice(0, 3).map(({ publicKey }) => publicKey),
    );

    const tUsd = () => devnet.report().parties[1]!.balances.find(({ symbol }) => symbol === "tUSD")!;
    const { asset, balance } = tUsd();
    const transfer = {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      to: bob!.publicKey,
      asset,
      amount: "100000",
      oneOff: {},
    };
    const publicKey = alice!.publicKey;
    const transaction = { transfer } as never;
    const signed = (await client.SignTransaction({ publicKey, transaction })) as {
      transaction: { inputData: string };
    };
    expect(signed.transaction.inputData.length).toBeGreaterThan(50);
    await client.CheckTransaction({ publicKey, transaction });
    const before = devnet.chain.status.height;
    const hashes = new Set<string>();
    for (let count = 0; count < 5; count++) {
      const sent = await client.SendTransaction({ publicKey, transaction, sendingMode: "TYPE_COMMIT" });
      hashes.add((sent as { transactionHash: string }).transactionHash);
    }
    expect(hashes.size).toBe(5);
    expect(devnet.chain.status.height).toBeGreaterThanOrEqual(before + 5);
    expect(BigInt(tUsd().balance) - BigInt(balance)).toBe(500_000n);
    executed += 5;
    expect(await executedOf(devnet, publicKey)).toEqual(Array<string>(executed).fill("100000"));

    const refused = client.SendTransaction({
      publicKey: "a".repeat(64),
      transaction,
      sendingMode: "TYPE_SYNC",
    });
    expect(await refused.catch((error: unknown) => error)).toBeInstanceOf(WalletClientError);
    // The same token from the beginning to the end.
    expect(tokens).toHaveLength(1);
    await client.DisconnectWallet();
    expect(tokens).toEqual([tokens[0]!, null]);
    const after = (await client.ListKeys().catch((error: unknown) => error)) as WalletClientError;
    expect([after.code, after.message]).toEqual([-32003, "the Authorization header is required"]);
  });

  test("a devnet that is taken back: the next transactions are sent all the same", async () => {
    const { sender, wallets } = running.service.parts;
    const wallet = wallets.get("devnet")!;
    const publicKey = devnet.parties[1]!.publicKey;
    const command = { kind: "orderCancellation", payload: { marketId: "a".repeat(64) } } as const;
    const job = { publicKey, command, sign: (content: never) => wallet.signTransaction(publicKey, content) };
    const outcome = () =>
      sender.send(job as never, "TYPE_SYNC").then(
        () => "sent",
        (error: { abciCode?: number }) => error.abciCode,
      );
    for (let round = 0; round < 2; round++) {
      const snapshot = await devnet.chain.snapshot();
      expect(await Promise.all([outcome(), outcome(), outcome()])).toEqual(["sent", "sent", "sent"]);
      await devnet.chain.mine(5);
      expect(await outcome()).toBe("sent");
      await devnet.chain.revert(snapshot);
      expect(await Promise.all([outcome(), outcome()])).toEqual(["sent", "sent"]);
    }
  });

  test("a burst from a page: every one is executed", async () => {
    const url = `${running.url}/v2/requests`;
    const call = async (method: string, params: object, authorization?: string) => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const body = JSON.stringify({ jsonrpc: "2.0", method, params, id: "1" });
      const response = await fetch(url, { method: "POST", headers, body });
      const answer = (await response.json()) as { error?: { data: string } };
      return { error: answer.error?.data, token: response.headers.get("authorization") };
    };
    const { token } = await call("client.connect_wallet", {});
    await call("client.list_keys", {}, token!);
    const publicKey = devnet.parties[2]!.publicKey;
    const withdrawSubmission = {
      amount: "1000000",
      asset: devnet.report().parties[2]!.balances.find(({ symbol }) => symbol === "dUSD")!.asset,
      ext: { erc20: { receiverAddress: `0x${"ab".repeat(20)}` } },
    };
    const transaction = { withdrawSubmission };
    const params = { publicKey, transaction, sendingMode: "TYPE_SYNC" };
    const errors = (
      await Promise.all(Array.from({ length: 60 }, () => call("client.send_transaction", params, token!)))
    )
      .map(({ error }) => error)
      .filter((error) => error !== undefined);
    expect(errors).toEqual([]);
    const statistics = (await devnet.chain.spamStatistics(publicKey)) as {
      statistics: { pow: { bannedUntil?: string } };
    };
    expect(statistics.statistics.pow.bannedUntil).toBeUndefined();
  });
});
