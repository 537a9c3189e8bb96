// Checks a JSON value against the part of OpenAPI 3.0 schemas that our document uses. Members that a schema does not
// name are faults: our answers have none.
import type { Schema } from "../src/api/openapi/types.ts";

export class SchemaChecker {
  private readonly faults: string[] = [];

  constructor(private readonly lookUp: (ref: string) => Schema) {}

  /** What is wrong, one line each; empty when all is well. */
  check(schema: Schema, value: unknown): string[] {
    this.visit(schema, value, "");
    return this.faults;
  }

  private visit(schema: Schema, value: unknown, at: string): void {
    if (schema.$ref !== undefined) {
      this.visit(this.lookUp(schema.$ref), value, at);
      return;
    }
    if (value === null && schema.nullable) return;
    for (const part of schema.allOf ?? []) this.visit(part, value, at);
    if (schema.oneOf) this.visitOne(schema.oneOf, value, at);
    if (schema.enum && !schema.enum.includes(value as string))
      this.fault(at, `${show(value)} is not in the list`);
    if (schema.type === undefined) return;
    if (!isOfType(schema.type, value)) {
      this.fault(at, `${show(value)} is no ${schema.type}`);
      return;
    }
    if (schema.pattern && !new RegExp(schema.pattern).test(value as string))
      this.fault(at, `${show(value)} does not match ${schema.pattern}`);
    if (schema.type === "array") {
      for (const [i, item] of (value as unknown[]).entries()) this.visit(schema.items!, item, `${at}[${i}]`);
    }
    if (schema.type === "object") this.visitMembers(schema, value as Record<string, unknown>, at);
  }

  private visitOne(schemas: readonly Schema[], value: unknown, at: string): void {
    const faults = schemas.map((schema) => new SchemaChecker(this.lookUp).check(schema, value));
    const fitting = faults.filter(({ length }) => length === 0).length;
    if (fitting !== 1)
      this.fault(at, `${fitting} of ${schemas.length} schemas fit: ${faults.flat().join("; ")}`);
  }

  private visitMembers(schema: Schema, value: Record<string, unknown>, at: string): void {
    for (const name of schema.required ?? []) if (!(name in value)) this.fault(at, `${name} is missing`);
    for (const [name, member] of Object.entries(value)) {
      const known = schema.properties?.[name] ?? schema.additionalProperties;
      const inside = at === "" ? name : `${at}.${name}`;
      if (typeof known === "object") this.visit(known, member, inside);
      else if (known !== true) this.fault(inside, "is not in the schema");
    }
  }

  private fault(at: string, text: string): void {
    this.faults.push(`${at}: ${text}`);
  }
}

function isOfType(type: NonNullable<Schema["type"]>, value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 60) ?? "nothing";
}
