import { useCall } from "../data/read.ts";
import { Amount } from "./amount.tsx";

/** An amount of the asset that is staked, which is a network parameter. */
export function StakeAmount({ amount }: { readonly amount: string }) {
  const { data } = useCall("network.getParameter", { key: "reward.asset" }, { isLive: false });
  return <Amount amount={amount} asset={data?.networkParameter?.value ?? ""} />;
}
