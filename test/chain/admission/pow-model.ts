// A naive model of the proof-of-work engine, written from docs/protocol/40-pow-spam.md#3-the-pow-engine, without
// looking at the engine: it keeps nothing but a list of what happened, and works every answer out again from the
// beginning.
import { sha3_256 } from "@noble/hashes/sha3.js";
import type { PowTransaction } from "../../../src/chain/admission/pow/engine.ts";
import type { PowParameters } from "../../../src/chain/admission/pow/windows.ts";

type Happened =
  | { readonly kind: "change"; readonly at: number; readonly values: Partial<PowParameters> }
  | { readonly kind: "begin"; readonly at: number; readonly hash: string; readonly clock: number }
  | { readonly kind: "end"; readonly at: number }
  | { readonly kind: "commit" }
  | { readonly kind: "submit"; readonly tid: string }
  | {
      readonly kind: "delivered";
      readonly tx: PowTransaction;
      readonly bits: number;
      readonly isCounted: boolean;
    }
  | { readonly kind: "ban"; readonly party: string; readonly until: number };

interface Set0 {
  readonly from: number;
  readonly until: number;
  readonly values: PowParameters;
}

/** Seconds from block to block, and of a ban: few blocks, so that bans end within a random life. */
export const BLOCK_SECONDS = 10;
const BAN = 30;

export class PowModel {
  private readonly log: Happened[] = [];
  private height = 0;
  private time = 0;

  constructor(
    private readonly first: PowParameters,
    private readonly isOld: boolean,
  ) {}

  begin(height: number, hash: string): void {
    this.log.push({ kind: "begin", at: height, hash, clock: this.time });
    [this.height, this.time] = [height, height * BLOCK_SECONDS];
  }

  change(values: Partial<PowParameters>): void {
    this.log.push({ kind: "change", at: this.height, values });
  }

  end(): void {
    this.log.push({ kind: "end", at: this.height }, { kind: "commit" });
  }

  submit(tx: PowTransaction): string {
    const sinceCommit = this.log.slice(this.log.findLastIndex(({ kind }) => kind === "commit") + 1);
    const isSeen = sinceCommit.some((entry) => entry.kind === "submit" && entry.tid === tx.tid);
    if (isSeen && !tx.isValidatorCommand) return "proof of work tid already seen";
    const bits = this.verify(tx);
    const isSpent = typeof bits === "number" || this.isOld;
    if (isSpent && !tx.isValidatorCommand) this.log.push({ kind: "submit", tid: tx.tid });
    return typeof bits === "number" ? "accepted" : bits;
  }

  deliver(tx: PowTransaction): string {
    const bits = this.verify(tx);
    if (typeof bits === "string") return bits;
    const isGood = tx.isValidatorCommand || this.isWithinQuota(tx, bits);
    this.log.push({ kind: "delivered", tx, bits, isCounted: isGood && !tx.isValidatorCommand });
    if (isGood) return "accepted";
    this.log.push({ kind: "ban", party: tx.party, until: this.time + BAN });
    return "too many transactions per block";
  }

  /** Every parameter set that was made up to the end of block `at`, with the heights it holds for. */
  private setsMade(at: number): Set0[] {
    const starts: { from: number; values: PowParameters }[] = [{ from: 0, values: this.first }];
    for (const entry of this.log) {
      if (entry.kind !== "change" || entry.at > at) continue;
      const newest = starts.at(-1)!;
      const values = { ...newest.values, ...entry.values };
      const isSame = newest.from === entry.at + 1 || (starts.length === 1 && newest.from === entry.at);
      if (isSame) starts[starts.length - 1] = { from: newest.from, values };
      else starts.push({ from: entry.at + 1, values });
    }
    return starts.map(({ from, values }, index) => ({
      from,
      values,
      until: (starts[index + 1]?.from ?? Number.POSITIVE_INFINITY) - 1,
    }));
  }

  /** The sets still kept while block `at` is processed: those not dropped at the end of a block before. */
  private setsKept(at: number): Set0[] {
    return this.setsMade(at).filter(({ until, values }) => until + Number(values.pastBlocks) > at - 1);
  }

  private ownerOf(height: bigint, at: number): Set0 | undefined {
    return this.setsKept(at).find(({ from, until }) => height >= from && Number(height) <= until);
  }

  /** Whether what was recorded under `height` at place `since` of the log has been forgotten since. */
  private isForgotten(height: bigint, since: number): boolean {
    return this.log.slice(since).some((entry) => {
      if (entry.kind !== "end") return false;
      const forgets = ({ values }: Set0) => BigInt(entry.at + 1) - values.pastBlocks === height;
      const owner = this.ownerOf(height, entry.at);
      return this.isOld ? this.setsKept(entry.at).some(forgets) : owner !== undefined && forgets(owner);
    });
  }

  private isSpent(matches: (tx: PowTransaction) => boolean): boolean {
    return this.log.some(
      (entry, place) =>
        entry.kind === "delivered" && matches(entry.tx) && !this.isForgotten(entry.tx.blockHeight, place),
    );
  }

  isBanned(party: string): boolean {
    return this.log.some(
      (entry, place) =>
        entry.kind === "ban" &&
        entry.party === party &&
        !this.log.slice(place).some((later) => later.kind === "begin" && later.clock >= entry.until),
    );
  }

  private verify(tx: PowTransaction): number | string {
    if (this.isBanned(tx.party)) return "party is banned from sending transactions";
    if (this.isSpent(({ hash }) => hash === tx.hash)) return "transaction hash already used";
    if (tx.isValidatorCommand) return 0;
    const owner = this.ownerOf(tx.blockHeight, this.height);
    if (!owner) return "transaction too old";
    const block = this.log.findLast((entry) => entry.kind === "begin" && BigInt(entry.at) === tx.blockHeight);
    if (block?.kind !== "begin" || tx.blockHeight + owner.values.pastBlocks <= BigInt(this.height)) {
      return `unknown block height for tx:${tx.hash}, command:${tx.commandName}, party:${tx.party}`;
    }
    if (this.isSpent(({ tid, isValidatorCommand }) => !isValidatorCommand && tid === tx.tid)) {
      return "proof of work tid already used";
    }
    const bits = zeroBits(block.hash, tx.tid, tx.nonce);
    return tx.tid !== "" && bits >= owner.values.difficulty ? bits : "failed to verify proof of work";
  }

  private isWithinQuota(tx: PowTransaction, bits: number): boolean {
    const { txPerBlock, difficulty, increasingDifficulty } = this.ownerOf(
      tx.blockHeight,
      this.height,
    )!.values;
    const { seen, observed } = this.counterOf(tx.party, tx.blockHeight);
    if (seen < Number(txPerBlock)) return true;
    if (!increasingDifficulty) return false;
    let required = 0;
    for (let k = 1; k <= seen + 1; k++) required += difficulty + Math.floor((k - 1) / Number(txPerBlock));
    return observed + bits >= required;
  }

  private counterOf(party: string, height: bigint): { seen: number; observed: number } {
    const counted = this.log.flatMap((entry, place) =>
      entry.kind === "delivered" && entry.isCounted && entry.tx.blockHeight === height
        ? [{ party: entry.tx.party, bits: entry.bits, place }]
        : [],
    );
    let counters = new Map<string, { seen: number; observed: number }>();
    for (const { party: sender, bits } of counted) {
      const counter = counters.get(sender);
      if (counter) counters.set(sender, { seen: counter.seen + 1, observed: counter.observed + bits });
      else counters = new Map([...(this.isOld ? [] : counters), [sender, { seen: 1, observed: bits }]]);
    }
    return counters.get(party) ?? { seen: 0, observed: 0 };
  }
}

function zeroBits(blockHash: string, tid: string, nonce: bigint): number {
  const last = Buffer.alloc(8);
  last.writeBigUInt64BE(nonce);
  const hash = sha3_256(Buffer.concat([Buffer.from(`Vega_SPAM_PoW${blockHash}${tid}`), last]));
  const bits = [...hash].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.indexOf("1");
}
