/**
 * A naive ledger: the chain's money and votes as Maps and bigints, written from docs/protocol/60-*.md without looking at
 * the engine. It is slow, it stores nothing and it emits nothing: it says what clients should see. Everything that it
 * remembers is in `data`, so that a copy of that is a copy of the ledger.
 */
import { Decimal } from "../../src/wire/decimal.ts";
import type {
  CancelTransfer,
  ChainEvent,
  Transfer,
  WithdrawSubmission,
} from "../../src/wire/generated/commands.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";
import {
  accountOf,
  Book,
  type BookData,
  DAY,
  durationOf,
  Facts,
  Movement,
  NETWORK,
  type Outcome,
  Refusal,
  type Resource,
  Type,
  UINT_MAX,
  ZERO_PARTY,
} from "./naive-book.ts";
import { Governance, type GovernanceData } from "./naive-governance.ts";
import { Nodes, type NodesData } from "./naive-nodes.ts";
import { Staking, type StakingData } from "./naive-staking.ts";

export interface Verdict {
  readonly code: number;
  readonly text: string | RegExp | undefined;
}

interface Deposit {
  readonly party: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly txHash: string;
  readonly created: bigint;
}

interface Withdrawal {
  readonly party: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly ref: string;
  readonly created: bigint;
  readonly isFinal: boolean;
  readonly isErc20: boolean;
  readonly signatures: Set<string>;
}

interface SentTransfer {
  readonly id: string;
  readonly from: string;
  readonly command: Transfer;
  readonly sent: bigint;
}

export interface LedgerData extends BookData {
  readonly parameters: Map<string, string>;
  readonly staking: StakingData;
  readonly nodes: NodesData;
  readonly governance: GovernanceData;
  readonly resources: Map<string, Resource>;
  readonly seenEvents: Set<string>;
  readonly seenRefs: Set<string>;
  readonly deposits: Map<string, Deposit>;
  readonly withdrawals: Map<string, Withdrawal>;
  withdrawalCount: bigint;
  isBridgeStopped: boolean;
  /** Ethereum block of the event that did it. */
  bridgeSwitchedAt: bigint;
  scheduled: SentTransfer[];
  recurring: SentTransfer[];
  /** Ids of all transfers ever accepted, for those who pick one to cancel. */
  readonly transferIds: string[];
  now: bigint;
  epoch: { seq: bigint; start: bigint; expire: bigint; phase: "runs" | "over" | "closes" };
}

const Status = { pending: 1, done: 2, rejected: 3, stopped: 4, cancelled: 5 } as const;

export class NaiveLedger {
  readonly facts = new Facts();
  readonly book: Book;
  readonly staking: Staking;
  readonly nodes: Nodes;
  readonly governance: Governance;
  private proposer = "";
  /** Resources on which the witnesses agreed in this tick, or failed to in time. */
  private outcomes: Outcome[] = [];

  constructor(readonly data: LedgerData) {
    this.book = new Book(data, this.facts);
    this.staking = new Staking(this);
    this.nodes = new Nodes(this);
    this.governance = new Governance(this);
  }

  /** The same once more, for another way through time. */
  copy(): NaiveLedger {
    return new NaiveLedger(structuredClone(this.data));
  }

  get nowSeconds(): bigint {
    return this.data.now / SECOND_NS;
  }

  parameter(key: string): string {
    const value = this.data.parameters.get(key);
    if (value === undefined) throw new Error(`the model does not know the parameter ${key}`);
    return value;
  }

  decimal(key: string): Decimal {
    return Decimal.parse(this.parameter(key));
  }

  minimum(asset: string, key: string): bigint {
    return Decimal.parse(this.data.assets.get(asset)!.quantum).times(this.decimal(key)).truncated();
  }

  minimumTransfer(asset: string): bigint {
    return this.minimum(asset, "transfer.minTransferQuantumMultiple");
  }

  minimumWithdrawal(asset: string): bigint {
    return this.minimum(asset, "spam.protection.minimumWithdrawalQuantumMultiple");
  }

  fee(amount: bigint): bigint {
    return Decimal.of(amount).times(this.decimal("transfer.fee.factor")).truncated();
  }

  // The life of a block (docs/protocol/60-state-engine-blocks.md#14-beginblock-order, #15-tick-listener-order-exact,
  // #17-epochs and #18-endblock-and-commit)

  beginBlock(now: bigint, proposer: string): void {
    this.data.now = now;
    this.proposer = proposer;
    this.tickEpoch();
    this.tickWitness();
    this.staking.take(
      this.outcomes.filter(({ resource: { kind } }) => kind === "stake" || kind === "supply"),
    );
    this.staking.tick();
    this.tickDeposits();
    this.tickScheduled();
    this.outcomes = [];
    this.governance.tick();
    this.nodes.countProposer(this.proposer);
  }

  endBlock(): void {
    const { epoch } = this.data;
    if (epoch.phase === "over") epoch.phase = "closes";
    this.nodes.endBlock();
    this.book.checkConservation();
  }

  private tickEpoch(): void {
    const { epoch, now } = this.data;
    if (epoch.phase === "closes") {
      this.facts.add("epoch", epoch.seq, 2, epoch.start, epoch.expire, now);
      this.payRecurring();
      this.staking.endEpoch(epoch.seq);
      epoch.seq += 1n;
      epoch.start = now;
      epoch.expire = now + durationOf(this.parameter("validators.epoch.length"));
      epoch.phase = "runs";
      this.facts.add("epoch", epoch.seq, 1, epoch.start, epoch.expire, -6795364578871345152n);
      this.staking.startEpoch();
    } else if (epoch.expire < now) {
      epoch.phase = "over";
    }
  }

  private tickWitness(): void {
    const { resources, now } = this.data;
    for (const id of [...resources.keys()].sort()) {
      const resource = resources.get(id)!;
      const isAccepted = this.nodes.hasPower(resource.votes);
      if (!isAccepted && resource.deadline >= now) continue;
      this.outcomes.push({ id, resource, isAccepted });
      resources.delete(id);
    }
  }

  private tickDeposits(): void {
    const { seenRefs, deposits, now } = this.data;
    for (const { id, resource, isAccepted } of this.outcomes) {
      const { kind, ref, subject } = resource;
      if (kind !== "deposit" && kind !== "bridge") continue;
      if (!isAccepted || seenRefs.has(ref)) continue;
      seenRefs.add(ref);
      if (kind === "bridge") {
        this.switchBridge(subject);
        continue;
      }
      const { party, asset, amount, txHash, created } = deposits.get(id)!;
      const isTreasury = party === ZERO_PARTY;
      const held = this.book.balance(
        isTreasury ? accountOf(NETWORK, asset, Type.treasury) : accountOf(party, asset, Type.general),
      );
      if (held + amount > UINT_MAX) {
        this.facts.add("deposit", id, 2, party, asset, amount, txHash, created, 0);
        continue;
      }
      const to = this.book.target(party, asset, isTreasury ? Type.treasury : Type.general);
      this.book.deposit(asset, to, amount);
      this.facts.add("deposit", id, 3, party, asset, amount, txHash, created, now);
    }
  }

  /** Ours: the later event on Ethereum decides, whichever was agreed on first (docs/compatibility.md). */
  private switchBridge(subject: string): void {
    const [action, block] = subject.split(" ") as [string, string];
    if (BigInt(block) <= this.data.bridgeSwitchedAt) return;
    this.data.bridgeSwitchedAt = BigInt(block);
    this.data.isBridgeStopped = action === "stopped";
  }

  private tickScheduled(): void {
    const { now } = this.data;
    const isDue = ({ command }: SentTransfer) => command.oneOff!.deliverOn <= now;
    const due = this.data.scheduled.filter(isDue);
    if (due.length === 0) return;
    this.data.scheduled = this.data.scheduled.filter((transfer) => !isDue(transfer));
    // A stable sort: those of one moment stay in the order of their submission.
    due.sort((a, b) => Number(a.command.oneOff!.deliverOn - b.command.oneOff!.deliverOn));
    for (const { command } of due) this.distribute(command, BigInt(command.amount));
    this.book.flush();
    for (const transfer of due) this.tellTransfer(transfer, Status.done);
  }

  // Commands

  execute(tx: CheckedTransaction): Verdict {
    const { kind, payload, party, id } = tx;
    try {
      switch (kind) {
        case "chainEvent":
          this.chainEvent(payload, party, id, tx.hash);
          break;
        case "nodeVote":
          this.nodes.mustBeNode(party);
          this.data.resources.get(payload.reference)?.votes.add(party);
          break;
        case "nodeSignature":
          this.nodes.mustBeNode(party);
          this.data.withdrawals.get(payload.id)!.signatures.add(party);
          break;
        case "withdrawSubmission":
          this.withdraw(payload, party, id);
          break;
        case "transfer":
          this.transfer(payload, party, id);
          break;
        case "cancelTransfer":
          this.cancel(payload, party);
          break;
        case "delegateSubmission":
          this.staking.delegate(party, payload);
          break;
        case "undelegateSubmission":
          this.staking.undelegate(party, payload);
          break;
        case "proposalSubmission":
          this.governance.submit(payload, party, id);
          break;
        case "voteSubmission":
          this.governance.vote(payload, party);
          break;
        default:
          throw new Error(`the model does not know ${kind}`);
      }
      return { code: 0, text: "" };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { code: error.code, text: error.text };
    }
  }

  // Chain events (docs/protocol/60-state-engine-accounts.md#32-chain-event-intake-all-kinds to #34-erc20-deposit-flow,
  // #36-other-erc20-chain-events, #45-claim-on-ethereum and docs/protocol/60-state-engine-staking.md#71-stake-linking)

  private chainEvent(event: ChainEvent, sender: string, id: string, _hash: string): void {
    this.nodes.mustBeNode(sender);
    const key = JSON.stringify(event, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
    if (this.data.seenEvents.has(key)) return;
    const { builtin, erc20, stakingEvent, txId, nonce } = event;
    if (builtin?.deposit) {
      const { vegaAssetId, partyId, amount } = builtin.deposit;
      this.depositEvent(key, id, false, `builtin ${nonce}`, vegaAssetId, partyId, amount, "");
    } else if (erc20?.deposit) {
      const { vegaAssetId, targetPartyId, amount } = erc20.deposit;
      this.depositEvent(key, id, true, refOf(event), vegaAssetId, targetPartyId, amount, txId);
    } else if (erc20?.withdrawal) {
      this.claim(erc20.withdrawal.vegaAssetId, erc20.withdrawal.referenceNonce, txId);
    } else if (erc20?.bridgeStopped || erc20?.bridgeResumed) {
      const subject = `${erc20.bridgeStopped ? "stopped" : "resumed"} ${erc20.block}`;
      this.ask(id, "bridge", 30n * DAY, refOf(event), subject);
    } else if (stakingEvent) {
      this.staking.event(stakingEvent, txId, id);
    } else {
      throw new Error("the model does not know this chain event");
    }
    this.data.seenEvents.add(key);
  }

  /** Something to be witnessed. */
  ask(id: string, kind: Resource["kind"], time: bigint, ref: string, subject: string): void {
    const deadline = this.data.now + time;
    this.data.resources.set(id, { kind, deadline, votes: new Set(), ref, subject });
  }

  private depositEvent(
    key: string,
    id: string,
    isErc20: boolean,
    ref: string,
    assetText: string,
    partyText: string,
    amountText: string,
    txHash: string,
  ): void {
    const asset = assetText.replace(/^0x/, "");
    const party = partyText.replace(/^0x/, "");
    const listed = this.data.assets.get(asset);
    if (listed === undefined) throw new Refusal(/asset does not exist/);
    const amount = BigInt(amountText);
    // Ours, not the network's: nobody and nothing cannot be deposited (docs/compatibility.md).
    if (amount <= 0n || amount > UINT_MAX) throw new Refusal(undefined);
    const tell = (status: number) =>
      this.facts.add("deposit", id, status, party, asset, amount, txHash, this.data.now, 0);
    if (listed.isErc20 !== isErc20) {
      if (!isErc20) tell(1);
      tell(2);
      this.data.seenEvents.add(key);
      throw new Refusal(
        isErc20 ? /non ERC20 for ERC20 chain event/ : "non builtin asset used for builtin asset chain event",
      );
    }
    tell(1);
    this.data.deposits.set(id, { party, asset, amount, txHash, created: this.data.now });
    this.ask(id, "deposit", 30n * DAY, ref, id);
  }

  private claim(asset: string, nonce: string, txId: string): void {
    if (!this.data.assets.has(asset)) throw new Refusal(/asset does not exist/);
    if (!/^\d+$/.test(nonce)) throw new Refusal("invalid withdrawal reference nonce");
    const entry = [...this.data.withdrawals].find(([, { ref, isErc20 }]) => isErc20 && ref === nonce);
    if (entry === undefined) throw new Refusal("invalid reference for withdrawal chain event");
    const [id, withdrawal] = entry;
    if (!withdrawal.isFinal) throw new Refusal("invalid withdrawal state");
    if (!this.nodes.hasHeads(withdrawal.signatures)) throw new Refusal("withdrawal not ready");
    this.tellWithdrawal(id, withdrawal, 3, txId, this.data.now);
  }

  // Withdrawals (docs/protocol/60-state-engine-accounts.md#4-withdrawals-and-erc20-approval-bundles)

  private withdraw({ asset, amount: text, ext }: WithdrawSubmission, party: string, id: string): void {
    const listed = this.data.assets.get(asset);
    if (listed === undefined) throw new Refusal("asset does not exist");
    const { isErc20 } = listed;
    if (isErc20 && ext?.erc20 === undefined) throw new Refusal("missing withdraw submission erc20 ext");
    if (isErc20 && this.data.isBridgeStopped) {
      throw new Refusal("withdrawal issuance is disabled when the erc20 is stopped");
    }
    const amount = BigInt(text);
    const ref = String(this.data.withdrawalCount + this.nowSeconds);
    this.data.withdrawalCount += 1n;
    const base = {
      party,
      asset,
      amount,
      ref,
      created: this.data.now,
      isErc20,
      signatures: new Set<string>(),
    };
    const withdrawal = (isFinal: boolean): Withdrawal => ({ ...base, isFinal });
    if (isErc20) this.tellWithdrawal(id, withdrawal(false), 1, "", 0n);
    const reject = (text: string): never => {
      this.data.withdrawals.set(id, withdrawal(false));
      this.tellWithdrawal(id, withdrawal(false), 2, "", 0n);
      throw new Refusal(text);
    };
    if (isErc20 && amount < this.minimumWithdrawal(asset))
      reject("invalid withdrawal, amount under minimum required");
    const general = accountOf(party, asset, Type.general);
    if (!this.book.has(general)) reject("account does not exists");
    if (this.book.balance(general) < amount) reject("not enough funds to withdraw");
    this.book.withdraw(asset, general, amount);
    this.data.withdrawals.set(id, withdrawal(true));
    this.tellWithdrawal(id, withdrawal(true), 3, "", 0n);
  }

  private tellWithdrawal(
    id: string,
    { party, amount, asset, ref, created }: Withdrawal,
    ...rest: unknown[]
  ): void {
    const [status, txHash, claimed] = rest as [number, string, bigint];
    this.facts.add("withdrawal", id, status, party, amount, asset, ref, created, txHash, claimed);
  }

  // Transfers (docs/protocol/60-state-engine-staking.md#8-transfers-and-rewards)

  private transfer(command: Transfer, from: string, id: string): void {
    const transfer: SentTransfer = { id, from, command, sent: this.data.now };
    try {
      this.checkTransfer(command);
      if (command.oneOff !== undefined) this.oneOff(transfer);
      else this.repeat(transfer);
    } catch (error) {
      if (error instanceof Refusal) this.tellTransfer(transfer, Status.rejected, error.text);
      throw error;
    }
    this.data.transferIds.push(id);
  }

  private checkTransfer({ asset, amount, toAccountType }: Transfer): void {
    if (!this.data.assets.has(asset)) throw new Refusal("could not transfer funds: asset does not exist");
    const isTarget = [4, 12, 14, 15, 16, 17].includes(toAccountType);
    if (!isTarget) throw new Refusal(/unsupported to account type$/);
    if (BigInt(amount) < this.minimumTransfer(asset)) throw new Refusal(TOO_LITTLE);
  }

  private oneOff(transfer: SentTransfer): void {
    const { command, from } = transfer;
    const amount = BigInt(command.amount);
    this.mustAfford(from, command.asset, amount);
    const deliverOn = command.oneOff!.deliverOn;
    const isLater = deliverOn !== 0n && deliverOn >= this.data.now;
    this.send(from, command, amount, !isLater);
    this.book.flush();
    if (isLater) this.data.scheduled.push(transfer);
    this.tellTransfer(transfer, Status.done);
  }

  private mustAfford(from: string, asset: string, amount: bigint): void {
    const general = accountOf(from, asset, Type.general);
    if (!this.book.has(general))
      throw new Refusal(/^could not pay the fee for transfer: account does not exist/);
    if (this.book.balance(general) < amount + this.fee(amount)) throw new Refusal(TOO_POOR);
  }

  private send(from: string, command: Transfer, amount: bigint, now: boolean): void {
    const { asset } = command;
    const general = accountOf(from, asset, Type.general);
    this.book.move(Movement.send, general, accountOf(NETWORK, asset, Type.pending), amount);
    if (now) this.distribute(command, amount);
    this.book.move(Movement.fee, general, accountOf(NETWORK, asset, Type.infrastructure), this.fee(amount));
  }

  private distribute({ asset, to, toAccountType }: Transfer, amount: bigint): void {
    const target = this.book.target(to, asset, toAccountType);
    this.book.move(Movement.distribute, accountOf(NETWORK, asset, Type.pending), target, amount);
  }

  private repeat(transfer: SentTransfer): void {
    const same = ({ from, command }: SentTransfer) =>
      JSON.stringify([
        from,
        command.to,
        command.asset,
        command.fromAccountType,
        command.toAccountType,
        command.recurring!.dispatchStrategy ?? null,
      ]);
    if (this.data.recurring.some((other) => same(other) === same(transfer))) {
      throw new Refusal("cannot submit duplicate recurring transfer with same from and to");
    }
    if (transfer.command.recurring!.startEpoch < this.data.epoch.seq)
      throw new Refusal("start epoch in the past");
    this.data.recurring.push(transfer);
    this.tellTransfer(transfer, Status.pending);
  }

  private payRecurring(): void {
    const epoch = this.data.epoch.seq;
    const ended: (() => void)[] = [];
    const remaining: SentTransfer[] = [];
    for (const transfer of this.data.recurring) {
      const { startEpoch, endEpoch, factor, dispatchStrategy } = transfer.command.recurring!;
      if (startEpoch > epoch) {
        remaining.push(transfer);
        continue;
      }
      const { asset, amount: text } = transfer.command;
      const amount = Decimal.of(BigInt(text))
        .times(Decimal.parse(factor).power(epoch - startEpoch))
        .truncated();
      try {
        if (amount < this.minimumTransfer(asset)) throw new Refusal(TOO_LITTLE);
        this.mustAfford(transfer.from, asset, amount);
        // There is no market that could score: a transfer with a strategy moves nothing and lives on.
        if (dispatchStrategy === undefined) this.send(transfer.from, transfer.command, amount, true);
        if (endEpoch === epoch) ended.push(() => this.tellTransfer(transfer, Status.done));
        else remaining.push(transfer);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        ended.push(() => this.tellTransfer(transfer, Status.stopped, error.text));
      }
    }
    this.data.recurring = remaining;
    this.book.flush();
    for (const tell of ended) tell();
  }

  private cancel({ transferId }: CancelTransfer, party: string): void {
    const transfer = this.data.recurring.find(({ id }) => id === transferId);
    if (transfer === undefined) throw new Refusal("recurring transfer does not exists");
    if (transfer.from !== party) throw new Refusal("cannot cancel other parties recurring transfers");
    this.data.recurring = this.data.recurring.filter((other) => other !== transfer);
    this.tellTransfer(transfer, Status.cancelled, "transfer cancelled");
  }

  private tellTransfer(
    { id, from, command, sent }: SentTransfer,
    status: number,
    reason?: string | RegExp,
  ): void {
    const { to, toAccountType, asset, amount } = command;
    // The reason is compared with the result's text, which is compared with the refusal: not twice.
    const why = reason instanceof RegExp ? "*" : reason;
    this.facts.add("transfer", id, status, from, to, toAccountType, asset, amount, sent, why);
  }
}

const TOO_LITTLE = "could not transfer funds, less than minimal amount requested to transfer";
const TOO_POOR = "could not pay the fee for transfer: not enough funds to transfer";

function refOf({ txId, erc20 }: ChainEvent): string {
  return `erc20 ${erc20!.block} ${txId} ${erc20!.index}`;
}
