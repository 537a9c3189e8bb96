/**
 * The validators of a devnet: the agent holds their keys and does their work. After each block the agent asks the chain
 * what every validator owes (votes, signatures, heartbeats;
 * docs/protocol/60-state-engine-accounts.md#33-builtin-deposit-flow, #44-signature-aggregation-notary and
 * docs/protocol/60-state-engine-staking.md#77-heartbeats) and answers with real signed transactions; and it brings what
 * happened on Ethereum. It votes only for what it has seen there.
 *
 * Two runs of the same chain make the same bytes: the nonces count, and the count is saved with the chain.
 */

import type { ChainPart } from "../chain/options.ts";
import type { Ed25519KeyPair } from "../crypto/ed25519.ts";
import { bundleSignatures } from "../crypto/multisig.ts";
import { ethereumAddress, secp256k1Sign } from "../crypto/secp256k1.ts";
import type { Duty, ValidatorNode } from "../engine/ports.ts";
import { NodeError } from "../errors/node-error.ts";
import type { Init } from "../wire/codec.ts";
import type { ChainEvent } from "../wire/generated/commands.ts";
import { hexOf } from "../wire/identifiers.ts";
import {
  type CommandInit,
  encodeCommand,
  rootId,
  serializeTransaction,
  signTransaction,
} from "../wire/transaction.ts";
import { nodeSignatures } from "./node-signatures.ts";

/** Secrets of a validator, and of the keys that follow after each rotation. */
export interface AgentKeys {
  readonly nodeId: string;
  readonly master: Ed25519KeyPair;
  /** The key that signs its transactions. @param index from 1 */
  vega(index: number): Ed25519KeyPair;
  /** The 32-byte secret of an Ethereum key. @param index from 1 */
  ethereum(index: number): Uint8Array;
}

/** The agent's view of the chain. */
export interface AgentView {
  readonly chainId: string;
  readonly height: number;
  /** Time of the last block, Unix nanoseconds. */
  readonly timeNs: bigint;
  node(nodeId: string): Pick<ValidatorNode, "vegaPubKey" | "vegaPubKeyIndex" | "ethereumAddress"> | undefined;
  duties(nodeId: string): readonly Duty[];
}

/** The agent's view of Ethereum. */
interface Witnessed {
  confirms(id: string, voteType: number): boolean;
  openVote(id: string, voteType: number | undefined): void;
  closeVote(id: string): void;
  pending(): readonly string[];
}

interface SignedEvent {
  readonly bytes: Uint8Array;
  /** The first identifier of what it creates: a deposit's, a linking's. */
  readonly id: string;
}

/**
 * An answer that is not seen on the chain by then is sent again
 * (docs/protocol/60-state-engine-accounts.md#44-signature-aggregation-notary).
 */
const RESEND_NS = 10_000_000_000n;
/** Ethereum keys of a validator that are tried, the first and those after rotations. */
const ROTATIONS_MAX = 32;

interface Sent {
  readonly timeNs: bigint;
  readonly height: number;
}

export class ValidatorAgent implements ChainPart {
  readonly name = "validator-agent";
  private nonce = 0n;
  /** Answers on their way, by node and duty: of this process only, for a mempool is lost with it. */
  private sent = new Map<string, Sent>();
  /** Resources that were voted on: their votes are closed once the chain asks no more. */
  private voted = new Set<string>();

  constructor(
    private readonly view: AgentView,
    private readonly ethereum: Witnessed,
    private readonly validators: readonly AgentKeys[],
    /**
     * Whether the proposed asset of this proposal is what its contract says
     * (docs/protocol/60-state-engine-governance.md#53-new-asset-proposal-rules).
     */
    private readonly isAssetValid: (proposal: string) => boolean,
  ) {}

  /** Transactions for everything that is owed now and not on its way, in a fixed order. */
  answerDuties(): Uint8Array[] {
    const open = new Set<string>();
    const transactions = this.validators.flatMap((keys) => {
      const node = this.view.node(keys.nodeId);
      if (node === undefined) return [];
      return this.view.duties(keys.nodeId).flatMap((duty) => {
        const key = `${keys.nodeId} ${nameOf(duty)}`;
        open.add(key);
        if (duty.kind === "vote") open.add(duty.reference);
        if (this.isOnItsWay(key)) return [];
        const command = this.answerDuty(duty, keys, node.ethereumAddress);
        if (command === undefined) return [];
        if (duty.kind === "vote") this.voted.add(duty.reference);
        this.sent.set(key, { timeNs: this.view.timeNs, height: this.view.height });
        return [this.sign(command, this.keyOf(keys, node)).bytes];
      });
    });
    for (const key of [...this.sent.keys()]) if (!open.has(key)) this.sent.delete(key);
    for (const id of [...this.voted]) {
      if (open.has(id)) continue;
      this.voted.delete(id);
      this.ethereum.closeVote(id);
    }
    return transactions;
  }

  /** Whether every vote for this id has been given and counted. */
  isSettled(id: string): boolean {
    return !this.ethereum.pending().includes(id);
  }

  /** The transaction that brings an event of Ethereum; from here on the agent votes for it. */
  chainEvent(event: Init<ChainEvent>, voteType: number | undefined): SignedEvent {
    const keys = this.validators[0]!;
    const node = this.view.node(keys.nodeId);
    if (node === undefined) throw unknownNode(keys.nodeId);
    const signed = this.sign({ kind: "chainEvent", payload: event }, this.keyOf(keys, node));
    this.ethereum.openVote(signed.id, voteType);
    return signed;
  }

  /** Any command as the first validator, signed with its Vega key or its master key. */
  command(command: CommandInit, key: "vega" | "master" = "vega"): SignedEvent {
    const keys = this.validators[0]!;
    if (key === "master") return this.sign(command, keys.master);
    const node = this.view.node(keys.nodeId);
    if (node === undefined) throw unknownNode(keys.nodeId);
    return this.sign(command, this.keyOf(keys, node));
  }

  /**
   * A bundle over what operators agree on beside the chain, in the form of the chain's.
   * @param signers addresses on the contract; those whose keys are at hand sign, also with one that was rotated away
   */
  operatorBundle(digest: Uint8Array, signers: readonly string[]): string {
    const secrets = signers.map((address) => findSecret(this.validators, address));
    const available = secrets.filter((secret) => secret !== undefined);
    return bundleSignatures(available.map((secret) => secp256k1Sign(digest, secret)));
  }

  /** A number that no operator's bundle had before. */
  operatorNonce(): bigint {
    this.nonce += 1n;
    return this.nonce;
  }

  save(): string {
    return JSON.stringify({ nonce: this.nonce.toString(), voted: [...this.voted] });
  }

  load(text: string): void {
    const { nonce, voted } = JSON.parse(text) as { nonce: string; voted: string[] };
    this.nonce = BigInt(nonce);
    this.voted = new Set(voted);
    this.sent.clear();
  }

  private isOnItsWay(key: string): boolean {
    const sent = this.sent.get(key);
    if (sent === undefined) return false;
    // A clock that was moved is not a reason: the transaction must have had its block.
    return this.view.timeNs - sent.timeNs < RESEND_NS || this.view.height - sent.height < 2;
  }

  private answerDuty(duty: Duty, keys: AgentKeys, address: string): CommandInit | undefined {
    switch (duty.kind) {
      case "vote": {
        const { reference, type } = duty;
        if (!this.ethereum.confirms(reference, type) && !this.confirmsAsset(reference, type))
          return undefined;
        return { kind: "nodeVote", payload: { reference, type } };
      }
      case "sign": {
        const { resource: id, signatureKind: kind, digest } = duty;
        const sig = secp256k1Sign(Buffer.from(digest, "hex"), secretOf(keys, address));
        return { kind: "nodeSignature", payload: { id, sig, kind } };
      }
      case "heartbeat":
        return this.heartbeat(duty.message, keys, address);
    }
  }

  private confirmsAsset(reference: string, type: number): boolean {
    return type === ASSET_VOTE && this.isAssetValid(reference);
  }

  /**
   * docs/protocol/60-state-engine-staking.md#77-heartbeats: the Vega signature over the message, the Ethereum signature
   * over its keccak digest.
   */
  private heartbeat(message: string, keys: AgentKeys, address: string): CommandInit {
    const node = this.view.node(keys.nodeId)!;
    const signatures = nodeSignatures(message, this.keyOf(keys, node), secretOf(keys, address));
    return { kind: "validatorHeartbeat", payload: { nodeId: keys.nodeId, message, ...signatures } };
  }

  private sign(command: CommandInit, key: Ed25519KeyPair): SignedEvent {
    this.nonce += 1n;
    const { chainId, height } = this.view;
    const transaction = signTransaction(encodeCommand(command, this.nonce, BigInt(height)), key, { chainId });
    const signature = Buffer.from(transaction.signature!.value!, "hex");
    return { bytes: serializeTransaction(transaction), id: rootId(signature) };
  }

  /** The Vega key that the chain knows the node by now. @throws NodeError for a foreign key */
  private keyOf(
    keys: AgentKeys,
    node: Pick<ValidatorNode, "vegaPubKey" | "vegaPubKeyIndex">,
  ): Ed25519KeyPair {
    const key = keys.vega(node.vegaPubKeyIndex);
    if (hexOf(key.publicKey) === node.vegaPubKey) return key;
    throw lostKey(`Vega key ${node.vegaPubKey}`, keys.nodeId);
  }
}

/** vega.commands.v1.NodeVote.Type: TYPE_GOVERNANCE_VALIDATE_ASSET. */
const ASSET_VOTE = 12;

/** Secrets that were derived, by node and by address in lower case: each costs a multiplication on the curve. */
const secrets = new Map<string, Map<string, Uint8Array>>();

/** The secret of an address among the validators' keys, the first and those after rotations. */
function findSecret(validators: readonly AgentKeys[], address: string): Uint8Array | undefined {
  const target = address.toLowerCase();
  for (let index = 1; index <= ROTATIONS_MAX; index++) {
    for (const keys of validators) {
      const own = secretsUpTo(keys, index);
      const secret = own.get(target);
      if (secret !== undefined) return secret;
    }
  }
  return undefined;
}

function secretsUpTo(keys: AgentKeys, count: number): ReadonlyMap<string, Uint8Array> {
  let own = secrets.get(keys.nodeId);
  if (own === undefined) secrets.set(keys.nodeId, (own = new Map()));
  for (let index = own.size + 1; index <= count; index++) {
    const secret = keys.ethereum(index);
    own.set(ethereumAddress(secret).toLowerCase(), secret);
  }
  return own;
}

/** @throws NodeError for an address that is not one of the validator's */
function secretOf(keys: AgentKeys, address: string): Uint8Array {
  const secret = findSecret([keys], address);
  if (secret === undefined) throw lostKey(`Ethereum address ${address}`, keys.nodeId);
  return secret;
}

function nameOf(duty: Duty): string {
  switch (duty.kind) {
    case "vote":
      return `vote ${duty.reference}`;
    case "sign":
      return `sign ${duty.resource} ${duty.signatureKind}`;
    case "heartbeat":
      return `heartbeat ${duty.message}`;
  }
}

function lostKey(what: string, nodeId: string): NodeError {
  const sentence = `the devnet does not hold the ${what} of its validator ${nodeId}` as const;
  const hint =
    "rotate to the next key that follows from its recovery phrase: of a devnet GET /devnet/parties names them";
  return new NodeError("devnet.validator", "key_unknown", sentence, hint);
}

function unknownNode(nodeId: string): NodeError {
  return new NodeError("devnet.validator", "node_unknown", `the chain has no validator ${nodeId}`);
}
