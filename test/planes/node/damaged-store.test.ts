// A store that cannot be read, or is known to be damaged: node and faucet answer 503 with a code, as the data API does.
import { afterAll, expect, test } from "bun:test";
import { ServerStatus } from "../../../src/http/status.ts";
import { dataApp } from "../../../src/planes/data/app.ts";
import { faucetApp } from "../../../src/planes/faucet/app.ts";
import { mountedNode, nodeApp, serveNode } from "../../../src/planes/node/app.ts";
import { removeChains } from "../../support/small-chain.ts";
import { smallNode } from "./small-node.ts";

afterAll(removeChains);

const DAMAGED = { code: 14, message: "the store is damaged: store_damaged", details: [] };
const VIEW = "/proposals";

function malformed(): never {
  throw Object.assign(new Error("database disk image is malformed"), { code: "SQLITE_CORRUPT" });
}

/** A node whose store cannot be read any more. */
function rottenNode() {
  const node = smallNode();
  node.data.answer = malformed;
  return { ...node, status: new ServerStatus() };
}

const mint = {
  method: "POST",
  body: JSON.stringify({ party: "ab".repeat(32), amount: "1", asset: "cd".repeat(32) }),
};
const money = { asset: async () => ({ mintMax: 10n }), deposit: async () => "id" };
const faucetOf = (port: Partial<typeof money>, status: ServerStatus) =>
  faucetApp({ ...money, ...port }, { nowMs: () => 0, status });
const statusAndBody = async (response: Response | Promise<Response>) => {
  const answer = await response;
  return [answer.status, await answer.json()];
};

test("a view that meets damage is 503, and from then on so is all that reads", async () => {
  const { plane, status } = rottenNode();
  const app = nodeApp(plane, status);
  expect(await statusAndBody(app.handle(new Request(`http://localhost${VIEW}`)))).toEqual([503, DAMAGED]);
  expect(status.isDamaged).toBe(true);
  expect(await statusAndBody(app.handle(new Request("http://localhost/readyz")))).toEqual([503, DAMAGED]);
  expect((await app.handle(new Request("http://localhost/healthz"))).status).toBe(200);
  const server = serveNode(plane, { host: "127.0.0.1", port: 0, status });
  try {
    for (const path of [VIEW, "/statistics", "/blockchain/height"])
      expect(await statusAndBody(fetch(server.url + path)), path).toEqual([503, DAMAGED]);
    expect(
      await statusAndBody(fetch(`${server.url}/transaction/raw`, { method: "POST", body: "{}" })),
    ).toEqual([503, DAMAGED]);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  } finally {
    await server.stop();
  }
});

test("so is a view on the data port", async () => {
  const { plane, status } = rottenNode();
  const app = dataApp(plane.data, status, undefined, mountedNode(plane, status));
  expect(await statusAndBody(app.handle(new Request(`http://localhost${VIEW}`)))).toEqual([503, DAMAGED]);
  expect(status.isDamaged).toBe(true);
});

test("the faucet gives nothing away over a damaged store", async () => {
  const error = DAMAGED.message;
  const status = new ServerStatus();
  const app = faucetOf({ asset: async () => malformed() }, status);
  const request = () => new Request("http://localhost/api/v1/mint", mint);
  expect(await statusAndBody(app.handle(request()))).toEqual([503, { error }]);
  expect(status.isDamaged).toBe(true);
  const sound = faucetOf({}, status);
  expect(await statusAndBody(sound.handle(request()))).toEqual([503, { error }]);
  expect(await statusAndBody(faucetOf({}, new ServerStatus()).handle(request()))).toEqual([
    200,
    { success: true },
  ]);
});
