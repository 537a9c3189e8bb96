// Files of a network on several machines: what each folder holds, and that its parts agree with each other.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readGenesis } from "../../src/engine/genesis.ts";
import { readHost } from "../../src/testnet/addresses.ts";
import { writeFolder, writeMachines } from "../../src/testnet/machines.ts";
import { ownMember } from "../../src/testnet/members.ts";
import { ethereumNodeOf, type Host, type NetworkFile, readNetwork } from "../../src/testnet/network.ts";
import { readKeys } from "../../src/validator/key-file.ts";
import { nodeRefusal } from "../support/node-refusal.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-machines-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HOSTS: readonly Host[] = [
  { name: "oslo", address: "192.168.7.1" },
  { name: "bern", address: "192.168.7.2" },
  { name: "rome", address: "fd00::3" },
  { name: "bonn", address: "192.168.7.2" },
];
/** Programs that exist, for systemd's own check. */
const PROGRAMS = { lyra: "/bin/true", cometbft: "/bin/true" };

function bytesFrom(first: number) {
  let next = first;
  return (length: number) => new Uint8Array(length).fill(next++);
}

function write(
  name: string,
  hosts: readonly Host[],
  more: Partial<Parameters<typeof writeMachines>[0]> = {},
) {
  const out = join(folder, name);
  const options = { out, hosts, programs: PROGRAMS, isFunded: false, nowNs: 1_700_000_000_000_000_000n };
  return writeMachines({ ...options, ...more, random: bytesFrom(1) });
}

interface Settings {
  readonly proxy_app: string;
  readonly rpc: { readonly laddr: string };
  readonly p2p: Readonly<Record<string, string | boolean | number>>;
  readonly mempool: Readonly<Record<string, string | number>>;
}

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly entrypoint: readonly string[];
        readonly command: readonly string[];
        readonly restart: string;
        readonly network_mode: string;
        readonly volumes: readonly string[];
        readonly depends_on?: object;
        readonly healthcheck?: { readonly test: readonly string[] };
      }
    >
  >;
}

const read = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");
const settingsOf = (...path: string[]) =>
  Bun.TOML.parse(read(...path, "consensus", "config", "config.toml")) as Settings;
const composeOf = (...path: string[]) => Bun.YAML.parse(read(...path, "docker-compose.yml")) as Compose;
const execOf = (...path: string[]) => /^ExecStart=(.*)$/m.exec(read(...path))![1]!.split(" ");

let network: NetworkFile;
beforeAll(async () => {
  network = await write("net", HOSTS);
});

interface Changes {
  readonly nodes?: readonly object[];
  readonly [member: string]: unknown;
}
let strangers = 0;

describe("files of a network on several machines", () => {
  test("each validator has keys of its own, for its user alone, and they are those of the genesis", () => {
    const genesis = readGenesis(read("net", "genesis.json"));
    const ids = HOSTS.map(
      ({ name }) => readKeys(join(folder, "net", name, "validator-keys.json"), genesis).nodeId,
    );
    expect(ids.sort()).toEqual(
      Object.values(genesis.appState.validators!)
        .map(({ id }) => id)
        .sort(),
    );
    for (const { name } of HOSTS) {
      const own = join(folder, "net", name);
      for (const secret of [
        "validator-keys.json",
        "consensus/config/priv_validator_key.json",
        "consensus/config/node_key.json",
      ])
        expect(statSync(join(own, secret)).mode & 0o777).toBe(0o600);
      expect(read("net", name, "consensus", "config", "genesis.json")).toBe(read("net", "genesis.json"));
      expect(JSON.parse(read("net", name, "consensus", "data", "priv_validator_state.json"))).toEqual({
        ...{ height: "0", round: 0, step: 0 },
      });
    }
  });

  test("nothing secret is outside the files of keys", () => {
    const secrets = HOSTS.flatMap(({ name }) => [
      JSON.parse(read("net", name, "validator-keys.json")).recoveryPhrase as string,
      JSON.parse(read("net", name, "consensus", "config", "priv_validator_key.json")).priv_key
        .value as string,
      JSON.parse(read("net", name, "consensus", "config", "node_key.json")).priv_key.value as string,
    ]);
    const paths = readdirSync(join(folder, "net"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/keys?\.json$/.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name));
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths) {
      const text = readFileSync(path, "utf8");
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }
  });

  test("every engine dials all others where they listen, and two on one machine have ports of their own", () => {
    const [oslo, bern, rome, bonn] = network.nodes;
    expect([oslo, bern, rome, bonn].map((node) => node!.peerPort)).toEqual([26_656, 26_656, 26_656, 26_666]);
    expect(bonn).toMatchObject({ rpcPort: 26_667, nodePort: 3_013, dataPort: 3_018 });
    for (const node of network.nodes) {
      const { p2p, rpc, proxy_app } = settingsOf("net", node.name);
      const peers = String(p2p.persistent_peers).split(",");
      expect(peers).toHaveLength(3);
      for (const other of network.nodes.filter(({ name }) => name !== node.name)) {
        const host = other.address.includes(":") ? `[${other.address}]` : other.address;
        expect(peers).toContain(`${other.peerId}@${host}:${other.peerPort}`);
      }
      expect(String(p2p.laddr)).toEndWith(`:${node.peerPort}`);
      expect(rpc.laddr).toEndWith(`:${node.rpcPort}`);
      expect(proxy_app).toBe(`unix:///var/lib/lyra/${node.name}/run/app.sock`);
      // Of private nets: else the engine does not dial them.
      expect(p2p).toMatchObject({ addr_book_strict: false, allow_duplicate_ip: true });
    }
  });

  test("machines of the internet keep the RPC to themselves, and take no simulated Ethereum without an address", async () => {
    const hosts = [
      { name: "a", address: "203.0.113.1" },
      { name: "b", address: "b.example" },
    ];
    await expect(write("public", hosts)).rejects.toMatchObject({ code: "usage" });
    expect(existsSync(join(folder, "public"))).toBe(false);
    await write("public", hosts, { ethereumUrl: "http://192.168.7.9:8545" });
    const { rpc, p2p } = settingsOf("public", "a");
    expect(rpc.laddr).toBe("tcp://127.0.0.1:26657");
    expect(p2p).toMatchObject({ addr_book_strict: true, allow_duplicate_ip: false, pex: true });
    expect(Object.keys(composeOf("public", "a").services)).toEqual(["chain", "engine"]);
  });

  test("the Compose file and the units run the same words, which are those of the settings", () => {
    for (const [at, { name }] of HOSTS.entries()) {
      const { services } = composeOf("net", name);
      expect(Object.keys(services)).toEqual(["chain", "engine", ...(at === 0 ? ["ethereum"] : [])]);
      const units = {
        chain: `lyra-${name}`,
        engine: `lyra-${name}-engine`,
        ethereum: `lyra-${name}-ethereum`,
      };
      for (const [role, service] of Object.entries(services)) {
        const unit = `${units[role as keyof typeof units]}.service`;
        expect(execOf("net", name, unit).slice(1)).toEqual([...service.command]);
        expect(read("net", name, unit)).toMatch(/^Restart=always$/m);
        expect(service).toMatchObject({ restart: "always", network_mode: "host" });
        expect(service.volumes).toEqual([`.:/var/lib/lyra/${name}`]);
        const files = readdirSync(join(folder, "net", name), { recursive: true, encoding: "utf8" });
        const named = service.command.filter((word) => word.startsWith("/var/lib/lyra/"));
        const later = ["ethereum.json", "run/app.sock"];
        for (const path of named.map((word) => word.slice(`/var/lib/lyra/${name}/`.length)))
          expect(later.includes(path) || files.includes(path)).toBe(true);
      }
      const { command } = services.chain!;
      const after = (flag: string) => command[command.indexOf(flag) + 1];
      const { proxy_app, rpc } = settingsOf("net", name);
      expect(proxy_app).toBe(after("--abci")!.replace("unix:", "unix://"));
      expect(rpc.laddr).toBe(after("--consensus-rpc")!.replace("http:", "tcp:"));
      expect(services.chain!.healthcheck!.test.at(-1)).toBe(`http://127.0.0.1:${after("--data-port")}`);
      expect(services.engine!.depends_on).toEqual({ chain: { condition: "service_started" } });
      expect(read("net", name, `lyra-${name}-engine.service`)).toMatch(
        new RegExp(`^After=.*lyra-${name}\\.service`, "m"),
      );
    }
  });

  test.if(Bun.which("systemd-analyze") !== null)("systemd takes the units", () => {
    const units = readdirSync(join(folder, "net", "oslo")).filter((file) => file.endsWith(".service"));
    expect(units).toHaveLength(3);
    const words = ["systemd-analyze", "verify", ...units.map((file) => join(folder, "net", "oslo", file))];
    const { stderr, stdout } = Bun.spawnSync(words);
    // Of the units that are not ours it says what it likes.
    const lines = `${stderr}${stdout}`.split("\n").filter((line) => line.includes("lyra-"));
    expect(lines).toEqual([]);
  });

  test("the engine's mempool has more room than the chain's, so that the chain is the one that refuses", async () => {
    const usual = settingsOf("net", "oslo").mempool;
    expect(usual).toMatchObject({ size: 10_000, max_txs_bytes: 2 * 1024 ** 3, cache_size: 10_000 });
    const sizes = [
      [20, 5_020],
      [30_000, 60_000],
    ] as const;
    for (const [mempoolTxsMax, size] of sizes) {
      const name = `mempool${mempoolTxsMax}`;
      await write(name, HOSTS.slice(0, 1), { mempool: { mempoolTxsMax, mempoolBytesMax: 1_000 } });
      expect(settingsOf(name, "oslo").mempool).toMatchObject({
        ...{ size, max_txs_bytes: 1_000 + 1024 ** 3, cache_size: Math.max(10_000, size) },
      });
      const words = execOf(name, "oslo", "lyra-oslo.service").join(" ");
      expect(words).toContain(`--mempool-size ${mempoolTxsMax} --mempool-max-txs-bytes 1000`);
    }
  });

  test("all interfaces of a node have ports of their own, which its unit names", () => {
    const after = (name: string, flag: string) => {
      const words = execOf("net", name, `lyra-${name}.service`);
      return Number(words[words.indexOf(flag) + 1]);
    };
    const flags = ["--node-port", "--data-port", "--grpc-node-port", "--grpc-data-port", "--faucet-port"];
    expect(flags.map((flag) => after("bern", flag))).toEqual([3_003, 3_008, 3_002, 3_007, 3_009]);
    expect(flags.map((flag) => after("bonn", flag))).toEqual([3_013, 3_018, 3_012, 3_017, 3_019]);
  });

  test("a folder that is there is not written over", async () => {
    const before = read("net", "oslo", "validator-keys.json");
    await expect(write("net", HOSTS)).rejects.toMatchObject({ code: "testnet_exists" });
    rmSync(join(folder, "net", "network.json"));
    await expect(write("net", HOSTS)).rejects.toMatchObject({ code: "testnet_exists" });
    expect(read("net", "oslo", "validator-keys.json")).toBe(before);
  });

  test("a validator's folder describes the network for those that join", () => {
    const { network: described, genesis } = readNetwork(join(folder, "net", "bern"));
    expect(described).toEqual(network);
    expect(readGenesis(genesis).chainId).toBe("lyra-testnet");
    expect(() => readNetwork(folder)).toThrow("network.json");
  });

  const NODE = { name: "oslo", address: "192.168.7.1", peerId: "ab".repeat(20) };
  const PORTS = { peerPort: 26_656, rpcPort: 26_657, nodePort: 3_003, dataPort: 3_008 };

  test.each([
    ["null", null],
    ["a text", "network"],
    ["no nodes", {}],
    ["a node that is null", { nodes: [null] }],
    ["a node that is a text", { nodes: ["oslo"] }],
    ["a node without a name", { nodes: [{ ...NODE, ...PORTS, name: undefined }] }],
    ["a node without an address", { nodes: [{ ...NODE, ...PORTS, address: undefined }] }],
    ["a node whose name is a list", { nodes: [{ ...NODE, ...PORTS, name: ["oslo"] }] }],
    ["a node without a peerId", { nodes: [{ ...NODE, ...PORTS, peerId: undefined }] }],
    ["a machine that is null", { nodes: [{ ...NODE, ...PORTS, machine: null }] }],
    ["a mempool that is null", { nodes: [{ ...NODE, ...PORTS, machine: { mempool: null } }] }],
    ["a path that is a list", { nodes: [{ ...NODE, ...PORTS, machine: { places: ["/srv"] } }] }],
    ["no chainId", { chainId: undefined }],
    ["a pace that is a list", { pace: ["1s"] }],
    ["no ethereumUrl", { ethereumUrl: undefined }],
    ["an ethereumNode that is a number", { ethereumNode: 1 }],
  ])("a network file with %s is refused, and nothing fails over it", (_, change) => {
    const strange = join(folder, `strange${strangers++}`);
    cpSync(join(folder, "net", "bern"), strange, { recursive: true });
    const isChange = typeof change === "object" && change !== null && Object.keys(change).length > 0;
    writeFileSync(
      join(strange, "network.json"),
      JSON.stringify(isChange ? { ...network, ...change } : change),
    );
    expect(nodeRefusal(() => readNetwork(strange))).toMatchObject({ code: "testnet_files_unreadable" });
  });

  test("a network file without an end is not read whole", () => {
    const strange = join(folder, `strange${strangers++}`);
    mkdirSync(strange);
    symlinkSync("/dev/zero", join(strange, "network.json"));
    const refusal = nodeRefusal(() => readNetwork(strange));
    expect(refusal).toMatchObject({ code: "testnet_files_unreadable" });
    expect(refusal.message).toContain("bytes");
  });

  test("a given Ethereum at the first machine's address stays a given one, and no node runs it", async () => {
    const hosts = HOSTS.slice(0, 2);
    await write("given", hosts, { ethereumUrl: "http://192.168.7.1:8545" });
    const { network: described } = readNetwork(join(folder, "given"));
    expect(ethereumNodeOf(described)).toBeUndefined();
    // Files from before this member say it by the address alone.
    const { ethereumNode: _, ...older } = network;
    expect(ethereumNodeOf(older)).toBe("oslo");
  });

  test.each([
    ["http://192.168.7.1", "80"],
    ["http://192.168.7.1:80", "80"],
    ["http://192.168.7.1:8600", "8600"],
  ])("the simulated Ethereum of %s listens on port %s", async (ethereumUrl, port) => {
    const name = `port${strangers++}`;
    mkdirSync(join(folder, name));
    const member = ownMember("oslo", bytesFrom(1));
    const changed = { ...network, ethereumUrl };
    const options = {
      network: changed,
      node: network.nodes[0]!,
      genesis: read("net", "genesis.json"),
      member,
    };
    writeFolder({ ...options, folder: join(folder, name, "oslo"), hasEthereum: true, settings: {} });
    const words = execOf(name, "oslo", "lyra-oslo-ethereum.service");
    expect(words[words.indexOf("--port") + 1]).toBe(port);
  });

  test.each([
    ["chainId", { chainId: "a%b" }],
    ["pace", { pace: '1s"' }],
    ["ethereumUrl", { ethereumUrl: "http://192.168.7.1:8545\nExecStartPre=/bin/true" }],
    ["ethereumUrl", { ethereumUrl: "http://192.168.7.1:8545/path?x=$y" }],
    ["name", { nodes: [{ name: "../x" }] }],
    ["address", { nodes: [{ address: "192.168.7.1 --home /" }] }],
    ["peerId", { nodes: [{ peerId: "x" }] }],
    ["port", { nodes: [{ rpcPort: "26657" }] }],
    ["machine", { nodes: [{ machine: { places: "/srv/%h" } }] }],
    ["machine", { nodes: [{ machine: { retainBlocks: "1 --home /" } }] }],
    ["ethereumNode", { ethereumNode: "bonn --port 1" }],
  ])(
    "a network file whose %s a unit would read otherwise is refused",
    (word, { nodes, ...change }: Changes) => {
      const strange = join(folder, `strange${strangers++}`);
      cpSync(join(folder, "net", "bern"), strange, { recursive: true });
      const changed = { ...network, ...change, nodes: [{ ...network.nodes[0]!, ...nodes?.[0] }] };
      writeFileSync(join(strange, "network.json"), JSON.stringify(changed));
      const refusal = nodeRefusal(() => readNetwork(strange));
      expect(refusal).toMatchObject({ code: "testnet_files_unreadable" });
      expect(refusal.message).toContain(word);
    },
  );
});

test.each([
  ["192.168.7.1", "192.168.7.1"],
  ["[fd00::1]", "fd00::1"],
  ["fd00::1", "fd00::1"],
  ["node1.example", "node1.example"],
  ["localhost", "localhost"],
])("%s is an address of a machine", (text, host) => {
  expect(readHost(text)).toBe(host);
});

test.each([
  "",
  "192.168.7.1:26656",
  "192.168.7",
  "a b",
  "[192.168.7.1]",
  "http://a",
  "a_b",
  "-a",
  'a"',
  "%i",
  "a..b",
])("%p is not an address of a machine", (text) => {
  expect(readHost(text)).toBeUndefined();
});
