// Clients of other makers over gRPC: Python's, Go's and Node's, generated from what `lyra proto` writes, call every unary method of
// a running devnet; each answer equals REST's, which is this project's own client's (test/planes/grpc). Tools that look at a
// server from the outside: grpcurl, by reflection, and grpc-health-probe.
//
//   bun scripts/grpc-clients.ts [--binary PATH] [--only python,node,go,tools]
//
// The generators come from PyPI, npm and the Go module proxy and are put into a temporary folder: they are not part of the
// project. A tool that is missing is skipped with a line. Exit code 1 for a fault.
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderJson } from "../src/wire/json.ts";
import { serviceNamed } from "../src/wire/services.ts";
import { Scratch } from "../test/rig/homes.ts";
import { PROGRAM } from "../test/rig/lyra.ts";
import { GrpcClient } from "../test/support/grpc-client.ts";

const { values } = parseArgs({ options: { binary: { type: "string" }, only: { type: "string" } } });
const program = values.binary === undefined ? PROGRAM : [resolve(values.binary)];
const START_MS_MAX = 60_000;
const TOOLS_MS_MAX = 300_000;
const PYTHON_PACKAGES = ["grpcio==1.76.0", "grpcio-tools==1.76.0"];
const GO_PLUGINS = [
  "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.11",
  "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.0",
];
const GO_TOOLS = [
  "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4",
  "github.com/grpc-ecosystem/grpc-health-probe@v0.4.61",
];

const scratch = new Scratch("grpc-clients");
const { folder } = scratch;
const protos = join(folder, "protos");
const problems: string[] = [];

/** Answers by `service/Method`: the status, and the message as JSON where it is 0. */
type Answers = Record<string, { readonly code: number; readonly json?: unknown }>;

interface Addresses {
  readonly grpcNodeAddress: string;
  readonly grpcDataAddress: string;
}

type Client = (addresses: Addresses) => Promise<Answers | undefined>;

const CLIENTS: Readonly<Record<string, Client>> = { python, node, go };

async function main(): Promise<void> {
  const config = join(folder, "ports.json");
  const flags = ["devnet", "--temporary", "--port", "0", "--demo", "--config-out", config];
  const devnet = Bun.spawn([...program, ...flags], { stdout: "ignore", stderr: "ignore" });
  try {
    const addresses = await addressesIn(config);
    await run([...program, "proto", "--out", protos, "--quiet"]);
    const own = await ownAnswers(addresses);
    const only = values.only?.split(",") ?? [...Object.keys(CLIENTS), "tools"];
    for (const name of only) {
      if (name === "tools") await lookFromOutside(addresses, own);
      const answers = await CLIENTS[name]?.(addresses);
      if (answers !== undefined) compare(name, answers, own);
    }
  } finally {
    devnet.kill("SIGTERM");
    await devnet.exited;
  }
}

async function addressesIn(config: string): Promise<Addresses> {
  for (const end = performance.now() + START_MS_MAX; performance.now() < end; await Bun.sleep(50)) {
    if (!(await Bun.file(config).exists())) continue;
    const { grpcNodeAddress, grpcDataAddress } = (await Bun.file(config).json()) as Addresses;
    return { grpcNodeAddress, grpcDataAddress };
  }
  throw new Error("the devnet did not start");
}

const SERVICES = {
  "vega.api.v1.CoreService": "grpcNodeAddress",
  "vega.api.v1.CoreStateService": "grpcNodeAddress",
  "datanode.api.v2.TradingDataService": "grpcDataAddress",
} as const;

/** Asks every unary method with an empty request. */
async function ownAnswers(addresses: Addresses): Promise<Answers> {
  const answers: Answers = {};
  for (const [service, where] of Object.entries(SERVICES)) {
    const client = new GrpcClient(addresses[where]);
    for (const { name, response, isResponseStream } of serviceNamed(service).methods) {
      if (isResponseStream) continue;
      const { code, message } = await client.call(`${service}/${name}`);
      const json = code === 0 ? JSON.parse(renderJson(response, message)) : undefined;
      answers[`${service}/${name}`] = { code, ...(json && { json }) };
    }
    client.close();
  }
  return answers;
}

function compare(client: string, answers: Answers, own: Answers): void {
  let equal = 0;
  for (const [method, want] of Object.entries(own)) {
    const answer = answers[method];
    const fault =
      answer === undefined
        ? "was not called"
        : answer.code !== want.code
          ? `status ${answer.code}, want ${want.code}`
          : differing(answer.json, want.json, "");
    if (fault === undefined) equal++;
    else problems.push(`${client}: ${method}: ${fault}`);
  }
  console.log(`${client}: ${equal} of ${Object.keys(own).length} methods answer as REST does`);
}

/** Clocks go on. */
const VARYING = new Set(["currentTime"]);

/** Where two JSON values differ. Printers differ in whether they print unset members: null, empty and zero are one. */
function differing(actual: unknown, want: unknown, path: string): string | undefined {
  if (isUnset(actual) && isUnset(want)) return undefined;
  // A float that one prints as what it is in 64 bits.
  if (typeof actual === "number" && typeof want === "number" && Math.fround(actual) === Math.fround(want))
    return undefined;
  if (typeof want !== "object" || want === null || typeof actual !== "object" || actual === null)
    return String(actual) === String(want)
      ? undefined
      : `${path}: ${JSON.stringify(actual)}, want ${JSON.stringify(want)}`;
  for (const name of new Set([...Object.keys(actual), ...Object.keys(want)])) {
    if (VARYING.has(name)) continue;
    const [one, other] = [(actual as Record<string, unknown>)[name], (want as Record<string, unknown>)[name]];
    const fault = differing(one, other, `${path}.${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isUnset(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isUnset);
  return (
    value === undefined ||
    value === null ||
    ["", "0", "false"].includes(String(value)) ||
    /UNSPECIFIED$/.test(String(value))
  );
}

async function python(addresses: Addresses): Promise<Answers | undefined> {
  if (Bun.which("python3") === null) return skipped("python", "python3 is not here");
  const venv = join(folder, "venv");
  const binary = join(venv, "bin", "python");
  try {
    await run(["python3", "-m", "venv", venv]);
    await run([binary, "-m", "pip", "install", "-q", ...PYTHON_PACKAGES]);
  } catch (error) {
    return skipped("python", String(error));
  }
  const out = join(folder, "python");
  mkdirSync(out);
  await run([
    binary,
    "-m",
    "grpc_tools.protoc",
    "-I",
    protos,
    "--python_out",
    out,
    "--grpc_python_out",
    out,
    ...protoFiles(),
  ]);
  await Bun.write(join(out, "ask.py"), PYTHON);
  return JSON.parse(await run([binary, join(out, "ask.py"), JSON.stringify(addresses)], out));
}

async function node(addresses: Addresses): Promise<Answers | undefined> {
  const out = join(folder, "node");
  mkdirSync(out);
  try {
    await run(
      ["npm", "install", "--silent", "--prefix", out, "@grpc/grpc-js@1.14.7", "@grpc/proto-loader@0.8.1"],
      out,
    );
  } catch (error) {
    return skipped("node", String(error));
  }
  await Bun.write(join(out, "ask.cjs"), NODE);
  return JSON.parse(await run(["node", join(out, "ask.cjs"), protos, JSON.stringify(addresses)], out));
}

async function go(addresses: Addresses): Promise<Answers | undefined> {
  const protoc = join(folder, "venv", "bin", "python");
  if (Bun.which("go") === null) return skipped("go", "go is not here");
  if (!(await Bun.file(protoc).exists())) return skipped("go", "its generator needs the one of python");
  const out = join(folder, "go");
  const bin = join(folder, "go-bin");
  mkdirSync(out);
  try {
    for (const plugin of GO_PLUGINS) await run(["go", "install", plugin], out, { GOBIN: bin });
  } catch (error) {
    return skipped("go", String(error));
  }
  const files = protoFiles().filter((path) => /^(?:vega|data-node)\//.test(path));
  const plugins = ["--plugin", join(bin, "protoc-gen-go"), "--plugin", join(bin, "protoc-gen-go-grpc")];
  const options = ["--go_out", out, "--go-grpc_out", out];
  await run([protoc, "-m", "grpc_tools.protoc", "-I", protos, ...plugins, ...options, ...files]);
  await Bun.write(
    join(out, "code.vegaprotocol.io/vega/go.mod"),
    "module code.vegaprotocol.io/vega\n\ngo 1.23\n",
  );
  await Bun.write(join(out, "code.vegaprotocol.io/vega/main.go"), GO);
  const module = join(out, "code.vegaprotocol.io/vega");
  await run(["go", "mod", "tidy"], module);
  return JSON.parse(await run(["go", "run", ".", JSON.stringify(addresses)], module));
}

/** Reflection has every service, each is healthy, and every method is called by its reflected form. */
async function lookFromOutside(addresses: Addresses, own: Answers): Promise<void> {
  const bin = join(folder, "go-bin");
  try {
    if (Bun.which("go") === null) throw new Error("go is not here");
    for (const tool of GO_TOOLS) await run(["go", "install", tool], folder, { GOBIN: bin });
  } catch (error) {
    skipped("tools", String(error));
    return;
  }
  const grpcurl = (...words: string[]) => run([join(bin, "grpcurl"), "-plaintext", ...words]);
  const probe = (...words: string[]) => run([join(bin, "grpc-health-probe"), ...words]);
  const answers: Answers = {};
  for (const [service, where] of Object.entries(SERVICES)) {
    const address = addresses[where];
    const listed = (await grpcurl(address, "list")).split("\n");
    if (!listed.includes(service)) problems.push(`grpcurl: ${service} is not listed`);
    await probe("-addr", address);
    await probe("-addr", address, "-service", service);
    const isRefused = await probe("-addr", address, "-service", `${service}s`).then(
      () => false,
      (error) => String(error).includes("NotFound"),
    );
    if (!isRefused) problems.push(`grpc-health-probe: ${service}s is not refused`);
    for (const method of Object.keys(own).filter((name) => name.startsWith(`${service}/`))) {
      answers[method] = await grpcurl("-emit-defaults", "-format-error", address, method).then(
        (text) => ({ code: 0, json: JSON.parse(text) }),
        (error) => ({ code: Number(/"code": (\d+)/.exec(String(error))?.[1] ?? -1) }),
      );
    }
  }
  compare("tools", answers, own);
}

function protoFiles(): string[] {
  return readdirSync(protos, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith(".proto"));
}

function skipped(name: string, reason: string): undefined {
  console.log(`${name}: skipped: ${reason.slice(0, 200)}`);
  return undefined;
}

async function run(words: string[], cwd = folder, env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(words, {
    cwd,
    env: { ...process.env, ...env },
    stdout: "pipe",
    stderr: "pipe",
    timeout: TOOLS_MS_MAX,
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0)
    throw new Error(`${words.slice(0, 4).join(" ")} failed: ${err.slice(-1_500)}`);
  return out;
}

const PYTHON = `
import json, sys, grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf import message_factory
from vega.api.v1 import core_pb2, core_pb2_grpc
from data_node.api.v2 import trading_data_pb2, trading_data_pb2_grpc
a = json.loads(sys.argv[1])
answers = {}
for module, stubs, name, where in [
    (core_pb2, core_pb2_grpc, "CoreService", "grpcNodeAddress"),
    (core_pb2, core_pb2_grpc, "CoreStateService", "grpcNodeAddress"),
    (trading_data_pb2, trading_data_pb2_grpc, "TradingDataService", "grpcDataAddress"),
]:
    stub = getattr(stubs, name + "Stub")(grpc.insecure_channel(a[where]))
    service = module.DESCRIPTOR.services_by_name[name]
    for method in service.methods:
        if method.server_streaming: continue
        key = service.full_name + "/" + method.name
        try:
            answer = getattr(stub, method.name)(message_factory.GetMessageClass(method.input_type)())
            answers[key] = {"code": 0, "json": MessageToDict(answer, always_print_fields_with_no_presence=True)}
        except grpc.RpcError as error:
            answers[key] = {"code": error.code().value[0]}
print(json.dumps(answers))
`;

const NODE = `
const grpc = require("@grpc/grpc-js");
const { loadSync } = require("@grpc/proto-loader");
const [protos, text] = process.argv.slice(2);
const addresses = JSON.parse(text);
const options = { includeDirs: [protos], longs: String, enums: String, bytes: String, defaults: true };
const root = grpc.loadPackageDefinition(loadSync(["vega/api/v1/core.proto", "data-node/api/v2/trading_data.proto"], options));
const services = [
  [root.vega.api.v1.CoreService, "vega.api.v1.CoreService", "grpcNodeAddress"],
  [root.vega.api.v1.CoreStateService, "vega.api.v1.CoreStateService", "grpcNodeAddress"],
  [root.datanode.api.v2.TradingDataService, "datanode.api.v2.TradingDataService", "grpcDataAddress"],
];
(async () => {
  const answers = {};
  for (const [Service, fullName, where] of services) {
    const client = new Service(addresses[where], grpc.credentials.createInsecure());
    for (const [name, method] of Object.entries(Service.service)) {
      if (method.responseStream) continue;
      answers[fullName + "/" + name] = await new Promise((resolve) =>
        client[name]({}, (error, json) => resolve(error ? { code: error.code } : { code: 0, json })));
    }
    client.close();
  }
  process.stdout.write(JSON.stringify(answers));
})();
`;

const GO = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	datanode "code.vegaprotocol.io/vega/protos/data-node/api/v2"
	core "code.vegaprotocol.io/vega/protos/vega/api/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

type answer struct {
	Code int             \`json:"code"\`
	JSON json.RawMessage \`json:"json,omitempty"\`
}

func ask(answers map[string]answer, file protoreflect.FileDescriptor, name protoreflect.Name, address string) {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err)
	}
	service := file.Services().ByName(name)
	for i := 0; i < service.Methods().Len(); i++ {
		method := service.Methods().Get(i)
		if method.IsStreamingServer() {
			continue
		}
		in, _ := protoregistry.GlobalTypes.FindMessageByName(method.Input().FullName())
		out, _ := protoregistry.GlobalTypes.FindMessageByName(method.Output().FullName())
		key := fmt.Sprintf("%s/%s", service.FullName(), method.Name())
		got := out.New().Interface()
		if err := conn.Invoke(context.Background(), "/"+key, in.New().Interface(), got); err != nil {
			answers[key] = answer{Code: int(status.Code(err))}
			continue
		}
		text, err := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(got)
		if err != nil {
			panic(err)
		}
		answers[key] = answer{JSON: text}
	}
}

func main() {
	var a map[string]string
	if err := json.Unmarshal([]byte(os.Args[1]), &a); err != nil {
		panic(err)
	}
	answers := map[string]answer{}
	ask(answers, core.File_vega_api_v1_core_proto, "CoreService", a["grpcNodeAddress"])
	ask(answers, core.File_vega_api_v1_core_proto, "CoreStateService", a["grpcNodeAddress"])
	ask(answers, datanode.File_data_node_api_v2_trading_data_proto, "TradingDataService", a["grpcDataAddress"])
	text, _ := json.Marshal(answers)
	fmt.Println(string(text))
}
`;

try {
  await main();
} finally {
  scratch.remove();
}
for (const problem of problems) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);
