// The rows of docs/protocol/50-wallet-service.md#32-admin, one by one: what every administrative method says of params
// that are missing, of wallets that are unknown or locked, of keys that are not there.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { ADMIN_METHODS } from "../../../src/wallet/service/admin/admin.ts";
import { PHRASE } from "../support/vectors.ts";
import { privateFolder } from "../support/wallets.ts";
import { answerOf, KEY_1, KEY_2, Rig, VOTE } from "./rig.ts";

const UNKNOWN = "e".repeat(64);
const wallet = "vectors";
const passphrase = "correct horse battery staple";

let folder: ReturnType<typeof privateFolder>;
let rig: Rig;
const call = (method: string, params?: unknown) => rig.callBySocket(method, params);
const outcomeOf = async (method: string, params?: unknown) => {
  const { body } = await call(method, params);
  return body.error === undefined ? "done" : [body.error.code, body.error.data];
};
const failure = (code: number, message: string, data: string) => ({ code, message, data });

beforeAll(async () => {
  folder = privateFolder();
  rig = await Rig.start({ home: folder.path, wallets: [wallet, "locked"] });
  await call("admin.unlock_wallet", { wallet, passphrase });
});
afterAll(async () => {
  await rig.stop();
  folder.remove();
});

const KEY = { publicKey: KEY_1 };
const NODE = { nodeAddress: "http://127.0.0.1:1" };
const TRANSACTION = { ...KEY, transaction: VOTE };
const ROTATION = {
  fromPublicKey: KEY_1,
  toPublicKey: KEY_2,
  chainID: "c",
  submissionBlockHeight: 1,
  enactmentBlockHeight: 2,
};

describe("methods with params", () => {
  const without = ["admin.list_wallets", "admin.list_networks", "admin.list_connections"];
  const methods = Object.keys(ADMIN_METHODS).filter((method) => !without.includes(method));
  test.each(methods)("%s: none, null, and others than an object", async (method) => {
    const required = failure(-32602, "Invalid params", "the params are required");
    const mismatch = failure(-32602, "Invalid params", "the params do not match expected ones");
    for (const [params, error] of [
      [undefined, required],
      [null, required],
      [[], mismatch],
      ["x", mismatch],
      [5, mismatch],
    ] as const) {
      const answer = await call(method, params);
      expect([answer.status, answer.body]).toEqual([400, { jsonrpc: "2.0", error, errors: error, id: "1" }]);
    }
  });

  test.each(without)("%s: any", async (method) => {
    for (const params of [undefined, null, [], {}]) expect(await outcomeOf(method, params)).toBe("done");
  });
});

describe("methods of a wallet", () => {
  /** Parameters of each method beside the wallet. */
  const others: readonly (readonly [method: string, params: object])[] = [
    ["admin.update_passphrase", { newPassphrase: "p" }],
    ["admin.describe_wallet", {}],
    ["admin.generate_key", {}],
    ["admin.describe_key", KEY],
    ["admin.list_keys", {}],
    ["admin.annotate_key", KEY],
    ["admin.taint_key", KEY],
    ["admin.untaint_key", KEY],
    ["admin.isolate_key", { ...KEY, isolatedWalletPassphrase: "p" }],
    ["admin.rotate_key", ROTATION],
    ["admin.sign_message", { pubKey: KEY_1, encodedMessage: "aGk=" }],
    ["admin.sign_transaction", { ...TRANSACTION, network: "none" }],
    ["admin.send_transaction", { ...TRANSACTION, ...NODE }],
    ["admin.check_transaction", { ...TRANSACTION, ...NODE }],
    ["admin.describe_permissions", { hostname: "h" }],
    ["admin.list_permissions", {}],
    ["admin.update_permissions", { hostname: "h", permissions: {} }],
    ["admin.revoke_permissions", { hostname: "h" }],
    ["admin.purge_permissions", {}],
  ];
  test.each(others)("%s: missing, unknown, locked", async (method, params) => {
    for (const name of [undefined, null, ""]) {
      expect(await outcomeOf(method, { ...params, wallet: name })).toEqual([
        -32602,
        "the wallet is required",
      ]);
    }
    expect(await outcomeOf(method, { ...params, wallet: 5 })).toEqual([
      -32602,
      "the params do not match expected ones",
    ]);
    expect((await call(method, { ...params, wallet: "none" })).body.error).toEqual(
      failure(-32602, "Invalid params", "the wallet does not exist"),
    );
    expect((await call(method, { ...params, wallet: "locked" })).body.error).toEqual(
      failure(2000, "Application error", "the wallet is locked"),
    );
  });

  test.each(["admin.unlock_wallet", "admin.rename_wallet", "admin.remove_wallet"])(
    "%s: unknown; locked is no hindrance",
    async (method) => {
      const params = { wallet: "none", passphrase, newName: "next" };
      expect(await outcomeOf(method, params)).toEqual([-32602, "the wallet does not exist"]);
      await call("admin.create_wallet", { wallet: "spare", passphrase });
      rig.running.service.parts.wallets.lock("spare");
      expect(await outcomeOf(method, { ...params, wallet: "spare" })).toBe("done");
      await call("admin.remove_wallet", { wallet: "spare" });
      await call("admin.remove_wallet", { wallet: "next" });
    },
  );

  const ofKeys: readonly (readonly [method: string, params: object])[] = [
    ["admin.describe_key", {}],
    ["admin.annotate_key", {}],
    ["admin.taint_key", {}],
    ["admin.untaint_key", {}],
    ["admin.isolate_key", { isolatedWalletPassphrase: "p" }],
    ["admin.sign_transaction", { transaction: VOTE, lastBlockData: {} }],
    ["admin.send_transaction", { transaction: VOTE, ...NODE }],
    ["admin.check_transaction", { transaction: VOTE, ...NODE }],
  ];
  test.each(ofKeys)("%s: a key that is missing or unknown", async (method, params) => {
    expect(await outcomeOf(method, { wallet, ...params })).toEqual([-32602, "the public key is required"]);
    const block = {
      chainID: "c",
      blockHeight: 1,
      blockHash: "ab".repeat(32),
      proofOfWorkDifficulty: 1,
      proofOfWorkHashFunction: "sha3_24_rounds",
    };
    const sent = "lastBlockData" in params ? { ...params, lastBlockData: block } : params;
    expect(await outcomeOf(method, { wallet, ...sent, publicKey: UNKNOWN })).toEqual([
      -32602,
      "the public key does not exist",
    ]);
  });
});

describe("further refusals of each method", () => {
  const recoveryPhrase = PHRASE;
  const T = { wallet, ...TRANSACTION };
  const raw = { sendingMode: "TYPE_SYNC", encodedTransaction: "aGk=" };
  const read = (allowedKeys: string[]) => ({ publicKeys: { access: "read", allowedKeys } });
  const setup = "could not update the permissions: inconsistent permissions setup: ";
  const cases: readonly (readonly [method: string, params: object, code: number, data: string])[] = [
    [
      "admin.create_wallet",
      { wallet: "../x", passphrase },
      -32603,
      "could not create the wallet: the wallet's name starts with a dot",
    ],
    [
      "admin.import_wallet",
      { wallet: "x", passphrase, recoveryPhrase: "one two", keyDerivationVersion: 2 },
      -32603,
      "could not import the wallet: the recovery phrase is not valid",
    ],
    [
      "admin.import_wallet",
      { wallet, passphrase, recoveryPhrase, keyDerivationVersion: 2 },
      -32602,
      "a wallet with the same name already exists",
    ],
    [
      "admin.import_wallet",
      { wallet: "x", passphrase, recoveryPhrase, keyDerivationVersion: 0 },
      -32602,
      "the wallet key derivation version is required",
    ],
    [
      "admin.import_wallet",
      { wallet: "x", passphrase, recoveryPhrase, keyDerivationVersion: "2" },
      -32602,
      "the params do not match expected ones",
    ],
    ["admin.import_wallet", { wallet: "x" }, -32602, "the passphrase is required"],
    ["admin.unlock_wallet", { wallet }, -32602, "the passphrase is required"],
    ["admin.unlock_wallet", { wallet: "locked", passphrase: "x" }, -32602, "wrong passphrase"],
    [
      "admin.rename_wallet",
      { wallet, newName: "locked" },
      -32602,
      "a wallet with the same name already exists",
    ],
    ["admin.rename_wallet", { wallet, newName: "../x" }, -32603, "the wallet's name starts with a dot"],
    ["admin.generate_key", { wallet, metadata: "x" }, -32602, "the params do not match expected ones"],
    [
      "admin.generate_key",
      { wallet, metadata: [{ key: 1 }] },
      -32602,
      "the params do not match expected ones",
    ],
    [
      "admin.rotate_key",
      { wallet, ...ROTATION, fromPublicKey: "" },
      -32602,
      "the current public key is required",
    ],
    ["admin.rotate_key", { wallet, ...ROTATION, toPublicKey: "" }, -32602, "the next public key is required"],
    [
      "admin.rotate_key",
      { wallet, ...ROTATION, toPublicKey: UNKNOWN },
      -32602,
      "the next public key does not exist",
    ],
    ["admin.rotate_key", { wallet, ...ROTATION, chainID: "" }, -32602, "the chain ID is required"],
    [
      "admin.rotate_key",
      { wallet, ...ROTATION, submissionBlockHeight: 0 },
      -32602,
      "the submission block height is required",
    ],
    [
      "admin.rotate_key",
      { wallet, ...ROTATION, enactmentBlockHeight: null },
      -32602,
      "the enactment block height is required",
    ],
    [
      "admin.rotate_key",
      { wallet, ...ROTATION, enactmentBlockHeight: -2 },
      -32602,
      "the params do not match expected ones",
    ],
    ["admin.sign_message", { wallet }, -32602, "the public key is required"],
    ["admin.verify_message", {}, -32602, "the public key is required"],
    ["admin.verify_message", KEY, -32602, "the message is required"],
    ["admin.verify_message", { ...KEY, encodedMessage: "aGk=" }, -32602, "the signature is required"],
    [
      "admin.verify_message",
      { ...KEY, encodedMessage: "%", encodedSignature: "aGk=" },
      -32602,
      "the encoded message is not a valid base-64 string",
    ],
    [
      "admin.verify_message",
      { ...KEY, encodedMessage: "aGk=", encodedSignature: "%" },
      -32602,
      "the encoded signature is not a valid base-64 string",
    ],
    [
      "admin.verify_message",
      { publicKey: "abcd", encodedMessage: "aGk=", encodedSignature: "aGk=" },
      -32603,
      "a public key has 32 bytes, not 2",
    ],
    ["admin.sign_transaction", { ...T, lastBlockData: {} }, -32602, "the chain ID is required"],
    [
      "admin.sign_transaction",
      { ...T, lastBlockData: { chainID: "c" } },
      -32602,
      "the block height is required",
    ],
    [
      "admin.sign_transaction",
      { ...T, lastBlockData: { chainID: "c", blockHeight: 1 } },
      -32602,
      "the block hash is required",
    ],
    [
      "admin.sign_transaction",
      { ...T, lastBlockData: { chainID: "c", blockHeight: 1, blockHash: "a" } },
      -32602,
      "the proof-of-work difficulty is required",
    ],
    [
      "admin.sign_transaction",
      { ...T, lastBlockData: { chainID: "c", blockHeight: 1, blockHash: "a", proofOfWorkDifficulty: 1 } },
      -32602,
      "the proof-of-work hash function is required",
    ],
    ["admin.sign_transaction", { ...T, lastBlockData: "x" }, -32602, "the params do not match expected ones"],
    [
      "admin.sign_transaction",
      { ...T, network: "none", transaction: { x: 1 } },
      -32602,
      'the transaction does not use a valid Vega command: the transaction: has no field called "x"',
    ],
    [
      "admin.send_transaction",
      { ...T, ...NODE, transaction: { voteSubmission: {} } },
      -32602,
      "vote_submission.proposal_id (is required), vote_submission.value (is required)",
    ],
    [
      "admin.check_transaction",
      { ...T, ...NODE, transaction: {} },
      -32602,
      "submit_transaction_request.command (is required)",
    ],
    [
      "admin.send_transaction",
      { ...T, ...NODE, transaction: { stateVariableProposal: {} } },
      -32602,
      "input_data.command (is not supported)",
    ],
    ["admin.send_transaction", { ...T, network: "none" }, -32602, "the network does not exist"],
    ["admin.send_transaction", { ...T, ...NODE, transaction: null }, -32602, "the transaction is required"],
    ["admin.check_transaction", T, -32602, "a network or a node address is required"],
    [
      "admin.send_transaction",
      { ...T, ...NODE, network: "x" },
      -32602,
      "specifying a network and a node address is not supported",
    ],
    [
      "admin.send_transaction",
      { ...T, nodeAddress: "file:///etc" },
      -32603,
      "a node's address is like http://127.0.0.1:3003",
    ],
    ["admin.send_transaction", { ...T, ...NODE }, 1000, "no healthy node available"],
    ["admin.check_transaction", { ...T, ...NODE }, 1000, "no healthy node available"],
    ["admin.send_raw_transaction", {}, -32602, "the sending mode is required"],
    ["admin.send_raw_transaction", { sendingMode: "X" }, -32602, 'the sending mode "X" is not a valid one'],
    [
      "admin.send_raw_transaction",
      { sendingMode: "TYPE_UNSPECIFIED" },
      -32602,
      `the sending mode can't be "TYPE_UNSPECIFIED"`,
    ],
    [
      "admin.send_raw_transaction",
      { sendingMode: "TYPE_SYNC" },
      -32602,
      "the encoded transaction is required",
    ],
    ["admin.send_raw_transaction", raw, -32602, "a network or a node address is required"],
    [
      "admin.send_raw_transaction",
      { ...raw, ...NODE, network: "x" },
      -32602,
      "specifying a network and a node address is not supported",
    ],
    ["admin.send_raw_transaction", { ...raw, network: "none" }, -32602, "the network does not exist"],
    ["admin.list_permissions", { wallet: "" }, -32602, "the wallet is required"],
    ["admin.update_permissions", { wallet }, -32602, "the hostname is required"],
    ["admin.revoke_permissions", { wallet }, -32602, "the hostname is required"],
    [
      "admin.update_permissions",
      { wallet, hostname: "h", permissions: { publicKeys: { access: "write" } } },
      -32602,
      "the params do not match expected ones",
    ],
    [
      "admin.update_permissions",
      { wallet, hostname: "h", permissions: read([UNKNOWN]) },
      -32602,
      `${setup}this allowed key ${UNKNOWN} does not exist on wallet`,
    ],
    ["admin.update_network", {}, -32602, "the network name is required"],
    ["admin.update_network", { name: "none" }, -32602, "the network does not exist"],
    ["admin.remove_network", {}, -32602, "the network name is required"],
    [
      "admin.import_network",
      { url: "ftp://x" },
      -32602,
      "the URL is an invalid network source: it begins with http://, https:// or file://",
    ],
    ...["file:///nothing/there", "file://nothing", "file://"].map(
      (url) =>
        [
          "admin.import_network",
          { url },
          -32602,
          "the network source file does not exist: invalid network source",
        ] as const,
    ),
    ["admin.close_connections_to_hostname", {}, -32602, "the hostname is required"],
    ["admin.close_connections_to_wallet", {}, -32602, "the wallet is required"],
  ];
  test.each(cases)("%s %j", async (method, params, code, data) => {
    expect(await outcomeOf(method, params)).toEqual([code, data]);
  });

  test("permissions, and what tainted keys change of them", async () => {
    await call("admin.create_wallet", { wallet: "perm", passphrase });
    const { publicKey } = (await call("admin.list_keys", { wallet: "perm" })).body.result.keys[0];
    const update = (permissions: object) =>
      outcomeOf("admin.update_permissions", { wallet: "perm", hostname: "h", permissions });
    await call("admin.generate_key", { wallet: "perm" });
    await call("admin.taint_key", { wallet: "perm", publicKey });
    expect(await update(read([publicKey]))).toEqual([
      -32602,
      `${setup}this allowed key ${publicKey} is tainted`,
    ]);
    expect(await outcomeOf("admin.rotate_key", { wallet: "perm", ...ROTATION })).toEqual([
      -32602,
      "the current public key does not exist",
    ]);
    const { keys } = (await call("admin.list_keys", { wallet: "perm" })).body.result;
    expect(keys).toHaveLength(2);
    const rotation = { ...ROTATION, fromPublicKey: keys[1].publicKey, toPublicKey: publicKey };
    expect(await outcomeOf("admin.rotate_key", { wallet: "perm", ...rotation })).toEqual([
      -32602,
      "the next public key is tainted",
    ]);
    await call("admin.taint_key", { wallet: "perm", publicKey: keys[1].publicKey });
    expect(await update(read([]))).toEqual([-32602, `${setup}all the keys in this wallet are tainted`]);
    expect(
      await outcomeOf("admin.isolate_key", { wallet: "perm", publicKey, isolatedWalletPassphrase: "p" }),
    ).toEqual([-32603, "could not isolate the key: the public key is tainted"]);
    expect(await outcomeOf("admin.revoke_permissions", { wallet: "perm", hostname: "never" })).toBe("done");
    await call("admin.remove_wallet", { wallet: "perm" });
  });

  test("isolated wallets rotate no keys, and no file is written over", async () => {
    const params = { wallet, ...KEY, isolatedWalletPassphrase: "alone" };
    const isolated = (await call("admin.isolate_key", params)).body.result.wallet;
    expect(await outcomeOf("admin.isolate_key", params)).toEqual([
      -32602,
      "a wallet with the same name already exists",
    ]);
    expect(await outcomeOf("admin.rotate_key", { wallet: isolated, ...ROTATION })).toEqual([
      -32602,
      "cannot rotate keys on an isolated wallet",
    ]);
    await call("admin.remove_wallet", { wallet: isolated });
  });

  test("a network file that is none, or has no name", async () => {
    const file = (name: string, text: string) => {
      writeFileSync(`${folder.path}/${name}`, text);
      return `file://${folder.path}/${name}`;
    };
    const nameless = file("nameless.toml", "FileVersion = 2\n");
    expect(await outcomeOf("admin.import_network", { url: nameless })).toEqual([
      -32602,
      "the network name is required",
    ]);
    const bad = (text: string) =>
      outcomeOf("admin.import_network", { url: file("bad.toml", text), name: "x" });
    const unread = `could not read the network configuration at "${folder.path}/bad.toml": `;
    const looks = (kind: string) =>
      `${unread}the content looks like it contains ${kind}, be sure your file has TOML formatting`;
    expect(await bad("= =")).toEqual([-32603, `${unread}it is not TOML`]);
    expect(await bad("<!DOCTYPE html><html></html>")).toEqual([-32603, looks("HTML")]);
    expect(await bad('\n {"type":"JSON"}')).toEqual([-32603, looks("JSON")]);
    expect(await bad("")).toEqual([-32602, "network source file is empty: invalid network source"]);
    expect(await outcomeOf("admin.import_network", { url: nameless, name: "../x" })).toEqual([
      -32603,
      "the network's name is not valid",
    ]);
  });

  test("a network file of the web", async () => {
    const bodies: Readonly<Record<string, string>> = {
      "/none": "",
      "/page": "<html>",
      "/net": 'name = "web"',
    };
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => new Response(bodies[new URL(request.url).pathname] ?? "", { status: 200 }),
    });
    const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
    const failed = `could not fetch the network configuration from "${at("/page")}": `;
    expect(await outcomeOf("admin.import_network", { url: at("/none") })).toEqual([
      -32602,
      "network source url points to an empty file: invalid network source",
    ]);
    expect(await outcomeOf("admin.import_network", { url: at("/page") })).toEqual([
      -32603,
      `${failed}the content looks like it contains HTML, be sure your file has TOML formatting`,
    ]);
    expect((await call("admin.import_network", { url: at("/net") })).body.result).toEqual({ name: "web" });
    await call("admin.remove_network", { name: "web" });
    await server.stop(true);
    expect((await outcomeOf("admin.import_network", { url: at("/page") }))[0]).toBe(-32603);
  });
});

describe("the envelope", () => {
  const cases: readonly (readonly [body: string, code: number, data: string])[] = [
    ["", -32700, "the request can't be blank"],
    ["[]", -32700, "the request is not a JSON object; batches are not supported"],
    ['{"jsonrpc":"2.0","method":"admin.list_wallets","id":1}', -32700, "the member id must be a text"],
    [
      '{"jsonrpc":"1.0","method":"admin.list_wallets","id":"1"}',
      -32600,
      "the API only supports JSON-RPC 2.0",
    ],
    [
      '{"jsonrpc":"2.0","method":"client.list_keys","id":"1"}',
      -32601,
      'method "client.list_keys" is not supported',
    ],
    ['{"jsonrpc":"2.0","method":"__proto__","id":"1"}', -32601, 'method "__proto__" is not supported'],
  ];
  test.each(cases)("%s", async (body, code, data) => {
    const answer = await answerOf(
      await fetch("http://wallet/", { unix: rig.running.socket!, method: "POST", body }),
    );
    expect([answer.body.error.code, answer.body.error.data]).toEqual([code, data]);
    expect(answer.headers.get("content-type")).toBe("application/json-rpc");
  });
});
