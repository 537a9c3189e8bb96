import type * as api from "../../client/api.generated.ts";
import { AccountTable } from "../components/accounts.tsx";
import { Amount } from "../components/amount.tsx";
import { Id } from "../components/id.tsx";
import { Json } from "../components/json.tsx";
import { Facts, Heading, Panel } from "../components/panel.tsx";
import { CallView } from "../components/states.tsx";
import type { ViewProps } from "../view-props.ts";
import { assetStatus } from "./assets.tsx";

export default function AssetView({ params }: ViewProps) {
  const { id = "" } = params;
  return (
    <CallView name="assets.get" query={{ assetId: id }} missing="No asset has this identifier">
      {({ asset }) => <AssetFacts asset={asset} />}
    </CallView>
  );
}

function AssetFacts({ asset }: { readonly asset: api.Asset }) {
  const { id, details, status } = asset;
  const { name = "", symbol = "", decimals, quantum = "0", builtinAsset, erc20 } = details ?? {};
  const amount = (value: string) => <Amount amount={value} asset={id} />;
  return (
    <>
      <Heading title={`${symbol} · ${name}`}>{assetStatus(status)}</Heading>
      <Panel title="Asset">
        <Facts
          rows={[
            ["Identifier", <Id key="id" id={id} isLong />],
            ["Decimals", decimals],
            ["Quantum", amount(quantum)],
            ["Faucet gives at most", builtinAsset && amount(builtinAsset.maxFaucetAmountMint)],
            ["ERC20 contract", erc20 && <Id key="contract" id={erc20.contractAddress} isLong />],
            ["Lifetime limit", erc20 && amount(erc20.lifetimeLimit)],
            ["Withdrawals wait from", erc20 && amount(erc20.withdrawThreshold)],
          ]}
        />
        <Json value={asset} />
      </Panel>
      <Panel title="Accounts">
        <AccountTable filter={{ assetId: id }} hidden="asset" />
      </Panel>
    </>
  );
}
