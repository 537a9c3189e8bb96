// Validators as a genesis document gives them (reference 60, section 11.1): checked, and as the chain keeps them.
import { ED25519_KEY_BYTES } from "../crypto/ed25519.ts";
import { isEthereumAddress, prefixedAddress } from "../crypto/secp256k1.ts";
import { NodeError } from "../errors/node-error.ts";
import { UINT32_MAX } from "../wire/limits.ts";
import type { GenesisValidator } from "./genesis.ts";
import { INITIAL_POWER } from "./nodes.ts";
import type { ValidatorNode } from "./ports.ts";

const KEY = /^[0-9a-f]{64}$/;

/** @param key under which the document has it: its consensus key @throws NodeError `genesis_invalid` */
export function genesisNode(key: string, given: GenesisValidator): ValidatorNode {
  if (typeof given !== "object" || given === null) throw invalidGenesis(key, "it must be an object");
  const { id, vega_pub_key, vega_pub_key_index = 1, ethereum_address, tm_pub_key } = given;
  if (!KEY.test(id)) throw invalidGenesis(key, "id must be 64 lower-case hexadecimal digits");
  if (!KEY.test(vega_pub_key))
    throw invalidGenesis(key, "vega_pub_key must be 64 lower-case hexadecimal digits");
  if (typeof ethereum_address !== "string" || !isEthereumAddress(ethereum_address)) {
    throw invalidGenesis(key, "ethereum_address must be an Ethereum address");
  }
  if (typeof tm_pub_key !== "string" || Buffer.from(tm_pub_key, "base64").length !== ED25519_KEY_BYTES) {
    throw invalidGenesis(key, `tm_pub_key must be ${ED25519_KEY_BYTES} bytes in base64`);
  }
  if (!Number.isInteger(vega_pub_key_index) || vega_pub_key_index < 0 || vega_pub_key_index > UINT32_MAX) {
    throw invalidGenesis(key, "vega_pub_key_index must be a whole number of 32 bits");
  }
  for (const name of ["info_url", "country", "name", "avatar_url"] as const) {
    const text: unknown = given[name] ?? "";
    if (typeof text !== "string" || !text.isWellFormed())
      throw invalidGenesis(key, `${name} must be a text in UTF-8`);
  }
  return {
    nodeId: id,
    vegaPubKey: vega_pub_key,
    vegaPubKeyIndex: vega_pub_key_index,
    ethereumAddress: prefixedAddress(ethereum_address),
    tmPubKey: tm_pub_key,
    infoUrl: given.info_url ?? "",
    country: given.country ?? "",
    name: given.name ?? "",
    avatarUrl: given.avatar_url ?? "",
    // Given or not, both are ignored in a genesis (section 7.5).
    fromEpoch: 0n,
    submitterAddress: "",
    status: "tendermint",
    power: INITIAL_POWER,
  };
}

export function invalidGenesis(key: string, reason: string): NodeError {
  const place = `validator '${key.slice(0, 64)}'`;
  return new NodeError(
    "engine.genesis",
    "genesis_invalid",
    `the genesis document cannot be used: ${place}: ${reason}`,
  );
}
