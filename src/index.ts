// Lyra as a library: a devnet in the process of whoever needs one.

export { createDevnet, type Devnet, type DevnetOptions } from "./devnet/devnet.ts";
export { DEVNET_RECOVERY_PHRASE, type DevnetParty } from "./devnet/keys.ts";
export { PartyClient, type SendOptions, type SentTransaction } from "./devnet/party-client.ts";
export type { BlockMode, BridgePort, ChainStatus, DevnetPort, TxOutcome } from "./engine/chain-port.ts";
