// A random sequence as a chain would get it: signed transactions, in blocks with times. The naive ledger says what a
// step means; whether the chain takes all of it does not matter here.
import type { Database } from "bun:sqlite";
import { LocalChain } from "../../src/chain/local-chain.ts";
import type { Ed25519KeyPair } from "../../src/crypto/ed25519.ts";
import { Clock } from "../../src/devnet/clock.ts";
import { devnetParties } from "../../src/devnet/keys.ts";
import { Random } from "../../src/devnet/random.ts";
import { Engine } from "../../src/engine/engine.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import type { CommandInit } from "../../src/wire/transaction.ts";
import { type CheckedTransaction, checkTransaction } from "../../src/wire/transaction-check.ts";
import type { CommandKind } from "../../src/wire/transaction-commands.ts";
import { buildTransaction } from "../support/transactions.ts";
import { sequenceOf } from "./generator.ts";
import type { NaiveLedger } from "./naive-ledger.ts";
import { FUNDING, signerEvents } from "./simulation.ts";
import { Realizer, type Step } from "./steps.ts";
import { genesisOf, keyOf, ledgerOf, VALIDATORS, WORLDS, type World } from "./world.ts";

export interface ScriptBlock {
  /** Unix nanoseconds, decimal. */
  readonly time: string;
  /** Base64. */
  readonly txs: readonly string[];
}

/** Two validators, and no quota in the way of anybody. */
const SCRIPT_WORLD: World = {
  ...WORLDS[2]!,
  parameters: {
    "spam.pow.difficulty": "0",
    "spam.pow.numberOfTxPerBlock": "1000",
    "spam.protection.maxUserTransfersPerEpoch": "1000",
    "spam.protection.max.proposals": "1000",
    "spam.protection.max.votes": "1000",
    "spam.protection.proposal.min.tokens": "1",
    "spam.protection.voting.min.tokens": "1",
    "spam.protection.delegation.min.tokens": "1",
  },
};

/** A chain in a home, whose blocks are made by hand. */
export function openChain(db: Database): LocalChain {
  const genesis = genesisOf(SCRIPT_WORLD);
  return new LocalChain({
    db,
    genesis,
    makeEngine: (follower) => new Engine(genesis, follower),
    clock: new Clock(() => genesis.timeNs),
    random: new Random("simulation"),
    startedNs: 0n,
    mode: { kind: "manual" },
    // Often enough for a chain this short to be killed on both sides of a stored state.
    limits: { stateBlocksMax: 7, stateTxsMax: 40 },
  });
}

/** Makes the blocks of a script that a chain does not have yet. @returns the application hash at the end */
export async function play(
  chain: LocalChain,
  script: readonly ScriptBlock[],
  first: number,
): Promise<string> {
  for (const { time, txs } of script.slice(chain.status.height - first)) {
    await chain.setNextBlockTime(BigInt(time));
    for (const tx of txs) await chain.submit(new Uint8Array(Buffer.from(tx, "base64")), "check");
    await chain.mine(1);
  }
  return chain.status.appHash;
}

/** @param first height that the chain has before the first block */
export function scriptOf(seeds: readonly number[], first: number): ScriptBlock[] {
  const ledger = ledgerOf(SCRIPT_WORLD);
  const realizer = new SigningRealizer(SCRIPT_WORLD, ledger);
  const script: ScriptBlock[] = [];
  let signerIds: string[] = [];
  const block = (stepMs: number, steps: readonly Step[], voters: number) => {
    realizer.height = first + script.length;
    ledger.beginBlock(ledger.data.now + BigInt(stepMs) * (SECOND_NS / 1_000n), VALIDATORS[0]!.nodeId);
    for (const [at, keys] of VALIDATORS.slice(0, SCRIPT_WORLD.nodes).entries()) {
      if ((voters >> at) & 1) realizer.vote(keyOf(keys), signerIds);
    }
    if (script.length === 0) signerIds = realizer.announceSigners();
    else if (voters === 7) signerIds = [];
    for (const step of steps) {
      const tx = step.do === "block" || step.do === "sign" ? undefined : realizer.transaction(step);
      if (tx !== undefined && realizer.isWellFormed(tx)) ledger.execute(tx);
    }
    ledger.endBlock();
    ledger.facts.lines.length = 0;
    script.push({ time: ledger.data.now.toString(), txs: realizer.bytes.splice(0) });
  };
  block(1_000, [], 0);
  let steps: Step[] = [];
  for (const step of [...FUNDING, ...seeds.flatMap(sequenceOf)]) {
    if (step.do === "block") {
      block(step.stepMs, steps, step.voters);
      steps = [];
    } else {
      steps.push(step);
    }
  }
  return script;
}

/** Makes real transactions: the identifiers that steps refer to are those of the chain. */
class SigningRealizer extends Realizer {
  height = 0;
  readonly bytes: string[] = [];
  private readonly keys: ReadonlyMap<string, Ed25519KeyPair>;
  private nonce = 0n;

  constructor(
    world: World,
    private readonly state: NaiveLedger,
  ) {
    super(world, state);
    const parties = devnetParties().map(({ publicKey, key }) => [publicKey, key] as const);
    this.keys = new Map([...parties, ...VALIDATORS.map((keys) => [keyOf(keys), keys.vega(1)] as const)]);
  }

  override tx(party: string, kind: CommandKind, payload: object): CheckedTransaction {
    this.nonce += 1n;
    const key = this.keys.get(party)!;
    const pow = { tid: `${this.nonce}`, nonce: 0n };
    const command = { kind, payload } as CommandInit;
    const options = { key, chainId: "simulation", nonce: this.nonce, blockHeight: BigInt(this.height), pow };
    const bytes = buildTransaction(command, options);
    const verdict = checkTransaction(bytes, "simulation");
    // The chain is to refuse it too, but it stands for nothing.
    this.bytes.push(Buffer.from(bytes).toString("base64"));
    return verdict.ok ? verdict.transaction : MALFORMED;
  }

  isWellFormed(tx: CheckedTransaction): boolean {
    return tx !== MALFORMED;
  }

  /** @returns ids to vote on */
  announceSigners(): string[] {
    return signerEvents(SCRIPT_WORLD).map((event) => this.tx(keyOf(VALIDATORS[0]!), "chainEvent", event).id);
  }

  vote(key: string, signerIds: readonly string[]): void {
    for (const reference of signerIds) this.tx(key, "nodeVote", { reference, type: 4 });
    for (const [reference, { votes, kind }] of this.state.data.resources) {
      if (votes.has(key) || kind === "supply") continue;
      const type = kind === "stake" ? 1 : kind === "bridge" ? 6 : 3;
      this.state.execute(this.tx(key, "nodeVote", { reference, type }));
    }
  }
}

const MALFORMED = {} as CheckedTransaction;
