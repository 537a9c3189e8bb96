// Fields of a form, each with its label, over a signal.
import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";

interface TextProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly isOptional?: boolean;
  readonly isDisabled?: boolean;
  /** Digits, with a point for parts. */
  readonly isNumber?: boolean;
  readonly hint?: string;
  readonly maxLength?: number;
  /** Room for an identifier. */
  readonly isLong?: boolean;
  /** Why its text is refused. */
  readonly problem?: string | undefined;
}

export function TextField(props: TextProps) {
  const { label, value, isOptional, isDisabled, isNumber, hint, maxLength, isLong, problem } = props;
  const id = useId();
  return (
    <label class={isLong === true ? "long" : undefined}>
      {label}
      <input
        type="text"
        {...(isNumber && { inputMode: "decimal" })}
        {...(maxLength !== undefined && { maxLength })}
        required={!isOptional && !isDisabled}
        disabled={isDisabled === true}
        placeholder={hint}
        autoComplete="off"
        spellcheck={false}
        value={value.value}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : id}
        onInput={({ currentTarget }) => (value.value = currentTarget.value)}
      />
      {problem !== undefined && (
        <small id={id} class="bad">
          {problem}
        </small>
      )}
    </label>
  );
}

/** A local time. */
export function TimeField({ label, value }: Pick<TextProps, "label" | "value">) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        step={1}
        required
        value={value.value}
        onInput={({ currentTarget }) => (value.value = currentTarget.value)}
      />
    </label>
  );
}

interface SelectFieldProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly options: readonly (readonly [value: Value, title: string])[];
}

export function SelectField<Value extends string>({
  label,
  value,
  onChange,
  options,
}: SelectFieldProps<Value>) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}>
        {options.map(([each, title]) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FlagProps {
  readonly label: string;
  readonly value: Signal<boolean>;
  readonly isDisabled?: boolean;
}

export function Flag({ label, value, isDisabled = false }: FlagProps) {
  return (
    <label class="flag">
      <input
        type="checkbox"
        checked={value.value && !isDisabled}
        disabled={isDisabled}
        onChange={({ currentTarget }) => (value.value = currentTarget.checked)}
      />
      {label}
    </label>
  );
}
