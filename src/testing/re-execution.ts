/**
 * Executes the market commands of a recording anew, block by block at the recorded times and with the recorded identifiers, and
 * compares what comes of them with what the chain has recorded, event by event and field by field. Deposits, decided votes and
 * network parameters are taken from the recording: they are the other domains' affair.
 */
import { OLDER_RULES } from "../engine/markets/rules.ts";
import type { Difference, FieldDifference } from "./difference.ts";
import { createMarketRig, type MarketRig } from "./market-rig.ts";
import { isShownAgain, OlderNetwork } from "./older-networks.ts";
import type { RecordedBlock, RecordedEvent } from "./recorded-blocks.ts";

export interface Tally {
  /** Events that are the same in every field. */
  same: number;
  readonly differences: Difference[];
}

interface AssetOfRecording {
  readonly id: string;
  readonly decimals: number;
  readonly quantum: string;
}

/** Known of a recording before its first block is executed. */
interface RecordingFacts {
  readonly assets: readonly AssetOfRecording[];
  /** Its rules are those before 0.71. */
  readonly isOlder: boolean;
  /** Its validators work price bounds out together, which takes some blocks. */
  readonly hasAgreements: boolean;
}

/** Gathers the facts of a recording, block by block. */
export class FactsOfRecording {
  private readonly assets = new Map<string, AssetOfRecording>();
  private isOlder = false;
  private hasAgreements = false;

  read({ events }: RecordedBlock): void {
    for (const { member, payload } of events) {
      if (member === "stateVar") this.hasAgreements = true;
      if (member === "marketCreated" && payload.linearSlippageFactor === "") this.isOlder = true;
      if (member !== "asset") continue;
      const { id, details } = payload;
      this.assets.set(id, { id, decimals: Number(details.decimals), quantum: details.quantum });
    }
  }

  get facts(): RecordingFacts {
    const { isOlder, hasAgreements } = this;
    return { assets: [...this.assets.values()], isOlder, hasAgreements };
  }
}

const GENERAL = 4;
/** Insurance, settlement, margin, liquidity fees, bond, maker fees. */
const MARKET_ACCOUNTS: ReadonlySet<number> = new Set([1, 2, 3, 6, 7, 9]);
const STATE_OPEN = 2;
const STATE_PASSED = 3;
const STATE_DECLINED = 5;
const STATE_ENACTED = 6;
/** Parameters of other domains stay as they are by default: some of them would ask for what the rig does not have. */
const MARKET_PARAMETER =
  /^(market\.|network\.markPrice|network\.floating|limits\.markets|rewards\.marketCreation)/;
/** State variables of price bounds. */
const BOUNDS = /_([0-9a-f]{64})_bound-factors$/;

const MARKET_COMMANDS = [
  "orderSubmission",
  "orderAmendment",
  "orderCancellation",
  "liquidityProvisionSubmission",
  "liquidityProvisionAmendment",
  "liquidityProvisionCancellation",
  "batchMarketInstructions",
  "oracleDataSubmission",
] as const;

export class ReExecution {
  private readonly rig: MarketRig;
  /** Markets whose price bounds the chain's validators have agreed on by now. */
  private readonly agreed = new Set<string>();
  private readonly tallies = new Map<string, Tally>();
  private readonly older: OlderNetwork | undefined;
  private readonly lastOnly: ReadonlySet<string>;
  blocks = 0;
  commands = 0;

  /** @param first block of the recording: its state is where the execution begins */
  constructor(first: RecordedBlock, { assets, isOlder, hasAgreements }: RecordingFacts) {
    const parameters: Record<string, string> = {};
    for (const { member, payload } of first.events) {
      if (member === "networkParameter" && MARKET_PARAMETER.test(payload.key))
        parameters[payload.key] = payload.value;
    }
    this.rig = createMarketRig({
      assets: Object.fromEntries(assets.map(({ id, ...asset }) => [id, asset])),
      parameters,
      startSeconds: first.timeNs / 1_000_000_000n,
      ...(isOlder && { rules: OLDER_RULES }),
    });
    if (hasAgreements) this.rig.hasModels = (market) => this.agreed.has(market);
    this.lastOnly = new Set(isOlder ? ["marginLevels", "positionStateEvent"] : []);
    this.older = isOlder ? new OlderNetwork() : undefined;
    for (const { member, payload } of first.events) {
      if (member === "account" && payload.type === GENERAL && payload.owner && payload.balance !== "0")
        this.rig.deposit(payload.owner, payload.asset, BigInt(payload.balance));
    }
    this.rig.endBlock();
  }

  /** Errors of the engine that no rule meant. */
  get faults(): readonly unknown[] {
    return this.rig.faults;
  }

  /** By kind of event. */
  get results(): ReadonlyMap<string, Readonly<Tally>> {
    return new Map([...this.tallies].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  run(block: RecordedBlock): void {
    this.blocks++;
    this.rig.beginBlockAt(block.timeNs, block.hash);
    for (const event of block.events) {
      this.older?.note(event);
      this.takeOver(block, event);
      if (event.member === "transactionResult") this.deliver(block, event);
    }
    for (const { member, payload } of block.events) {
      const [, market] = (member === "stateVar" && BOUNDS.exec(payload.id)) || [];
      if (market !== undefined && /consensus_reached|perfect_match/.test(payload.state))
        this.agreed.add(market);
    }
    const made = saidOf(this.rig.endBlock(), this.lastOnly);
    this.rig.forgetEvents();
    this.compare(block.height, saidOf(block.events, this.lastOnly), made);
  }

  /** The recording decides on money, parameters and votes. */
  private takeOver(block: RecordedBlock, { member, payload }: RecordedEvent): void {
    const { rig } = this;
    if (member === "ledgerMovements") {
      const entries = entriesOf(payload);
      if (!entries.some(isOfMarket)) for (const entry of entries) this.moveMoney(entry);
    }
    // Several validators worked these out, within a tolerance: the last digits are theirs.
    if (member === "riskFactor" && rig.hasMarket(payload.market))
      rig.setRiskFactors(payload.market, payload.long, payload.short);
    if (member === "networkParameter" && MARKET_PARAMETER.test(payload.key))
      rig.setParameter(payload.key, payload.value);
    const isUpdate = member === "proposal" && payload.terms?.updateMarket !== undefined;
    if (isUpdate && payload.state === STATE_ENACTED && rig.hasMarket(payload.terms.updateMarket.marketId))
      rig.updateRecorded(payload, block.timeNs);
    if (member === "proposal" && payload.terms?.newMarket !== undefined) {
      if (payload.state === STATE_OPEN) rig.proposeRecorded(payload, block.timeNs);
      const isDecided = payload.state === STATE_PASSED || payload.state === STATE_DECLINED;
      if (isDecided && rig.hasMarket(payload.id)) rig.decide(payload.id, payload.state === STATE_PASSED);
    }
  }

  /** Other domains change the accounts that markets take margins from. */
  private moveMoney({ fromAccount: from, toAccount: to, amount }: LedgerEntry): void {
    const { rig } = this;
    if (from?.type === GENERAL && from.owner) rig.withdraw(from.owner, from.assetId, BigInt(amount));
    if (to?.type === GENERAL && to.owner) rig.deposit(to.owner, to.assetId, BigInt(amount));
  }

  private deliver(block: RecordedBlock, event: RecordedEvent): void {
    const { payload } = event;
    const kind = MARKET_COMMANDS.find((name) => payload[name] !== undefined);
    if (kind === undefined) return;
    const command = { kind, payload: payload[kind] } as never;
    const { code, text } = this.rig.deliver(payload.partyId, command, idOf(block, event), true);
    this.commands++;
    const tally = this.tallyOf("verdict");
    if ((code === 0) === payload.status) {
      tally.same++;
      return;
    }
    tally.differences.push({
      height: block.height,
      kind: "verdict",
      subject: `${kind} of ${short(payload.partyId)}`,
      recorded: payload.failure?.error ?? "accepted",
      made: text || "accepted",
      fields: [],
      reason: undefined,
    });
  }

  private compare(height: number, recorded: Said, made: Said): void {
    for (const kind of new Set([...recorded.keys(), ...made.keys()])) {
      const tally = this.tallyOf(kind);
      const rest = [...(made.get(kind) ?? [])];
      const missing: Statement[] = [];
      for (const statement of recorded.get(kind) ?? []) {
        const at = rest.findIndex(({ text }) => text === statement.text);
        if (at < 0) missing.push(statement);
        else {
          tally.same++;
          rest.splice(at, 1);
        }
      }
      for (const one of missing) {
        const at = rest.findIndex(({ subject }) => subject === one.subject);
        const other = at < 0 ? undefined : rest.splice(at, 1)[0];
        tally.differences.push(this.difference(height, kind, one, other));
      }
      for (const other of rest) tally.differences.push(this.difference(height, kind, undefined, other));
    }
  }

  private difference(
    height: number,
    kind: string,
    recorded: Statement | undefined,
    made: Statement | undefined,
  ): Difference {
    const { subject, event } = (recorded ?? made)!;
    const difference: Difference = {
      height,
      kind,
      subject,
      recorded: recorded?.text,
      made: made?.text,
      fields: recorded && made ? differingFields(recorded.event.payload, made.event.payload) : [],
      reason: undefined,
    };
    const reason = isShownAgain(difference, event)
      ? "a new market is shown once, and not again for each of its parameters"
      : this.older?.reasonFor(difference, event);
    return { ...difference, reason };
  }

  private tallyOf(kind: string): Tally {
    const known = this.tallies.get(kind) ?? { same: 0, differences: [] };
    this.tallies.set(kind, known);
    return known;
  }
}

type LedgerEntry = RecordedEvent["payload"];

const entriesOf = (payload: RecordedEvent["payload"]): LedgerEntry[] =>
  payload.ledgerMovements.flatMap(({ entries }: { entries: LedgerEntry[] }) => entries);

/** Movements of markets have an account of one in them. */
const isOfMarket = ({ fromAccount, toAccount }: LedgerEntry): boolean =>
  MARKET_ACCOUNTS.has(fromAccount?.type) || MARKET_ACCOUNTS.has(toAccount?.type);

/** Balances of other accounts are the other domains' affair. */
const isKept = (account: LedgerEntry): boolean =>
  MARKET_ACCOUNTS.has(account?.type) || account?.type === GENERAL;

/** The identifier of what a transaction made, as the chain gave it. */
function idOf(block: RecordedBlock, { tx, payload }: RecordedEvent): string | undefined {
  const mine = block.events.filter((event) => event.tx === tx);
  const provision = mine.find(({ member }) => member === "liquidityProvision");
  if (payload.liquidityProvisionSubmission !== undefined) return provision?.payload.id;
  const own = mine.find(
    ({ member, payload: order }) =>
      member === "order" &&
      order.partyId === payload.partyId &&
      order.createdAt === block.timeNs &&
      order.liquidityProvisionId === "",
  );
  return own?.payload.id;
}

/** An event, and how to find the other chain's. */
interface Statement {
  readonly subject: string;
  /** The whole payload. */
  readonly text: string;
  readonly event: RecordedEvent;
}

/** Statements of a block by kind, in order. */
type Said = Map<string, Statement[]>;

const short = (id: string | undefined) => (id === undefined || id === "" ? "the network" : id.slice(0, 8));

/** Members that are compared, with what they are about. */
const SUBJECTS: Readonly<Record<string, (payload: RecordedEvent["payload"]) => string>> = {
  order: ({ id, status }) => `order ${short(id)} of status ${status}`,
  trade: ({ id, buyer, seller }) => `trade ${short(id)} of ${short(buyer)} and ${short(seller)}`,
  settlePosition: ({ marketId, partyId }) => `${short(partyId)} on ${short(marketId)}`,
  settleDistressed: ({ marketId, partyId }) => `${short(partyId)} on ${short(marketId)}`,
  distressedOrders: ({ marketId }) => `market ${short(marketId)}`,
  distressedPositions: ({ marketId }) => `market ${short(marketId)}`,
  lossSocialization: ({ marketId, partyId }) => `${short(partyId)} on ${short(marketId)}`,
  settleMarket: ({ marketId }) => `market ${short(marketId)}`,
  liquidityProvision: ({ id, status }) => `provision ${short(id)} of status ${status}`,
  marginLevels: ({ marketId, partyId }) => `${short(partyId)} on ${short(marketId)}`,
  positionStateEvent: ({ marketId, partyId }) => `${short(partyId)} on ${short(marketId)}`,
  auction: ({ marketId, leave }) => `auction of ${short(marketId)} ${leave ? "left" : "held"}`,
  oracleData: ({ externalData }) => `data ${JSON.stringify(externalData.data.data)}`,
  marketData: ({ market }) => `market ${short(market)}`,
  marketTick: ({ id }) => `market ${short(id)}`,
  marketCreated: ({ id }) => `market ${short(id)}`,
  marketUpdated: ({ id, state }) => `market ${short(id)} in state ${state}`,
};
const LEDGER = "ledgerEntry";

type EventSeen = Omit<RecordedEvent, "tx"> & { readonly tx?: string };

/** @param lastOnly kinds of which the last event about a subject counts */
function saidOf(events: readonly EventSeen[], lastOnly: ReadonlySet<string>): Said {
  const said: Said = new Map();
  const add = (kind: string, subject: string, event: RecordedEvent) => {
    let statements = said.get(kind) ?? [];
    if (lastOnly.has(kind)) statements = statements.filter((before) => before.subject !== subject);
    statements.push({ subject, text: textOf(event.payload), event });
    said.set(kind, statements);
  };
  for (const { member, payload, tx = "" } of events) {
    const subject = SUBJECTS[member]?.(payload);
    if (subject !== undefined) add(member, subject, { member, payload, tx });
    if (member !== "ledgerMovements") continue;
    const entries = entriesOf(payload);
    if (!entries.some(isOfMarket)) continue;
    for (const { type, amount, fromAccount, toAccount, ...rest } of entries) {
      if (amount === "0") continue;
      const subjectOfEntry = `type ${type} ${short(fromAccount?.owner)} to ${short(toAccount?.owner)}`;
      const entry = { type, amount, fromAccount, toAccount, ...rest };
      if (!isKept(fromAccount)) delete entry.fromAccountBalance;
      if (!isKept(toAccount)) delete entry.toAccountBalance;
      add(LEDGER, subjectOfEntry, { member, payload: entry, tx });
    }
  }
  return said;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === "bigint" ? part.toString() : part));
}

/** Every field in which two payloads differ. */
function differingFields(recorded: unknown, made: unknown, path = ""): FieldDifference[] {
  const isNested =
    typeof recorded === "object" && typeof made === "object" && recorded !== null && made !== null;
  if (!isNested) {
    const [a, b] = [textOf(recorded) ?? "absent", textOf(made) ?? "absent"];
    return a === b ? [] : [{ path, recorded: a, made: b }];
  }
  const names = new Set([...Object.keys(recorded), ...Object.keys(made)]);
  const at = (value: object, name: string) => (value as Record<string, unknown>)[name];
  return [...names].flatMap((name) =>
    differingFields(at(recorded, name), at(made, name), path === "" ? name : `${path}.${name}`),
  );
}
