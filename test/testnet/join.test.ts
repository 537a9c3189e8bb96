// A further node of a network on several machines, and a validator whose machine was lost.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readGenesis } from "../../src/engine/genesis.ts";
import { joinNetwork } from "../../src/testnet/join.ts";
import { writeMachines } from "../../src/testnet/machines.ts";
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
}

/** As much of an engine's RPC as is asked. */
function engineAt({
  height,
  hashDigit = "A",
  chainId = "lyra-testnet",
  isBehind = false,
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
    expect(joined).toMatchObject({ isNew: true, trusted: { height: 3_990, hash: "A".repeat(64) } });
    const { statesync, p2p } = settingsOf(out.slice(folder.length), "kyiv");
    expect(statesync).toMatchObject({
      ...{ enable: true, rpc_servers: rpc.join(","), trust_height: 3_990, trust_hash: "A".repeat(64) },
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
