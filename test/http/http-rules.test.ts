// Serving rules of the data plane (docs/protocol/10-data-api-serving.md#12-methods-and-routing to #16-errors), over a
// socket.
import { afterAll, describe, expect, test } from "bun:test";
import { sendRaw } from "../support/raw-http.ts";
import { run, type Scenario } from "../support/scenario.ts";
import { assetEvent, parameterEvent, ServedChain } from "../support/served-chain.ts";

const served = new ServedChain();
afterAll(() => served.stop());

const A = "aa".repeat(32);
const B = "bb".repeat(32);
const UNKNOWN = "cd".repeat(32);
served.commit(assetEvent(A, '<b> & "q"'), assetEvent(B, "plain"), parameterEvent("a b", "1"));
const HEIGHT = String(served.height);
const TIME = String(served.chain.timeNs);

const WRONG_METHOD = '{"code":12,"message":"Method Not Allowed","details":[]}';
const NOT_FOUND = '{"code":5,"message":"Not Found","details":[]}';
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const json = { "content-type": "application/json" };
/** Headers of an answer that reached the service, and of one that the gateway gave. */
const fromService = { ...json, "x-block-height": HEIGHT, "x-block-timestamp": TIME };
const fromGateway = { ...json, "x-block-height": null, "x-block-timestamp": null };

function scenarios(title: string, list: readonly Scenario[]): void {
  describe(title, () => {
    test.each(list.map((one): [string, Scenario] => [one.name, one]))("%s", (_, one) => run(served.url, one));
  });
}

const READ_METHODS = { allow: "GET, HEAD, POST" };
const onKnownRoute = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
scenarios("methods", [
  ...onKnownRoute.map((method) => ({
    name: `${method} on a known route`,
    method,
    get: "/api/v2/assets",
    status: 501,
    is: WRONG_METHOD,
    headers: { ...fromGateway, ...READ_METHODS },
  })),
  ...["POST", "OPTIONS"].map((method) => ({
    name: `${method} on an unknown route`,
    method,
    get: "/api/v2/nope",
    status: 404,
    is: NOT_FOUND,
    headers: fromGateway,
  })),
  {
    name: "HEAD: headers only",
    method: "HEAD",
    get: "/api/v2/assets",
    status: 200,
    is: "",
    headers: fromService,
  },
  { name: "HEAD with a path parameter", method: "HEAD", get: `/api/v2/asset/${A}`, status: 200, is: "" },
  { name: "HEAD of a missing one", method: "HEAD", get: `/api/v2/asset/${UNKNOWN}`, status: 404, is: "" },
  {
    name: "HEAD of no route",
    method: "HEAD",
    get: "/api/v2/nope",
    status: 404,
    is: "",
    headers: fromGateway,
  },
  { name: "HEAD on an export", method: "HEAD", get: "/api/v2/networkhistory/export", status: 400, is: "" },
  {
    name: "POST on an export",
    method: "POST",
    get: "/api/v2/ledgerentry/export",
    status: 501,
    is: WRONG_METHOD,
  },
  {
    name: "a posted form is a GET",
    method: "POST",
    get: "/api/v2/assets",
    send: FORM,
    body: `assetId=${A}`,
    status: 200,
    has: [A],
    not: [B],
    headers: fromService,
  },
  {
    name: "form fields join those of the address",
    method: "POST",
    get: "/api/v2/assets?pagination.first=1",
    send: FORM,
    body: "pagination.newestFirst=false",
    status: 200,
    has: [A],
    not: [B],
  },
  {
    name: "a posted form with a path parameter",
    method: "POST",
    get: `/api/v2/asset/${A}`,
    send: FORM,
    body: `assetId=${B}`,
    status: 200,
    has: [A],
    not: [B],
  },
  {
    name: "a posted JSON body is no form",
    method: "POST",
    get: "/api/v2/assets",
    send: json,
    body: "{}",
    status: 501,
    is: WRONG_METHOD,
  },
  { name: "any method on /health", method: "DELETE", get: "/health", status: 200, is: "ok" },
]);

const unknownPaths = [
  "/nope",
  "/api/v2/",
  "/api/v1/assets",
  "/api/v2/Assets",
  "/api/v2/assets/",
  "/api/v2//assets",
];
scenarios("routing", [
  ...unknownPaths.map((get) => ({ name: get, get, status: 404, is: NOT_FOUND, headers: fromGateway })),
  ...["%zz", "%", "%ff", "a%2Fb", "a/b"].map((end) => ({
    name: `no such path parameter: ${end}`,
    get: `/api/v2/asset/${end}`,
    status: 404,
    is: NOT_FOUND,
    headers: fromGateway,
  })),
  {
    name: "%20 in a path parameter",
    get: "/api/v2/network/parameters/a%20b",
    status: 200,
    has: ['"key":"a b"'],
  },
  {
    name: "the path wins over the query",
    get: `/api/v2/asset/${A}?assetId=${B}&asset_id=${B}`,
    status: 200,
    has: [A],
    not: [B],
  },
  {
    name: "the later route wins: signatures is no node",
    get: "/api/v2/node/signatures",
    status: 400,
    has: ['"code":10025,"message":"missing resource ID"'],
  },
  { name: "both spellings of a path", get: "/api/v2/vega/keys/rotations", status: 200, has: ['"rotations"'] },
  {
    name: "both spellings of a path",
    get: "/api/v2/chain/keys/rotations",
    status: 200,
    has: ['"rotations"'],
  },
]);

const emptyParameters: [path: string, status: number, code: number, message: string][] = [
  ["/api/v2/asset/", 400, 10017, "missing asset ID"],
  ["/api/v2/deposit/", 400, 80004, "missing deposit ID"],
  ["/api/v2/withdrawal/", 400, 80003, "missing withdrawal ID"],
  ["/api/v2/market/", 400, 10003, "empty or missing market ID"],
  ["/api/v2/order/", 400, 10012, "missing orderID parameter"],
  ["/api/v2/order/versions/", 400, 10012, "missing orderID parameter"],
  ["/api/v2/party/", 400, 10014, "missing party id"],
  ["/api/v2/parties//stake", 400, 10014, "missing party id"],
  ["/api/v2/node/", 400, 10034, "missing node id"],
  ["/api/v2/oracle/spec/", 400, 10031, "missing oracle spec ID"],
  ["/api/v2/network/parameters/", 404, 100002, "failed to get network parameters"],
];
scenarios(
  "an empty path parameter is the endpoint's own error",
  emptyParameters.map(([get, status, code, message]) => ({
    name: get,
    get,
    status,
    has: [`"code":${code},"message":"${message}"`],
    headers: fromService,
  })),
);

scenarios("forms of JSON", [
  { name: "compact", get: "/api/v2/assets", status: 200, has: ['{"assets":{"edges":[{"node":{"id":'] },
  {
    name: "?pretty",
    get: "/api/v2/assets?pretty",
    status: 200,
    has: ['{\n "assets": {\n  "edges": ['],
    headers: json,
  },
  { name: "?pretty=", get: "/api/v2/assets?pretty=&pagination.first=1", status: 200, has: ['{\n "assets"'] },
  {
    name: "a pretty error",
    get: "/api/v2/asset/00?pretty",
    status: 400,
    has: ['{\n "code": 3,\n "message"'],
  },
  {
    name: "a pretty 404",
    get: "/nope?pretty",
    status: 404,
    is: '{\n "code": 5,\n "message": "Not Found",\n "details": []\n}',
  },
  {
    name: "Accept: the pretty form",
    get: "/api/v2/assets",
    send: { accept: "application/json+pretty" },
    status: 200,
    has: ['{\n "assets"'],
  },
  {
    name: "Accept: the stream form drops what is zero",
    get: "/api/v2/deposits",
    send: { accept: "application/json+stream" },
    status: 200,
    is: '{"deposits":{"pageInfo":{}}}',
    headers: json,
  },
  {
    name: "the stream form of an empty result",
    get: "/api/v2/rewards/summaries",
    send: { accept: "application/json+stream" },
    status: 200,
    is: "{}",
  },
  {
    name: "the stream form of an error",
    get: "/api/v2/assets/",
    send: { accept: "application/json+stream" },
    status: 404,
    is: '{"code":5,"message":"Not Found"}',
  },
  ...["text/html", "application/xml", "*/*", "application/json+stream;q=0.5, */*"].map((accept) => ({
    name: `Accept: ${accept} changes nothing`,
    get: "/api/v2/rewards/summaries",
    send: { accept },
    status: 200,
    is: '{"summaries":[]}',
    headers: json,
  })),
  {
    name: "HTML is escaped",
    get: `/api/v2/asset/${A}`,
    status: 200,
    has: ['"name":"\\u003cb\\u003e \\u0026 \\"q\\""'],
    not: ["<", ">", "&"],
  },
  {
    name: "HTML is escaped in errors",
    get: "/api/v2/assets?assetId=%3Cscript%3E",
    status: 400,
    has: ["\\u003cscript\\u003e"],
    not: ["<"],
  },
]);

const origin = "https://app.example";
const preflight = { origin, "access-control-request-method": "GET" };
scenarios("other origins", [
  {
    name: "the origin is echoed, all headers are exposed",
    get: "/api/v2/assets",
    send: { origin },
    status: 200,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "*",
      "access-control-allow-credentials": null,
      vary: "Origin",
    },
  },
  ...["/nope", "/api/v2/asset/00", "/api/v2/assets?pagination.first=x", "/health"].map((get) => ({
    name: `on every answer: ${get}`,
    get,
    send: { origin },
    status: get === "/nope" ? 404 : get === "/health" ? 200 : 400,
    headers: { "access-control-allow-origin": origin, vary: "Origin" },
  })),
  ...["/status", "/metrics", "/docs/json"].map((get) => ({
    name: `also of what the node says of itself: ${get}`,
    get,
    send: { origin },
    status: 200,
    headers: { "access-control-allow-origin": origin, vary: "Origin, Accept-Encoding" },
  })),
  {
    name: "no origin, no permission",
    get: "/api/v2/assets",
    status: 200,
    headers: { "access-control-allow-origin": null, "access-control-expose-headers": null, vary: "Origin" },
  },
  {
    name: "preflight",
    method: "OPTIONS",
    get: "/api/v2/assets",
    send: { ...preflight, "access-control-request-headers": "content-type, x-min-height" },
    status: 204,
    is: "",
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET",
      "access-control-allow-headers": "Content-Type, X-Min-Height",
      "access-control-max-age": "7200",
      vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
    },
  },
  {
    name: "preflight without headers, of an unknown path",
    method: "OPTIONS",
    get: "/nope",
    send: preflight,
    status: 204,
    headers: { "access-control-allow-origin": origin, "access-control-allow-headers": null },
  },
]);

scenarios("headers", [
  { name: "of an answer", get: "/api/v2/assets", status: 200, headers: fromService },
  { name: "of a service error", get: `/api/v2/asset/${UNKNOWN}`, status: 404, headers: fromService },
  { name: "of a gateway error", get: "/api/v2/assets?assetId.x=1", status: 400, headers: fromGateway },
  {
    name: "of /health",
    get: "/health",
    status: 200,
    is: "ok",
    headers: { "content-type": "text/plain; charset=utf-8", "x-block-height": null },
  },
  {
    name: "small answers are not compressed; no rate limits",
    get: "/api/v2/assets",
    send: { "accept-encoding": "gzip" },
    status: 200,
    headers: { "content-encoding": null, "ratelimit-limit": null, "ratelimit-remaining": null },
  },
]);

test.each(["x", "db", "api", "127.0.0.1:3008"])(
  "every route is found whatever the host is called: %s",
  async (host) => {
    const paths = ["/healthz", "/metrics", "/docs", "/api/v2/assets", `/api/v2/asset/${A}`];
    for (const path of paths) {
      const { status } = await sendRaw(served.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect([path, status]).toEqual([path, 200]);
    }
    const path = `/api/v2/ledgerentry/export?partyId=${A}&assetId=${A}`;
    const { status, headers } = await sendRaw(served.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect([status, headers.get("content-type")]).toEqual([200, "text/csv"]);
  },
);

test.each(["", "a b", "a/b", "x@y"])("a host that is none does not hide the resources: %j", async (host) => {
  const ask = (path: string) => sendRaw(served.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const one = await ask(`/api/v2/asset/${A}?pretty`);
  expect([one.status, one.body.includes(A)]).toEqual([200, true]);
  expect((await ask("/api/v2/assets?pagination.first=0")).status).toBe(500);
  expect((await ask(`/api/v2/ledgerentry/export?partyId=${A}&assetId=${A}`)).status).toBe(200);
});
