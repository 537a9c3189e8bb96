// The node API's document: its examples are answered, and the answers are what it says.
import { afterAll, expect, test } from "bun:test";
import type { Operation } from "../../../src/http/openapi/types.ts";
import { type OpenApiDocument, SchemaValidator } from "../../support/schema-validator.ts";
import { removeChains } from "../../support/small-chain.ts";
import { PARTY, smallNode } from "./small-node.ts";

const node = smallNode([[]]);
const document = (await node.ask("/docs/json")).body as OpenApiDocument;
const validator = new SchemaValidator(document);
afterAll(removeChains);

const operations = (method: string) =>
  Object.entries(document.paths).flatMap(([path, item]) => {
    const operation = item[method] as Operation | undefined;
    return operation ? [{ path, operation }] : [];
  });
const readable = operations("get").filter(({ operation }) => operation.responses["200"] !== undefined);

test.each(readable.map(({ path }) => path))("GET %s", async (path) => {
  const url = path.replace("{party_id}", PARTY) + (path === "/votes" ? `?party=${PARTY}` : "");
  const { status, body, headers } = await node.ask(url);
  expect(status).toBe(200);
  if (headers.get("content-type")?.startsWith("application/json"))
    expect(validator.check("get", path, "200", body)).toEqual([]);
});

const posted = operations("post").filter(
  ({ operation }) => "application/json" in operation.requestBody!.content,
);
test.each(posted)("POST $path: the example", async ({ path, operation }) => {
  const { example } = operation.requestBody!.content["application/json"]!;
  const { status, body } = await node.post(path, example);
  expect({ status, success: body.success, code: body.code }).toEqual({
    status: 200,
    success: false,
    code: 60,
  });
  expect(validator.check("post", path, "200", body)).toEqual([]);
});

test("errors are what it says", async () => {
  const empty = await node.post("/transaction", {});
  expect(validator.check("post", "/transaction", String(empty.status), empty.body)).toEqual([]);
  const garbled = await node.post("/transaction/raw", "{");
  expect(garbled.status).toBe(400);
  expect(validator.check("post", "/transaction/raw", "400", garbled.body)).toEqual([]);
});
