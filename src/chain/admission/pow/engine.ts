/**
 * The engine that verifies proofs of work and stops replays (docs/protocol/40-pow-spam.md#3-the-pow-engine). It knows
 * no clock, no store and no network: heights, hashes and times are handed in, and it answers with verdicts. The calls
 * of one block:
 *
 *   beginBlock → change (parameters), deliver … → endBlock → commit, and check at any time between blocks
 */

import { LruCache } from "../../../cache/lru.ts";
import { sha256HexOf } from "../../../crypto/sha.ts";
import { type Cell, State } from "../../../engine/state.ts";
import {
  ACCEPTED,
  type AdmissionRules,
  Bans,
  banDurationNs,
  type Refusal,
  refuse,
  type Verdict,
} from "../rules.ts";
import { expectedDifficulty, type Proof, requiredTotal, verifyProof } from "./function.ts";
import {
  BlockHashes,
  type CounterList,
  Counters,
  holds,
  type ParameterSet,
  ParameterSets,
  type PartyCounter,
  type PastBlock,
  type PowParameters,
  Seen,
} from "./windows.ts";

/** A transaction's facts for the engine. */
export interface PowTransaction {
  /** The sending key, as text. */
  readonly party: string;
  /** Lower-case hex. */
  readonly hash: string;
  /** Display name (docs/protocol/30-node-api-commands.md#41-command-table), for the texts. */
  readonly commandName: string;
  /** Exempt from proof, height and counting, but not from replay and bans (docs/protocol/40-pow-spam.md#31-state). */
  readonly isValidatorCommand: boolean;
  /** The height it names. */
  readonly blockHeight: bigint;
  /** Identifier of its proof; empty when it has none. */
  readonly tid: string;
  readonly nonce: bigint;
}

/** Identity of a proof in the mempool. */
export type PowHolder = Pick<PowTransaction, "isValidatorCommand" | "tid" | "hash">;

/** A party's height, for the statistics (docs/protocol/40-pow-spam.md#53-block-states). */
interface PowBlockState {
  readonly height: bigint;
  readonly hash: string;
  readonly seen: bigint;
  /** Least difficulty of the next transaction; undefined when no more may be sent. */
  readonly expected: bigint | undefined;
  readonly parameters: PowParameters;
}

const NOTHING: PartyCounter = { observed: 0n, seen: 0n };

function isSame(a: Proof, b: Proof): boolean {
  return a.nonce === b.nonce && a.tid === b.tid && a.blockHash === b.blockHash;
}

export class PowEngine {
  private height = 0n;
  private readonly epochLengthNs: Cell<bigint>;
  private readonly blocks: BlockHashes;
  private readonly sets: ParameterSets;
  private readonly counters: Counters;
  private readonly hashes: Seen;
  private readonly tids: Seen;
  private readonly bans: Bans;
  /** Known to this node alone. */
  private readonly waiting: WaitingProofs;
  /** The good proof that was checked last. */
  private latest: Proven | undefined;

  /** @param state holds all that blocks have brought about: submissions that only this node has seen are not part of it */
  constructor(
    private readonly rules: AdmissionRules = "default",
    state = new State(),
  ) {
    this.waiting = new WaitingProofs(rules === "0.71.6");
    this.epochLengthNs = state.cell("admission.pow.epochLength", 0n);
    this.blocks = new BlockHashes(state.table<PastBlock>("admission.pow.blocks"));
    this.sets = new ParameterSets(state.cell<readonly ParameterSet[]>("admission.pow.parameters", []));
    this.counters = new Counters(state.table<CounterList>("admission.pow.counters"));
    this.hashes = new Seen(state.table<readonly string[]>("admission.pow.hashes"));
    this.tids = new Seen(state.table<readonly string[]>("admission.pow.tids"));
    this.bans = new Bans(state.table<bigint>("admission.pow.bans"));
  }

  get currentHeight(): bigint {
    return this.height;
  }

  /** The parameters in force at the current height; undefined before any were set. */
  get parameters(): PowParameters | undefined {
    return this.sets.inForce(this.height)?.parameters;
  }

  /** Whether parameters were changed in this block, which hold from the next one on. */
  get isChanging(): boolean {
    return this.sets.inForce(this.height) !== this.sets.all.at(-1);
  }

  /** The kept parameter sets with the heights they hold for, oldest first. */
  get parameterSets(): readonly { from: bigint; until: bigint | undefined; parameters: PowParameters }[] {
    return this.sets.all.map(({ from, until, parameters }) => ({ from, until, parameters }));
  }

  /** Network parameters that changed while the current block is being processed. */
  change(values: Partial<PowParameters>): void {
    this.sets.change(this.height, values);
  }

  /** Nanoseconds. */
  get epochLength(): bigint {
    return this.epochLengthNs.get();
  }

  /** Length of an epoch, nanoseconds: 1/48 of it is how long a later ban lasts. */
  setEpochLength(epochLengthNs: bigint): void {
    this.epochLengthNs.set(epochLengthNs);
  }

  /**
   * @param hash of the block, lower-case hex
   * @param previousTimeNs what the chain's clock says: still the time of the block before
   * (docs/protocol/40-pow-spam.md#37-beginblock-order)
   */
  beginBlock(height: bigint, hash: string, previousTimeNs: bigint): void {
    this.height = height;
    this.blocks.put(height, hash);
    this.bans.release(previousTimeNs);
  }

  /** The verdict of the mempool. Nothing is remembered of it. */
  check(tx: PowTransaction): Verdict {
    if (!tx.isValidatorCommand) {
      const bytes = Buffer.byteLength(tx.tid, "utf8");
      if (bytes > TID_BYTES_MAX) {
        return refuse("pow_tid_too_long", { bytes: BigInt(bytes), max: BigInt(TID_BYTES_MAX) });
      }
      if (this.waiting.has(tx.tid)) return refuse("pow_tid_seen");
    }
    const bits = this.verify(tx);
    return typeof bits === "bigint" ? ACCEPTED : bits;
  }

  /** Whether the last block's state lets a block hold it, whatever waits in this node's mempool. */
  proves(tx: PowTransaction): Verdict {
    const bits = this.verify(tx);
    return typeof bits === "bigint" ? ACCEPTED : bits;
  }

  /** A transaction is in the mempool: until the next commit, or its release, no other one may have its proof. */
  reserve(tx: PowHolder): void {
    if (!tx.isValidatorCommand)
      this.waiting.reserve(tx, this.latest?.hash === tx.hash ? this.latest : undefined);
  }

  /** A transaction left the mempool, and no block has it. */
  release(tx: PowHolder): void {
    if (!tx.isValidatorCommand) this.waiting.release(tx);
  }

  /** A submission was refused: on the original's node, that spends its identifier until the next commit. */
  refuse(tx: PowHolder): void {
    if (!tx.isValidatorCommand && this.rules === "0.71.6") this.waiting.burn(tx.tid);
  }

  /** @param timeNs of the current block: a ban begins there */
  deliver(tx: PowTransaction, timeNs: bigint): Verdict {
    const bits = this.verify(tx);
    this.waiting.delivered(tx.hash);
    if (typeof bits !== "bigint") return bits;
    this.hashes.add(tx.blockHeight, tx.hash);
    if (tx.isValidatorCommand) return ACCEPTED;
    this.tids.add(tx.blockHeight, tidKey(tx.tid));
    return this.count(tx, bits, timeNs);
  }

  /** Forgets the heights that no transaction can name any more (docs/protocol/40-pow-spam.md#35-endblock-and-commit). */
  endBlock(): void {
    for (const set of this.sets.all) {
      const leaving = this.height + 1n - set.parameters.pastBlocks;
      if (leaving < 0n) continue;
      // The original lets every set forget every height, so a smaller window forgets what may still be sent.
      const isForgetting = this.rules === "0.71.6" ? this.hashes.hasHeight(leaving) : holds(set, leaving);
      if (!isForgetting) continue;
      this.hashes.evict(leaving);
      this.tids.evict(leaving);
      this.counters.evict(set, leaving);
    }
    for (const set of this.sets.dropExpired(this.height)) this.counters.drop(set);
    this.counters.store();
    this.hashes.store(this.height);
    this.tids.store(this.height);
  }

  /** Whatever waits on must be held again. */
  commit(): void {
    this.waiting.commit();
  }

  /** When the party is released, Unix nanoseconds; undefined when it is not banned. */
  bannedUntil(party: string): bigint | undefined {
    return this.bans.of(party);
  }

  /** Bans a party by hand (devnet tools). */
  ban(party: string, untilNs: bigint): void {
    this.bans.ban(party, untilNs);
  }

  pardon(party: string): boolean {
    return this.bans.pardon(party);
  }

  /** The blocks that a transaction of the next block may name, oldest first. */
  namedBlocks(): { height: bigint; hash: string; parameters: PowParameters }[] {
    return this.blocks.all().flatMap(({ height, hash }) => {
      const parameters = this.sets.inForce(height)?.parameters;
      const isNamed =
        parameters !== undefined &&
        height <= this.height &&
        height + parameters.pastBlocks > this.height + 1n;
      return isNamed ? [{ height, hash, parameters }] : [];
    });
  }

  /** The heights the party has built on, ascending, and the current one last (docs/protocol/40-pow-spam.md#53-block-states). */
  blockStates(party: string): PowBlockState[] {
    const states = this.sets.all.flatMap((set) =>
      this.counters
        .ofParty(set, party)
        .map(({ height, counter }) => this.blockState(height, counter, set.parameters)),
    );
    const current = this.sets.inForce(this.height);
    if (current === undefined) return states;
    const isListed =
      this.rules === "0.71.6"
        ? this.counters.has(current, this.height) // anybody's transaction hides the current height
        : this.counters.of(current, this.height, party) !== undefined;
    if (!isListed) states.push(this.blockState(this.height, NOTHING, current.parameters));
    return states;
  }

  /**
   * The state was loaded, or taken back, to what it was at the end of block `height`: forgets what a block after it has
   * begun. Submissions that only this node has seen stay until the next commit.
   */
  resume(height: bigint): void {
    this.height = height;
    this.counters.reset();
    this.hashes.reset();
    this.tids.reset();
  }

  /**
   * The zero bits of the proof (0 for a validator command), or the first rule that refuses
   * (docs/protocol/40-pow-spam.md#33-verification).
   */
  private verify(tx: PowTransaction): bigint | Refusal {
    const { party, blockHeight, tid, nonce } = tx;
    const bannedUntil = this.bans.of(party);
    if (bannedUntil !== undefined) {
      return refuse("pow_banned", {
        bannedUntilNs: bannedUntil,
      });
    }
    if (this.hashes.has(tx.hash)) return refuse("pow_hash_used");
    if (tx.isValidatorCommand) return 0n;
    const set = this.sets.of(blockHeight);
    if (!set) return refuse("pow_too_old", { blockHeight, height: this.height });
    const { pastBlocks, difficulty } = set.parameters;
    const blockHash = this.blocks.of(blockHeight);
    if (blockHash === undefined || blockHeight + pastBlocks <= this.height) {
      const numbers = { blockHeight, height: this.height, pastBlocks };
      return refuse("pow_unknown_height", numbers, [tx.hash, tx.commandName, party]);
    }
    if (this.tids.has(tidKey(tid))) return refuse("pow_tid_used");
    const bits = this.bitsOf(tx.hash, { blockHash, tid, nonce }, set.parameters);
    if (bits !== undefined) return BigInt(bits);
    return refuse("pow_invalid", { difficulty: BigInt(difficulty) });
  }

  /** As `verifyProof`; a proof that was good for the mempool need not be worked out again for the block. */
  private bitsOf(hash: string, proof: Proof, parameters: PowParameters): number | undefined {
    const cached = this.waiting.proven(hash);
    if (cached?.parameters === parameters && isSame(cached.proof, proof)) return cached.bits;
    const bits = verifyProof(proof, parameters.difficulty, parameters.hashFunction, this.rules);
    this.latest = bits === undefined ? undefined : { hash, proof, parameters, bits };
    return bits;
  }

  /** Counts a proven transaction against the party's quota on its height (docs/protocol/40-pow-spam.md#34-delivertx). */
  private count({ party, blockHeight }: PowTransaction, bits: bigint, timeNs: bigint): Verdict {
    const set = this.sets.of(blockHeight)!;
    const { counters } = this;
    const { parameters } = set;
    const counter = counters.of(set, blockHeight, party);
    if (!counter) {
      // The original's defect: the counters of all other parties for this height are lost.
      if (this.rules === "0.71.6") counters.evict(set, blockHeight);
      counters.put(set, blockHeight, party, { observed: bits, seen: 1n });
      return ACCEPTED;
    }
    const { seen, observed } = counter;
    if (seen >= parameters.txPerBlock) {
      const required = requiredTotal(seen + 1n, parameters);
      if (!parameters.increasingDifficulty || observed + bits < required) {
        this.bans.ban(party, timeNs + banDurationNs(this.epochLengthNs.get()));
        const numbers = { blockHeight, seen, txPerBlock: parameters.txPerBlock };
        return refuse(
          "pow_quota",
          parameters.increasingDifficulty ? { ...numbers, required, shown: observed + bits } : numbers,
        );
      }
    }
    counters.put(set, blockHeight, party, { observed: observed + bits, seen: seen + 1n });
    return ACCEPTED;
  }

  private blockState(height: bigint, counter: PartyCounter, parameters: PowParameters): PowBlockState {
    const expected = expectedDifficulty(counter, parameters, this.rules === "0.71.6");
    return { height, hash: this.blocks.of(height) ?? "", seen: counter.seen, expected, parameters };
  }
}

/** Identifiers are 64 hexadecimal digits; the network takes any text, and a mempool of long ones would be all there is. */
const TID_BYTES_MAX = 256;
/** Longer ones are remembered by their hash, which has as many characters. */
const TID_KEPT_MAX = 64;
/** Proofs held, and identifiers of refused ones: more than a mempool takes. */
const HELD_MAX = 20_000;
const BURNT_MAX = 100_000;

interface Proven {
  /** Of the transaction. */
  readonly hash: string;
  readonly proof: Proof;
  readonly parameters: PowParameters;
  readonly bits: number;
}

interface Holder {
  readonly hash: string;
  readonly tid: string;
}

/** Key under which an identifier is kept; a public key is its own. */
function tidKey(tid: string): string {
  return tid.length <= TID_KEPT_MAX ? tid : sha256HexOf(Buffer.from(tid, "utf8"));
}

/**
 * The proofs of transactions that wait in this node's mempool: no two may have the same identifier, and a proof that
 * was good for the mempool need not be worked out again for the block. It holds as much as the mempool does; a refusal
 * leaves nothing here, except for the original's rules, which are bounded.
 */
class WaitingProofs {
  private readonly tids = new Set<string>();
  private readonly byHash = new LruCache<string, Proven>(HELD_MAX);
  /** Of refused submissions since the last commit. */
  private readonly burnt = new LruCache<string, true>(BURNT_MAX);

  /** @param isSpending whether leaving the mempool leaves the identifier spent until the next commit */
  constructor(private readonly isSpending: boolean) {}

  has(tid: string): boolean {
    const key = tidKey(tid);
    return this.tids.has(key) || this.burnt.has(key);
  }

  reserve({ hash, tid }: Holder, proven: Proven | undefined): void {
    this.tids.add(tidKey(tid));
    if (proven === undefined) return;
    this.byHash.set(hash, proven);
  }

  release({ hash, tid }: Holder): void {
    this.byHash.delete(hash);
    this.tids.delete(tidKey(tid));
    if (this.isSpending) this.burn(tid);
  }

  burn(tid: string): void {
    this.burnt.set(tidKey(tid), true);
  }

  proven(hash: string): Proven | undefined {
    return this.byHash.get(hash);
  }

  /** A block has it. */
  delivered(hash: string): void {
    this.byHash.delete(hash);
  }

  commit(): void {
    this.tids.clear();
    this.burnt.clear();
  }
}
