// The wallet of a devnet: in its process, with the parties' keys, approving everything.
import { expect, test } from "bun:test";
import { DEVNET_WALLET_NAME, serveDevnetWallet } from "../../src/devnet/wallet.ts";
import { startTestDevnet } from "../support/test-devnet.ts";

test("given a devnet with a wallet, when a page connects and sends a transfer, then it is executed", async () => {
  const devnet = await startTestDevnet();
  const wallet = await serveDevnetWallet(devnet, 0);
  try {
    let token = "";
    const call = async (method: string, params: object = {}) => {
      const response = await fetch(`${wallet.url}/v2/requests`, {
        method: "POST",
        headers: {
          "content-type": "application/json-rpc",
          origin: "http://localhost:8000",
          ...(token && { authorization: token }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: "1", method, params }),
      });
      token = response.headers.get("authorization") ?? token;
      return (await response.json()) as { result?: Record<string, unknown>; error?: object };
    };
    expect((await call("client.connect_wallet")).error).toBeUndefined();
    expect(token).toMatch(/^VWT [0-9a-zA-Z]{64}$/);
    const { keys } = (await call("client.list_keys")).result as {
      keys: { name: string; publicKey: string }[];
    };
    expect(keys.map(({ name, publicKey }) => [name, publicKey])).toEqual(
      devnet.parties.map(({ name, publicKey }) => [name, publicKey]),
    );
    const [alice, bob] = devnet.parties;
    const asset = devnet.report().parties[0]!.balances.find(({ symbol }) => symbol === "tUSD")!.asset;
    const transfer = {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      to: bob!.publicKey,
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      asset,
      amount: "123456",
      oneOff: {},
    };
    const sent = await call("client.send_transaction", {
      publicKey: alice!.publicKey,
      sendingMode: "TYPE_COMMIT",
      transaction: { transfer },
    });
    expect(sent.error).toBeUndefined();
    const { transfers } = (await (
      await fetch(`${devnet.dataUrl}/api/v2/transfers?pagination.first=1`)
    ).json()) as {
      transfers: { edges: { node: object }[] };
    };
    expect(transfers.edges[0]!.node).toMatchObject({
      from: alice!.publicKey,
      amount: "123456",
      status: "STATUS_DONE",
    });
    expect([wallet.approval.length > 0, DEVNET_WALLET_NAME]).toEqual([true, "devnet"]);
    expect(devnet.asset(asset)).toEqual({ symbol: "tUSD", decimals: 5 });
    expect(devnet.asset("00".repeat(32))).toBeUndefined();
  } finally {
    await wallet.close();
    await devnet.stop();
  }
});
