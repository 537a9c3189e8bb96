/** Facts of a recording that its execution wants before the first block. */

import type { RecordedBlock, RecordedEvent } from "./recorded-blocks.ts";
import { accountKey, entriesOf, GENERAL, isParty, type LedgerEntry } from "./recorded-money.ts";

const STATE_OPEN = 2;
/** Events that every market makes at each tick or with each trade. */
const ALWAYS_MADE = [
  "ledgerMovements",
  "marketData",
  "marketTick",
  "marginLevels",
  "positionStateEvent",
  "settlePosition",
];
/** Events that show a market, with its id. */
export const MARKET_SHOWN: Readonly<Record<string, (payload: RecordedEvent["payload"]) => string>> = {
  marketCreated: ({ id }) => id,
  marketUpdated: ({ id }) => id,
  marketTick: ({ id }) => id,
  marketData: ({ market }) => market,
};

interface AssetOfRecording {
  readonly id: string;
  readonly decimals: number;
  readonly quantum: string;
}

/** Known of a recording before its first block is executed. */
export interface RecordingFacts {
  readonly assets: readonly AssetOfRecording[];
  /** Markets without an open proposal behind the first block: their state is not in the recording. */
  readonly foreignMarkets: ReadonlySet<string>;
  /** Kinds of events that a market with trades always makes, and the recording has none of. */
  readonly missingKinds: ReadonlySet<string>;
  /** Of general accounts that the first block does not show: what they held before they were first named. */
  readonly opening: ReadonlyMap<string, bigint>;
  /** Nodes restarted from a snapshot somewhere in it. */
  readonly hasUpgrade: boolean;
  /** Its rules are those before 0.71. */
  readonly isOlder: boolean;
  /** Its validators work price bounds out together, which takes some blocks. */
  readonly hasAgreements: boolean;
}

/** Gathers the facts of a recording, block by block. */
export class FactsOfRecording {
  private readonly assets = new Map<string, AssetOfRecording>();
  private readonly markets = new Set<string>();
  private readonly proposed = new Set<string>();
  private readonly kinds = new Set<string>();
  private readonly opening = new Map<string, bigint>();
  private readonly named = new Set<string>();
  private hasUpgrade = false;
  private isOlder = false;
  private hasAgreements = false;
  private isFirst = true;

  read({ events }: RecordedBlock): void {
    const isFirst = this.isFirst;
    this.isFirst = false;
    for (const { member, payload } of events) {
      this.kinds.add(member);
      const market = MARKET_SHOWN[member]?.(payload);
      if (market !== undefined) this.markets.add(market);
      if (!isFirst && isOpenMarket(member, payload)) this.proposed.add(payload.id);
      if (isFirst && member === "account" && payload.type === GENERAL)
        this.named.add(accountKey(payload.owner, payload.asset));
      if (!isFirst && member === "ledgerMovements") for (const entry of entriesOf(payload)) this.note(entry);
      if (isUpgrade(member, payload)) this.hasUpgrade = true;
      if (member === "stateVar") this.hasAgreements = true;
      if (member === "marketCreated" && payload.linearSlippageFactor === "") this.isOlder = true;
      if (member !== "asset" || payload.details === undefined) continue;
      const { id, details } = payload;
      this.assets.set(id, { id, decimals: Number(details.decimals), quantum: details.quantum });
    }
  }

  private note({ fromAccount, toAccount, amount, fromAccountBalance, toAccountBalance }: LedgerEntry): void {
    const open = (account: LedgerEntry, balance: string, change: bigint) => {
      if (account?.type !== GENERAL || !isParty(account.owner)) return;
      const key = accountKey(account.owner, account.assetId);
      if (!this.named.has(key) && balance !== "") this.opening.set(key, BigInt(balance) - change);
      this.named.add(key);
    };
    open(fromAccount, fromAccountBalance, -BigInt(amount));
    open(toAccount, toAccountBalance, BigInt(amount));
  }

  get facts(): RecordingFacts {
    const { hasUpgrade, isOlder, hasAgreements, kinds, opening } = this;
    return {
      assets: [...this.assets.values()],
      foreignMarkets: this.markets.difference(this.proposed),
      missingKinds: new Set(kinds.has("trade") ? ALWAYS_MADE.filter((kind) => !kinds.has(kind)) : []),
      opening,
      hasUpgrade,
      isOlder,
      hasAgreements,
    };
  }
}

export const isOpenMarket = (member: string, { state, terms }: RecordedEvent["payload"]): boolean =>
  member === "proposal" && state === STATE_OPEN && terms?.newMarket !== undefined;

/** The block is the last one before an upgrade. */
export const isUpgrade = (member: string, { protocolUpgradeBlock }: RecordedEvent["payload"]): boolean =>
  member === "coreSnapshotEvent" && protocolUpgradeBlock === true;
