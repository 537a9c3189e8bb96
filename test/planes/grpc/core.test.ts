// The core's services on a devnet: every call that the network's wallet makes
// (docs/protocol/50-wallet-transactions.md#62-grpc-calls-vegaapiv1coreservice) with its errors, the lists of the state,
// and that both say what REST says.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { status as Status } from "@grpc/grpc-js";
import { ed25519KeyPair } from "../../../src/crypto/ed25519.ts";
import { sha3Of } from "../../../src/crypto/sha.ts";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import { madeUpAssetId } from "../../../src/devnet/keys.ts";
import { PartyClient } from "../../../src/devnet/party-client.ts";
import { parsePairs, readRequest } from "../../../src/http/query.ts";
import { VIEW_ENDPOINTS } from "../../../src/planes/node/endpoints.ts";
import { codecOf } from "../../../src/wire/codecs.ts";
import { decodeTransaction, encodeChainEvent } from "../../../src/wire/generated/commands.ts";
import { SERVICES } from "../../../src/wire/generated/services.ts";
import { hexOf } from "../../../src/wire/identifiers.ts";
import { renderJson } from "../../../src/wire/json.ts";
import { serviceNamed } from "../../../src/wire/services.ts";
import { transferTo } from "../../rig/devnet-client.ts";
import { GrpcClient, methodNamed } from "../../support/grpc-client.ts";
import { heightAtRest, mineOverHttp, startTestDevnet } from "../../support/test-devnet.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at member by member
type Json = any;

const CORE = "vega.api.v1.CoreService";
const STATE = "vega.api.v1.CoreStateService";
const DOLLAR = madeUpAssetId("tUSD");
const COMMIT = 3;
const SYNC = 2;

let devnet: Devnet;
let node: GrpcClient;
let data: GrpcClient;
let party: PartyClient;

beforeAll(async () => {
  devnet = await startTestDevnet({ parameters: { "validators.epoch.length": "1h" } });
  node = new GrpcClient(devnet.address.grpcNodeAddress!);
  data = new GrpcClient(devnet.address.grpcDataAddress!);
  party = new PartyClient(devnet.chain, devnet.parties[0]!.key);
  await heightAtRest(devnet);
});
afterAll(async () => {
  node.close();
  data.close();
  await devnet.stop();
});

const get = async (path: string): Promise<Json> => (await fetch(`${devnet.nodeUrl}${path}`)).json();
const post = async (path: string, body: object): Promise<Json> =>
  (await fetch(`${devnet.nodeUrl}${path}`, { method: "POST", body: JSON.stringify(body) })).json();
const asJson = (path: string, message: object): Json =>
  JSON.parse(renderJson(methodNamed(path).response, message));
const transfer = (amount: bigint) => party.build(transferTo(devnet.parties[1]!.publicKey, DOLLAR, amount));

describe("calls of a wallet", () => {
  test("Statistics: version, chain, block", async () => {
    const { message } = await node.call(`${CORE}/Statistics`);
    const { currentTime: _, ...own } = asJson(`${CORE}/Statistics`, message).statistics;
    const { currentTime: __, ...rest } = (await get("/statistics")).statistics;
    expect(own).toEqual(rest);
    expect(own.appVersion).toBe("v0.71.6");
    expect(own.chainId).toBe("lyra-devnet");
  });

  test("on the data port its answers say how far the store is, errors too", async () => {
    const { headers } = await data.call(`${CORE}/Statistics`);
    expect(headers["x-block-height"]).toBe(String(devnet.chain.status.height));
    expect(headers["x-block-timestamp"]).toBe(String(devnet.chain.status.timeNs));
    const refused = await data.call(`${CORE}/GetSpamStatistics`, { partyId: "" });
    expect(refused.code).not.toBe(Status.OK);
    expect(refused.headers["x-block-height"]).toBe(headers["x-block-height"]!);
    expect((await node.call(`${CORE}/Statistics`)).headers["x-block-height"]).toBeUndefined();
  });

  test("LastBlockHeight: everything that a proof of work takes", async () => {
    const { message } = await node.call(`${CORE}/LastBlockHeight`);
    expect(asJson(`${CORE}/LastBlockHeight`, message)).toEqual(await get("/blockchain/height"));
    expect(message.hash).toMatch(/^[0-9a-f]{64}$/);
    expect([message.spamPowHashFunction, message.chainId]).toEqual(["sha3_24_rounds", "lyra-devnet"]);
    expect(message.spamPowDifficulty).toBeGreaterThan(0);
  });

  test("GetSpamStatistics: of a party, of an unknown one, and without one", async () => {
    for (const partyId of [party.party, "ab".repeat(32)]) {
      const { message } = await node.call(`${CORE}/GetSpamStatistics`, { partyId });
      expect(asJson(`${CORE}/GetSpamStatistics`, message)).toEqual(await get(`/statistics/spam/${partyId}`));
      expect(message.statistics.pow.blockStates.length).toBeGreaterThan(0);
    }
    expect(await node.call(`${CORE}/GetSpamStatistics`)).toMatchObject({
      code: Status.INVALID_ARGUMENT,
      text: "InvalidArgument error",
      details: [{ code: 10006, message: "empty or missing party ID", inner: "" }],
    });
  });

  test("GetVegaTime", async () => {
    const { message } = await node.call(`${CORE}/GetVegaTime`);
    expect(message).toEqual({ timestamp: devnet.chain.status.timeNs });
  });

  test("CheckTransaction, SubmitTransaction: as the wallet sends them, typed", async () => {
    const { bytes } = await transfer(250_000n);
    const tx = decodeTransaction(bytes);
    const checked = (await node.call(`${CORE}/CheckTransaction`, { tx })).message;
    expect(checked).toEqual({
      success: true,
      code: 0,
      gasWanted: 1n,
      gasUsed: 0n,
      data: "",
      log: "",
      info: "",
    });
    const sent = (await node.call(`${CORE}/SubmitTransaction`, { tx, type: SYNC })).message;
    expect(sent).toMatchObject({ success: true, code: 0, data: "", log: "", height: 0n });
    expect(sent.txHash).toMatch(/^[0-9A-F]{64}$/);
    // The same again is a failure of the call, with the chain's own words.
    expect(await node.call(`${CORE}/SubmitTransaction`, { tx, type: SYNC })).toMatchObject({
      code: Status.INTERNAL,
      text: "Internal error",
      details: [{ code: 10000, message: "tx already exists in cache", inner: "" }],
    });
  });

  test("raw: waits for the block where it is asked to", async () => {
    const { bytes } = await transfer(250_001n);
    const checked = (await node.call(`${CORE}/CheckRawTransaction`, { tx: bytes })).message;
    expect(checked.success).toBe(true);
    const { message } = await node.call(`${CORE}/SubmitRawTransaction`, { tx: bytes, type: COMMIT });
    expect(message).toMatchObject({ success: true, code: 0, height: BigInt(devnet.chain.status.height) });
    const noTx = {
      code: Status.INVALID_ARGUMENT,
      details: [{ code: 10000, message: "missing tx", inner: "" }],
    };
    for (const method of [
      "SubmitRawTransaction",
      "CheckRawTransaction",
      "SubmitTransaction",
      "CheckTransaction",
    ])
      expect([method, await node.call(`${CORE}/${method}`, { type: SYNC })]).toMatchObject([method, noTx]);
    expect(await node.call(`${CORE}/SubmitRawTransaction`, { tx: bytes })).toMatchObject({
      code: Status.INVALID_ARGUMENT,
      details: [{ message: "Invalid TX Type" }],
    });
    expect(
      await node.call(`${CORE}/SubmitRawTransaction`, { tx: new Uint8Array(1_048_577), type: SYNC }),
    ).toMatchObject({
      code: Status.INTERNAL,
      details: [{ message: "Tx too large. Max size is 1048576, but got 1048577" }],
    });
  });

  test("a refusal has the members of the original alone, and REST's values", async () => {
    const refusals: [string, Uint8Array][] = [
      ["not a transaction", Uint8Array.of(1, 2, 3)],
      ["less than the least amount", (await transfer(3n)).bytes],
    ];
    for (const [name, bytes] of refusals) {
      const tx = Buffer.from(bytes).toString("base64");
      const path = `${CORE}/SubmitRawTransaction`;
      const grpc = await node.call(path, { tx: bytes, type: COMMIT });
      const check = await node.call(`${CORE}/CheckRawTransaction`, { tx: bytes });
      expect([name, grpc.message.success]).toEqual([name, false]);
      expect(grpc.message.code).toBeGreaterThan(0);
      expect(grpc.message.log).not.toBe("");
      // Strict clients: no byte that the message does not name.
      expect(hexOf(codecOf(methodNamed(path).response).encode(grpc.message))).toBe(hexOf(grpc.body));
      const rest = await post("/transaction/raw/check?details=true", { tx });
      delete rest.details;
      expect(asJson(`${CORE}/CheckRawTransaction`, check.message)).toEqual(rest);
    }
  });

  test("ListEntities: what the transaction made", async () => {
    const { bytes } = await transfer(250_003n);
    const { message } = await node.call(`${CORE}/SubmitRawTransaction`, { tx: bytes, type: COMMIT });
    const DATA = "datanode.api.v2.TradingDataService";
    const entities = (await data.call(`${DATA}/ListEntities`, { transactionHash: message.txHash })).message;
    const listed = (await data.call(`${DATA}/ListTransfers`, { pagination: { first: 1 } })).message;
    expect(entities.transfers).toEqual([listed.transfers.edges[0].node]);
    expect(entities.ledgerEntries.map(({ amount }: Json) => amount)).toContain("250003");
    expect(entities.balanceChanges.map(({ owner }: Json) => owner)).toContain(party.party);
    expect(entities.balanceChanges.length).toBeGreaterThan(1);
    expect([entities.orders, entities.trades, entities.votes]).toEqual([[], [], []]);
    const none = (await data.call(`${DATA}/ListEntities`, { transactionHash: "ab".repeat(32) })).message;
    expect(Object.values(none).flat()).toEqual([]);
    expect(await data.call(`${DATA}/ListEntities`, { transactionHash: "xyz" })).toMatchObject({
      code: Status.INVALID_ARGUMENT,
      details: [{ code: 10000, message: "invalid transaction hash" }],
    });
  });

  test("a deadline that passes before the block ends the wait", async () => {
    await devnet.chain.setBlockMode({ kind: "manual" });
    const { bytes } = await transfer(250_002n);
    const answer = await node.call(
      `${CORE}/SubmitRawTransaction`,
      { tx: bytes, type: COMMIT },
      { timeoutMs: 200 },
    );
    expect(answer.code).toBe(Status.DEADLINE_EXCEEDED);
    await mineOverHttp(devnet, 1);
    await devnet.chain.setBlockMode({ kind: "instant" });
  });

  test("the data port answers the core's service too, and not its state", async () => {
    await heightAtRest(devnet);
    await mineOverHttp(devnet, 1);
    const { message } = await data.call(`${CORE}/LastBlockHeight`);
    expect(asJson(`${CORE}/LastBlockHeight`, message)).toEqual(await get("/blockchain/height"));
    expect((await data.call(`${STATE}/ListAssets`)).code).toBe(Status.UNIMPLEMENTED);
  });
});

describe("PropagateChainEvent", () => {
  const key = ed25519KeyPair(new Uint8Array(32).fill(7));
  const event = encodeChainEvent({ txId: "ab".repeat(32), nonce: 1n });
  const propagate = (request: object) => node.call(`${CORE}/PropagateChainEvent`, request);
  const signed = (bytes: Uint8Array) => ({
    event: bytes,
    pubKey: hexOf(key.publicKey),
    signature: key.sign(sha3Of(bytes)),
  });

  test("each thing that is wrong has its own error", async () => {
    expect(await propagate({})).toMatchObject({
      code: Status.INVALID_ARGUMENT,
      details: [{ code: 10015, message: "malformed request" }],
    });
    const wrong = await propagate({ ...signed(event), signature: new Uint8Array(64) });
    expect(wrong.code).toBe(Status.INVALID_ARGUMENT);
    expect(wrong.details[0]!.message).toStartWith("not a valid signature: ");
    const noKey = await propagate({ ...signed(event), pubKey: "xyz" });
    expect(noKey.details[0]!.message).toStartWith("not a valid signature: ");
    const noEvent = await propagate(signed(Uint8Array.of(0x0a, 0x09)));
    expect(noEvent.details[0]!.message).toStartWith("not a valid chain event: ");
    expect(await propagate(signed(event))).toMatchObject({
      code: Status.PERMISSION_DENIED,
      text: "PermissionDenied error",
      details: [{ code: 10000, message: "pubkey not allowlisted" }],
    });
  });
});

describe("the core's state", () => {
  const queries: Readonly<Record<string, string[]>> = {
    "/accounts": ["", "party=PARTY"],
    "/votes": ["party=PARTY", ""],
    "/parties/stake": ["", "party=PARTY"],
    "/delegations": ["", "party=PARTY", "epochSeq=1"],
    "/network/parameters": ["", "networkParameterKey=spam.pow.difficulty", "networkParameterKey=none"],
    "/assets": ["", `asset=${DOLLAR}`],
  };
  test.each(VIEW_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint] as const))(
    "%s",
    async (path, endpoint) => {
      const method = serviceNamed(STATE).methods.find(({ request }) => request === endpoint.request)!;
      for (const pattern of queries[path] ?? [""]) {
        const query = pattern.replace("PARTY", party.party);
        const fields = readRequest(endpoint.request, parsePairs(query), {}, 1_000);
        const answer = await node.call(`${STATE}/${method.name}`, fields);
        const rest = await fetch(`${devnet.nodeUrl}${path}?${query}`);
        const body = await rest.json();
        if (rest.status !== 200) {
          const { code, message } = body as Json;
          expect([path, query, answer.code, answer.text]).toEqual([path, query, code, message]);
          continue;
        }
        expect([path, query, asJson(`${STATE}/${method.name}`, answer.message)]).toEqual([
          path,
          query,
          body as Json,
        ]);
        expect(answer.headers["x-block-height"]).toBe(rest.headers.get("x-block-height")!);
      }
    },
  );
});

test("every method of every service is served", async () => {
  const silent: string[] = [];
  for (const { fullName, methods } of SERVICES) {
    const client = fullName === STATE || fullName === CORE ? node : data;
    for (const { path, isRequestStream } of methods) {
      const code = await new Promise<number>((resolve) => {
        const bytes = (value: Buffer) => value;
        const options = { deadline: Date.now() + 2_000 };
        const call = isRequestStream
          ? client.raw.makeBidiStreamRequest(path, bytes, bytes, options)
          : client.raw.makeServerStreamRequest(path, bytes, bytes, Buffer.of(), options);
        // Where there are no messages yet, the headers say that the method exists.
        const settle = (one: number) => {
          resolve(one);
          call.cancel();
        };
        call.on("metadata", () => settle(Status.OK));
        call.on("status", ({ code: one }: Json) => settle(one));
        call.on("error", () => {});
        call.on("data", () => {});
        if (isRequestStream) (call as Json).end();
      });
      if (code === Status.UNIMPLEMENTED) silent.push(path);
    }
  }
  expect(silent).toEqual([]);
});
