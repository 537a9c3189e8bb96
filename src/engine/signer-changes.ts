/**
 * Changes of the multisig contract's signers that validators sign (reference 60, section 9.5): prepared when a
 * validator is promoted, demoted or rotates its Ethereum key, and issued to whoever wants to submit them.
 */
import { bridgeDigest } from "../crypto/multisig.ts";
import { checksumAddress, isEthereumAddress } from "../crypto/secp256k1.ts";
import { sha3HexOf } from "../crypto/sha3.ts";
import { type IssueSignatures, NodeSignatureKind } from "../wire/generated/commands.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { NotaryPort } from "./ports.ts";
import { type Cell, compare, type Table } from "./state/state.ts";

export type SignerAction = "add" | "remove";

/** One change that the contract has not seen yet. */
export interface PendingSignerChange {
  readonly nodeId: string;
  readonly action: SignerAction;
  /** As the node's record has it. */
  readonly address: string;
  readonly nonce: bigint;
  readonly epoch: bigint;
  /** Those that it was issued to. */
  readonly submitters: readonly string[];
}

export interface SignerOfNode {
  readonly nodeId: string;
  readonly address: string;
}

export class SignerChanges {
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
  prepare(action: SignerAction, nodes: readonly SignerOfNode[], epoch: bigint, seconds: bigint): void {
    for (const { nodeId, address } of [...nodes].sort((a, b) => compare(a.address, b.address))) {
      const last = this.lastNonce.get();
      // A nonce is good once on the contract: several blocks in one second must not share it.
      const nonce = (last > seconds ? last : seconds) + 1n;
      this.lastNonce.set(nonce);
      this.pending.set(keyOf(address), { nodeId, action, address, nonce, epoch, submitters: [] });
    }
  }

  /** Issues a prepared change to a submitter; nothing the second time. */
  issue(address: string, submitter: string): void {
    const change = this.pending.get(keyOf(address));
    if (change === undefined || change.submitters.includes(submitter)) return;
    const submitters = [...change.submitters, submitter].sort(compare);
    this.pending.set(keyOf(address), { ...change, submitters });
    if (change.action === "add") this.issueAddition(change, submitter);
    else this.issueRemoval(change, submitter);
  }

  /** The IssueSignatures command. @throws CommandError */
  issueSignatures({ submitter, kind, validatorNodeId }: IssueSignatures): void {
    if (!isEthereumAddress(submitter)) throw new CommandError("invalid ethereum address of the submitter");
    const action = ACTIONS.get(kind);
    if (action === undefined) throw new CommandError("unexpected node-signature kind");
    const changes = this.pending
      .values()
      .filter((change) => change.nodeId === validatorNodeId && change.action === action);
    if (changes.length === 0) throw new CommandError("there are no pending signatures for the given nodeID");
    for (const { address } of changes) this.issue(address, checksumAddress(submitter));
  }

  /** Forgets what the contract has already. Once a block (section 1.4, step 8). */
  dropReflected(): void {
    for (const [key, { action }] of this.pending.entries()) {
      if (this.isSigner(key) === (action === "add")) this.pending.delete(key);
    }
  }

  /** By address. For views. */
  list(): readonly PendingSignerChange[] {
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
    this.notary.start(signatureId, kind, Buffer.from(digest).toString("hex"));
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
    this.notary.start(signatureId, kind, Buffer.from(digest).toString("hex"));
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
