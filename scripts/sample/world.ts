// The sample chain: makes blocks, puts events into envelopes, and runs what is planned for each height in the order
// of a real node's block (docs/protocol/60-state-engine-blocks.md#11-identity-of-a-block to #18-endblock-and-commit;
// framing: docs/protocol/20-network-history-segments.md#61-binary-format).
import type { Init } from "../../src/wire/codec.ts";
import { messageDescriptor } from "../../src/wire/descriptors.ts";
import { type BusEvent, encodeBusEvent, type TransactionResult } from "../../src/wire/generated/events.ts";
import { SECOND_NS } from "../../src/wire/time-text.ts";
import { blockHashOf, CHAIN_ID, hashOf, idOf } from "./seeded.ts";

/** 2026-01-05 09:00:00 UTC, in Unix nanoseconds. */
export const GENESIS_NS = 1_767_603_600_000_000_000n;
const BUS_EVENT_VERSION = 1;

/** Steps of a block, in the order in which they happen. */
export const Step = {
  epoch: 0,
  stake: 1,
  markets: 2,
  delegation: 3,
  signatures: 4,
  banking: 5,
  governance: 6,
  keys: 7,
  transactions: 8,
  blockEnd: 9,
  commit: 10,
} as const;
const STEPS = 11;

type EventBody = Omit<Init<BusEvent>, "id" | "block" | "type" | "version" | "chainId" | "txHash">;
type Plan = (() => void)[];

export interface TransactionOptions {
  /** The signer's public key. */
  readonly party: string;
  /** The command, as the result event repeats it; a function when it is only known in its block. */
  readonly command?: Init<TransactionResult> | (() => Init<TransactionResult>);
  /** Display name and error of a command that fails (docs/protocol/60-state-engine-blocks.md#16-transactions). */
  readonly failure?: { readonly name: string; readonly error: string };
  /** Validator commands leave no result event. */
  readonly silent?: boolean;
}

export class World {
  height = 0;
  private readonly records: Uint8Array[] = [];
  private readonly plans = new Map<number, Plan[]>();
  private readonly always: Plan[] = Array.from({ length: STEPS }, () => []);
  private readonly counters = new Map<string, number>();
  private block = "";
  private tx = "";
  private seq = 0;

  /** Unix nanoseconds of a block: a second each and a bit; block 1 has the genesis time. */
  timeAt(height: number): bigint {
    if (height <= 1) return GENESIS_NS;
    const jitter = Number.parseInt(hashOf("time", height).slice(0, 8), 16) % 900_000_000;
    return GENESIS_NS + BigInt(height - 1) * SECOND_NS + BigInt(jitter);
  }

  secondsAt(height: number): bigint {
    return this.timeAt(height) / SECOND_NS;
  }

  get now(): bigint {
    return this.timeAt(this.height);
  }

  /** A fresh identifier of a kind. */
  newId(kind: string): string {
    const count = (this.counters.get(kind) ?? 0) + 1;
    this.counters.set(kind, count);
    return idOf(kind, count);
  }

  at(height: number, step: number, run: () => void): void {
    if (height < this.height) throw new Error(`${height} is already over`);
    let plan = this.plans.get(height);
    if (!plan) this.plans.set(height, (plan = Array.from({ length: STEPS }, () => [])));
    plan[step]!.push(run);
  }

  every(step: number, run: () => void): void {
    this.always[step]!.push(run);
  }

  /** Plans a transaction. Events that `run` emits carry its hash. */
  transaction(height: number, options: TransactionOptions, run: () => void): void {
    this.at(height, Step.transactions, () => {
      const hash = this.newId("transaction");
      this.tx = hash.toUpperCase();
      run();
      if (!options.silent) this.result(hash, options);
      this.tx = this.block;
    });
  }

  private result(hash: string, { party, command, failure }: TransactionOptions): void {
    const repeated = typeof command === "function" ? command() : command;
    const result = { ...repeated, partyId: party, hash, status: failure === undefined };
    if (!failure) {
      this.emit({ transactionResult: result });
      return;
    }
    this.emit({ transactionResult: { ...result, failure: { error: failure.error } } });
    this.emit({ txErrEvent: { partyId: party, errMsg: `${failure.name} - ${failure.error}` } });
  }

  emit(body: EventBody): void {
    // An event of expired orders takes one number for each of them (docs/protocol/30-node-api-events.md#91-busevent).
    const seq = this.seq;
    this.seq += body.expiredOrders?.orderIds?.length ?? 1;
    const bytes = encodeBusEvent({
      ...body,
      id: `${this.height}-${seq}`,
      block: this.block,
      type: typeOf(body),
      version: BUS_EVENT_VERSION,
      chainId: CHAIN_ID,
      txHash: this.tx,
    });
    const record = new Uint8Array(12 + bytes.length);
    const view = new DataView(record.buffer);
    view.setUint32(0, 8 + bytes.length);
    view.setBigUint64(4, BigInt(this.records.length));
    record.set(bytes, 12);
    this.records.push(record);
  }

  /** The genesis block: height 1, for the first of two times (docs/protocol/20-network-history-segments.md#64-the-doubled-first-height). */
  genesis(run: () => void): void {
    this.begin(1, idOf("genesis state"));
    run();
    this.emit({ endBlock: { height: 1n } });
  }

  run(heightMax: number): void {
    for (let height = 1; height <= heightMax; height++) {
      this.begin(height, blockHashOf(height));
      const plan = this.plans.get(height);
      for (let step = 0; step < STEPS; step++) {
        for (const run of this.always[step]!) run();
        for (const run of plan?.[step] ?? []) run();
      }
      this.emit({ endBlock: { height: BigInt(height) } });
    }
  }

  private begin(height: number, hash: string): void {
    this.height = height;
    this.seq = 1;
    this.block = hash.toUpperCase();
    this.tx = this.block;
    this.emit({ beginBlock: { height: BigInt(height), timestamp: this.now, hash } });
    this.emit({ timeUpdate: { timestamp: this.now } });
  }

  get blockHash(): string {
    return this.block;
  }

  recording(): Uint8Array {
    return Buffer.concat(this.records);
  }
}

/** Number in `BusEventType` of the payload that is set (docs/protocol/30-node-api-events.md#92-types-and-payload-fields). */
function typeOf(body: EventBody): number {
  const name = Object.keys(body)[0]!;
  const field = messageDescriptor("vega.events.v1.BusEvent").fields.find((f) => f.jsonName === name)!.number;
  if (field === 2001) return 201;
  return field - (field >= 129 && field <= 135 ? 100 : 99);
}
