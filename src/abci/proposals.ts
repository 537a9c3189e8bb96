/**
 * The transactions that a block may hold: one rule for the validator that proposes it and for those that judge the proposal. It follows
 * from the last block and from the transactions alone, so that all come to the same, and no proposal of an honest one
 * is refused. The counts of spam policies are not part of it: they refuse in the block, where the ban is made.
 */

import type { Verdict } from "../chain/admission/rules.ts";
import { admissionTransaction } from "../chain/block-runner.ts";
import type { ChainCore } from "../chain/chain-core.ts";
import { SEQUENCER_LIMITS } from "../chain/options.ts";
import { VerdictMemo } from "../chain/verdict-memo.ts";
import { COMMANDS } from "../wire/transaction-commands.ts";
import { type ParsedTransactions, type ValidTx, validTx } from "./parsed.ts";

/** Bytes of transactions in a block at the most, as `max_bytes` of the consensus parameters. */
export const BLOCK_BYTES_MAX = SEQUENCER_LIMITS.blockBytesMax;

/** Why a transaction does not go into the block under way; `full` ends it. */
type Fault = { readonly reason: string; readonly isFull: boolean };

const priorityOf = ({ tx }: ValidTx): number => COMMANDS[tx.kind].priority;

/** Bytes that a transaction takes in a list of protobuf: itself, its length, and a tag. */
function listedBytes({ length }: Uint8Array): number {
  let lengthBytes = 1;
  for (let rest = length; rest > 127; rest = Math.floor(rest / 128)) lengthBytes++;
  return length + lengthBytes + 1;
}

export class Proposals {
  /** Verdicts of admission: a proposer's own proposal comes back, and so does one of another round. */
  private readonly proofs = new VerdictMemo<Verdict>();

  constructor(
    private readonly core: ChainCore,
    private readonly parsed: ParsedTransactions,
  ) {}

  /** The transactions of a proposal: by priority, then as they come, as far as bytes and gas go. */
  prepare(txs: readonly Uint8Array[], bytesMax: bigint): Uint8Array[] {
    const valid = this.parsed
      .block(txs)
      .map(validTx)
      .filter((each) => each !== undefined);
    const block = new BlockUnderWay(this.core, this.proofs, Number(bytesMax));
    const chosen: Uint8Array[] = [];
    // The order of those with one priority stays.
    for (const each of valid.sort((a, b) => priorityOf(b) - priorityOf(a))) {
      const fault = block.add(each);
      if (fault === undefined) chosen.push(each.bytes);
      else if (fault.isFull) break;
    }
    return chosen;
  }

  /** Why no honest validator proposes this; undefined for a good one. */
  faultOf(txs: readonly Uint8Array[]): string | undefined {
    const block = new BlockUnderWay(this.core, this.proofs, Number.POSITIVE_INFINITY);
    for (const [n, { bytes, hash, verdict }] of this.parsed.block(txs).entries()) {
      const reason = verdict.ok
        ? block.add({ bytes, hash, tx: verdict.transaction })?.reason
        : verdict.refusal.text;
      if (reason !== undefined) return `transaction ${n + 1} of ${txs.length}, ${hash}: ${reason}`;
    }
    return undefined;
  }
}

/** A block that grows by one transaction after the other. */
class BlockUnderWay {
  private readonly hashes = new Set<string>();
  private readonly tids = new Set<string>();
  private priority = Number.POSITIVE_INFINITY;
  private bytes = 0;
  private listed = 0;
  private gas = 0;

  constructor(
    private readonly core: ChainCore,
    private readonly proofs: VerdictMemo<Verdict>,
    /** As the engine counts them. */
    private readonly listedMax: number,
  ) {}

  /** @returns why it cannot stand behind those before it: then the block is as before */
  add(each: ValidTx): Fault | undefined {
    const { core } = this;
    const { tx, hash, bytes } = each;
    const fault = (reason: string): Fault => ({ reason, isFull: false });
    const full = (reason: string): Fault => ({ reason, isFull: true });
    const tid = COMMANDS[tx.kind].isValidatorCommand ? undefined : tx.pow?.tid;
    if (this.hashes.has(hash)) return fault("it is in the block already");
    if (tid !== undefined && this.tids.has(tid))
      return fault("another one in the block has its proof of work");
    const priority = priorityOf(each);
    if (priority > this.priority) return fault("it stands behind one of lower priority");
    const verdict = this.proofs.of(tx, core.place, () => core.admission.proves(admissionTransaction(tx)));
    if (!verdict.accepted) return fault(verdict.text);
    const { code, text, gasWanted } = core.check(tx);
    if (code !== 0) return fault(text);
    const gasMax = core.engine.blockGasMax;
    if (gasWanted > gasMax) return fault(`it takes ${gasWanted} of ${gasMax} gas`);
    if (this.gas + gasWanted > gasMax) return full(`the block takes more than ${gasMax} gas`);
    const listed = this.listed + listedBytes(bytes);
    if (this.bytes + bytes.length > BLOCK_BYTES_MAX || listed > this.listedMax)
      return full(`the block has more than ${BLOCK_BYTES_MAX} bytes`);
    this.hashes.add(hash);
    if (tid !== undefined) this.tids.add(tid);
    this.priority = priority;
    this.bytes += bytes.length;
    this.listed = listed;
    this.gas += gasWanted;
    return undefined;
  }
}
