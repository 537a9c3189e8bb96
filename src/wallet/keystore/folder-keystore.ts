// Wallets as files in a folder of their own, one each, named like the wallet (reference 50, section 5.1).
//
// A file appears under its name when it is whole and on the disk, by one rename; the folder follows to the disk. So
// at any moment there are the old bytes or the new ones. What a killed process leaves is a hidden temporary file,
// encrypted like any other, which the next writer takes away.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ExitCode, NodeError, reasonOf } from "../../errors.ts";
import { walletError, walletExists, walletUnknown } from "../errors.ts";
import { FILE_BYTES_MAX } from "../limits.ts";
import { secureRandom } from "../random.ts";
import { checkWalletName, nameProblem } from "../wallet-name.ts";
import { type FileSteps, realSteps } from "./file-steps.ts";
import { withFolderLock } from "./folder-lock.ts";
import { checkFolder, codeOf, readGuarded } from "./guard.ts";
import type { Keystore } from "./keystore.ts";

const FOLDER_MODE = 0o700;
const TEMPORARY_SUFFIX = ".lyra-tmp";
/** File systems without second names for files: FAT, and some shared folders. */
const NO_LINKS: readonly (string | undefined)[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

export class FolderKeystore implements Keystore {
  /** The action before: settled, and never rejected. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly folder: string,
    private readonly steps: FileSteps = realSteps,
  ) {}

  async names(): Promise<string[]> {
    if (!checkFolder(this.folder)) return [];
    return readdirSync(this.folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && nameProblem(entry.name) === undefined)
      .map(({ name }) => name)
      .sort();
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.locationOf(name);
    return checkFolder(this.folder) ? readGuarded(path) : undefined;
  }

  async create(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.locationOf(name);
    const temporary = this.writeTemporary(bytes);
    this.attempt(path, () => this.move(temporary, path), temporary);
  }

  async replace(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.locationOf(name);
    // What is there is looked at again: a link or a file of another's is not written over either.
    if ((await this.read(name)) === undefined) throw walletUnknown();
    const temporary = this.writeTemporary(bytes);
    this.attempt(path, () => this.steps.rename(temporary, path), temporary);
  }

  async rename(name: string, newName: string): Promise<void> {
    const path = this.locationOf(name);
    const newPath = this.locationOf(newName);
    if ((await this.read(name)) === undefined) throw walletUnknown();
    if (path === newPath) return;
    this.attempt(newPath, () => this.move(path, newPath));
  }

  async remove(name: string): Promise<void> {
    const path = this.locationOf(name);
    if ((await this.read(name)) === undefined) throw walletUnknown();
    this.attempt(path, () => this.steps.remove(path));
  }

  async exclusively<T>(action: () => Promise<T>): Promise<T> {
    try {
      mkdirSync(this.folder, { recursive: true, mode: FOLDER_MODE });
    } catch (error) {
      throw this.cannotWrite(this.folder, error);
    }
    checkFolder(this.folder);
    // Within this store one after the other, in order; the lock is for other processes.
    const turn = this.last.then(() =>
      withFolderLock(this.folder, () => {
        this.removeLeftovers();
        return action();
      }),
    );
    this.last = turn.catch(() => {});
    return turn;
  }

  locationOf(name: string): string {
    return join(this.folder, checkWalletName(name));
  }

  /** The bytes in a file under a name that nobody knows, on the disk, and read back. */
  private writeTemporary(bytes: Uint8Array): string {
    // What is larger could not be read again.
    if (bytes.length > FILE_BYTES_MAX) {
      throw walletError(
        "wallet_too_large",
        `a wallet has at most ${FILE_BYTES_MAX} bytes`,
        "make another wallet",
      );
    }
    const unique = Buffer.from(secureRandom(8)).toString("hex");
    const temporary = join(this.folder, `.${unique}${TEMPORARY_SUFFIX}`);
    let descriptor: number | undefined;
    try {
      descriptor = this.steps.create(temporary);
      this.steps.write(descriptor, bytes);
      this.steps.sync(descriptor);
      this.steps.close(descriptor);
      descriptor = undefined;
      const written = readGuarded(temporary);
      if (written === undefined || Buffer.compare(written, bytes) !== 0) {
        throw new Error("what was written reads back as something else");
      }
      return temporary;
    } catch (error) {
      if (descriptor !== undefined) this.quietly(() => this.steps.close(descriptor!));
      this.quietly(() => this.steps.remove(temporary));
      throw this.cannotWrite(temporary, error);
    }
  }

  /** Gives a file a name that must be free. In between it has both, and never none. */
  private move(from: string, to: string): void {
    try {
      this.steps.link(from, to);
    } catch (error) {
      if (!NO_LINKS.includes(codeOf(error))) throw error;
      // Then the look before must do: whoever writes through Lyra waits for the lock.
      if (readGuarded(to) !== undefined) throw walletExists();
      this.steps.rename(from, to);
      return;
    }
    this.steps.remove(from);
  }

  private attempt(path: string, change: () => void, temporary?: string): void {
    try {
      change();
      this.steps.syncFolder(this.folder);
    } catch (error) {
      if (temporary !== undefined) this.quietly(() => this.steps.remove(temporary));
      if (codeOf(error) === "EEXIST") throw walletExists();
      throw this.cannotWrite(path, error);
    }
  }

  private removeLeftovers(): void {
    for (const name of readdirSync(this.folder)) {
      if (name.endsWith(TEMPORARY_SUFFIX)) this.quietly(() => this.steps.remove(join(this.folder, name)));
    }
  }

  /** For cleaning up, which the next writer does again. */
  private quietly(action: () => void): void {
    try {
      action();
    } catch {
      // The failure that matters is the one that led here.
    }
  }

  private cannotWrite(path: string, error: unknown): NodeError {
    if (error instanceof NodeError) return error;
    const message = `${path} cannot be written: ${codeOf(error) ?? reasonOf(error)}`;
    return walletError("wallets_unusable", message, "", ExitCode.failed, { cause: error });
  }
}
