// A small chain for the tests of epochs, staking, delegation, validators, multisig, rewards and upgrades: the domains
// themselves, called in the protocol's order, with nodes that hold real keys.
import { ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { ethereumAddress, keccakOf, secp256k1Sign } from "../../src/crypto/secp256k1.ts";
import { sha3Of } from "../../src/crypto/sha.ts";
import { accountId, Collateral } from "../../src/engine/collateral.ts";
import { Core } from "../../src/engine/core.ts";
import { Delegation } from "../../src/engine/delegation.ts";
import { Epochs } from "../../src/engine/epochs.ts";
import { CommandError } from "../../src/engine/errors.ts";
import { Multisig } from "../../src/engine/multisig.ts";
import { announcementText } from "../../src/engine/nodes.ts";
import { Notary } from "../../src/engine/notary.ts";
import { NetworkParameters } from "../../src/engine/parameters.ts";
import { type Contributions, Rewards } from "../../src/engine/rewards.ts";
import { NO_STAKE, type NodeStake, type Shares, stakeByNode } from "../../src/engine/stakes.ts";
import { Staking } from "../../src/engine/staking.ts";
import { Upgrades } from "../../src/engine/upgrades.ts";
import { type EpochScores, Validators } from "../../src/engine/validators.ts";
import { Witness } from "../../src/engine/witness.ts";
import { type AnnounceNode, emptyAnnounceNode, emptySignature } from "../../src/wire/generated/commands.ts";
import { decodeBusEvent } from "../../src/wire/generated/events.ts";
import { AccountType, TransferType } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { wholeEvent } from "../../src/wire/whole-event.ts";

/** Time of the genesis, Unix seconds. */
export const START = 1_893_456_000n;
export const ALICE = "a1".repeat(32);
export const BOB = "b0".repeat(32);
export const CAROL = "ca".repeat(32);
export const VOTE = "VOTE";

const ETHEREUM = JSON.stringify({
  network_id: "99",
  chain_id: "99",
  confirmations: 1,
  collateral_bridge_contract: { address: `0x${"11".repeat(20)}` },
  multisig_control_contract: { address: `0x${"22".repeat(20)}`, deployment_block_height: 0 },
  staking_bridge_contract: { address: `0x${"33".repeat(20)}`, deployment_block_height: 0 },
});

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** A node with its keys: everything follows from its number, 1 to 99. */
export class NodeKeys {
  readonly id: string;
  readonly ethereumSecret: Uint8Array;
  readonly address: string;
  private readonly pair;

  constructor(readonly number: number) {
    this.id = number.toString().padStart(2, "0").repeat(32);
    this.pair = ed25519KeyPair(new Uint8Array(32).fill(number));
    this.ethereumSecret = new Uint8Array(32).fill(number);
    this.address = ethereumAddress(this.ethereumSecret);
  }

  get key(): string {
    return hex(this.pair.publicKey);
  }

  get chainKey(): string {
    return Buffer.alloc(32, this.number).toString("base64");
  }

  vegaSignature(text: string) {
    const value = hex(this.pair.sign(sha3Of(Buffer.from(text, "utf8"))));
    return { ...emptySignature(), value, algo: "vega/ed25519", version: 1 };
  }

  ethereumSignature(text: string) {
    const value = hex(secp256k1Sign(keccakOf(Buffer.from(text, "utf8")), this.ethereumSecret));
    return { ...emptySignature(), value, algo: "eth", version: 1 };
  }

  announcement(changes: Partial<AnnounceNode> = {}): AnnounceNode {
    const payload: AnnounceNode = {
      ...emptyAnnounceNode(),
      id: this.id,
      vegaPubKey: this.key,
      vegaPubKeyIndex: 1,
      chainPubKey: this.chainKey,
      ethereumAddress: this.address,
      fromEpoch: 1n,
      infoUrl: "https://node.example",
      name: `node-${this.number}`,
      avatarUrl: "https://node.example/avatar",
      country: "ZZ",
      ...changes,
    };
    const text = announcementText(payload);
    return {
      ...payload,
      vegaSignature: changes.vegaSignature ?? this.vegaSignature(text),
      ethereumSignature: changes.ethereumSignature ?? this.ethereumSignature(text),
    };
  }

  get genesis() {
    return {
      id: this.id,
      vega_pub_key: this.key,
      vega_pub_key_index: 1,
      ethereum_address: this.address,
      tm_pub_key: this.chainKey,
      name: `node-${this.number}`,
    };
  }
}

export interface SeenEvent {
  readonly member: string;
  readonly payload: Record<string, unknown>;
}

export interface RigOptions {
  /** Validators of the genesis, numbered from 1. */
  readonly nodes?: number;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly contributions?: Contributions;
  /** The latest release that the program knows. */
  readonly release?: string;
}

export class ValidatorRig {
  readonly core = new Core("validator-rig");
  readonly params = new NetworkParameters(this.core);
  readonly collateral = new Collateral(this.core);
  readonly epochs = new Epochs(this.core, this.params);
  readonly validators = new Validators(this.core, this.params, this.epochs);
  readonly witness = new Witness(this.core, this.params, this.validators);
  readonly notary = new Notary(this.core, this.params, this.validators);
  readonly staking = new Staking(this.core, this.witness);
  readonly delegation = new Delegation(this.core, this.params, this.epochs, this.staking, this.validators);
  readonly multisig = new Multisig(this.core, this.witness, this.notary);
  readonly upgrades: Upgrades;
  readonly rewards: Rewards;
  readonly nodes: NodeKeys[];
  /** Old and new key of each rotation, with the number of events before it was told. */
  readonly rotated: string[] = [];
  /** Proposer of the blocks that `block` makes; the first node unless the test says otherwise. */
  proposer: string | undefined;
  scores: EpochScores | undefined;
  private seconds = START;
  private transactions = 0;
  private logIndex = 0n;

  constructor({ nodes = 1, parameters = {}, contributions, release }: RigOptions = {}) {
    this.upgrades = new Upgrades(this.core, this.params, this.validators, release);
    this.nodes = Array.from({ length: nodes }, (_, index) => new NodeKeys(index + 1));
    this.rewards = new Rewards(this.core, this.params, this.collateral, contributions);
    this.params.useAssets(() => true);
    this.validators.connect({
      signers: this.multisig,
      onKeyRotated: (oldKey, newKey) => this.rotated.push(`${oldKey} ${newKey} ${this.core.log.length}`),
    });
    this.epochs.listen({
      onEpochEnd: (epoch) => {
        const stakes = this.delegation.onEpochEnd(epoch);
        this.scores = this.validators.onEpochEnd(epoch, stakes);
        this.rewards.onEpochEnd(epoch, this.scores);
      },
      onEpochStart: (epoch) => this.delegation.onEpochStart(epoch),
    });
    this.proposer = this.nodes[0]?.id;
    this.setBlock(1);
    this.epochs.onTick();
    this.params.initGenesis({
      "blockchains.ethereumConfig": ETHEREUM,
      "validators.epoch.length": "10s",
      ...parameters,
    });
    this.collateral.enableAsset(VOTE);
    this.validators.initGenesis(Object.fromEntries(this.nodes.map((node) => [node.chainKey, node.genesis])));
    this.core.state.takeChanges();
  }

  /** Begins a block some seconds after the last one. */
  begin(seconds = 1n): void {
    this.seconds += seconds;
    this.setBlock(this.core.height + 1);
    this.epochs.onTick();
    this.params.onTick();
    this.multisig.onTick();
    this.witness.onTick();
    this.staking.onTick();
    this.delegation.onTick();
    this.notary.onTick();
    this.upgrades.onBeginBlock();
    this.validators.onBeginBlock(this.proposer);
  }

  end(): void {
    this.epochs.onEndBlock();
    this.upgrades.onCommit();
    this.collateral.checkConservation();
    this.core.state.takeChanges();
    this.core.state.dropJournal();
  }

  /** A whole block without transactions. @returns its events */
  block(seconds = 1n): SeenEvent[] {
    this.events();
    this.begin(seconds);
    this.end();
    return this.events();
  }

  /** Makes blocks until an epoch has ended. @returns the events of the block in which it did */
  endEpoch(): SeenEvent[] {
    const { seq, expireNs } = this.epochs.current;
    const left = expireNs / SECOND_NS - this.seconds + 1n;
    if (left > 0n) this.block(left);
    let seen = this.block();
    while (this.epochs.current.seq === seq) seen = this.block();
    return seen;
  }

  /** Runs a command of a party. @returns the refusal's text, or "" */
  send(party: string, run: () => void, id = this.nextId()): string {
    this.core.tx = { party, hash: "", id };
    const mark = this.core.state.mark();
    const length = this.core.log.length;
    try {
      run();
      return "";
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.core.state.rollback(mark);
      this.core.log.truncate(length);
      return error.message;
    } finally {
      this.core.tx = undefined;
    }
  }

  /** The events since the last call. */
  events(): SeenEvent[] {
    const emittedBlock = this.core.log.blockEvents();
    const block = { chainId: "", height: 0, hash: "", txHashes: emittedBlock.txHashes };
    this.core.log.startBlock("AB");
    return emittedBlock.events.map((emitted) => {
      const event = decodeBusEvent(wholeEvent(block, emitted)) as unknown as Record<string, unknown>;
      const member = Object.keys(event).find((name) => typeof event[name] === "object")!;
      return { member, payload: event[member] as Record<string, unknown> };
    });
  }

  /** All nodes vote for what is open. */
  witnessAll(): void {
    for (const { id } of this.nodes) {
      for (const resource of this.witness.openResources(id)) this.witness.castVote(resource.id, id);
    }
  }

  /** Links (or unlinks) stake and lets it be accepted, which takes a block of no time. */
  link(party: string, amount: bigint, { unlink = false, seconds = 1n } = {}): void {
    const stake = {
      ethereumAddress: `0x${"5a".repeat(20)}`,
      vegaPublicKey: party,
      amount: `${amount}`,
      blockTime: seconds,
    };
    const text = this.send(this.nodes[0]!.key, () =>
      this.staking.processEvent(
        {
          index: this.logIndex++,
          block: 7n,
          stakeDeposited: unlink ? undefined : stake,
          stakeRemoved: unlink ? stake : undefined,
          totalSupply: undefined,
        },
        "0xfeed",
      ),
    );
    if (text !== "") throw new Error(text);
    this.witnessAll();
    this.witness.onTick();
    this.staking.onTick();
  }

  /** Stake on a node in the running epoch. */
  stakeOf(nodeId: string): NodeStake {
    const keyOf = (node: string) => this.validators.node(node)?.vegaPubKey;
    return stakeByNode(this.delegation.allShares().current, keyOf).get(nodeId) ?? NO_STAKE;
  }

  /** A party's delegations in the running epoch and in the next. */
  sharesOf(party: string): { readonly current: Shares; readonly next: Shares } {
    const { current, next } = this.delegation.allShares();
    return { current: new Map(current).get(party) ?? [], next: new Map(next).get(party) ?? [] };
  }

  delegate(party: string, nodeId: string, amount: bigint): string {
    return this.send(party, () => this.delegation.delegate({ nodeId, amount: `${amount}` }));
  }

  /** Tells the chain that the contract has this signer (or no longer has it), and lets it be believed. */
  setSigner(address: string, { remove = false, seconds = 5n } = {}): void {
    const nonce = `${this.logIndex}`;
    const text = this.send(this.nodes[0]!.key, () =>
      this.multisig.processEvent(
        {
          index: this.logIndex++,
          block: 8n,
          signerAdded: remove ? undefined : { newSigner: address, nonce, blockTime: seconds },
          signerRemoved: remove ? { oldSigner: address, nonce, blockTime: seconds } : undefined,
          thresholdSet: undefined,
        },
        "0xbeef",
      ),
    );
    if (text !== "") throw new Error(text);
    this.witnessAll();
    this.witness.onTick();
    this.multisig.onTick();
  }

  /** Puts money into an account of the network. */
  fund(
    asset: string,
    type: (typeof AccountType)[keyof typeof AccountType],
    amount: bigint,
    market?: string,
  ): string {
    if (!this.collateral.hasAsset(asset)) this.collateral.enableAsset(asset);
    const id = this.collateral.ensureSystem(asset, type, market);
    this.collateral.deposit(asset, id, amount, TransferType.TRANSFER_TYPE_DEPOSIT);
    return id;
  }

  general(party: string, asset: string): bigint {
    return this.collateral.balance(accountId(asset, AccountType.ACCOUNT_TYPE_GENERAL, party));
  }

  private setBlock(height: number): void {
    const hash = height.toString(16).padStart(64, "0");
    this.core.block = { height, timeNs: this.seconds * SECOND_NS, hash };
  }

  private nextId(): string {
    this.transactions += 1;
    return this.transactions.toString(16).padStart(64, "0");
  }
}

/** Payloads of the events of one kind. */
export function of(events: readonly SeenEvent[], member: string): Record<string, unknown>[] {
  return events.filter((event) => event.member === member).map(({ payload }) => payload);
}

/** The kinds of events, repetitions once. */
export function kinds(events: readonly SeenEvent[]): string[] {
  return events.map(({ member }) => member).filter((member, index, all) => member !== all[index - 1]);
}
