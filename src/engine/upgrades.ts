/**
 * Protocol upgrades (docs/protocol/60-state-engine-staking.md#96-protocol-upgrade): validators agree on a release and a
 * height; at that height the chain takes its last block.
 */
import { compare } from "../wire/arithmetic.ts";
import type { ProtocolUpgradeProposal } from "../wire/generated/commands.ts";
import { ProtocolUpgradeProposalStatus } from "../wire/generated/events.ts";
import type { Releases } from "./chain-port.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { ParameterReader, ValidatorReader } from "./ports.ts";
import type { Cell, Table } from "./state.ts";
import { INT64_MAX } from "./values.ts";
import { isRequiredShare } from "./witness.ts";

/** The release that chains begin with (docs/protocol/60-state-engine-blocks.md#11-identity-of-a-block). */
const FIRST_RELEASE = "v0.71.6";

declare const LYRA_RELEASE: string | undefined;
/** The latest release of the network whose chains this program can make; a build for a later one sets it (scripts/build.ts). */
export const PROGRAM_RELEASE: string = typeof LYRA_RELEASE === "string" ? LYRA_RELEASE : FIRST_RELEASE;
const { PROTOCOL_UPGRADE_PROPOSAL_STATUS_PENDING: PENDING } = ProtocolUpgradeProposalStatus;
const { PROTOCOL_UPGRADE_PROPOSAL_STATUS_APPROVED: APPROVED } = ProtocolUpgradeProposalStatus;
const { PROTOCOL_UPGRADE_PROPOSAL_STATUS_REJECTED: REJECTED } = ProtocolUpgradeProposalStatus;

interface UpgradeProposal {
  readonly height: bigint;
  readonly tag: string;
  /** Node ids of validators, in order: keys may rotate meanwhile. */
  readonly approvers: readonly string[];
}

export class Upgrades {
  /** By `tag@height`. */
  private readonly proposals: Table<UpgradeProposal>;
  /** The agreed upgrade whose height came: no block follows. */
  private readonly approved: Cell<UpgradeProposal | undefined>;
  /**
   * The release that the chain came to by an upgrade. It is state, so that a later program executes the blocks of an earlier release as that
   * did.
   */
  private readonly upgraded: Cell<string | undefined>;

  constructor(
    private readonly core: Core,
    private readonly params: ParameterReader,
    private readonly validators: ValidatorReader,
    private readonly program: string = PROGRAM_RELEASE,
  ) {
    this.proposals = core.state.table("upgrades.proposals");
    this.approved = core.state.cell<UpgradeProposal | undefined>("upgrades.approved", undefined);
    this.upgraded = core.state.cell<string | undefined>("upgrades.release", undefined);
  }

  /** The release that the chain runs. */
  get release(): string {
    return this.upgraded.get() ?? FIRST_RELEASE;
  }

  get releases(): Releases {
    return { chain: this.release, program: this.program };
  }

  /** Checks a proposal of the transaction in hand, also for the mempool. @throws CommandError */
  checkProposal({ upgradeBlockHeight: height, vegaReleaseTag: tag }: ProtocolUpgradeProposal): void {
    if (this.validators.nodeByKey(this.core.currentTx.party)?.status !== "tendermint") {
      throw new CommandError("only tendermint validator can propose a protocol upgrade");
    }
    // Heights have 64 bits with a sign.
    if (height === 0n || height > INT64_MAX) throw new CommandError("upgrade block out of range");
    if (height <= BigInt(this.core.height)) {
      throw new CommandError("upgrade block earlier than current block height");
    }
    const version = parseSemanticVersion(tag);
    if (typeof version === "string") {
      throw new CommandError(`invalid protocol version for upgrade received: version (${tag}), ${version}`);
    }
    if (compareVersions(version, versionOf(this.release)) < 0)
      throw new CommandError("upgrade version is too old");
  }

  /**
   * The ProtocolUpgradeProposal command: a vote, which takes the validator's former one back. A vote for the running
   * release only takes back. @throws CommandError
   */
  submitProposal(payload: ProtocolUpgradeProposal): void {
    this.checkProposal(payload);
    const { upgradeBlockHeight: height, vegaReleaseTag: tag } = payload;
    const { nodeId } = this.validators.nodeByKey(this.core.currentTx.party)!;
    const key = `${tag}@${height}`;
    if (withoutV(tag) !== withoutV(this.release)) {
      const approvers = this.proposals.get(key)?.approvers ?? [];
      if (!approvers.includes(nodeId)) {
        this.put({ height, tag, approvers: [...approvers, nodeId].sort(compare) });
      }
    }
    for (const [other, proposal] of this.proposals.entries()) {
      if (other === key || !proposal.approvers.includes(nodeId)) continue;
      this.put({ ...proposal, approvers: proposal.approvers.filter((approver) => approver !== nodeId) });
    }
  }

  /** docs/protocol/60-state-engine-blocks.md#14-beginblock-order, step 7: proposals without agreement in time expire. */
  onBeginBlock(): void {
    const approved = this.approved.get();
    if (approved !== undefined) {
      this.upgraded.set(approved.tag);
      this.approved.set(undefined);
    }
    for (const proposal of this.proposals.values()) {
      if (proposal.height <= BigInt(this.core.height) && !this.isAccepted(proposal)) this.reject(proposal);
    }
  }

  /** @returns whether an upgrade is due now, so that this block is the last and a snapshot belongs to it */
  onCommit(): boolean {
    const due = this.proposals
      .values()
      .find((proposal) => proposal.height === BigInt(this.core.height) && this.isAccepted(proposal));
    if (due === undefined) return false;
    this.approved.set(due);
    // The next release begins without proposals.
    for (const proposal of this.proposals.values()) {
      this.proposals.delete(keyOf(proposal));
      this.report(proposal, this.isAccepted(proposal) ? APPROVED : REJECTED);
    }
    return true;
  }

  /** Why this program must not make another block; undefined as long as it may. */
  haltReason(): string | undefined {
    const approved = this.approved.get();
    if (!this.isBeyond(approved?.tag ?? this.release)) return undefined;
    if (approved !== undefined)
      return `protocol upgrade to ${approved.tag} agreed on for height ${approved.height}`;
    return `protocol upgrade to ${this.release} was made, and this program runs chains up to ${this.program}`;
  }

  /** Whether a release is later than this program. */
  private isBeyond(release: string): boolean {
    if (release === this.program) return false;
    return compareVersions(versionOf(release), versionOf(this.program)) > 0;
  }

  private put(proposal: UpgradeProposal): void {
    if (proposal.approvers.length === 0) {
      this.reject(proposal);
      return;
    }
    this.proposals.set(keyOf(proposal), proposal);
    this.report(proposal, PENDING);
  }

  private reject(proposal: UpgradeProposal): void {
    this.proposals.delete(keyOf(proposal));
    this.report(proposal, REJECTED);
  }

  /** By voting power; a former validator does not count. */
  private isAccepted({ approvers }: UpgradeProposal): boolean {
    const power = approvers.reduce((sum, nodeId) => sum + (this.validators.node(nodeId)?.power ?? 0n), 0n);
    return isRequiredShare(power, this.validators.totalPower(), this.params);
  }

  private report({ height, tag, approvers }: UpgradeProposal, status: number): void {
    this.core.emit("protocolUpgradeEvent", {
      upgradeBlockHeight: height,
      vegaReleaseTag: tag,
      approvers: approvers.flatMap((nodeId) => this.validators.node(nodeId)?.vegaPubKey ?? []).sort(compare),
      status,
    });
  }
}

function keyOf({ tag, height }: UpgradeProposal): string {
  return `${tag}@${height}`;
}

/** The v in front of a release's tag may be left out. */
function withoutV(tag: string): string {
  return tag.replace(/^v/, "");
}

/** @throws Error for a text that is not a version: only versions are agreed on */
function versionOf(release: string): SemanticVersion {
  const version = parseSemanticVersion(release);
  if (typeof version === "string") throw new Error(`the release ${release} is invalid: ${version}`);
  return version;
}

// Semantic versions (semver.org 2.0.0): reading and order of precedence. Build metadata is read and ignored.

export interface SemanticVersion {
  /** Major, minor, patch. */
  readonly numbers: readonly [bigint, bigint, bigint];
  /** Identifiers of the pre-release; none for a release. */
  readonly preRelease: readonly string[];
}

/**
 * docs/protocol/60-state-engine-staking.md#9-validator-operations and
 * docs/protocol/60-state-engine-parameters.md#10-network-parameters: identifiers of letters, digits and hyphens.
 */
const IDENTIFIERS = /^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/;
const NUMBER = /^\d+$/;

/** @param text with or without a leading v @returns the version, or its problem */
export function parseSemanticVersion(text: string): SemanticVersion | string {
  const body = text.replace(/^v/, "");
  if (body === "") return "version string empty";
  const [plain = "", ...build] = body.split("+");
  const dash = plain.indexOf("-");
  const core = dash < 0 ? plain : plain.slice(0, dash);
  const suffix = dash < 0 ? undefined : plain.slice(dash + 1);
  const parts = core.split(".");
  if (parts.length !== 3) return "major, minor and patch are needed";
  for (const part of parts) {
    if (!NUMBER.test(part)) return `not a number: "${part}"`;
    if (isPadded(part)) return `a number must not begin with 0: "${part}"`;
  }
  if (build.length > 1 || (build.length === 1 && !IDENTIFIERS.test(build[0]!)))
    return "invalid build metadata";
  if (suffix !== undefined && !IDENTIFIERS.test(suffix)) return "invalid pre-release";
  const preRelease = suffix?.split(".") ?? [];
  const padded = preRelease.find((part) => NUMBER.test(part) && isPadded(part));
  if (padded !== undefined) return `a number must not begin with 0: "${padded}"`;
  return { numbers: [BigInt(parts[0]!), BigInt(parts[1]!), BigInt(parts[2]!)], preRelease };
}

/** Negative, zero or positive as `a` comes before, with or after `b` (docs/protocol/60-state-engine-parameters.md#11-genesis-app_state). */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] < b.numbers[index] ? -1 : 1;
  }
  if (a.preRelease.length === 0 || b.preRelease.length === 0)
    return b.preRelease.length - a.preRelease.length;
  for (const [index, own] of a.preRelease.entries()) {
    const other = b.preRelease[index];
    if (other === undefined) return 1;
    const order = compareIdentifiers(own, other);
    if (order !== 0) return order;
  }
  return a.preRelease.length - b.preRelease.length;
}

/** Numbers by value and before texts, texts by their characters. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [NUMBER.test(a), NUMBER.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  if (a === b) return 0;
  if (isNumber) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a < b ? -1 : 1;
}

function isPadded(digits: string): boolean {
  return digits.length > 1 && digits.startsWith("0");
}
