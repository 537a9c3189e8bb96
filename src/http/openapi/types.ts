// The parts of OpenAPI 3.1 that the document uses.
export const OPENAPI_VERSION = "3.1.0";

type SchemaType = "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";

/** A schema of JSON Schema 2020-12. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly contentEncoding?: "base64";
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean | null;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly default?: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly description: string;
  readonly required?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly style?: "form";
  readonly explode?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Schema>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly description: string;
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

interface PathItem {
  readonly get?: Operation;
  readonly post?: Operation;
}

export type Paths = Record<string, PathItem>;
