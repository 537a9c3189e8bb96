// Clients of a stream: how many there may be.
import { Grpc } from "../../errors/statuses.ts";
import { ApiError } from "../../http/errors.ts";

/** Places for the streams of one kind. */
export class Places {
  private taken = 0;

  constructor(private readonly max: number) {}

  /** Takes a place until the stream has ended. @throws ApiError 429 */
  enter(signal: AbortSignal): void {
    if (signal.aborted) return;
    if (this.taken >= this.max)
      throw new ApiError(Grpc.resourceExhausted, `${this.max} streams are open already`);
    this.taken++;
    signal.addEventListener("abort", () => this.taken--, { once: true });
  }
}
