// Validators' work beside trading: checkpoints, snapshots, keys, the multisig contract, upgrades
// (docs/protocol/60-state-engine-blocks.md#18-endblock-and-commit,
// docs/protocol/60-state-engine-staking.md#9-validator-operations and
// docs/protocol/60-state-engine-parameters.md#12-checkpoints).
import { NodeSignatureKind } from "../../src/wire/generated/commands.ts";
import {
  ERC20MultiSigSignerEventType,
  ProtocolUpgradeProposalStatus,
} from "../../src/wire/generated/events.ts";
import type { Banking } from "./banking.ts";
import { SUBMITTER, VALIDATORS, type Validator } from "./cast.ts";
import type { Epochs } from "./epochs.ts";
import { CHECKPOINT_INTERVAL, SNAPSHOT_INTERVAL_BLOCKS } from "./genesis.ts";
import { addressOf, idOf } from "./seeded.ts";
import { GENESIS_NS, Step, type World } from "./world.ts";

const CORE_VERSION = "v0.71.6";

export class Network {
  private nextCheckpoint = GENESIS_NS + CHECKPOINT_INTERVAL.ns;
  private nonce = 0n;

  constructor(
    private readonly world: World,
    private readonly epochs: Epochs,
  ) {
    world.every(Step.commit, () => this.commit());
  }

  private commit(): void {
    const { world } = this;
    if (this.nextCheckpoint <= world.now) {
      this.checkpoint();
      this.nextCheckpoint = world.now + CHECKPOINT_INTERVAL.ns;
    }
    if (world.height % SNAPSHOT_INTERVAL_BLOCKS !== 0) return;
    world.emit({
      coreSnapshotEvent: {
        blockHeight: BigInt(world.height),
        blockHash: world.blockHash.toLowerCase(),
        coreVersion: CORE_VERSION,
      },
    });
  }

  checkpoint(): void {
    const { world } = this;
    const blockHeight = BigInt(world.height);
    world.emit({ checkpoint: { hash: world.newId("checkpoint"), blockHash: world.blockHash, blockHeight } });
  }

  /** The multisig contract as the chain first sees it: all validators, two of three. */
  seeMultisig(height: number): void {
    const { world } = this;
    world.at(height, Step.stake, () => {
      for (const node of VALIDATORS) this.tellSigner(node.ethereumAddress, true);
      const id = world.newId("multisig event");
      world.emit({
        erc20MultisigSetThresholdEvent: { ...this.ethereumEvent(id), id, newThreshold: 667, nonce: "4" },
      });
    });
  }

  private tellSigner(signer: string, isAdded: boolean): void {
    const id = this.world.newId("multisig event");
    const type = isAdded
      ? ERC20MultiSigSignerEventType.TYPE_ADDED
      : ERC20MultiSigSignerEventType.TYPE_REMOVED;
    const nonce = String(++this.nonce);
    this.world.emit({ erc20MultisigSignerEvent: { ...this.ethereumEvent(id), id, type, signer, nonce } });
  }

  private ethereumEvent(id: string) {
    return {
      blockTime: this.world.secondsAt(this.world.height) - 30n,
      txHash: `0x${idOf("ethereum transaction", id)}`,
      logIndex: 1n,
      blockNumber: 20_999_990n,
    };
  }

  rotateKey(height: number, node: Validator, target: number): void {
    const newPubKey = idOf("node key", node.name, node.pubKeyIndex + 1);
    const keyRotateSubmission = {
      newPubKeyIndex: node.pubKeyIndex + 1,
      targetBlock: BigInt(target),
      newPubKey,
      currentPubKeyHash: new Bun.CryptoHasher("sha3-256")
        .update(Buffer.from(node.pubKey, "hex"))
        .digest("hex"),
    };
    this.world.transaction(height, { party: node.id, command: { keyRotateSubmission } }, () => {});
    this.world.at(target, Step.keys, () => {
      this.world.emit({
        keyRotation: { nodeId: node.id, oldPubKey: node.pubKey, newPubKey, blockHeight: BigInt(target) },
      });
      node.pubKey = newPubKey;
      node.pubKeyIndex++;
    });
  }

  /**
   * A new Ethereum key: the contract must drop the old signer and take the new one
   * (docs/protocol/60-state-engine-staking.md#92-ethereum-key-rotation and #95-signer-change-signatures).
   */
  rotateEthereumKey(banking: Banking, height: number, node: Validator, target: number): void {
    const { world } = this;
    const oldAddress = node.ethereumAddress;
    const newAddress = addressOf("node", node.name, 2);
    const targetBlock = BigInt(target);
    const ethereumKeyRotateSubmission = {
      targetBlock,
      newAddress,
      currentAddress: oldAddress,
      submitterAddress: SUBMITTER,
      ethereumSignature: { value: idOf("key rotation", node.name), algo: "eth", version: 1 },
    };
    world.transaction(height, { party: node.pubKey, command: { ethereumKeyRotateSubmission } }, () => {
      const nonce = String(world.secondsAt(height) + 1n);
      const signatureId = sha3(oldAddress + SUBMITTER + nonce);
      const signatureSubmitters = [{ signatureId, submitter: SUBMITTER }];
      world.emit({
        erc20MultisigSignerRemoved: {
          ...this.signerChange(node, nonce),
          signatureSubmitters,
          oldSigner: oldAddress,
        },
      });
      banking.sign(
        height + 1,
        signatureId,
        NodeSignatureKind.NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_REMOVED,
      );
    });
    world.at(target, Step.keys, () => {
      world.emit({
        ethereumKeyRotation: { nodeId: node.id, oldAddress, newAddress, blockHeight: targetBlock },
      });
      node.ethereumAddress = newAddress;
      const nonce = String(world.secondsAt(target) + 1n);
      const signatureId = sha3(SUBMITTER + nonce);
      world.emit({
        erc20MultisigSignerAdded: {
          ...this.signerChange(node, nonce),
          signatureId,
          newSigner: newAddress,
          submitter: SUBMITTER,
        },
      });
      banking.sign(
        target + 1,
        signatureId,
        NodeSignatureKind.NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED,
      );
    });
    world.at(target + 30, Step.stake, () => {
      this.tellSigner(oldAddress, false);
      this.tellSigner(newAddress, true);
    });
  }

  private signerChange(node: Validator, nonce: string) {
    return { validatorId: node.id, timestamp: this.world.now, nonce, epochSeq: String(this.epochs.seq) };
  }

  /** A validator asks for an upgrade and takes it back later. */
  proposeUpgrade(
    height: number,
    node: Validator,
    tag: string,
    upgradeHeight: number,
    withdrawn: number,
  ): void {
    const protocolUpgradeProposal = { upgradeBlockHeight: BigInt(upgradeHeight), vegaReleaseTag: tag };
    const tell = (at: number, approvers: string[], status: number, releaseTag: string) =>
      this.world.transaction(
        at,
        {
          party: node.pubKey,
          command: { protocolUpgradeProposal: { ...protocolUpgradeProposal, vegaReleaseTag: releaseTag } },
        },
        () => this.world.emit({ protocolUpgradeEvent: { ...protocolUpgradeProposal, approvers, status } }),
      );
    const S = ProtocolUpgradeProposalStatus;
    tell(height, [node.pubKey], S.PROTOCOL_UPGRADE_PROPOSAL_STATUS_PENDING, tag);
    tell(withdrawn, [], S.PROTOCOL_UPGRADE_PROPOSAL_STATUS_REJECTED, CORE_VERSION);
  }
}

function sha3(text: string): string {
  return new Bun.CryptoHasher("sha3-256").update(text).digest("hex");
}
