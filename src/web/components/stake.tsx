import { stakeAsset } from "../data/names.ts";
import { Amount } from "./amount.tsx";

/** An amount of the asset that is staked, which is a network parameter. */
export function StakeAmount({ amount }: { readonly amount: string }) {
  return <Amount amount={amount} asset={stakeAsset() ?? ""} />;
}
