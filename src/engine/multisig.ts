/**
 * The multisig contract as the chain sees it (docs/protocol/60-state-engine-staking.md#94-multisig-contract-view):
 * chain events that validators have looked at take effect in the tick after that, because this engine ticks before the
 * witness.
 */

import { bridgeDigest } from "../crypto/multisig.ts";
import { checksumAddress, isEthereumAddress } from "../crypto/secp256k1.ts";
import { sha3HexOf } from "../crypto/sha.ts";
import type { CommandText } from "../errors/result-codes.ts";
import { compare } from "../wire/arithmetic.ts";
import type { Init } from "../wire/codec.ts";
import { type IssueSignatures, NodeSignatureKind, NodeVoteType } from "../wire/generated/commands.ts";
import {
  type ERC20MultiSigSignerEvent,
  ERC20MultiSigSignerEventType,
  type ERC20MultiSigThresholdSetEvent,
} from "../wire/generated/events.ts";
import type { ERC20MultiSigEvent } from "../wire/generated/vega.ts";
import { hexOf } from "../wire/identifiers.ts";
import { SECOND_NS } from "../wire/time-text.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { NotaryPort, WitnessPort } from "./ports.ts";
import type { Cell, Table } from "./state.ts";

/** Time that validators have to look at an event: as for stake (docs/protocol/60-state-engine-staking.md#71-stake-linking). */
const WITNESS_NS = 21n * 24n * 3_600n * SECOND_NS;
const SIGNER_KIND = "multisig-signer";
const THRESHOLD_KIND = "multisig-threshold";

interface ContractEvent {
  readonly id: string;
  readonly nonce: string;
  /** Unix seconds. */
  readonly blockTime: bigint;
  readonly txHash: string;
  readonly logIndex: bigint;
  readonly block: bigint;
}

export interface SignerEvent extends ContractEvent {
  readonly action: SignerAction;
  /** Checksummed. */
  readonly signer: string;
}

export interface ThresholdEvent extends ContractEvent {
  readonly threshold: number;
}

export class Multisig {
  readonly changes: SignerChanges;
  /** The latest event of each signer, by address. */
  private readonly latest: Table<SignerEvent>;
  private readonly latestThreshold: Cell<ThresholdEvent | undefined>;
  /** Believed, and waiting for the next tick; by id. */
  private readonly verifiedSigners: Table<SignerEvent>;
  private readonly verifiedThresholds: Table<ThresholdEvent>;
  /** Digests of events that were seen. */
  private readonly seen: Table<true>;

  constructor(
    private readonly core: Core,
    private readonly witness: WitnessPort,
    notary: NotaryPort,
  ) {
    this.latest = core.state.table("multisig.signers");
    this.latestThreshold = core.state.cell<ThresholdEvent | undefined>("multisig.threshold", undefined);
    this.verifiedSigners = core.state.table("multisig.verified.signers");
    this.verifiedThresholds = core.state.table("multisig.verified.thresholds");
    this.seen = core.state.table("multisig.seen");
    this.changes = new SignerChanges(core, notary, (address) => this.isSigner(address));
    witness.onOutcome<SignerEvent>(SIGNER_KIND, (id, event, accepted) => {
      if (accepted) this.verifiedSigners.set(id, event);
    });
    witness.onOutcome<ThresholdEvent>(THRESHOLD_KIND, (id, event, accepted) => {
      if (accepted) this.verifiedThresholds.set(id, event);
    });
  }

  /** Whether the contract has this signer; the address is compared without case. */
  isSigner(address: string): boolean {
    return this.latest.get(checksumAddress(address))?.action === "add";
  }

  /** Checksummed, in order. */
  signers(): readonly string[] {
    return this.latest
      .values()
      .filter(({ action }) => action === "add")
      .map(({ signer }) => signer);
  }

  /** Thousandths of the signers that must be surpassed; 0 until it is known. */
  threshold(): number {
    return this.latestThreshold.get()?.threshold ?? 0;
  }

  /**
   * A chain event of the contract; its transaction's id becomes the event's.
   * @param ethereumTx hash of the Ethereum transaction, from the chain event's `tx_id`
   * @throws CommandError
   */
  processEvent(event: ERC20MultiSigEvent, ethereumTx: string): void {
    const { signerAdded, signerRemoved, thresholdSet } = event;
    if (signerAdded !== undefined) {
      this.openSigner("add", signerAdded.newSigner, signerAdded, event, ethereumTx);
    } else if (signerRemoved !== undefined) {
      this.openSigner("remove", signerRemoved.oldSigner, signerRemoved, event, ethereumTx);
    } else if (thresholdSet !== undefined) {
      const threshold = thresholdSet.newThreshold;
      // The contract takes thousandths above 0 and up to all of them.
      if (threshold < 1 || threshold > 1000) throw new CommandError("invalid threshold");
      const change = { ...this.eventOf(thresholdSet, event, ethereumTx), threshold };
      this.remember(`threshold/${threshold}`, change, "duplicated threshold event");
      this.start(THRESHOLD_KIND, NodeVoteType.TYPE_SIGNER_THRESHOLD_SET, change);
    } else {
      throw new CommandError("unsupported erc20 multisig event");
    }
  }

  /** Whether the next tick has something to take over. */
  hasVerified(): boolean {
    return this.verifiedSigners.size > 0 || this.verifiedThresholds.size > 0;
  }

  /** Tick 4 of docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact: events that the witness accepted in the block before. */
  onTick(): void {
    for (const [id, event] of this.verifiedThresholds.entries()) {
      this.verifiedThresholds.delete(id);
      this.applyThreshold(event);
    }
    for (const [id, event] of this.verifiedSigners.entries()) {
      this.verifiedSigners.delete(id);
      this.applySigner(event);
    }
  }

  /** The contract as it is known, for checkpoints: each signer's latest event, and the threshold's. */
  known(): { readonly signers: readonly SignerEvent[]; readonly threshold: ThresholdEvent | undefined } {
    return { signers: this.latest.values(), threshold: this.latestThreshold.get() };
  }

  /** Restores the contract of a checkpoint. */
  restore(signers: readonly SignerEvent[], threshold: ThresholdEvent | undefined): void {
    if (threshold !== undefined) {
      this.remember(`threshold/${threshold.threshold}`, threshold, "duplicated threshold event");
      this.applyThreshold(threshold);
    }
    for (const event of signers) {
      this.remember(`${event.action}/${event.signer}`, event, "duplicated signer event");
      this.applySigner(event);
    }
  }

  private openSigner(
    action: SignerAction,
    signer: string,
    details: { nonce: string; blockTime: bigint },
    event: ERC20MultiSigEvent,
    ethereumTx: string,
  ): void {
    if (!isEthereumAddress(signer)) throw new CommandError("invalid ethereum address of the signer");
    const change = { ...this.eventOf(details, event, ethereumTx), action, signer: checksumAddress(signer) };
    this.remember(`${action}/${change.signer}`, change, "duplicated signer event");
    const { TYPE_SIGNER_ADDED, TYPE_SIGNER_REMOVED } = NodeVoteType;
    this.start(SIGNER_KIND, action === "add" ? TYPE_SIGNER_ADDED : TYPE_SIGNER_REMOVED, change);
  }

  private eventOf(
    { nonce, blockTime }: { nonce: string; blockTime: bigint },
    { block, index }: ERC20MultiSigEvent,
    txHash: string,
  ): ContractEvent {
    return { id: this.core.currentTx.id, nonce, blockTime, txHash, logIndex: index, block };
  }

  /** @throws CommandError for an event that was forwarded before, by any validator */
  private remember(
    title: string,
    { nonce, blockTime, txHash, logIndex, block }: ContractEvent,
    error: CommandText,
  ): void {
    const text = [title, nonce, blockTime, txHash, logIndex, block].join("/");
    const digest = sha3HexOf(Buffer.from(text, "utf8"));
    if (this.seen.has(digest)) throw new CommandError(error);
    this.seen.set(digest, true);
  }

  private start(kind: string, voteType: number, payload: ContractEvent): void {
    this.witness.requestVotes({
      id: payload.id,
      kind,
      voteType,
      deadlineNs: this.core.nowNs + WITNESS_NS,
      payload,
    });
  }

  private applySigner(event: SignerEvent): void {
    const before = this.latest.get(event.signer);
    if (before === undefined || isLater(event, before)) this.latest.set(event.signer, event);
    this.core.emit("erc20MultisigSignerEvent", signerMessage(event));
  }

  private applyThreshold(event: ThresholdEvent): void {
    const before = this.latestThreshold.get();
    if (before === undefined || isLater(event, before)) this.latestThreshold.set(event);
    this.core.emit("erc20MultisigSetThresholdEvent", thresholdMessage(event));
  }
}

/** Whether one event is the later on Ethereum: by block time, and within a block by its log. */
function isLater(event: ContractEvent, before: ContractEvent): boolean {
  if (event.blockTime !== before.blockTime) return event.blockTime > before.blockTime;
  if (event.block !== before.block) return event.block > before.block;
  return event.logIndex > before.logIndex;
}

/** As the bus and checkpoints write it. */
export function signerMessage(event: SignerEvent): Init<ERC20MultiSigSignerEvent> {
  const { TYPE_ADDED, TYPE_REMOVED } = ERC20MultiSigSignerEventType;
  return {
    id: event.id,
    type: event.action === "add" ? TYPE_ADDED : TYPE_REMOVED,
    signer: event.signer,
    nonce: event.nonce,
    blockTime: event.blockTime,
    txHash: event.txHash,
    logIndex: event.logIndex,
    blockNumber: event.block,
  };
}

export function thresholdMessage(event: ThresholdEvent): Init<ERC20MultiSigThresholdSetEvent> {
  return {
    id: event.id,
    newThreshold: event.threshold,
    nonce: event.nonce,
    blockTime: event.blockTime,
    txHash: event.txHash,
    logIndex: event.logIndex,
    blockNumber: event.block,
  };
}

// Changes of the multisig contract's signers that validators sign
// (docs/protocol/60-state-engine-staking.md#95-signer-change-signatures): prepared when a validator is promoted,
// demoted or rotates its Ethereum key, and issued to those that want to submit them.

type SignerAction = "add" | "remove";

/** A change that the contract has not seen yet. */
interface PendingSignerChange {
  readonly nodeId: string;
  readonly action: SignerAction;
  /** As the node's record has it. */
  readonly address: string;
  readonly nonce: bigint;
  readonly epoch: bigint;
  /** Those that it was issued to. */
  readonly submitters: readonly string[];
}

interface SignerOfNode {
  readonly nodeId: string;
  readonly address: string;
}

class SignerChanges {
  /** By Ethereum address, checksummed. */
  private readonly pending: Table<PendingSignerChange>;
  private readonly lastNonce: Cell<bigint>;

  constructor(
    private readonly core: Core,
    private readonly notary: NotaryPort,
    private readonly isSigner: (address: string) => boolean,
  ) {
    this.pending = core.state.table("multisig.pending");
    this.lastNonce = core.state.cell("multisig.nonce", 0n);
  }

  /**
   * Prepares changes, by address; a former one of the same address is replaced.
   * @param seconds when the last block began, as the validators saw it, Unix seconds: nonces follow it
   */
  prepareChanges(action: SignerAction, nodes: readonly SignerOfNode[], epoch: bigint, seconds: bigint): void {
    for (const { nodeId, address } of [...nodes].sort((a, b) => compare(a.address, b.address))) {
      const last = this.lastNonce.get();
      // A nonce is good once on the contract: several blocks in one second must not share it.
      const nonce = (last > seconds ? last : seconds) + 1n;
      this.lastNonce.set(nonce);
      this.pending.set(keyOf(address), { nodeId, action, address, nonce, epoch, submitters: [] });
    }
  }

  /**
   * Issues a node's prepared changes to a submitter, each once: there are several when the contract has two of its
   * addresses. @returns whether there are any
   */
  issueChanges(action: SignerAction, nodeId: string, submitter: string): boolean {
    const changes = this.pending
      .entries()
      .filter(([, change]) => change.nodeId === nodeId && change.action === action);
    for (const [key, change] of changes) {
      if (change.submitters.includes(submitter)) continue;
      this.pending.set(key, { ...change, submitters: [...change.submitters, submitter].sort(compare) });
      if (action === "add") this.issueAddition(change, submitter);
      else this.issueRemoval(change, submitter);
    }
    return changes.length > 0;
  }

  /** The IssueSignatures command. @throws CommandError */
  issueSignatures({ submitter, kind, validatorNodeId }: IssueSignatures): void {
    if (!isEthereumAddress(submitter)) throw new CommandError("invalid ethereum address of the submitter");
    const action = ACTIONS.get(kind);
    if (action === undefined) throw new CommandError("unexpected node-signature kind");
    if (!this.issueChanges(action, validatorNodeId, checksumAddress(submitter))) {
      throw new CommandError("there are no pending signatures for the given nodeID");
    }
  }

  /** Drops changes that the contract has already. Once a block (docs/protocol/60-state-engine-blocks.md#14-beginblock-order, step 8). */
  dropReflected(): void {
    for (const [key, { action }] of this.pending.entries()) {
      if (this.isSigner(key) === (action === "add")) this.pending.delete(key);
    }
  }

  /** By address. For views. */
  pendingChanges(): readonly PendingSignerChange[] {
    return this.pending.values();
  }

  private issueAddition({ nodeId, address, nonce, epoch }: PendingSignerChange, submitter: string): void {
    const signatureId = sha3HexOf(Buffer.from(`${submitter}${nonce}`, "utf8"));
    this.core.emit("erc20MultisigSignerAdded", {
      signatureId,
      validatorId: nodeId,
      timestamp: this.core.nowNs,
      newSigner: address,
      submitter,
      nonce: nonce.toString(),
      epochSeq: epoch.toString(),
    });
    const digest = bridgeDigest("add_signer", { signer: address, nonce }, submitter);
    const kind = NodeSignatureKind.NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED;
    this.notary.requestSignatures(signatureId, kind, hexOf(digest));
  }

  private issueRemoval({ nodeId, address, nonce, epoch }: PendingSignerChange, submitter: string): void {
    const signatureId = sha3HexOf(Buffer.from(`${address}${submitter}${nonce}`, "utf8"));
    this.core.emit("erc20MultisigSignerRemoved", {
      signatureSubmitters: [{ signatureId, submitter }],
      validatorId: nodeId,
      timestamp: this.core.nowNs,
      oldSigner: address,
      nonce: nonce.toString(),
      epochSeq: epoch.toString(),
    });
    const digest = bridgeDigest("remove_signer", { signer: address, nonce }, submitter);
    const kind = NodeSignatureKind.NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_REMOVED;
    this.notary.requestSignatures(signatureId, kind, hexOf(digest));
  }
}

const ACTIONS: ReadonlyMap<number, SignerAction> = new Map([
  [NodeSignatureKind.NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_ADDED, "add"],
  [NodeSignatureKind.NODE_SIGNATURE_KIND_ERC20_MULTISIG_SIGNER_REMOVED, "remove"],
]);

/** Addresses are compared without regard to their case (docs/compatibility.md). */
function keyOf(address: string): string {
  return checksumAddress(address);
}
