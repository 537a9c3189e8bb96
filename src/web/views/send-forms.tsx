// Short forms that send one command: a transfer, a withdrawal, a vote, a delegation.
import { useSignal } from "@preact/signals";
import type { Asset } from "../../client/api.generated.ts";
import { SelectField, TextField } from "../components/fields.tsx";
import { Party } from "../components/id.tsx";
import { SignedForm } from "../components/signed-form.tsx";
import { assetOf, stakeAsset } from "../data/names.ts";
import { useList } from "../data/read.ts";
import { toWhole } from "../format.ts";

const ASSETS_MAX = 100;
const REFERENCE_MAX = 100;
const GENERAL = "ACCOUNT_TYPE_GENERAL";

/** Assets to choose from, and the amount in the smallest unit; undefined where it is not one of that asset. */
function useAmount(isOffered: (asset: Asset) => boolean = () => true) {
  const { data } = useList("assets.list", {}, { rows: ASSETS_MAX, isLive: false });
  const chosen = useSignal("");
  const text = useSignal("");
  const assets = data?.filter((asset) => asset.status === "STATUS_ENABLED" && isOffered(asset)) ?? [];
  const asset = assets.find(({ id }) => id === chosen.value) ?? assets[0];
  const amount = asset && amountIn(text.value, Number(asset.details?.decimals));
  const fields = (
    <>
      <TextField label="Amount" value={text} isNumber />
      <SelectField
        label="Asset"
        value={asset?.id ?? ""}
        onChange={(next) => (chosen.value = next)}
        options={assets.map(({ id, details }) => [id, details?.symbol || id] as const)}
      />
    </>
  );
  return { asset: asset?.id, amount, fields };
}

function amountIn(text: string, decimals: number): string | undefined {
  const whole = toWhole(text, decimals);
  return whole === "0" ? undefined : whole;
}

export function TransferForm({ to }: { readonly to: string }) {
  const { asset, amount, fields } = useAmount();
  const reference = useSignal("");
  const transfer = {
    fromAccountType: GENERAL,
    toAccountType: GENERAL,
    ...{ to, asset, amount },
    ...(reference.value !== "" && { reference: reference.value }),
    oneOff: {},
  };
  return (
    <SignedForm title="Send to this party" command={amount === undefined ? undefined : { transfer }}>
      <p class="wallet-line">
        To <Party id={to} isBare />
      </p>
      {fields}
      <TextField label="Reference" value={reference} isOptional maxLength={REFERENCE_MAX} />
    </SignedForm>
  );
}

const ETHEREUM = /^0x[0-9a-f]{40}$/i;

export function WithdrawalForm() {
  const { asset, amount, fields } = useAmount(({ details }) => details?.erc20 !== undefined);
  const receiver = useSignal("");
  const receiverAddress = receiver.value.trim();
  const withdrawSubmission = { asset, amount, ext: { erc20: { receiverAddress } } };
  const isWhole = amount !== undefined && ETHEREUM.test(receiverAddress);
  return (
    <SignedForm title="Withdraw to Ethereum" command={isWhole ? { withdrawSubmission } : undefined}>
      {fields}
      <TextField label="Ethereum address" value={receiver} hint="0x…" maxLength={42} isLong />
    </SignedForm>
  );
}

export function VoteForm({ proposal }: { readonly proposal: string }) {
  const value = useSignal<"VALUE_YES" | "VALUE_NO">("VALUE_YES");
  return (
    <SignedForm title="Vote" command={{ voteSubmission: { proposalId: proposal, value: value.value } }}>
      <SelectField
        label="Vote"
        value={value.value}
        onChange={(next) => (value.value = next)}
        options={[
          ["VALUE_YES", "for"],
          ["VALUE_NO", "against"],
        ]}
      />
    </SignedForm>
  );
}

const DELEGATIONS = {
  give: "delegate",
  METHOD_AT_END_OF_EPOCH: "take back with the epoch",
  METHOD_NOW: "take back at once",
} as const;
type Delegating = keyof typeof DELEGATIONS;

export function DelegationForm({ validator }: { readonly validator: string }) {
  const action = useSignal<Delegating>("give");
  const text = useSignal("");
  const decimals = assetOf(stakeAsset())?.decimals;
  const amount = decimals === undefined ? undefined : amountIn(text.value, decimals);
  const stake = { nodeId: validator, amount };
  const command =
    action.value === "give"
      ? { delegateSubmission: stake }
      : { undelegateSubmission: { ...stake, method: action.value } };
  return (
    <SignedForm title="Delegate" command={amount === undefined ? undefined : command}>
      <SelectField
        label="Do"
        value={action.value}
        onChange={(next) => (action.value = next)}
        options={Object.entries(DELEGATIONS) as [Delegating, string][]}
      />
      <TextField label="Amount" value={text} isNumber />
    </SignedForm>
  );
}
