// The wallet's document is made from its routes and from the declarations of the local socket: what they answer fits it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ApprovalDesk } from "../../../src/wallet/approvals/desk.ts";
import { METHOD_NAMES } from "../../../src/wallet/service/service.ts";
import { eventually } from "../../support/eventually.ts";
import { type OpenApiDocument, SchemaValidator } from "../../support/schema-validator.ts";
import { privateFolder } from "../support/wallets.ts";
import { KEY_1, Rig } from "./rig.ts";

let folder: ReturnType<typeof privateFolder>;
let rig: Rig;
let document: OpenApiDocument;
let validator: SchemaValidator;
beforeAll(async () => {
  folder = privateFolder();
  rig = await Rig.start({ home: folder.path, approver: new ApprovalDesk(), wallets: ["vectors", "other"] });
  document = (await (await fetch(new URL("/docs/json", rig.running.url))).json()) as OpenApiDocument;
  validator = new SchemaValidator(document);
});
afterAll(async () => {
  await rig.stop();
  folder.remove();
});

test("the document has the routes, and every method with its meaning", async () => {
  expect(Object.keys(document.paths).sort()).toEqual([
    "/api/v2/health",
    "/api/v2/methods",
    "/api/v2/requests",
  ]);
  const { properties } = document.components.schemas!.Request as {
    properties: { method: { enum: string[]; description: string } };
  };
  expect(properties.method.enum).toEqual([...METHOD_NAMES]);
  for (const name of METHOD_NAMES)
    expect(properties.method.description).toMatch(new RegExp(`\`${name}\`: \\w+`));
});

test("answers of the routes are as documented", async () => {
  const methods = await fetch(new URL("/api/v2/methods", rig.running.url));
  expect(validator.check("get", "/api/v2/methods", "200", await methods.json())).toEqual([]);
  const type = "application/json-rpc";
  const calls = [
    await rig.call("client.get_chain_id"),
    await rig.call("client.list_keys"),
    await rig.call("client.nothing"),
    await rig.post("{"),
  ];
  expect(calls.map(({ status }) => status)).toEqual([200, 401, 400, 400]);
  for (const { status, body } of calls)
    expect(validator.check("post", "/api/v2/requests", String(status), body, type)).toEqual([]);
});

test("results of the local socket are as declared", async () => {
  const checked = new Set<string>();
  const ask = async (method: string, params: object = {}) => {
    expect({ method, faults: validator.checkPart(`${method}.params`, params) }).toEqual({
      method,
      faults: [],
    });
    const { status, body } = await rig.callBySocket(method, params);
    expect({ method, status, error: body.error }).toEqual({ method, status: 200, error: undefined });
    expect({ method, faults: validator.checkPart(`${method}.result`, body.result) }).toEqual({
      method,
      faults: [],
    });
    checked.add(method);
    return body.result;
  };
  const next = (kind: string) =>
    eventually(async () => {
      const { request } = await ask("approvals.next");
      return request?.kind === kind && request;
    });
  const passphrase = "correct horse battery staple";
  const connecting = rig.call("client.connect_wallet");
  const { id } = await next("connection");
  await ask("approvals.list");
  await ask("approvals.waits", { id });
  await ask("approvals.answer", { id, outcome: "approved", wallet: "vectors", keep: false });
  await ask("approvals.answer", { id: (await next("passphrase")).id, outcome: "approved", passphrase });
  const authorization = (await connecting).token!;
  const listing = rig.call("client.list_keys", {}, { authorization });
  await ask("approvals.answer", { id: (await next("keys")).id, outcome: "approved", allowedKeys: [KEY_1] });
  await listing;
  const sending = rig.send(authorization);
  await next("transaction");
  await ask("approvals.reject_all");
  await sending;
  await ask("approvals.outcome", { id });
  await ask("service.status");
  await ask("service.page_link");
  await ask("admin.list_connections");
  await ask("admin.close_connection", { hostname: "dapp.example", wallet: "vectors" });
  await ask("admin.close_connections_to_hostname", { hostname: "dapp.example" });
  await ask("admin.unlock_wallet", { wallet: "other", passphrase });
  await ask("service.lock_wallet", { wallet: "other" });
  await ask("admin.rename_wallet", { wallet: "other", newName: "third" });
  await ask("admin.remove_wallet", { wallet: "third" });
  await ask("admin.list_wallets");
  const declared = Object.keys(document.components.schemas!).filter((name) => name.endsWith(".result"));
  expect([...checked].sort()).toEqual(declared.map((name) => name.replace(".result", "")).sort());
});
