// Rotation of a node's Vega key (reference 60, section 9.1): announced by its master key, done when the chain begins
// the block that was named.
import { sha3HexOf } from "../crypto/sha3.ts";
import type { KeyRotateSubmission } from "../wire/generated/commands.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { Nodes } from "./nodes.ts";
import type { Table } from "./state/state.ts";

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
  submit({ newPubKey, newPubKeyIndex, targetBlock, currentPubKeyHash }: KeyRotateSubmission): void {
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

  /** What is announced, by node id. For checkpoints. */
  announced(): readonly (readonly [nodeId: string, rotation: PendingRotation])[] {
    return this.pending.entries();
  }

  /** As it was announced before the chain began anew. */
  restore(nodeId: string, { target, newKey, newIndex }: PendingRotation): void {
    this.pending.set(nodeId, { target, newKey, newIndex });
  }

  /** A key that is none would lock the node out, and one of another node would let it speak for that one. */
  private checkNewKey(key: string): void {
    if (!/^[0-9a-f]{64}$/.test(key)) throw new CommandError("new vega public key is not a valid public key");
    const isPending = this.pending.values().some(({ newKey }) => newKey === key);
    if (isPending || this.nodes.nodeByKey(key) !== undefined) {
      throw new CommandError("new vega public key is already used by a node");
    }
  }

  forget(nodeId: string): void {
    this.pending.delete(nodeId);
  }
}
