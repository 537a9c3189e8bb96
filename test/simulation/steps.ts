/**
 * The steps of a simulation, as plain data: a sequence can be printed, made shorter and run again. Amounts and
 * choices are relative ("the balance and one more", "the third transfer"), so that a step still means something when
 * those before it are gone.
 */
import { unsigned } from "../../src/testing/market-commands.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";
import type { CommandKind } from "../../src/wire/transaction-commands.ts";
import { accountOf, NETWORK, Type, UINT_MAX, ZERO_PARTY } from "./naive-book.ts";
import type { NaiveLedger } from "./naive-ledger.ts";
import { totalOf } from "./naive-staking.ts";
import { ASSETS, everybody, RECEIVER, TOKEN, UNKNOWN, VALIDATORS, VOTE, type World } from "./world.ts";

export type Base = "plain" | "minimum" | "balance" | "affordable" | "free" | "delegated" | "2^63" | "2^255";

export interface Amount {
  readonly base: Base;
  /** Added to the base; multiplied with ten as often as `zeros` says. */
  readonly plus: number;
  readonly zeros: number;
}

export type Step =
  | { do: "block"; stepMs: number; proposer: number; voters: number }
  | {
      do: "deposit";
      by: number;
      to: number;
      asset: number;
      amount: Amount;
      wrongClass: boolean;
      nonce: number;
    }
  | { do: "withdraw"; party: number; asset: number; amount: Amount; details: boolean }
  | { do: "sign"; by: number; pick: number }
  | { do: "claim"; by: number; pick: number; how: "ref" | "nonsense" | "unknown"; nonce: number }
  | { do: "bridge"; by: number; stop: boolean; nonce: number }
  | { do: "pay"; party: number; to: number; asset: number; amount: Amount; laterMs: number | undefined }
  | {
      do: "repeat";
      party: number;
      to: number;
      asset: number;
      amount: Amount;
      pool: number;
      start: number;
      epochs: number | undefined;
      factor: string;
      strategy: boolean;
    }
  | { do: "cancel"; party: number; pick: number }
  | { do: "stake"; by: number; party: number; amount: Amount; link: boolean; time: number; nonce: number }
  | { do: "supply"; by: number; amount: Amount; nonce: number }
  | { do: "delegate"; party: number; node: number; amount: Amount }
  | { do: "undelegate"; party: number; node: number; amount: Amount | string; now: boolean }
  | { do: "propose"; party: number; change: number; closeS: number; enactS: number }
  | { do: "vote"; party: number; pick: number; yes: boolean };

export type CommandStep = Exclude<Step, { do: "block" }>;

/** Parameters that proposals change, with their values; the first is a free-form proposal. */
export const CHANGES: readonly (readonly [key: string, value: string])[] = [
  ["", ""],
  ["transfer.fee.factor", "0"],
  ["transfer.fee.factor", "0.25"],
  ["transfer.fee.factor", "0.3333333333333333333"],
  ["transfer.fee.factor", "1.1"],
  ["transfer.fee.factor", "much"],
  ["transfer.minTransferQuantumMultiple", "0"],
  ["transfer.minTransferQuantumMultiple", "7.77"],
  ["spam.protection.minimumWithdrawalQuantumMultiple", "0.0001"],
  ["spam.protection.minimumWithdrawalQuantumMultiple", "99.9"],
  ["spam.protection.minimumWithdrawalQuantumMultiple", "1000000"],
  ["validators.delegation.minAmount", "1000"],
  ["validators.delegation.minAmount", "0"],
  ["validators.epoch.length", "20s"],
  ["validators.epoch.length", "1s"],
  ["validators.epoch.length", "0s"],
  ["reward.staking.delegation.delegatorShare", "0.123456789012345678"],
  ["governance.proposal.freeform.requiredMajority", "0.5"],
  ["governance.proposal.freeform.requiredParticipation", "1"],
  ["blockchains.ethereumConfig", "{}"],
  ["no.such.parameter", "1"],
];

const POOLS = [4, 12, 14, 15, 16, 17, 1, 9] as const;

/** Turns steps into transactions, with what the ledger knows. */
export class Realizer {
  private readonly who: readonly string[];

  constructor(
    private readonly world: World,
    private readonly ledger: NaiveLedger,
    /** Sum of each asset's deposits: all of them together must stay within 256 bits. */
    private readonly deposited = new Map<string, bigint>(),
    private count = 0,
  ) {
    this.who = everybody(world.nodes);
  }

  /** The same, to go another way. */
  copy(ledger: NaiveLedger): Realizer {
    return new Realizer(this.world, ledger, new Map(this.deposited), this.count);
  }

  node(at: number): (typeof VALIDATORS)[number] {
    return VALIDATORS[at % this.world.nodes]!;
  }

  /** Undefined for a step that has nothing to refer to. */
  transaction(step: CommandStep): CheckedTransaction | undefined {
    switch (step.do) {
      case "deposit":
        return this.deposit(step);
      case "withdraw":
        return this.withdraw(step);
      case "sign":
        return undefined;
      case "claim":
        return this.claim(step);
      case "bridge": {
        const erc20 = {
          index: 0n,
          block: BigInt(step.nonce + 1),
          [step.stop ? "bridgeStopped" : "bridgeResumed"]: true,
        };
        return this.event(step.by, { ...this.ethereum("b", step.nonce), erc20 });
      }
      case "pay":
        return this.pay(step);
      case "repeat":
        return this.repeat(step);
      case "cancel": {
        const ids = this.ledger.data.transferIds;
        const transferId = ids.at(-1 - step.pick) ?? UNKNOWN;
        return this.tx(this.party(step.party), "cancelTransfer", { transferId });
      }
      case "stake":
        return this.stake(step);
      case "supply": {
        const totalSupply = { tokenAddress: RECEIVER, totalSupply: `${this.amount(step.amount, {})}` };
        return this.event(step.by, {
          txId: "internal",
          nonce: BigInt(step.nonce),
          stakingEvent: { index: 0n, block: 1n, totalSupply },
        });
      }
      case "delegate":
      case "undelegate":
        return this.delegation(step);
      case "propose":
        return this.propose(step);
      case "vote": {
        const { ids } = this.ledger.data.governance;
        const proposalId = ids.at(-1 - step.pick) ?? UNKNOWN;
        return this.tx(this.party(step.party), "voteSubmission", { proposalId, value: step.yes ? 2 : 1 });
      }
    }
  }

  /** A transaction as it would be after admission. */
  tx(party: string, kind: CommandKind, payload: object): CheckedTransaction {
    this.count += 1;
    return unsigned(party, kind, payload, idOf(this.count), BigInt(this.count));
  }

  private party(at: number): string {
    // The treasury sends nothing.
    return this.who[at % (this.who.length - 1)]!;
  }

  private receiver(at: number): string {
    return this.who.at(at % this.who.length)!;
  }

  private event(by: number, payload: object): CheckedTransaction {
    // Now and then a key that is not a validator's reports.
    const sender = by === 99 ? this.who[0]! : hexKey(this.node(by).vega(1).publicKey);
    return this.tx(sender, "chainEvent", payload);
  }

  private ethereum(kind: string, nonce: number) {
    const txId = `0x${kind}${nonce.toString(16).padStart(63, "0")}`;
    return { txId, nonce: BigInt(nonce) };
  }

  private deposit({ by, to, asset: at, amount, wrongClass, nonce }: CommandStep & { do: "deposit" }) {
    const asset = ASSETS[at % ASSETS.length]!;
    const party = this.receiver(to);
    const isErc20 = (asset === TOKEN) !== wrongClass;
    const treasury = this.ledger.book.balance(accountOf(NETWORK, asset, Type.treasury));
    let value = this.amount(amount, {});
    const before = this.deposited.get(asset) ?? 0n;
    // More than 256 bits only where nothing is ever taken out again, or balances elsewhere could overflow.
    const isTooMuch = party === ZERO_PARTY && asset !== TOKEN && treasury + value > UINT_MAX;
    if (!isTooMuch && !wrongClass) {
      if (before + value > UINT_MAX) value = UINT_MAX - before;
      this.deposited.set(asset, before + value);
    }
    if (!isErc20) {
      const deposit = { vegaAssetId: asset, partyId: party, amount: `${value}` };
      return this.event(by, { txId: "", nonce: BigInt(nonce), builtin: { deposit } });
    }
    const deposit = {
      vegaAssetId: nonce % 2 === 0 ? asset : `0x${asset}`,
      sourceEthereumAddress: RECEIVER,
      targetPartyId: nonce % 3 === 0 ? party : `0x${party}`,
      amount: `${value}`,
    };
    const erc20 = { index: BigInt(nonce % 2), block: BigInt(nonce % 5), deposit };
    return this.event(by, { ...this.ethereum("d", nonce), erc20 });
  }

  private withdraw({ party: at, asset: assetAt, amount, details }: CommandStep & { do: "withdraw" }) {
    const asset = ASSETS[assetAt % ASSETS.length]!;
    const party = this.party(at);
    const isListed = this.ledger.data.assets.has(asset);
    const minimum = isListed ? this.ledger.minimumWithdrawal(asset) : 0n;
    const value = this.amount(amount, { minimum, balance: this.balance(party, asset) });
    const ext = details ? { erc20: { receiverAddress: RECEIVER } } : undefined;
    return this.tx(party, "withdrawSubmission", { amount: `${value}`, asset, ext });
  }

  /** The withdrawal that a step picks: 0 is the last. */
  withdrawal(pick: number): [id: string, { readonly ref: string }] | undefined {
    return [...this.ledger.data.withdrawals].at(-1 - pick);
  }

  private claim({ by, pick, how, nonce }: CommandStep & { do: "claim" }) {
    const reference = this.withdrawal(pick)?.[1].ref ?? "17";
    const referenceNonce = how === "ref" ? reference : how === "nonsense" ? "0xff" : "18";
    const withdrawal = { vegaAssetId: TOKEN, targetEthereumAddress: RECEIVER, referenceNonce };
    const erc20 = { index: 0n, block: 1n, withdrawal };
    return this.event(by, { ...this.ethereum("c", nonce), erc20 });
  }

  private transferAmount(party: string, asset: string, amount: Amount): bigint {
    const isListed = this.ledger.data.assets.has(asset);
    const balance = this.balance(party, asset);
    const minimum = isListed ? this.ledger.minimumTransfer(asset) : 0n;
    return this.amount(amount, { minimum, balance, affordable: this.affordable(balance) });
  }

  /** The most that can be sent, fee included. */
  private affordable(balance: bigint): bigint {
    let low = 0n;
    let high = balance;
    while (low < high) {
      const middle = (low + high + 1n) / 2n;
      if (middle + this.ledger.fee(middle) <= balance) low = middle;
      else high = middle - 1n;
    }
    return low;
  }

  private pay({ party: at, to: toAt, asset: assetAt, amount, laterMs }: CommandStep & { do: "pay" }) {
    const asset = ASSETS[assetAt % ASSETS.length]!;
    const party = this.party(at);
    const to = this.receiver(toAt);
    const { now } = this.ledger.data;
    return this.tx(party, "transfer", {
      fromAccountType: 4,
      to,
      toAccountType: to === ZERO_PARTY ? 12 : 4,
      asset,
      amount: `${this.transferAmount(party, asset, amount)}`,
      reference: "",
      oneOff: { deliverOn: laterMs === undefined ? 0n : now + BigInt(laterMs) * 1_000_000n },
      recurring: undefined,
    });
  }

  private repeat(step: CommandStep & { do: "repeat" }) {
    const asset = ASSETS[step.asset % ASSETS.length]!;
    const party = this.party(step.party);
    const pool = POOLS[step.pool % POOLS.length]!;
    const isPool = pool !== 4;
    const isMetric = pool >= 14;
    const startEpoch = this.ledger.data.epoch.seq + BigInt(step.start);
    const strategy = { assetForMetric: asset, metric: pool - 13, markets: [] };
    return this.tx(party, "transfer", {
      fromAccountType: 4,
      to: isPool ? ZERO_PARTY : this.party(step.to),
      toAccountType: pool,
      asset,
      amount: `${this.transferAmount(party, asset, step.amount)}`,
      reference: "",
      oneOff: undefined,
      recurring: {
        startEpoch,
        endEpoch: step.epochs === undefined ? undefined : startEpoch + BigInt(step.epochs),
        factor: step.factor,
        dispatchStrategy: isMetric && step.strategy ? strategy : undefined,
      },
    });
  }

  private stake({ by, party: at, amount, link, time, nonce }: CommandStep & { do: "stake" }) {
    const vegaPublicKey = this.party(at);
    const free = this.ledger.staking.balance(vegaPublicKey) ?? 0n;
    const value = this.amount(amount, { free, balance: free });
    const event = { ethereumAddress: RECEIVER, vegaPublicKey, amount: `${value}`, blockTime: BigInt(time) };
    const action = link ? { stakeDeposited: event } : { stakeRemoved: event };
    return this.event(by, {
      ...this.ethereum("5", nonce),
      stakingEvent: { index: 0n, block: BigInt(nonce), ...action },
    });
  }

  private delegation(step: CommandStep & { do: "delegate" | "undelegate" }) {
    const party = this.party(step.party);
    const nodeId = step.node === 99 ? UNKNOWN : this.node(step.node).nodeId;
    const { current, next } = this.ledger.data.staking;
    const free = (this.ledger.staking.balance(party) ?? 0n) - totalOf(next, party);
    const here = [current, next].map((map) => map.get(party)?.get(nodeId) ?? 0n);
    const delegated = here[step.party % 2]!;
    if (step.do === "delegate") {
      const amount = this.amount(step.amount, { free: free < 0n ? 0n : free, delegated });
      return this.tx(party, "delegateSubmission", { nodeId, amount: `${amount}` });
    }
    const { amount: requested } = step;
    const amount =
      typeof requested === "string" ? requested : `${this.amount(requested, { delegated, free: 0n })}`;
    return this.tx(party, "undelegateSubmission", { nodeId, amount, method: step.now ? 1 : 2 });
  }

  private propose({ party, change, closeS, enactS }: CommandStep & { do: "propose" }) {
    const [key, value] = CHANGES[change % CHANGES.length]!;
    const now = this.ledger.data.now / SECOND_NS;
    const closingTimestamp = now + BigInt(closeS);
    const isFreeform = key === "";
    const change_ = isFreeform
      ? { newFreeform: {} }
      : { updateNetworkParameter: { changes: { key, value } } };
    return this.tx(this.party(party), "proposalSubmission", {
      reference: "",
      rationale: { title: "t", description: "d" },
      terms: {
        closingTimestamp,
        enactmentTimestamp: isFreeform ? 0n : closingTimestamp + BigInt(enactS),
        validationTimestamp: 0n,
        ...change_,
      },
    });
  }

  private balance(party: string, asset: string): bigint {
    return this.ledger.book.balance(accountOf(party, asset, Type.general));
  }

  private amount({ base, plus, zeros }: Amount, values: Partial<Record<Base, bigint>>): bigint {
    const bases: Partial<Record<Base, bigint>> = { ...values, "2^63": 1n << 63n, "2^255": 1n << 255n };
    const value = (bases[base] ?? 0n) + BigInt(plus) * 10n ** BigInt(zeros);
    return value < 0n ? 0n : value;
  }
}

/** Ids in no order: the digits of a number, mixed. */
function idOf(count: number): string {
  let text = "";
  let seed = count;
  while (text.length < 64) {
    seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    seed ^= seed >>> 13;
    text += (seed >>> 0).toString(16).padStart(8, "0");
  }
  return text;
}

const hexKey = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** The refusal of a command that needs no state (docs/protocol/30-node-api-commands.md#4-commands). */
export function statelessText({ kind, payload }: CheckedTransaction): string | undefined {
  const texts: string[] = [];
  if (kind === "transfer") {
    if (payload.amount === "0") texts.push("transfer.amount (is required)");
    if (payload.asset === VOTE) texts.push("transfer.asset (should be a valid vega ID)");
    const strategy = payload.recurring?.dispatchStrategy;
    if (strategy?.assetForMetric === VOTE) {
      texts.push("transfer.kind.dispatch_strategy.asset_for_metric (should be a valid vega ID)");
    }
    if (payload.recurring?.startEpoch === 0n) texts.push("transfer.kind.start_epoch (must be positive)");
    if (payload.recurring?.endEpoch === 0n) texts.push("transfer.kind.end_epoch (must be positive)");
  } else if (kind === "withdrawSubmission") {
    if (payload.amount === "0") texts.push("withdraw_submission.amount (is required)");
    if (payload.asset === VOTE) texts.push("withdraw_submission.asset (should be a valid vega ID)");
  } else if (kind === "delegateSubmission" && payload.amount === "0") {
    texts.push("delegate_submission.amount (is required)");
  }
  return texts.length === 0 ? undefined : texts.sort().join(", ");
}
