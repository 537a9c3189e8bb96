// How many exports run at once, of whatever kind, and how many broke off.
import { ApiError, Grpc } from "../errors.ts";

export class ExportSlots {
  /** Exports being sent. */
  running = 0;
  /** Exports that broke off half way, through a fault of ours. */
  failed = 0;

  constructor(private readonly max: number) {}

  /** Takes a slot; what is returned gives it back, once. @throws ApiError 429 when all are taken */
  take(): () => void {
    if (this.running >= this.max) {
      throw new ApiError(Grpc.resourceExhausted, "client reached max subscription allowed");
    }
    this.running++;
    let isHeld = true;
    return () => {
      if (isHeld) this.running--;
      isHeld = false;
    };
  }
}
