// A bench for the domains that move money: they are the real ones; parameters, validators and assets are played.
import { ethereumAddress, secp256k1Sign } from "../../src/crypto/secp256k1.ts";
import { Banking } from "../../src/engine/banking.ts";
import type { BridgedAssets } from "../../src/engine/bridge.ts";
import { ChainEvents } from "../../src/engine/chain-events.ts";
import { Checkpoints } from "../../src/engine/checkpoints.ts";
import { accountId, Collateral } from "../../src/engine/collateral.ts";
import { Core } from "../../src/engine/core.ts";
import { CommandError } from "../../src/engine/errors.ts";
import { Notary } from "../../src/engine/notary.ts";
import { ETHEREUM_CONFIG, PARAMETERS } from "../../src/engine/parameter-definitions.ts";
import type {
  AssetRecord,
  NodeStatus,
  ParameterReader,
  ValidatorNode,
  ValidatorReader,
} from "../../src/engine/ports.ts";
import type { MarketScores } from "../../src/engine/recurring.ts";
import { parseDuration } from "../../src/engine/values.ts";
import { Witness } from "../../src/engine/witness.ts";
import type { Init } from "../../src/wire/codec.ts";
import { Decimal } from "../../src/wire/decimal.ts";
import {
  type ChainEvent,
  decodeChainEvent,
  decodeTransfer,
  encodeChainEvent,
  encodeTransfer,
  type Transfer,
} from "../../src/wire/generated/commands.ts";
import { type BusEvent, decodeBusEvent } from "../../src/wire/generated/events.ts";
import { AccountType, AssetStatus, type ERC20Event } from "../../src/wire/generated/vega.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { wholeEvent } from "../../src/wire/whole-event.ts";

export const DAY = 86_400n * SECOND_NS;
export const START = 1_700_000_000n * SECOND_NS;
export const ALICE = "a1".repeat(32);
export const BOB = "b0".repeat(32);
/** Builtin, quantum 10. */
export const COIN = "c0".repeat(32);
/** ERC20, enabled, quantum 2.5. */
export const TOKEN = "70".repeat(32);
/** ERC20, waits for its listing. */
export const WAITING = "77".repeat(32);
export const BRIDGE = "0x0b41d6e00000000000000000000000000000b41d";
export const CONTRACT = `0x${"70".repeat(20)}`;
export const RECEIVER = `0x${"5e1f".repeat(10)}`;

/** The engine's network parameters, with a bridge contract in place of none, and those that a test sets in `values`. */
export class PlayedParameters implements ParameterReader {
  readonly values = new Map<string, string>([
    [ETHEREUM_CONFIG, JSON.stringify({ collateral_bridge_contract: { address: BRIDGE } })],
  ]);

  has(key: string): boolean {
    return PARAMETERS.has(key);
  }
  text(key: string): string {
    const definition = PARAMETERS.get(key);
    if (definition === undefined) throw new Error(`unknown key ${key}`);
    return this.values.get(key) ?? definition.initial;
  }
  decimal(key: string): Decimal {
    return Decimal.parse(this.text(key));
  }
  integer(key: string): bigint {
    return this.decimal(key).truncated();
  }
  duration(key: string): bigint {
    return parseDuration(this.text(key))!;
  }
  json<T>(key: string): T {
    return JSON.parse(this.text(key)) as T;
  }
  watch(): void {}
}

/** Validators are numbered from 1; their Ethereum keys are their number, 32 times. */
export class PlayedValidators implements ValidatorReader {
  private readonly list: ValidatorNode[] = [];
  readonly forwarded = new Map<string, number>();

  /** @returns its node id */
  add(power = 10n, status: NodeStatus = "tendermint"): string {
    const number = this.list.length + 1;
    const nodeId = `${number}d`.padStart(64, "0");
    this.list.push({
      nodeId,
      vegaPubKey: keyOf(nodeId),
      vegaPubKeyIndex: 1,
      ethereumAddress: ethereumAddress(secretOf(nodeId)),
      tmPubKey: "",
      infoUrl: "",
      country: "",
      name: `node ${number}`,
      avatarUrl: "",
      fromEpoch: 0n,
      submitterAddress: "",
      status,
      power: status === "tendermint" ? power : 0n,
    });
    return nodeId;
  }
  change(nodeId: string, change: Partial<ValidatorNode>): void {
    const at = this.list.findIndex((node) => node.nodeId === nodeId);
    this.list[at] = { ...this.list[at]!, ...change };
  }
  node(nodeId: string): ValidatorNode | undefined {
    return this.list.find((node) => node.nodeId === nodeId);
  }
  nodeByKey(key: string): ValidatorNode | undefined {
    return this.list.find((node) => node.vegaPubKey === key);
  }
  nodes(): readonly ValidatorNode[] {
    return this.list;
  }
  tendermint(): readonly ValidatorNode[] {
    return this.list.filter(({ status }) => status === "tendermint");
  }
  totalPower(): bigint {
    return this.list.reduce((sum, { power }) => sum + power, 0n);
  }
  countForwarded(nodeId: string): void {
    this.forwarded.set(nodeId, (this.forwarded.get(nodeId) ?? 0) + 1);
  }
}

/** The Vega key of a node. */
export function keyOf(nodeId: string): string {
  return `ee${nodeId.slice(2)}`;
}

/** The Ethereum secret key of a node. */
export function secretOf(nodeId: string): Uint8Array {
  return new Uint8Array(32).fill(Number.parseInt(nodeId.slice(0, -1), 10));
}

export function signatureOf(nodeId: string, digest: string): Uint8Array {
  return secp256k1Sign(new Uint8Array(Buffer.from(digest, "hex")), secretOf(nodeId));
}

class PlayedAssets implements BridgedAssets {
  readonly records = new Map<string, AssetRecord>();
  readonly staged = new Map<string, AssetRecord>();
  readonly listed: string[] = [];
  readonly updated: string[] = [];

  constructor(private readonly collateral: Collateral) {}

  add(id: string, source: "builtin" | "erc20", quantum: string, status: number): void {
    const details = {
      name: id.slice(0, 4),
      symbol: id.slice(0, 2),
      decimals: 0n,
      quantum,
      builtinAsset: source === "builtin" ? { maxFaucetAmountMint: "1000" } : undefined,
      erc20:
        source === "erc20"
          ? { contractAddress: CONTRACT, lifetimeLimit: "1000", withdrawThreshold: "100" }
          : undefined,
    };
    this.records.set(id, { id, details, status });
    if (status === AssetStatus.STATUS_ENABLED) this.collateral.enableAsset(id);
  }
  get(id: string): AssetRecord | undefined {
    return this.records.get(id);
  }
  isEnabled(id: string): boolean {
    return this.records.get(id)?.status === AssetStatus.STATUS_ENABLED;
  }
  all(): readonly AssetRecord[] {
    return [...this.records.values()];
  }
  list(id: string): void {
    this.listed.push(id);
    this.records.set(id, { ...this.records.get(id)!, status: AssetStatus.STATUS_ENABLED });
    this.collateral.enableAsset(id);
  }
  stagedUpdate(id: string): AssetRecord | undefined {
    return this.staged.get(id);
  }
  applyLimits(id: string): void {
    this.updated.push(id);
    this.records.set(id, this.staged.get(id)!);
    this.staged.delete(id);
  }
}

/** A made-up hash: this rig lacks domains, so nothing states the content of its checkpoints. */
export const CONTENT_HASH = "c5".repeat(32);

export class Rig {
  readonly core = new Core("rig");
  readonly params = new PlayedParameters();
  readonly validators = new PlayedValidators();
  readonly collateral = new Collateral(this.core);
  readonly assets = new PlayedAssets(this.collateral);
  readonly witness = new Witness(this.core, this.params, this.validators);
  readonly notary = new Notary(this.core, this.params, this.validators);
  readonly checkpoints = new Checkpoints(this.core, this.params, () => CONTENT_HASH);
  readonly banking: Banking;
  readonly taken: string[] = [];
  readonly chainEvents: ChainEvents;
  /** The validator that does the work. */
  readonly node: string;
  private count = 0;

  constructor(options: { readonly markets?: MarketScores } = {}) {
    const { core, params, collateral, assets, witness, notary } = this;
    const onWithdrawal = () => this.checkpoints.emitCheckpoint();
    this.banking = new Banking(
      core,
      params,
      collateral,
      assets,
      witness,
      notary,
      onWithdrawal,
      options.markets,
    );
    this.chainEvents = new ChainEvents(core, this.validators, this.banking, {
      staking: (event, txId) => this.taken.push(`staking ${txId} ${event.block}`),
      multisig: (event, txId) => this.taken.push(`multisig ${txId} ${event.block}`),
    });
    this.node = this.validators.add();
    core.block = { height: 1, timeNs: START, hash: "ab".repeat(32) };
    core.log.startBlock("AB".repeat(32));
    assets.add(COIN, "builtin", "10", AssetStatus.STATUS_ENABLED);
    assets.add(TOKEN, "erc20", "2.5", AssetStatus.STATUS_ENABLED);
    assets.add(WAITING, "erc20", "1", AssetStatus.STATUS_PENDING_LISTING);
    this.events();
  }

  /** Numbers its transactions on from those of another rig. */
  follow(other: Rig): void {
    this.count = other.count;
  }

  /** The events since the last time, decoded. */
  events(): BusEvent[] {
    const { events, txHashes } = this.core.log.blockEvents();
    const block = { chainId: "", height: 0, hash: "", txHashes };
    this.core.log.startBlock("AB".repeat(32));
    return events.map((event) => decodeBusEvent(wholeEvent(block, event)));
  }

  /** The events since the last time, each in one line. */
  lines(): string[] {
    return this.events().map(lineOf);
  }

  /** Runs a command as the engine does. @returns the refusal, if it was refused */
  run(party: string, command: () => void): CommandError | undefined {
    const { core } = this;
    const mark = core.state.mark();
    const length = core.log.length;
    this.count++;
    const id = this.count.toString(16).padStart(64, "0");
    core.tx = { party, hash: id, id };
    try {
      command();
      return undefined;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (!error.options.keepChanges) {
        core.state.rollback(mark);
        core.log.truncate(length);
      }
      return error;
    } finally {
      core.tx = undefined;
    }
  }

  /** The id of the last command's transaction. */
  get lastId(): string {
    return this.count.toString(16).padStart(64, "0");
  }

  /** A new block `ns` later, with the ticks in their order. */
  tick(ns = SECOND_NS): void {
    const { core } = this;
    core.block = { ...core.block, height: core.block.height + 1, timeNs: core.block.timeNs + ns };
    this.witness.onTick();
    this.notary.onTick();
    this.banking.onTick();
  }

  chainEvent(event: Init<ChainEvent>, from = this.node): CommandError | undefined {
    const whole = decodeChainEvent(encodeChainEvent(event));
    return this.run(keyOf(from), () => this.chainEvents.process(whole));
  }

  erc20(event: Init<ERC20Event>, txId = "0xfeed"): CommandError | undefined {
    return this.chainEvent({ txId, nonce: 1n, erc20: event });
  }

  /** A builtin deposit's chain event. */
  depositEvent(party: string, asset: string, amount: string, nonce = BigInt(this.count)) {
    return this.chainEvent({
      nonce,
      builtin: { deposit: { vegaAssetId: asset, partyId: party, amount } },
    });
  }

  vote(reference: string, from = this.node): CommandError | undefined {
    return this.run(keyOf(from), () => this.witness.nodeVote({ reference, type: 3 }));
  }

  /** Funds a party the long way, and forgets the events. */
  fund(party: string, asset: string, amount: bigint): void {
    if (asset === COIN) this.depositEvent(party, asset, amount.toString());
    else {
      const deposit = {
        vegaAssetId: asset,
        sourceEthereumAddress: RECEIVER,
        targetPartyId: party,
        amount: amount.toString(),
      };
      this.erc20({ index: BigInt(this.count), block: 1n, deposit });
    }
    this.vote(this.lastId);
    this.tick();
    this.events();
  }

  transfer(party: string, command: Init<Transfer>): CommandError | undefined {
    return this.run(party, () => this.banking.transfer(transferOf(command)));
  }

  general(party: string, asset = COIN): bigint {
    return this.collateral.balance(accountId(asset, AccountType.ACCOUNT_TYPE_GENERAL, party));
  }

  system(type: keyof typeof AccountType, asset = COIN, market?: string): bigint {
    return this.collateral.balance(accountId(asset, AccountType[type], undefined, market));
  }
}

/** A transfer of 1,000 coins from Alice to Bob, except for what is given. */
export function transferOf(command: Init<Transfer>): Transfer {
  return decodeTransfer(
    encodeTransfer({
      fromAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      to: BOB,
      toAccountType: AccountType.ACCOUNT_TYPE_GENERAL,
      asset: COIN,
      amount: "1000",
      ...command,
    }),
  );
}

const NAMES = new Map([
  [ALICE, "alice"],
  [BOB, "bob"],
  ["0".repeat(64), "zeros"],
]);
const who = (text: string | undefined) => NAMES.get(text ?? "") ?? text ?? "*";
const nameOf = (type: number) =>
  Object.entries(AccountType)
    .find(([, number]) => number === type)![0]
    .slice("ACCOUNT_TYPE_".length)
    .toLowerCase();

/** An event as one line: what is compared in the tests of order. */
function lineOf(event: BusEvent): string {
  const { account, party, ledgerMovements, deposit, withdrawal, transfer, checkpoint, nodeSignature } = event;
  if (party) return `party ${who(party.id)}`;
  if (account) return `account ${who(account.owner)} ${nameOf(account.type)} ${account.balance}`;
  if (ledgerMovements) {
    const entries = ledgerMovements.ledgerMovements.flatMap((movement) => movement.entries);
    return `ledger ${entries.map(({ type, amount }) => `${type}:${amount}`).join(" ")}`;
  }
  if (deposit) return `deposit ${who(deposit.partyId)} ${deposit.amount} status ${deposit.status}`;
  if (withdrawal)
    return `withdrawal ${who(withdrawal.partyId)} ${withdrawal.amount} status ${withdrawal.status}`;
  if (transfer)
    return `transfer ${transfer.amount} status ${transfer.status} ${transfer.reason ?? ""}`.trim();
  if (checkpoint) return "checkpoint";
  if (nodeSignature) return `signature ${nodeSignature.id.slice(-2)} ${nodeSignature.kind}`;
  return JSON.stringify(Object.keys(event));
}
