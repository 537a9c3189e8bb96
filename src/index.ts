// Lyra as a library: a devnet in the process of whoever needs one.

export type { BlockMode, BridgePort, ChainStatus, DevnetPort, TxOutcome } from "./engine/chain-port.ts";
export { createDevnet, type Devnet, type DevnetOptions } from "./node/devnet.ts";
export { DEVNET_RECOVERY_PHRASE, type DevnetParty } from "./node/devnet-keys.ts";
export { PartyClient, type SendOptions, type SentTransaction } from "./node/party-client.ts";
