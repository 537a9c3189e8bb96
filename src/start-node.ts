// The call for every kind of node: the command line, tests and users of the library start theirs with it.

import type { Devnet, DevnetConfig } from "./devnet/devnet.ts";
import type { NodeError } from "./errors/node-error.ts";
import type { DataNodeConfig } from "./node/config.ts";
import type { Sidecar } from "./node/sidecar.ts";
import type { SidecarNodeConfig } from "./node/sidecar-config.ts";
import type { DataNode } from "./node/start.ts";
import type { Validator, ValidatorConfig } from "./validator/validator.ts";

export interface RunningNode {
  readonly home: string;
  readonly dataUrl: string;
  /** Settles when a thread of the node ends by itself: the node answers less than it should, or nothing. */
  readonly broken: Promise<NodeError>;
  /** Drains the ports and closes the store: in two seconds without requests under way. */
  stop(): Promise<void>;
}

/**
 * Starts a node: a data node over a home, which may load recordings meanwhile; a sidecar, which follows a validator; a
 * devnet that makes its own blocks; or a validator, whose blocks a consensus engine makes.
 * Every port listens when this returns.
 * @throws NodeError
 */
export function startNode(config: DevnetConfig): Promise<Devnet>;
export function startNode(config: DataNodeConfig): Promise<DataNode>;
export function startNode(config: SidecarNodeConfig): Promise<Sidecar>;
export function startNode(config: ValidatorConfig): Promise<Validator>;
export function startNode(config: DataNodeConfig | SidecarNodeConfig): Promise<DataNode>;
export async function startNode(
  config: DevnetConfig | DataNodeConfig | SidecarNodeConfig | ValidatorConfig,
): Promise<RunningNode> {
  // Each kind loads only its own code.
  if (config.kind === "devnet") return (await import("./devnet/devnet.ts")).startDevnet(config);
  if (config.kind === "validator") return (await import("./validator/validator.ts")).startValidator(config);
  if (config.kind === "sidecar") return (await import("./node/sidecar.ts")).startSidecar(config);
  return (await import("./node/start.ts")).startDataNode(config);
}
