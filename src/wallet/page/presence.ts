// Protection against approvals that nobody meant: a request has to have been on the screen for a second, and its button held
// for half a second. The server measures both, by secrets that it hands out when they begin.
import type { RandomBytes } from "../random.ts";
import { isSameHash, newToken, tokenHash } from "../service/tokens.ts";

export const VISIBLE_MS = 1_000;
export const HOLD_MS = 500;
/** A press that lasts longer is not one. */
const HOLD_MS_MAX = 10_000;
/** A request that was shown so long ago has to be shown again. */
const SHOWN_MS_MAX = 10 * 60_000;

interface Moment {
  readonly id: string;
  readonly hash: string;
  readonly atMs: number;
}

export type PresenceProblem = "not_shown" | "shown_too_briefly" | "not_held" | "held_too_briefly";

export class Presence {
  private shown: Moment | undefined;
  private pressed: Moment | undefined;

  constructor(
    private readonly random: RandomBytes,
    private readonly nowMs: () => number,
  ) {}

  /** The request is on the screen from now on; the one before it is not. @returns the secret of this showing */
  show(id: string): string {
    this.pressed = undefined;
    const [moment, nonce] = this.beginMoment(id);
    this.shown = moment;
    return nonce;
  }

  /** Nothing is on the screen: its page is hidden, or closed. */
  hide(): void {
    this.shown = undefined;
    this.pressed = undefined;
  }

  /** The button is held down from now on. @returns the secret of this press */
  press(id: string, nonce: string): string | PresenceProblem {
    const problem = this.problemOfShowing(id, nonce);
    if (problem !== undefined) return problem;
    const [moment, press] = this.beginMoment(id);
    this.pressed = moment;
    return press;
  }

  /** Whether a request may be approved now; each press is good for one answer. */
  release(id: string, nonce: string, press: string): PresenceProblem | undefined {
    const { pressed } = this;
    this.pressed = undefined;
    const problem = this.problemOfShowing(id, nonce);
    if (problem !== undefined) return problem;
    if (pressed?.id !== id || !isSameHash(pressed.hash, tokenHash(press))) return "not_held";
    const heldMs = this.nowMs() - pressed.atMs;
    if (heldMs > HOLD_MS_MAX) return "not_held";
    return heldMs < HOLD_MS ? "held_too_briefly" : undefined;
  }

  private problemOfShowing(id: string, nonce: string): PresenceProblem | undefined {
    const { shown } = this;
    if (shown?.id !== id || !isSameHash(shown.hash, tokenHash(nonce))) return "not_shown";
    const shownMs = this.nowMs() - shown.atMs;
    if (shownMs > SHOWN_MS_MAX) return "not_shown";
    return shownMs < VISIBLE_MS ? "shown_too_briefly" : undefined;
  }

  private beginMoment(id: string): [Moment, string] {
    const nonce = newToken(this.random);
    return [{ id, hash: tokenHash(nonce), atMs: this.nowMs() }, nonce];
  }
}
