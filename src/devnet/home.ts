/**
 * A devnet's files beside the store: its genesis as a file, which the store has too, and the last chain
 * while a reset makes room for another.
 */
import type { Database } from "bun:sqlite";
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { storedGenesis } from "../chain/chain-store.ts";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { lockHome } from "../files/lock.ts";
import { readShortText } from "../files/short-file.ts";
import { writeFileWhole } from "../files/whole-file.ts";
import { commandLine } from "../http/command-line.ts";
import { defaultHome } from "../node/config.ts";
import { openReader, storePath } from "../store/database.ts";
import { hasChain, readHead } from "../store/head.ts";
import { SENT_FILE } from "./sent-file.ts";

// Where a running devnet listens, in its home, so that other processes find it.

export const devnetAddressFile = "devnet.json";

/** The content of `--config-out`, and of the file in the home. */
export interface DevnetAddress {
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly faucetUrl: string;
  readonly nodePort: number;
  readonly dataPort: number;
  readonly faucetPort: number;
  /** The consensus engine's RPC, where it is served. */
  readonly cometUrl?: string;
  readonly cometPort?: number;
  /** Targets for gRPC clients; absent where gRPC is off. */
  readonly grpcNodeAddress?: string;
  readonly grpcNodePort?: number;
  readonly grpcDataAddress?: string;
  readonly grpcDataPort?: number;
  readonly chainId: string;
  readonly home: string;
  readonly pid: number;
}

/** Where `npm start` keeps its chain, in the folder it is called in. */
const PROJECT_HOME = join(".lyra", "devnet");
const FILE_BYTES_MAX = 64 * 1024;

/** The home of a devnet by default: a folder beside the other homes, or the very folder of `LYRA_HOME`. */
export function defaultDevnetHome(env: NodeJS.ProcessEnv = process.env): string {
  return env.LYRA_HOME || join(defaultHome(env), "devnet");
}

/** Homes to look for a running devnet in, when none is named. */
export function devnetHomes(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  return env.LYRA_HOME ? [env.LYRA_HOME] : [PROJECT_HOME, defaultDevnetHome(env)];
}

/**
 * The devnet that runs in one of these homes; undefined when none of them names one.
 * @throws NodeError `address_unreadable` when every such file is damaged
 */
export function runningDevnet(homes: readonly string[]): DevnetAddress | undefined {
  const files = homes.map((home) => join(home, devnetAddressFile)).filter((file) => existsSync(file));
  const addresses: DevnetAddress[] = [];
  let damage: unknown;
  for (const file of files) {
    try {
      addresses.push(readDevnetAddress(file));
    } catch (error) {
      damage ??= error;
    }
  }
  // A killed devnet leaves its file.
  const address = addresses.find(({ pid }) => isRunning(pid)) ?? addresses[0];
  if (address === undefined && damage !== undefined) throw damage;
  return address;
}

/** Its node API. @throws NodeError `address_unreadable` */
export const devnetNodeUrl = (homes: readonly string[]) => runningDevnet(homes)?.nodeUrl;

/** The refusal of a home that is in use; of one in which a devnet runs it says where, and how another is started. */
export function alreadyRuns(error: unknown, home: string, script = process.env.npm_lifecycle_event): unknown {
  if (!(error instanceof NodeError) || error.code !== "home_in_use") return error;
  let running: DevnetAddress | undefined;
  try {
    running = runningDevnet([home]);
  } catch {
    // Its file is damaged.
  }
  if (running === undefined || !isRunning(running.pid)) return error;
  const words = script === "start" ? "npm start --" : `${commandLine()} devnet`;
  return new NodeError(
    error.attempt,
    error.code,
    `${error.message}: a devnet already runs there, at ${running.nodeUrl}/`,
    `stop it, or start another beside it with: ${words} --home DIR --port 0`,
  );
}

function readDevnetAddress(file: string): DevnetAddress {
  let why = "it does not say where";
  try {
    // In a folder that is not the user's own, another user may have put it there.
    const user = process.getuid?.();
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) throw new Error("it is a link");
    if (user !== undefined && ![user, 0].includes(stats.uid)) throw new Error("it belongs to another user");
    const address = JSON.parse(readShortText(file, FILE_BYTES_MAX)) as Partial<DevnetAddress> | null;
    if (typeof address?.nodeUrl === "string") return address as DevnetAddress;
  } catch (error) {
    why = error instanceof SyntaxError ? "it is not JSON" : reasonOf(error);
  }
  throw new NodeError(
    "devnet.address",
    "address_unreadable",
    `${file} cannot be read: ${why}`,
    "name the devnet with --node-url URL, or start it again",
  );
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

const GENESIS_FILE = "genesis.json";
/** Name for a genesis file that was not the chain's. */
const OTHER_GENESIS_FILE = "genesis.other.json";
/** The last chain, whole, until the new one exists. */
const ASIDE = "before-reset";
/** A reset was cut off while it moved the last chain there ... */
const TAKING = "before-reset.taking";
/** ... or before it had removed the new one, to give the last one its place again. */
const GIVING_BACK = "before-reset.giving-back";
// The sums first: they are valid for this store only.
const FILES = [
  "lyra.db-sums",
  "lyra.db",
  "lyra.db-wal",
  "lyra.db-shm",
  "segments",
  GENESIS_FILE,
  devnetAddressFile,
  SENT_FILE,
] as const;

/** Whether a genesis must be checked before the store is created: an invalid one leaves the home unchanged. */
export function isNew(home: string): boolean {
  return !existsSync(join(home, GENESIS_FILE)) && !existsSync(storePath(home));
}

/**
 * The genesis of the store's chain; for a store without one a new one, which is written beside it.
 * @returns with a note for the user @throws NodeError `genesis_missing`; of `make`
 */
export function genesisOf(home: string, db: Database, make: () => string): { text: string; note?: string } {
  const file = join(home, GENESIS_FILE);
  if (readHead(db) === undefined) {
    const text = make();
    // The file of a chain that never began may be replaced.
    writeGenesis(home, text);
    return { text };
  }
  // A recording, which no chain can continue.
  if (!hasChain(db)) return { text: make() };
  const beside = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const text = storedGenesis(db) ?? beside;
  if (text === undefined) {
    const sentence = `the chain in ${home} has lost its ${GENESIS_FILE}`;
    const hint = "put the file back, or start over with --reset";
    throw new NodeError("devnet.start", "genesis_missing", sentence, hint);
  }
  if (beside === text) return { text };
  if (beside !== undefined) renameSync(file, join(home, OTHER_GENESIS_FILE));
  writeGenesis(home, text);
  if (beside === undefined) return { text, note: `${GENESIS_FILE} was gone and is there again` };
  return { text, note: `${GENESIS_FILE} was not this chain's, and is ${OTHER_GENESIS_FILE} now` };
}

/** @throws when the disk is full, or the home cannot be written to */
export function writeGenesis(home: string, text: string): void {
  writeFileWhole(join(home, GENESIS_FILE), text);
}

/**
 * Moves the devnet's own files in its home aside. If it is interrupted, either the whole last chain is aside, or the next
 * start moves it back (`settleReset`).
 * @throws NodeError for a home that is not a devnet's
 */
export function setAside(home: string): void {
  if (!existsSync(home)) return;
  const lock = lockHome(home);
  try {
    settleReset(home);
    // An interrupted reset left the last chain aside, and a new one in its place that never listened.
    if (existsSync(join(home, ASIDE))) {
      removeChain(home);
      return;
    }
    if (existsSync(storePath(home)) && !isDevnet(home)) {
      const sentence = `${home} holds no devnet, and is left alone`;
      throw new NodeError("devnet.reset", "not_a_devnet", sentence, "choose another --home");
    }
    const taking = join(home, TAKING);
    mkdirSync(taking);
    moveChain(home, taking);
    renameSync(taking, join(home, ASIDE));
  } finally {
    lock.release();
  }
}

/** Undoes `setAside`: the new chain did not start. @throws NodeError `home_in_use` */
export function putBack(home: string): void {
  if (!existsSync(join(home, ASIDE))) return;
  const lock = lockHome(home);
  try {
    renameSync(join(home, ASIDE), join(home, GIVING_BACK));
    settleReset(home);
  } finally {
    lock.release();
  }
}

/** The new chain exists. */
export function removeAside(home: string): void {
  rmSync(join(home, ASIDE), { recursive: true, force: true });
}

/** Finishes an interrupted reset; call it under the home's lock. */
export function settleReset(home: string): void {
  const [taking, givingBack] = [join(home, TAKING), join(home, GIVING_BACK)];
  if (existsSync(givingBack)) {
    removeChain(home);
    renameSync(givingBack, taking);
  }
  if (!existsSync(taking)) return;
  moveChain(taking, home);
  rmSync(taking, { recursive: true });
}

function isDevnet(home: string): boolean {
  if (existsSync(join(home, GENESIS_FILE))) return true;
  try {
    using db = openReader(home);
    return hasChain(db);
  } catch {
    return false;
  }
}

function removeChain(folder: string): void {
  for (const name of FILES) rmSync(join(folder, name), { recursive: true, force: true });
}

function moveChain(from: string, to: string): void {
  for (const name of FILES) if (existsSync(join(from, name))) renameSync(join(from, name), join(to, name));
}
