// The original's traces of market scenarios as a chain behind a consensus engine gets them: money comes over the bridge, markets by
// votes, and commands as signed transactions, in blocks with the scenario's times and hashes.
import { type Ed25519KeyPair, ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { ethereumAddress } from "../../src/crypto/secp256k1.ts";
import { sha3HexOf, sha256HexOf } from "../../src/crypto/sha.ts";
import { ValidatorKeys } from "../../src/devnet/keys.ts";
import { type CommittedBlock, Engine } from "../../src/engine/engine.ts";
import { type Genesis, readGenesis } from "../../src/engine/genesis.ts";
import { marketRulesOf } from "../../src/engine/markets/rules.ts";
import { configurationOf } from "../../src/testing/market-config.ts";
import { rigGenesis } from "../../src/testing/market-genesis.ts";
import {
  eventDifferences,
  payloadOf,
  type Trace,
  type TracedEvent,
  type TraceStep,
  tracedEvent,
} from "../../src/testing/market-traces.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { checkTransaction } from "../../src/wire/transaction-check.ts";
import { buildTransaction } from "../support/transactions.ts";
import { AbciRig } from "./rig.ts";

const VALIDATOR = new ValidatorKeys(1);
const PROPOSER = "proposer";
const RECEIVER = `0x${"5e1f".repeat(10)}`;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
/** Seconds before the scenario in which money, stake and markets come. */
const BEFORE = 60n;
/** Identifiers that follow from a transaction's own, each the hash of the one before. */
const FOLLOWING = 60;
/** Steps whose effect nobody can command. */
const UNPLAYABLE: ReadonlySet<string> = new Set(["update", "parameter", "withdraw", "insurance"]);
const SETUP: ReadonlySet<string> = new Set(["market", "deposit"]);
/** Events of the chain around the markets. */
const AROUND: ReadonlySet<string> = new Set([
  ...["proposal", "vote", "deposit", "stakeLinking", "delegationBalance", "validatorScore", "rankingEvent"],
  ...["coreSnapshotEvent", "validatorUpdate"],
]);

/** Whether all of a scenario can be said with commands, at the times that it names. */
export function isPlayable({ steps, originalDefect }: Trace): boolean {
  const end = steps.findIndex(({ do: action }) => action === "end");
  return (
    originalDefect === undefined &&
    steps.every(
      ({ do: action }, at) => !UNPLAYABLE.has(action) && (!SETUP.has(action) || at < end || end < 0),
    )
  );
}

/** Plays a scenario, and compares verdicts and events with the original's. @returns the differences */
export async function playThroughConsensus(trace: Trace): Promise<readonly string[]> {
  const run = new ScenarioRun(trace);
  try {
    await run.setUp();
    await run.play();
    return run.differences;
  } finally {
    await run.stop();
  }
}

/** The engine, with the events of its last block. */
class SeenEngine extends Engine {
  events: CommittedBlock["block"]["events"] = [];

  override commit(): CommittedBlock {
    const committed = super.commit();
    this.events = committed.block.events;
    return committed;
  }
}

class ScenarioRun {
  readonly differences: string[] = [];
  private readonly genesis: Genesis;
  private readonly rig: AbciRig;
  private readonly engine: SeenEngine;
  private readonly keys: ReadonlyMap<string, Ed25519KeyPair>;
  /** Names and identifiers of the scenario, with those that stand for them here. */
  private readonly ids = new Map<string, string>();
  private readonly startNs: bigint;
  private nonce = 0n;

  constructor(private readonly trace: Trace) {
    this.keys = keysOf(trace);
    for (const [name, { publicKey }] of this.keys) this.ids.set(name, hex(publicKey));
    this.genesis = genesisOf(trace);
    this.startNs = BigInt(trace.startSeconds) * SECOND_NS;
    let engine: SeenEngine | undefined;
    const { genesis } = this;
    this.rig = new AbciRig({
      genesis,
      makeEngine: (follower) =>
        (engine = new SeenEngine(genesis, { ...follower, marketRules: marketRulesOf("0.71.6") })),
    });
    this.engine = engine!;
  }

  stop(): Promise<void> {
    return this.rig.stop();
  }

  /** Money and stake come by the validator, markets by a proposal whose vote closes when the scenario begins. */
  async setUp(): Promise<void> {
    const { steps, startSeconds } = this.trace;
    let timeNs = this.startNs - BEFORE * SECOND_NS;
    const block = async (txs: readonly Uint8Array[]) => {
      const { codes, results } = await this.rig.block(txs, { timeNs });
      timeNs += SECOND_NS;
      if (codes.some((code) => code !== 0))
        throw new Error(`the set-up fails: ${results.map(({ log }) => log)}`);
    };
    await block([]);
    const deposits = steps.filter(({ do: action }) => action === "deposit");
    await block([this.stake(), ...deposits.map((step) => this.deposit(step))]);
    for (let quiet = 0; quiet < 3; quiet++) {
      const votes = this.engine.duties(VALIDATOR.nodeId).flatMap((duty) => {
        if (duty.kind !== "vote") return [];
        const { reference, type } = duty;
        return [this.sign(VALIDATOR.vega(1), { kind: "nodeVote", payload: { reference, type } }).bytes];
      });
      if (votes.length > 0) quiet = 0;
      await block(votes);
    }
    const proposals = steps
      .filter(({ do: action }) => action === "market")
      .map(({ market, config }) => {
        const changes = configurationOf(this.translated(config!), config!.asset, market!);
        const closingTimestamp = BigInt(startSeconds) - 1n;
        const enactmentTimestamp = BigInt(startSeconds) + BigInt(config!.openingSeconds ?? 1);
        const terms = { closingTimestamp, enactmentTimestamp, newMarket: { changes } };
        const rationale = { title: "title", description: "description" };
        return this.send(PROPOSER, market!, {
          kind: "proposalSubmission",
          payload: { reference: "", rationale, terms },
        });
      });
    await block(proposals);
    const votes = steps
      .filter(({ do: action }) => action === "market")
      .map(({ market }) => {
        const payload = { proposalId: this.ids.get(market!)!, value: 2 };
        return this.sign(this.keys.get(PROPOSER)!, { kind: "voteSubmission", payload }).bytes;
      });
    await block(votes);
  }

  /** Each block as its steps say. */
  async play(): Promise<void> {
    let [timeNs, hash] = [this.startNs, this.trace.firstHash];
    let steps: TraceStep[] = [];
    let blocks = 0;
    for (const step of this.trace.steps) {
      if (step.do === "begin") {
        timeNs = BigInt(step.timeNs!);
        hash = step.hash!;
      }
      if (!SETUP.has(step.do)) steps.push(step);
      if (step.do !== "end") continue;
      await this.block(steps, { timeNs, hash }, blocks++);
      steps = [];
    }
    if (steps.length > 0) await this.block(steps, { timeNs, hash }, blocks);
  }

  private async block(steps: readonly TraceStep[], header: { timeNs: bigint; hash: string }, number: number) {
    const commands = steps.filter(({ do: action }) => action === "command" || action === "oracle");
    const txs = commands.map((step) => this.transaction(step));
    const { results } = await this.rig.block(txs, header);
    for (const [n, { code, log }] of results.entries()) {
      const { refused, do: action } = commands[n]!;
      const expected = refused === undefined ? undefined : this.translated(refused);
      const verdict = code === 0 ? undefined : log;
      if (action === "command" && verdict !== expected)
        this.differences.push(`block ${number}, command ${n}: ${verdict}, not ${expected}`);
    }
    const events = this.engine.events.filter(
      ({ tx }, at, all) => number > 0 || all.slice(0, at + 1).some((event) => event.tx > 0) || tx > 0,
    );
    if (steps.at(-1)!.do !== "end") return;
    const actual = events
      .map((event) => this.asBegun(tracedEvent(event)))
      .filter(([kind]) => !AROUND.has(kind));
    const stated = steps.flatMap((step) => step.events);
    this.bind(stated, actual);
    const merged: TraceStep = {
      do: "end",
      anyOrder: steps.flatMap(({ anyOrder = [] }) => anyOrder),
      varies: steps.flatMap(({ varies = [] }) => varies),
      events: this.translated(stated).map((event) => this.asBegun(event)),
    };
    for (const { kind, fields, expected, actual: ours } of eventDifferences(merged, actual)) {
      // Orders of a market that ends are shown by their ids, which are others here.
      if (kind === "order" && fields.join() === "order") continue;
      const [one, other] = [expected, ours].map((list) => JSON.stringify(list).slice(0, SHOWN));
      this.differences.push(`block ${number}, ${kind}: ${fields.join(", ")}; ${one} ${other}`);
    }
  }

  /** Identifiers that a tick has made of the block and the market: of events that are alike otherwise one stands for the other. */
  private bind(stated: readonly TracedEvent[], actual: readonly TracedEvent[]): void {
    const taken = new Set(this.ids.values());
    const ours = actual.filter(([kind, { id }]) => MADE_BY_TICKS.has(kind) && !taken.has(id));
    for (const [kind, fields] of stated) {
      if (!MADE_BY_TICKS.has(kind) || this.ids.has(fields.id)) continue;
      const { id: _, ...rest } = this.translated(fields);
      const at = ours.findIndex(([each, { id: __, ...own }]) => each === kind && Bun.deepEquals(own, rest));
      if (at < 0) continue;
      this.ids.set(fields.id, ours[at]![1].id);
      ours.splice(at, 1);
    }
  }

  /** The vote on a market closes in the tick after its time: as if its auction had begun in this block. */
  private asBegun([kind, fields]: TracedEvent): TracedEvent {
    const early = (this.startNs - SECOND_NS).toString();
    const time = (text: string | undefined) => (text === early ? this.startNs.toString() : text);
    if (kind === "marketData" && fields.auctionStart)
      return [kind, { ...fields, auctionStart: time(fields.auctionStart) }];
    if (kind === "auction") return [kind, { ...fields, start: time(fields.start) }];
    if (kind !== "marketUpdated" && kind !== "marketCreated") return [kind, fields];
    const { proposed: _, pending: __, ...marketTimestamps } = fields.marketTimestamps ?? {};
    const { openingAuction: ___, ...shown } = fields;
    return [kind, { ...shown, marketTimestamps }];
  }

  private transaction(step: TraceStep): Uint8Array {
    if (step.do === "oracle") {
      const payload = Buffer.from(JSON.stringify(step.data));
      const oracle = step.oracle ?? "";
      return this.sign(this.keys.get(oracle)!, {
        kind: "oracleDataSubmission",
        payload: { source: 2, payload },
      }).bytes;
    }
    const payload = this.translated(payloadOf(step.kind!, step.payload));
    return this.send(step.party!, step.id!, { kind: step.kind!, payload } as CommandInit);
  }

  /** Signs a command, whose identifier stands for one of the scenario. */
  private send(party: string, id: string, command: CommandInit): Uint8Array {
    const { bytes, id: own } = this.sign(this.keys.get(party)!, command);
    let [theirs, ours] = [id, own];
    for (let n = 0; n < FOLLOWING; n++) {
      this.ids.set(theirs, ours);
      theirs = sha3HexOf(Buffer.from(theirs, "hex"));
      ours = sha3HexOf(Buffer.from(ours, "hex"));
    }
    return bytes;
  }

  private sign(
    key: Ed25519KeyPair,
    command: CommandInit,
  ): { readonly bytes: Uint8Array; readonly id: string } {
    this.nonce += 1n;
    const { chainId } = this.genesis;
    const pow = { tid: sha256HexOf(Buffer.from(`${this.nonce}`)), nonce: 0n };
    const blockHeight = BigInt(this.rig.chain.committed.height);
    const bytes = buildTransaction(command, { chainId, key, nonce: this.nonce, blockHeight, pow });
    const verdict = checkTransaction(bytes, chainId);
    return { bytes, id: verdict.ok ? verdict.transaction.id : "" };
  }

  private deposit({ party, asset, amount }: TraceStep): Uint8Array {
    const deposit = { vegaAssetId: asset!, partyId: this.ids.get(party!)!, amount: amount! };
    return this.event({ txId: "", builtin: { deposit } });
  }

  private stake(): Uint8Array {
    const vegaPublicKey = this.ids.get(PROPOSER)!;
    const stakeDeposited = { ethereumAddress: RECEIVER, vegaPublicKey, amount: "1000000", blockTime: 1n };
    return this.event({
      txId: `0x${"1".padStart(64, "0")}`,
      stakingEvent: { index: 0n, block: 1n, stakeDeposited },
    });
  }

  private event(payload: object): Uint8Array {
    return this.sign(VALIDATOR.vega(1), {
      kind: "chainEvent",
      payload: { nonce: this.nonce + 1n, ...payload },
    }).bytes;
  }

  /** The same with names and identifiers of this chain. */
  private translated<T>(value: T): T {
    if (typeof value === "string") return (this.ids.get(value) ?? value) as T;
    if (Array.isArray(value)) return value.map((part) => this.translated(part)) as T;
    if (typeof value !== "object" || value === null) return value;
    const copy = Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, this.translated(part)]),
    );
    if (isAccount(copy)) {
      // Its last part is a character of the type's number.
      const id = String(copy.id);
      copy.id = `${copy.marketId}${copy.owner}${copy.asset}${id.slice(id.lastIndexOf(String(copy.asset)) + 64)}`;
    }
    return copy as T;
  }
}

const SHOWN = 300;
const MADE_BY_TICKS: ReadonlySet<string> = new Set(["trade", "order"]);

const isAccount = (fields: Record<string, unknown>): boolean =>
  ["id", "owner", "asset", "type", "marketId", "balance"].every((name) => name in fields);

/** Keys of all who send: parties in the order of their names, which is that of their keys, too. */
function keysOf({ steps }: Trace): ReadonlyMap<string, Ed25519KeyPair> {
  const parties = new Set(steps.flatMap(({ party }) => (party === undefined ? [] : [party])));
  const oracles = new Set(
    steps.flatMap(({ oracle, config }) => [oracle, config?.oracle].filter((name) => name !== undefined)),
  );
  const pairs = [...parties].map((_, n) => keyAt(n));
  pairs.sort((a, b) => (hex(a.publicKey) < hex(b.publicKey) ? -1 : 1));
  const names = [...parties].sort();
  return new Map([
    ...names.map((name, n) => [name, pairs[n]!] as const),
    ...[...oracles].map((name, n) => [name, keyAt(1_000 + n)] as const),
    [PROPOSER, keyAt(2_000)] as const,
  ]);
}

const keyAt = (n: number) => ed25519KeyPair(Uint8Array.fromHex(sha256HexOf(Buffer.from(`scenario ${n}`))));

/** The genesis of the rig, with a validator, and with votes that take no time and no stake to speak of. */
function genesisOf({ assets, parameters, startSeconds }: Trace): Genesis {
  const ids = Object.keys(assets);
  const text = rigGenesis({
    assets: Object.fromEntries(ids.map((id) => [id, { ...assets[id], id }])),
    assetIds: new Map(ids.map((id) => [id, id])),
    parameters: {
      "spam.pow.difficulty": "0",
      "spam.pow.numberOfTxPerBlock": "100000",
      "spam.protection.proposal.min.tokens": "1",
      "spam.protection.voting.min.tokens": "1",
      "spam.protection.max.proposals": "1000",
      "governance.proposal.market.minClose": "1s",
      "governance.proposal.market.minEnact": "1s",
      "network.transactions.maxgasperblock": "10000000",
      ...parameters,
    },
    startSeconds: BigInt(startSeconds) - BEFORE,
  });
  const document = JSON.parse(text);
  document.app_state.validators = {
    [VALIDATOR.tmPubKey]: {
      id: VALIDATOR.nodeId,
      vega_pub_key: hex(VALIDATOR.vega(1).publicKey),
      vega_pub_key_index: 1,
      ethereum_address: ethereumAddress(VALIDATOR.ethereum(1)),
      tm_pub_key: VALIDATOR.tmPubKey,
      country: "ZZ",
      name: "validator",
    },
  };
  return readGenesis(JSON.stringify(document));
}
