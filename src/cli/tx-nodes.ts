// The online half of lyra tx: nodes, and the memory of what this home's keys have on their way.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Solver } from "../chain/admission/pow/solver.ts";
import { devnetHomes, devnetNodeUrl } from "../devnet/home.ts";
import { defaultHome } from "../node/config.ts";
import { networksFolder } from "../planes/wallet/start.ts";
import { withFolderLock } from "../wallet/keystore/folder-lock.ts";
import { secureRandom } from "../wallet/random.ts";
import { GivenSender } from "../wallet/sending/given-sender.ts";
import { HttpNode } from "../wallet/sending/http-node.ts";
import { NodePool } from "../wallet/sending/node-pool.ts";
import { PlannerBook } from "../wallet/sending/planner-book.ts";
import { TransactionSender } from "../wallet/sending/sender.ts";
import { FileLedger } from "../wallet/sending/sent-ledger.ts";
import { chainIdOf, Networks } from "../wallet/service/networks.ts";
import { usageError } from "./arguments.ts";
import { onEndSignal } from "./signals.ts";
import { wholeOf } from "./tx-output.ts";

export const NODE_FLAGS = {
  node: { type: "string", multiple: true },
  network: { type: "string" },
  "chain-id": { type: "string" },
  wait: { type: "string" },
  timeout: { type: "string" },
  threads: { type: "string" },
  "sole-user": { type: "boolean" },
} as const;

/** Which nodes to ask. */
export const NODE_ADDRESS_FLAGS = {
  node: { type: "string", multiple: true },
  network: { type: "string" },
} as const;

/** Those of the flags; without, the devnet that runs for this user. @throws NodeError */
export function hostsOf(values: Pick<NodeValues, "home" | "node" | "network">): readonly string[] {
  const devnet = hasNodes(values) ? undefined : devnetNodeUrl(devnetHomes());
  return devnet === undefined ? nodesOf(values, values.home ?? defaultHome()).hosts : [devnet];
}

export interface NodeValues {
  readonly home?: string | undefined;
  readonly node?: string[] | undefined;
  readonly network?: string | undefined;
  readonly "chain-id"?: string | undefined;
  readonly wait?: string | undefined;
  readonly timeout?: string | undefined;
  readonly threads?: string | undefined;
  readonly "sole-user"?: boolean | undefined;
}

export interface Online {
  readonly sender: TransactionSender;
  readonly given: GivenSender;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

/** Beside the wallet service's own: a service of the same home is to this command as any other wallet. */
const FOLDER = "tx";
/** As long as another command may wait for its block. */
const LOCK_MS = 120_000;
const WAIT_S_MAX = 3_600;
const TIMEOUT_S_MAX = 120;

export function hasNodes({ node, network }: NodeValues): boolean {
  return node !== undefined || network !== undefined;
}

/** One command of a home at a time: two would each give away the same place. */
export function online<T>(values: NodeValues, action: (online: Online) => Promise<T>): Promise<T> {
  const home = values.home ?? defaultHome();
  const { hosts, chainId } = nodesOf(values, home);
  const timeout =
    values.timeout === undefined
      ? {}
      : { submitTimeoutMs: seconds("--timeout", values.timeout, TIMEOUT_S_MAX) };
  const clients = hosts.map((host) => new HttpNode(host, timeout));
  const wait = values.wait === undefined ? {} : { waitMs: seconds("--wait", values.wait, WAIT_S_MAX) };
  const threads = values.threads === undefined ? {} : { threads: wholeOf("--threads", values.threads, 256) };
  const folder = join(home, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const run = async () => {
    const nowMs = () => performance.now();
    const solver = new Solver({ nowMs, ...threads });
    const isSoleUser = values["sole-user"] === true;
    const book = new PlannerBook({ ledger: new FileLedger(join(folder, "sent.db")), isSoleUser });
    const nodes = new NodePool(clients, { nowMs, ...(chainId !== undefined && { chainId }) });
    const sender = new TransactionSender({
      ...{ nodes, solver, random: secureRandom, nowMs, wallMs: Date.now, book, watchMs: 0 },
      ...wait,
    });
    const interrupt = new AbortController();
    const forget = onEndSignal(() => interrupt.abort());
    try {
      return await action({ sender, given: new GivenSender(sender, nowMs), signal: interrupt.signal });
    } finally {
      forget();
      sender.close();
      solver.close();
      book.close();
    }
  };
  return withFolderLock(folder, run, LOCK_MS);
}

function nodesOf(
  values: NodeValues,
  home: string,
): { hosts: readonly string[]; chainId: string | undefined } {
  const { node: hosts, network: name, "chain-id": chainId } = values;
  if (hosts !== undefined && name !== undefined) throw usageError("tx", "say --node or --network");
  if (hosts !== undefined) return { hosts, chainId };
  if (name === undefined) throw usageError("tx", "say where to: --node URL or --network NAME");
  const network = new Networks(networksFolder(home)).get(name);
  if (network.api.rest.hosts.length === 0) {
    throw usageError("tx", `the network ${name} names no REST host: lyra wallet network describe`);
  }
  return { hosts: network.api.rest.hosts, chainId: chainId ?? chainIdOf(network) };
}

function seconds(flag: string, text: string, most: number): number {
  return wholeOf(flag, text, most) * 1_000;
}
