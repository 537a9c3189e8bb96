// Clients made from the OpenAPI documents of a running devnet: every example is pressed, TypeScript types are compiled
// strictly and used, and a Python client is compiled and used.
//
//   bun scripts/openapi-clients.ts [--binary PATH]
//
// The generators come from npm and PyPI and are put into a temporary folder: they are not part of the project, and the
// TypeScript one needs another compiler than ours. A tool that is missing is skipped with a line. Exit code 1 for a fault.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DATA_SOURCES } from "../src/http/openapi/examples.ts";
import type { Operation, Parameter, Schema } from "../src/http/openapi/types.ts";
import { Scratch } from "../test/rig/homes.ts";
import { PROGRAM } from "../test/rig/lyra.ts";
import { type OpenApiDocument, SchemaValidator } from "../test/support/schema-validator.ts";

const { values } = parseArgs({ options: { binary: { type: "string" } } });
const program = values.binary === undefined ? PROGRAM : [resolve(values.binary)];
const START_MS_MAX = 60_000;
const STREAM_MS = 300;
const GENERATORS = ["openapi-typescript@7.13.0", "typescript@5.9.3"];
const PYTHON_GENERATOR = "openapi-python-client==0.29.1";

const scratch = new Scratch("openapi-clients");
const { folder } = scratch;
const problems: string[] = [];

interface Addresses {
  readonly dataUrl: string;
  readonly nodeUrl: string;
  readonly faucetUrl: string;
  readonly walletUrl: string;
}

interface Served {
  readonly name: string;
  readonly url: string;
  readonly document: OpenApiDocument;
}

async function main(): Promise<void> {
  const config = join(folder, "ports.json");
  const flags = ["devnet", "--temporary", "--port", "0", "--wallet-port", "0", "--config-out", config];
  const devnet = Bun.spawn([...program, ...flags], { stdout: "ignore", stderr: "ignore" });
  try {
    const { dataUrl, nodeUrl, faucetUrl, walletUrl } = await addresses(config);
    const wallet = walletUrl.replace(/\/api$/, "");
    const documents = await Promise.all([
      served("data", dataUrl, "/docs/json"),
      served("node", nodeUrl, "/docs/json"),
      served("devnet", nodeUrl, "/devnet/docs/json"),
      served("faucet", faucetUrl, "/docs/json"),
      served("wallet", wallet, "/docs/json"),
    ]);
    for (const each of documents) await pressAll(each);
    await typescriptClients(documents, dataUrl);
    await pythonClients(documents, dataUrl);
  } finally {
    devnet.kill("SIGTERM");
    await devnet.exited;
  }
}

async function addresses(path: string): Promise<Addresses> {
  const deadline = performance.now() + START_MS_MAX;
  while (performance.now() < deadline) {
    const file = Bun.file(path);
    if (await file.exists()) return (await file.json()) as Addresses;
    await Bun.sleep(50);
  }
  throw new Error("the devnet did not start");
}

async function served(name: string, url: string, path: string): Promise<Served> {
  const document = (await (await fetch(url + path)).json()) as OpenApiDocument;
  await Bun.write(join(folder, `${name}.json`), JSON.stringify(document));
  return { name, url, document };
}

/** Sends what the page sends when nothing is filled in. */
async function pressAll({ name, url, document }: Served): Promise<void> {
  const validator = new SchemaValidator(document);
  let pressed = 0;
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item) as [string, Operation][]) {
      const request = requestOf(path, operation);
      if (request === undefined || (name === "data" && showsNothing(operation))) continue;
      pressed++;
      if (path.includes("/stream/")) {
        await listen(name, url + request.path);
        continue;
      }
      const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
      const headers: Record<string, string> = name === "wallet" ? { origin: url } : {};
      const response = await fetch(url + request.path, { method: method.toUpperCase(), headers, ...body });
      const text = await response.text();
      // A devnet gives no image of its store; the document says so.
      const isRefusal = response.status === 412 && operation.operationId === "MakeHistoryImage";
      if (response.status !== 200 && !isRefusal)
        problems.push(`${name}: ${method} ${request.path}: ${response.status} ${text}`);
      const type = (response.headers.get("content-type") ?? "").split(";")[0]!;
      if (response.status !== 200 || !type.includes("json")) continue;
      for (const fault of validator.check(method, path, "200", JSON.parse(text), type))
        problems.push(`${name}: ${method} ${path}: ${fault}`);
    }
  }
  console.log(`${name}: ${pressed} examples tried`);
}

/** A stream answers at once and has no end: its first line, if one comes soon, is a result. */
async function listen(name: string, url: string): Promise<void> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), STREAM_MS);
  let status = 0;
  let text = "";
  try {
    const response = await fetch(url, { signal: over.signal });
    status = response.status;
    const decoder = new TextDecoder();
    for await (const piece of response.body!) {
      text += decoder.decode(piece, { stream: true });
      if (text.trim() !== "") break;
    }
  } catch (error) {
    if (!over.signal.aborted) throw error;
  }
  clearTimeout(timer);
  over.abort();
  // Blanks before the first line end the headers.
  const [line = ""] = text.trim().split("\n");
  if (status !== 200 || (line !== "" && !line.startsWith('{"result":')))
    problems.push(`${name}: ${url}: ${status} ${line.slice(0, 200)}`);
}

/** An operation that needs to be told what to show, on a chain that has none of it. */
function showsNothing({ operationId, parameters }: Operation): boolean {
  const isNeeded = DATA_SOURCES[operationId.replace(/Alias\d+$/, "")] !== undefined;
  return isNeeded && (parameters as Parameter[]).every(({ example }) => example === undefined);
}

function requestOf(path: string, { parameters, requestBody }: Operation) {
  const query = new URLSearchParams();
  let address = path;
  for (const each of parameters as Parameter[]) {
    if (each.example === undefined && each.required) return undefined;
    if (each.example === undefined) continue;
    if (each.in === "path")
      address = address.replace(`{${each.name}}`, encodeURIComponent(String(each.example)));
    else for (const value of [each.example].flat()) query.append(each.name, String(value));
  }
  const body = requestBody?.content["application/json"];
  if (body && !isComplete(body.schema, body.example)) return undefined;
  return { path: query.size > 0 ? `${address}?${query}` : address, body: body?.example };
}

/** A body that has to name what only its user knows has an empty example. */
function isComplete({ required, properties, $ref }: Schema, example: unknown): boolean {
  const isEmpty = Object.keys((example as object | undefined) ?? {}).length === 0;
  return !isEmpty || ($ref === undefined && properties !== undefined && (required?.length ?? 0) === 0);
}

async function typescriptClients(documents: readonly Served[], dataUrl: string): Promise<void> {
  await Bun.write(join(folder, "package.json"), '{"private":true,"type":"module"}');
  if (!runs("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...GENERATORS])) {
    console.log("skipped: TypeScript clients (npm could not install the generator)");
    return;
  }
  for (const { name } of documents) {
    const isGenerated = runs("node_modules/.bin/openapi-typescript", [`${name}.json`, "-o", `${name}.d.ts`]);
    if (!isGenerated) problems.push(`no TypeScript could be made of the document ${name}`);
  }
  await Bun.write(join(folder, "use.ts"), TYPESCRIPT);
  const files = ["use.ts", ...documents.map(({ name }) => `${name}.d.ts`)];
  const strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"];
  const options = ["--noEmit", "--skipLibCheck", "false", "--module", "nodenext", "--target", "esnext"];
  const compiler = join(import.meta.dir, "../node_modules/.bin/tsc");
  if (!runs(compiler, [...strict, ...options, "--types", "", "--lib", "esnext,dom", ...files]))
    problems.push("the TypeScript client does not compile");
  else if (!runs(process.execPath, ["use.ts", dataUrl])) problems.push("the TypeScript client does not run");
  else console.log(`TypeScript: ${documents.length} documents compile strictly, and a client ran`);
}

const TYPESCRIPT = `
import type { components, paths } from "./data.js";
import type { paths as NodePaths } from "./node.js";

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
} ? Body : never;
type Height = NodePaths["/blockchain/height"]["get"]["responses"][200]["content"]["application/json"]["height"];

async function get<Path extends keyof paths>(base: string, path: Path): Promise<Answer<Path>> {
  const response = await fetch(base + path);
  if (response.status !== 200) throw new Error(path + " " + response.status);
  return (await response.json()) as Answer<Path>;
}

declare const process: { argv: string[] };
const { assets } = await get(process.argv[2]!, "/api/v2/assets");
const first: components["schemas"]["vega.Asset"] = assets.edges[0]!.node;
// Of a recorded message any member that is a message itself may be null: the compiler asks for the look.
const symbol: string = first.details === null ? "" : first.details.symbol;
const height: Height = "1";
if (symbol === "" || BigInt(height) !== 1n || assets.pageInfo.hasNextPage) throw new Error("unexpected answer");
`;

async function pythonClients(documents: readonly Served[], dataUrl: string): Promise<void> {
  const bin = join(folder, "venv/bin");
  const isThere =
    runs("python3", ["-m", "venv", "venv"]) && runs(`${bin}/pip`, ["install", "-q", PYTHON_GENERATOR]);
  if (!isThere) {
    console.log("skipped: Python clients (python3, pip or the generator cannot be had)");
    return;
  }
  for (const { name } of documents) {
    const flags = ["--path", `${name}.json`, "--output-path", `client_${name}`, "--meta", "none"];
    if (!runs(`${bin}/openapi-python-client`, ["generate", ...flags]))
      problems.push(`no Python could be made of the document ${name}`);
    else if (!runs(`${bin}/python`, ["-m", "compileall", "-q", `client_${name}`]))
      problems.push(`the Python client of ${name} does not compile`);
  }
  await Bun.write(join(folder, "use.py"), PYTHON);
  if (!runs(`${bin}/python`, ["use.py", dataUrl])) problems.push("the Python client does not run");
  else console.log(`Python: ${documents.length} documents compile, and a client ran`);
}

const PYTHON = `
import sys
from client_data import Client
from client_data.api.assets import list_assets
from client_data.api.network import list_network_parameters
from client_data.api.parties import list_parties

client = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)
assets = list_assets.sync(client=client)
assert assets.assets.edges[0].node.details.symbol != ""
assert len(list_network_parameters.sync(client=client).network_parameters.edges) > 50
assert len(list_parties.sync(client=client).parties.edges) > 1
`;

function runs(command: string, args: readonly string[]): boolean {
  try {
    const { exitCode, stdout, stderr } = Bun.spawnSync([command, ...args], { cwd: folder, env: process.env });
    if (exitCode !== 0) console.log(`${command} ${args[0]}:\n${stdout}${stderr}`.slice(0, 2_000));
    return exitCode === 0;
  } catch {
    return false;
  }
}

try {
  await main();
} finally {
  scratch.remove();
}
for (const problem of problems) console.error(problem.slice(0, 500));
process.exit(problems.length > 0 ? 1 : 0);
