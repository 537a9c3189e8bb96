/**
 * Descriptors of every message and enum. The generator writes them down as short texts from the files in `proto/`; a text
 * is read when its descriptor is first needed, so that a process of thirty messages does not pay for six hundred.
 */
import { ENUMS, MESSAGES } from "./generated/schema.ts";

export interface FieldDescriptor {
  /** The name as declared, in snake_case. */
  readonly name: string;
  /** The name in JSON and in TypeScript, in lowerCamelCase. */
  readonly jsonName: string;
  readonly number: number;
  /** `map` is a map from string to the message `typeName`. */
  readonly kind: ScalarKind | "message" | "enum" | "map";
  /** Full name of the message or enum; empty for scalars. */
  readonly typeName: string;
  readonly repeated: boolean;
  /** Declared `optional`: presence is kept. */
  readonly optional: boolean;
  /** Name of the oneof this field is a member of; else empty. */
  readonly oneof: string;
}

type ScalarKind = "string" | "bytes" | "bool" | "int32" | "uint32" | "int64" | "uint64" | "float" | "double";

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

/** The descriptor of a message such as `vega.Asset`; @throws Error for an unknown name */
export function messageDescriptor(fullName: string): MessageDescriptor {
  let descriptor = messages.get(fullName);
  if (descriptor === undefined) {
    if (!Object.hasOwn(MESSAGES, fullName)) throw new Error(`no message is called ${fullName}`);
    const fields = parts(MESSAGES[fullName]!).map(parseField);
    descriptor = { fullName, fields, byNumber: new Map(fields.map((field) => [field.number, field])) };
    messages.set(fullName, descriptor);
  }
  return descriptor;
}

/** The descriptor of an enum such as `vega.Asset.Status`; @throws Error for an unknown name */
export function enumDescriptor(fullName: string): EnumDescriptor {
  let descriptor = enums.get(fullName);
  if (descriptor === undefined) {
    if (!Object.hasOwn(ENUMS, fullName)) throw new Error(`no enum is called ${fullName}`);
    const values = parts(ENUMS[fullName]!).map(parseValue);
    descriptor = {
      fullName,
      numberOf: new Map(values),
      nameOf: new Map(values.map(([name, number]) => [number, name])),
    };
    enums.set(fullName, descriptor);
  }
  return descriptor;
}

/** Package and name inside it: `vega` and `Asset.Status`. */
export function splitName(fullName: string): readonly [packageName: string, localName: string] {
  const at = fullName.search(/(?<=\.)[A-Z]/);
  return [fullName.slice(0, at - 1), fullName.slice(at)];
}

// The texts: fields parted by `;`, each `number name kind:type[]?@oneof` (`[]` a list, `?` an optional field);
// values of an enum likewise, each `number NAME`.

const FIELD = /^(\d+) (\w+) (\w+)(?::([\w.]+))?(\[\])?(\?)?(?:@(\w+))?$/;

function parts(text: string): string[] {
  return text === "" ? [] : text.split(";");
}

function parseField(text: string): FieldDescriptor {
  const [, number, name, kind, typeName, list, optional, oneof] = FIELD.exec(text)!;
  return {
    name: name!,
    jsonName: name!.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    number: Number(number),
    kind: kind as FieldDescriptor["kind"],
    typeName: typeName ?? "",
    repeated: list !== undefined,
    optional: optional !== undefined,
    oneof: oneof ?? "",
  };
}

function parseValue(text: string): [name: string, number: number] {
  const space = text.indexOf(" ");
  return [text.slice(space + 1), Number(text.slice(0, space))];
}
