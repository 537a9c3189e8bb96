/**
 * Descriptors of every message and enum, made from the schema texts when first asked for and then kept:
 * a process that touches thirty messages does not pay for six hundred.
 */
import { checkpoint } from "./checkpoint.ts";
import { commands } from "./commands.ts";
import { coreApi } from "./core-api.ts";
import { data } from "./data.ts";
import { datanode } from "./datanode.ts";
import { events } from "./events.ts";
import { explorer } from "./explorer.ts";
import { health, httpBody, protobuf, reflection, reflectionAlpha, rpc } from "./grpc.ts";
import { type FieldDescriptor, type PackageSchema, parseFields, parseValues } from "./notation.ts";
import { vega } from "./vega.ts";
import { wallet } from "./wallet.ts";

export type { FieldDescriptor, PackageSchema } from "./notation.ts";

export const packages: readonly PackageSchema[] = [
  vega,
  events,
  commands,
  data,
  checkpoint,
  coreApi,
  datanode,
  explorer,
  wallet,
  protobuf,
  rpc,
  httpBody,
  health,
  reflection,
  reflectionAlpha,
];

export interface MessageDescriptor {
  readonly fullName: string;
  /** In declaration order. */
  readonly fields: readonly FieldDescriptor[];
  readonly byNumber: ReadonlyMap<number, FieldDescriptor>;
}

export interface EnumDescriptor {
  readonly fullName: string;
  readonly numberOf: ReadonlyMap<string, number>;
  readonly nameOf: ReadonlyMap<number, string>;
}

const messages = new Map<string, MessageDescriptor>();
const enums = new Map<string, EnumDescriptor>();

/** Splits a full name into its package and the name inside it; undefined when no schema holds it. */
export function locate(fullName: string): { pack: PackageSchema; local: string } | undefined {
  const local = /(?:^|\.)([A-Z].*)$/.exec(fullName)?.[1];
  if (local === undefined) return undefined;
  const pack = packages.find((candidate) => fullName === `${candidate.name}.${local}`);
  return pack && { pack, local };
}

function isEnumName(fullName: string): boolean {
  const found = locate(fullName);
  return found !== undefined && Object.hasOwn(found.pack.enums, found.local);
}

/** The descriptor of a message such as `vega.Asset`; an unknown name is a fault of the caller. */
export function messageDescriptor(fullName: string): MessageDescriptor {
  const known = messages.get(fullName);
  if (known !== undefined) return known;
  const found = locate(fullName);
  const text = found?.pack.messages[found.local];
  if (found === undefined || text === undefined) throw new Error(`no message is called ${fullName}`);
  const fields = parseFields(text, found.pack, isEnumName);
  const made = { fullName, fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
  messages.set(fullName, made);
  return made;
}

/** The descriptor of an enum such as `vega.Asset.Status`; an unknown name is a fault of the caller. */
export function enumDescriptor(fullName: string): EnumDescriptor {
  const known = enums.get(fullName);
  if (known !== undefined) return known;
  const found = locate(fullName);
  const text = found?.pack.enums[found.local];
  if (found === undefined || text === undefined) throw new Error(`no enum is called ${fullName}`);
  const values = parseValues(text);
  const made = {
    fullName,
    numberOf: new Map(values),
    nameOf: new Map(values.map(([name, number]) => [number, name])),
  };
  enums.set(fullName, made);
  return made;
}

export function enumNames(): string[] {
  return packages.flatMap((pack) => Object.keys(pack.enums).map((local) => `${pack.name}.${local}`));
}
