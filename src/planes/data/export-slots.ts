// How many exports run at once, of whatever kind, and how many broke off.
import { ApiError, Grpc } from "../../http/errors.ts";
import { ServerCounts } from "./counts.ts";

export class ExportSlots {
  constructor(
    private readonly max: number,
    private readonly counts = new ServerCounts(),
  ) {}

  /** Exports being sent. */
  get running(): number {
    return this.counts.exportsRunning;
  }

  /** Takes a slot; what is returned gives it back, once. @throws ApiError 429 when all are taken */
  take(): () => void {
    if (!this.counts.beginExport(this.max)) {
      throw new ApiError(Grpc.resourceExhausted, "client reached max subscription allowed");
    }
    let isHeld = true;
    return () => {
      if (isHeld) this.counts.endExport();
      isHeld = false;
    };
  }

  /** One broke off half way, through a fault of ours. */
  failed(): void {
    this.counts.exportFailed();
  }
}
