// Changes of a sidecar as a whole in the log: whether it is ready, and whether its clock is right.
import { logNotice } from "../errors/log.ts";

const ATTEMPT = "sidecar";
/** As the alarm has it (docs/operations.md). */
const SKEW_SECONDS = 10;

export class NodeLog {
  private isReady: boolean | undefined;
  private isSkewed = false;

  /** @param reason why the node is not ready; undefined while it is */
  noteReadiness(reason: string | undefined): void {
    const isReady = reason === undefined;
    if (isReady === this.isReady) return;
    this.isReady = isReady;
    // The cause has a line of its own, by its source.
    logNotice(ATTEMPT, isReady ? "ready" : `not ready: ${reason.split(" (")[0]}`);
  }

  /** @param seconds how far this machine's clock is ahead of the chain's */
  noteClock(seconds: number): void {
    const isSkewed = Math.abs(seconds) > SKEW_SECONDS;
    if (isSkewed === this.isSkewed) return;
    this.isSkewed = isSkewed;
    const words = `${Math.round(Math.abs(seconds))} seconds ${seconds > 0 ? "ahead of" : "behind"}`;
    logNotice(
      ATTEMPT,
      isSkewed
        ? `this machine's clock is ${words} the chain's`
        : "this machine's clock and the chain's agree",
    );
  }
}
