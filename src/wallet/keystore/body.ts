// What stands encrypted in a Lyra wallet file: what is public as JSON, and behind it the secrets as bytes. So no
// secret ever is a text, and all of them can be wiped.
//
//   length of the JSON (4 bytes) | JSON | node (64 bytes, none where isolated) | seed of each key (32 bytes)
import { ED25519_SEED_BYTES } from "../../crypto/ed25519.ts";
import { secretCopy } from "../../crypto/secrets.ts";
import { SLIP10_NODE_BYTES } from "../../crypto/slip10.ts";
import { walletDamaged } from "../errors.ts";
import { checkKeyVersion, checkWallet, type WalletData } from "../keys/wallet-data.ts";
import {
  hex64Of,
  indexOf,
  listOf,
  membersOf,
  metadataOf,
  parseMembers,
  permissionsFrom,
  sortedByHostname,
  taintOf,
} from "./members.ts";

const LENGTH_BYTES = 4;

/** The bytes to encrypt; they hold secrets, and the caller wipes them. */
export function encodeBody({ version, id, node, keys, permissions }: WalletData): Uint8Array {
  const json = JSON.stringify({
    version,
    id,
    isolated: node === undefined,
    keys: keys.map(({ index, publicKey, metadata, isTainted }) => ({
      index,
      publicKey,
      metadata,
      tainted: isTainted,
    })),
    permissions: Object.fromEntries(sortedByHostname(permissions)),
  });
  const jsonBytes = Buffer.byteLength(json);
  const secrets = [...(node === undefined ? [] : [node]), ...keys.map(({ seed }) => seed)];
  const secretBytes = secrets.reduce((sum, { length }) => sum + length, 0);
  const body = Buffer.alloc(LENGTH_BYTES + jsonBytes + secretBytes);
  body.writeUInt32BE(jsonBytes);
  let place = LENGTH_BYTES + body.write(json, LENGTH_BYTES);
  for (const secret of secrets) {
    body.set(secret, place);
    place += secret.length;
  }
  return body;
}

/** @param bytes decrypted; the wallet has copies of its secrets, and the caller wipes these */
export function decodeBody(bytes: Uint8Array): WalletData {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const jsonBytes = body.length < LENGTH_BYTES ? 0 : body.readUInt32BE();
  let place = LENGTH_BYTES + jsonBytes;
  if (place > body.length) throw walletDamaged("its content has no end");
  const take = (length: number): Uint8Array => {
    const secret = secretCopy(body.subarray(place, (place += length)));
    if (secret.length !== length) throw walletDamaged("its content has no end");
    return secret;
  };
  const members = parseMembers(body.toString("utf8", LENGTH_BYTES, place));
  const node = members.isolated === true ? undefined : take(SLIP10_NODE_BYTES);
  const keys = listOf(members.keys, "the list of keys").map((value) => {
    const { index, publicKey, metadata, tainted } = membersOf(value, "a key");
    return {
      index: indexOf(index),
      publicKey: hex64Of(publicKey, "a public key"),
      seed: take(ED25519_SEED_BYTES),
      metadata: metadataOf(metadata),
      isTainted: taintOf(tainted),
    };
  });
  if (place !== body.length) throw walletDamaged("there is something behind its content");
  return checkWallet({
    version: checkKeyVersion(members.version),
    id: hex64Of(members.id, "the wallet's identifier"),
    node,
    keys,
    permissions: permissionsFrom(members.permissions, keys),
  });
}
