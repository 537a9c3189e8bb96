/** One-off transfers, at once or at a time (reference 60, section 8.3). */
import type { OneOffTransfer } from "../wire/generated/commands.ts";
import { TransferStatus } from "../wire/generated/events.ts";
import type { Collateral } from "./collateral.ts";
import type { Core } from "./core.ts";
import { CommandError } from "./errors.ts";
import type { Cell, Table } from "./state/state.ts";
import type { TransferMovements } from "./transfer-movements.ts";
import { type TransferRequest, type TransferRules, transferEvent } from "./transfer-rules.ts";

export interface Scheduled {
  readonly request: TransferRequest;
  /** Unix nanoseconds. */
  readonly deliverOn: bigint;
}

/** Digits of a time and of a count in a key, so that keys sort as numbers do. */
const TIME_DIGITS = 20;
const COUNT_DIGITS = 16;

export class OneOffTransfers {
  /** By time of delivery, then in the order of submission. */
  private readonly scheduled: Table<Scheduled>;
  private readonly count: Cell<bigint>;

  constructor(
    private readonly core: Core,
    private readonly collateral: Collateral,
    private readonly rules: TransferRules,
    private readonly movements: TransferMovements,
  ) {
    this.scheduled = core.state.table("transfers.scheduled");
    this.count = core.state.cell("transfers.scheduledCount", 0n);
  }

  /** @throws CommandError; the rejected transfer's event stays */
  submit(request: TransferRequest, { deliverOn }: OneOffTransfer): void {
    try {
      this.rules.check(request);
      this.rules.checkFunds(request, request.amount);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.emit(request, deliverOn, TransferStatus.STATUS_REJECTED, error.message);
      throw new CommandError(error.message, { ...error.options, keepChanges: true });
    }
    const isImmediate = deliverOn < this.core.nowNs;
    if (!isImmediate) this.schedule({ request, deliverOn });
    this.collateral.emitMovements(this.movements.send(request, request.amount, isImmediate));
    // One that is scheduled is done already, and once more when it is delivered (section 15, 32).
    this.emit(request, deliverOn, TransferStatus.STATUS_DONE);
  }

  /** Delivers what is due: the second part of the banking tick (section 1.5, #12). */
  onTick(): void {
    const due: Scheduled[] = [];
    for (const key of this.scheduled.keys()) {
      const entry = this.scheduled.get(key)!;
      if (entry.deliverOn > this.core.nowNs) break;
      due.push(entry);
      this.scheduled.delete(key);
    }
    const movements = due.map(({ request }) => this.movements.deliver(request, request.amount));
    this.collateral.emitMovements(movements);
    for (const { request, deliverOn } of due) this.emit(request, deliverOn, TransferStatus.STATUS_DONE);
  }

  /** What is not delivered yet, in the order of delivery. For checkpoints. */
  pending(): readonly Scheduled[] {
    return this.scheduled.values();
  }

  /** One that was submitted before the chain began anew; its amount is among the pending transfers (section 12). */
  restore({ request, deliverOn }: Scheduled): void {
    this.schedule({ request, deliverOn });
    this.emit(request, deliverOn, TransferStatus.STATUS_DONE);
  }

  private schedule(entry: Scheduled): void {
    const count = this.count.get();
    this.count.set(count + 1n);
    const time = entry.deliverOn.toString().padStart(TIME_DIGITS, "0");
    this.scheduled.set(`${time}/${count.toString().padStart(COUNT_DIGITS, "0")}`, entry);
  }

  private emit(request: TransferRequest, deliverOn: bigint, status: number, reason?: string): void {
    this.core.emit("transfer", { ...transferEvent(request, status, reason), oneOff: { deliverOn } });
  }
}
