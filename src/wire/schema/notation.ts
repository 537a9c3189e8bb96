/**
 * The compact form in which this project writes down its messages, and its reading.
 *
 * A message is one text: fields parted by `;`, each `number name type`, with these marks:
 * - `type[]` a list; `type?` an `optional` field (presence is kept); `map<type>` a map from string
 * - `@group` at the end: a member of that oneof
 * - a type that begins with a capital stands in the same package, any other dotted name is complete
 *
 * An enum is one text as well: `number NAME` parted by `;`.
 * Fields stand in declaration order, because JSON members follow it (data API 1.3); the order on the wire is
 * by number and made where messages are written.
 */
export interface PackageSchema {
  /** The package's name on the wire, for example `vega.events.v1`. */
  readonly name: string;
  /** The file stem of its generated code. */
  readonly file: string;
  readonly messages: Readonly<Record<string, string>>;
  readonly enums: Readonly<Record<string, string>>;
}

type ScalarKind = "string" | "bytes" | "bool" | "int32" | "uint32" | "int64" | "uint64" | "float" | "double";

export interface FieldDescriptor {
  /** The name as declared, in snake_case. */
  readonly name: string;
  /** The name in JSON and in TypeScript, in lowerCamelCase. */
  readonly jsonName: string;
  readonly number: number;
  /** `map` is a map from string to the message `typeName`; no other map occurs. */
  readonly kind: ScalarKind | "message" | "enum" | "map";
  /** Full name of the message or enum; empty for scalars. */
  readonly typeName: string;
  readonly repeated: boolean;
  readonly optional: boolean;
  /** Name of the oneof this field is a member of; else empty. */
  readonly oneof: string;
}

const scalars = new Set<string>([
  "string",
  "bytes",
  "bool",
  "int32",
  "uint32",
  "int64",
  "uint64",
  "float",
  "double",
]);

function lowerCamel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

const fieldForm = /^(\d+) (\w+) (map<)?([\w.]+)>?(\[\])?(\?)?(?: @(\w+))?$/;

/** Reads the fields of one message of `pack`; `isEnum` says whether a full type name is an enum. */
export function parseFields(
  text: string,
  pack: PackageSchema,
  isEnum: (fullName: string) => boolean,
): FieldDescriptor[] {
  return parts(text).map((part) => {
    const found = fieldForm.exec(part);
    if (found === null) throw new Error(`schema of ${pack.name}: invalid field: "${part}"`);
    const [, number, name, map, type, list, optional, oneof] = found;
    const scalar = scalars.has(type!);
    const typeName = scalar ? "" : /^[A-Z]/.test(type!) ? `${pack.name}.${type}` : type!;
    const kind = map ? "map" : scalar ? (type as ScalarKind) : isEnum(typeName) ? "enum" : "message";
    return {
      name: name!,
      jsonName: lowerCamel(name!),
      number: Number(number),
      kind,
      typeName,
      repeated: list !== undefined,
      optional: optional !== undefined,
      oneof: oneof ?? "",
    };
  });
}

/** Reads the values of one enum, in the order of the schema. */
export function parseValues(text: string): [name: string, number: number][] {
  return parts(text).map((part) => {
    const space = part.indexOf(" ");
    return [part.slice(space + 1), Number(part.slice(0, space))];
  });
}

function parts(text: string): string[] {
  return text
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
