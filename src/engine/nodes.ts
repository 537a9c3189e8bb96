/**
 * All nodes of the chain, of every status, with the indexes that other domains need. `Validators` adds
 * what happens to them.
 */

import { ED25519_KEY_BYTES, ed25519Verify } from "../crypto/ed25519.ts";
import {
  checksumAddress,
  isEthereumAddress,
  keccakOf,
  prefixedAddress,
  SECP256K1_SIGNATURE_BYTES,
  secp256k1Signer,
} from "../crypto/secp256k1.ts";
import { sha3Of } from "../crypto/sha.ts";
import type { NodeError } from "../errors/node-error.ts";
import type { Init } from "../wire/codec.ts";
import type { AnnounceNode, Signature } from "../wire/generated/commands.ts";
import type { ValidatorUpdate } from "../wire/generated/events.ts";
import { UINT32_MAX } from "../wire/limits.ts";
import { SIGNATURE_ALGORITHM, SIGNATURE_VERSION } from "../wire/transaction.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import { type GenesisValidator, invalidGenesis } from "./genesis.ts";
import type { NodeStatus, ValidatorNode, ValidatorReader } from "./ports.ts";
import type { Table } from "./state.ts";

/**
 * Voting power of a node of the genesis, and of every node as long as no node has a score
 * (docs/protocol/60-state-engine-staking.md#76-scores-at-epoch-end).
 */
export const INITIAL_POWER = 10n;

export interface NodeRecord extends ValidatorNode {
  /** Height at which it got its status. */
  readonly statusHeight: number;
  /** Height at which its ranking was last above 0; at first that of its coming. */
  readonly rankedHeight: number;
}

interface Index {
  readonly all: readonly NodeRecord[];
  readonly tendermint: readonly NodeRecord[];
  readonly byKey: ReadonlyMap<string, NodeRecord>;
  readonly power: bigint;
}

export class Nodes implements ValidatorReader {
  protected readonly records: Table<NodeRecord>;
  /** Chain events that a node has forwarded, duplicates too (docs/protocol/60-state-engine-accounts.md#32-chain-event-intake-all-kinds). */
  private readonly forwarded: Table<bigint>;
  private cached: Index | undefined;

  constructor(protected readonly core: Core) {
    this.records = core.state.table("validators.nodes");
    this.forwarded = core.state.table("validators.forwarded");
    this.records.onChange(() => {
      this.cached = undefined;
    });
  }

  node(nodeId: string): NodeRecord | undefined {
    return this.records.get(nodeId);
  }

  nodeByKey(vegaPubKey: string): NodeRecord | undefined {
    return this.index.byKey.get(vegaPubKey);
  }

  nodes(): readonly NodeRecord[] {
    return this.index.all;
  }

  tendermint(): readonly NodeRecord[] {
    return this.index.tendermint;
  }

  withStatus(status: NodeStatus): readonly NodeRecord[] {
    return this.index.all.filter((node) => node.status === status);
  }

  totalPower(): bigint {
    return this.index.power;
  }

  countForwarded(nodeId: string): void {
    if (this.records.has(nodeId)) this.forwarded.set(nodeId, this.forwardedBy(nodeId) + 1n);
  }

  forwardedBy(nodeId: string): bigint {
    return this.forwarded.get(nodeId) ?? 0n;
  }

  /**
   * A node of a checkpoint, in place of one of the genesis that has its id
   * (docs/protocol/60-state-engine-parameters.md#12-checkpoints).
   * @throws Error
   */
  restore(node: ValidatorNode, forwarded: bigint, epoch: bigint): void {
    const other = this.nodeByKey(node.vegaPubKey);
    if (other !== undefined && other.nodeId !== node.nodeId) {
      throw new Error(`validators ${other.nodeId} and ${node.nodeId} have one Vega key`);
    }
    this.add(node, epoch);
    if (forwarded > 0n) this.forwarded.set(node.nodeId, forwarded);
  }

  /** Changes members of a node's record. */
  update(nodeId: string, change: Partial<NodeRecord>): void {
    this.records.set(nodeId, { ...this.records.get(nodeId)!, ...change });
  }

  /**
   * Puts a node that is new: its ValidatorUpdate and its first ValidatorRanking
   * (docs/protocol/60-state-engine-staking.md#75-validator-set-events).
   */
  protected add(node: ValidatorNode, epoch: bigint): void {
    const height = this.core.height;
    this.records.set(node.nodeId, { ...node, statusHeight: height, rankedHeight: height });
    this.reportUpdate(node, true, epoch);
    this.core.emit("rankingEvent", {
      nodeId: node.nodeId,
      stakeScore: "0",
      performanceScore: "0",
      rankingScore: "0",
      previousStatus: "pending",
      nextStatus: node.status,
      epochSeq: epoch.toString(),
      tmVotingPower: Number(node.power),
    });
  }

  /**
   * Drops a node that has been idle for long (docs/protocol/60-state-engine-staking.md#76-scores-at-epoch-end,
   * "Removal").
   * @param epoch the one that ends
   */
  protected remove(node: ValidatorNode, epoch: bigint): void {
    this.records.delete(node.nodeId);
    this.forwarded.delete(node.nodeId);
    this.reportUpdate({ ...node, fromEpoch: epoch }, false, epoch);
  }

  private reportUpdate(node: ValidatorNode, added: boolean, epochSeq: bigint): void {
    this.core.emit("validatorUpdate", validatorMessage(node, added, epochSeq));
  }

  private get index(): Index {
    if (this.cached === undefined) {
      const all = this.records.values();
      const tendermint = all.filter(({ status }) => status === "tendermint");
      const byKey = new Map<string, NodeRecord>();
      // Of two nodes with one key the first by id has it: nothing forbids that they share one.
      for (const node of all) if (!byKey.has(node.vegaPubKey)) byKey.set(node.vegaPubKey, node);
      const power = tendermint.reduce((sum, node) => sum + node.power, 0n);
      this.cached = { all, tendermint, byKey, power };
    }
    return this.cached;
  }
}

/** The members of a ValidatorUpdate that the bus and checkpoints share. */
export function validatorMessage(
  node: ValidatorNode,
  added: boolean,
  epochSeq: bigint,
): Init<ValidatorUpdate> {
  const { nodeId, vegaPubKey, vegaPubKeyIndex, ethereumAddress, tmPubKey } = node;
  const { infoUrl, country, name, avatarUrl, fromEpoch } = node;
  return {
    ...{ nodeId, vegaPubKey, vegaPubKeyIndex, ethereumAddress, tmPubKey },
    ...{ infoUrl, country, name, avatarUrl, fromEpoch, added, epochSeq },
  };
}

// Validators as a genesis document gives them (docs/protocol/60-state-engine-parameters.md#111-keys): checked, and as
// the chain keeps them.

const KEY = /^[0-9a-f]{64}$/;

/** @param key under which the document has it: its consensus key @throws NodeError `genesis_invalid` */
export function genesisNode(key: string, given: GenesisValidator): ValidatorNode {
  if (typeof given !== "object" || given === null) throw invalidValidator(key, "it must be an object");
  const { id, vega_pub_key, vega_pub_key_index = 1, ethereum_address, tm_pub_key } = given;
  if (!KEY.test(id)) throw invalidValidator(key, "id must be 64 lower-case hexadecimal digits");
  if (!KEY.test(vega_pub_key))
    throw invalidValidator(key, "vega_pub_key must be 64 lower-case hexadecimal digits");
  if (typeof ethereum_address !== "string" || !isEthereumAddress(ethereum_address)) {
    throw invalidValidator(key, "ethereum_address must be an Ethereum address");
  }
  if (typeof tm_pub_key !== "string" || Buffer.from(tm_pub_key, "base64").length !== ED25519_KEY_BYTES) {
    throw invalidValidator(key, `tm_pub_key must be ${ED25519_KEY_BYTES} bytes in base64`);
  }
  if (!Number.isInteger(vega_pub_key_index) || vega_pub_key_index < 0 || vega_pub_key_index > UINT32_MAX) {
    throw invalidValidator(key, "vega_pub_key_index must be a whole number of 32 bits");
  }
  for (const name of ["info_url", "country", "name", "avatar_url"] as const) {
    const text: unknown = given[name] ?? "";
    if (typeof text !== "string" || !text.isWellFormed())
      throw invalidValidator(key, `${name} must be a text in UTF-8`);
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
    // Given or not, both are ignored in a genesis (docs/protocol/60-state-engine-staking.md#75-validator-set-events).
    fromEpoch: 0n,
    submitterAddress: "",
    status: "tendermint",
    power: INITIAL_POWER,
  };
}

export function invalidValidator(key: string, reason: string): NodeError {
  return invalidGenesis(`validator '${key.slice(0, 64)}': ${reason}`);
}

// Announcement of a node that wants to become a validator (docs/protocol/60-state-engine-staking.md#93-announce-node):
// what it signs, and the checks.

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

// Checks of the two signatures that a node gives with its announcement and its heartbeats, and of the one for a new
// Ethereum key (docs/protocol/60-state-engine-staking.md#77-heartbeats, #92-ethereum-key-rotation and #93-announce-node).

/** @throws CommandError unless `key` signed the digest of `text` */
export function checkVegaSignature(key: string, text: string, signature: Signature | undefined): void {
  if (signature?.algo !== SIGNATURE_ALGORITHM || signature.version !== SIGNATURE_VERSION) {
    throw new CommandError("unsupported algorithm of the vega signature");
  }
  const bytes = bytesOf(signature.value);
  const keyBytes = bytesOf(key);
  const isGood =
    bytes !== undefined &&
    keyBytes?.length === ED25519_KEY_BYTES &&
    ed25519Verify(keyBytes, sha3Of(Buffer.from(text, "utf8")), bytes);
  if (!isGood) throw new CommandError("invalid vega signature");
}

/** @throws CommandError unless the holder of `address` signed the Keccak digest of `text` */
export function checkEthereumSignature(
  address: string,
  text: string,
  signature: Signature | undefined,
): void {
  const bytes = bytesOf(signature?.value ?? "");
  const signer = bytes && secp256k1Signer(keccakOf(Buffer.from(text, "utf8")), withPlainV(bytes));
  if (signer === undefined || signer.toLowerCase() !== prefixedAddress(address).toLowerCase()) {
    throw new CommandError("invalid ethereum signature");
  }
}

/** Wallets write 27 and 28 in place of 0 and 1 (docs/protocol/60-state-engine-staking.md#92-ethereum-key-rotation). */
function withPlainV(signature: Uint8Array): Uint8Array {
  const v = signature[SECP256K1_SIGNATURE_BYTES - 1];
  if (v !== 27 && v !== 28) return signature;
  const plain = Uint8Array.from(signature);
  plain[SECP256K1_SIGNATURE_BYTES - 1] = v - 27;
  return plain;
}

/** Bytes of a hexadecimal text, with or without 0x. */
function bytesOf(text: string): Uint8Array | undefined {
  const digits = text.replace(/^0x/, "");
  return /^(?:[0-9a-fA-F]{2})*$/.test(digits) ? new Uint8Array(Buffer.from(digits, "hex")) : undefined;
}
