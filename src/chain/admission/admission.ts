/**
 * Admission: who may send what, and when. The proof-of-work engine and the spam engine as one, in the order of the
 * original (reference 30, sections 7.2, 7.3 and 7.5), for a devnet, a sidecar and a test alike.
 *
 * The chain calls, for each block:
 *
 *   beginBlock → startEpoch and setParameter as they fall → deliver … → endBlock → commit
 *
 * and `check` for the mempool at any time. `save` and `load` stand between blocks. Nothing here takes a time, asks a
 * store, or throws for what a transaction holds.
 */
import { NodeError } from "../../errors/node-error.ts";
import { COMMANDS, type CommandKind } from "../../wire/transaction-commands.ts";
import { applyParameter } from "./network-parameters.ts";
import { PowEngine, type PowHolder, type PowState, type PowTransaction } from "./pow/engine.ts";
import type { AdmissionRules } from "./rules.ts";
import { SpamEngine, type SpamRequest, type SpamState } from "./spam/engine.ts";
import type { Tokens } from "./spam/simple-policy.ts";
import type { Verdict } from "./verdict.ts";

/** What admission has to know of a transaction. */
export interface AdmissionTransaction
  extends Pick<PowTransaction, "party" | "hash" | "blockHeight" | "tid" | "nonce"> {
  /** The command's member of `InputData`. */
  readonly command: CommandKind;
  /** The proposal voted on, for votes. */
  readonly proposal?: string;
}

/** Format of the state; one that cannot be read any more gets another number. */
const STATE_VERSION = 1;

export interface AdmissionState {
  readonly version: typeof STATE_VERSION;
  /** Time of the last block, Unix nanoseconds. */
  readonly timeNs: string;
  readonly pow: PowState;
  readonly spam: SpamState;
}

export class Admission {
  readonly pow: PowEngine;
  readonly spam = new SpamEngine();
  private timeNs = 0n;

  constructor(
    readonly chainId: string,
    readonly rules: AdmissionRules = "default",
  ) {
    this.pow = new PowEngine(rules);
  }

  /** Takes a network parameter as it is set or changed. @returns whether it is one of admission's */
  setParameter(key: string, value: string): boolean {
    const target = {
      changePow: this.pow.change.bind(this.pow),
      changeSpam: this.spam.change.bind(this.spam),
      setEpochLength: (epochLengthNs: bigint) => {
        this.pow.setEpochLength(epochLengthNs);
        this.spam.setEpochLength(epochLengthNs);
      },
    };
    return applyParameter(target, key, value);
  }

  /** @param hash lower-case hex @param timeNs the block's own time: bans are still released by the one before */
  beginBlock(height: bigint, hash: string, timeNs: bigint): void {
    this.pow.beginBlock(height, hash, this.timeNs);
    this.timeNs = timeNs;
  }

  startEpoch(seq: bigint): void {
    this.spam.startEpoch(seq);
  }

  /** For the mempool; nothing is remembered of it. @param tokens in the party's staking account; undefined when it has none */
  check(tx: AdmissionTransaction, tokens: Tokens): Verdict {
    const verdict = this.pow.check(powTransaction(tx));
    return verdict.accepted ? this.spam.check(spamRequest(tx), tokens) : verdict;
  }

  /** A transaction is in the mempool, after its `check` or for what was good at this very block before. */
  hold(tx: AdmissionTransaction): void {
    this.pow.hold(powHolder(tx));
  }

  /** A transaction left the mempool, and no block has it. */
  release(tx: AdmissionTransaction): void {
    this.pow.release(powHolder(tx));
  }

  /** A submission was refused, whatever refused it. */
  refuse(tx: AdmissionTransaction): void {
    this.pow.refuse(powHolder(tx));
  }

  /** In a block. A transaction that a spam policy refuses has used up its proof all the same. */
  deliver(tx: AdmissionTransaction): Verdict {
    const verdict = this.pow.deliver(powTransaction(tx), this.timeNs);
    return verdict.accepted ? this.spam.deliver(spamRequest(tx)) : verdict;
  }

  endBlock(): void {
    this.pow.endBlock();
    this.spam.endBlock(this.pow.currentHeight, this.timeNs);
  }

  /** The mempool checks what remains in it again after this, and holds it again. */
  commit(): void {
    this.pow.commit();
  }

  save(): AdmissionState {
    const { timeNs, pow, spam } = this;
    return { version: STATE_VERSION, timeNs: timeNs.toString(), pow: pow.save(), spam: spam.save() };
  }

  load(state: AdmissionState): void {
    if (state.version !== STATE_VERSION) {
      const text = `this is an admission state of version ${state.version}, and this program reads ${STATE_VERSION}`;
      throw new NodeError("admission.load", "state_version", text, "use the version of Lyra that wrote it");
    }
    this.timeNs = BigInt(state.timeNs);
    this.pow.load(state.pow);
    this.spam.load(state.spam);
  }
}

function powHolder({ command, hash, tid }: AdmissionTransaction): PowHolder {
  return { isValidatorCommand: COMMANDS[command].isValidatorCommand, hash, tid };
}

function powTransaction(tx: AdmissionTransaction): PowTransaction {
  const { displayName: commandName, isValidatorCommand } = COMMANDS[tx.command];
  const { party, hash, blockHeight, tid, nonce } = tx;
  return { party, hash, blockHeight, tid, nonce, commandName, isValidatorCommand };
}

function spamRequest({ command, party, proposal }: AdmissionTransaction): SpamRequest {
  return { policy: COMMANDS[command].spamPolicy, party, proposal };
}
