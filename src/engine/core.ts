// Common ground of the engine's domains: the state, the events of the block, its time, and the transaction
// that is being executed. The domains take their time from here alone: the engine knows no wall clock.
import { SECOND_NS } from "../wire/time-text.ts";
import { EventLog, type EventMember, type EventPayload, type EventSink } from "./events.ts";
import { State } from "./state.ts";

export interface BlockInfo {
  readonly height: number;
  /** Block time, Unix nanoseconds. */
  readonly timeNs: bigint;
  /** Block hash, lower-case hex. */
  readonly hash: string;
}

/** The transaction in hand. */
interface TxContext {
  /** The sender's public key, as sent. */
  readonly party: string;
  /** SHA-256 of the transaction, lower-case hex. */
  readonly hash: string;
  /** Root identifier: SHA3-256 of the signature, lower-case hex (docs/protocol/60-state-engine-parameters.md#13-identifiers). */
  readonly id: string;
}

export class Core implements EventSink {
  readonly state = new State();
  readonly log = new EventLog();
  block: BlockInfo = { height: 0, timeNs: 0n, hash: "" };
  /** Undefined outside transactions. */
  tx: TxContext | undefined;

  constructor(readonly chainId: string) {}

  /** Block time in nanoseconds. */
  get nowNs(): bigint {
    return this.block.timeNs;
  }

  /** Block time in whole seconds. */
  get nowSeconds(): bigint {
    return this.block.timeNs / SECOND_NS;
  }

  get height(): number {
    return this.block.height;
  }

  emit<M extends EventMember>(member: M, payload: EventPayload<M>): void {
    this.log.emit(member, payload);
  }

  /** As `EventLog.emitLate`. */
  emitLate<M extends EventMember>(member: M, payload: () => EventPayload<M>): void {
    this.log.emitLate(member, payload);
  }

  /** The transaction in hand. @throws Error outside of one */
  get currentTx(): TxContext {
    if (this.tx === undefined) throw new Error("no transaction is being executed");
    return this.tx;
  }
}
