// The consensus engine's config.toml of a validator on a machine of its own: what differs from the engine's defaults.
import { type MempoolLimits, SEQUENCER_LIMITS } from "../chain/options.ts";
import { hostPort } from "./addresses.ts";
import { type NetworkFile, type NetworkNode, nearness, peersOf, rpcHostOf } from "./network.ts";

/** `{ consensus: { timeout_commit: '"200ms"' } }`: values as they stand in the file. */
export type Settings = Readonly<Record<string, Readonly<Record<string, string>>>>;

const text = (value: string) => JSON.stringify(value);

/** Of every network, on one machine or several. */
export const COMMON_SETTINGS = {
  rpc: {
    // A transaction of 1 MiB in base64.
    max_body_bytes: "1500000",
  },
  p2p: { flush_throttle_timeout: text("10ms") },
  consensus: { peer_gossip_sleep_duration: text("10ms") },
  tx_index: {
    // Lyra has rows of its own.
    indexer: text("null"),
  },
} as const satisfies Settings;

const CACHE_SIZE_USUAL = 10_000;

/** The engine's mempool for that of the chain. */
export function mempoolSettings(limits: MempoolLimits = {}): Settings {
  const usual = SEQUENCER_LIMITS;
  const { mempoolTxsMax: txs, mempoolBytesMax: bytes } = { ...usual, ...limits };
  // Validators' work comes beside what the chain counts.
  const size = txs + Math.max(txs, usual.mempoolTxsMax);
  return {
    mempool: {
      // Above the chain's own limits, so that none is dropped between two looks of the engine at its size.
      size: String(size),
      max_txs_bytes: String(bytes + Math.max(bytes, usual.mempoolBytesMax)),
      cache_size: String(Math.max(CACHE_SIZE_USUAL, size)),
      // Answers that come later leave transactions unchecked.
      recheck_timeout: text("5s"),
    },
  };
}

/** Of an engine that takes the state from others. @param servers RPC of two others */
export function statesyncSettings(
  servers: readonly string[],
  trusted: { readonly height: number; readonly hash: string },
): Settings {
  return {
    statesync: {
      enable: "true",
      rpc_servers: text(servers.join(",")),
      trust_height: String(trusted.height),
      trust_hash: text(trusted.hash.toUpperCase()),
      trust_period: text("168h0m0s"),
      discovery_time: text("5s"),
    },
  };
}

/** Where the engine dials the chain, as its settings name it. @param abci `unix:PATH` or `tcp://HOST:PORT` */
export const proxyApp = (abci: string): string => text(abci.replace(/^unix:/, "unix://"));

/** Words of `lyra validator`. */
export function mempoolWords({ mempoolTxsMax, mempoolBytesMax }: MempoolLimits): string[] {
  return [
    ...(mempoolTxsMax === undefined ? [] : ["--mempool-size", String(mempoolTxsMax)]),
    ...(mempoolBytesMax === undefined ? [] : ["--mempool-max-txs-bytes", String(mempoolBytesMax)]),
  ];
}

interface NodeSettings {
  /** Where the engine dials. */
  readonly abci: string;
  readonly mempool?: MempoolLimits;
  /** Of this node alone. */
  readonly more: Settings;
}

export function settingsText(
  node: NetworkNode,
  network: NetworkFile,
  { abci, mempool, more }: NodeSettings,
): string {
  const { isShared, isPublic } = nearness(network);
  const settings: Settings = {
    "": {
      proxy_app: proxyApp(abci),
      moniker: text(node.name),
    },
    rpc: { ...COMMON_SETTINGS.rpc, laddr: text(`tcp://${hostPort(rpcHostOf(node), node.rpcPort)}`) },
    p2p: {
      ...COMMON_SETTINGS.p2p,
      laddr: text(`tcp://${hostPort(node.address.includes(":") ? "::" : "0.0.0.0", node.peerPort)}`),
      external_address: text(hostPort(node.address, node.peerPort)),
      persistent_peers: text(peersOf(network, node)),
      // Without it a partition of minutes heals after hours.
      persistent_peers_max_dial_period: text(isShared ? "2s" : "30s"),
      // Strict: addresses that the internet does not route are not dialled.
      addr_book_strict: String(isPublic),
      allow_duplicate_ip: String(isShared),
      pex: String(!isShared),
      send_rate: "20480000",
      recv_rate: "20480000",
      max_packet_msg_payload_size: "16384",
    },
    ...mempoolSettings(mempool),
    consensus: {
      ...COMMON_SETTINGS.consensus,
      timeout_commit: text(network.pace),
      // The state's hash differs from block to block, so blocks come anyway.
      create_empty_blocks: "true",
    },
    storage: {
      // Sidecars that follow by RPC read results.
      discard_abci_responses: "false",
    },
    tx_index: COMMON_SETTINGS.tx_index,
  };
  const sections = [...new Set([...Object.keys(settings), ...Object.keys(more)])];
  const lines = sections.map((section) => {
    const members = { ...settings[section], ...more[section] };
    const pairs = Object.entries(members).map(([key, value]) => `${key} = ${value}`);
    return [...(section === "" ? [] : [`[${section}]`]), ...pairs].join("\n");
  });
  return `# What differs from the defaults of CometBFT 0.38. Written by lyra testnet files.\n${lines.join("\n\n")}\n`;
}
