// The administrative methods that make transactions (docs/protocol/50-wallet-service.md#32-admin), against a devnet.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { serviceFiles } from "../../../src/planes/wallet/start.ts";
import { decodeInputData, decodeTransaction } from "../../../src/wire/generated/commands.ts";
import { transactionHash } from "../../../src/wire/transaction.ts";
import { checkTransaction } from "../../../src/wire/transaction-check.ts";
import { borrowDevnet, returnDevnet } from "../../support/shared-devnet.ts";
import { privateFolder } from "../support/wallets.ts";
import { KEY_1, Rig, VOTE } from "./rig.ts";

const wallet = "vectors";
const passphrase = "correct horse battery staple";

let folder: ReturnType<typeof privateFolder>;
let rig: Rig;
const call = (method: string, params?: unknown) => rig.callBySocket(method, params);

beforeAll(async () => {
  folder = privateFolder();
  rig = await Rig.start({ home: folder.path });
  await call("admin.unlock_wallet", { wallet, passphrase });
});
afterAll(async () => {
  await rig.stop();
  folder.remove();
});

describe("transactions of a network, and to a node", () => {
  let devnet: Devnet;
  let transfer: Record<string, unknown>;
  beforeAll(async () => {
    devnet = await borrowDevnet({ "spam.pow.difficulty": "2" });
    writeFileSync(
      `${folder.path}/local.toml`,
      `name = "local"\n[[Metadata]]\nKey = "chain-id"\nValue = "${devnet.chainId}"\n[API.REST]\nHosts = ["${devnet.nodeUrl}"]\n`,
    );
    await call("admin.import_network", { url: `file://${folder.path}/local.toml` });
    const { recoveryPhrase } = devnet;
    await call("admin.import_wallet", {
      wallet: "rich",
      passphrase,
      recoveryPhrase,
      keyDerivationVersion: 2,
    });
    const [alice, bob] = devnet.parties;
    const { asset } = devnet.report().parties[0]!.balances.find(({ symbol }) => symbol === "tUSD")!;
    const command = {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      to: bob!.publicKey,
      asset,
      amount: "100000",
      oneOff: {},
    };
    transfer = { wallet: "rich", publicKey: alice!.publicKey, transaction: { transfer: command } };
  });
  afterAll(returnDevnet);

  test("signed for a network", async () => {
    const { result } = (await call("admin.sign_transaction", { ...transfer, network: "local" })).body;
    expect(Object.keys(result)).toEqual(["transaction", "encodedTransaction"]);
    const bytes = new Uint8Array(Buffer.from(result.encodedTransaction, "base64"));
    expect(checkTransaction(bytes, devnet.chainId).ok).toBe(true);
    const { inputData } = decodeTransaction(bytes);
    expect(decodeInputData(inputData).transfer?.amount).toBe("100000");
    expect(result.transaction.From.PubKey).toBe(transfer.publicKey);
  });

  test.each(["network", "nodeAddress"])("checked and sent by %s", async (by) => {
    const place = { [by]: by === "network" ? "local" : devnet.nodeUrl };
    const checked = (await call("admin.check_transaction", { ...transfer, ...place })).body.result;
    expect(Object.keys(checked)).toEqual([
      "receivedAt",
      "sentAt",
      "transaction",
      "node",
      "encodedTransaction",
    ]);
    expect(checked.node).toEqual({ host: devnet.nodeUrl });
    // Its mode is accepted, and ignored.
    const params = { ...transfer, ...place, sendingMode: "X", retries: 3 };
    const sent = (await call("admin.send_transaction", params)).body.result;
    expect(Object.keys(sent)).toEqual(["receivedAt", "sentAt", "transactionHash", "transaction", "node"]);
    expect(sent.transactionHash).toMatch(/^[0-9A-F]{64}$/);
    expect(sent.node).toEqual({ host: devnet.nodeUrl });
  });

  test("for the chain that a node was first of, and for no other", async () => {
    const place = { ...transfer, nodeAddress: devnet.nodeUrl };
    expect((await call("admin.check_transaction", place)).body.error).toBeUndefined();
    const { chains } = serviceFiles(folder.path);
    expect((await chains.read()).chains).toEqual([
      expect.objectContaining({ node: devnet.nodeUrl, chainId: devnet.chainId }),
    ]);
    // As if the node had been of another chain then.
    await chains.update(({ chains: confirmed }) => ({
      version: 1,
      chains: confirmed.map((one) => ({ ...one, chainId: "another-chain" })),
    }));
    const { error } = (await call("admin.send_transaction", place)).body;
    expect(error.data).toBe(`the node is of the chain ${devnet.chainId}, and another-chain is wanted`);
    await chains.update(() => ({ version: 1, chains: [] }));
  });

  test("a transaction that is finished, as it is", async () => {
    const { result } = (await call("admin.sign_transaction", { ...transfer, network: "local" })).body;
    const { encodedTransaction } = result;
    const params = { network: "local", sendingMode: "TYPE_COMMIT", encodedTransaction };
    const sent = (await call("admin.send_raw_transaction", params)).body.result;
    expect(Object.keys(sent)).toEqual(["receivedAt", "sentAt", "transactionHash", "transaction", "node"]);
    expect(sent.transaction).toEqual(result.transaction);
    const bytes = Buffer.from(encodedTransaction, "base64");
    expect(sent.transactionHash).toBe(transactionHash(bytes).toUpperCase());
  });

  test("heights beyond 2^53 are signed as they are", async () => {
    const height = "9007199254740993";
    const body = `{"jsonrpc":"2.0","method":"admin.sign_transaction","params":{"wallet":"${wallet}","publicKey":"${KEY_1}","transaction":${JSON.stringify(VOTE)},"lastBlockData":{"chainID":"c","blockHeight":${height},"blockHash":"${"ab".repeat(32)}","proofOfWorkDifficulty":1,"proofOfWorkHashFunction":"sha3_24_rounds"}},"id":"1"}`;
    const response = await fetch("http://wallet/", { unix: rig.running.socket!, method: "POST", body });
    const { result } = (await response.json()) as { result: { encodedTransaction: string } };
    const { inputData } = decodeTransaction(Buffer.from(result.encodedTransaction, "base64"));
    expect(decodeInputData(inputData).blockHeight).toBe(BigInt(height));
  });
});
