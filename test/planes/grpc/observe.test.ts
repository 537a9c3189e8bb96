// Streams over gRPC: what each method tells is what the stream behind it tells, message by message.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { status as Status } from "@grpc/grpc-js";
import { madeUpAssetId } from "../../../src/devnet/keys.ts";
import { PartyClient } from "../../../src/devnet/party-client.ts";
import { ServerStatus } from "../../../src/http/status.ts";
import { Streams } from "../../../src/planes/data/observe/streams.ts";
import { type GrpcPort, serveGrpc } from "../../../src/planes/grpc/port.ts";
import { codecOf } from "../../../src/wire/codecs.ts";
import { BusEventType } from "../../../src/wire/generated/events.ts";
import { renderJson } from "../../../src/wire/json.ts";
import { transferTo } from "../../rig/devnet-client.ts";
import { eventually, grace } from "../../support/eventually.ts";
import { GrpcClient, methodNamed } from "../../support/grpc-client.ts";
import { StreamedChain, sampleBlocks, settled } from "../../support/streamed-chain.ts";
import { startTestDevnet } from "../../support/test-devnet.ts";

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at as they are
type Json = any;

const DATA = "datanode.api.v2.TradingDataService";
const CORE = "vega.api.v1.CoreService";
const DOLLAR = madeUpAssetId("tUSD");
const LEDGER = "ObserveLedgerMovements";

describe("kinds of streams over the sample", () => {
  let chain: StreamedChain;
  let port: GrpcPort;
  let client: GrpcClient;
  let markets: string[];
  let proposal: string;

  beforeAll(async () => {
    const blocks = await sampleBlocks();
    const whole = new StreamedChain(blocks);
    whole.commit(blocks.length);
    markets = whole.markets();
    const { edges } = whole.get("governances").connection;
    proposal = edges.find((edge: Json) => edge.node.yes?.length > 1).node.proposal.id;
    whole.close();
    chain = new StreamedChain(blocks);
    while (markets.some((id) => !chain.markets().includes(id))) chain.commit();
    port = await serveGrpc(
      { kind: "data", data: chain.plane, status: new ServerStatus() },
      { host: "127.0.0.1", port: 0, portFlag: "--grpc-data-port" },
    );
    client = new GrpcClient(port.address);
  });
  afterAll(async () => {
    client.close();
    await port.stop();
    chain.close();
  });

  const requestOf = (path: string): Json => {
    if (path === "votes") return { proposalId: proposal };
    if (path === "candle/data") return { candleId: `trades_candle_1_minute_${markets[0]}` };
    return path.startsWith("markets/") ? { marketIds: markets } : {};
  };

  test("snapshot and updates are the stream's own, in its order", async () => {
    const kinds = Streams.kinds.filter(({ method }) => method !== LEDGER);
    const pairs = await Promise.all(
      kinds
        // Over gRPC there are those that the service has.
        .filter(({ request }) => methodNamed(`${DATA}/${request.split(".").at(-1)!.replace("Request", "")}`))
        .map(async ({ method, path, response }) => {
          const observation = await chain.plane.streams.observe(method, requestOf(path));
          const texts: string[] = [];
          const take = () => {
            for (let one = observation.poll(); one !== undefined; one = observation.poll())
              texts.push(one.textIn("stream"));
          };
          observation.onReady = take;
          take();
          const stream = client.stream(`${DATA}/${method}`, requestOf(path));
          await eventually(() => stream.headers()["x-block-height"] !== undefined);
          expect(stream.headers()["x-block-height"]).toBe(String(chain.height));
          return { method, response, expected: texts, stream, observation };
        }),
    );
    expect(pairs.length).toBeGreaterThan(10);
    // Candles and snapshots in, before anything changes.
    await eventually(() => pairs.every(({ stream, expected }) => stream.messages.length === expected.length));
    for (let round = 0; round < 300 && !chain.isDone; round++) {
      chain.commit(5);
      await settled();
    }
    for (const { method, response, expected, stream, observation } of pairs) {
      expect(expected.length).toBeGreaterThan(2);
      await eventually(() => stream.messages.length >= expected.length);
      const texts = stream.messages.map((message) => renderJson(response, message, "stream"));
      expect([method, texts]).toEqual([method, expected]);
      stream.call.cancel();
      observation.close();
    }
    await eventually(() => chain.plane.streams.count === 0);
  }, 120_000);

  test("a request that cannot be served is refused as over HTTP", async () => {
    const votes = await client.stream(`${DATA}/ObserveVotes`).ended;
    expect(votes.code).toBe(Status.INVALID_ARGUMENT);
    expect(votes.details).toHaveLength(1);
    const depth = await client.stream(`${DATA}/ObserveMarketsDepth`, { marketIds: ["ab".repeat(32)] }).ended;
    expect(depth.code).not.toBe(Status.OK);
    expect(chain.plane.streams.count).toBe(0);
  });
});

describe("the event bus of a devnet", () => {
  let devnet: Awaited<ReturnType<typeof startTestDevnet>>;
  let data: GrpcClient;
  let node: GrpcClient;
  let party: PartyClient;
  /** It sends no filter. */
  let silent: ReturnType<typeof bus>;

  beforeAll(async () => {
    devnet = await startTestDevnet({ parameters: { "validators.epoch.length": "1h" } });
    data = new GrpcClient(devnet.address.grpcDataAddress!);
    node = new GrpcClient(devnet.address.grpcNodeAddress!);
    silent = bus(data, DATA);
    party = new PartyClient(devnet.chain, devnet.parties[0]!.key);
  });
  afterAll(async () => {
    data.close();
    node.close();
    await devnet.stop();
  });

  const pay = (amount: bigint) => party.send(transferTo(devnet.parties[1]!.publicKey, DOLLAR, amount));

  function bus(client: GrpcClient, service: string) {
    const { request, response, path } = methodNamed(`${service}/ObserveEventBus`);
    const bytes = (value: Buffer) => value;
    const call = client.raw.makeBidiStreamRequest(path, bytes, bytes);
    const messages: Json[] = [];
    const ended = new Promise<number>((resolve) => {
      call.on("error", ({ code }: Json) => resolve(code));
      call.on("end", () => resolve(Status.OK));
    });
    call.on("data", (body: Buffer) => messages.push(codecOf(response).decode(body)));
    const ask = (message: object = {}) => call.write(Buffer.from(codecOf(request).encode(message)));
    return { call, messages, ended, ask };
  }
  /** A filter is read behind the answer's headers: the stream is open when the node counts it. */
  const areOpen = (count: number) =>
    eventually(async () => {
      const metrics = await (await fetch(`${devnet.dataUrl}/metrics`)).text();
      return Number(/^lyra_streams_open (\d+)$/m.exec(metrics)![1]) === count;
    });
  const eventsOf = (messages: readonly Json[]) => messages.flatMap(({ events }) => events);

  test("both services tell the same events; filters by type and party hold", async () => {
    const [all, core, transfers, other] = [
      bus(data, DATA),
      bus(node, CORE),
      bus(data, DATA),
      bus(node, CORE),
    ];
    all.ask();
    core.ask();
    transfers.ask({ type: [BusEventType.BUS_EVENT_TYPE_TRANSFER], partyId: devnet.parties[0]!.publicKey });
    other.ask({ type: [BusEventType.BUS_EVENT_TYPE_TRANSFER], partyId: devnet.parties[5]!.publicKey });
    await areOpen(4);
    const { chain } = devnet;
    const before = chain.status.height;
    await pay(250_000n);
    await pay(250_001n);
    await eventually(() => eventsOf(transfers.messages).length >= 2);
    const ends = (messages: readonly Json[]) =>
      eventsOf(messages).filter((event: Json) => event.endBlock).length;
    await eventually(
      () => ends(all.messages) === chain.status.height - before && ends(core.messages) === ends(all.messages),
    );
    expect(eventsOf(core.messages)).toEqual(eventsOf(all.messages));
    const expected = eventsOf(all.messages).filter((event: Json) => event.transfer);
    expect(eventsOf(transfers.messages)).toEqual(expected);
    expect(expected.map((event: Json) => event.transfer.amount)).toContain("250001");
    expect(other.messages).toEqual([]);
    for (const one of [all, core, transfers, other]) one.call.cancel();
    await areOpen(0);
  });

  test("batches have exactly their size, and the next one comes when it is asked for", async () => {
    const one = bus(data, DATA);
    one.ask({ batchSize: 3n });
    await areOpen(1);
    await pay(250_003n);
    await eventually(() => one.messages.length === 1);
    await grace(50);
    expect(one.messages.map(({ events }) => events.length)).toEqual([3]);
    one.ask({ batchSize: 3n });
    await eventually(() => one.messages.length === 2);
    expect(one.messages[1].events).toHaveLength(3);
    one.call.cancel();
    expect(await one.ended).toBe(Status.CANCELLED);
  });

  test("a type that is never sent is refused; a filter that does not come ends the stream without a word", async () => {
    const wrong = bus(data, DATA);
    wrong.ask({ type: [98_765] });
    expect(await wrong.ended).toBe(Status.INVALID_ARGUMENT);
    expect(await silent.ended).toBe(Status.OK);
    expect(silent.messages).toEqual([]);
  }, 120_000);

  test("ledger movements are those of the events", async () => {
    const ledger = data.stream(`${DATA}/${LEDGER}`);
    const all = bus(data, DATA);
    all.ask();
    await areOpen(2);
    await pay(250_004n);
    const { height } = devnet.chain.status;
    await eventually(() =>
      eventsOf(all.messages).some(({ endBlock }: Json) => Number(endBlock?.height) === height),
    );
    const moved = eventsOf(all.messages).flatMap(
      (event: Json) => event.ledgerMovements?.ledgerMovements ?? [],
    );
    await eventually(() => ledger.messages.length >= moved.length);
    expect(ledger.messages.map(({ ledgerMovement }) => ledgerMovement)).toEqual(moved);
    ledger.call.cancel();
    all.call.cancel();
  });
});
