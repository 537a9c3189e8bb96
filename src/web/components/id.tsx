// Identifiers: short, with the whole on hover and a button to copy it, and a link to what they name.
import { assetOf, marketOf, partyName, validatorOf } from "../data/names.ts";
import { shortId } from "../format.ts";
import { link } from "../shell/router.ts";
import { Copy } from "./copy.tsx";

type Kind =
  | "order"
  | "deposit"
  | "withdrawal"
  | "epoch"
  | "transaction"
  | "party"
  | "asset"
  | "market"
  | "proposal"
  | "validator"
  | "block"
  | "plain";

interface IdProps {
  readonly id: string;
  readonly kind?: Kind;
  /** In full, where there is room. */
  readonly isLong?: boolean;
  /** Without the button. */
  readonly isBare?: boolean;
  /** Shown in place of the identifier. */
  readonly name?: string | undefined;
}

const NETWORK = /^(?:network|0*)$/i;

export function Id({ id, kind = "plain", isLong = false, isBare = false, name }: IdProps) {
  if (id === "") return <span class="muted">–</span>;
  const shown = name ?? (isLong ? id : shortId(id));
  const text = <span class={name === undefined ? "id" : "name"}>{shown}</span>;
  return (
    <span class={isLong ? "with-copy long" : "with-copy"}>
      {kind === "plain" ? (
        <span title={id}>{text}</span>
      ) : (
        <a href={link(kind, id)} title={id}>
          {text}
        </a>
      )}
      {!isBare && <Copy text={id} of={name ?? kind} />}
    </span>
  );
}

/** A party: by its name on a devnet, the network by that word. */
export function Party({ id, isBare = false }: { readonly id: string; readonly isBare?: boolean }) {
  if (NETWORK.test(id)) return <span class="muted">network</span>;
  return <Id id={id} kind="party" name={partyName(id)} isBare={isBare} />;
}

/** An asset by its symbol. */
export function Asset({ id, isBare = true }: { readonly id: string; readonly isBare?: boolean }) {
  return <Id id={id} kind="asset" name={assetOf(id)?.symbol || undefined} isBare={isBare} />;
}

/** A market by its instrument's code. */
export function Market({ id, isBare = true }: { readonly id: string; readonly isBare?: boolean }) {
  return <Id id={id} kind="market" name={marketOf(id)?.code || undefined} isBare={isBare} />;
}

export function Validator({ id, isBare = true }: { readonly id: string; readonly isBare?: boolean }) {
  return <Id id={id} kind="validator" name={validatorOf(id) || undefined} isBare={isBare} />;
}
