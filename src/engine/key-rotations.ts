// Rotation of a node's Vega key (docs/protocol/60-state-engine-staking.md#91-vega-key-rotation): announced by its
// master key, done when the chain begins the block that was named.

import { checksumAddress, prefixedAddress } from "../crypto/secp256k1.ts";
import { sha3HexOf } from "../crypto/sha.ts";
import type { EthereumKeyRotateSubmission, KeyRotateSubmission } from "../wire/generated/commands.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { Multisig } from "./multisig.ts";
import { checkEthereumSignature, type Nodes } from "./nodes.ts";
import type { EpochReader } from "./ports.ts";
import type { Table } from "./state.ts";

interface PendingRotation {
  readonly target: bigint;
  readonly newKey: string;
  readonly newIndex: number;
}

export class KeyRotations {
  /** By node id. */
  private readonly pending: Table<PendingRotation>;

  constructor(
    private readonly core: Core,
    private readonly nodes: Nodes,
  ) {
    this.pending = core.state.table("validators.rotations");
  }

  /** The KeyRotateSubmission command; it is signed by the node's id, which is a key. @throws CommandError */
  submitRotation({ newPubKey, newPubKeyIndex, targetBlock, currentPubKeyHash }: KeyRotateSubmission): void {
    const node = this.nodes.node(this.core.currentTx.party);
    if (node === undefined) throw new CommandError("node signature not signed with validator master key");
    if (this.pending.has(node.nodeId)) throw new CommandError("node already has a pending key rotation");
    // The block in hand has begun already: as a target it would never come (docs/compatibility.md).
    if (targetBlock <= BigInt(this.core.height)) {
      throw new CommandError("target block height must be greater then current block");
    }
    if (newPubKeyIndex <= node.vegaPubKeyIndex) {
      throw new CommandError("a new vega public key index must be greather then current public key index");
    }
    if (currentPubKeyHash !== sha3HexOf(Buffer.from(node.vegaPubKey, "hex"))) {
      throw new CommandError("current public key hash does not match");
    }
    this.checkNewKey(newPubKey);
    this.pending.set(node.nodeId, { target: targetBlock, newKey: newPubKey, newIndex: newPubKeyIndex });
  }

  /** Rotations due at this height, by node id. @param onRotated is told before the event: votes follow the key */
  onBeginBlock(onRotated: (oldKey: string, newKey: string) => void): void {
    for (const [nodeId, { target, newKey, newIndex }] of this.pending.entries()) {
      if (target > BigInt(this.core.height)) continue;
      this.pending.delete(nodeId);
      const oldKey = this.nodes.node(nodeId)!.vegaPubKey;
      this.nodes.update(nodeId, { vegaPubKey: newKey, vegaPubKeyIndex: newIndex });
      onRotated(oldKey, newKey);
      this.core.emit("keyRotation", { nodeId, oldPubKey: oldKey, newPubKey: newKey, blockHeight: target });
    }
  }

  /** Announced rotations, by node id. For checkpoints. */
  announced(): readonly (readonly [nodeId: string, rotation: PendingRotation])[] {
    return this.pending.entries();
  }

  /** As it was announced before the chain restarted. */
  restore(nodeId: string, { target, newKey, newIndex }: PendingRotation): void {
    this.pending.set(nodeId, { target, newKey, newIndex });
  }

  /** An invalid key would lock the node out; the key of another node would let it speak for that one. */
  private checkNewKey(key: string): void {
    if (!/^[0-9a-f]{64}$/.test(key)) throw new CommandError("new vega public key is not a valid public key");
    const isPending = this.pending.values().some(({ newKey }) => newKey === key);
    if (isPending || this.nodes.nodeByKey(key) !== undefined) {
      throw new CommandError("new vega public key is already used by a node");
    }
  }

  cancel(nodeId: string): void {
    this.pending.delete(nodeId);
  }
}

// Rotation of a node's Ethereum key (docs/protocol/60-state-engine-staking.md#92-ethereum-key-rotation): the new key
// signs; a validator's old one leaves the multisig contract and its new one joins it.

interface PendingEthereumRotation {
  readonly target: bigint;
  readonly newAddress: string;
  /** Empty when none was given. */
  readonly submitter: string;
}

/** A rotation that the contract does not know of yet. */
interface Unresolved {
  readonly oldAddress: string;
  readonly newAddress: string;
}

export class EthereumKeyRotations {
  /** By node id, both. */
  private readonly pending: Table<PendingEthereumRotation>;
  private readonly unresolved: Table<Unresolved>;

  constructor(
    private readonly core: Core,
    private readonly epochs: EpochReader,
    private readonly nodes: Nodes,
  ) {
    this.pending = core.state.table("validators.ethereum.rotations");
    this.unresolved = core.state.table("validators.ethereum.unresolved");
  }

  /**
   * The EthereumKeyRotateSubmission command, signed by the node's Vega key.
   * @param seconds see `SignerChanges.prepare`
   * @throws CommandError
   */
  submitRotation(payload: EthereumKeyRotateSubmission, signers: Multisig, seconds: bigint): void {
    const { targetBlock, currentAddress, submitterAddress, ethereumSignature } = payload;
    const newAddress = prefixedAddress(payload.newAddress);
    const node = this.nodes.nodeByKey(this.core.currentTx.party);
    if (node === undefined) throw new CommandError("ethereum key rotation is not from a validator");
    const { nodeId, ethereumAddress, status } = node;
    if (this.pending.has(nodeId)) throw new CommandError("node already has a pending key rotation");
    if (this.unresolved.has(nodeId)) {
      throw new CommandError(
        "ethereum keys from a previous rotation have not been resolved on the multisig control contract",
      );
    }
    if (targetBlock <= BigInt(this.core.height)) {
      throw new CommandError("target block height must be greater then current block");
    }
    if (currentAddress !== ethereumAddress) throw new CommandError("current Ethereum address does not match");
    if (newAddress.toLowerCase() === currentAddress.toLowerCase()) {
      throw new CommandError("new Ethereum address cannot be the same as the previous Ethereum address");
    }
    const text = `${currentAddress}${payload.newAddress}${targetBlock}`;
    checkEthereumSignature(newAddress, text, ethereumSignature);
    const submitter = submitterAddress === "" ? "" : checksumAddress(submitterAddress);
    this.pending.set(nodeId, { target: targetBlock, newAddress, submitter });
    if (status === "tendermint") this.change("remove", nodeId, ethereumAddress, submitter, signers, seconds);
  }

  /** Rotations due at this height, by node id; those before them that the contract has followed are done. */
  onBeginBlock(signers: Multisig, seconds: bigint): void {
    for (const [nodeId, { oldAddress, newAddress }] of this.unresolved.entries()) {
      if (signers.isSigner(newAddress) && !signers.isSigner(oldAddress)) this.unresolved.delete(nodeId);
    }
    for (const [nodeId, { target, newAddress, submitter }] of this.pending.entries()) {
      if (target > BigInt(this.core.height)) continue;
      this.pending.delete(nodeId);
      const { ethereumAddress: oldAddress, status } = this.nodes.node(nodeId)!;
      this.nodes.update(nodeId, { ethereumAddress: newAddress });
      this.core.emit("ethereumKeyRotation", { nodeId, oldAddress, newAddress, blockHeight: target });
      if (status !== "tendermint") continue;
      this.unresolved.set(nodeId, { oldAddress, newAddress });
      this.change("add", nodeId, newAddress, submitter, signers, seconds);
    }
  }

  /** Announced rotations, by node id. For checkpoints. */
  announced(): readonly (readonly [nodeId: string, rotation: PendingEthereumRotation])[] {
    return this.pending.entries();
  }

  /** As it was announced before the chain restarted. */
  restore(nodeId: string, { target, newAddress, submitter }: PendingEthereumRotation): void {
    this.pending.set(nodeId, { target, newAddress, submitter });
  }

  cancel(nodeId: string): void {
    this.pending.delete(nodeId);
    this.unresolved.delete(nodeId);
  }

  private change(
    action: "add" | "remove",
    nodeId: string,
    address: string,
    submitter: string,
    signers: Multisig,
    seconds: bigint,
  ): void {
    signers.changes.prepareChanges(action, [{ nodeId, address }], this.epochs.current.seq, seconds);
    if (submitter !== "") signers.changes.issueChanges(action, nodeId, submitter);
  }
}
