/**
 * A validator's own keys in a file beside its consensus engine's (priv_validator_key.json): the recovery phrase of its node's
 * wallet, from which the master key, the keys that sign its transactions and the bridge's Ethereum keys follow, and the
 * public parts of what the genesis has. The file is not encrypted, as the engine's is not: a validator starts again without
 * a person to type a passphrase. It is readable for its user alone, and refused otherwise.
 */

import { statSync } from "node:fs";
import { ethereumAddress } from "../crypto/secp256k1.ts";
import { sha3Of } from "../crypto/sha.ts";
import { NodeWallet, seedOfPhrase } from "../devnet/keys.ts";
import type { Genesis } from "../engine/genesis.ts";
import { genesisNode } from "../engine/nodes.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { writeFileWhole } from "../files/whole-file.ts";
import { hexOf } from "../wire/identifiers.ts";

const VERSION = 1;
const FILE_BYTES_MAX = 16 * 1024;
/** Reading or writing by others than its user. */
const OTHERS = 0o077;

/** The public parts of a validator's keys, as they are when its node begins. */
export interface ValidatorIdentity {
  readonly nodeId: string;
  readonly vegaPublicKey: string;
  readonly ethereumAddress: string;
  /** Of the consensus engine, base64. */
  readonly consensusPublicKey: string;
}

/** The chain that keys are for. */
interface KeysChain {
  readonly chainId: string;
  /** As `Genesis.hash`. */
  readonly genesisHash: string;
}

/** Keys that follow from a recovery phrase. */
export class OwnKeys extends NodeWallet {
  private readonly seed: Uint8Array;

  /** @param recoveryPhrase of the node's wallet @param consensusPublicKey base64 */
  constructor(
    private readonly recoveryPhrase: string,
    readonly consensusPublicKey: string,
  ) {
    const seed = seedOfPhrase(recoveryPhrase);
    super(seed);
    this.seed = seed;
  }

  /** The 32-byte secret of an Ethereum key. @param index from 1; the next one after each rotation */
  ethereum(index: number): Uint8Array {
    return sha3Of(Buffer.concat([Buffer.from(`lyra validator ethereum ${index}\u0000`, "utf8"), this.seed]));
  }

  get identity(): ValidatorIdentity {
    return {
      nodeId: this.nodeId,
      vegaPublicKey: hexOf(this.vega(1).publicKey),
      ethereumAddress: ethereumAddress(this.ethereum(1)),
      consensusPublicKey: this.consensusPublicKey,
    };
  }

  /** Writes the file whole, for this user alone. @throws Error of the disk */
  write(path: string, { chainId, genesisHash }: KeysChain): void {
    const { recoveryPhrase, identity } = this;
    const document = { version: VERSION, chainId, genesisHash, ...identity, recoveryPhrase };
    writeFileWhole(path, `${JSON.stringify(document, undefined, 2)}\n`);
  }
}

/** Keys of a file, for the chain of this genesis. @throws NodeError `keys_exposed`, `keys_unreadable`, `keys_differ` */
export function readKeys(path: string, genesis: Genesis): OwnKeys {
  const { chain, keys } = parsedKeys(path);
  const { chainId, hash } = genesis;
  if (chain.chainId !== chainId || chain.genesisHash !== hash)
    throw differ(
      path,
      chain.chainId === chainId
        ? `they were made for another chain ${chainId}: its genesis differs`
        : otherChain(chain, chainId),
    );
  checkIdentity(path, keys, genesis);
  return keys;
}

/** Keys of a file, for a chain of this name; whether its genesis is the same is not known here. @throws as `readKeys` */
export function readKeysOf(path: string, chainId: string): OwnKeys {
  const { chain, keys } = parsedKeys(path);
  if (chain.chainId === chainId) return keys;
  throw differ(path, otherChain(chain, chainId));
}

const otherChain = (chain: KeysChain, chainId: string) =>
  `they were made for the chain ${chain.chainId.slice(0, 60)}, and this one is ${chainId}`;

function parsedKeys(path: string): { readonly chain: KeysChain; readonly keys: OwnKeys } {
  let text: string;
  try {
    // Of the file itself, where the path is a link.
    const stats = statSync(path);
    if (stats.isFile() && (stats.mode & OTHERS) !== 0)
      throw new NodeError(
        "validator.keys",
        "keys_exposed",
        `other users may read or write the validator's keys in ${path}`,
        `chmod 600 ${path}; if they may have been read, rotate them`,
      );
    text = readShortText(path, FILE_BYTES_MAX);
  } catch (error) {
    throw error instanceof NodeError ? error : unreadable(path, reasonOf(error));
  }
  // No reason of the parser: it could quote the phrase.
  const document = parsedObject(text);
  if (document === undefined) throw unreadable(path, "it is not a JSON object");
  if ("priv_key" in document) throw unreadable(path, "it is a key of the consensus engine", OTHER_FILE);
  if (document.recoveryPhrase === undefined && document.version === undefined)
    throw unreadable(path, "it is not a file of a validator's keys", OTHER_FILE);
  if (document.version !== VERSION) throw unreadable(path, `its version is not ${VERSION}`);
  const { recoveryPhrase, consensusPublicKey, chainId, genesisHash } = document;
  for (const member of [recoveryPhrase, consensusPublicKey, chainId, genesisHash])
    if (typeof member !== "string") throw unreadable(path, "a member is missing");
  const keys = new OwnKeys(String(recoveryPhrase), String(consensusPublicKey));
  for (const [name, value] of Object.entries(keys.identity))
    if (document[name] !== value)
      throw unreadable(path, `its ${name} does not follow from its recovery phrase`);
  return { chain: { chainId: String(chainId), genesisHash: String(genesisHash) }, keys };
}

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A node that the genesis does not have may be announced later; one that it has must have these keys. */
function checkIdentity(path: string, keys: OwnKeys, genesis: Genesis): void {
  const own = keys.identity;
  for (const [key, given] of Object.entries(genesis.appState.validators ?? {})) {
    const node = genesisNode(key, given);
    const pairs = [
      ["Vega key", node.vegaPubKey, hexOf(keys.vega(node.vegaPubKeyIndex).publicKey)],
      ["Ethereum address", node.ethereumAddress.toLowerCase(), own.ethereumAddress.toLowerCase()],
      ["consensus key", node.tmPubKey, own.consensusPublicKey],
    ] as const;
    const isSame = node.nodeId === own.nodeId;
    const wrong = pairs.find(([, theirs, ours]) => (theirs === ours) !== isSame);
    if (wrong === undefined) continue;
    throw differ(
      path,
      isSame
        ? `the genesis has another ${wrong[0]} for the validator ${node.nodeId}`
        : `their ${wrong[0]} is that of another validator in the genesis, ${node.nodeId}`,
    );
  }
}

function differ(path: string, reason: string): NodeError {
  return new NodeError(
    "validator.keys",
    "keys_differ",
    `the keys in ${path} do not belong to this chain: ${reason}`,
    "give the file that was written with the network's genesis",
  );
}

const OTHER_FILE = "give the file validator-keys.json of the validator's folder, or of its backup";

function unreadable(path: string, reason: string, hint = "restore the file from its backup"): NodeError {
  return new NodeError(
    "validator.keys",
    "keys_unreadable",
    `the validator's keys ${path} cannot be read: ${reason}`,
    hint,
  );
}
