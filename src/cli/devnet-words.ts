// Transactions of a devnet in words: keys by the parties' names, amounts in whole units.
import type { PartiesReport } from "../devnet/parties.ts";
import { withDecimals } from "../wallet/approvals/amounts.ts";
import { plain } from "../wallet/approvals/plain-text.ts";
import { wordsOf } from "../wallet/approvals/words.ts";
import type { CommandInit } from "../wire/transaction.ts";

export type NamedThings = Pick<PartiesReport, "assets" | "stakingToken"> & {
  readonly parties: readonly { readonly name: string; readonly publicKey: string }[];
};

const HEX_ID = /[0-9a-f]{64}/g;
const SHOWN_DIGITS = 8;
const NETWORK_KEY = /^(?:0{64}|)$/;

export class DevnetWords {
  private readonly names: ReadonlyMap<string, string>;
  private readonly assets: ReadonlyMap<string, { readonly symbol: string; readonly decimals: number }>;
  private readonly stakeAsset: string | undefined;

  constructor({ assets, parties, stakingToken }: NamedThings) {
    this.names = new Map(parties.map(({ name, publicKey }) => [publicKey, name]));
    this.assets = new Map(assets.map(({ id, symbol, decimals }) => [id, { symbol, decimals }]));
    this.stakeAsset = assets.find(({ symbol }) => symbol === stakingToken.symbol)?.id;
  }

  /** One sentence: `Send 2.5 tUSD to bob`. */
  command(command: CommandInit, publicKey: string): string {
    const { assets, stakeAsset } = this;
    const facts = { assets: (id: string) => assets.get(id), markets: () => undefined, stakeAsset };
    const { title } = wordsOf(command, { ...facts, publicKey });
    return title.replace(/ \(asset [0-9a-f]{64}\)/g, "").replace(HEX_ID, (id) => this.party(id));
  }

  /** The name of a funded party; of others the first digits. */
  party(id: string): string {
    if (NETWORK_KEY.test(id)) return "the network";
    const name = this.names.get(id);
    return name ?? (/^[0-9a-f]{64}$/.test(id) ? `${id.slice(0, SHOWN_DIGITS)}...` : plain(id));
  }

  /** @param amount in the asset's smallest unit */
  amount(amount: string, asset: string): string {
    const facts = this.assets.get(asset);
    return facts
      ? `${withDecimals(amount, facts.decimals)} ${plain(facts.symbol)}`
      : `${amount} of ${this.party(asset)}`;
  }
}
