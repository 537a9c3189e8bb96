// The administrative methods over the local socket: every row of docs/protocol/50-wallet-service.md#32-admin, and that
// no other way leads to them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { socketPath } from "../../../src/planes/wallet/start.ts";
import { ApprovalDesk } from "../../../src/wallet/approvals/desk.ts";
import { ADMIN_METHODS } from "../../../src/wallet/service/admin/admin.ts";
import { verifyMessage } from "../../../src/wallet/signing/message.ts";
import { eventually } from "../../support/eventually.ts";
import { codeOf } from "../support/failures.ts";
import { PHRASE } from "../support/vectors.ts";
import { privateFolder } from "../support/wallets.ts";
import { KEY_1, KEY_2, Rig, VOTE } from "./rig.ts";

const ID = "9df682a3c87d90567f260566a9c223ccbbb7529c38340cf163b8fe199dbf0f2e";
const UNKNOWN = "e".repeat(64);

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests
  readonly result?: any;
  readonly error?: { readonly code: number; readonly data: string };
}

async function post(path: string, method: string, params?: unknown): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", method, params, id: "1" });
  return (await (await fetch("http://wallet/", { unix: path, method: "POST", body })).json()) as Answer;
}

let folder: ReturnType<typeof privateFolder>;
let rig: Rig;
const call = (method: string, params?: unknown) => post(rig.running.socket!, method, params);
const failureOf = async (method: string, params?: unknown) => {
  const { error } = await call(method, params);
  return error && [error.code, error.data];
};

beforeAll(async () => {
  folder = privateFolder();
  rig = await Rig.start({ home: folder.path });
  await call("admin.unlock_wallet", { wallet: "vectors", passphrase: "correct horse battery staple" });
});
afterAll(async () => {
  await rig.stop();
  folder.remove();
});

describe("the channel", () => {
  test("is closed to everybody else, and gone when the service is", async () => {
    expect(statSync(rig.running.socket!).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(rig.running.socket!)).mode & 0o777).toBe(0o700);
    const other = privateFolder();
    const short = await Rig.start({ home: other.path });
    const path = short.running.socket!;
    await short.stop();
    expect(existsSync(path)).toBe(false);
    other.remove();
  });

  test("serves the 36 methods that the original has, and none over HTTP", async () => {
    expect(Object.keys(ADMIN_METHODS)).toHaveLength(36);
    for (const method of Object.keys(ADMIN_METHODS)) {
      const answer = await rig.call(method, {});
      expect([answer.status, answer.body.error.code]).toEqual([400, -32601]);
    }
  });

  test("methods that are only documented are not there", async () => {
    for (const method of [
      "admin.rename_network",
      "admin.start_service",
      "admin.stop_service",
      "client.list_keys",
    ]) {
      expect(await failureOf(method)).toEqual([-32601, `method "${method}" is not supported`]);
    }
  });

  test("a second service on the same home is refused; what a killed one left is taken away", async () => {
    expect(await codeOf(() => Rig.start({ home: folder.path }))).toBe("wallet_served");
    const other = privateFolder();
    const path = socketPath(other.path);
    mkdirSync(dirname(path), { mode: 0o700 });
    const dead = Bun.listen({ unix: path, socket: { data() {} } });
    dead.stop(true);
    if (!existsSync(path)) writeFileSync(path, "");
    const code = await Rig.start({ home: other.path }).then(
      async (again) => {
        await again.stop();
        return "started";
      },
      (error: { code: string }) => error.code,
    );
    expect(["started", "socket_unusable"]).toContain(code);
    other.remove();
  });

  test("a folder that others can use is refused", async () => {
    const open = privateFolder();
    mkdirSync(dirname(socketPath(open.path)));
    chmodSync(dirname(socketPath(open.path)), 0o755);
    expect(await codeOf(() => Rig.start({ home: open.path }))).toBe("wallet_open_to_others");
    open.remove();
  });

  test("a home with a long path has its socket elsewhere", () => {
    const path = socketPath(`/home/${"long/".repeat(40)}`);
    expect([Buffer.byteLength(path) <= 107, path.endsWith("wallet.sock")]).toEqual([true, true]);
  });
});

describe("wallets", () => {
  test("create, describe, list, rename, remove", async () => {
    const creation = await call("admin.create_wallet", { wallet: "new", passphrase: "pass" });
    expect(creation.result).toMatchObject({
      wallet: { name: "new", keyDerivationVersion: 2 },
      key: { algorithm: { name: "vega/ed25519", version: 1 }, metadata: [{ key: "name", value: "Key 1" }] },
    });
    expect(creation.result.wallet.recoveryPhrase.split(" ")).toHaveLength(24);
    expect((await call("admin.describe_wallet", { wallet: "new" })).result.type).toBe("HD wallet");
    expect((await call("admin.list_wallets")).result).toEqual({ wallets: ["new", "vectors"] });
    const renamed = await call("admin.rename_wallet", { wallet: "new", newName: "newer" });
    expect(renamed).toEqual({ jsonrpc: "2.0", result: null, id: "1" } as never);
    expect((await call("admin.list_wallets")).result).toEqual({ wallets: ["newer", "vectors"] });
    await call("admin.remove_wallet", { wallet: "newer" });
    expect((await call("admin.list_wallets")).result).toEqual({ wallets: ["vectors"] });
  });

  test("import, by both versions, and what is wrong with phrases", async () => {
    for (const version of [1, 2]) {
      const params = {
        wallet: `v${version}`,
        passphrase: "pass",
        recoveryPhrase: PHRASE,
        keyDerivationVersion: version,
      };
      const { result } = await call("admin.import_wallet", params);
      expect(result.wallet).toEqual({ name: `v${version}`, keyDerivationVersion: version });
      expect((await call("admin.describe_wallet", { wallet: `v${version}` })).result.id).toBe(ID);
      await call("admin.remove_wallet", { wallet: `v${version}` });
    }
    const bad = { wallet: "x", passphrase: "p", recoveryPhrase: "one two", keyDerivationVersion: 2 };
    expect((await failureOf("admin.import_wallet", bad))![0]).toBe(-32603);
    const version3 = { ...bad, recoveryPhrase: PHRASE, keyDerivationVersion: 3 };
    expect(await failureOf("admin.import_wallet", version3)).toEqual([
      -32603,
      "could not import the wallet: the wallet with key derivation version 3 isn't supported",
    ]);
  });

  test("locked until it is unlocked; a new passphrase", async () => {
    await call("admin.create_wallet", { wallet: "locked", passphrase: "one" });
    rig.running.service.parts.wallets.lock("locked");
    expect(await failureOf("admin.list_keys", { wallet: "locked" })).toEqual([2000, "the wallet is locked"]);
    expect(await failureOf("admin.unlock_wallet", { wallet: "locked", passphrase: "two" })).toEqual([
      -32602,
      "wrong passphrase",
    ]);
    expect(
      (await call("admin.unlock_wallet", { wallet: "locked", passphrase: "one" })).error,
    ).toBeUndefined();
    await call("admin.update_passphrase", { wallet: "locked", newPassphrase: "two" });
    rig.running.service.parts.wallets.lock("locked");
    expect(
      (await call("admin.unlock_wallet", { wallet: "locked", passphrase: "two" })).error,
    ).toBeUndefined();
    await call("admin.remove_wallet", { wallet: "locked" });
  });
});

describe("missing and wrong parameters", () => {
  const wallet = "vectors";
  const cases: readonly (readonly [method: string, params: unknown, code: number, data: string])[] = [
    ["admin.create_wallet", undefined, -32602, "the params are required"],
    ["admin.create_wallet", [], -32602, "the params do not match expected ones"],
    ["admin.create_wallet", {}, -32602, "the wallet is required"],
    ["admin.create_wallet", { wallet: "x" }, -32602, "the passphrase is required"],
    [
      "admin.create_wallet",
      { wallet, passphrase: "p" },
      -32602,
      "a wallet with the same name already exists",
    ],
    [
      "admin.import_wallet",
      { wallet: "x", passphrase: "p" },
      -32602,
      "the wallet recovery phrase is required",
    ],
    [
      "admin.import_wallet",
      { wallet: "x", passphrase: "p", recoveryPhrase: "a" },
      -32602,
      "the wallet key derivation version is required",
    ],
    ["admin.unlock_wallet", { wallet: "none", passphrase: "p" }, -32602, "the wallet does not exist"],
    ["admin.update_passphrase", { wallet }, -32602, "the new passphrase is required"],
    ["admin.describe_wallet", { wallet: "none" }, -32602, "the wallet does not exist"],
    ["admin.rename_wallet", { wallet }, -32602, "the new name is required"],
    ["admin.rename_wallet", { wallet: "none", newName: "x" }, -32602, "the wallet does not exist"],
    ["admin.remove_wallet", { wallet: "none" }, -32602, "the wallet does not exist"],
    ["admin.describe_key", { wallet }, -32602, "the public key is required"],
    ["admin.describe_key", { wallet, publicKey: UNKNOWN }, -32602, "the public key does not exist"],
    ["admin.annotate_key", { wallet, publicKey: UNKNOWN }, -32602, "the public key does not exist"],
    ["admin.taint_key", { wallet, publicKey: UNKNOWN }, -32602, "the public key does not exist"],
    [
      "admin.untaint_key",
      { wallet, publicKey: KEY_1 },
      -32603,
      "could not untaint the key: the public key is not tainted",
    ],
    ["admin.isolate_key", { wallet, publicKey: KEY_1 }, -32602, "the isolated wallet passphrase is required"],
    ["admin.rotate_key", { wallet }, -32602, "the current public key is required"],
    [
      "admin.rotate_key",
      { wallet, fromPublicKey: KEY_1, toPublicKey: KEY_1 },
      -32602,
      "the chain ID is required",
    ],
    [
      "admin.rotate_key",
      {
        wallet,
        fromPublicKey: KEY_1,
        toPublicKey: KEY_1,
        chainID: "c",
        submissionBlockHeight: 1,
        enactmentBlockHeight: 2,
      },
      -32602,
      "the next and current public keys cannot be the same",
    ],
    [
      "admin.rotate_key",
      {
        wallet,
        fromPublicKey: KEY_1,
        toPublicKey: KEY_2,
        chainID: "c",
        submissionBlockHeight: 2,
        enactmentBlockHeight: 2,
      },
      -32602,
      "the enactment block height must be greater than the submission one",
    ],
    [
      "admin.rotate_key",
      {
        wallet,
        fromPublicKey: UNKNOWN,
        toPublicKey: KEY_2,
        chainID: "c",
        submissionBlockHeight: 1,
        enactmentBlockHeight: 2,
      },
      -32602,
      "the current public key does not exist",
    ],
    ["admin.sign_message", { wallet, pubKey: KEY_1 }, -32602, "the message is required"],
    [
      "admin.sign_message",
      { wallet, pubKey: KEY_1, encodedMessage: "%" },
      -32602,
      "the encoded message is not a valid base-64 string",
    ],
    [
      "admin.sign_message",
      { wallet, pubKey: UNKNOWN, encodedMessage: "aGk=" },
      -32603,
      "could not sign the message: the public key does not exist",
    ],
    [
      "admin.verify_message",
      { publicKey: "xyz", encodedMessage: "aGk=", encodedSignature: "aGk=" },
      -32602,
      "could not decode the public key: it is not hexadecimal",
    ],
    ["admin.sign_transaction", { wallet, publicKey: KEY_1 }, -32602, "the transaction is required"],
    [
      "admin.sign_transaction",
      { wallet, publicKey: KEY_1, transaction: VOTE },
      -32602,
      "a network or the last block data is required",
    ],
    [
      "admin.sign_transaction",
      { wallet, publicKey: KEY_1, transaction: VOTE, network: "x", lastBlockData: {} },
      -32602,
      "specifying a network and the last block data is not supported",
    ],
    [
      "admin.sign_transaction",
      { wallet, publicKey: KEY_1, transaction: VOTE, network: "none" },
      -32602,
      "the network does not exist",
    ],
    [
      "admin.send_transaction",
      { wallet, publicKey: KEY_1, transaction: VOTE },
      -32602,
      "a network or a node address is required",
    ],
    [
      "admin.check_transaction",
      { wallet, publicKey: KEY_1, transaction: VOTE, network: "x", nodeAddress: "y" },
      -32602,
      "specifying a network and a node address is not supported",
    ],
    ["admin.send_raw_transaction", { encodedTransaction: "aGk=" }, -32602, "the sending mode is required"],
    [
      "admin.send_raw_transaction",
      { sendingMode: "TYPE_SYNC", encodedTransaction: "%", nodeAddress: "http://127.0.0.1:9" },
      -32602,
      "the encoded transaction is not a valid base-64 string",
    ],
    [
      "admin.send_raw_transaction",
      { sendingMode: "TYPE_SYNC", encodedTransaction: "aGk=", nodeAddress: "http://127.0.0.1:9" },
      -32602,
      "the raw transaction is not a valid Vega transaction",
    ],
    ["admin.describe_permissions", { wallet }, -32602, "the hostname is required"],
    ["admin.describe_network", {}, -32602, "the network name is required"],
    ["admin.describe_network", { name: "none" }, -32602, "the network does not exist"],
    ["admin.remove_network", { name: "none" }, -32602, "the network does not exist"],
    ["admin.import_network", {}, -32602, "a network source is required"],
    ["admin.close_connection", {}, -32602, "the hostname is required"],
    ["admin.close_connection", { hostname: "h" }, -32602, "the wallet is required"],
  ];
  test.each(cases)("%s %j", async (method, params, code, data) => {
    expect(await failureOf(method, params)).toEqual([code, data]);
  });
});

describe("keys and messages", () => {
  const wallet = "vectors";

  test("generate, describe, annotate, taint, untaint, list", async () => {
    const { result: key } = await call("admin.generate_key", {
      wallet,
      metadata: [{ key: "purpose", value: "x" }],
    });
    const { publicKey } = key;
    expect(key.metadata).toEqual([
      { key: "purpose", value: "x" },
      { key: "name", value: "Key 3" },
    ]);
    await call("admin.annotate_key", { wallet, publicKey, metadata: [{ key: "name", value: "third" }] });
    await call("admin.taint_key", { wallet, publicKey });
    expect((await call("admin.describe_key", { wallet, publicKey })).result).toMatchObject({
      name: "third",
      isTainted: true,
    });
    expect(await failureOf("admin.taint_key", { wallet, publicKey })).toEqual([
      -32603,
      "could not taint the key: the public key is already tainted",
    ]);
    expect(
      await failureOf("admin.sign_message", { wallet, pubKey: publicKey, encodedMessage: "aGk=" }),
    ).toEqual([-32603, "could not sign the message: the public key is tainted"]);
    await call("admin.untaint_key", { wallet, publicKey });
    expect(
      (await call("admin.list_keys", { wallet })).result.keys.map((one: { name: string }) => one.name),
    ).toEqual(["Key 1", "Key 2", "third"]);
  });

  test("isolate: a wallet of one key, unlocked, that makes no keys", async () => {
    const { result } = await call("admin.isolate_key", {
      wallet,
      publicKey: KEY_1,
      isolatedWalletPassphrase: "alone",
    });
    expect(result).toEqual({ wallet: `vectors.${KEY_1.slice(0, 8)}.isolated` });
    const described = await call("admin.describe_wallet", { wallet: result.wallet });
    expect([described.result.type, described.result.id]).toEqual(["HD wallet (isolated)", ID]);
    expect(await failureOf("admin.generate_key", { wallet: result.wallet })).toEqual([
      -32603,
      "could not generate a new key: an isolated wallet can't generate keys",
    ]);
    await call("admin.remove_wallet", { wallet: result.wallet });
  });

  test("rotate: signed by the master key", async () => {
    const params = {
      wallet,
      fromPublicKey: KEY_1,
      toPublicKey: KEY_2,
      chainID: "c",
      submissionBlockHeight: 10,
      enactmentBlockHeight: 20,
    };
    const { result } = await call("admin.rotate_key", params);
    expect(result.masterPublicKey).toBe(ID);
    expect(Buffer.from(result.encodedTransaction, "base64").length).toBeGreaterThan(200);
  });

  test("messages, by either name of the key", async () => {
    for (const name of ["pubKey", "publicKey"]) {
      const { result } = await call("admin.sign_message", {
        wallet,
        [name]: KEY_1,
        encodedMessage: "aGVsbG8=",
      });
      const signature = Buffer.from(result.encodedSignature, "base64");
      expect(verifyMessage(Buffer.from(KEY_1, "hex"), Buffer.from("hello"), signature)).toBe(true);
      const verified = {
        publicKey: KEY_1,
        encodedMessage: "aGVsbG8=",
        encodedSignature: result.encodedSignature,
      };
      expect((await call("admin.verify_message", verified)).result).toEqual({ isValid: true });
      expect((await call("admin.verify_message", { ...verified, encodedMessage: "aGk=" })).result).toEqual({
        isValid: false,
      });
    }
  });
});

describe("permissions and connections", () => {
  const wallet = "vectors";
  const hostname = "dapp.example";

  test("describe, update, list, revoke, purge", async () => {
    const none = { permissions: { publicKeys: { access: "none", allowedKeys: null } } };
    expect((await call("admin.describe_permissions", { wallet, hostname })).result).toEqual(none);
    const permissions = { publicKeys: { access: "read", allowedKeys: [KEY_2] } };
    expect((await call("admin.update_permissions", { wallet, hostname, permissions })).result).toEqual({
      permissions,
    });
    expect((await call("admin.list_permissions", { wallet })).result).toEqual({
      permissions: { [hostname]: { public_keys: "read" } },
    });
    const wrong = { publicKeys: { access: "none", allowedKeys: [KEY_2] } };
    expect(await failureOf("admin.update_permissions", { wallet, hostname, permissions: wrong })).toEqual([
      -32602,
      `could not update the permissions: inconsistent permissions setup: can't set allowed keys with "none" access`,
    ]);
    await call("admin.revoke_permissions", { wallet, hostname });
    expect((await call("admin.describe_permissions", { wallet, hostname })).result).toEqual(none);
    await call("admin.update_permissions", { wallet, hostname, permissions });
    await call("admin.purge_permissions", { wallet });
    expect((await call("admin.list_permissions", { wallet })).result).toEqual({ permissions: {} });
  });

  test("list and close, by pair, hostname and wallet", async () => {
    const pages = ["https://a.example", "https://b.example", "https://c.example"];
    for (const page of pages) await rig.connect(page);
    const connections = async () =>
      (await call("admin.list_connections")).result.activeConnections.map(
        (one: { hostname: string }) => one.hostname,
      );
    expect(await connections()).toEqual(["a.example", "b.example", "c.example"]);
    await call("admin.close_connection", { hostname: "a.example", wallet });
    await call("admin.close_connection", { hostname: "nobody", wallet });
    expect(await connections()).toEqual(["b.example", "c.example"]);
    await call("admin.close_connections_to_hostname", { hostname: "b.example" });
    expect(await connections()).toEqual(["c.example"]);
    await call("admin.close_connections_to_wallet", { wallet });
    expect(await connections()).toEqual([]);
  });
});

describe("networks", () => {
  test("import from a file, describe, update, list, remove", async () => {
    const file = `${folder.path}/net.toml`;
    writeFileSync(
      file,
      'fileversion = 2\nname = "testnet"\n[[Metadata]]\nKey = "chain-id"\nvalue = "c"\n[api.grpc]\nhosts = ["n:1"]\nretries = 5\n[API.REST]\nHosts = ["http://n:2"]\n[apps]\nconsole = "k"\n',
    );
    expect((await call("admin.import_network", { url: `file://${file}` })).result).toEqual({
      name: "testnet",
    });
    expect(await failureOf("admin.import_network", { url: `file://${file}` })).toEqual([
      -32602,
      "a network with the same name already exists",
    ]);
    expect(
      (await call("admin.import_network", { url: `file://${file}`, name: "other", overwrite: true })).result,
    ).toEqual({ name: "other" });
    const described = (await call("admin.describe_network", { name: "testnet" })).result;
    expect(described).toEqual({
      name: "testnet",
      metadata: [{ key: "chain-id", value: "c" }],
      api: { grpc: { hosts: ["n:1"], retries: 5 }, rest: { hosts: ["http://n:2"] }, graphQL: { hosts: [] } },
      apps: { explorer: "", console: "k", governance: "" },
    });
    await call("admin.update_network", { ...described, apps: { explorer: "e" } });
    expect((await call("admin.describe_network", { name: "testnet" })).result.apps).toEqual({
      explorer: "e",
      console: "",
      governance: "",
    });
    expect(await failureOf("admin.update_network", { name: "testnet" })).toEqual([
      -32602,
      "network configuration does not have any gRPC host set",
    ]);
    expect(
      (await call("admin.list_networks")).result.networks.map(({ name }: { name: string }) => name),
    ).toEqual(["other", "testnet"]);
    await call("admin.remove_network", { name: "other" });
    expect((await call("admin.list_networks")).result.networks).toHaveLength(1);
  });

  test.each([
    ["https://github.com/o/r/blob/main/net.toml", "https://raw.githubusercontent.com/o/r/main/net.toml"],
    ["http://github.com/o/blob/main/a/net.toml", "http://raw.githubusercontent.com/o/main/a/net.toml"],
    ["ftp://x", "file://"],
  ])("%s is no source", async (url, hint) => {
    const [code, text] = (await failureOf("admin.import_network", { url }))!;
    expect([code, String(text).endsWith(hint)]).toEqual([-32602, true]);
  });
});

describe("transactions", () => {
  const wallet = "vectors";

  test("signed for a block that is given", async () => {
    const lastBlockData = {
      chainID: "c",
      blockHeight: 7,
      blockHash: "ab".repeat(32),
      proofOfWorkDifficulty: 3,
      proofOfWorkHashFunction: "sha3_24_rounds",
    };
    const params = { wallet, publicKey: KEY_1, transaction: VOTE, lastBlockData };
    const { result } = await call("admin.sign_transaction", params);
    expect(Object.keys(result)).toEqual(["transaction", "encodedTransaction"]);
    expect(result.transaction.From.PubKey).toBe(KEY_1);
    const md5 = { ...params, lastBlockData: { ...lastBlockData, proofOfWorkHashFunction: "md5" } };
    expect((await failureOf("admin.sign_transaction", md5))![0]).toBe(-32603);
    const missing = { ...params, lastBlockData: { ...lastBlockData, blockHash: "" } };
    expect(await failureOf("admin.sign_transaction", missing)).toEqual([
      -32602,
      "the block hash is required",
    ]);
  });

  test("no node at that address", async () => {
    const params = { wallet, publicKey: KEY_1, transaction: VOTE, nodeAddress: "http://127.0.0.1:1" };
    for (const method of ["admin.send_transaction", "admin.check_transaction"])
      expect(await failureOf(method, params)).toEqual([1000, "no healthy node available"]);
  });

  // docs/protocol/50-wallet-service.md#32-admin.
  test("a network without hosts is told differently by each", async () => {
    writeFileSync(`${folder.path}/networks/bare.toml`, "FileVersion = 2\n");
    const text = "the network does not have gRPC hosts configured";
    const params = { wallet, publicKey: KEY_1, transaction: VOTE, network: "bare" };
    for (const method of ["admin.sign_transaction", "admin.send_transaction", "admin.check_transaction"]) {
      expect(await failureOf(method, params)).toEqual([-32602, text]);
    }
    const raw = { network: "bare", sendingMode: "TYPE_SYNC", encodedTransaction: "aGk=" };
    expect(await failureOf("admin.send_raw_transaction", raw)).toEqual([-32603, text]);
  });
});

test("requests that wait are answered over the socket, in words", async () => {
  const other = privateFolder();
  const asking = await Rig.start({ home: other.path, approver: new ApprovalDesk() });
  const ask = (method: string, params?: unknown) => post(asking.running.socket!, method, params);
  const waitFor = (kind: string) =>
    eventually(async () => {
      const request = (await ask("approvals.list")).result.requests[0];
      return request?.kind === kind && request;
    });
  const answer = (id: string, outcome: string, more = {}) =>
    ask("approvals.answer", { id, outcome, ...more });
  const connecting = asking.call("client.connect_wallet");
  const { id, ...connection } = await waitFor("connection");
  expect(connection).toMatchObject({ hostname: "dapp.example", wallets: ["vectors"] });
  expect((await answer(id, "approved", { wallet: "none" })).error!.data).toBe("the wallet does not exist");
  await answer(id, "approved");
  await answer((await waitFor("passphrase")).id, "approved", { passphrase: "correct horse battery staple" });
  const authorization = (await connecting).token!;
  const listing = asking.call("client.list_keys", {}, { authorization });
  await answer((await waitFor("keys")).id, "approved", { allowedKeys: [KEY_1] });
  expect((await listing).body.result.keys).toEqual([{ name: "Key 1", publicKey: KEY_1 }]);
  const sending = asking.send(authorization);
  const review = await waitFor("transaction");
  expect(review.words.title).toBe(`Vote yes on the proposal ${VOTE.voteSubmission.proposalId}`);
  expect(JSON.parse(review.raw)).toEqual(VOTE);
  expect((await ask("service.status")).result).toMatchObject({ approval: "ask", waiting: 1 });
  // The answer that a second terminal reads four times a second contains only what it needs.
  const second = asking.call("client.connect_wallet", {}, { origin: "https://second.example" });
  await eventually(async () => (await ask("approvals.list")).result.requests.length >= 2);
  expect((await ask("approvals.next")).result).toEqual({ request: review });
  expect((await ask("approvals.waits", { id: review.id })).result).toEqual({ waits: true });
  await answer(review.id, "rejected");
  expect((await ask("approvals.waits", { id: review.id })).result).toEqual({ waits: false });
  await answer((await ask("approvals.next")).result.request.id, "rejected");
  expect((await second).body.error.code).toBe(3001);
  expect((await ask("approvals.next")).result).toEqual({ request: null });
  expect((await sending).body.error.code).toBe(3001);
  expect((await answer(review.id, "approved")).error!.data).toBe("the request does not wait any more");
  await asking.stop();
  other.remove();
});
