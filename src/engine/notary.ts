/**
 * Signatures of validators for actions of the Ethereum bridge
 * (docs/protocol/60-state-engine-accounts.md#44-signature-aggregation-notary). Enough is counted by heads, not by
 * power. Once enough have signed the bundle is out and stays good, even when validators join or leave later.
 */
import { secp256k1Signer } from "../crypto/secp256k1.ts";
import { compare } from "../wire/arithmetic.ts";
import type { NodeSignature } from "../wire/generated/commands.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { NotaryPort, ParameterReader, ValidatorNode, ValidatorReader } from "./ports.ts";
import type { Table } from "./state.ts";
import { isRequiredShare } from "./witness.ts";

interface Signed {
  readonly nodeId: string;
  /** 65 bytes in hex. */
  readonly sig: string;
}

/** A digest to be signed, with the signatures so far. */
interface Aggregate {
  readonly resource: string;
  /** vega.commands.v1.NodeSignatureKind */
  readonly kind: number;
  /** 32 bytes in hex. */
  readonly digest: string;
  /** By node id. */
  readonly signatures: readonly Signed[];
  /** Node ids that were asked and have not signed. */
  readonly unsigned: readonly string[];
  readonly complete: boolean;
}

/** A signature that a node owes. */
interface PendingSignature {
  readonly resource: string;
  readonly kind: number;
  readonly digest: string;
}

export class Notary implements NotaryPort {
  private readonly aggregates: Table<Aggregate>;
  /** Keys of resources that still need signatures; derived. */
  private readonly incomplete = new Set<string>();
  /** Node id → keys of resources it must sign; derived. */
  private readonly owed = new Map<string, Set<string>>();

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    private readonly validators: ValidatorReader,
  ) {
    this.aggregates = core.state.table("notary.aggregates");
    this.aggregates.onChange((key, before, now) => this.index(key, before, now));
  }

  /** Requests every validator's signature; repeating a request has no effect. */
  requestSignatures(resource: string, kind: number, digest: string): void {
    const key = keyOf(resource, kind);
    if (this.aggregates.has(key)) return;
    const unsigned = this.validators.nodes().filter(isSigner);
    this.aggregates.set(key, {
      resource,
      kind,
      digest,
      signatures: [],
      unsigned: unsigned.map(({ nodeId }) => nodeId),
      complete: false,
    });
  }

  isComplete(resource: string, kind: number): boolean {
    return this.aggregates.get(keyOf(resource, kind))?.complete ?? false;
  }

  /** Signatures that this node owes, in a fixed order. */
  owedSignatures(nodeId: string): readonly PendingSignature[] {
    const node = this.validators.node(nodeId);
    if (node === undefined || !isSigner(node)) return [];
    const keys = new Set(this.owed.get(nodeId));
    // A node that joined later helps with incomplete aggregates.
    for (const key of this.incomplete) {
      if (!this.aggregates.get(key)!.signatures.some((signed) => signed.nodeId === nodeId)) keys.add(key);
    }
    return [...keys].sort(compare).map((key) => {
      const { resource, kind, digest } = this.aggregates.get(key)!;
      return { resource, kind, digest };
    });
  }

  /** The NodeSignature command of the transaction in hand. @throws CommandError */
  nodeSignature({ id, kind, sig }: NodeSignature): void {
    const node = this.validators.nodeByKey(this.core.currentTx.party);
    if (node === undefined) throw new CommandError("not a validator signature");
    const aggregate = this.aggregates.get(keyOf(id, kind));
    if (aggregate === undefined) throw new CommandError("unknown resource ID");
    const signer = secp256k1Signer(Buffer.from(aggregate.digest, "hex"), sig);
    if (signer === undefined || signer.toLowerCase() !== node.ethereumAddress.toLowerCase()) {
      throw new CommandError("invalid signature");
    }
    this.add(aggregate, { nodeId: node.nodeId, sig: sig.toHex() });
  }

  /**
   * docs/protocol/60-state-engine-blocks.md#15-tick-listener-order-exact, #11: what has become complete because
   * validators or the parameter changed.
   */
  onTick(): void {
    for (const key of [...this.incomplete].sort(compare)) {
      const aggregate = this.aggregates.get(key)!;
      if (this.isEnough(aggregate.signatures)) this.publish({ ...aggregate, complete: true });
    }
  }

  private add(aggregate: Aggregate, signed: Signed): void {
    const others = aggregate.signatures.filter(({ nodeId }) => nodeId !== signed.nodeId);
    const signatures = [...others, signed].sort((a, b) => compare(a.nodeId, b.nodeId));
    const complete = aggregate.complete || this.isEnough(signatures);
    const unsigned = aggregate.unsigned.filter((nodeId) => nodeId !== signed.nodeId);
    const next = { ...aggregate, signatures, unsigned, complete };
    if (complete) this.publish(next);
    else this.aggregates.set(keyOf(next.resource, next.kind), next);
  }

  /** Every known signature goes out, each time. */
  private publish(aggregate: Aggregate): void {
    const { resource: id, kind, signatures } = aggregate;
    this.aggregates.set(keyOf(id, kind), aggregate);
    const heads = this.heads();
    for (const { nodeId, sig } of signatures) {
      if (heads.has(nodeId)) this.core.emit("nodeSignature", { id, sig: Buffer.from(sig, "hex"), kind });
    }
  }

  private isEnough(signatures: readonly Signed[]): boolean {
    const heads = this.heads();
    const count = signatures.filter(({ nodeId }) => heads.has(nodeId)).length;
    return isRequiredShare(BigInt(count), BigInt(heads.size), this.params);
  }

  private heads(): ReadonlySet<string> {
    return new Set(this.validators.tendermint().map(({ nodeId }) => nodeId));
  }

  private index(key: string, before: Aggregate | undefined, now: Aggregate | undefined): void {
    if (now !== undefined && !now.complete) this.incomplete.add(key);
    else this.incomplete.delete(key);
    for (const nodeId of before?.unsigned ?? []) this.owed.get(nodeId)?.delete(key);
    for (const nodeId of now?.unsigned ?? []) {
      const keys = this.owed.get(nodeId) ?? new Set();
      keys.add(key);
      this.owed.set(nodeId, keys);
    }
  }
}

function keyOf(resource: string, kind: number): string {
  return `${resource}/${kind}`;
}

function isSigner({ status }: ValidatorNode): boolean {
  return status !== "pending";
}
