// A small JSON document in the service's folder: written whole or not at all, closed to others, one writer at a time
// among all processes. It is kept the way wallets are (keystore/folder-keystore.ts).
import { parseUniqueJson } from "../../wire/unique-json.ts";
import { walletError } from "../errors.ts";
import type { Keystore } from "../keystore/keystore.ts";
import { isObject } from "./rpc.ts";

export class JsonFile<T extends object> {
  constructor(
    private readonly folder: Keystore,
    private readonly name: string,
    /** The content before there is a file; an existing file has the same version, and lists of objects where this has lists. */
    private readonly empty: T,
  ) {}

  /** @throws NodeError `file_unreadable` for a file that is not our JSON */
  async read(): Promise<T> {
    const bytes = await this.folder.read(this.name);
    if (bytes === undefined) return this.empty;
    try {
      const value: unknown = parseUniqueJson(Buffer.from(bytes).toString("utf8"));
      if (!this.isOurs(value)) throw new TypeError("another document");
      return value;
    } catch {
      const place = this.folder.locationOf(this.name);
      throw walletError(
        "file_unreadable",
        `${place} is not the JSON it should be`,
        "remove it to start over",
      );
    }
  }

  /** Changes what the file holds at that moment. */
  update(change: (value: T) => T): Promise<T> {
    return this.folder.exclusively(async () => {
      const next = change(await this.read());
      const bytes = new Uint8Array(Buffer.from(`${JSON.stringify(next, undefined, 1)}\n`));
      const isThere = (await this.folder.read(this.name)) !== undefined;
      if (isThere) await this.folder.replace(this.name, bytes);
      else await this.folder.create(this.name, bytes);
      return next;
    });
  }

  private isOurs(value: unknown): value is T {
    if (!isObject(value)) return false;
    return Object.entries(this.empty).every(([name, member]) => {
      const actual = value[name];
      return Array.isArray(member) ? Array.isArray(actual) && actual.every(isObject) : actual === member;
    });
  }

  /** Changes whenever another process writes the file; the same for as long as nobody does. */
  get stamp(): string {
    try {
      return this.folder.stamp(this.name) ?? "";
    } catch {
      return "";
    }
  }
}
