// Names of assets, markets, validators and a devnet's parties, each read once and kept within a bound.
import { effect, signal, untracked } from "@preact/signals";
import { call } from "./calls.ts";
import { addresses, chainId, connection, getFromNode, nodeOrigin } from "./node.ts";

interface AssetFacts {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

interface MarketFacts {
  readonly code: string;
  readonly name: string;
  readonly asset: string;
  readonly quoteName: string;
  readonly decimals: number;
  readonly positionDecimals: number;
}

const KEPT_MAX = 1_000;

/** A value by identifier, asked for when it is first shown. */
class Names<Facts> {
  private readonly values = new Map<string, Facts | null>();
  private readonly changed = signal(0);

  constructor(private readonly read: (id: string) => Promise<Facts>) {}

  /** Undefined until it is known, and where the node does not know it. */
  of(id: string | undefined): Facts | undefined {
    void this.changed.value;
    if (!id) return undefined;
    const value = this.values.get(id);
    if (value === undefined && connection.value === "open") this.load(id);
    return value ?? undefined;
  }

  clear(): void {
    this.values.clear();
    this.changed.value++;
  }

  private load(id: string): void {
    if (this.values.size >= KEPT_MAX) this.values.delete(this.values.keys().next().value!);
    this.values.set(id, null);
    this.read(id).then(
      (facts) => {
        this.values.set(id, facts);
        this.changed.value++;
      },
      () => {},
    );
  }
}

const assets = new Names<AssetFacts>(async (assetId) => {
  const { details } = (await call("assets.get", { assetId })).asset;
  return {
    symbol: details?.symbol ?? "",
    name: details?.name ?? "",
    decimals: Number(details?.decimals ?? 0),
  };
});
const markets = new Names<MarketFacts>(async (marketId) => {
  const { market } = await call("markets.get", { marketId });
  const { code = "", name = "", future } = market.tradableInstrument?.instrument ?? {};
  return {
    code,
    name,
    asset: future?.settlementAsset ?? "",
    quoteName: future?.quoteName ?? "",
    decimals: Number(market.decimalPlaces),
    positionDecimals: Number(market.positionDecimalPlaces),
  };
});
const validators = new Names<string>(async (id) => {
  const { node } = await call("nodes.get", { id });
  return node.name;
});

export const assetOf = (id: string | undefined) => assets.of(id);
export const marketOf = (id: string | undefined) => markets.of(id);
export const validatorOf = (id: string | undefined) => validators.of(id);

const partyNames = signal<ReadonlyMap<string, string> | undefined>(undefined);

// A node that starts again may have a new chain.
effect(() => {
  void chainId.value;
  untracked(() => {
    for (const names of [assets, markets, validators]) names.clear();
    partyNames.value = undefined;
  });
});

/** The name of a devnet's party, where its tools answer this page. */
export function partyName(key: string): string | undefined {
  if (partyNames.value === undefined && connection.value === "open" && addresses.value?.kind === "devnet") {
    partyNames.value = new Map();
    // The tools answer no page of another origin.
    if (nodeOrigin() === location.origin)
      getFromNode<{ parties: { name: string; publicKey: string }[] }>("/devnet/parties").then(
        ({ parties }) => {
          partyNames.value = new Map(parties.map(({ name, publicKey }) => [publicKey, name]));
        },
        () => {},
      );
  }
  return partyNames.value?.get(key);
}

/** A devnet's parties with their names; none elsewhere. */
export function parties(): { readonly id: string; readonly title: string }[] {
  void partyName("");
  return [...(partyNames.value ?? [])].map(([id, title]) => ({ id, title }));
}

/** Parties whose names begin so. */
export const partiesNamed = (text: string) =>
  parties().filter(({ title }) => title.toLowerCase().startsWith(text.toLowerCase()));
