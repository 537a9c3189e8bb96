// Where a running devnet listens, in its home, so that other processes find it.
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { NodeError, reasonOf } from "../errors/node-error.ts";
import { readShortText } from "../files/short-file.ts";
import { defaultHome } from "../node/config.ts";

export const devnetAddressFile = "devnet.json";

/** What `--config-out` writes, and the file in the home. */
export interface DevnetAddress {
  readonly nodeUrl: string;
  readonly dataUrl: string;
  readonly faucetUrl: string;
  readonly nodePort: number;
  readonly dataPort: number;
  readonly faucetPort: number;
  readonly chainId: string;
  readonly home: string;
  readonly pid: number;
}

/** Where `npm start` keeps its chain, in the folder it is called in. */
const PROJECT_HOME = join(".lyra", "devnet");
const FILE_BYTES_MAX = 64 * 1024;

/** The home of a devnet that is told none: beside what else is kept, or the very folder of `LYRA_HOME`. */
export function defaultDevnetHome(env: NodeJS.ProcessEnv = process.env): string {
  return env.LYRA_HOME || join(defaultHome(env), "devnet");
}

/** Homes to look for a running devnet in, when none is named. */
export function devnetHomes(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  return env.LYRA_HOME ? [env.LYRA_HOME] : [PROJECT_HOME, defaultDevnetHome(env)];
}

/**
 * The devnet that runs in one of these homes; undefined when none of them tells of one.
 * @throws NodeError `address_unreadable` when all that is there is damaged
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
  // One that was killed has left its file.
  const address = addresses.find(({ pid }) => isRunning(pid)) ?? addresses[0];
  if (address === undefined && damage !== undefined) throw damage;
  return address;
}

/** Its node API. @throws NodeError `address_unreadable` */
export const devnetNodeUrl = (homes: readonly string[]) => runningDevnet(homes)?.nodeUrl;

function readDevnetAddress(file: string): DevnetAddress {
  let why = "it does not say where";
  try {
    // In a folder that is not the user's own, another one may have put it there.
    const user = process.getuid?.();
    const stats = lstatSync(file);
    if (stats.isSymbolicLink()) throw new Error("it is a link");
    if (user !== undefined && ![user, 0].includes(stats.uid)) throw new Error("it belongs to another user");
    const address = JSON.parse(readShortText(file, FILE_BYTES_MAX)) as Partial<DevnetAddress> | null;
    if (typeof address?.nodeUrl === "string") return address as DevnetAddress;
  } catch (error) {
    why = error instanceof SyntaxError ? "it is no JSON" : reasonOf(error);
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
