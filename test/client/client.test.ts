// The client of the package against a devnet: calls, pages, errors and streams.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { clientText } from "../../scripts/generate-client.ts";
import { connect, type Lyra, LyraError } from "../../src/client/connect.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { PartyClient } from "../../src/devnet/party-client.ts";
import { createDevnet } from "../../src/index.ts";
import { HttpClient } from "../../src/package/http-client.ts";
import { mineUntil } from "../../src/package/mine-until.ts";
import { Party } from "../../src/package/party.ts";
import { createMarketRig } from "../../src/testing/market-rig.ts";
import { borrowDevnet, returnDevnet } from "../support/shared-devnet.ts";

let devnet: Devnet;
let lyra: Lyra;
beforeAll(async () => {
  devnet = await borrowDevnet();
  lyra = connect(devnet);
});
afterAll(returnDevnet);

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: LyraError) => error,
  );

async function use(tool: string, body: object = {}): Promise<void> {
  const answer = await fetch(`${devnet.nodeUrl}/devnet/${tool}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

test("the client's types and table are those of the endpoints", () => {
  const path = new URL("../../src/client/api.generated.ts", import.meta.url);
  expect(readFileSync(path, "utf8") === clientText()).toBe(true);
});

describe("calls", () => {
  test("a list is read with its filter, enums are names", async () => {
    const [party] = devnet.parties;
    const { accounts } = await lyra.accounts.list({
      filter: { partyIds: [party!.publicKey], accountTypes: ["ACCOUNT_TYPE_GENERAL"] },
    });
    const types = new Set(accounts.edges.map(({ node }) => node.type));
    expect([...types]).toEqual(["ACCOUNT_TYPE_GENERAL"]);
    expect(accounts.edges.length).toBeGreaterThan(2);
    const { asset } = await lyra.assets.get({ assetId: accounts.edges[0]!.node.asset });
    expect(asset.status).toBe("STATUS_ENABLED");
  });

  test("pages follow the cursors to the end of the list, in both directions", async () => {
    const { networkParameters: all } = await lyra.network.listParameters();
    const keys: string[] = [];
    let pages = 0;
    for await (const { networkParameters } of lyra.network.listParameters.pages({
      pagination: { first: 40 },
    })) {
      keys.push(...networkParameters.edges.map(({ node }) => node.key));
      pages++;
    }
    expect(keys).toEqual(all.edges.map(({ node }) => node.key));
    expect(pages).toBe(Math.ceil(keys.length / 40));
    const backward: string[] = [];
    for await (const { networkParameters } of lyra.network.listParameters.pages({ pagination: { last: 40 } }))
      backward.unshift(...networkParameters.edges.map(({ node }) => node.key));
    expect(backward).toEqual(keys);
    const rows: string[] = [];
    for await (const { key } of lyra.network.listParameters.rows()) rows.push(key);
    expect(rows).toEqual(keys);
  });

  test("the node API is a group of its own", async () => {
    const { chainId, height } = await lyra.node.lastBlockHeight();
    expect(chainId).toBe("lyra-devnet");
    expect(Number(height)).toBeGreaterThan(0);
  });

  test("a member that does not exist is refused, with the name that was meant", async () => {
    const errors = await Promise.all([
      // @ts-expect-error: the compiler refuses it as well
      failure(lyra.accounts.list({ filter: { partyId: ["aa"] } })),
      // @ts-expect-error: the compiler refuses it as well
      failure(lyra.trades.list({ marketIDs: ["aa"] })),
      // @ts-expect-error: the compiler refuses it as well
      failure(lyra.node.submitRawTransaction({ tx: "", typ: "TYPE_SYNC" })),
      // @ts-expect-error: the compiler refuses it as well
      failure(lyra.assets.get({})),
    ]);
    expect(errors.map((error) => [error?.code, error?.message])).toEqual([
      ["unknown_member", "accounts.list has no member 'filter.partyId': did you mean 'filter.partyIds'?"],
      ["unknown_member", "trades.list has no member 'marketIDs': did you mean 'marketIds'?"],
      ["unknown_member", "node.submitRawTransaction has no member 'typ': did you mean 'type'?"],
      ["missing_member", "assets.get needs 'assetId'"],
    ]);
  });

  test("an option that does not exist is refused by every call, with the one that was meant", async () => {
    const { dataUrl } = devnet;
    // @ts-expect-error: the compiler refuses it as well
    expect(() => connect({ dataURL: dataUrl })).toThrow("'dataURL': did you mean 'dataUrl'?");
    // A node that runs has members of its own.
    expect(() => connect({ ...devnet, streams: "lines" })).not.toThrow();
    // @ts-expect-error: the compiler refuses it as well
    expect(() => lyra.stream.trades({}, { onHieght: () => {} })).toThrow("did you mean 'onHeight'?");
    const party = new PartyClient(devnet.chain, devnet.parties[0]!.key);
    // It starts none.
    const create: (options: object) => Promise<unknown> = createDevnet;
    const vote = { voteSubmission: { proposalId: "ab".repeat(32), value: "VALUE_YES" } } as const;
    const errors = await Promise.all([
      // @ts-expect-error: the compiler refuses it as well
      failure(lyra.assets.list({}, { minHieght: 1 })),
      // @ts-expect-error: the compiler refuses it as well
      failure(party.send(vote, { allowRefusals: true })),
      // @ts-expect-error: the compiler refuses it as well
      failure(party.send(vote, { wait: "comit" })),
      failure(create({ sede: "1" })),
      // @ts-expect-error: the compiler refuses it as well
      failure(mineUntil({} as never, 1, { blockMax: 2 })),
    ]);
    expect(errors.map((error) => [error?.code, error?.message])).toEqual([
      ["usage", "assets.list: there is no option 'minHieght': did you mean 'minHeight'?"],
      ["usage", "there is no option 'allowRefusals': did you mean 'allowRefusal'?"],
      ["usage", "'wait' must be 'check' or 'commit'"],
      ["usage", "there is no option 'sede': did you mean 'seed'?"],
      ["usage", "there is no option 'blockMax': did you mean 'blocksMax'?"],
    ]);
    // @ts-expect-error: the compiler refuses it as well
    expect(() => createMarketRig({ asset: {} })).toThrow("'asset': did you mean 'assets'?");
  });

  test("a stream that has nothing to send without a member is refused", () => {
    // @ts-expect-error: the compiler refuses it as well
    expect(() => lyra.stream.marketsData()).toThrow("stream.marketsData needs 'marketIds'");
    expect(() => lyra.stream.marketsDepth({ marketIds: [] })).toThrow(
      "stream.marketsDepth needs 'marketIds'",
    );
    expect(() => lyra.stream.marketsDepthUpdates({ marketIds: [] })).toThrow(LyraError);
    expect(() => lyra.stream.candleData({ candleId: "" })).toThrow("stream.candleData needs 'candleId'");
  });

  test("an error has the API's code, sentence and cause", async () => {
    const missing = await failure(lyra.markets.get({ marketId: "ab".repeat(32) }));
    expect(missing).toBeInstanceOf(LyraError);
    expect(missing).toMatchObject({ code: "not_found", status: 404 });
    const malformed = await failure(lyra.accounts.list({ filter: { marketIds: ["nonsense"] } }));
    expect(malformed).toMatchObject({
      code: "invalid_argument",
      message: "invalid party id: one or more market id is invalid",
      details: [{ message: "invalid party id", inner: "one or more market id is invalid" }],
    });
  });

  test("a name of an enum that does not exist is refused, with the one that was meant", async () => {
    // @ts-expect-error: the compiler refuses it as well
    const error = await failure(lyra.accounts.list({ filter: { accountTypes: ["ACCOUNT_TYPE_GENRAL"] } }));
    expect(error).toMatchObject({ code: "invalid_argument" });
    expect(error!.message).toEndWith("is not a valid value: did you mean 'ACCOUNT_TYPE_GENERAL'?");
  });

  test("a node that does not answer is one error, after some attempts", async () => {
    let attempts = 0;
    const nowhere = connect({
      dataUrl: "http://127.0.0.1:9",
      retryMs: 100,
      fetch: () => Promise.reject(Object.assign(new Error("no"), { code: `E${++attempts}` })),
    });
    const error = await failure(nowhere.assets.list());
    expect(error).toMatchObject({ code: "unreachable", message: "http://127.0.0.1:9 does not answer" });
    expect(attempts).toBe(3);
  });
});

describe.each(["lines", "socket"] as const)("streams by %s", (streams) => {
  test("a stream yields typed messages until its loop is left", async () => {
    const client = connect({ ...devnet, streams });
    const party = devnet.parties[0]!.publicKey;
    const seen: string[] = [];
    for await (const { snapshot, updates, height } of client.stream.accounts({
      partyId: party,
      type: "ACCOUNT_TYPE_GENERAL",
    })) {
      for (const { type } of (snapshot ?? updates)!.accounts) seen.push(type);
      expect(height).toBeGreaterThan(0);
      if (updates) break;
      if (snapshot!.lastPage) await use("fund", { party, asset: "tUSD", amount: "7" });
    }
    expect(new Set(seen)).toEqual(new Set(["ACCOUNT_TYPE_GENERAL"]));
  });

  test("the event bus is filtered, and ends with its signal", async () => {
    const client = connect({ ...devnet, streams });
    const control = new AbortController();
    const options = {
      signal: control.signal,
      onHeight: () => void use("fund", { party: "bob", asset: "tUSD", amount: "1" }),
    };
    const types: string[] = [];
    for await (const { events } of client.stream.eventBus({ type: ["BUS_EVENT_TYPE_DEPOSIT"] }, options)) {
      types.push(...events.map(({ type }) => type));
      control.abort();
    }
    expect(new Set(types)).toEqual(new Set(["BUS_EVENT_TYPE_DEPOSIT"]));
  });

  test("a refusal of the node ends the stream with its error", async () => {
    const client = connect({ ...devnet, streams });
    const stream = client.stream.votes({});
    expect(await failure(stream.next())).toMatchObject({ code: "invalid_argument" });
    const unknown = client.stream.marketsData({ marketIds: ["ab".repeat(32)] });
    expect(await failure(unknown.next())).toMatchObject({ code: "not_found" });
  });
});

describe("sending", () => {
  const http = new HttpClient(() => undefined);
  afterAll(() => http.close());
  const partyOf = (index: number) => {
    const party = devnet.parties[index]!;
    const node = { http, nodeUrl: devnet.nodeUrl, chainId: devnet.chain.status.chainId };
    return new Party(node, party.name, index, party);
  };

  test("a command is signed, proven and in a block, with enums by name", async () => {
    const { assets } = await lyra.assets.list();
    const asset = assets.edges.find(({ node }) => node.details?.symbol === "tUSD")!.node.id;
    const transfer = {
      fromAccountType: "ACCOUNT_TYPE_GENERAL",
      toAccountType: "ACCOUNT_TYPE_GENERAL",
      to: devnet.parties[1]!.publicKey,
      asset,
      amount: "20000",
      reference: "by the client",
      oneOff: {},
    } as const;
    const { outcome } = await lyra.send(partyOf(0), { transfer });
    const { height } = outcome;
    const { transfers } = await lyra.transfers.list({ pagination: { first: 1 } }, { minHeight: height });
    expect(transfers.edges[0]!.node).toMatchObject({ reference: "by the client", status: "STATUS_DONE" });
    const tooMuch = { transfer: { ...transfer, amount: "9".repeat(40) } };
    const refusal = await failure(lyra.send(partyOf(0), tooMuch));
    expect(refusal).toBeInstanceOf(LyraError);
    expect(refusal).toMatchObject({ code: "transaction_refused", rule: "command_failed" });
    expect(refusal!.outcome!.hash).toBe(refusal!.hash!);
  });

  test("an unknown member is refused with the name that was meant", async () => {
    // @ts-expect-error: the compiler refuses it as well
    const error = await failure(lyra.send(partyOf(0), { voteSubmission: { valeu: "VALUE_YES" } }));
    expect(error).toMatchObject({
      code: "usage",
      message: "the voteSubmission has no member 'valeu': did you mean 'value'?",
    });
  });
});
