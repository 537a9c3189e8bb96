// Announcement of a node that wants to become a validator (reference 60, section 9.3): what it signs, and the checks.
import { ED25519_KEY_BYTES } from "../crypto/ed25519.ts";
import { checksumAddress, isEthereumAddress } from "../crypto/secp256k1.ts";
import type { AnnounceNode } from "../wire/generated/commands.ts";
import { CommandError } from "./errors.ts";
import { checkEthereumSignature, checkVegaSignature } from "./node-signatures.ts";
import type { ValidatorNode } from "./ports.ts";

/** The text that both keys sign: all fields of the announcement, one after the other. */
export function announcementText(payload: AnnounceNode): string {
  const { id, vegaPubKey, vegaPubKeyIndex, chainPubKey, ethereumAddress, fromEpoch } = payload;
  const { infoUrl, name, avatarUrl, country } = payload;
  const keys = [id, vegaPubKey, vegaPubKeyIndex, chainPubKey, checksumAddress(ethereumAddress), fromEpoch];
  return [...keys, infoUrl, name, avatarUrl, country].join("");
}

/** The node that an announcement brings, pending. @throws CommandError when it is incomplete or a signature is wrong */
export function announcedNode(payload: AnnounceNode): ValidatorNode {
  const { id, vegaPubKey, vegaPubKeyIndex, chainPubKey, ethereumAddress, fromEpoch } = payload;
  const { infoUrl, name, avatarUrl, country, submitterAddress } = payload;
  const texts = [id, vegaPubKey, chainPubKey, ethereumAddress, infoUrl, name, avatarUrl, country];
  if (texts.includes("") || vegaPubKeyIndex === 0 || fromEpoch === 0n) {
    throw new CommandError("missing required announce node fields");
  }
  if (!isEthereumAddress(ethereumAddress)) throw new CommandError("invalid ethereum address");
  const key = Buffer.from(chainPubKey, "base64");
  if (key.length !== ED25519_KEY_BYTES || key.toString("base64") !== chainPubKey) {
    throw new CommandError("invalid blockchain public key");
  }
  const text = announcementText(payload);
  checkVegaSignature(vegaPubKey, text, payload.vegaSignature);
  checkEthereumSignature(ethereumAddress, text, payload.ethereumSignature);
  return {
    nodeId: id,
    vegaPubKey,
    vegaPubKeyIndex,
    ethereumAddress: checksumAddress(ethereumAddress),
    tmPubKey: chainPubKey,
    infoUrl,
    country,
    name,
    avatarUrl,
    fromEpoch,
    submitterAddress: submitterAddress === "" ? "" : checksumAddress(submitterAddress),
    status: "pending",
    power: 0n,
  };
}
