// Names of assets, markets, validators and a devnet's parties, and the staked asset: each read once and kept within a bound.
import { effect, untracked } from "@preact/signals";
import { call } from "./calls.ts";
import { NameCache } from "./name-cache.ts";
import { addresses, chainId, connection, getFromNode, nodeOrigin, onBeat, RequestFailure } from "./node.ts";

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

/** Over the connection of this page. */
function namesBy<Facts>(read: (id: string) => Promise<Facts>): NameCache<Facts> {
  return new NameCache({ read, onBeat, isOpen: () => connection.value === "open", isFinal: isUnknown });
}

/** The node has no such thing. */
const isUnknown = (error: unknown) =>
  error instanceof RequestFailure && error.status >= 400 && error.status < 500 && error.status !== 429;

const assets = namesBy<AssetFacts>(async (assetId) => {
  const { details } = (await call("assets.get", { assetId })).asset;
  return {
    symbol: details?.symbol ?? "",
    name: details?.name ?? "",
    decimals: Number(details?.decimals ?? 0),
  };
});
const markets = namesBy<MarketFacts>(async (marketId) => {
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
const validators = namesBy<string>(async (id) => {
  const { node } = await call("nodes.get", { id });
  return node.name;
});
const parameters = namesBy<string>(async (key) => {
  const { networkParameter } = await call("network.getParameter", { key });
  return networkParameter?.value ?? "";
});

export const assetOf = (id: string | undefined) => assets.of(id);
export const marketOf = (id: string | undefined) => markets.of(id);
export const validatorOf = (id: string | undefined) => validators.of(id);
/** Identifier of the asset that is staked. */
export const stakeAsset = () => parameters.of("reward.asset");

/** All parties of a devnet, under one name. */
const devnets = namesBy<ReadonlyMap<string, string>>(async (name) => {
  type Parties = { readonly parties: readonly { readonly name: string; readonly publicKey: string }[] };
  const list = (await getFromNode<Parties>(`/devnet/${name}`)).parties;
  return new Map(list.map((each) => [each.publicKey, each.name]));
});

// A node that starts again may have a new chain.
effect(() => {
  void chainId.value;
  untracked(() => {
    for (const names of [assets, markets, validators, parameters, devnets]) names.clear();
  });
});

/** Names of a devnet's parties, where its tools answer this page: they answer none of another origin. */
function partyNames(): ReadonlyMap<string, string> | undefined {
  const isAnswered = addresses.value?.kind === "devnet" && nodeOrigin() === location.origin;
  return isAnswered ? devnets.of("parties") : undefined;
}

export const partyName = (key: string) => partyNames()?.get(key);

/** A devnet's parties with their names; none elsewhere. */
export function parties(): { readonly id: string; readonly title: string }[] {
  return [...(partyNames() ?? [])].map(([id, title]) => ({ id, title }));
}

/** Parties whose names begin so. */
export const partiesNamed = (text: string) =>
  parties().filter(({ title }) => title.toLowerCase().startsWith(text.toLowerCase()));
