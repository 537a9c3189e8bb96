// Each method of the data service answers as REST does: every request of the golden sets, and those that these lack, asked
// both ways over the same store and compared field by field.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Dice } from "../../../scripts/sample/seeded.ts";
import { pathParameters } from "../../../src/http/endpoint.ts";
import { DEFAULT_LIMITS } from "../../../src/http/limits.ts";
import { parsePairs, type RequestFields, readRequest } from "../../../src/http/query.ts";
import { ServerStatus } from "../../../src/http/status.ts";
import { BUILD } from "../../../src/node/build.ts";
import { DATA_ROUTES, dataApp } from "../../../src/planes/data/app.ts";
import { DataContext } from "../../../src/planes/data/context.ts";
import { DATA_ENDPOINTS } from "../../../src/planes/data/endpoints.ts";
import { DataPlane } from "../../../src/planes/data/plane.ts";
import { type GrpcPort, serveGrpc } from "../../../src/planes/grpc/port.ts";
import { openReader } from "../../../src/store/database.ts";
import { renderJson } from "../../../src/wire/json.ts";
import { serviceNamed } from "../../../src/wire/services.ts";
import { DEVNET_DEMO, loadVectors, SAMPLE } from "../../golden/vectors.ts";
import { GrpcClient } from "../../support/grpc-client.ts";
import { type RecordedHome, recordedHome } from "../../support/recorded-home.ts";
import { LENGTH, SEED } from "../../support/seed.ts";

const SERVICE = "datanode.api.v2.TradingDataService";
const methodOf = new Map(serviceNamed(SERVICE).methods.map((method) => [method.request, method]));
/** Requests that the golden sets lack. */
const FURTHER = [
  "/api/v2/info",
  "/api/v2/networkhistory",
  "/api/v2/networkhistory/segments",
  "/api/v2/networkhistory/bootstrap",
  "/api/v2/estimate/fee?marketId=MARKET&price=100000&size=5",
  "/api/v2/estimate/margin?marketId=MARKET&side=SIDE_SELL&type=TYPE_LIMIT&price=100000&size=5",
  "/api/v2/estimate/position?marketId=MARKET&openVolume=-5&collateralAvailable=1000000",
];

interface Asked {
  readonly path: string;
  readonly route: (typeof DATA_ROUTES)[number];
  readonly fields: RequestFields;
}

/** A request of REST as gRPC's message; undefined for any other, or one that the gateway refuses by itself. */
function grpcRequest(path: string): Asked | undefined {
  const [pathname, query = ""] = path.split(/\?(.*)/s) as [string, string?];
  const route = DATA_ROUTES.findLast((one) =>
    new RegExp(`^${one.path.replace(/\{\w+\}/g, "([^/]*)")}$`).test(pathname),
  );
  if (route === undefined) return undefined;
  const values = new RegExp(`^${route.path.replace(/\{\w+\}/g, "([^/]*)")}$`).exec(pathname)!.slice(1);
  try {
    const fixed = Object.fromEntries(
      pathParameters(route.path).map((name, at) => [name, decodeURIComponent(values[at]!)]),
    );
    return { path, route, fields: readRequest(route.endpoint.request, parsePairs(query), fixed, 1_000) };
  } catch {
    return undefined;
  }
}

describe.each([SAMPLE, DEVNET_DEMO].map((set) => [set.title, set] as const))("%s", (_, set) => {
  let home: RecordedHome;
  let context: DataContext;
  let app: ReturnType<typeof dataApp>;
  let port: GrpcPort;
  let client: GrpcClient;
  const seen = new Set<string>();

  beforeAll(async () => {
    home = await recordedHome(set.recording);
    context = new DataContext(openReader(home.path), {
      limits: DEFAULT_LIMITS,
      build: BUILD,
      home: home.path,
    });
    const plane = new DataPlane(context);
    const status = new ServerStatus();
    app = dataApp(plane, status);
    port = await serveGrpc(
      { kind: "data", data: plane, status },
      { host: "127.0.0.1", port: 0, portFlag: "--grpc-data-port" },
    );
    client = new GrpcClient(port.address);
  });
  afterAll(async () => {
    client.close();
    await port.stop();
    context.db.close();
    home.remove();
  });

  /** The differences between the two answers; empty when they agree. */
  async function differences({ path, route, fields }: Asked): Promise<string[]> {
    const method = methodOf.get(route.endpoint.request)!;
    const rest = await app.handle(new Request(`http://localhost${path}`));
    const text = await rest.text();
    const answer = await client.call(`${SERVICE}/${method.name}`, fields);
    const wrong: string[] = [];
    const compare = (what: string, actual: unknown, want: unknown) => {
      if (JSON.stringify(actual) !== JSON.stringify(want))
        wrong.push(
          `${path}: ${what}: ${JSON.stringify(actual)?.slice(0, 300)}, want ${JSON.stringify(want)?.slice(0, 300)}`,
        );
    };
    for (const name of ["x-block-height", "x-block-timestamp"])
      compare(name, answer.headers[name], rest.headers.get(name) ?? undefined);
    if (rest.status === 200) {
      seen.add(route.endpoint.request);
      compare("code", [answer.code, answer.text], [0, ""]);
      if (answer.code === 0)
        compare("message", JSON.parse(renderJson(method.response, answer.message)), JSON.parse(text));
      return wrong;
    }
    const { code, message, details } = JSON.parse(text);
    compare("code", [answer.code, answer.text], [code, message]);
    const plain = details.map(({ "@type": __, ...detail }: Record<string, unknown>) => detail);
    compare("details", answer.details, plain);
    return wrong;
  }

  test("every request of the golden set is answered as REST answers it", async () => {
    const requests = loadVectors(set)
      .filter(({ method, requestHeaders }) => method === "GET" && requestHeaders?.accept === undefined)
      .map(({ path }) => grpcRequest(path.replace(/[?&]pretty(=\w*)?/, "")))
      .filter((one) => one !== undefined);
    expect(requests.length).toBeGreaterThan(700);
    const dice = new Dice(SEED);
    const wrong: string[] = [];
    for (const one of requests) {
      // A request of each resource, and some of the others.
      const isSampled = !seen.has(one.route.endpoint.request) || dice.below(1_000) < LENGTH * 1_000;
      if (isSampled) wrong.push(...(await differences(one)));
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  test("so are those that it lacks; then every resource was asked for", async () => {
    const markets = await client.call(`${SERVICE}/ListMarkets`);
    const market = markets.message.markets.edges[0]?.node.id ?? "00".repeat(32);
    const wrong: string[] = [];
    for (const path of FURTHER)
      wrong.push(...(await differences(grpcRequest(path.replace("MARKET", market))!)));
    expect(wrong).toEqual([]);
    // The demonstration has no markets.
    if (set !== SAMPLE) return;
    const without = DATA_ENDPOINTS.filter(({ request }) => !seen.has(request)).map(({ path }) => path);
    expect(without).toEqual([]);
  });
});
