// Evidence in blocks that a validator signed twice: an alarm for operators, since the chain punishes no validator for it.
import type { DoubleSigning } from "../engine/chain-port.ts";
import { logFailure, logNotice } from "../errors/log.ts";
import { NodeError } from "../errors/node-error.ts";
import { type Misbehavior, MisbehaviorType } from "../wire/generated/abci.ts";
import { hexOf } from "../wire/identifiers.ts";

/** Of a validator's name, which its operator chose. */
const NAME_LENGTH_MAX = 60;
/** Evidence in older blocks is history: a node that executes the chain again meets it. */
const AGE_MS_MAX = 3_600_000;
const ATTEMPT = "validator.evidence";

interface Names {
  /** @param address lower-case hex */
  nameAt(address: string): string | undefined;
}

export class DoubleSignings {
  private count = 0;
  /** The last sentence of each address, lower-case hex. */
  private readonly sentences = new Map<string, string>();

  constructor(
    private readonly names: Names,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** Logs the evidence of a block. @param timeMs of the block, Unix milliseconds */
  note(block: number, timeMs: number, evidence: readonly Misbehavior[]): void {
    const isOld = this.nowMs() - timeMs > AGE_MS_MAX;
    for (const { validator, type, height } of evidence) {
      const address = hexOf(validator?.address ?? new Uint8Array(0));
      const name = this.names.nameAt(address) ?? "a validator that the chain does not have";
      const deed = type === MisbehaviorType.LIGHT_CLIENT_ATTACK ? "signed for light clients" : "signed";
      const sentence = `block ${block} has evidence that ${printable(name)} (${address}) ${deed} twice at block ${height}`;
      if (isOld) {
        logNotice(ATTEMPT, sentence);
        continue;
      }
      this.count++;
      this.sentences.set(address, sentence);
      logFailure(
        new NodeError(
          ATTEMPT,
          "signed_twice",
          sentence,
          "do two machines have its priv_validator_key.json? Stop one of them now",
        ),
      );
    }
  }

  /** @param address of this validator in consensus, lower-case hex */
  report(address: string | undefined): DoubleSigning {
    const own = address === undefined ? undefined : this.sentences.get(address);
    return { count: this.count, own: own && `${own}: does another machine have its key?` };
  }
}

/** A name comes from a transaction, and must not steer a terminal. */
function printable(name: string): string {
  return name.slice(0, NAME_LENGTH_MAX).replace(/[^\p{L}\p{N} ._-]/gu, "?");
}
