// The funded parties as people see them: names, keys, balances.
import type { ClientReader } from "../node/reading.ts";
import { compare } from "../wire/arithmetic.ts";
import { devnetParties, type PartiesChoice } from "./keys.ts";

const KEYS_WARNING = "PUBLIC TEST KEYS: everybody has them. Never send anything of value to them.";

export interface PartyBalance {
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
  /** In the smallest unit. */
  readonly balance: string;
}

export interface PartyReport {
  readonly name: string;
  /** The key's number in the wallet of the recovery phrase. */
  readonly index: number;
  readonly publicKey: string;
  readonly privateKey: string;
  /** Staked tokens, in the smallest unit. */
  readonly stake: string;
  readonly balances: readonly PartyBalance[];
}

export interface PartiesReport {
  readonly warning: string;
  readonly recoveryPhrase: string;
  /** The token that is staked. */
  readonly stakingToken: { readonly symbol: string; readonly decimals: number };
  readonly assets: readonly { readonly id: string; readonly symbol: string; readonly decimals: number }[];
  readonly parties: readonly PartyReport[];
}

interface Edges<N> {
  readonly edges: readonly { readonly node: N }[];
}

interface AssetNode {
  readonly id: string;
  readonly details: { readonly symbol: string; readonly decimals: string };
}

const GENERAL = "ACCOUNT_TYPE_GENERAL";

/** Holdings of the parties as of the last block. */
export function reportParties(choice: PartiesChoice, reader: ClientReader): PartiesReport {
  const { assets } = reader.get<{ assets: Edges<AssetNode> }>("/api/v2/assets", {})!;
  const details = new Map(assets.edges.map(({ node }) => [node.id, node.details]));
  return {
    warning: KEYS_WARNING,
    recoveryPhrase: choice.recoveryPhrase,
    stakingToken: stakingToken(details, reader),
    assets: [...details].map(([id, { symbol, decimals }]) => ({ id, symbol, decimals: Number(decimals) })),
    parties: devnetParties(choice).map(({ name, index, publicKey, privateKey }) => ({
      name,
      index,
      publicKey,
      privateKey,
      stake: stakeOf(publicKey, reader),
      balances: balancesOf(publicKey, details, reader),
    })),
  };
}

function stakingToken(assets: ReadonlyMap<string, AssetNode["details"]>, reader: ClientReader) {
  const values = { key: "reward.asset" };
  const answer = reader.find<{ networkParameter: { value: string } }>(
    "/api/v2/network/parameters/{key}",
    values,
  );
  const { symbol = "", decimals = "0" } = assets.get(answer?.networkParameter.value ?? "") ?? {};
  return { symbol, decimals: Number(decimals) };
}

function stakeOf(partyId: string, reader: ClientReader): string {
  const values = { partyId, "pagination.first": "1" };
  return reader.get<{ currentStakeAvailable: string }>("/api/v2/parties/{party_id}/stake", values)!
    .currentStakeAvailable;
}

function balancesOf(
  party: string,
  assets: ReadonlyMap<string, AssetNode["details"]>,
  reader: ClientReader,
): PartyBalance[] {
  const values = { "filter.partyIds": party, "filter.accountTypes": GENERAL };
  const { accounts } = reader.get<{ accounts: Edges<{ asset: string; balance: string }> }>(
    "/api/v2/accounts",
    values,
  )!;
  return accounts.edges
    .map(({ node: { asset, balance } }) => {
      const { symbol = "", decimals = "0" } = assets.get(asset) ?? {};
      return { asset, symbol, decimals: Number(decimals), balance };
    })
    .sort((a, b) => compare(a.symbol, b.symbol));
}
