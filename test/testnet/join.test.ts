// A further node of a network on several machines, and a validator whose machine was lost.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readGenesis } from "../../src/engine/genesis.ts";
import { joinNetwork } from "../../src/testnet/join.ts";
import { writeMachines } from "../../src/testnet/machines.ts";
import { readNetwork } from "../../src/testnet/network.ts";
import { readKeys } from "../../src/validator/key-file.ts";

const folder = mkdtempSync(join(tmpdir(), "lyra-join-"));
const net = join(folder, "net");
const backup = join(folder, "backup");
const servers: ReturnType<typeof Bun.serve>[] = [];
afterAll(async () => {
  for (const server of servers) await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

interface EngineOptions {
  readonly height: number;
  readonly hashDigit?: string;
  readonly chainId?: string;
  readonly isBehind?: boolean;
  /** Address of the validator that signed the last block. */
  readonly signer?: string;
}

/** As much of an engine's RPC as is asked. */
function engineAt({
  height,
  hashDigit = "A",
  chainId = "lyra-testnet",
  isBehind = false,
  signer = "",
}: EngineOptions): string {
  const time = "2026-01-01T00:00:00Z";
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { id, method, params } = (await request.json()) as {
        id: number;
        method: string;
        params: { height?: string };
      };
      const header = {
        height: params.height,
        chain_id: chainId,
        time,
        app_hash: "",
        last_block_id: { hash: "" },
      };
      const answers: Record<string, object> = {
        status: {
          node_info: { network: chainId, version: "0.38.26" },
          sync_info: {
            ...{ latest_block_height: String(height), latest_block_time: time },
            ...{ earliest_block_height: "1", catching_up: isBehind },
          },
        },
        commit: {
          signed_header: { commit: { signatures: [{ block_id_flag: 2, validator_address: signer }] } },
        },
        block: { block_id: { hash: hashDigit.repeat(64) }, block: { header, data: { txs: [] } } },
      };
      return Response.json({ jsonrpc: "2.0", id, result: answers[method] });
    },
  });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

const read = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");

interface Settings {
  readonly statesync?: Readonly<Record<string, unknown>>;
  readonly p2p: { readonly persistent_peers: string };
}

const settingsOf = (...path: string[]) =>
  Bun.TOML.parse(read(...path, "consensus", "config", "config.toml")) as Settings;

let outs = 0;
const newOut = () => join(folder, `out${outs++}`);

beforeAll(async () => {
  const hosts = ["oslo", "bern", "rome", "bonn"].map((name, at) => ({
    name,
    address: `192.168.7.${at + 1}`,
  }));
  await writeMachines({ out: net, hosts, isFunded: false, nowNs: 1_700_000_000_000_000_000n });
  mkdirSync(backup);
  for (const file of [
    "validator-keys.json",
    "consensus/config/priv_validator_key.json",
    "consensus/config/node_key.json",
  ])
    cpSync(join(net, "rome", file), join(backup, file.split("/").at(-1)!));
});

describe("a further node", () => {
  test("has keys of its own, dials all, and checks a snapshot by a block that two engines agree on", async () => {
    const rpc = [engineAt({ height: 5_000 }), engineAt({ height: 4_990 })];
    const out = newOut();
    const joined = await joinNetwork({ network: net, out, name: "kyiv", address: "192.168.7.9", rpc });
    expect(joined).toMatchObject({ isNew: true, trusted: { height: 990, hash: "A".repeat(64) } });
    const { statesync, p2p } = settingsOf(out.slice(folder.length), "kyiv");
    expect(statesync).toMatchObject({
      ...{ enable: true, rpc_servers: rpc.join(","), trust_height: 990, trust_hash: "A".repeat(64) },
    });
    expect(p2p.persistent_peers.split(",")).toHaveLength(4);
    const genesis = readGenesis(read("net", "genesis.json"));
    const { nodeId } = readKeys(join(out, "kyiv", "validator-keys.json"), genesis);
    expect(Object.values(genesis.appState.validators!).map(({ id }) => id)).not.toContain(nodeId);
  });

  test("of a young network executes all blocks, and so it does when asked to", async () => {
    const young = await joinNetwork({
      ...{ network: net, out: newOut(), name: "kyiv", address: "192.168.7.9" },
      rpc: [engineAt({ height: 120 })],
    });
    expect(young.trusted).toBeUndefined();
    const out = newOut();
    const rpc = [engineAt({ height: 5_000 })];
    await joinNetwork({ network: net, out, name: "kyiv", address: "192.168.7.9", rpc, isFromGenesis: true });
    expect(settingsOf(out.slice(folder.length), "kyiv").statesync).toBeUndefined();
  });

  test("of a network that began large executes all blocks until a snapshot is sure to be there", async () => {
    const large = join(folder, "large");
    cpSync(join(net, "bern"), large, { recursive: true });
    const genesis = JSON.parse(read("net", "genesis.json"));
    genesis.app_state.unread = "x".repeat(1_000_000);
    writeFileSync(join(large, "consensus", "config", "genesis.json"), JSON.stringify(genesis));
    const joinAt = (network: string, height: number) => {
      const rpc = [engineAt({ height }), engineAt({ height })];
      return joinNetwork({ network, out: newOut(), name: "kyiv", address: "192.168.7.9", rpc });
    };
    expect((await joinAt(large, 900)).trusted).toBeUndefined();
    expect((await joinAt(large, 1_010)).trusted).toMatchObject({ height: 1 });
    expect((await joinAt(join(net, "bern"), 900)).trusted).toMatchObject({ height: 1 });
  });

  test.each([
    ["engines with different blocks", [{ height: 5_000 }, { height: 5_000, hashDigit: "B" }]],
    ["a single engine", [{ height: 5_000 }]],
    ["engines of another chain", [{ height: 5_000, chainId: "other" }]],
    ["a second engine that is behind", [{ height: 5_000 }, { height: 4_000, isBehind: true }]],
  ] as const)("given %s, then nothing is trusted, and nothing written", async (_, engines) => {
    const out = newOut();
    const rpc = engines.map(engineAt);
    await expect(
      joinNetwork({ network: net, out, name: "kyiv", address: "192.168.7.9", rpc }),
    ).rejects.toMatchObject({ code: "trust_unavailable" });
    expect(existsSync(join(out, "kyiv"))).toBe(false);
  });

  test("is refused where the two engines are one by two names", async () => {
    const url = engineAt({ height: 5_000 });
    const joining = {
      network: net,
      out: newOut(),
      name: "kyiv",
      address: "192.168.7.9",
      rpc: [url, `${url}/`],
    };
    await expect(joinNetwork(joining)).rejects.toMatchObject({ code: "trust_unavailable" });
  });
});

describe("the network's file", () => {
  const engines = () => [engineAt({ height: 5_000 }), engineAt({ height: 5_000 })];
  const portsIn = (words: string) => words.match(/(?<=-port )\d+/g)!;
  const unitOf = (out: string, name: string) => read(out.slice(folder.length), name, `lyra-${name}.service`);

  async function networkWith(more: Partial<Parameters<typeof writeMachines>[0]> = {}) {
    const out = newOut();
    const hosts = [1, 2].map((n) => ({ name: `node${n}`, address: `192.168.8.${n}` }));
    await writeMachines({ out, hosts, isFunded: false, nowNs: 1_700_000_000_000_000_000n, ...more });
    return out;
  }

  test("names those that joined, so that no two of an address have one port, and each comes back", async () => {
    const network = await networkWith();
    const [first, second, again] = [newOut(), newOut(), newOut()];
    const address = "192.168.8.2";
    const one = await joinNetwork({ network, out: first, name: "kyiv", address, rpc: engines() });
    const two = await joinNetwork({ network, out: second, name: "lviv", address, rpc: engines() });
    expect([one, two].map(({ unrecorded }) => unrecorded)).toEqual([undefined, undefined]);
    expect([one, two].map(({ node }) => [node.peerPort, node.dataPort])).toEqual([
      [26_666, 3_018],
      [26_676, 3_028],
    ]);
    const ports = [...portsIn(unitOf(first, "kyiv")), ...portsIn(unitOf(second, "lviv"))];
    expect(new Set(ports).size).toBe(ports.length);
    const { nodes } = readNetwork(network).network;
    expect(nodes.map(({ name }) => name)).toEqual(["node1", "node2", "kyiv", "lviv"]);
    expect(settingsOf(second.slice(folder.length), "lviv").p2p.persistent_peers).toContain(one.node.peerId);
    // Its machine is lost: no address is needed.
    const keys = newOut();
    mkdirSync(keys);
    for (const file of ["validator-keys.json", "consensus/config/priv_validator_key.json"])
      cpSync(join(first, "kyiv", file), join(keys, file.split("/").at(-1)!));
    const back = await joinNetwork({ network, out: again, name: "kyiv", keys, rpc: engines() });
    expect(back.node).toMatchObject({ address, peerPort: 26_666 });
    expect(settingsOf(again.slice(folder.length), "kyiv").p2p.persistent_peers).not.toContain(
      one.node.peerId,
    );
    expect(readNetwork(network).network.nodes).toHaveLength(4);
  });

  test("remembers what is not as usual on the machines", async () => {
    const network = await networkWith({
      ...{ places: "/srv/lyra", programs: { lyra: "/opt/lyra" }, retainBlocks: 700 },
      mempool: { mempoolTxsMax: 40 },
    });
    const out = newOut();
    const options = { network, name: "kyiv", address: "192.168.8.3" };
    await joinNetwork({ ...options, out, rpc: engines(), programs: { cometbft: "/opt/comet" } });
    const unit = unitOf(out, "kyiv");
    expect(unit).toContain("ExecStart=/opt/lyra validator --home /srv/lyra/kyiv/lyra");
    expect(unit).toContain("--retain-blocks 700 --mempool-size 40");
    const again = newOut();
    await joinNetwork({ ...options, out: again, rpc: engines() });
    expect(read(again.slice(folder.length), "kyiv", "lyra-kyiv-engine.service")).toContain(
      "/opt/comet start",
    );
  });
});

describe("the node that runs the simulated Ethereum", () => {
  const engines = () => [engineAt({ height: 5_000 }), engineAt({ height: 5_000 })];
  const execOf = (...path: string[]) => /^ExecStart=(.*)$/m.exec(read(...path))![1];
  const UNIT = "lyra-oslo-ethereum.service";

  function backupOfOslo(): string {
    const keys = newOut();
    mkdirSync(keys);
    for (const file of ["validator-keys.json", "consensus/config/priv_validator_key.json"])
      cpSync(join(net, "oslo", file), join(keys, file.split("/").at(-1)!));
    return keys;
  }

  test("has its unit again, with the same words, and its state of the backup", async () => {
    const out = newOut();
    const keys = backupOfOslo();
    const network = join(net, "bern");
    const without = await joinNetwork({ network, out: newOut(), name: "oslo", keys, rpc: engines() });
    expect(without.ethereum).toMatchObject({ isMoved: false, hasState: false });
    const state = JSON.stringify({ version: 3, state: "{}" });
    writeFileSync(join(keys, "ethereum.json"), state);
    const joined = await joinNetwork({ network, out, name: "oslo", keys, rpc: engines() });
    expect(joined.ethereum).toEqual({ url: "http://192.168.7.1:8545", isMoved: false, hasState: true });
    expect(execOf(out.slice(folder.length), "oslo", UNIT)).toBe(execOf("net", "oslo", UNIT));
    expect(read(out.slice(folder.length), "oslo", "ethereum.json")).toBe(state);
  });

  test("takes it along to another address, which the network's file names from then on", async () => {
    const out = newOut();
    const network = join(net, "bonn");
    const joined = await joinNetwork({
      ...{ network, out, name: "oslo", keys: backupOfOslo(), rpc: engines() },
      address: "192.168.7.8",
    });
    expect(joined.ethereum).toMatchObject({ url: "http://192.168.7.8:8545", isMoved: true });
    expect(execOf(out.slice(folder.length), "oslo", UNIT)).toContain("--address 192.168.7.8 --port 8545");
    expect(readNetwork(network).network.ethereumUrl).toBe("http://192.168.7.8:8545");
  });

  test("is not one of the others", async () => {
    const out = newOut();
    const network = join(net, "bern");
    const { ethereum } = await joinNetwork({ network, out, name: "rome", keys: backup, rpc: engines() });
    expect(ethereum).toBeUndefined();
    expect(existsSync(join(out, "rome", "lyra-rome-ethereum.service"))).toBe(false);
  });
});

describe("a lost validator", () => {
  const rpc = () => [engineAt({ height: 5_000 }), engineAt({ height: 5_000 })];

  test("comes back with its keys and its peers' address, and signs nothing that it may have signed", async () => {
    const out = newOut();
    const joined = await joinNetwork({
      network: join(net, "oslo"),
      out,
      name: "rome",
      keys: backup,
      rpc: rpc(),
    });
    expect(joined.isNew).toBe(false);
    for (const file of ["priv_validator_key.json", "node_key.json"])
      expect(JSON.parse(read(out.slice(folder.length), "rome", "consensus", "config", file))).toEqual(
        JSON.parse(read("backup", file)),
      );
    expect(
      JSON.parse(read(out.slice(folder.length), "rome", "consensus", "data", "priv_validator_state.json")),
    ).toEqual({ height: "5003", round: 0, step: 0 });
    expect(joined.node).toMatchObject({ address: "192.168.7.3", peerPort: 26_656 });
    expect(settingsOf(out.slice(folder.length), "rome").p2p.persistent_peers.split(",")).toHaveLength(3);
  });

  test("that signs still is refused; where the network stands its last signature says nothing", async () => {
    const { address: signer } = JSON.parse(read("backup", "priv_validator_key.json"));
    const engine = engineAt({ height: 5_000, signer });
    const options = { network: join(net, "oslo"), name: "rome", keys: backup, rpc: [engine, ...rpc()] };
    const atNs = (seconds: number) => () => BigInt(Date.UTC(2026, 0, 1, 0, 0, seconds)) * 1_000_000n;
    await expect(joinNetwork({ ...options, out: newOut(), nowNs: atNs(5) })).rejects.toMatchObject({
      code: "usage",
      message: "rome signs blocks: block 5000 has its signature, so that its machine still runs",
    });
    const joined = await joinNetwork({ ...options, out: newOut(), nowNs: atNs(120) });
    expect(joined.isNew).toBe(false);
    const silent = { ...options, rpc: [engineAt({ height: 5_000, signer: "AA".repeat(20) }), ...rpc()] };
    expect((await joinNetwork({ ...silent, out: newOut(), nowNs: atNs(5) })).isNew).toBe(false);
  });

  test("without its keys is refused, and so it is with those of another validator", async () => {
    const options = { network: net, out: newOut(), name: "rome", rpc: rpc() };
    await expect(joinNetwork(options)).rejects.toMatchObject({ code: "usage" });
    const mixed = join(folder, "mixed");
    cpSync(backup, mixed, { recursive: true });
    cpSync(
      join(net, "bern", "consensus", "config", "priv_validator_key.json"),
      join(mixed, "priv_validator_key.json"),
    );
    await expect(joinNetwork({ ...options, keys: mixed })).rejects.toMatchObject({ code: "usage" });
    const wrong = join(folder, "wrong");
    mkdirSync(wrong);
    for (const file of ["validator-keys.json", "consensus/config/priv_validator_key.json"])
      cpSync(join(net, "bern", file), join(wrong, file.split("/").at(-1)!));
    await expect(joinNetwork({ ...options, keys: wrong })).rejects.toMatchObject({ code: "usage" });
  });

  test("with a damaged key file is refused in words that hold nothing of it", async () => {
    const damaged = join(folder, "damaged");
    cpSync(backup, damaged, { recursive: true });
    const secret = JSON.parse(read("backup", "priv_validator_key.json")).priv_key.value as string;
    writeFileSync(join(damaged, "priv_validator_key.json"), `${secret} {`, { mode: 0o600 });
    const error = await joinNetwork({
      network: net,
      out: newOut(),
      name: "rome",
      keys: damaged,
      rpc: rpc(),
    }).catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: "usage" });
    expect(`${(error as Error).message}`).not.toContain(secret.slice(0, 20));
  });
});
