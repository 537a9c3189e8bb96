// The field of an amount, a price or a size: written with the decimals that it has, kept in the smallest unit.
import { useEffect, useRef, useState } from "preact/hooks";
import { withDecimals } from "../../wire/amount-text.ts";
import { assetOf, marketOf, stakeAsset } from "../data/names.ts";
import type { Unit } from "./command-draft.ts";
import { idOf } from "./command-names.ts";
import { amountDraft, amountProblem, smallestUnits, unreadableAmount } from "./command-units.ts";

interface Counted {
  readonly decimals: number;
  readonly symbol: string;
}

/** Undefined while the asset or the market is not given, or its name is not read yet. */
function countedBy(unit: Unit): Counted | undefined {
  if ("decimals" in unit)
    return /^\d{1,3}$/.test(unit.decimals) ? { decimals: Number(unit.decimals), symbol: "" } : undefined;
  if ("priceOf" in unit || "sizeOf" in unit) {
    const market = marketOf(idOf("market", "priceOf" in unit ? unit.priceOf : unit.sizeOf));
    if (market === undefined) return undefined;
    return "priceOf" in unit
      ? { decimals: market.decimals, symbol: market.quoteName }
      : { decimals: market.positionDecimals, symbol: "" };
  }
  const id =
    "staked" in unit
      ? stakeAsset()
      : "settledIn" in unit
        ? marketOf(idOf("market", unit.settledIn))?.asset
        : idOf("asset", unit.asset);
  return assetOf(id);
}

interface AmountFieldProps {
  readonly id: string;
  readonly value: string;
  readonly unit: Unit;
  readonly isRequired: boolean | undefined;
  /** Identifier of the words about a refusal. */
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

export function AmountField({ id, value, unit, isRequired, problem, onChange }: AmountFieldProps) {
  const counted = countedBy(unit);
  const [typed, setTyped] = useState("");
  /** The text is the JSON's number, which no decimals have changed yet. */
  const [isSmallest, setIsSmallest] = useState(false);
  const sent = useRef("");
  const decimals = counted?.decimals;
  const lastDecimals = useRef(decimals);
  const emit = (text: string) => {
    sent.current = amountDraft(text, decimals);
    onChange(sent.current);
  };
  useEffect(() => {
    const isOtherUnit = decimals !== lastDecimals.current;
    lastDecimals.current = decimals;
    // The value was changed elsewhere, in the JSON or by another command; or its decimals are known only now.
    if (value !== sent.current || (isOtherUnit && isSmallest)) {
      sent.current = value;
      const text = unreadableAmount(value)?.text;
      setIsSmallest(decimals === undefined && text === undefined && value !== "");
      setTyped(text ?? (decimals === undefined ? value : withDecimals(value, decimals).replaceAll(",", "")));
      // Its decimals may be known by now.
      if (text !== undefined) emit(text);
      return;
    }
    // A number that was typed before the asset was chosen is read with its decimals now.
    if (isOtherUnit && typed !== "") emit(typed);
  }, [value, decimals]);
  const isWhole = decimals === undefined || typed === "" || smallestUnits(typed, decimals) !== undefined;
  return (
    <>
      <input
        id={id}
        type="text"
        inputMode="decimal"
        value={typed}
        aria-required={isRequired}
        aria-invalid={!isWhole || problem !== undefined}
        aria-describedby={`${problem ?? ""} ${id}-unit`.trim()}
        onInput={({ currentTarget }) => {
          setIsSmallest(false);
          setTyped(currentTarget.value);
          emit(currentTarget.value);
        }}
      />
      <small id={`${id}-unit`} class={isWhole ? "muted" : "bad"}>
        {counted === undefined
          ? isSmallest
            ? "in the smallest unit"
            : "with the decimals of the asset or market, once it is given"
          : !isWhole
            ? amountProblem(typed, decimals!)
            : value === ""
              ? `${counted.symbol} with ${decimals} decimals`
              : `${counted.symbol} · ${value} in the smallest unit`}
      </small>
    </>
  );
}
