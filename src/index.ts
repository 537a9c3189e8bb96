// Lyra as a library: a node in the caller's process.
import type { Devnet, DevnetConfig } from "./devnet/devnet.ts";
import { startNode } from "./start-node.ts";

export type { Devnet, DevnetConfig } from "./devnet/devnet.ts";
export { DEVNET_RECOVERY_PHRASE, type DevnetParty } from "./devnet/keys.ts";
export { PartyClient, type SendOptions, type SentTransaction } from "./devnet/party-client.ts";
export type { BlockMode, BridgePort, ChainStatus, DevnetPort, TxOutcome } from "./engine/chain-port.ts";
export type { DataNodeConfig } from "./node/config.ts";
export type { Sidecar } from "./node/sidecar.ts";
export type { SidecarNodeConfig } from "./node/sidecar-config.ts";
export type { DataNode } from "./node/start.ts";
export { type RunningNode, startNode } from "./start-node.ts";

/** Starts a devnet in this process, on free ports unless told. @throws NodeError */
export function createDevnet(config: Omit<DevnetConfig, "kind"> = {}): Promise<Devnet> {
  return startNode({ ...config, kind: "devnet" });
}
