// A message as fields, made from its schema: choices, enums, nested messages, lists, bytes and numbers.
import { createContext } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import type { CommandField, CommandSchema } from "../../planes/devnet/command-schema.ts";
import { assetOf, marketOf, partyName } from "../data/names.ts";
import { shortId } from "../format.ts";
import { AmountField } from "./command-amount.tsx";
import {
  camel,
  type Draft,
  type DraftMessage,
  emptyOf,
  entriesOf,
  enumLabels,
  fieldsOf,
  isMessage,
  namedBy,
  problemOf,
  unitOf,
} from "./command-draft.ts";
import { idOf } from "./command-names.ts";

/** Path of the message that members belong to, and reasons of the node by path. */
export const Place = createContext("");
export const Refusals = createContext<ReadonlyMap<string, string>>(new Map());

/** The node's reason against a member, or against a choice of members. */
function useRefusal(name: string): string | undefined {
  const place = useContext(Place);
  return useContext(Refusals).get(`${place}.${camel(name)}`);
}

/** Ties an element to its problem. */
const marksOf = (id: string, problem: string | undefined) => ({
  "aria-invalid": problem !== undefined,
  "aria-describedby": problem === undefined ? undefined : `${id}-problem`,
});

interface ProblemProps {
  /** Of the element that it is about. */
  readonly id: string;
  readonly text: string | undefined;
}

function Problem({ id, text }: ProblemProps) {
  if (text === undefined) return null;
  return (
    <small id={`${id}-problem`} class="bad">
      {text}
    </small>
  );
}

interface FieldsProps {
  readonly schema: CommandSchema;
  readonly message: string;
  readonly draft: DraftMessage;
  /** The messages around it, the innermost first. */
  readonly around: readonly DraftMessage[];
  readonly onChange: (draft: DraftMessage) => void;
}

export function MessageFields({ schema, message, draft, around, onChange }: FieldsProps) {
  const scopes = [draft, ...around];
  const set = (name: string, value: Draft | undefined) => {
    const { [name]: _, ...others } = draft;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  const shared = { schema, message, scopes };
  return (
    <div class="command-fields">
      {entriesOf(fieldsOf(schema, message)).map((entry) =>
        "field" in entry ? (
          <Member
            key={entry.field.name}
            {...shared}
            field={entry.field}
            draft={draft[entry.field.name]}
            onChange={(value) => set(entry.field.name, value)}
          />
        ) : (
          <OneOf key={entry.choice} {...shared} {...entry} draft={draft} onChange={onChange} />
        ),
      )}
    </div>
  );
}

interface OneOfProps {
  readonly schema: CommandSchema;
  readonly message: string;
  readonly scopes: readonly DraftMessage[];
  readonly choice: string;
  readonly fields: readonly CommandField[];
  readonly draft: DraftMessage;
  readonly onChange: (draft: DraftMessage) => void;
}

/** Members of which at most one is given. */
function OneOf({ schema, message, scopes, choice, fields, draft, onChange }: OneOfProps) {
  const id = useId();
  const refusal = useRefusal(choice);
  const chosen = fields.find(({ name }) => draft[name] !== undefined);
  const others = Object.fromEntries(
    Object.entries(draft).filter(([name]) => fields.every((field) => field.name !== name)),
  );
  const choose = (name: string) => {
    const field = fields.find((each) => each.name === name);
    // A flag that is chosen is meant.
    onChange(
      field === undefined ? others : { ...others, [name]: field.kind === "bool" ? true : emptyOf(field) },
    );
  };
  return (
    <fieldset class="wide-field">
      <legend>{words(choice)}</legend>
      <div class="field">
        <label htmlFor={id} class={markOf(fields[0]!)}>
          one of
        </label>
        <select
          id={id}
          aria-required={fields[0]!.isRequired}
          {...marksOf(id, refusal)}
          value={chosen?.name ?? ""}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          <option value="">none</option>
          {fields.map(({ name }) => (
            <option key={name} value={name}>
              {words(name)}
            </option>
          ))}
        </select>
        <Problem id={id} text={refusal} />
      </div>
      {chosen !== undefined && chosen.kind !== "bool" && (
        <Member
          key={chosen.name}
          {...{ schema, message, scopes }}
          field={chosen}
          draft={draft[chosen.name]}
          isChosen
          onChange={(value) => onChange(value === undefined ? others : { ...others, [chosen.name]: value })}
        />
      )}
    </fieldset>
  );
}

interface MemberProps {
  readonly schema: CommandSchema;
  readonly message: string;
  readonly scopes: readonly DraftMessage[];
  readonly field: CommandField;
  readonly draft: Draft | undefined;
  /** By the choice around it, which also takes it away. */
  readonly isChosen?: boolean;
  readonly onChange: (value: Draft | undefined) => void;
}

function Member({ schema, message, scopes, field, draft, isChosen, onChange }: MemberProps) {
  const place = useContext(Place);
  const id = useId();
  const refusal = useRefusal(field.name);
  if (field.isList) return <List {...{ schema, message, scopes, field, draft, onChange }} />;
  if (field.kind !== "message")
    return <Value {...{ schema, message, scopes, field, onChange }} draft={draft} />;
  const title = words(field.name);
  if (!isMessage(draft))
    return (
      <>
        <button
          type="button"
          class={`small add ${markOf(field) ?? ""}`}
          aria-describedby={marksOf(id, refusal)["aria-describedby"]}
          onClick={() => onChange({})}
        >
          + {title}
        </button>
        <Problem id={id} text={refusal} />
      </>
    );
  return (
    <fieldset class="wide-field">
      <legend>{title}</legend>
      {!isChosen && (
        <button type="button" class="small" onClick={() => onChange(undefined)}>
          Leave {title} out
        </button>
      )}
      <Problem id={id} text={refusal} />
      <Place.Provider value={`${place}.${field.name}`}>
        <MessageFields
          schema={schema}
          message={field.type!}
          draft={draft}
          around={scopes}
          onChange={onChange}
        />
      </Place.Provider>
    </fieldset>
  );
}

type ListProps = Omit<MemberProps, "isChosen">;

function List({ schema, message, scopes, field, draft, onChange }: ListProps) {
  const items = Array.isArray(draft) ? (draft as readonly Draft[]) : [];
  const title = words(field.name);
  const place = useContext(Place);
  const id = useId();
  const put = (at: number, value: Draft) => onChange(items.with(at, value));
  return (
    <fieldset class="wide-field">
      <legend class={markOf(field)}>{title}</legend>
      <Problem id={id} text={useRefusal(field.name)} />
      <ol class="command-list">
        {items.map((item, n) => (
          <li key={n}>
            {field.kind === "message" ? (
              <Place.Provider value={`${place}.${field.name}.${n}`}>
                <MessageFields
                  schema={schema}
                  message={field.type!}
                  draft={isMessage(item) ? item : {}}
                  around={scopes}
                  onChange={(value) => put(n, value)}
                />
              </Place.Provider>
            ) : (
              <Value
                {...{ schema, message, scopes }}
                field={field}
                draft={item}
                nth={n}
                onChange={(value) => put(n, value ?? "")}
              />
            )}
            <button
              type="button"
              class="small"
              aria-label={`Remove ${title} ${n + 1}`}
              onClick={() => onChange(items.length === 1 ? undefined : items.toSpliced(n, 1))}
            >
              Remove
            </button>
          </li>
        ))}
      </ol>
      <button type="button" class="small add" onClick={() => onChange([...items, emptyOf(field)])}>
        + {title}
      </button>
    </fieldset>
  );
}

interface ValueProps extends ListProps {
  /** Place in a list. */
  readonly nth?: number;
}

function Value({ schema, message, scopes, field, draft, nth, onChange }: ValueProps) {
  const id = useId();
  const { name, kind, type, meaning, isRequired } = field;
  const text = typeof draft === "string" ? draft : "";
  const refusal = useRefusal(nth === undefined ? name : `${name}.${nth}`);
  const unit = unitOf(message, name, scopes);
  // The field of an amount shows its own problem.
  const problem = (unit === undefined ? problemOf(field, draft) : undefined) ?? refusal;
  const marks = marksOf(id, problem);
  const set = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onChange(currentTarget.value === "" ? undefined : currentTarget.value);
  const names = namedBy(field);
  return (
    <div title={meaning} class={kind === "bytes" ? "field wide-field" : "field"}>
      <label htmlFor={id} class={markOf(field)}>
        {words(name)}
      </label>
      {unit !== undefined ? (
        <AmountField
          id={id}
          value={text}
          unit={unit}
          isRequired={isRequired}
          problem={marks["aria-describedby"]}
          onChange={(value) => onChange(value || undefined)}
        />
      ) : kind === "bool" ? (
        <select
          id={id}
          {...marks}
          value={draft === undefined ? "" : String(draft)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === "" ? undefined : currentTarget.value === "true")
          }
        >
          <option value="" />
          <option>true</option>
          <option>false</option>
        </select>
      ) : kind === "enum" ? (
        <select id={id} value={text} aria-required={isRequired} {...marks} onChange={set}>
          <option value="" />
          {enumLabels(schema.enums[type!] ?? []).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ) : kind === "bytes" ? (
        <Bytes {...{ id, isRequired, marks, onChange }} value={text} />
      ) : (
        <input
          id={id}
          type="text"
          value={text}
          inputMode={/int/.test(kind) ? "numeric" : undefined}
          aria-required={isRequired}
          {...marks}
          list={names && `command-${names}`}
          spellcheck={false}
          onInput={set}
        />
      )}
      <Problem id={id} text={problem} />
      {problem === undefined && names !== undefined && <small class="muted">{nameOf(names, text)}</small>}
      {TIMES.test(name) && text !== "" && problem === undefined && (
        <small class="muted">{timeOf(text)}</small>
      )}
    </div>
  );
}

/** The name of an identifier, the identifier of a name. */
function nameOf(names: NonNullable<ReturnType<typeof namedBy>>, text: string): string | undefined {
  const id = idOf(names, text.trim());
  if (id === undefined) return undefined;
  if (id !== text.trim().toLowerCase()) return shortId(id);
  if (names === "asset") return assetOf(id)?.symbol;
  if (names === "market") return marketOf(id)?.code;
  return names === "party" ? partyName(id) : undefined;
}

const TIMES = /(?:At|On|Timestamp|Time)$/;

/** A proposal's times are seconds, others nanoseconds. */
function timeOf(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const [value, unit] =
    text.length > 14 ? [Number(text) / 1e6, "nanoseconds"] : [Number(text) * 1e3, "seconds"];
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? undefined : `${unit}: ${at.toISOString()}`;
}

const FORMS = ["text", "hex", "base64"] as const;
type Form = (typeof FORMS)[number];

interface BytesProps {
  readonly id: string;
  /** Base64. */
  readonly value: string;
  readonly isRequired: boolean | undefined;
  readonly marks: ReturnType<typeof marksOf>;
  readonly onChange: (value: string | undefined) => void;
}

/** Bytes are written as text, in hexadecimal or in base64, and kept in base64. */
function Bytes({ id, value, isRequired, marks, onChange }: BytesProps) {
  const [form, setForm] = useState<Form>(value === "" ? "text" : "base64");
  const [typed, setTyped] = useState(value);
  const set = (text: string, as: Form) => {
    setTyped(text);
    setForm(as);
    // A text of another form is not base64 either, and is marked as such.
    onChange(text === "" ? undefined : (base64Of(text, as) ?? "!"));
  };
  return (
    <span class="command-bytes">
      <textarea
        id={id}
        rows={2}
        spellcheck={false}
        aria-required={isRequired}
        {...marks}
        value={typed}
        onInput={({ currentTarget }) => set(currentTarget.value, form)}
      />
      <select
        aria-label="written as"
        value={form}
        onChange={({ currentTarget }) => set(typed, currentTarget.value as Form)}
      >
        {FORMS.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </span>
  );
}

/** Undefined where the text is not of this form. */
function base64Of(text: string, form: Form): string | undefined {
  if (form === "base64") return text.trim();
  if (form === "text") return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
  const hex = text.trim().replace(/^0x/, "");
  if (!/^(?:[0-9a-f]{2})*$/i.test(hex)) return undefined;
  return btoa(hex.replace(/../g, (byte) => String.fromCodePoint(Number.parseInt(byte, 16))));
}

/** The style of the title of a member that a command is refused without. */
const markOf = ({ isRequired }: CommandField) => (isRequired ? "required" : undefined);

/** `fromAccountType` as `from account type`. */
const words = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll("_", " ");
