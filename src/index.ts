// Lyra as a library: a node in the caller's process.
import type { Devnet, DevnetConfig } from "./devnet/devnet.ts";
import { NodeError } from "./errors/node-error.ts";
import { type OptionNames, unknownOption } from "./errors/options.ts";
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

const DEVNET_OPTIONS: OptionNames<Omit<DevnetConfig, "kind">> = {
  home: true,
  genesis: true,
  validatorKeys: true,
  checkpoint: true,
  accounts: true,
  recoveryPhrase: true,
  chainId: true,
  toolsAllow: true,
  parameters: true,
  genesisTimeNs: true,
  eventsTo: true,
  eventsLossy: true,
  onEventsLine: true,
  mode: true,
  host: true,
  dataPort: true,
  nodePort: true,
  faucetPort: true,
  cometPort: true,
  grpcNodePort: true,
  grpcDataPort: true,
  fund: true,
  limits: true,
  thread: true,
  rules: true,
  record: true,
  seed: true,
  balance: true,
  nowNs: true,
  isTemporary: true,
  outbox: true,
  keepTexts: true,
  segmentLength: true,
  checkTransaction: true,
  onHalt: true,
  onStanding: true,
  onOutcome: true,
  onProblem: true,
};

/** Starts a devnet in this process, on free ports unless told. @throws NodeError */
export async function createDevnet(config: Omit<DevnetConfig, "kind"> = {}): Promise<Devnet> {
  const wrong = unknownOption(config, Object.keys(DEVNET_OPTIONS));
  if (wrong) throw new NodeError("devnet", "usage", wrong.message, wrong.hint);
  return startNode({ ...config, kind: "devnet" });
}
