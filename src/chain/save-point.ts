// Where a chain is, with what is not in its store: what to be there again takes besides the rows and the state.

import type { BlockInfo } from "../engine/core.ts";
import type { AdmissionState } from "./admission/admission.ts";
import type { ChainPoint } from "./chain-store.ts";
import type { FilePlace } from "./event-file.ts";
import type { UnsavedAt } from "./unsaved-state.ts";

export interface SavePoint {
  readonly point: ChainPoint;
  readonly admission: AdmissionState;
  readonly unsaved: UnsavedAt;
  /** In the file that the run is written to. */
  readonly recorded: FilePlace | undefined;
}

/** The block that a chain is at, as the engine knows it. */
export function infoOf({ height, timeNs, hash }: ChainPoint): BlockInfo {
  return { height, timeNs: BigInt(timeNs), hash };
}
