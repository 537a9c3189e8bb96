// Values of a command's form. A draft is the command's JSON with every number as text, so that nothing is lost on the way.
import type { CommandField, CommandSchema } from "../../planes/devnet/command-schema.ts";
import { unreadableAmount } from "./command-units.ts";

export type Draft = string | boolean | readonly Draft[] | DraftMessage;
export interface DraftMessage {
  readonly [name: string]: Draft | undefined;
}

export const isMessage = (draft: Draft | undefined): draft is DraftMessage =>
  typeof draft === "object" && !Array.isArray(draft);

/** Bounds of the whole numbers, by kind. */
const BOUNDS: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Why a text is not a value of this member; undefined where it is one, or empty. */
export function problemOf(
  { kind }: Pick<CommandField, "kind">,
  draft: Draft | undefined,
): string | undefined {
  if (typeof draft !== "string" || draft === "") return undefined;
  const bounds = BOUNDS[kind];
  if (bounds !== undefined) {
    if (!/^-?\d+$/.test(draft)) return "not a whole number";
    const value = BigInt(draft);
    return value < bounds[0] || value > bounds[1] ? `not from ${bounds[0]} to ${bounds[1]}` : undefined;
  }
  if (kind === "double" || kind === "float")
    return draft.trim() === "" || !Number.isFinite(Number(draft)) ? "not a number" : undefined;
  if (kind === "bytes" && !BASE64.test(draft)) return "not base64";
  return undefined;
}

/** Paths of the members whose texts are not values, with the reason. */
export function problemsIn(schema: CommandSchema, message: string, draft: DraftMessage): string[] {
  return fieldsOf(schema, message).flatMap((field) => {
    const value = draft[field.name];
    const items = field.isList ? (Array.isArray(value) ? (value as readonly Draft[]) : []) : [value];
    return items.flatMap((item, n): string[] => {
      const name = field.isList ? `${field.name}[${n}]` : field.name;
      if (field.kind === "message")
        return isMessage(item)
          ? problemsIn(schema, field.type!, item).map((problem) => `${name}.${problem}`)
          : [];
      const isAmount = unitOf(message, field.name, []) !== undefined && typeof item === "string";
      const problem = (isAmount ? unreadableAmount(item)?.problem : undefined) ?? problemOf(field, item);
      return problem === undefined ? [] : [`${name}: ${problem}`];
    });
  });
}

type Named = NonNullable<ReturnType<typeof namedBy>>;
/** The identifier that a name stands for; undefined of an unknown one. */
export type IdOf = (kind: Named, text: string) => string | undefined;

/** The JSON that is sent: names become identifiers, empty texts are left out, and numbers of 32 bits and decimal fractions become numbers. */
export function jsonOf(
  schema: CommandSchema,
  message: string,
  draft: DraftMessage,
  idOf: IdOf = () => undefined,
): object {
  return Object.fromEntries(
    fieldsOf(schema, message).flatMap((field) => {
      const value = draft[field.name];
      if (field.isList) {
        if (!Array.isArray(value) || value.length === 0) return [];
        const items = (value as readonly Draft[]).map((item) => jsonValueOf(schema, field, item, idOf));
        return [[field.name, items.map((item) => item ?? "")] as const];
      }
      const json = value === undefined ? undefined : jsonValueOf(schema, field, value, idOf);
      return json === undefined ? [] : [[field.name, json] as const];
    }),
  );
}

function jsonValueOf(schema: CommandSchema, field: CommandField, draft: Draft, idOf: IdOf): unknown {
  if (field.kind === "message")
    return isMessage(draft) ? jsonOf(schema, field.type!, draft, idOf) : undefined;
  if (draft === "") return undefined;
  // A member of a choice is chosen although it has its zero value.
  if (draft === false && !field.isOptional && field.oneof === undefined) return undefined;
  if (/^(?:u?int32|double|float)$/.test(field.kind)) {
    const number = Number(draft);
    return Number.isFinite(number) ? number : draft;
  }
  const named = namedBy(field);
  return (named !== undefined && typeof draft === "string" && idOf(named, draft.trim())) || draft;
}

/** Choices of a new draft: what most such commands have. */
const USUAL: Readonly<Record<string, DraftMessage>> = {
  transfer: { fromAccountType: "ACCOUNT_TYPE_GENERAL", toAccountType: "ACCOUNT_TYPE_GENERAL", oneOff: {} },
  orderSubmission: { side: "SIDE_BUY", type: "TYPE_LIMIT", timeInForce: "TIME_IN_FORCE_GTC" },
  voteSubmission: { value: "VALUE_YES" },
  undelegateSubmission: { method: "METHOD_NOW" },
};

export const usualDraft = (command: string): DraftMessage => USUAL[command] ?? {};

export const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Reasons of a refused command by the path of the member: `transfer.amount (not a valid integer), …`. */
function refusalsIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/([a-z]\w*(?:\.\w+)+) \(([^()]*)\)/gi)].map(([, path, why]) => [camel(path!), why!]),
  );
}

/** The same by the path of the field in the form: the node's paths have names of choices, which the form's have not. */
export function refusalsByField(
  schema: CommandSchema,
  message: string,
  draft: DraftMessage,
  text: string,
): ReadonlyMap<string, string> {
  return new Map(
    [...refusalsIn(text)].map(([path, why]) => {
      const [command = "", ...names] = path.split(".");
      return [[command, ...fieldPath(schema, message, draft, names)].join("."), why];
    }),
  );
}

function fieldPath(
  schema: CommandSchema,
  message: string,
  draft: Draft | undefined,
  names: readonly string[],
): readonly string[] {
  const [name, ...rest] = names;
  if (name === undefined) return [];
  const fields = fieldsOf(schema, message);
  const members = isMessage(draft) ? draft : {};
  const field = fields.find((each) => each.name === name);
  if (field !== undefined) {
    const value = members[name];
    const type = field.type ?? "";
    if (!field.isList) return [name, ...fieldPath(schema, type, value, rest)];
    const [place, ...inner] = rest;
    if (place === undefined) return [name];
    const item = Array.isArray(value) ? (value as readonly Draft[])[Number(place)] : undefined;
    return [name, place, ...fieldPath(schema, type, item, inner)];
  }
  const choices = fields.filter(({ oneof }) => oneof !== undefined && camel(oneof) === name);
  if (choices.length === 0 || rest.length === 0) return names;
  if (choices.some((each) => each.name === rest[0])) return fieldPath(schema, message, draft, rest);
  // The node leaves out which of them was chosen.
  const chosen = choices.find((each) => members[each.name] !== undefined);
  return chosen === undefined ? names : fieldPath(schema, message, draft, [chosen.name, ...rest]);
}

/** The draft of a command's JSON, for the form: members that the schema does not have are left out. */
export function draftOf(schema: CommandSchema, message: string, json: unknown): DraftMessage {
  if (typeof json !== "object" || json === null) return {};
  const members = json as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    fieldsOf(schema, message).flatMap((field) => {
      const value = members[field.name];
      if (value === undefined || value === null) return [];
      const draft = field.isList
        ? Array.isArray(value)
          ? value.map((item) => draftOfValue(schema, field, item))
          : []
        : draftOfValue(schema, field, value);
      return [[field.name, draft] as const];
    }),
  );
}

function draftOfValue(schema: CommandSchema, { kind, type }: CommandField, value: unknown): Draft {
  if (kind === "message") return draftOf(schema, type!, value);
  if (kind === "bool") return value === true || value === "true";
  return typeof value === "object" ? "" : String(value);
}

export const fieldsOf = (schema: CommandSchema, message: string) => schema.messages[message] ?? [];

/** The first value of a list's new item, or of a member that is added. */
export const emptyOf = ({ kind }: CommandField): Draft =>
  kind === "message" ? {} : kind === "bool" ? false : "";

/** A message's members in the order in which a form has them: a choice stands where its first member does. */
type FormEntry =
  | { readonly field: CommandField }
  | { readonly choice: string; readonly fields: readonly CommandField[] };

export function entriesOf(fields: readonly CommandField[]): FormEntry[] {
  const choices = new Set<string>();
  return fields.flatMap((field): FormEntry[] => {
    if (field.oneof === undefined) return [{ field }];
    if (choices.has(field.oneof)) return [];
    choices.add(field.oneof);
    return [{ choice: field.oneof, fields: fields.filter(({ oneof }) => oneof === field.oneof) }];
  });
}

/** Names of an enum's values without what all of them begin with: `TIME_IN_FORCE_GTC` as `GTC`. */
export function enumLabels(names: readonly string[]): (readonly [name: string, label: string])[] {
  const first = names[0] ?? "";
  let shared = 0;
  for (let at = 0; at < first.length; at++) {
    if (!names.every((name) => name[at] === first[at])) break;
    if (first[at] === "_") shared = at + 1;
  }
  return names.map((name) => [name, name.slice(shared).replaceAll("_", " ").toLowerCase()]);
}

/** The unit that a number is counted in. */
export type Unit =
  | { readonly asset: string }
  | { readonly priceOf: string }
  | { readonly sizeOf: string }
  /** The asset that a market settles in. */
  | { readonly settledIn: string }
  /** Of an asset that the command itself describes. */
  | { readonly decimals: string }
  | { readonly staked: true };

const AMOUNTS: Readonly<Record<string, (value: (name: string) => string) => Unit>> = {
  "vega.commands.v1.Transfer.amount": (of) => ({ asset: of("asset") }),
  "vega.commands.v1.WithdrawSubmission.amount": (of) => ({ asset: of("asset") }),
  "vega.commands.v1.DelegateSubmission.amount": () => ({ staked: true }),
  "vega.commands.v1.UndelegateSubmission.amount": () => ({ staked: true }),
  "vega.commands.v1.LiquidityProvisionSubmission.commitmentAmount": (of) => ({ settledIn: of("marketId") }),
  "vega.commands.v1.LiquidityProvisionAmendment.commitmentAmount": (of) => ({ settledIn: of("marketId") }),
  "vega.commands.v1.OrderSubmission.price": (of) => ({ priceOf: of("marketId") }),
  "vega.commands.v1.OrderSubmission.size": (of) => ({ sizeOf: of("marketId") }),
  "vega.commands.v1.OrderAmendment.price": (of) => ({ priceOf: of("marketId") }),
  "vega.commands.v1.OrderAmendment.sizeDelta": (of) => ({ sizeOf: of("marketId") }),
  "vega.commands.v1.OrderAmendment.peggedOffset": (of) => ({ priceOf: of("marketId") }),
  "vega.PeggedOrder.offset": (of) => ({ priceOf: of("marketId") }),
  "vega.LiquidityOrder.offset": (of) => ({ priceOf: of("marketId") }),
  "vega.BuiltinAssetDeposit.amount": (of) => ({ asset: of("vegaAssetId") }),
  "vega.BuiltinAssetWithdrawal.amount": (of) => ({ asset: of("vegaAssetId") }),
  "vega.ERC20Deposit.amount": (of) => ({ asset: of("vegaAssetId") }),
  "vega.ERC20AssetLimitsUpdated.lifetimeLimits": (of) => ({ asset: of("vegaAssetId") }),
  "vega.ERC20AssetLimitsUpdated.withdrawThreshold": (of) => ({ asset: of("vegaAssetId") }),
  "vega.ERC20Update.lifetimeLimit": (of) => ({ asset: of("assetId") }),
  "vega.ERC20Update.withdrawThreshold": (of) => ({ asset: of("assetId") }),
  "vega.AssetDetailsUpdate.quantum": (of) => ({ asset: of("assetId") }),
  "vega.AssetDetails.quantum": (of) => ({ decimals: of("decimals") }),
  "vega.BuiltinAsset.maxFaucetAmountMint": (of) => ({ decimals: of("decimals") }),
  "vega.ERC20.lifetimeLimit": (of) => ({ decimals: of("decimals") }),
  "vega.ERC20.withdrawThreshold": (of) => ({ decimals: of("decimals") }),
  "vega.StakeDeposited.amount": () => ({ staked: true }),
  "vega.StakeRemoved.amount": () => ({ staked: true }),
};

/**
 * The unit of a member's number; undefined for other numbers.
 * @param scopes the messages around the member, the innermost first: a market or an asset is named in one of them
 */
export function unitOf(message: string, name: string, scopes: readonly DraftMessage[]): Unit | undefined {
  return AMOUNTS[`${message}.${name}`]?.((member) => {
    const value = scopes.map((scope) => scope[member]).find((each) => typeof each === "string");
    return typeof value === "string" ? value : "";
  });
}

/** The kind of thing that an identifier names: for suggestions. */
export function namedBy({
  name,
  kind,
}: CommandField): "party" | "asset" | "market" | "node" | "proposal" | undefined {
  if (kind !== "string") return undefined;
  if (/^(?:asset|assetId|vegaAssetId|assetForMetric|settlementAsset)$/.test(name)) return "asset";
  if (/^(?:marketId|markets)$/.test(name)) return "market";
  if (name === "proposalId") return "proposal";
  if (name === "nodeId" || name === "validatorNodeId") return "node";
  if (/^(?:to|partyId|targetVegaAddress|vegaPublicKey)$/.test(name)) return "party";
  return undefined;
}
