/**
 * The domains of the engine as they see each other. Each domain is a class in a file of its own; `domains.ts` makes
 * them and calls their hooks in the protocol's order (docs/protocol/60-state-engine-blocks.md#13-initchain to
 * #18-endblock-and-commit).
 */
import type { Decimal } from "../wire/decimal.ts";
import type { AssetDetails } from "../wire/generated/vega.ts";

export interface EpochInfo {
  readonly seq: bigint;
  readonly startNs: bigint;
  readonly expireNs: bigint;
  /** Undefined while it runs. */
  readonly endNs: bigint | undefined;
}

/** parameters.ts */
export interface ParameterReader {
  has(key: string): boolean;
  /** The value as it was given. @throws Error for an unknown key */
  text(key: string): string;
  decimal(key: string): Decimal;
  /** Whole number of type uint or int; decimals are cut. */
  integer(key: string): bigint;
  /** Nanoseconds. */
  duration(key: string): bigint;
  json<T>(key: string): T;
  /** Called when the value is pushed: after genesis, at the tick after a change, or at once on enactment. */
  watch(keys: readonly string[], listener: (key: string, value: string) => void): void;
}

/** epochs.ts */
export interface EpochReader {
  readonly current: EpochInfo;
}

/** staking.ts */
export interface StakeReader {
  /** The party's staked tokens; undefined without a staking account. */
  balance(party: string): bigint | undefined;
  /** Total supply of the staking token; 0 until it is known. */
  totalSupply(): bigint;
}

export interface AssetRecord {
  readonly id: string;
  readonly details: AssetDetails;
  /** vega.Asset.Status */
  readonly status: number;
}

/** assets.ts */
export interface AssetReader {
  get(id: string): AssetRecord | undefined;
  /** Usable: enabled and with accounts. */
  isEnabled(id: string): boolean;
  all(): readonly AssetRecord[];
}

export type NodeStatus = "tendermint" | "ersatz" | "pending";

export interface ValidatorNode {
  readonly nodeId: string;
  readonly vegaPubKey: string;
  readonly vegaPubKeyIndex: number;
  readonly ethereumAddress: string;
  /** Base64. */
  readonly tmPubKey: string;
  readonly infoUrl: string;
  readonly country: string;
  readonly name: string;
  readonly avatarUrl: string;
  readonly fromEpoch: bigint;
  readonly submitterAddress: string;
  readonly status: NodeStatus;
  /** Voting power; 0 for nodes of another status than tendermint. */
  readonly power: bigint;
}

/** validators.ts */
export interface ValidatorReader {
  node(nodeId: string): ValidatorNode | undefined;
  nodeByKey(vegaPubKey: string): ValidatorNode | undefined;
  /** By node id. */
  nodes(): readonly ValidatorNode[];
  /** Those of status tendermint, by node id. */
  tendermint(): readonly ValidatorNode[];
  totalPower(): bigint;
  /** Counts a chain event that this node forwarded. */
  countForwarded(nodeId: string): void;
}

/**
 * A resource that validators look at before the chain believes it
 * (docs/protocol/60-state-engine-accounts.md#33-builtin-deposit-flow). Plain data: it is part of the state.
 */
export interface WitnessResource<P> {
  /** Identifier that node votes refer to. */
  readonly id: string;
  /** Names the handler of the outcome; registered with `onOutcome`. */
  readonly kind: string;
  /** vega.commands.v1.NodeVote.Type */
  readonly voteType: number;
  readonly deadlineNs: bigint;
  readonly payload: P;
}

/** witness.ts */
export interface WitnessPort {
  requestVotes<P>(resource: WitnessResource<P>): void;
  /** Outcomes come in the witness tick, resources in the order of their ids. */
  onOutcome<P>(kind: string, handler: (id: string, payload: P, accepted: boolean) => void): void;
  /** @returns false when there is no such resource */
  castVote(reference: string, nodeId: string): boolean;
  /** Those that this node has not voted on yet. */
  openResources(nodeId: string): readonly WitnessResource<unknown>[];
}

/** notary.ts */
export interface NotaryPort {
  /** @param digest what the validators sign, 32 bytes in hex (crypto/multisig.ts) */
  requestSignatures(resource: string, kind: number, digest: string): void;
  /** Whether enough validators have signed. */
  isComplete(resource: string, kind: number): boolean;
}

/** A validator's duty: found by `Engine.duties`, done outside of the engine by the holder of its keys. */
export type Duty =
  | { readonly kind: "vote"; readonly reference: string; readonly type: number }
  | {
      readonly kind: "sign";
      readonly resource: string;
      readonly signatureKind: number;
      readonly digest: string;
    }
  | { readonly kind: "heartbeat"; readonly message: string };
