/**
 * The engine and the naive ledger side by side: the same sequence for both, and after every command and every block
 * the same answers. A sequence that tells them apart is made as short as it gets.
 */
import { secp256k1Sign } from "../../src/crypto/secp256k1.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import type { CheckedTransaction } from "../../src/wire/transaction-check.ts";
import { EngineRun } from "./engine-run.ts";
import { sequenceOf } from "./generator.ts";
import type { NaiveLedger, Verdict } from "./naive-ledger.ts";
import { SUPPLY } from "./naive-staking.ts";
import { type CommandStep, Realizer, type Step, statelessText } from "./steps.ts";
import { keyOf, ledgerOf, signersOf, VALIDATORS, WORLDS, type World } from "./world.ts";

/** vega.commands.v1.NodeVote.Type */
const VOTE_ON_SUPPLY = 10;

class Difference extends Error {
  override readonly name = "Difference";
}

/** The result of a run: digests block by block, and numbers of taken and refused commands. */
export interface Outcome {
  readonly digests: readonly string[];
  readonly commands: number;
  readonly refused: ReadonlyMap<string, number>;
  readonly facts: ReadonlyMap<string, number>;
}

/** A world made ready once, for any number of sequences. */
export class Simulation {
  readonly engine: EngineRun;
  private readonly ledger: NaiveLedger;
  private readonly realizer: Realizer;

  constructor(readonly world: World) {
    this.engine = new EngineRun(world);
    this.ledger = ledgerOf(world);
    this.realizer = new Realizer(world, this.ledger);
    const run = new Run(world, this.engine, this.ledger, this.realizer);
    run.begin(1_000, 0, 1);
    run.announceSigners();
    for (let blocks = 0; blocks < 4; blocks++) run.take({ do: "block", stepMs: 500, proposer: 0, voters: 7 });
    this.ledger.data.nodes.signers.push(...signersOf(world));
    if (world.isFunded) for (const step of FUNDING) run.take(step);
    for (const stepMs of [1_000, 1_000, 1_000, 40_000, 1_000, 12_000, 1_000]) {
      run.take({ do: "block", stepMs, proposer: 0, voters: 7 });
    }
    run.end();
    this.engine.mark();
  }

  /** @param restartAt the engine is made again from its stored state after this many blocks */
  run(steps: readonly Step[], restartAt?: number): Outcome {
    const ledger = this.ledger.copy();
    const run = new Run(this.world, this.engine, ledger, this.realizer.copy(ledger), restartAt);
    try {
      run.begin(1_000, 0);
      for (const step of steps) run.take(step);
      run.end();
      run.compareBalances();
      return run;
    } finally {
      this.engine.reset();
    }
  }

  /** Undefined when both agree. */
  differenceOf(steps: readonly Step[]): Error | undefined {
    try {
      this.run(steps);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }
}

class Run implements Outcome {
  readonly digests: string[] = [];
  readonly refused = new Map<string, number>();
  readonly facts = new Map<string, number>();
  commands = 0;

  constructor(
    private readonly world: World,
    private engine: EngineRun,
    private readonly ledger: NaiveLedger,
    private readonly realizer: Realizer,
    private readonly restartAt?: number,
  ) {}

  take(step: Step): void {
    if (step.do === "block") {
      this.end();
      this.begin(step.stepMs, step.proposer);
      this.vote(step.voters);
    } else if (step.do === "sign") {
      this.sign(step);
    } else {
      const tx = this.realizer.transaction(step);
      if (tx !== undefined) this.deliver(tx);
    }
  }

  begin(stepMs: number, proposer: number, height?: number): void {
    if (this.digests.length === this.restartAt) this.engine = this.engine.restarted();
    const time = this.ledger.data.now + BigInt(stepMs) * (SECOND_NS / 1_000n);
    const { nodeId } = this.realizer.node(proposer);
    this.engine.beginBlock(time, nodeId, height);
    this.ledger.nodes.chosen = (node, epoch) => this.engine.normalisedScore(node, epoch);
    this.ledger.beginBlock(time, nodeId);
  }

  end(): void {
    const { facts, digest } = this.engine.endBlock();
    this.ledger.endBlock();
    this.digests.push(digest);
    const expected = this.ledger.facts.lines.splice(0);
    for (const line of expected) count(this.facts, line.slice(0, line.indexOf(" ")));
    compare(facts, expected);
  }

  /** The contract's signers are no matter of the ledger: it was given them. */
  announceSigners(): void {
    for (const payload of signerEvents(this.world)) {
      const tx = this.realizer.tx(keyOf(this.realizer.node(0)), "chainEvent", payload);
      const result = this.engine.execute(tx);
      if (result.code !== 0) throw new Error(result.text);
    }
  }

  compareBalances(): void {
    const state = this.engine.balances();
    const expected = this.ledger.data.balances;
    for (const account of new Set([...state.keys(), ...expected.keys()])) {
      if (state.get(account) !== expected.get(account)) {
        throw new Difference(`${account}: ${state.get(account)} in the state, not ${expected.get(account)}`);
      }
    }
    for (const party of new Set([...expected.keys()].map((account) => account.split(" ")[0]!))) {
      const [staked, should] = [this.engine.engine.stakeOf(party), this.ledger.staking.balance(party)];
      if (staked !== should) throw new Difference(`stake of ${party}: ${staked}, not ${should}`);
    }
  }

  /** The validators vote on whatever they have not voted on. */
  private vote(voters: number): void {
    for (let at = 0; at < this.world.nodes; at++) {
      if (((voters >> at) & 1) === 0) continue;
      const keys = VALIDATORS[at]!;
      const key = keyOf(keys);
      const open = this.engine.engine
        .duties(keys.nodeId)
        .flatMap((duty) => (duty.kind === "vote" ? [duty] : []));
      const unvoted = [...this.ledger.data.resources]
        .filter(([, { votes }]) => !votes.has(key))
        .map(([id]) => id);
      const named = open.map(({ reference, type }) => (type === VOTE_ON_SUPPLY ? SUPPLY : reference));
      const isSigner = (type: number) => type === 4;
      const theirs = named.filter((_, at) => !isSigner(open[at]!.type));
      if (theirs.sort().join() !== unvoted.sort().join()) {
        throw new Difference(`validator ${at} is asked to vote on [${theirs}], not on [${unvoted}]`);
      }
      for (const { reference, type } of open) {
        const tx = this.realizer.tx(key, "nodeVote", { reference, type });
        if (type === VOTE_ON_SUPPLY) {
          const result = this.engine.execute(tx);
          const same = { ...tx, payload: { reference: SUPPLY, type } } as CheckedTransaction;
          this.agree(tx, result, this.ledger.execute(same));
        } else {
          this.deliver(tx);
        }
      }
    }
  }

  private sign({ by, pick }: CommandStep & { do: "sign" }): void {
    const withdrawal = this.realizer.withdrawal(pick);
    if (withdrawal === undefined) return;
    const keys = this.realizer.node(by);
    const duty = this.engine.engine
      .duties(keys.nodeId)
      .find((duty) => duty.kind === "sign" && duty.resource === withdrawal[0]);
    const { isFinal, isErc20, signatures } = this.ledger.data.withdrawals.get(withdrawal[0])!;
    const isOwed = isFinal && isErc20 && !signatures.has(keyOf(keys));
    if (isOwed !== (duty !== undefined))
      throw new Difference(`signature of ${withdrawal[0]}: owed is ${isOwed}`);
    if (duty?.kind !== "sign") return;
    const sig = secp256k1Sign(Buffer.from(duty.digest, "hex"), keys.ethereum(1));
    const payload = { id: duty.resource, sig, kind: duty.signatureKind };
    this.deliver(this.realizer.tx(keyOf(keys), "nodeSignature", payload));
  }

  private deliver(tx: CheckedTransaction): void {
    this.commands += 1;
    const result = this.engine.execute(tx);
    const refused = statelessText(tx);
    this.agree(tx, result, refused === undefined ? this.ledger.execute(tx) : { code: 60, text: refused });
  }

  private agree(
    tx: CheckedTransaction,
    result: { code: number; text: string },
    { code, text }: Verdict,
  ): void {
    const isSame =
      text === undefined || (text instanceof RegExp ? text.test(result.text) : text === result.text);
    if (result.code !== code || !isSame) {
      const payload = JSON.stringify(tx.payload, (_, value) =>
        typeof value === "bigint" ? `${value}` : value,
      );
      throw new Difference(`${tx.kind} ${payload}: ${result.code} '${result.text}', not ${code} '${text}'`);
    }
    if (code !== 0) count(this.refused, result.text.replace(/\d{4}-\d\d-\d\d.*|[0-9]+/g, "#"));
  }
}

/** Delegations have no order among themselves that clients could rely on. */
const UNORDERED: ReadonlySet<string> = new Set(["delegation"]);

function compare(facts: readonly string[], expected: readonly string[]): void {
  const [theirs, ours] = [byKind(facts), byKind(expected)];
  for (const kind of new Set([...theirs.keys(), ...ours.keys()])) {
    const [a, b] = [theirs.get(kind) ?? [], ours.get(kind) ?? []];
    if (UNORDERED.has(kind)) for (const lines of [a, b]) lines.sort();
    const at = a.findIndex((line, at) => !isSameFact(line, b[at]));
    if (at >= 0 || a.length !== b.length) {
      const only = (lines: readonly string[], others: readonly string[]) =>
        lines.filter((line) => !others.includes(line)).map((line) => `\n  ${line}`);
      throw new Difference(
        `${kind} ${at} of ${a.length}, not ${b.length}; only here:${only(a, b)}\nnot here:${only(b, a)}`,
      );
    }
  }
}

/** A `*` at the end stands for a reason that was compared already. */
function isSameFact(fact: string, expected: string | undefined): boolean {
  if (expected?.endsWith(" *")) return fact.startsWith(expected.slice(0, -1));
  return fact === expected;
}

function byKind(facts: readonly string[]): Map<string, string[]> {
  const kinds = new Map<string, string[]>();
  for (const fact of facts) {
    const kind = fact.slice(0, fact.indexOf(" "));
    const ofKind = kinds.get(kind);
    if (ofKind === undefined) kinds.set(kind, [fact]);
    else ofKind.push(fact);
  }
  return kinds;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Chain events that tell the chain of the contract's signers. */
export function signerEvents(world: World): object[] {
  return signersOf(world).map((newSigner, at) => {
    const signerAdded = { newSigner, nonce: `${at}`, blockTime: BigInt(at + 1) };
    return {
      txId: `0x${`${at}`.padStart(64, "5")}`,
      nonce: BigInt(at),
      erc20Multisig: { index: 0n, block: BigInt(at + 1), signerAdded },
    };
  });
}

const n = (plus: number, zeros: number) => ({ base: "plain", plus, zeros }) as const;
/** Funds, stake and delegations to begin with. */
export const FUNDING: readonly Step[] = [
  ...[0, 1, 2].map((nonce): Step => {
    return {
      do: "deposit",
      by: 0,
      to: nonce % 2,
      asset: nonce,
      amount: n(5, 12),
      wrongClass: false,
      nonce: 900 + nonce,
    };
  }),
  { do: "deposit", by: 0, to: -1, asset: 2, amount: n(7, 18), wrongClass: false, nonce: 910 },
  ...[0, 1, 2, 3, 4, 5].map((party): Step => {
    return { do: "stake", by: 0, party, amount: n(1 + party, 9), link: true, time: 2, nonce: 920 + party };
  }),
  { do: "block", stepMs: 1_000, proposer: 0, voters: 7 },
  { do: "block", stepMs: 1_000, proposer: 0, voters: 7 },
  ...[0, 1, 2, 3, 4].map((party): Step => {
    return { do: "delegate", party, node: party, amount: n(1 + party * 3, 8) };
  }),
];

/** A sequence that tells the two apart. */
export interface Finding {
  readonly seed: number;
  readonly world: string;
  readonly steps: readonly Step[];
  readonly error: Error;
}

/** The first sequence that tells them apart, made short; undefined when none does. */
export function findDifference(
  simulations: readonly Simulation[],
  firstSeed: number,
  sequences: number,
  onSequence?: (seed: number, outcome: Outcome) => void,
): Finding | undefined {
  for (let seed = firstSeed; seed < firstSeed + sequences; seed++) {
    const simulation = simulations[seed % simulations.length]!;
    const steps = sequenceOf(seed);
    try {
      const outcome = simulation.run(steps);
      onSequence?.(seed, outcome);
    } catch (error) {
      const short = shrink(steps, (fewer) => simulation.differenceOf(fewer) !== undefined);
      return {
        seed,
        world: simulation.world.name,
        steps: short,
        error: simulation.differenceOf(short) ?? (error as Error),
      };
    }
  }
  return undefined;
}

/** Leaves out whatever is not needed for the sequence to fail, pieces first, single steps last. */
export function shrink(steps: readonly Step[], fails: (steps: readonly Step[]) => boolean): readonly Step[] {
  let best = steps;
  for (let size = Math.ceil(best.length / 2); size >= 1; ) {
    let isShorter = false;
    for (let at = 0; at < best.length; ) {
      const fewer = [...best.slice(0, at), ...best.slice(at + size)];
      if (fails(fewer)) {
        best = fewer;
        isShorter = true;
      } else {
        at += size;
      }
    }
    if (!isShorter || size > 1) size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return best;
}

export function describeFinding({ seed, world, steps, error }: Finding): string {
  const lines = steps.map((step) => `  ${JSON.stringify(step)},`);
  return [`seed ${seed}, in the world '${world}':`, ...lines, error.stack ?? String(error)].join("\n");
}

export function allSimulations(worlds: readonly World[] = WORLDS): Simulation[] {
  return worlds.map((world) => new Simulation(world));
}
