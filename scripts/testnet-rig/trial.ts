// A trial of the rig.
import type { NetworkSettings, RigNetwork } from "./network.ts";

/** It cannot be tried on this machine. */
export class TrialSkipped extends Error {}

export interface Trial {
  /** Those of reference trials, and further ones. */
  readonly number: number;
  readonly title: string;
  /** Also in the short run. */
  readonly isShort?: boolean;
  /** The network it runs on; trials with the same settings object share one, as do those without. */
  readonly network?: NetworkSettings;
  /** It compares by itself, or the validators' rows must differ. */
  readonly isAlone?: boolean;
  /** @returns what was tried, for the line of the result @throws TrialSkipped where the machine lacks something */
  run(network: RigNetwork): Promise<string>;
}
