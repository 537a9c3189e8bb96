// Names and decimals of assets, for amounts that people read. They never change, so they are asked for once.
import type { CommandInit } from "../../wire/transaction-build.ts";
import { spendingOf } from "../policies/spending.ts";
import type { AssetFacts } from "../sending/node-client.ts";
import type { AssetBook } from "./amounts.ts";

const ASSETS_MAX = 10_000;

export class AssetCache {
  private readonly known = new Map<string, AssetFacts>();

  /** @param ask undefined for an asset that is not there; may throw */
  constructor(private readonly ask: (id: string) => Promise<AssetFacts | undefined>) {}

  /** What can be said of the assets of a command; nothing of those that nobody answers for. */
  async bookFor(command: CommandInit): Promise<AssetBook> {
    for (const { asset } of spendingOf(command) ?? []) {
      if (this.known.has(asset)) continue;
      const facts = await this.ask(asset).catch(() => undefined);
      if (facts === undefined) continue;
      if (this.known.size >= ASSETS_MAX) this.known.clear();
      this.known.set(asset, facts);
    }
    return (id) => this.known.get(id);
  }
}
