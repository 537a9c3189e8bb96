// A gRPC port answers from the planes of HTTP; its kind says which services it has.
import type { ServerStatus } from "../../http/status.ts";
import type { DataPlane } from "../data/plane.ts";
import type { LoadExplorer } from "../explorer/routes.ts";
import type { NodePlane } from "../node/plane.ts";

export interface GrpcPlanes {
  /**
   * `data`: the data node's service, and the core's where there is one
   * (docs/protocol/30-node-api-transactions.md#1-transports); `node`: the core's.
   */
  readonly kind: "data" | "node";
  readonly data: DataPlane;
  readonly node?: NodePlane | undefined;
  readonly status: ServerStatus;
  /** The block explorer, whose service the data port has. */
  readonly explorer?: LoadExplorer | undefined;
}
